"""Quantiles of one column, by all its values or by a sample (Lodha-Thomas Sections 4.1.3 and 5.2).

A uniform sample of ln(1/delta) / epsilon^2 records stands for the table: the value of rank t is
near that of rank t s / n in the sample. A bucket is a run of values; equal ones are never parted.
The sample promises ranks only: that each bucket holds k records is counted afterwards.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.errors import PolicyError
from incrowd.kernels import one_dimensional
from incrowd.showing import Shown
from incrowd.table.column import Kind

EPSILON, DELTA = 0.005, 0.01
"""Default share by which a rank may be off, and default probability that it is off further."""
Show: TypeAlias = Literal["median", "range"]
"""What a bucket shows: its middle value, or its range."""


def sample_size(epsilon: float = EPSILON, delta: float = DELTA) -> int:
    """Records that put each quantile within epsilon of its rank with probability 1 - delta.

    The paper's ln(1/delta) / epsilon^2. By Hoeffding's bound (1963), which holds for samples
    without repetition too, the rank is then off by more with probability 2 delta^2 at most: no more
    than delta up to delta = 1/2. Above that, ln(2/delta) / (2 epsilon^2) are needed, and taken.
    `PolicyError` if epsilon or delta is not between 0 and 1.

    >>> sample_size(0.01, 0.01), sample_size(0.1, 0.9)
    (46052, 40)
    """
    for name, share in (("epsilon", epsilon), ("delta", delta)):
        if not 0 < share < 1:
            raise PolicyError(f"{name} must be between 0 and 1")
    paper, bound = math.log(1 / delta), math.log(2 / delta) / 2
    return math.ceil(max(paper, bound) / epsilon**2)


def rank_error(sample: int, delta: float, cuts: int) -> float:
    """How far any of the ranks is off at most, as a share of the table, with probability 1 - delta.

    Hoeffding's bound for all cuts at once; 0 if there are none.

    >>> round(rank_error(46052, 0.01, 1), 4), round(rank_error(46052, 0.01, 240), 4)
    (0.0076, 0.0108)
    """
    return math.sqrt(math.log(2 * cuts / delta) / (2 * sample)) if cuts else 0.0


def least_sample_count(k: int, records: int, sample: int, delta: float) -> int:
    """Values of the sample that a bucket should hold so that it seldom falls below k records.

    The least c with c - sqrt(2 c ln(b/delta)) >= k s / n for b = s / c buckets: by Chernoff's bound
    a range that holds fewer than k records draws as many with probability delta / b at most. If
    the sample is the table, it is k itself.

    >>> [least_sample_count(10_000, 250_000, size, 0.01) for size in (250_000, 46_052)]
    [10000, 2019]
    """
    if sample >= records:
        return k
    aim = k * sample / records
    c = max(aim, 1.0)
    for _ in range(100):
        c = aim + math.sqrt(2 * c * math.log(max(sample / c, 1.0) / delta))
    return math.ceil(c)


@dataclass(frozen=True, eq=False)
class BucketDivision:
    """A column divided into buckets by the values of a sample."""

    values: Floats
    """The values that the sample holds, in order."""
    starts: Counts
    """Where among them each bucket begins; none if there are no values."""

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def cuts(self) -> Floats:
        """The least value of each bucket but the first."""
        return self.values[self.starts[1:]]

    @property
    def medians(self) -> Floats:
        """The middle value of each bucket, the lower one of two."""
        ends = np.append(self.starts[1:], len(self.values))
        middle: Counts = (self.starts + ends - 1) // 2
        return self.values[middle]

    def join_buckets(self, bucket_of: Counts) -> "BucketDivision":
        """The division with buckets joined: bucket 0, 1, … becomes part of `bucket_of[b]`."""
        first = np.flatnonzero(np.diff(bucket_of, prepend=-1))
        return replace(self, starts=self.starts[first])

    def __repr__(self) -> str:
        """Without values."""
        return f"Division({len(self)} buckets)"


def divide_evenly(values: Floats, number: int | None, least: int) -> BucketDivision:
    """Divide values into `number` buckets that hold `least` or more; as many as possible for None.

    Values come in any order, without NaN. Buckets are fewer if values are few, or equal ones, which
    are never divided, leave no more; one alone may hold fewer than `least`, no values make none.
    Each is as near as equal values allow to the same size (Definition 9, errors spread evenly).
    """
    values = np.sort(values)
    if not len(values):
        return BucketDivision(values, np.zeros(0, dtype=np.int64))
    most = max(1, len(values) // max(1, least))
    starts = np.zeros(min(most, number or most), dtype=np.int64)
    found = one_dimensional.fill_bucket_starts(values, len(starts), max(1, least), starts)
    return BucketDivision(values, starts[:found])


def join_small(sizes: Counts, k: int) -> Counts:
    """Join the smallest bucket with its smaller neighbour until all hold k; return where each went.

    `sizes` are the records of each bucket. All become one if they hold fewer than k together.

    >>> join_small(np.array([5, 1, 3, 7]), 5).tolist()
    [0, 0, 0, 1]
    """
    groups = [[int(size), 1] for size in sizes]
    while len(groups) > 1:
        i = min(range(len(groups)), key=lambda j: groups[j][0])
        if groups[i][0] >= k:
            break
        j = _smaller_neighbour(groups, i)
        first, second = min(i, j), max(i, j)
        groups[first] = [groups[first][0] + groups[second][0], groups[first][1] + groups[second][1]]
        del groups[second]
    parts = np.array([parts for _, parts in groups], dtype=np.int64)
    return np.repeat(np.arange(len(groups)), parts)


def _smaller_neighbour(groups: list[list[int]], i: int) -> int:
    """The place of the smaller neighbour of group i, a list [records, buckets]; the left of two."""
    neighbours = (j for j in (i - 1, i + 1) if 0 <= j < len(groups))
    return min(neighbours, key=lambda j: groups[j][0])


@dataclass(frozen=True, eq=False)
class BucketErrors:
    """Per bucket: its records, and how far their values are from a centre, in sums.

    From the count, the sum and the sum of squares of the differences follows the squared error
    about any other centre, without another look at the values. Fields have shape (buckets + 1,):
    entry 0 is for missing values, of which `sizes` alone says anything.
    """

    centres: Floats
    sizes: Counts
    sums: Floats
    """Sums of value - centre."""
    squares: Floats
    """Sums of (value - centre)^2."""

    @classmethod
    def without_records(cls, division: BucketDivision) -> "BucketErrors":
        """Counts of no records yet, around the medians of a division."""
        number = len(division) + 1
        centres = np.concatenate([[0.0], division.medians])
        sizes = np.zeros(number, dtype=np.int64)
        return cls(centres, sizes, np.zeros(number), np.zeros(number))

    def add(self, other: "BucketErrors") -> None:
        """Add the records of other counts with the same centres to these."""
        self.sizes[:] += other.sizes
        self.sums[:] += other.sums
        self.squares[:] += other.squares

    def squared_error(self, shown: Floats) -> float:
        """The sum of squared differences between values and what their bucket shows.

        `shown` has an entry per bucket without bucket 0, shape (buckets,). Where it is NaN, the
        bucket shows nothing and adds 0.
        """
        moved = self.centres[1:] - shown
        error = self.squares[1:] + 2 * moved * self.sums[1:] + self.sizes[1:] * moved**2
        return float(np.nansum(np.maximum(error, 0.0)))

    def normalized_error(self, shown: Floats) -> float:
        """The squared error over that of showing the mean (Section 5.2): 0 if all are exact.

        `shown` is as in `squared_error`; buckets that show NaN count on neither side. Medians may
        be farther off than the mean: then it is above 1. 0 if nothing is shown, or if all values
        are equal.
        """
        here = ~np.isnan(shown)
        sizes = self.sizes[1:][here]
        if not sizes.sum():
            return 0.0
        centres = self.centres[1:][here]
        middle = centres.mean()
        mean = middle + ((centres - middle) * sizes + self.sums[1:][here]).sum() / sizes.sum()
        worst = self.squared_error(np.where(here, mean, np.nan))
        return self.squared_error(shown) / worst if worst > 0 else 0.0

    def __repr__(self) -> str:
        """Without values."""
        return f"BucketErrors({len(self.sizes) - 1} buckets)"


@dataclass(frozen=True)
class BucketedColumn:
    """One column whose cells show their bucket."""

    name: str
    kind: Kind
    buckets: int
    """Buckets that are shown, missing values not included."""
    smallest: int
    """The fewest records that show the same, counted on the rows that leave; 0 if none do."""
    merged: int
    """Buckets with too few records, joined with a neighbour."""
    missing: int
    """Records without a value."""
    emptied: int
    """Records whose value is left out because too few records have a missing one."""
    error: float
    """The normalized squared error of shown cells (Section 5.2): 0 if exact, 1 for the mean."""


@dataclass(frozen=True)
class RankPromise:
    """What quantiles by a sample promise about ranks (Lodha-Thomas Section 4.1.3)."""

    exact: bool
    """By all records, nothing left to chance."""
    sample: int
    """Records used to place the cuts."""
    epsilon: float | None = None
    """How far the rank of one cut may be off, as a share of the table; None if exact."""
    delta: float | None = None
    """Highest probability that it is off further; None if exact."""
    simultaneous: float | None = None
    """How far any cut of any column may be off, with the same probability; None if exact."""


@dataclass(frozen=True, eq=False)
class Bucketed(Shown):
    """A table whose columns show quantiles, counted again on the rows that leave."""

    frame: Any
    """The rows that leave; None if they were only written to a file."""
    columns: tuple[BucketedColumn, ...]
    kept: tuple[str, ...]
    """Columns that leave as they are."""
    withheld: tuple[str, ...]
    """Columns that stay behind."""
    records: int
    k: int
    """Records that must show the same in each column."""
    show: Show
    promise: RankPromise
    notes: tuple[str, ...]
    seconds: float

    @property
    def smallest(self) -> int:
        """The fewest records that show the same in any one column."""
        return min(column.smallest for column in self.columns)

    def __repr__(self) -> str:
        """Without values."""
        names = ", ".join(column.name for column in self.columns)
        return f"Bucketed({names}: {self.records:,} records, at least {self.smallest:,} alike)"
