"""Classification: how many records a classifier trained on the release would have to get wrong."""

from dataclasses import field
from typing import Literal

import numpy as np

from incrowd.arrays import Floats
from incrowd.loss.loss import Loss
from incrowd.partition.classes import Histogram
from incrowd.recoding import Outcome
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class Classification(Loss):
    """The share of records that are suppressed or do not hold the majority value of their class.

    The classification metric of Iyengar (Ghinita Section 2.1), 0..1. Where a person has several
    records, a class counts its people, and its records are lost in proportion.

    >>> Classification("salary").columns
    ('salary',)
    """

    target: str
    """The sensitive column that the classifier predicts."""
    name: Literal["classification"] = field(default="classification", kw_only=True)

    @property
    def columns(self) -> tuple[str, ...]:
        """The column that the classifier predicts."""
        return (self.target,)

    def of(self, outcome: Outcome) -> float:
        """The share of records that are lost: suppressed, or not of the majority of their class."""
        if outcome.records == 0:
            return 0.0
        lost = _minority_shares(outcome.classes.histograms[self.target])
        return float(outcome.classes.records @ lost + outcome.suppressed) / outcome.records

    def bound(self, outcome: Outcome, smallest: int = 1, spare: int | None = None) -> float:
        """The loss of the node itself, minus infinity if people may have several records.

        The majority of a union is no larger than the majorities of its parts together, and to
        suppress a record costs no less than to show it. People who stand in several records are
        counted once in a union, so then nothing is known, nor without the rows of the outcome.
        """
        del smallest, spare
        if outcome.tally is None or outcome.tally.has_units:
            return float("-inf")
        return self.of(outcome)

    def surcharge(self, failing: Outcome, smallest: int) -> float:
        """What failing records add to `bound`: their share in class majorities; 0 if unknown."""
        del smallest
        if failing.tally is None or failing.tally.has_units or failing.records == 0:
            return 0.0
        lost = _minority_shares(failing.classes.histograms[self.target])
        return float(failing.classes.records @ (1.0 - lost)) / failing.records


def _minority_shares(histogram: Histogram) -> Floats:
    """The share of each class that does not hold its most frequent value."""
    if len(histogram.start) <= 1:
        return np.zeros(0, dtype=np.float64)
    most = np.maximum.reduceat(histogram.count, histogram.start[:-1])
    all_of = np.add.reduceat(histogram.count, histogram.start[:-1])
    share: Floats = 1.0 - most / all_of
    return share
