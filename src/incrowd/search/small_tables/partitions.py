"""All partitions of a small table into classes, compared by dynamic programming over its parts.

Sweeney gives the number of generalizations at the cell level (Equation 2) and no algorithm. A part
of the table that satisfies every model may be a class; the least cost of a part is that of its best
class that holds its first item plus the least cost of what that leaves.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels import subsets as kernels
from incrowd.loss.ncp import Gcp
from incrowd.partition.classes import Classes, classes_of, number_columns
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.search.lattice.full_domain import node_extents
from incrowd.search.small_tables.small_table import SmallTable, model_columns
from incrowd.table.tally import Tally
from incrowd.watch import Watch

_AT_ONCE = 2**26
"""About how many divisions are tried between two looks at the watch."""
_ROWS = 2**18
"""About how many rows the models look at in one go."""


@dataclass(frozen=True, eq=False)
class _PricedParts:
    """What the parts of a table would show and cost as one class."""

    levels: Codes
    """The level of each column in each part: shape (d, parts)."""
    shown: Codes
    """First and last leaf of what each part shows plus 1, or 0 if suppressed: (2 d, parts)."""
    cost: Floats
    """What all records of the part pay together; infinite if it may not be a class."""


class Partitions:
    """The partitions of a small table into classes."""

    def __init__(self, problem: Problem, table: SmallTable) -> None:
        self._problem = problem
        self._table = table
        self._digits = kernels.part_digits(table.copies)
        self._first = kernels.first_items(self._digits)
        self._records: Counts = self._digits @ table.weight

    def find_best(self, watch: Watch) -> tuple[Codes, Codes] | None:
        """Levels (d, classes), copies (classes, items) of the best partition; None if not found."""
        part = self._price_parts()
        watch.tell("asking the models about every part of the table", 0.0)
        fine = self._which_satisfy(np.isfinite(part.cost), watch)
        part.cost[~fine] = np.inf
        if watch.must_stop or not fine.any():
            return None
        divide = _BestDivisions if self._problem.monotone else _BestDistinctDivisions
        sizes = (self._records, int(self._records[-1]) - self._problem.suppressible)
        division = divide(self._table, (self._digits, self._first), part, sizes)
        if not division.run(watch):
            return None
        target = self._target(division.least)
        chosen = division.classes(target) if target else []
        return (part.levels[:, chosen], self._digits[chosen]) if chosen else None

    def _price_parts(self) -> _PricedParts:
        """Levels, what is shown, and cost of every part; infinite where limits forbid it."""
        weights = np.array([column.weight for column in self._problem.columns])
        weights /= weights.sum()
        total = np.zeros(len(self._digits))
        levels, shown = [], []
        for codes, column, weight in zip(
            self._problem.tally.quasi, self._problem.columns, weights.tolist(), strict=True
        ):
            own = codes[self._table.first_row]
            low, high = kernels.spans_of_parts(self._first, self._table.stride, own)
            level = np.maximum(column.hierarchy.join_level(low, high), column.lowest)
            total[forbidden_cells(column)[level, low]] = np.inf
            costs = weight * self._cell_costs(column)[:, own] * self._table.weight
            kernels.add_costs(self._digits, level, np.ascontiguousarray(costs), total)
            levels.append(level)
            top = level == column.hierarchy.height
            shown += [np.where(top, 0, end + 1) for end in column.hierarchy.cover(level, low)]
        total[0] = np.inf
        return _PricedParts(np.array(levels), np.array(shown, dtype=np.int32), total)

    def _cell_costs(self, column: QuasiColumn) -> Floats:
        """The cost of a cell by level and code: of the loss if it has such costs, else of GCP."""
        costs = self._problem.loss.cell_costs(column)
        return Gcp().cell_costs(column) if costs is None else costs

    def _which_satisfy(self, possible: Flags, watch: Watch) -> Flags:
        """Which possible parts satisfy every model, as far as there was time to ask."""
        problem = self._problem
        fine = np.zeros(len(possible), dtype=np.bool_)
        if not problem.tally.has_units and not any(model.columns for model in problem.models):
            sizes = np.arange(1, int(self._records[-1]) + 1)
            fits = np.concatenate([[False], problem.satisfied_by(Classes(sizes, sizes, {}))])
            flags: Flags = possible & fits[self._records]
            return flags
        asked = np.flatnonzero(possible)
        rows = len(self._table.item_of) if self._table.whole else len(self._table.copies)
        step, parts = max(_ROWS // rows, 1), PartClasses(problem, self._table)
        for start in range(0, len(asked), step):
            if watch.must_stop:
                break
            some = asked[start : start + step]
            fine[some] = problem.satisfied_by(parts.classes(self._digits[some]))
        return fine

    def _target(self, least: Floats) -> int:
        """The part to release: least cost (1 per record left out), largest of equals; 0 if none."""
        left_out = self._records[-1] - self._records
        total = np.where(left_out <= self._problem.suppressible, least + left_out, np.inf)
        total[0] = np.inf
        if not np.isfinite(total.min()):
            return 0
        best = np.flatnonzero(total <= total.min() + kernels.SLACK)
        return int(best[left_out[best].argmin()])


class _BestDivisions:
    """The best division of each part where classes that satisfy the models may be joined."""

    def __init__(
        self,
        table: SmallTable,
        items: tuple[Codes, Codes],
        part: _PricedParts,
        sizes: tuple[Counts, int],
    ) -> None:
        """`items`: each part's digits and first item; `sizes`: its records, and what must stay."""
        digits, first = items
        self._digits = digits
        shift, guard = _bit_fields(table.copies)
        self._parts = (digits, first, table.stride, kernels.pack_digits(digits, shift))
        self._guard = guard
        fewest = int(sizes[0][np.isfinite(part.cost)].min())
        self._classes = (part.cost, sizes[0], fewest, sizes[1])
        self.least = np.full(len(digits), np.inf)
        self.least[0] = 0.0
        self._choice = np.zeros(len(digits), dtype=np.int32)

    def run(self, watch: Watch) -> bool:
        """Find the best division of every part, small ones first; False if time was up before."""
        lists = self._lists()
        work = np.cumsum(np.prod(self._digits + 1.0, axis=1))
        for span in _work_slices(work, 1):
            if watch.must_stop:
                return False
            watch.tell("dividing the table in all ways", float(work[span[0]] / work[-1]))
            kernels.divide_parts(
                span, self._parts, self._guard, self._classes, lists, self.least, self._choice
            )
        return True

    def _lists(self) -> tuple[Codes, Counts, Floats, Counts, Counts]:
        """Empty lists by first item for the kernel: class, packed copies, cost, begin and end."""
        _, first, stride, _ = self._parts
        number = len(first)
        room = np.bincount(first[1:], minlength=len(stride))
        begin = np.cumsum(room) - room
        listed, keys = np.zeros(number, dtype=np.int32), np.zeros(number, dtype=np.int64)
        return listed, keys, np.zeros(number), begin.astype(np.int64), begin.astype(np.int64)

    def classes(self, part: int) -> list[int]:
        """The classes of the best division of a part."""
        found = []
        while part:
            found.append(int(self._choice[part]))
            part -= found[-1]
        return found


