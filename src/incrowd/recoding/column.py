"""A quasi-identifying column, as a search sees it."""

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.hierarchy.cells import CellGrid
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.pools import Pools


@dataclass(frozen=True, eq=False)
class QuasiColumn:
    """A quasi-identifying column with its hierarchy, as a search sees it."""

    name: str
    hierarchy: Hierarchy
    frequency: Counts
    """Records per code in the table: shape (leaves + 1,), entry 0 counts the missing."""
    weight: float = 1.0
    """Weight of its loss; users of weights normalize them to sum 1."""
    lowest: int = 0
    """The lowest level that may be shown, below the hierarchy's height."""
    highest: int | None = None
    """The highest level that may be shown; None is the hierarchy's height."""
    widest: float = inf
    """The widest span of an ordered column, on the scale of its `Domain.positions`."""
    sets: bool = False
    """Whether local recoding shows the set of a class's values in place of the node over them."""
    grid: CellGrid | None = None
    """The cells that spans may end on; None for values, or for nodes of the lowest level."""
    pools: Pools | None = None
    """Where cells show sets: what they may name; None if that is every value."""

    @property
    def top(self) -> int:
        """The highest level that may be shown."""
        return self.hierarchy.height if self.highest is None else self.highest

    @property
    def divisible(self) -> bool:
        """Whether a cut between any two codes narrows what each side shows, not just some cuts."""
        return self.hierarchy.ordered or self.sets

    @cached_property
    def range(self) -> tuple[int, int]:
        """The first and last code that the table holds, without missing; (0, 0) if none."""
        present = np.flatnonzero(self.frequency[1:]) + 1
        return (int(present[0]), int(present[-1])) if len(present) else (MISSING, MISSING)

    @property
    def finest(self) -> Codes:
        """The finest node or cell that each code may be shown as, by code."""
        return self.hierarchy.maps[self.lowest] if self.grid is None else self.grid.of

    @property
    def finest_ends(self) -> tuple[Codes, Codes]:
        """The first and the last leaf of each node or cell of `finest`, by its number."""
        if self.grid is None:
            return self.hierarchy.bounds[self.lowest]
        return self.grid.first, self.grid.last

    def widen(self, low: Codes, high: Codes) -> tuple[Codes, Codes]:
        """The ends of spans of codes, widened to whole cells or to nodes of the lowest level."""
        finest, (first, last) = self.finest, self.finest_ends
        return first[finest[low]], last[finest[high]]

    def flag_endless(self, low: Codes, high: Codes) -> Flags:
        """Flags of the spans, from `low[i]` to `high[i]`, that say nothing and count as suppressed.

        These cover every cell of a grid that is open at both ends, unless it is a sole cell with
        a label of its own. Without a grid no span is flagged.
        """
        grid, none = self.grid, np.zeros(len(low), dtype=np.bool_)
        if grid is None or not len(grid):
            return none
        ends = grid.bounds[0].low, grid.bounds[-1].high
        named = len(grid) == 1 and grid.labels[0] != self.hierarchy.labels[-1][0]
        if ends != (None, None) or named:  # a cell with a label of its own shows that
            return none
        whole: Flags = (grid.of[low] == 1) & (grid.of[high] == len(grid))
        return whole

    def reach(self, low: Codes, high: Codes) -> tuple[Floats, Floats]:
        """The smallest and largest place that each span's label covers (see `Hierarchy.reach`)."""
        if self.grid is None:
            begin, end = self.hierarchy.reach[self.lowest]
        else:
            begin, end = self.grid.low, self.grid.high
        finest = self.finest
        return begin[finest[low]], end[finest[high]]
