"""Rows that move to classes where they pay less, level vector by level vector."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.boxes import FORBIDDEN, Keys, Work
from incrowd.kernels.lattice import level_cover as level_moves
from incrowd.partition.classes import classes_of, numbered
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.search.layout import cell_loss
from incrowd.search.mondrian import least_size
from incrowd.search.refine.cover import tightened
from incrowd.watch import Watch

Node = tuple[int, ...]
"""One level per column."""


@dataclass(eq=False)
class CoveredRows:
    """The distinct quasi-identifying rows of a problem, in the order of their codes."""

    problem: Problem

    @cached_property
    def row_of(self) -> Codes:
        """The row here of each row of the tally."""
        return numbered(self.problem.tally.quasi)[0]

    @cached_property
    def codes(self) -> Codes:
        """The codes of each row: shape (d, n)."""
        codes = np.empty((len(self.problem.columns), int(self.row_of.max()) + 1), dtype=np.int32)
        codes[:, self.row_of] = self.problem.tally.quasi
        return codes

    @cached_property
    def weights(self) -> Counts:
        """Records per row."""
        weights = np.zeros(self.codes.shape[1], dtype=np.int64)
        np.add.at(weights, self.row_of, self.problem.tally.counts)
        return weights

    @cached_property
    def least(self) -> int:
        """The size below which no class satisfies the models, as far as sizes tell."""
        return least_size(self.problem) or 1

    @cached_property
    def by_size(self) -> bool:
        """Whether the size of a class decides."""
        sizes = all(not model.columns for model in self.problem.models)
        return sizes and least_size(self.problem) is not None

    @cached_property
    def tables(self) -> "LevelTables":
        """What codes show and cost at each level."""
        return LevelTables(self.problem)

    def satisfied(self, class_of: Codes, number: int) -> Flags:
        """Which of these classes of the rows satisfy the models; rows of class -1 are in none."""
        if self.by_size:
            kept = class_of >= 0
            sizes = np.bincount(class_of[kept], self.weights[kept], minlength=number)
            large: Flags = sizes >= self.least
            return large
        classes = classes_of(
            self.problem.tally, class_of[self.row_of], number, self.problem.sensitive
        )
        return self.problem.satisfied(classes)


class LevelTables:
    """What each code shows at each level that may be shown, and what it costs there, laid flat."""

    def __init__(self, problem: Problem) -> None:
        columns = problem.columns
        depth = max(column.hierarchy.levels for column in columns)
        self.offset: Counts = np.full((len(columns), depth), -1, dtype=np.int64)
        """Where a column's level begins; -1 for levels that may not be shown."""
        self.low: Node = tuple(column.lowest for column in columns)
        self.top: Node = tuple(column.top for column in columns)
        weights = np.array([column.weight for column in columns], dtype=np.float64)
        weights /= weights.sum()
        keys, costs, nodes, size = [], [], [], 0
        for j, column in enumerate(columns):
            paid = _paid(problem, column) * weights[j]
            for level in range(column.lowest, column.top + 1):
                self.offset[j, level] = size
                size += len(paid[level])
                keys.append(_keys(column, j, level))
                costs.append(np.where(_forbidden(column, level), FORBIDDEN, paid[level]))
                nodes.append(column.hierarchy.maps[level])
        self.keys: Keys = np.concatenate(keys)
        self.costs: Floats = np.concatenate(costs)
        self.nodes: Codes = np.concatenate(nodes)

    def at(self, node: Node) -> Counts:
        """Where the levels of a vector begin."""
        begins: Counts = self.offset[np.arange(len(node)), np.array(node)]
        return begins


def _paid(problem: Problem, column: QuasiColumn) -> Floats:
    return np.asarray(cell_loss(problem).cell_costs(column), dtype=np.float64)


def _forbidden(column: QuasiColumn, level: int) -> Flags:
    """Which codes show a node that is wider than the policy allows."""
    nodes = column.hierarchy.maps[level]
    if not column.hierarchy.ordered or not np.isfinite(column.widest):
        return np.zeros(len(nodes), dtype=np.bool_)
    place = np.concatenate([[0.0], column.hierarchy.leaves.positions])
    low, high = column.hierarchy.bounds[level]
    with np.errstate(invalid="ignore", over="ignore"):
        wide: Flags = (place[high] - place[low] > column.widest)[nodes]
    return wide


def _keys(column: QuasiColumn, j: int, level: int) -> Keys:
    """A number for what each code shows: equal for equal runs of leaves, whatever the level."""
    low, high = (bound.astype(np.uint64) for bound in column.hierarchy.bounds[level])
    if level == column.hierarchy.height:
        low[:] = np.uint64(2**32 - 1)
    of_node = _mixed(_mixed(low + np.uint64((j + 1) << 32)) ^ high)
    keys: Keys = of_node[column.hierarchy.maps[level]]
    return keys


