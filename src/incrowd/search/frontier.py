"""The nodes that are still open, with a lower limit of the loss of each."""

import heapq
from functools import reduce
from typing import Protocol

import numpy as np

from incrowd.arrays import Floats
from incrowd.search.rollup import Node

EPSILON = 1e-12
"""Losses that differ by less are equal; the node with fewer and then smaller levels is taken."""


class Frontier(Protocol):
    """The open nodes of a lattice."""

    def lowest(self) -> tuple[float, Node] | None:
        """An open node with the smallest limit, None if no node is open."""

    def limit(self, node: Node) -> float:
        """The limit of a node, infinite if it is closed."""

    def close(self, node: Node) -> None:
        """The node was looked at."""

    def doom(self, node: Node) -> None:
        """Neither the node nor any below it can be released."""

    def hope(self, node: Node) -> None:
        """No node at or above this one will be doomed."""

    def lift_below(self, node: Node, parts: list[Floats]) -> None:
        """Raise the limits of this node and all below to the sums of these parts."""

    def lift_above(self, node: Node, limit: float) -> None:
        """Raise the limits of this node and all above."""

    def settle(self, best: float, node: Node) -> None:
        """Close what can at most be equal to the best node and comes after it."""

    def chain(self, node: Node, best: float) -> list[Node]:
        """Open nodes from this one upwards, each a step above the last."""

    def open(self, best: float) -> int:
        """About how many nodes are open."""


def rank(node: Node) -> tuple[int, Node]:
    """Which of two nodes of equal loss is taken: fewer levels in all, then the smaller first."""
    return sum(node), node


class Grid:
    """All nodes of a lattice in one array."""

    def __init__(self, shape: Node, parts: list[Floats] | None, bottom: Node) -> None:
        self._shape = shape
        self._limits = np.full(shape, np.inf)
        open_ = _above(bottom)
        self._limits[open_] = -np.inf if parts is None else outer_sum(parts)[open_]
        self._hopeful = np.zeros(shape, dtype=np.bool_)
        self._flat = self._limits.reshape(-1)

    def lowest(self) -> tuple[float, Node] | None:
        """An open node with the smallest limit."""
        place = int(self._flat.argmin())
        if self._flat[place] == np.inf:
            return None
        return float(self._flat[place]), self._node(place)

    def _node(self, place: int) -> Node:
        return tuple(int(level) for level in np.unravel_index(place, self._shape))

    def limit(self, node: Node) -> float:
        """The limit of a node."""
        return float(self._limits[node])

    def close(self, node: Node) -> None:
        """The node was looked at."""
        self._limits[node] = np.inf

    def doom(self, node: Node) -> None:
        """Close all nodes at or below."""
        self._limits[_below(node)] = np.inf

    def hope(self, node: Node) -> None:
        """No node at or above this one will be doomed."""
        self._hopeful[_above(node)] = True

    def lift_below(self, node: Node, parts: list[Floats]) -> None:
        """Raise limits at or below."""
        box = self._limits[_below(node)]
        np.maximum(box, outer_sum(parts), out=box)

    def lift_above(self, node: Node, limit: float) -> None:
        """Raise limits at or above."""
        box = self._limits[_above(node)]
        np.maximum(box, limit, out=box)

    def settle(self, best: float, node: Node) -> None:
        """Close what can at most be equal to the best node and comes after it."""
        close = np.flatnonzero((self._flat > best - EPSILON) & (self._flat < np.inf))
        sums = np.sum(np.unravel_index(close, self._shape), axis=0)
        place = np.ravel_multi_index(node, self._shape)
        later = (sums > sum(node)) | ((sums == sum(node)) & (close > place))
        self._flat[close[later]] = np.inf

    def chain(self, node: Node, best: float) -> list[Node]:
        """Always to the open node with the largest limit that is not above the best loss.

        Such nodes fail least often and rule out most if they do.
        """
        nodes = [node]
        while not self._hopeful[nodes[-1]]:
            steps = [(self._limits[step], step) for step in _steps(nodes[-1], self._shape)]
            promising = [found for found in steps if found[0] <= best and found[0] < np.inf]
            if not promising:
                break
            nodes.append(max(promising)[1])
        return nodes

    def open(self, best: float) -> int:
        """How many nodes could still be better."""
        return int(np.count_nonzero(self._flat <= best - EPSILON))