class _BestDistinctDivisions:
    """The best division of each part into classes of which no two show the same.

    Whoever sees the release takes classes that show the same for one, and here that one need not
    satisfy the models. What classes show is gone through one after the other; a division has at
    most one class for each.
    """

    def __init__(
        self,
        table: SmallTable,
        items: tuple[Codes, Codes],
        part: _PricedParts,
        sizes: tuple[Counts, int],
    ) -> None:
        """`items`: each part's digits and first item; `sizes`: its records, and what must stay."""
        del sizes
        digits, _ = items
        self._digits, self._stride = digits, table.stride
        self._cost = part.cost
        fine = np.flatnonzero(np.isfinite(part.cost)).astype(np.int32)
        group, number = number_columns(np.ascontiguousarray(part.shown[:, fine]))
        order = np.argsort(group, kind="stable")
        self._order = fine[order]
        self._begin = np.searchsorted(group[order], np.arange(number + 1)).astype(np.int64)
        self.least = np.full(len(digits), np.inf)
        self.least[0] = 0.0
        self._last = np.full(len(digits), -1, dtype=np.int32)
        self._log = (np.zeros(0, dtype=np.int32),) * 3

    def run(self, watch: Watch) -> bool:
        """Find the best divisions, each group with one class or none; False if time was up."""
        used = 0
        state = self._digits, self._stride, self._cost, self.least, self._last
        rest = np.prod(self._digits[-1] - self._digits[self._order] + 1.0, axis=1)
        work = np.add.reduceat(rest, self._begin[:-1]).cumsum()
        for start, stop in _work_slices(work, 0):
            if watch.must_stop:
                return False
            watch.tell("dividing the table in all ways", float(work[start] / work[-1]))
            groups = (self._order, self._begin[start : stop + 1], start)
            self._log, used = kernels.divide_apart(groups, *state, self._log, used)
        return True

    def classes(self, part: int) -> list[int]:
        """The classes of the best division of a part."""
        chosen, group, before = self._log
        found, limit = [], len(self._begin)
        while part:
            line = int(self._last[part])
            while group[line] >= limit:
                line = int(before[line])
            found.append(int(chosen[line]))
            part, limit = part - found[-1], int(group[line])
        return found


