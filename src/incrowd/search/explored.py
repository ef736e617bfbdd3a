"""The part of a lattice that a search looked at."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from incrowd.arrays import Codes, Counts, Floats


class State(IntEnum):
    """What a search found out about a node."""

    RELEASABLE = 0
    """It satisfies the models with what it may suppress."""
    FAILING = 1
    """It does not."""
    COSTLY = 2
    """It was counted, and its loss cannot be the least: what it would suppress was not judged."""


@dataclass(frozen=True, eq=False)
class Explored:
    """The nodes of a lattice that a search counted, in the order in which it did."""

    columns: tuple[str, ...]
    levels: Codes
    """One line per node, one level per column: shape (nodes, d)."""
    k: Counts
    """People in the smallest class before anything is suppressed."""
    suppressed: Counts
    """Records in failing classes; -1 where they were not judged."""
    loss: Floats
    """The loss of releasable nodes, NaN for others."""
    state: Codes
    """The `State` of each node."""
    best: int
    """The line of the node that was taken."""
    lattice: int
    """How many nodes the whole lattice has."""

    def __len__(self) -> int:
        """Number of nodes that were counted."""
        return len(self.levels)

    @property
    def optimum(self) -> tuple[int, ...]:
        """The levels of the node that was taken."""
        return tuple(int(level) for level in np.asarray(self.levels[self.best]))
