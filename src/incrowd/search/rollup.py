"""Tables of classes: a node is counted from a finer node's classes, not from the rows.

What two rows show at a node follows from what they show at any node below it, so the classes of a
node are unions of those of every node below (the roll-up property of full-domain generalization).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels import lattice as kernels
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.table.tally import Tally

Node = tuple[int, ...]
"""One level per column."""

_LARGEST_KEY = 2**62
_DENSE = 4
"""Keys are numbered by a dense array if their span is at most this times the rows."""


@dataclass(frozen=True, eq=False)
class ClassTable:
    """The table folded to what a node shows: one row per class and sensitive values."""

    node: Node
    tally: Tally
    finer: "ClassTable | None" = None
    """The table it was folded from, None for the problem's own rows."""
    part_of: Codes | None = None
    """The row of this table for each row of the finer one."""

    @cached_property
    def row_of(self) -> Codes:
        """The row of this table for each row of the problem's tally."""
        if self.finer is None or self.part_of is None:
            return np.arange(self.tally.rows, dtype=np.int32)
        return self.part_of[self.finer.row_of]


class Grouping:
    """Which rows look alike at a node."""

    def __init__(self, columns: Sequence[QuasiColumn]) -> None:
        maps = [column.hierarchy.maps for column in columns]
        starts = np.cumsum([0, *(len(map_) * map_.shape[1] for map_ in maps)])
        self._maps = np.concatenate([map_.ravel() for map_ in maps])
        self._offset = [
            [int(start) + level * map_.shape[1] for level in range(len(map_))]
            for start, map_ in zip(starts[:-1], maps, strict=True)
        ]
        self._domain = [[int(nodes.max()) + 1 for nodes in map_] for map_ in maps]
        self._top = [len(map_) - 1 for map_ in maps]

    def number(self, codes: Codes, node: Node) -> tuple[Codes, Codes]:
        """The class of each row, numbered in order of appearance, and each class's first row."""
        offset = np.array([self._offset[j][h] for j, h in enumerate(node)], dtype=np.int64)
        keys = np.zeros(codes.shape[1], dtype=np.int64)
        stride = np.zeros(len(node), dtype=np.int64)
        span = 1
        for j, level in enumerate(node):
            if level == self._top[j]:
                continue
            domain = self._domain[j][level]
            if span > _LARGEST_KEY // domain:
                kernels.node_keys(codes, self._maps, offset, stride, keys)
                numbers, first = number(keys, span)
                keys, span = numbers.astype(np.int64), len(first)
                stride[:] = 0
            stride[j] = span
            span *= domain
        kernels.node_keys(codes, self._maps, offset, stride, keys)
        return number(keys, span)


def number(keys: Counts, span: int) -> tuple[Codes, Codes]:
    """Number distinct keys, all below `span`, in order of appearance, and each one's first row."""
    if span <= _DENSE * len(keys) + 1024:
        return kernels.number_dense(keys, span)
    return kernels.number_hashed(keys)


def root_table(problem: Problem, sensitive: Sequence[int]) -> ClassTable:
    """The problem's tally with these sensitive columns only."""
    tally = problem.tally
    chosen = np.ascontiguousarray(tally.sensitive[list(sensitive)])
    folded = Tally(
        tally.quasi, chosen, tally.counts, tally.people, tally.shared_row, tally.shared_unit
    )
    return ClassTable((0,) * len(problem.columns), folded)


def rolled(table: ClassTable, node: Node, class_of: Codes, first: Codes) -> ClassTable:
    """The table folded to `node`, whose classes are given by row of the finer table."""
    tally = table.tally
    for codes in tally.sensitive:
        domain = int(codes.max(initial=0)) + 1
        keys = kernels.refine_keys(class_of, codes, domain)
        class_of, first = number(keys, domain * len(first))
    counts = kernels.sums(class_of, len(first), tally.counts)
    people = kernels.sums(class_of, len(first), tally.people) if tally.has_units else counts
    folded = Tally(
        np.ascontiguousarray(tally.quasi[:, first]),
        np.ascontiguousarray(tally.sensitive[:, first]),
        counts,
        people,
        class_of[tally.shared_row],
        tally.shared_unit,
    )
    return ClassTable(node, folded, table, class_of)


class ClassTables:
    """The class tables at hand, as many as the memory limit lets."""

    def __init__(self, root: ClassTable, limit: int) -> None:
        self._tables = [root]
        self._nodes = np.array([root.node], dtype=np.int16)
        self._rows = np.array([root.tally.rows])
        self._room = limit

    def finest(self, node: Node) -> ClassTable:
        """The smallest table of a node at or below this one."""
        below = (self._nodes <= np.array(node, dtype=np.int16)).all(axis=1)
        return self._tables[int(np.where(below, self._rows, np.iinfo(np.int64).max).argmin())]

    def offer(self, table: ClassTable, node: Node, class_of: Codes, first: Codes) -> None:
        """Keep the node's classes for later if they are much fewer than what they came from."""
        rows = table.tally.rows
        size = 4 * (rows + self._tables[0].tally.rows) + (4 * len(node) + 16) * len(first)
        if 2 * len(first) > rows or size > self._room:
            return
        self._room -= size
        new = rolled(table, node, class_of, first)
        self._tables.append(new)
        self._nodes = np.vstack([self._nodes, np.array([node], dtype=np.int16)])
        self._rows = np.append(self._rows, new.tally.rows)
