"""Covering a table with level vectors: the classes of one, then of the next for what is left.

As in ARX's local recoding (Prasser, Kohlmayer and Kuhn, "A Scalable and Pragmatic Method for the
Safe Sharing of High-Quality Health Data", 2018), a full-domain generalization releases the classes
that satisfy the models, and the other rows are generalized anew. Where we depart: each step takes
the vector whose rows pay least on average rather than the one with the least loss of all rows, and
looks only at those near the vectors taken before (decision record 0008).
"""

from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf

import numpy as np

from incrowd.arrays import SUPPRESSED, Codes
from incrowd.kernels.boxes import FORBIDDEN
from incrowd.kernels.lattice import level_cover
from incrowd.partition.classes import number_columns
from incrowd.problem import Problem
from incrowd.search.lattice.frontier import steps_down
from incrowd.search.lattice.judging import Node
from incrowd.search.refine.level_tables import CoveredRows, empty_cost_cache
from incrowd.watch import Watch

SHARE = 0.0005
"""The share of the table's records that a level vector must at least release."""
_ROWS = 10**8
"""In tables of n distinct rows a vector releases n over this of the records: time grows with n."""


def cover(problem: Problem, watch: Watch, share: float = SHARE) -> tuple[Codes, Codes]:
    """Cover the table: the class of each row of the tally, and each class's level by column.

    The second has shape (d, classes). All rows of a class show the same nodes at its levels, and
    rows with equal quasi-identifying codes are in one class. Every class satisfies the models by
    itself; classes of different levels may show the same nonetheless (`CellLevels.merge_alike`).
    Rows in class -1 are those that even the highest levels cannot make a class of, and that no
    other class can take. If the time is up, rows that are left become classes at those levels.

    `share` is the share of all records that a level vector must at least release: smaller ones
    cost more time and lose less; in large tables it is raised (`_ROWS`).
    """
    rows = CoveredRows(problem)
    share = max(share, len(rows.weights) / _ROWS)
    quest = _Cover(rows, max(1, int(share * problem.tally.records)))
    quest.run(watch)
    class_of, levels = quest.answer()
    class_of, levels = settle_rows(rows, class_of, levels)
    return class_of[rows.row_of], tighten_levels(rows, class_of, levels)


