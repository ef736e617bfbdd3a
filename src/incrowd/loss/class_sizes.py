"""Losses of class sizes: the average class, and discernibility."""

from dataclasses import field
from typing import Literal

import numpy as np

from incrowd.arrays import Floats
from incrowd.loss.loss import Loss
from incrowd.recoding import Outcome
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class AverageClass(Loss):
    """Released records over classes; all records of the table if no class is released.

    >>> AverageClass().name
    'average_class'
    """

    name: Literal["average_class"] = field(default="average_class", kw_only=True)

    def of(self, outcome: Outcome) -> float:
        """Released records over classes."""
        if len(outcome.classes) == 0:
            return float(outcome.records)
        return float(outcome.classes.records.mean())

    def bound(self, outcome: Outcome, smallest: int = 1, spare: int | None = None) -> float:
        """A lower bound: what must be released over the most classes that there can be.

        Every class above is a union of classes of the node, so none is smaller, whichever of them
        are suppressed; an average is no smaller than its smallest part. A class above is large
        enough because it contains one of the node's that is, or because it joins smaller ones that
        together are.
        """
        sizes = outcome.classes.records
        if not len(sizes):
            return 0.0
        spare = outcome.records if spare is None else spare
        large = sizes >= smallest
        most = int(large.sum()) + int(sizes[~large].sum()) // max(smallest, 1)
        mean = (outcome.records - spare) / max(most, 1)
        return max(float(sizes.min()), float(smallest), mean)


@dataclass(frozen=True, config=STRICT)
class Discernibility(Loss):
    """The sum over records of the size of their class, N for a suppressed one.

    The discernibility metric of Bayardo and Agrawal (Ghinita Section 2.1): from N to N squared.

    >>> Discernibility().name
    'discernibility'
    """

    name: Literal["discernibility"] = field(default="discernibility", kw_only=True)

    def of(self, outcome: Outcome) -> float:
        """The sum of the squared class sizes, and N for each suppressed record."""
        sizes = outcome.classes.records.astype(float)
        return float(sizes @ sizes) + float(outcome.suppressed) * outcome.records

    def bound(self, outcome: Outcome, smallest: int = 1, spare: int | None = None) -> float:
        """A lower bound: above, each record is in a class no smaller, or pays N if suppressed."""
        del spare
        return float(outcome.classes.records.astype(float) @ _record_prices(outcome, smallest))

    def surcharge(self, failing: Outcome, smallest: int) -> float:
        """What failing records pay more than `bound` says: N each, less their class here."""
        sizes = failing.classes.records.astype(float)
        return float(sizes @ (failing.records - _record_prices(failing, smallest)))


def _record_prices(outcome: Outcome, smallest: int) -> Floats:
    """What a record of each class pays at the least here and at all nodes above."""
    sizes = np.maximum(outcome.classes.records, smallest)
    prices: Floats = np.minimum(sizes, outcome.records).astype(np.float64)
    return prices
