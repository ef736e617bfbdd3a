"""Discernibility: how many records each record cannot be told from."""

from dataclasses import field
from typing import Literal

import numpy as np

from incrowd.arrays import Floats
from incrowd.recoding import Outcome, QuasiColumn
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class Discernibility:
    """The sum over records of the size of their class, N for a suppressed one.

    The discernibility metric of Bayardo and Agrawal (Ghinita Section 2.1): from N to N squared.

    >>> Discernibility().name
    'discernibility'
    """

    name: Literal["discernibility"] = field(default="discernibility", kw_only=True)

    @property
    def columns(self) -> tuple[str, ...]:
        """No sensitive column."""
        return ()

    def of(self, outcome: Outcome) -> float:
        """The sum of the squared class sizes, and N for each suppressed record."""
        sizes = outcome.classes.records.astype(float)
        return float(sizes @ sizes) + float(outcome.suppressed) * outcome.records

    def figure(self, loss: float) -> float:
        """The loss itself."""
        return loss

    def cell_costs(self, column: QuasiColumn) -> Floats | None:  # noqa: ARG002  not a mean of cells
        """It is not a mean over cells."""
        return None

    def bound(self, outcome: Outcome) -> float:
        """The loss of the node itself.

        Above it every record is in a class no smaller, or suppressed at the price of N.
        """
        return self.of(outcome)

    def least(self, outcome: Outcome, smallest: int, spare: int) -> float:
        """Every record pays for its class, for the smallest that may be released, or for all."""
        del spare
        return float(outcome.classes.records.astype(float) @ _prices(outcome, smallest))

    def surcharge(self, failing: Outcome, smallest: int) -> float:
        """Each failing record pays N; `least` made it pay at most for its class here."""
        sizes = failing.classes.records.astype(float)
        return float(sizes @ (failing.records - _prices(failing, smallest)))


def _prices(outcome: Outcome, smallest: int) -> Floats:
    """What a record of each class pays at the least here and at all nodes above."""
    sizes = np.maximum(outcome.classes.records, smallest)
    prices: Floats = np.minimum(sizes, outcome.records).astype(np.float64)
    return prices
