"""A quasi-identifying column, as a search sees it."""

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts
from incrowd.hierarchy.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class QuasiColumn:
    """A quasi-identifying column with its hierarchy, as a search sees it."""

    name: str
    hierarchy: Hierarchy
    frequency: Counts
    """Records per code in the table: shape (leaves + 1,), entry 0 counts the missing."""
    weight: float = 1.0
    """How much its loss matters; weights are normalized to sum 1 where they are used."""
    lowest: int = 0
    """The lowest level that may be shown, below the hierarchy's height."""
    highest: int | None = None
    """The highest level that may be shown; None is the hierarchy's height."""
    widest: float = inf
    """The largest extent of an ordered column that a class may span, on the scale of its
    `Domain.positions`."""
    sets: bool = False
    """Whether local recoding shows the set of a class's values in place of the node over them."""

    @property
    def top(self) -> int:
        """The highest level that may be shown."""
        return self.hierarchy.height if self.highest is None else self.highest

    @property
    def divisible(self) -> bool:
        """Whether to part any two neighbouring codes makes both sides cost less.

        Otherwise only to part branches of the hierarchy does.
        """
        return self.hierarchy.ordered or self.sets

    @cached_property
    def range(self) -> tuple[int, int]:
        """The first and last code that the table holds, missing apart; (0, 0) if none."""
        present = np.flatnonzero(self.frequency[1:]) + 1
        return (int(present[0]), int(present[-1])) if len(present) else (MISSING, MISSING)

    def widened(self, low: Codes, high: Codes) -> tuple[Codes, Codes]:
        """Spans of codes, widened to whole nodes of the lowest level that may be shown."""
        nodes = self.hierarchy.maps[self.lowest]
        first, last = self.hierarchy.bounds[self.lowest]
        return first[nodes[low]], last[nodes[high]]
