"""The part of a lattice that a search looked at."""

from array import array
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from incrowd.arrays import Codes, Counts, Floats

LONGEST = 100_000
"""No more nodes than this are kept on record."""

NOT_JUDGED = -1
"""Stands for the records in failing classes where they were not judged."""


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
    """The nodes of a lattice that a search counted, in the order in which it did.

    If it counted more than `LONGEST`, these are the first of them and every node that was the best
    so far; `left_out` says how many others there were.
    """

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
    left_out: int = 0
    """Nodes that were counted but are not on record."""

    def __len__(self) -> int:
        """Number of nodes on record."""
        return len(self.levels)

    @property
    def optimum(self) -> tuple[int, ...]:
        """The levels of the node that was taken."""
        return tuple(int(level) for level in np.asarray(self.levels[self.best]))


class Record:
    """Writes down the nodes that a search counts."""

    def __init__(self, columns: tuple[str, ...], lattice: int) -> None:
        self._columns = columns
        self._lattice = lattice
        self._levels = array("i")
        self._k, self._suppressed = array("q"), array("q")
        self._loss, self._state = array("d"), array("i")
        self._place: dict[tuple[int, ...], int] = {}
        self._left_out = 0

    def releasable(
        self, node: tuple[int, ...], k: int, suppressed: int, loss: float, *, best: bool
    ) -> None:
        """A node that may leave; `best` if it is the best so far."""
        if best or len(self._k) < LONGEST:
            if best:
                self._place = {node: len(self._k)}
            self._add(node, k, suppressed, State.RELEASABLE)
            self._loss.append(loss)
        else:
            self._left_out += 1

    def other(
        self, node: tuple[int, ...], k: int, state: State, suppressed: int = NOT_JUDGED
    ) -> None:
        """A node that may not leave, or that is not worth asking."""
        if len(self._k) < LONGEST:
            self._add(node, k, suppressed, state)
            self._loss.append(np.nan)
        else:
            self._left_out += 1

    def _add(self, node: tuple[int, ...], k: int, suppressed: int, state: State) -> None:
        self._levels.extend(node)
        self._k.append(k)
        self._suppressed.append(suppressed)
        self._state.append(state)

    def explored(self, taken: tuple[int, ...]) -> Explored | None:
        """All that was written down; None if the node that was taken is not there."""
        if taken not in self._place:
            return None
        return Explored(
            self._columns,
            np.array(self._levels, dtype=np.int32).reshape(-1, len(self._columns)),
            np.array(self._k, dtype=np.int64),
            np.array(self._suppressed, dtype=np.int64),
            np.array(self._loss, dtype=np.float64),
            np.array(self._state, dtype=np.int32),
            self._place[taken],
            self._lattice,
            self._left_out,
        )
