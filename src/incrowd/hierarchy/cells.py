"""What the labels of spans may end on: cells along an ordered column.

A span that ends on the first and the last value of its class tells that somebody has exactly these.
So spans end where cells do, and each cell holds many people of the table (`hierarchy.aligned`
chooses them). What sets may name is in `hierarchy.pools`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats, Texts
from incrowd.hierarchy.labels import Bounds, write_bounds

_ALONE = 1e9
"""What a part with fewer than k people costs in extents of the whole line, per person."""


@dataclass(frozen=True, eq=False)
class CutPoints:
    """Places where cells may begin and end: before a value, or behind it."""

    place: Floats
    behind: Flags

    @classmethod
    def just_before(cls, place: Floats) -> "CutPoints":
        """The points just before the values at these places."""
        return cls(place, np.zeros(len(place), dtype=np.bool_))

    def __add__(self, other: "CutPoints") -> "CutPoints":
        """The points of both, these first."""
        place = np.concatenate([self.place, other.place])
        return CutPoints(place, np.concatenate([self.behind, other.behind]))

    def gaps(self, values: Floats) -> Counts:
        """The gap that each point lies in: how many of the values lie before it."""
        upto = np.searchsorted(values, self.place, side="right")
        gaps: Counts = np.where(self.behind, upto, np.searchsorted(values, self.place))
        return gaps

    def take(self, which: Counts | Flags) -> "CutPoints":
        """Some of the points, by index or by flag."""
        return CutPoints(self.place[which], self.behind[which])

    def point_of_gaps(
        self, gap: Counts, own: Counts, other: "CutPoints", others: Counts
    ) -> "CutPoints":
        """A point for each `gap`: of these points, which lie in gaps `own`, else of `other`.

        The points of `other` lie in gaps `others`; all gaps ascend.
        """
        both = self + other
        mine, theirs = np.searchsorted(own, gap), np.searchsorted(others, gap)
        known = np.isin(gap, own)
        return both.take(np.where(known, mine, len(own) + theirs))

    def flag_not_after(self, other: "CutPoints") -> Flags:
        """Flags of the points that lie at or before the point of `other` with the same number."""
        same: Flags = (self.place == other.place) & (self.behind <= other.behind)
        return same | (self.place < other.place)

    def pick_per_gap(self, values: Floats, *, last: bool) -> tuple[Counts, "CutPoints"]:
        """The gaps between values that hold points, and the last or first point of each."""
        gaps = self.gaps(values)
        order = np.lexsort((self.behind, self.place, gaps))
        order = order[::-1] if last else order
        order = order[(gaps[order] > 0) & (gaps[order] < len(values))]
        gap, first = np.unique(gaps[order], return_index=True)
        return gap, self.take(order[first])

    def where(self, which: Flags, other: "CutPoints") -> "CutPoints":
        """These points where flagged, else the other's."""
        place = np.where(which, self.place, other.place)
        return CutPoints(place, np.where(which, self.behind, other.behind))


@dataclass(frozen=True, eq=False)
class CellGaps:
    """Gaps between held values where cells may be parted, and the two ends of the line.

    Each is a *mark*, numbered from 0. A cell that begins at a mark begins at the last point of its
    gap; a cell that ends at a mark ends at the first point of its gap.
    """

    gap: Counts
    begin: CutPoints
    end: CutPoints

    @classmethod
    def of_points(cls, lows: CutPoints, highs: CutPoints, values: Floats) -> "CellGaps":
        """The gaps between values in which points lie, and the two ends of the values.

        Cells begin at the last low end of a gap and end at its first high end, so that the
        crowded interval of either end lies inside the cell where that is possible.
        """
        low_gap, low = lows.pick_per_gap(values, last=True)
        high_gap, high = highs.pick_per_gap(values, last=False)
        gap = np.union1d(low_gap, high_gap)
        begin = low.point_of_gaps(gap, low_gap, high, high_gap)
        end = high.point_of_gaps(gap, high_gap, low, low_gap)
        end = end.where(end.flag_not_after(begin), begin)
        left = CutPoints.just_before(values[:1])
        right = CutPoints(values[-1:], np.ones(1, dtype=np.bool_))
        every = np.concatenate([[0], gap, [len(values)]]).astype(np.int64)
        return cls(every, left + begin + right, left + end + right)

    def __len__(self) -> int:
        return len(self.gap)

    def take(self, which: Counts) -> "CellGaps":
        """Some of the marks, by index."""
        return CellGaps(self.gap[which], self.begin.take(which), self.end.take(which))