@dataclass(eq=False)
class _Cover:
    """The rows that are left, and the level vectors that may release some of them.

    A vector waits with what its rows would pay on average when it was last counted, or with an
    estimate. The least is counted again, and taken if it still is the least; then those higher in
    one column wait, too, and those one level below any that could be taken. If none waits, one is
    looked for from the highest levels down.
    """

    rows: CoveredRows
    need: int
    """Records that a vector must at least release."""
    step: int = 0
    """Vectors that were taken."""
    heap: list[tuple[float, int, Node, int]] = field(default_factory=list)
    """Of vectors that wait: mean cost, sum of levels, vector, step of the count (-1: estimate)."""
    seen: set[Node] = field(default_factory=set)

    def __post_init__(self) -> None:
        tables = self.rows.tables
        self.codes, self.weights = self.rows.codes, self.rows.weights
        self.left: Codes = np.arange(len(self.weights), dtype=np.int32)
        self.released: list[tuple[Codes, Codes, Node]] = []
        self.taken: Codes = np.empty((0, len(self.codes)), dtype=np.int32)
        self.totals = tables.totals(self.codes, self.weights)
        self._set_base(tables.low)
        self._enqueue_estimate(tables.low)

    def run(self, watch: Watch) -> None:
        """Release rows until none is left that can be, or the time is up."""
        whole = int(self.weights.sum())
        while self._has_waiting(watch) and not watch.expired:
            _, _, node, step = heappop(self.heap)
            if step == self.step:
                self._release(node)
                watch.tell("covering the table", 1 - int(self.weights.sum()) / whole)
            else:
                self._enqueue_counted(node)
        if len(self.left) and self._records_and_cost(self.rows.tables.top)[0]:
            self._release(self.rows.tables.top)

    def answer(self) -> tuple[Codes, Codes]:
        """The class of each row, and the levels of each class."""
        class_of = np.full(len(self.rows.weights), SUPPRESSED, dtype=np.int32)
        levels: list[Codes] = [np.empty((len(self.codes), 0), dtype=np.int32)]
        number = 0
        for rows, classes, node in self.released:
            class_of[rows] = number + classes
            made = int(classes.max()) + 1
            levels.append(np.repeat(np.array(node, dtype=np.int32)[:, np.newaxis], made, axis=1))
            number += made
        return class_of, np.concatenate(levels, axis=1)

    def _has_waiting(self, watch: Watch) -> bool:
        """Whether a vector waits; if none does, first look for one from the highest levels down."""
        if int(self.weights.sum()) < max(1, self.rows.least):
            return False
        if not self.heap:
            self._descend(watch)
        return bool(self.heap)

    def _descend(self, watch: Watch) -> None:
        """Go down from the highest levels, each time to the vector that makes rows pay least."""
        node: Node | None = self.rows.tables.top
        self._enqueue_counted(self.rows.tables.top)
        while node is not None and self.heap:
            below: dict[Node, float] = {}
            for one in steps_down(node, self.rows.tables.low):
                if watch.remaining is not None and watch.remaining <= 0:  # a step takes long
                    return
                below[one] = self._enqueue_counted(one)
            node = min(below, key=lambda one: (below[one], one), default=None)
            if node is None or below[node] == inf:
                return

    def _enqueue_estimate(self, node: Node) -> None:
        """Let a vector wait with the mean cost of all rows as an estimate."""
        if node not in self.seen:
            self.seen.add(node)
            mean = sum(self.totals[j, h] for j, h in enumerate(node)) / max(1, self.weights.sum())
            heappush(self.heap, (float(mean), sum(node), node, -1))

    def _enqueue_higher(self, node: Node) -> None:
        """Let the vectors wait that are higher than this one in one column."""
        for j, top in enumerate(self.rows.tables.top):
            for level in range(node[j] + 1, top + 1):
                self._enqueue_estimate((*node[:j], level, *node[j + 1 :]))

    def _enqueue_counted(self, node: Node) -> float:
        """Let a vector wait with its rows' mean cost; return that, infinite if it need not wait.

        It need not if it releases too few records, which rarely become more, or if one above it was
        taken. If it waits, those one step below it do as well.
        """
        if self._is_below_taken(node):
            return inf
        released, cost = self._records_and_cost(node)
        if released < min(self.need, int(self.weights.sum())):
            return inf
        heappush(self.heap, (cost / released, sum(node), node, self.step))
        for one in steps_down(node, self.rows.tables.low):
            self._enqueue_estimate(one)
        return cost / released

    def _is_below_taken(self, node: Node) -> bool:
        """Whether a vector at or above it was taken, and so released all that it could release."""
        return bool((self.taken >= np.array(node, dtype=np.int32)).all(axis=1).any())

    def _records_and_cost(self, node: Node) -> tuple[int, float]:
        """Records that the vector would release, and what they pay; its classes are in `work`."""
        tables = self.rows.tables
        here, base = tables.level_starts(node), tables.level_starts(self.base)
        moved = np.flatnonzero(here != base)
        change = np.stack([moved, base[moved], here[moved]], axis=1)
        rule = tables.flat, change, self.rows.least
        released, cost = level_cover.count_released(
            self.codes, self.weights, self.shown, *rule, self.work
        )
        if self.rows.by_size or not released:
            return released, cost
        fine = self._released_classes(node) >= 0
        return int(self.weights[fine].sum()), float(self.work.paid[fine] @ self.weights[fine])

    def _released_classes(self, node: Node) -> Codes:
        """The class, by what it shows, of each row left that the counted vector releases; or -1."""
        sizes, place, paid = self.work.sizes, self.work.place, self.work.paid
        large = np.flatnonzero((sizes[place] >= self.rows.least) & (paid < FORBIDDEN / 2))
        maps = [column.hierarchy.maps for column in self.rows.problem.columns]
        nodes = [maps[j][h][self.codes[j, large]] for j, h in enumerate(node)]
        class_of, number = number_columns(np.array(nodes, dtype=np.int32))
        everyone = np.full(len(self.rows.weights), SUPPRESSED, dtype=np.int32)
        everyone[self.left[large]] = class_of
        fine = self.rows.satisfied_by(everyone, number)
        new = np.where(fine, np.cumsum(fine) - 1, SUPPRESSED).astype(np.int32)
        here = np.full(len(self.left), SUPPRESSED, dtype=np.int32)
        here[large] = new[class_of]
        return here

    def _release(self, node: Node) -> None:
        """Release the rows that this vector can, drop them from those left, queue higher ones."""
        self._records_and_cost(node)
        classes = self._released_classes(node)
        out = classes >= 0
        if out.any():
            self.released.append((self.left[out], classes[out], node))
        gone = np.ascontiguousarray(self.codes[:, out])
        self.totals -= self.rows.tables.totals(gone, self.weights[out])
        self.codes = np.ascontiguousarray(self.codes[:, ~out])
        self.weights, self.left = self.weights[~out], self.left[~out]
        self.taken = np.vstack([self.taken, np.array([node], dtype=np.int32)])
        self.step += 1
        self._set_base(node)
        self._enqueue_higher(node)

    def _set_base(self, node: Node) -> None:
        """Make this the base: other vectors are counted by what differs from its keys and costs."""
        tables = self.rows.tables
        self.base = node
        self.shown = np.empty(len(self.left), dtype=np.uint64), np.empty(len(self.left))
        level_cover.fill_keys_and_costs(
            self.codes, tables.flat, tables.level_starts(node), *self.shown
        )
        self.work = empty_cost_cache(len(self.left))