def _mixed(values: Keys) -> Keys:
    """Numbers spread over all 64 bits (the finalizer of SplitMix64)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def hash_table(rows: int) -> Work:
    """Empty work arrays for that many rows (see `kernels.level_cover.count`)."""
    size = max(16, 2 ** (2 * rows - 1).bit_length())
    places = np.zeros(rows, dtype=np.int64)
    slots = np.zeros(size, dtype=np.uint64)
    return slots, np.zeros(size, dtype=np.int64), places, np.zeros(rows, dtype=np.float64)


class Moves:
    """Classes with levels of their own, whose rows move where they pay less.

    Every class satisfies the models at the start and after every move. `class_of` tells the class
    of each row of the tally; rows with equal quasi-identifying codes must be in one class.
    """

    def __init__(self, problem: Problem, class_of: Codes, levels: Codes) -> None:
        self._rows = CoveredRows(problem)
        self._class_of = np.empty(len(self._rows.weights), dtype=np.int32)
        self._class_of[self._rows.row_of] = class_of
        self._levels = levels
        self._work = hash_table(len(self._rows.weights))

    def run(self, watch: Watch) -> None:
        """Let rows move until none gains or the time is up.

        The levels of the classes and those one level below are gone through again and again.
        """
        moved = True
        while moved and not watch.expired:
            self._levels = tightened(self._rows, self._class_of, self._levels)
            self._describe()
            moved = self._round(watch)

    def _round(self, watch: Watch) -> bool:
        """Whether any row moved."""
        moved, nodes = False, self._nodes()
        for i, node in enumerate(nodes):
            if watch.expired:
                break
            watch.tell("refining classes", i / len(nodes))
            moved |= self._pull(node)
        return moved

    def answer(self) -> tuple[Codes, Codes]:
        """The class of each row of the tally, and the levels of each class."""
        levels = tightened(self._rows, self._class_of, self._levels)
        return self._class_of[self._rows.row_of], levels

    def _describe(self) -> None:
        """Number the classes without a gap; what each shows, costs and holds."""
        known = self._class_of >= 0
        live, place = np.unique(self._class_of[known], return_inverse=True)
        self._class_of[known] = place
        self._levels = np.ascontiguousarray(self._levels[:, live])
        first = np.zeros(len(live), dtype=np.int64)
        first[place[::-1]] = np.flatnonzero(known)[::-1]
        self._keys, self._costs = self._shown(self._levels, self._rows.codes[:, first])
        weights = self._rows.weights[known]
        self._sizes = np.bincount(place, weights, minlength=len(live)).astype(np.int64)

    def _shown(self, levels: Codes, codes: Codes) -> tuple[Keys, Floats]:
        tables = self._rows.tables
        keys = np.zeros(levels.shape[1], dtype=np.uint64)
        costs = np.zeros(levels.shape[1])
        for j in range(len(levels)):
            at = tables.offset[j, levels[j]] + codes[j]
            keys += tables.keys[at]
            costs += tables.costs[at]
        return keys, costs

    def _nodes(self) -> list[Node]:
        """The levels of the classes and those one level below, fewest steps first."""
        low = self._rows.tables.low
        used = np.unique(self._levels, axis=1).T
        nodes = {tuple(int(level) for level in node) for node in used}
        below = {
            (*node[:j], node[j] - 1, *node[j + 1 :])
            for node in nodes
            for j in range(len(low))
            if node[j] > low[j]
        }
        return sorted(nodes | below, key=lambda node: (sum(node), node))

    def _pull(self, node: Node) -> bool:
        """Let rows move to the classes of this vector; whether any did."""
        rows, tables = self._rows, self._rows.tables
        held = self._class_of, self._keys, self._costs, self._sizes
        known = tables.keys, tables.costs
        target, new = level_moves.pull(
            rows.codes, rows.weights, held, known, tables.at(node), rows.least, self._work
        )
        if not rows.by_size:
            target = self._allowed(target, new)
        moved = np.flatnonzero(target >= 0)
        if not len(moved):
            return False
        self._add(node, moved, target, new)
        return True

    def _add(self, node: Node, moved: Counts, target: Codes, new: int) -> None:
        number = len(self._sizes)
        weights, left = self._rows.weights[moved], self._class_of[moved]
        first = np.full(number + new, moved[0], dtype=np.int64)
        first[target[moved[::-1]]] = moved[::-1]
        levels = np.repeat(np.array([node], dtype=np.int32).T, new, axis=1)
        keys, costs = self._shown(levels, self._rows.codes[:, first[number:]])
        self._levels = np.concatenate([self._levels, levels], axis=1)
        self._keys = np.concatenate([self._keys, keys])
        self._costs = np.concatenate([self._costs, costs])
        sizes = np.concatenate([self._sizes, np.zeros(new, dtype=np.int64)])
        np.add.at(sizes, target[moved], weights)
        np.subtract.at(sizes, left[left >= 0], weights[left >= 0])
        self._sizes = sizes
        self._class_of[moved] = target[moved]

    def _allowed(self, target: Codes, new: int) -> Codes:
        """The moves that leave all classes satisfying the models; others are taken back.

        A move that touches a failing class, as one to it or from it, is taken back until no class
        fails. At worst all are, and then nothing has changed.
        """
        number = len(self._sizes) + new
        while (target >= 0).any():
            trial = np.where(target >= 0, target, self._class_of).astype(np.int32)
            held = np.bincount(trial[trial >= 0], minlength=number) > 0
            failing = held & ~self._rows.satisfied(trial, number)
            if not failing.any():
                return target
            goes, comes = target[target >= 0], self._class_of[target >= 0]
            broken = failing.copy()
            broken[goes[(comes >= 0) & failing[comes]]] = True
            target = np.where((target >= 0) & broken[target], -1, target).astype(np.int32)
        return target