def best_parts(people: Counts, low: Floats, high: Floats, k: int) -> list[int]:
    """The marks at which the best parts of a line begin, each with at least k people.

    The best have the least sum of people times extent. `people` are those before each mark; a part
    from mark i to mark j extends from `low[i]` to `high[j]`, shares of the whole line. One part if
    there are fewer than k people. To join two parts of k people each never pays, as extents only
    grow: so few beginnings are worth a look for each end.
    """
    last = len(people) - 1
    nearest = np.searchsorted(people, people - k, side="right") - 1
    farthest = np.searchsorted(people, people[nearest] - k, side="right") - 1
    cost = np.full(len(people), np.inf)
    cost[0] = 0.0
    source = np.zeros(len(people), dtype=np.int64)
    for j in range(1, len(people)):
        if nearest[j] < 0:
            continue
        some = slice(max(int(farthest[j]), 0), int(nearest[j]) + 1)
        paid = cost[some] + (people[j] - people[some]) * (high[j] - low[some])
        least = int(np.argmin(paid))
        cost[j], source[j] = paid[least], some.start + least
    return _trace_begins(source, last) if np.isfinite(cost[last]) else [0]


def limited_parts(people: Counts, low: Floats, high: Floats, k: int, widest: float) -> list[int]:
    """As `best_parts`, none wider than `widest`, a share of the line, if marks allow that.

    A part holds fewer than k people only as a last resort.
    """
    cost = np.full(len(people), np.inf)
    cost[0] = 0.0
    source = np.zeros(len(people), dtype=np.int64)
    for j in range(1, len(people)):
        first = min(int(np.searchsorted(low[:j], high[j] - widest * (1 + 1e-12))), j - 1)
        some = slice(first, j)
        held = people[j] - people[some]
        paid = cost[some] + held * (high[j] - low[some] + _ALONE * (held < k))
        least = int(np.argmin(paid))
        cost[j], source[j] = paid[least], first + least
    return _trace_begins(source, len(people) - 1)


def _trace_begins(source: Counts, end: int) -> list[int]:
    """Where the parts up to mark `end` begin, ascending; `source` has the begin for each end."""
    begins = []
    while end > 0:
        end = int(source[end])
        begins.append(end)
    return begins[::-1]


@dataclass(frozen=True, eq=False, repr=False)
class CellGrid:
    """Cells 1, 2, … along the leaves of an ordered column; 0 stands for missing."""

    of: Codes
    """The cell of each code: shape (leaves + 1,)."""
    first: Codes
    """The first leaf that lies in each cell, by cell; here and below entry 0 (missing) is 0."""
    last: Codes
    low: Floats
    """The smallest value that each cell may stand for, on the scale of `Domain.positions`."""
    high: Floats
    bounds: tuple[Bounds, ...]
    """How each cell is written, by cell - 1."""
    labels: Texts
    """What a single cell shows, by cell - 1: its bounds, its value or its node."""

    def __len__(self) -> int:
        """Number of cells."""
        return len(self.bounds)

    def show(self, low: Codes, high: Codes, top: str) -> Texts:
        """The labels of the cells of each `low` to `high` code; `top` for several without end."""
        size = len(self) + 1
        keys = self.of[low].astype(np.int64) * size + self.of[high]
        pairs, place = np.unique(keys, return_inverse=True)
        texts = [self._label(pair // size, pair % size, top) for pair in pairs.tolist()]
        return np.array(texts, dtype=object)[place]

    def _label(self, first: int, last: int, top: str) -> str:
        """The label of the cells `first` to `last`; `top` for several without an end."""
        if first == last:
            return str(self.labels[first - 1])
        left, right = self.bounds[first - 1], self.bounds[last - 1]
        if left.low is None and right.high is None:
            return top
        return write_bounds(Bounds(left.low, right.high, left.low_inside, right.high_inside))

    def __repr__(self) -> str:
        """Without values."""
        return f"CellGrid({len(self)} cells)"


def grid_of(
    leaves: int,
    run: tuple[Codes, Codes],
    reach: tuple[Floats, Floats],
    bounds: Sequence[Bounds],
    labels: Sequence[str],
) -> CellGrid:
    """The grid of cells over 1 to `leaves`; leaves between two cells belong to the second.

    `run` has the first and the last leaf of each cell, `reach` the smallest and largest value.
    """
    cells = np.searchsorted(run[1], np.arange(1, leaves + 1)) + 1
    of = np.append(0, np.minimum(cells, len(bounds))).astype(np.int32)
    first, last = (np.append(0, end).astype(np.int32) for end in run)
    low, high = (np.append(0.0, end) for end in reach)
    return CellGrid(of, first, last, low, high, tuple(bounds), np.array(labels, dtype=object))