class Heap:
    """The open nodes next to those looked at, for lattices too large for an array."""

    def __init__(self, shape: Node, parts: list[Floats] | None, bottom: Node) -> None:
        self._shape = shape
        self._parts = parts
        self._doomed: list[Node] = []
        self._lifts: list[tuple[Node, list[Floats]]] = []
        self._heap = [(self._start(bottom), 0, bottom)]
        self._seen = {bottom}
        self._closed: set[Node] = set()
        self._dived = False

    def _start(self, node: Node) -> float:
        if self._parts is None:
            return -np.inf
        return float(sum(part[h] for part, h in zip(self._parts, node, strict=True)))

    def lowest(self) -> tuple[float, Node] | None:
        """An open node with the smallest limit."""
        while self._heap:
            limit, _, node = self._heap[0]
            if node not in self._closed and self.limit(node) < np.inf:
                return limit, node
            heapq.heappop(self._heap)
            self._grow(node, limit)
        return None

    def _grow(self, node: Node, limit: float) -> None:
        for step in _steps(node, self._shape):
            if step not in self._seen:
                self._seen.add(step)
                heapq.heappush(self._heap, (max(limit, self._start(step)), sum(step), step))

    def limit(self, node: Node) -> float:
        """The limit of a node."""
        if node in self._closed or any(_at_or_below(node, doomed) for doomed in self._doomed):
            return np.inf
        lifted = [
            float(sum(part[h] for part, h in zip(parts, node, strict=True)))
            for above, parts in self._lifts
            if _at_or_below(node, above)
        ]
        return max([self._start(node), *lifted])

    def close(self, node: Node) -> None:
        """The node was looked at."""
        self._closed.add(node)

    def doom(self, node: Node) -> None:
        """Close all nodes at or below."""
        rest = [doomed for doomed in self._doomed if not _at_or_below(doomed, node)]
        self._doomed = [*rest, node]

    def hope(self, node: Node) -> None:
        """Not kept."""

    def lift_below(self, node: Node, parts: list[Floats]) -> None:
        """Keep the last few."""
        self._lifts = [*self._lifts[-63:], (node, parts)]

    def lift_above(self, node: Node, limit: float) -> None:
        """Nodes above are reached through this one: they inherit its limit."""
        if self._heap and self._heap[0][2] == node:
            old, total, _ = heapq.heappop(self._heap)
            heapq.heappush(self._heap, (max(old, limit), total, node))

    def settle(self, best: float, node: Node) -> None:
        """Close the lowest node, which comes after the best one."""
        del best, node
        self._closed.add(self._heap[0][2])

    def chain(self, node: Node, best: float) -> list[Node]:
        """Once from the bottom to the top, for a first node to release; then nodes alone."""
        del best
        nodes = [node]
        while not self._dived and (steps := _steps(nodes[-1], self._shape)):
            nodes.append(min(steps, key=lambda step: (self._start(step), step)))
        self._dived = True
        return nodes

    def open(self, best: float) -> int:
        """How many nodes wait."""
        del best
        return len(self._heap)


def outer_sum(parts: list[Floats]) -> Floats:
    """The sum of one part per column, for all combinations of their levels."""
    return reduce(lambda total, part: total[..., None] + part, parts, np.zeros(()))


def _below(node: Node) -> tuple[slice, ...]:
    return tuple(slice(0, level + 1) for level in node)


def _above(node: Node) -> tuple[slice, ...]:
    return tuple(slice(level, None) for level in node)


def _steps(node: Node, shape: Node) -> list[Node]:
    return [
        (*node[:j], level + 1, *node[j + 1 :])
        for j, level in enumerate(node)
        if level + 1 < shape[j]
    ]


def _at_or_below(node: Node, other: Node) -> bool:
    return all(a <= b for a, b in zip(node, other, strict=True))
