"""Places on a column's scale where cells may begin and end."""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Counts, Flags, Floats


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
