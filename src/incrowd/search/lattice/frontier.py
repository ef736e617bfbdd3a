"""The nodes that are still open, with a lower limit of the loss of each.

A node is *open* until it was counted or ruled out: then it is *closed*. It is *doomed* if neither
it nor any node below can be released, and *hopeful* if it is known not to be doomed.
"""

from array import array
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.search.lattice.full_domain import EPSILON
from incrowd.search.lattice.judging import Node

LONGEST = 100_000
"""No more nodes than this are kept on record."""


NOT_JUDGED = -1
"""Stands for the records in failing classes where they were not judged."""


class NodeState(IntEnum):
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
    """The `NodeState` of each node."""
    best: int
    """The line of the node that was taken."""
    lattice: int
    """How many nodes the whole lattice has."""
    left_out: int = 0
    """Nodes that were counted but are not on record."""
    finds_minimal: bool = False
    """Whether all nodes that can be released while none below can are on record."""

    @property
    def minimal(self) -> Flags | None:
        """Flags of the minimal generalizations (Sweeney Definition 4); None if some are unknown.

        A node is one if it can be released, with what may be left out, and none below it can.
        """
        if not self.finds_minimal:
            return None
        found: Flags = np.zeros(len(self), dtype=np.bool_)
        can = np.flatnonzero(self.state == int(NodeState.RELEASABLE))
        found[can] = flag_lowest(self.levels[can])
        return found

    def __len__(self) -> int:
        """Return the number of nodes on record."""
        return len(self.levels)

    @property
    def counted(self) -> int:
        """How many nodes the search counted, on record or not."""
        return len(self) + self.left_out

    @property
    def optimum(self) -> tuple[int, ...]:
        """The levels of the node that was taken."""
        return tuple(int(level) for level in np.asarray(self.levels[self.best]))


class NodeLog:
    """Writes down the nodes that a search counts."""

    def __init__(self, columns: tuple[str, ...], lattice: int) -> None:
        self._columns = columns
        self._lattice = lattice
        self._levels = array("i")
        self._k, self._suppressed = array("q"), array("q")
        self._loss, self._state = array("d"), array("i")
        self._place: dict[tuple[int, ...], int] = {}
        self._left_out = 0

    def add_releasable(
        self, node: tuple[int, ...], k: int, suppressed: int, loss: float, *, best: bool
    ) -> None:
        """Write down a node that can be released; only count it beyond `LONGEST`, unless best."""
        if best or len(self._k) < LONGEST:
            if best:
                self._place = {node: len(self._k)}
            self._append(node, k, suppressed, NodeState.RELEASABLE)
            self._loss.append(loss)
        else:
            self._left_out += 1

    def add_other(
        self, node: tuple[int, ...], k: int, state: NodeState, suppressed: int = NOT_JUDGED
    ) -> None:
        """Write down a node that fails or was not judged; only count it beyond `LONGEST`."""
        if len(self._k) < LONGEST:
            self._append(node, k, suppressed, state)
            self._loss.append(np.nan)
        else:
            self._left_out += 1

    def _append(self, node: tuple[int, ...], k: int, suppressed: int, state: NodeState) -> None:
        """Append a node to all columns but the losses."""
        self._levels.extend(node)
        self._k.append(k)
        self._suppressed.append(suppressed)
        self._state.append(state)

    def as_explored(self, taken: tuple[int, ...], *, whole: bool = False) -> Explored | None:
        """Return what was noted (`whole`: on every node); None if `taken` was not the last best."""
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
            whole and not self._left_out,
        )


def flag_lowest(levels: Codes) -> Flags:
    """Return flags of the nodes, one a line, that are above no other; of equal ones the first."""
    minimal: Flags = np.zeros(len(levels), dtype=np.bool_)
    kept: Codes = np.empty((0, levels.shape[1]), dtype=levels.dtype)
    for i in np.argsort(levels.sum(axis=1), kind="stable").tolist():
        if not (kept <= levels[i]).all(axis=1).any():
            minimal[i] = True
            kept = np.vstack([kept, levels[i]])
    return minimal


def rank(node: Node) -> tuple[int, Node]:
    """Return a sort key for nodes of equal loss: fewer levels in all, then smaller ones."""
    return sum(node), node


