"""Rows that move to classes where they pay less, level vector by level vector."""

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import Keys
from incrowd.kernels.lattice import level_cover
from incrowd.problem import Problem
from incrowd.recoding.recoding import first_rows
from incrowd.search.lattice.frontier import rank, steps_down
from incrowd.search.lattice.judging import Node
from incrowd.search.refine.cover import tighten_levels
from incrowd.search.refine.level_tables import CoveredRows, empty_cost_cache
from incrowd.watch import Watch


class Moves:
    """Classes with levels of their own, whose rows move where they pay less.

    Every class satisfies the models at the start and after every move. `class_of` tells the class
    of each row of the tally; rows with equal quasi-identifying codes must be in one class.
    """

    def __init__(self, problem: Problem, class_of: Codes, levels: Codes) -> None:
        """Take the classes of the tally's rows, and the levels of each: shape (d, classes)."""
        self._rows = CoveredRows(problem)
        self._class_of = np.empty(len(self._rows.weights), dtype=np.int32)
        self._class_of[self._rows.row_of] = class_of
        self._levels = levels
        self._work = empty_cost_cache(len(self._rows.weights))

    def run(self, watch: Watch) -> None:
        """Let rows move to classes' levels or one below until none gains or the time is up."""
        moved = True
        while moved and not watch.expired:
            self._levels = tighten_levels(self._rows, self._class_of, self._levels)
            self._refresh_classes()
            moved = self._move_once(watch)

    def _move_once(self, watch: Watch) -> bool:
        """Go once through the level vectors and let rows move; whether any row moved."""
        moved, nodes = False, self._nodes()
        for i, node in enumerate(nodes):
            if watch.expired:
                break
            watch.tell("refining classes", i / len(nodes))
            moved |= self._pull(node)
        return moved

    def answer(self) -> tuple[Codes, Codes]:
        """The class of each row of the tally, and the levels of each class."""
        levels = tighten_levels(self._rows, self._class_of, self._levels)
        return self._class_of[self._rows.row_of], levels

    def _refresh_classes(self) -> None:
        """Number the classes without a gap; compute anew what each shows, costs and holds."""
        known = self._class_of >= 0
        live, place = np.unique(self._class_of[known], return_inverse=True)
        self._class_of[known] = place
        self._levels = np.ascontiguousarray(self._levels[:, live])
        first = np.flatnonzero(known)[first_rows(place.astype(np.int32))]
        self._keys, self._costs = self._keys_and_costs(self._levels, self._rows.codes[:, first])
        weights = self._rows.weights[known]
        self._sizes = np.bincount(place, weights, minlength=len(live)).astype(np.int64)

    def _keys_and_costs(self, levels: Codes, codes: Codes) -> tuple[Keys, Floats]:
        """One key for what these codes show at these levels, and what a record pays for it."""
        tables = self._rows.tables
        keys = np.zeros(levels.shape[1], dtype=np.uint64)
        costs = np.zeros(levels.shape[1])
        for j in range(len(levels)):
            at = tables.offset[j, levels[j]] + codes[j]
            keys += tables.keys[at]
            costs += tables.costs[at]
        return keys, costs

    def _nodes(self) -> list[Node]:
        """The levels of the classes and those one level lower, each once, lowest first."""
        used = np.unique(self._levels, axis=1).T
        nodes = {tuple(int(level) for level in node) for node in used}
        below = {lower for node in nodes for lower in steps_down(node, self._rows.tables.low)}
        return sorted(nodes | below, key=rank)

    def _pull(self, node: Node) -> bool:
        """Let rows move to classes of this level vector, old or new; return whether any did."""
        rows, tables = self._rows, self._rows.tables
        classes = level_cover.RowClasses(self._class_of, self._keys, self._costs, self._sizes)
        starts = tables.level_starts(node)
        target, new = level_cover.plan_moves(
            rows.codes, rows.weights, classes, tables.flat, starts, rows.least, self._work
        )
        if not rows.by_size:
            target = self._allowed_moves(target, new)
        moved = np.flatnonzero(target >= 0)
        if not len(moved):
            return False
        self._apply_moves(node, moved, target, new)
        return True

    def _apply_moves(self, node: Node, moved: Counts, target: Codes, new: int) -> None:
        """Move the rows `moved` to their `target`; the last `new` classes are new, at `node`."""
        number = len(self._sizes)
        weights, left = self._rows.weights[moved], self._class_of[moved]
        first = np.full(number + new, moved[0], dtype=np.int64)
        first[target[moved[::-1]]] = moved[::-1]
        levels = np.repeat(np.array([node], dtype=np.int32).T, new, axis=1)
        keys, costs = self._keys_and_costs(levels, self._rows.codes[:, first[number:]])
        self._levels = np.concatenate([self._levels, levels], axis=1)
        self._keys = np.concatenate([self._keys, keys])
        self._costs = np.concatenate([self._costs, costs])
        sizes = np.concatenate([self._sizes, np.zeros(new, dtype=np.int64)])
        np.add.at(sizes, target[moved], weights)
        np.subtract.at(sizes, left[left >= 0], weights[left >= 0])
        self._sizes = sizes
        self._class_of[moved] = target[moved]

    def _allowed_moves(self, target: Codes, new: int) -> Codes:
        """The moves of `target` (a class per row, -1 to stay) after which all satisfy the models.

        A move that touches a failing class, as one to it or from it, is taken back until no class
        fails, at worst all moves. The last `new` classes are new.
        """
        number = len(self._sizes) + new
        while (target >= 0).any():
            trial = np.where(target >= 0, target, self._class_of).astype(np.int32)
            used = np.bincount(trial[trial >= 0], minlength=number) > 0
            failing = used & ~self._rows.satisfied_by(trial, number)
            if not failing.any():
                return target
            goes, comes = target[target >= 0], self._class_of[target >= 0]
            broken = failing.copy()
            broken[goes[(comes >= 0) & failing[comes]]] = True
            target = np.where((target >= 0) & broken[target], -1, target).astype(np.int32)
        return target
