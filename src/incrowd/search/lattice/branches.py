"""The open nodes of a lattice that is too large to hold: ranges of levels, divided as needed.

Branch and bound. What counting a node teaches about all nodes below is a *cut* (limits 2 and 3 of
decision record 0006). A range that reaches below a cut is divided: the nodes below it, and for each
column in which the range reaches higher those that escape it there. Memory grows with the nodes
that are counted, not with the lattice.
"""

import heapq
from math import inf, prod
from typing import TypeAlias

import numpy as np

from incrowd.arrays import Counts, Flags, Floats
from incrowd.kernels.lattice import nodes as kernels
from incrowd.search.lattice.full_domain import EPSILON
from incrowd.search.lattice.judging import Node

_MOST_CUTS = 4096
_MOST_RANGES = 200_000
"""With more ranges open, the search goes deep first, which needs little room."""
_MOST_HOPES = 1024

Range: TypeAlias = tuple[float, int, int, Node, Node]
"""Limit, sum of the lowest levels, a number that tells ranges apart, lowest and highest levels."""


class BranchCuts:
    """What is known of nodes and all below them; the oldest are forgotten first."""

    def __init__(self, columns: int, levels: int) -> None:
        self.number = 0
        self._nodes = np.zeros((_MOST_CUTS, columns), dtype=np.int64)
        self._parts = np.zeros((_MOST_CUTS, columns, levels))
        self._surcharge = np.zeros(_MOST_CUTS)
        self._hard = np.zeros(_MOST_CUTS, dtype=np.bool_)

    def add(self, node: Node, parts: list[Floats] | None, surcharge: float, *, hard: bool) -> None:
        """Add a cut; a `hard` one, of doomed nodes, replaces all below it. The oldest make room.

        Without `parts` the `surcharge` alone raises limits.
        """
        if hard:
            higher: Flags = self._nodes[: self.number] > np.array(node)
            self._keep_flagged(np.asarray(higher.any(axis=1)))
        if self.number == _MOST_CUTS:
            self._keep_flagged(np.arange(self.number) >= self.number // 4 + 1)
        place = self.number
        self._nodes[place] = node
        self._parts[place] = 0.0
        if parts is None:
            self._parts[place, 0] = -inf
        else:
            for j, part in enumerate(parts):
                self._parts[place, j, : len(part)] = part
        self._surcharge[place] = surcharge
        self._hard[place] = hard
        self.number += 1

    def _keep_flagged(self, which: Flags) -> None:
        """Forget all cuts but those flagged."""
        stay = np.flatnonzero(which)
        if len(stay) == self.number:
            return
        for array in (self._nodes, self._parts, self._surcharge, self._hard):
            array[: len(stay)] = array[stay]
        self.number = len(stay)

    def limit(self, node: Node, base: float) -> tuple[float, int]:
        """Return the limit of a node, `base` without cuts, and the cut that gives it, or -1."""
        return kernels.node_limit(np.array(node, dtype=np.int64), self._cuts, base)

    @property
    def _cuts(self) -> kernels.Cuts:
        """All cuts as kernels want them."""
        n = self.number
        return self._nodes[:n], self._parts[:n], self._surcharge[:n], self._hard[:n]

    def tighten(
        self, low: Counts, high: Counts, costs: Floats, floors: tuple[float, float], best: float
    ) -> tuple[float, int]:
        """Raise `low`, the lowest levels of a range up to `high`, in place as far as the cuts ask.

        Return the range's limit, and the cut to divide it by or -1. The limit is infinite if no
        node of the range loses less than `best`, and the cut shows that. `costs` are by column and
        level; `floors` are as in `kernels.lattice.nodes.tighten_range`.
        """
        return kernels.tighten_range(low, high, costs, floors, self._cuts, best)

    def node(self, cut: int) -> Node:
        """Return the node of a cut."""
        return tuple(self._nodes[cut].tolist())

    def limit_below(self, cut: int, low: Node, base: float) -> float:
        """Return a cut's limit at `low` (`base`: without cuts), -inf if not at or below the cut."""
        return kernels.limit_below(self._cuts, cut, np.array(low, dtype=np.int64), base)


class Branches:
    """The open nodes as ranges, best-first."""

    def __init__(self, low: Node, top: Node, parts: list[Floats] | None) -> None:
        self._low, self._top = low, top
        levels = max(top) + 1
        self._costs = np.zeros((len(low), levels))
        for j, part in enumerate(parts or ()):
            self._costs[j, : top[j] + 1] = part[: top[j] + 1]
        self._known = parts is not None
        self._cuts = BranchCuts(len(low), levels)
        self._floors = np.zeros((0, len(low)), dtype=np.int64), np.zeros(0)
        self._hopes = np.zeros((0, len(low)), dtype=np.int64)
        self._columns = np.arange(len(low))
        self._closed: set[Node] = set()
        self._made = 0
        self._open = 0
        self._heap: list[Range] = []
        self._stack: list[Range] = []
        self._push(-inf, low, top)

    def _push(self, limit: float, low: Node, high: Node) -> None:
        """Put a range on the heap, or on the stack if the heap is full."""
        self._made += 1
        self._open += _count_nodes(low, high)
        entry = (max(limit, self._base_limit(low)), sum(low), self._made, low, high)
        if len(self._heap) < _MOST_RANGES:
            heapq.heappush(self._heap, entry)
        else:
            self._stack.append(entry)

    def _base_limit(self, node: Node) -> float:
        """Return the limit of a node without cuts."""
        total = -inf
        if self._known:
            total = float(self._costs[self._columns, list(node)].sum())
        return max(total, self._floor_limit(node))

    def _floor_limit(self, node: Node) -> float:
        """Return the limit that `lift_above` gave at a node; minus infinity if there is none."""
        nodes, limits = self._floors
        if not len(limits):
            return -inf
        return float(limits[(nodes <= np.array(node)).all(axis=1)].max(initial=-inf))

    @property
    def bound(self) -> float:
        """The smallest limit of a range; infinite if none is open."""
        first = self._heap[0][0] if self._heap else inf
        return min(first, min((entry[0] for entry in self._stack), default=inf))

    def lowest_open(self, best: float) -> tuple[float, Node] | None:
        """Return the limit of the next range and its lowest node, dividing until that is open.

        The next range is the last that found no room on the heap, if there is one, else that with
        the smallest limit. None if no range can hold a node as good as `best`.
        """
        while self._stack or self._heap:
            entry = self._stack[-1] if self._stack else self._heap[0]
            limit, low = entry[0], entry[3]
            if _may_hold_best(limit, best):
                raised = self._tighten_entry(entry, best)
                if raised is None:
                    return limit, low
                self._pop()
                for child in raised:
                    self._push(*child)
            elif self._stack:
                self._pop()
            else:
                self._heap.clear()
                self._open = 0
        return None

    def _pop(self) -> Range:
        """Take the next range off the stack, or off the heap if that is empty."""
        entry = self._stack.pop() if self._stack else heapq.heappop(self._heap)
        self._open -= _count_nodes(entry[3], entry[4])
        return entry

    def _tighten_entry(self, entry: Range, best: float) -> list[tuple[float, Node, Node]] | None:
        """Return the ranges that replace one: their limit, lowest and highest levels.

        They are the range itself with a higher limit or lowest node, its parts, or none if it
        cannot hold a node as good as `best`. None if it stays: its lowest node is next.
        """
        old, _, _, low, high = entry
        at = np.array(low, dtype=np.int64)
        floors = (0.0 if self._known else -inf, self._floor_limit(low))
        reach = np.array(high, dtype=np.int64)
        limit, cut = self._cuts.tighten(at, reach, self._costs, floors, best)
        limit, raised = max(old, limit), tuple(at.tolist())
        if not _may_hold_best(limit, best):
            return []
        if raised != low or limit > old + EPSILON:
            return [(limit, raised, high)]
        base = self._base_limit(low)
        if cut >= 0:
            paid = self._cuts.limit_below(cut, low, base)
            if paid > limit + EPSILON:
                return self._divide_range(entry, self._cuts.node(cut), paid, best)
        if low in self._closed:
            return self._divide_range(entry, low, inf, best)
        own, by = self._cuts.limit(low, base)
        if own > limit + EPSILON:
            return self._divide_range(entry, self._cuts.node(by), own, best)
        return None

    def _divide_range(
        self, entry: Range, node: Node, paid: float, best: float
    ) -> list[tuple[float, Node, Node]]:
        """Return the part of a range at or below a node, and the parts above it in some column.

        Each is a limit, lowest and highest levels; `paid` is the limit of the first part, which is
        left out if it cannot hold a node as good as `best`. Of the others the costliest comes
        first, so that the cheaper ones are the narrower ranges.
        """
        old, _, _, low, high = entry
        inside = tuple([min(h, level) for h, level in zip(high, node, strict=True)])
        parts = [(max(old, paid), low, inside)] if _may_hold_best(paid, best) else []
        ways = [j for j, (h, level) in enumerate(zip(high, node, strict=True)) if h > level]
        ways.sort(key=lambda j: (-(self._costs[j, node[j] + 1] - self._costs[j, low[j]]), j))
        rest = list(high)
        for j in ways:
            raised = (*low[:j], node[j] + 1, *low[j + 1 :])
            parts.append((old, raised, tuple(rest)))
            rest[j] = node[j]
        return parts

    def limit(self, node: Node) -> float:
        """Return the limit of a node, infinite if it is closed."""
        if node in self._closed:
            return inf
        return self._cuts.limit(node, self._base_limit(node))[0]

    def is_doomed(self, node: Node) -> bool:
        """Whether it is known that neither the node nor any below it can be released."""
        return self._cuts.limit(node, -inf)[0] == inf

    def close(self, node: Node) -> None:
        """Mark a node as looked at."""
        self._closed.add(node)

    def doom(self, node: Node) -> None:
        """Close the node and all below it, by a cut: none can be released."""
        self._closed.add(node)
        self._cuts.add(node, None, 0.0, hard=True)

    def mark_hopeful(self, node: Node) -> None:
        """Note that no node at or above this one will be doomed; only the last notes are kept."""
        at = np.array([node], dtype=np.int64)
        lower = ~(self._hopes >= at).all(axis=1)
        self._hopes = np.concatenate([self._hopes[lower][-_MOST_HOPES + 1 :], at])

    def lift_below(self, node: Node, parts: list[Floats]) -> None:
        """Raise limits at this node and all below to the sums of these parts, by a cut."""
        self._cuts.add(node, parts, 0.0, hard=False)

    def lift_above(self, node: Node, limit: float) -> None:
        """Raise limits at this node and all above; the last few thousand calls are kept."""
        nodes, limits = (array[-_MOST_CUTS + 1 :] for array in self._floors)
        at = np.array([node], dtype=np.int64)
        self._floors = np.concatenate([nodes, at]), np.append(limits, limit)

    def add_surcharge(self, node: Node, more: float) -> None:
        """Raise limits at and below this node, by a cut, to `more` above those without cuts."""
        self._cuts.add(node, None, more, hard=False)

    def close_ties_after(self, best: float, node: Node) -> None:
        """Drop the range `lowest_open` just gave: it can only equal the best and ranks after it."""
        del best, node
        self._pop()

    def chain_upwards(self, node: Node, best: float) -> list[Node]:
        """Return a chain up to a hopeful node, or as far as `best` allows, by the dearest steps."""
        nodes = [node]
        left = best - self._base_limit(node) if self._known else inf
        while not self.is_hopeful(nodes[-1]):
            here = nodes[-1]
            steps = [
                (float(self._costs[j, h + 1] - self._costs[j, h]), -h, j)
                for j, h in enumerate(here)
                if h < self._top[j]
            ]
            fits = [step for step in steps if step[0] <= left]
            if not fits:
                break
            cost, _, j = max(fits)
            left -= cost
            nodes.append((*here[:j], here[j] + 1, *here[j + 1 :]))
        return nodes

    def cheapest_columns(self, node: Node) -> list[int]:
        """Return the columns that can go up, least cost of the next level over level 0 first."""
        steps = [
            (float(self._costs[j, h + 1] - self._costs[j, 0]), j)
            for j, h in enumerate(node)
            if h < self._top[j]
        ]
        return [j for _, j in sorted(steps)]

    def is_hopeful(self, node: Node) -> bool:
        """Whether it is known that the node is not doomed."""
        return bool((self._hopes <= np.array(node)).all(axis=1).any())

    def count_open(self, best: float) -> int:
        """Return how many nodes the waiting ranges hold; some may be worse than `best`."""
        del best
        return self._open


def _count_nodes(low: Node, high: Node) -> int:
    """Count the nodes of the range from `low` to `high`."""
    return prod(h - a + 1 for a, h in zip(low, high, strict=True))


def _may_hold_best(limit: float, best: float) -> bool:
    """Whether a range of this limit can hold a node that is no worse than the best."""
    return limit <= best + EPSILON and limit < inf