class NodeGrid:
    """All nodes of a lattice from `low` to `top` in one array of their limits.

    The first limits are the sums of `parts`, which are by column and level, if they are known.
    """

    def __init__(self, low: Node, top: Node, parts: list[Floats] | None) -> None:
        self._low = low
        self._shape = tuple(t - b + 1 for b, t in zip(low, top, strict=True))
        self._limits = np.full(self._shape, -np.inf)
        if parts is not None:
            self._limits[...] = sum_parts(parts, low, top)
        self._floors: Floats | None = None
        self._surcharges: Floats | None = None
        self._hopeful = np.zeros(self._shape, dtype=np.bool_)
        self._flat = self._limits.reshape(-1)

    def _place_of(self, node: Node) -> Node:
        """Return the place of a node in the array: its levels less the lowest ones."""
        return tuple([level - low for level, low in zip(node, self._low, strict=True)])

    def _slices_below(self, node: Node) -> tuple[slice, ...]:
        """Return the part of the array that has the node and all below it."""
        return tuple([slice(0, h - low + 1) for h, low in zip(node, self._low, strict=True)])

    def _slices_above(self, node: Node) -> tuple[slice, ...]:
        """Return the part of the array that has the node and all above it."""
        return tuple([slice(h - low, None) for h, low in zip(node, self._low, strict=True)])

    def lowest_open(self, best: float) -> tuple[float, Node] | None:
        """Return the smallest limit of an open node, and the node; None if all are above `best`."""
        place = int(self._flat.argmin())
        limit = float(self._flat[place])
        if limit > best + EPSILON or limit == np.inf:
            return None
        return limit, self._node_at(place)

    @property
    def bound(self) -> float:
        """The smallest limit; infinite if all nodes are closed."""
        return float(self._flat.min())

    def _node_at(self, place: int) -> Node:
        """Return the node at a place of the flat array."""
        at = np.unravel_index(place, self._shape)
        return tuple([int(i) + low for i, low in zip(at, self._low, strict=True)])

    def limit(self, node: Node) -> float:
        """Return the limit of a node, infinite if it is closed."""
        return float(self._limits[self._place_of(node)])

    def close(self, node: Node) -> None:
        """Close a node: it was looked at."""
        self._limits[self._place_of(node)] = np.inf

    def doom(self, node: Node) -> None:
        """Close the node and all below it: none can be released."""
        self._limits[self._slices_below(node)] = np.inf

    def mark_hopeful(self, node: Node) -> None:
        """Note that no node at or above this one will be doomed."""
        self._hopeful[self._slices_above(node)] = True

    def lift_below(self, node: Node, parts: list[Floats]) -> None:
        """Raise the limits of this node and all below to the sums of these parts."""
        box = self._limits[self._slices_below(node)]
        np.maximum(box, sum_parts(parts, self._low, node), out=box)

    def lift_above(self, node: Node, limit: float) -> None:
        """Raise the limits of this node and all above to this limit plus their surcharges."""
        self._raise_limits(self._slices_above(node), limit, 0.0)

    def add_surcharge(self, node: Node, more: float) -> None:
        """Raise limits at or below this node to `more` above what `lift_above` says."""
        self._raise_limits(self._slices_below(node), -np.inf, more)

    def _raise_limits(self, where: tuple[slice, ...], floor: float, more: float) -> None:
        """Raise the floors and surcharges of a part of the array, and limits to the sum of both."""
        if self._floors is None or self._surcharges is None:
            self._floors = np.full(self._shape, -np.inf)
            self._surcharges = np.zeros(self._shape)
        floors, surcharges = self._floors[where], self._surcharges[where]
        np.maximum(floors, floor, out=floors)
        np.maximum(surcharges, more, out=surcharges)
        box = self._limits[where]
        np.maximum(box, floors + surcharges, out=box)

    def close_ties_after(self, best: float, node: Node) -> None:
        """Close nodes that at best equal the best `node`, of loss `best`, and rank after it."""
        close = np.flatnonzero((self._flat > best - EPSILON) & (self._flat < np.inf))
        sums = np.sum(np.unravel_index(close, self._shape), axis=0) + sum(self._low)
        place = np.ravel_multi_index(self._place_of(node), self._shape)
        later = (sums > sum(node)) | ((sums == sum(node)) & (close > place))
        self._flat[close[later]] = np.inf

    def chain_upwards(self, node: Node, best: float) -> list[Node]:
        """Return a chain upwards, each step to the open node of the largest limit within `best`.

        It ends at a hopeful node, or without a step left. Such nodes fail least and rule out most.
        """
        at = self._place_of(node)
        places = [at]
        while not self._hopeful[at]:
            steps = [(self._limits[step], step) for step in steps_up(at, self._shape)]
            promising = [found for found in steps if found[0] <= best and found[0] < np.inf]
            if not promising:
                break
            at = max(promising)[1]
            places.append(at)
        return [tuple([i + b for i, b in zip(at, self._low, strict=True)]) for at in places]

    def count_open(self, best: float) -> int:
        """Return how many nodes could still be better."""
        return int(np.count_nonzero(self._flat <= best - EPSILON))


def sum_parts(parts: list[Floats], low: Node, high: Node) -> Floats:
    """Return the sum of one part per column for all nodes from `low` to `high`."""
    ends = [part[a : b + 1] for part, a, b in zip(parts, low, high, strict=True)]
    return reduce(lambda total, part: total[..., None] + part, ends, np.zeros(()))


def steps_up(node: Node, shape: Node) -> list[Node]:
    """Return the nodes one step above, levels staying below `shape`."""
    return [
        (*node[:j], level + 1, *node[j + 1 :])
        for j, level in enumerate(node)
        if level + 1 < shape[j]
    ]


def steps_down(node: Node, low: Node) -> list[Node]:
    """Return the nodes one step below, levels staying at `low` or above."""
    return [
        (*node[:j], level - 1, *node[j + 1 :]) for j, level in enumerate(node) if level > low[j]
    ]
