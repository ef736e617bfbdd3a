"""The best cut through the tree of a column: nodes of any level, at most so many of them.

Lodha-Thomas Section 4.2 takes, for a column without an order, the level of its tree that has at
most d nodes. A cut that goes high where values are rare and low where they are frequent loses less
with as many nodes. The best one is found by dynamic programming from the leaves up: every node
knows, for each number of nodes, the least cost of a cut through what is below it, that of being the
cut itself or the best way of giving the number to its children (a knapsack).

Only nodes that hold records count. Where each node of a cut must hold so many records, nodes with
fewer are in no cut, except on the highest level, above which there is nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.errors import PolicyError

_WORK = 2**26
"""Leaves times nodes above which cuts with fewer nodes than allowed are taken."""


@dataclass(frozen=True, eq=False)
class TreeCut:
    """A cut: the node that stands for each code."""

    level: Codes
    """Per code, the place in `maps` of its node's level; 0 for the missing: shape (n + 1,)."""
    nodes: int
    """How many of its nodes hold records."""
    cost: float
    """What all records together pay."""


def best_cut(maps: Codes, records: Counts, costs: Floats, most: int) -> TreeCut:
    """The cut with the least cost of all that have at most so many nodes with records.

    Parameters are as in `CutTrees`. It has more nodes only if the highest level has so many, and
    fewer in large trees: see `CutTrees.most`. `PolicyError` if `most` is below 1.

    >>> maps = np.array([[0, 1, 2, 3, 4], [0, 1, 1, 2, 2], [1, 1, 1, 1, 1]], dtype=np.int32)
    >>> costs = np.array([[0.0] * 5, [0.5] * 5, [1.0] * 5])
    >>> best_cut(maps, np.array([0, 1, 1, 20, 20]), costs, 3).level
    array([0, 1, 1, 0, 0], dtype=int32)
    """
    few = min(most, 1) if most >= _occupied_nodes(maps[0], records) else most
    return CutTrees.of(maps, records, costs, few).cut(most)