class PartClasses:
    """Parts of a small table as classes, for models that look at values or people."""

    def __init__(self, problem: Problem, table: SmallTable) -> None:
        """Prepare the rows of each item, so that many parts can be made classes quickly."""
        tally = problem.tally
        read = model_columns(problem)
        self._columns = [problem.sensitive[i] for i in read]
        self._units = tally.has_units
        row = np.arange(tally.rows, dtype=np.int32) if table.whole else table.first_row
        self._item = table.item_of[row]
        self._count = tally.counts[row] if table.whole else np.ones(len(row), dtype=np.int64)
        self._people = tally.people[row]
        self._sensitive = tally.sensitive[read][:, row]
        self._shared = (tally.shared_row, tally.shared_unit)

    def classes(self, digits: Codes) -> Classes:
        """Parts of the table as classes; `digits[c, i]` copies of item i are in class c."""
        amounts = digits[:, self._item]
        class_of, row = np.nonzero(amounts)
        counts = (amounts[class_of, row] * self._count[row]).astype(np.int64)
        there = amounts > 0
        place = (np.cumsum(there.ravel()) - 1).reshape(there.shape)
        shared_row, shared_unit = self._shared
        of_class, pair = np.nonzero(there[:, shared_row])
        pieces = Tally(
            np.empty((0, len(row)), dtype=np.int32),
            np.ascontiguousarray(self._sensitive[:, row]),
            counts,
            self._people[row] if self._units else counts,
            place[of_class, shared_row[pair]].astype(np.int32),
            np.ascontiguousarray(shared_unit[pair]),
        )
        return classes_of(pieces, class_of.astype(np.int32), len(digits), self._columns)


def forbidden_cells(column: QuasiColumn) -> Flags:
    """Flags, `[level, smallest code]`, of cells a class may not show by column limits.

    A class of missing values alone may show just that; only the highest level mixes missing values
    with others (the smallest code is 0 then, too), and shows the column as a whole.
    """
    levels = np.arange(column.hierarchy.levels)
    above = np.repeat((levels > column.top)[:, None], len(column.frequency), axis=1)
    if column.hierarchy.ordered and np.isfinite(column.widest):
        wide = np.array([node_extents(column, level) for level in levels.tolist()]) > column.widest
        return above | wide
    return above


def _bit_fields(copies: Counts) -> tuple[Counts, int]:
    """The first bit of each item's field, and a number with the highest bit of every field set."""
    widths = [int(number).bit_length() + 1 for number in copies]
    shift = np.cumsum([0, *widths])[:-1].astype(np.int64)
    guard = sum(1 << (int(at) + width - 1) for at, width in zip(shift, widths, strict=True))
    return shift, guard


def _work_slices(work: Floats, first: int) -> list[tuple[int, int]]:
    """Runs of places from `first` on, `_AT_ONCE` of work each; `work` is cumulative."""
    cuts = np.flatnonzero(np.diff(np.floor(work / _AT_ONCE))) + 1
    ends = [first, *(int(cut) for cut in cuts if cut > first), len(work)]
    return [(start, stop) for start, stop in pairwise(ends) if start < stop]
