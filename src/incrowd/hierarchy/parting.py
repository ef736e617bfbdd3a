"""Where an ordered column may be parted into cells, and the best way to part it.

The best cells have the least sum of people times extent.
"""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Counts, Flags, Floats

_ALONE = 1e9
"""What a part with fewer than k people costs in extents of the whole line, per person."""


@dataclass(frozen=True, eq=False)
class Points:
    """Places where cells may begin and end: before a value, or behind it."""

    place: Floats
    behind: Flags

    @classmethod
    def before(cls, place: Floats) -> "Points":
        """Points before the values at these places."""
        return cls(place, np.zeros(len(place), dtype=np.bool_))

    def __add__(self, other: "Points") -> "Points":
        place = np.concatenate([self.place, other.place])
        return Points(place, np.concatenate([self.behind, other.behind]))

    def gaps(self, values: Floats) -> Counts:
        """How many of the values lie before each point."""
        upto = np.searchsorted(values, self.place, side="right")
        gaps: Counts = np.where(self.behind, upto, np.searchsorted(values, self.place))
        return gaps

    def take(self, which: Counts | Flags) -> "Points":
        """Some of the points."""
        return Points(self.place[which], self.behind[which])

    def at(self, gap: Counts, own: Counts, other: "Points", others: Counts) -> "Points":
        """The point of each gap: one of its own, else that of others."""
        both = self + other
        mine, theirs = np.searchsorted(own, gap), np.searchsorted(others, gap)
        known = np.isin(gap, own)
        return both.take(np.where(known, mine, len(own) + theirs))

    def before_or_at(self, other: "Points") -> Flags:
        """Which points lie no farther than those of another."""
        same: Flags = (self.place == other.place) & (self.behind <= other.behind)
        return same | (self.place < other.place)

    def where(self, which: Flags, other: "Points") -> "Points":
        """These points where flagged, else those of another."""
        place = np.where(which, self.place, other.place)
        return Points(place, np.where(which, self.behind, other.behind))


@dataclass(frozen=True, eq=False)
class Marks:
    """Gaps between held values where cells may be parted, and the two ends of the line.

    A cell that begins in a gap begins at the gap's last point, one that ends there at its first.
    """

    gap: Counts
    begin: Points
    end: Points

    def __len__(self) -> int:
        return len(self.gap)

    def take(self, which: Counts) -> "Marks":
        """Some of the marks."""
        return Marks(self.gap[which], self.begin.take(which), self.end.take(which))


def best_parts(people: Counts, low: Floats, high: Floats, k: int) -> list[int]:
    """The marks at which the best parts of a line begin, each with at least k people.

    `people` are those before each mark; a part from mark i to mark j extends from `low[i]` to
    `high[j]`, shares of the whole line. One part if there are fewer than k people. To join two
    parts of k people each never pays, as extents only grow: so few beginnings are worth a look for
    each end.
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
    return _traced(source, last) if np.isfinite(cost[last]) else [0]


def limited_parts(people: Counts, low: Floats, high: Floats, k: int, widest: float) -> list[int]:
    """As `best_parts`, no part wider than `widest` where marks allow it.

    A part with fewer than k people is the last resort.
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
    return _traced(source, len(people) - 1)


def _traced(source: Counts, end: int) -> list[int]:
    begins = []
    while end > 0:
        end = int(source[end])
        begins.append(end)
    return begins[::-1]