def settle_rows(rows: CoveredRows, class_of: Codes, levels: Codes) -> tuple[Codes, Codes]:
    """Put rows of class -1 into the classes where that costs least; return classes and levels.

    A class that takes a row rises to the lowest levels at which both show the same. Classes that
    would fail a model then stay as they were, and the rows that they took stay apart.
    """
    if not (class_of < 0).any() or not levels.shape[1]:
        return class_of, levels
    tables = rows.tables
    known = class_of >= 0
    sizes = np.bincount(class_of[known], rows.weights[known], minlength=levels.shape[1])
    trial, risen = class_of.copy(), np.ascontiguousarray(levels.T)
    costs = tables.nodes, tables.costs
    level_cover.settle_rows(
        rows.codes, rows.weights, trial, risen, sizes.astype(np.int64), costs, tables.offset
    )
    fine = rows.satisfied_by(trial, levels.shape[1])
    stays = (trial >= 0) & fine[trial]
    levels = np.where(fine, risen.T, levels).astype(np.int32)
    return np.where(known | ~stays, class_of, trial).astype(np.int32), levels


def tighten_levels(rows: CoveredRows, class_of: Codes, levels: Codes) -> Codes:
    """The lowest levels at which all rows of each class still show the same."""
    known = class_of >= 0
    tight = np.empty_like(levels)
    for j, column in enumerate(rows.problem.columns):
        low = np.full(levels.shape[1], np.iinfo(np.int32).max, dtype=np.int32)
        high = np.zeros(levels.shape[1], dtype=np.int32)
        np.minimum.at(low, class_of[known], rows.codes[j, known])
        np.maximum.at(high, class_of[known], rows.codes[j, known])
        np.minimum(low, high, out=low)  # classes without rows
        tight[j] = np.maximum(column.hierarchy.join_level(low, high), column.lowest)
    return tight
