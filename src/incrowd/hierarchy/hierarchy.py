"""All levels of one column, with decoding (Sweeney Section 3.1; Bettini's Dec)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import MISSING, Codes, Flags, Texts
from incrowd.table.column import Domain


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The levels of one column: 0 shows values as they are, the highest suppresses them.

    Leaves are numbered so that every node of every level is a run of consecutive codes; the lowest
    common ancestor of a set of leaves is that of its smallest and largest code. A missing value is
    a leaf apart (code 0): it stays missing on every level but the highest, where it is suppressed
    like all others.
    """

    leaves: Domain
    """The values that can be generalized, in leaf order; they may be more than the table holds."""
    maps: Codes
    """`maps[level, code]` is the node (1, 2, … in leaf order) of that code: shape (levels, n + 1).

    Level 0 is the identity; the last maps every code, 0 too, to node 1; the others keep 0 at 0.
    """
    labels: tuple[Texts, ...]
    """`labels[level][node - 1]` is what the release shows."""
    ordered: bool = False
    """Whether distance between leaves means something (numbers, dates, ordered lists)."""

    @property
    def height(self) -> int:
        """Number of generalization steps; Sweeney's |DGH|."""
        return len(self.maps) - 1

    @property
    def levels(self) -> int:
        """Number of levels, the original values included."""
        return len(self.maps)

    @cached_property
    def bounds(self) -> tuple[tuple[Codes, Codes], ...]:
        """Per level: the first and the last leaf code of each node, indexed by node.

        Node 0 (missing) is bounded by 0 and 0. On the highest level node 1 spans 1..n.
        """
        return tuple(_bounds(nodes) for nodes in self.maps)

    def join_level(self, low: Codes, high: Codes) -> Codes:
        """The lowest level at which codes `low` and `high` share a node, elementwise."""
        level = np.full(len(low), self.height, dtype=np.int32)
        for h in range(self.height - 1, -1, -1):
            level[self.maps[h][low] == self.maps[h][high]] = h
        return level

    def cover(self, level: Codes, code: Codes) -> tuple[Codes, Codes]:
        """First and last leaf of the node of `code` at `level`, elementwise."""
        low = np.empty(len(code), dtype=np.int32)
        high = np.empty(len(code), dtype=np.int32)
        for h in range(self.levels):
            here = level == h
            node = self.maps[h][code[here]]
            low[here], high[here] = self.bounds[h][0][node], self.bounds[h][1][node]
        return low, high

    def __repr__(self) -> str:
        """Without values."""
        return f"Hierarchy({self.levels} levels, {len(self.leaves)} leaves)"


def _bounds(nodes: Codes) -> tuple[Codes, Codes]:
    n = int(nodes.max(initial=0))
    low = np.zeros(n + 1, dtype=np.int32)
    high = np.zeros(n + 1, dtype=np.int32)
    codes = np.arange(len(nodes), dtype=np.int32)
    inside: Flags = codes > MISSING
    high[nodes[inside]] = codes[inside]
    low[nodes[inside][::-1]] = codes[inside][::-1]
    return low, high