@dataclass(frozen=True, eq=False)
class CutTrees:
    """The best cuts through a tree, for every number of nodes up to a largest one."""

    maps: Codes
    """The levels that a cut may take, the lowest first (see `Hierarchy.maps`)."""
    records: Counts
    """Records per code; those of code 0, the missing, are left out."""
    costs: Floats
    """`costs[level, code]` is what a record with this code pays at this level."""
    tables: tuple[tuple["_CutTable", ...], ...]
    """Per level, a table for each node; empty if there is no choice."""
    most: int
    """The largest number of nodes looked at: work limits it, to 2,000 for 30,000 leaves."""
    coarse: bool = False
    """Whether a node of the lowest level holds too few records to be in a cut."""

    @classmethod
    def of(
        cls, maps: Codes, records: Counts, costs: Floats, most: int, least: int = 1
    ) -> "CutTrees":
        """Compute the best cuts of up to `most` nodes, or what the work allows.

        Below the highest level nodes hold `least` records or more. `PolicyError` if `most` < 1.
        """
        if most < 1:
            raise PolicyError("a cut needs at least one node")
        held = _occupied_nodes(maps[0], records)
        most = max(min(most, held - 1, _WORK // max(held, 1)), _occupied_nodes(maps[-1], records))
        if most >= held:
            return cls(maps, records, costs, (), held)
        tables: list[tuple[_CutTable, ...]] = []
        coarse = False
        for h, nodes in enumerate(maps):
            holds = np.bincount(nodes[1:], weights=records[1:])[1:]
            price = np.bincount(nodes[1:], weights=records[1:] * costs[h, 1:])[1:]
            few: Flags = (holds > 0) & (holds < least) if h < len(maps) - 1 else holds < 0
            paid = np.where(few, np.inf, price).tolist()
            if h == 0:
                coarse = bool(few.any())
                level = map(_table_of_leaf, paid, (holds > 0).tolist())
            else:
                children = (tables[-1][a:b] for a, b in pairwise(_child_offsets(maps, h)))
                level = map(_table_of_node, paid, children, [most] * len(paid))
            tables.append(tuple(level))
        return cls(maps, records, costs, tuple(tables), most, coarse)

    def cut(self, most: int) -> TreeCut:
        """The cheapest, then smallest, cut of at most so many nodes, or of the fewest possible."""
        level = np.zeros(self.maps.shape[1], dtype=np.int32)
        if self.tables and (self.coarse or most < _occupied_nodes(self.maps[0], self.records)):
            self._mark_levels(level, min(most, self.most))
        codes = np.flatnonzero(self.records[1:]) + 1
        here = level[codes]
        nodes = here.astype(np.int64) * len(level) + self.maps[here, codes]
        paid = float(self.records[codes] @ self.costs[here, codes])
        return TreeCut(level, len(np.unique(nodes)), paid)

    def _mark_levels(self, level: Codes, most: int) -> None:
        """Write into `level` the level of each code in the best cut with at most so many nodes."""
        top = self.tables[-1]
        whole = _best_over_children(top, max(most, sum(table.least for table in top)))
        shares = whole.nodes_of_children(top, whole.best_up_to(most))
        below = [_child_offsets(self.maps, h) for h in range(len(self.maps))]
        codes = [np.searchsorted(nodes[1:], np.arange(1, nodes[-1] + 2)) + 1 for nodes in self.maps]
        left = [(len(self.maps) - 1, i, number) for i, number in enumerate(shares)]
        while left:
            h, i, number = left.pop()
            table = self.tables[h][i]
            if h == 0 or number < 1 or (number == 1 and table.itself):
                level[codes[h][i] : codes[h][i + 1]] = h
                continue
            first, end = below[h][i], below[h][i + 1]
            children = self.tables[h - 1][first:end]
            inner = zip(range(first, end), table.nodes_of_children(children, number), strict=True)
            left += [(h - 1, child, share) for child, share in inner]


@dataclass(frozen=True, eq=False)
class _CutTable:
    """The least cost of a cut below a node with each number of nodes, from `least` on."""

    least: int
    costs: Floats
    itself: bool = False
    """Whether with the least number the node is the cut itself."""
    chosen: tuple[Codes, ...] = ()
    """Per child with a choice: its nodes beyond its least, by such nodes of it and those before."""

    def best_up_to(self, most: int) -> int:
        """The number of nodes up to `most` with the least cost; `least` if that is more."""
        return self.least + int(np.argmin(self.costs[: max(most - self.least + 1, 1)]))

    def nodes_of_children(self, children: Sequence["_CutTable"], number: int) -> list[int]:
        """How many of `number` nodes of a cut lie below each child."""
        shares = [child.least for child in children]
        left = number - sum(shares)
        open_ = [i for i, child in enumerate(children) if len(child.costs) > 1]
        for i, choice in zip(reversed(open_), reversed(self.chosen), strict=True):
            more = int(choice[left])
            shares[i] += more
            left -= more
        return shares


def _table_of_leaf(cost: float, there: bool) -> _CutTable:
    """The table of a node of the lowest level, which counts if records are `there`."""
    return _CutTable(int(there), np.array([cost if there else 0.0]), itself=True)


def _table_of_node(own: float, children: Sequence[_CutTable], most: int) -> _CutTable:
    """The table of a node with these children; the cut may be the node itself, for `own`."""
    below = _best_over_children(children, most)
    if below.least == 0:
        return _CutTable(0, np.zeros(1), itself=True)
    costs = np.concatenate([np.full(below.least - 1, np.inf), below.costs])
    if below.least > most or not len(costs):
        costs = np.full(1, np.inf)
    itself = bool(own < costs[0])
    costs[0] = min(own, float(costs[0]))
    return _CutTable(1, costs, itself, below.chosen)


def _best_over_children(children: Sequence[_CutTable], most: int) -> _CutTable:
    """The table of the best ways to give these children up to `most` nodes, or the least number."""
    fixed = [child for child in children if len(child.costs) == 1]
    least = sum(child.least for child in children)
    costs = np.array([sum(float(child.costs[0]) for child in fixed)])
    chosen = []
    for child in children:
        if len(child.costs) > 1:
            costs, choice = _best_sums(costs, child.costs, max(most - least, 0) + 1)
            chosen.append(choice)
    return _CutTable(least, costs, chosen=tuple(chosen))


def _best_sums(one: Floats, other: Floats, size: int) -> tuple[Floats, Codes]:
    """Least sums of two costs with 0, 1, … nodes more, below `size`, and the nodes of `other`."""
    size = min(len(one) + len(other) - 1, size)
    best = np.full(size, np.inf)
    part = np.zeros(size, dtype=np.int32)
    for j in range(min(len(other), size)):
        end = min(j + len(one), size)
        found = one[: end - j] + other[j]
        better: Flags = found < best[j:end]
        best[j:end][better] = found[better]
        part[j:end][better] = j
    return best, part


def _child_offsets(maps: Codes, h: int) -> list[int]:
    """Offsets into level h - 1, from 0: node i of level h has the children `[i]` to `[i + 1]`.

    Nodes are counted from 0, and the end is exclusive. Empty for level 0.
    """
    if h == 0:
        return []
    nodes = maps[h - 1, 1:]
    fresh = np.append(True, nodes[1:] != nodes[:-1])
    parents = maps[h, 1:][fresh]
    starts: list[int] = np.searchsorted(parents, np.arange(1, parents[-1] + 2)).tolist()
    return starts


def _occupied_nodes(nodes: Codes, records: Counts) -> int:
    """How many nodes of a level hold records; the missing are left out."""
    return len(np.unique(nodes[1:][records[1:] > 0]))
