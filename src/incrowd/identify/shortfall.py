"""What a set of columns lacks to telling all records apart, as a whole number.

Each measure is a sum over classes, so that asking for a ratio is setting a budget: distinct asks
for at most so many records beyond the first of their class, separation for at most so many pairs
in one class, unique for at most so many records with company. Rows that stand for several records
lack something whatever the columns; this floor is taken off the budget, so that a set of columns
is judged by its classes of two rows and more alone.
"""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Counts
from incrowd.identify.ratios import Measure, Ratios
from incrowd.identify.records import Records

KIND = {Measure.DISTINCT: 0, Measure.SEPARATION: 1, Measure.UNIQUE: 2}
"""The number by which kernels know a measure."""


@dataclass(frozen=True, eq=False)
class Budget:
    """How much a set of columns may lack, beyond what the rows lack anyway."""

    kind: int
    weights: Counts
    """What each row weighs, empty where all weigh 1."""
    left: int
    """The most that the classes of a good enough set may cost; below 0 when no set is."""


def budget(records: Records, measure: Measure, ratio: float) -> Budget:
    """The budget that sets of at least this ratio keep to."""
    counts = records.counts
    kind = KIND[measure]
    weights = np.empty(0, dtype=np.int64)
    if counts.max(initial=1) > 1 and measure is not Measure.DISTINCT:
        weights = counts if measure is Measure.SEPARATION else (counts == 1).astype(np.int64)
    return Budget(kind, weights, _allowed(records.total, measure, ratio) - _floor(counts, measure))


def _floor(counts: Counts, measure: Measure) -> int:
    """What rows that stand for several records lack whatever the columns."""
    match measure:
        case Measure.DISTINCT:
            return int(counts.sum()) - len(counts)
        case Measure.SEPARATION:
            return int((counts * (counts - 1) // 2).sum())
        case Measure.UNIQUE:
            return int(counts[counts > 1].sum())


def _most(total: int, measure: Measure) -> int:
    return total * (total - 1) // 2 if measure is Measure.SEPARATION else total


def _ratio(total: int, measure: Measure, lacking: int) -> float:
    """The ratio of a set that lacks so much, rounded exactly as `Ratios` rounds it."""
    good = _most(total, measure) - lacking
    return Ratios(total, good, good, good, 1).ratio(measure)


def _allowed(total: int, measure: Measure, ratio: float) -> int:
    """The most that a set of at least this ratio lacks; -1 if even lacking nothing is too little.

    More lacking never makes the ratio larger, so bisection finds it.
    """
    if _ratio(total, measure, 0) < ratio:
        return -1
    low, high = 0, _most(total, measure) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if _ratio(total, measure, middle) >= ratio:
            low = middle
        else:
            high = middle
    return low
