"""Average class size: how many released records share what they show."""

from dataclasses import field
from typing import Literal

from incrowd.arrays import Floats
from incrowd.recoding import Outcome, QuasiColumn
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class AverageClass:
    """Released records over classes; all records of the table if no class is released.

    >>> AverageClass().name
    'average_class'
    """

    name: Literal["average_class"] = field(default="average_class", kw_only=True)

    @property
    def columns(self) -> tuple[str, ...]:
        """No sensitive column."""
        return ()

    def of(self, outcome: Outcome) -> float:
        """Released records over classes."""
        if len(outcome.classes) == 0:
            return float(outcome.records)
        return float(outcome.classes.records.mean())

    def figure(self, loss: float) -> float:
        """The loss itself."""
        return loss

    def cell_costs(self, column: QuasiColumn) -> Floats | None:  # noqa: ARG002  not a mean of cells
        """It is not a mean over cells."""
        return None

    def bound(self, outcome: Outcome) -> float:
        """The smallest class of the node.

        Every class above is a union of classes of the node, so none is smaller, whichever of them
        are suppressed; an average is no smaller than its smallest part.
        """
        return float(outcome.classes.records.min()) if len(outcome.classes) else 0.0

    def least(self, outcome: Outcome, smallest: int, spare: int) -> float:
        """What must be released over the most classes that can be.

        A class above is large enough because it contains one of the node's that is, or because it
        joins smaller ones that together are.
        """
        sizes = outcome.classes.records
        large = sizes >= smallest
        most = int(large.sum()) + int(sizes[~large].sum()) // max(smallest, 1)
        return max(self.bound(outcome), float(smallest), (outcome.records - spare) / max(most, 1))

    def surcharge(self, failing: Outcome, smallest: int) -> float:
        """Nothing: records that leave take classes with them."""
        del failing, smallest
        return 0.0
