"""Cubes: what a table holds, counted by some of its columns, and what a release lets one think.

Ghinita Section 7.4. A class spreads its records evenly over the values that its cells stand for,
column by column (spans and nodes over their leaves, sets over their values, suppressed cells over
all leaves and, if the table lacks some, the missing value). Where quasi-identifiers are exact, a
class spreads its sensitive values over its records instead. Records that were left out are known by
their number alone: they are spread evenly over the whole cube. So a cell in which the table holds
somebody is never estimated at nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.errors import LimitError
from incrowd.kernels import queries
from incrowd.loss.cells import ShownCells, cells_of
from incrowd.partition.csr import offsets
from incrowd.recoding import Outcome
from incrowd.table.fold import find_distinct
from incrowd.table.tally import Tally

_LARGEST = 2**26
"""Cells of the quasi-identifying columns of one cube."""
_BLOCK = 2**22
"""Cells that are worked on at a time."""
_ROUNDING = 1e-9
"""The part of a record that sums may lose; no cell that holds somebody is estimated lower."""


@dataclass(frozen=True, eq=False)
class CountedColumn:
    """Which records are counted, and by which values of columns that are not quasi-identifying."""

    held: Codes
    """What each row of the tally holds, as a code 0, 1, …; -1 for rows that are not counted."""
    number: int
    """How many codes `held` can have."""
    even: float
    """The chance of each code of `held` if nothing is known of a record."""
    masks: Mapping[int, Flags] = field(default_factory=dict)
    """By quasi-identifying column: the codes that are counted, where not all are."""
    chance: float = 1.0
    """The chance that `held` is any code, not -1, if nothing is known of a record."""


@dataclass(frozen=True, eq=False)
class CubeAnswer:
    """The cells of a cube in which the table holds somebody."""

    true: Counts
    estimate: Floats
    total: float
    """What the release lets one think is in all cells together."""


@dataclass(frozen=True, eq=False)
class _CodeRuns:
    """The values that the cells of a column stand for, as runs of codes.

    Class c has the runs `start[c]:start[c + 1]`, and spreads `even[c]` of itself over each code.
    """

    start: Counts
    low: Codes
    high: Codes
    even: Floats

    def share(self, mask: Flags) -> Floats:
        """The share of each class's values that are among the codes of a mask."""
        upto = np.concatenate([[0], np.cumsum(mask)])
        inside = upto[self.high + 1] - upto[self.low]
        sums = np.concatenate([[0], np.cumsum(inside)])
        share: Floats = (sums[self.start[1:]] - sums[self.start[:-1]]) * self.even
        return share


class Cubes:
    """All cubes of an outcome over the records that are counted."""

    def __init__(self, outcome: Outcome, counted: CountedColumn) -> None:
        self.outcome = outcome
        self.counted = counted
        self.tally, self.class_of = rows_of(outcome)
        self._passing = self._rows_in_masks()
        self._entries = self._count_by_class()
        shown = [] if outcome.exact else cells_of(outcome)
        self._runs = [_runs_of_cells(cells) for cells in shown]
        self._members = self._rows_by_class() if outcome.exact else None
        self._total = self._estimate_total()

    def answer(self, group: Sequence[int]) -> CubeAnswer:
        """Count and estimate records by these quasi-identifying columns and by what is held.

        `LimitError` if the columns have too many combinations of values.
        """
        sizes = [len(self.outcome.columns[j].frequency) for j in group]
        cells = prod(sizes)
        if cells > _LARGEST:
            names = ", ".join(repr(self.outcome.columns[j].name) for j in group)
            raise LimitError(
                f"the group-by of {names} has {cells:,} cells, and {_LARGEST:,} can be estimated",
                remedy="group by fewer columns, or by columns with fewer values",
            )
        place = self._places(group, sizes)
        keys, true = self._true_counts(place, cells)
        estimate = np.empty(len(keys), dtype=np.float64)
        step = max(1, _BLOCK // max(cells, 1))
        add = self._record_adder(place) or self._box_adder(group, sizes)
        for first in range(0, self.counted.number, step):
            here = slice(*np.searchsorted(keys, [first * cells, (first + step) * cells]).tolist())
            if here.start < here.stop:
                cube = add(first, min(step, self.counted.number - first), cells)
                estimate[here] = cube[keys[here] - first * cells]
        return self._add_left_out(group, true, estimate)

    def _add_left_out(self, group: Sequence[int], true: Counts, estimate: Floats) -> CubeAnswer:
        """The answer after records that were left out are added to the estimates, spread evenly."""
        gone, masks = self.outcome.suppressed, self.counted.masks
        whole = [column.frequency for column in self.outcome.columns]
        chance = prod(even_share(whole[j], masks[j]) for j in masks)
        total = self._total + gone * self.counted.chance * chance
        apart = prod(even_share(whole[j], masks[j]) for j in masks if j not in group)
        apart /= prod(count_values(whole[j]) for j in group)
        estimate = np.maximum(estimate, 0.0 if gone else _ROUNDING)
        return CubeAnswer(true, estimate + gone * self.counted.even * apart, total)

    def _places(self, group: Sequence[int], sizes: Sequence[int]) -> Counts:
        """The index of each row of the tally in a cube by these columns of `sizes` codes."""
        place = np.zeros(self.tally.rows, dtype=np.int64)
        for j, size in zip(group, sizes, strict=True):
            place *= size
            place += self.tally.quasi[j]
        return place

    def _true_counts(self, place: Counts, cells: int) -> tuple[Counts, Counts]:
        """Indices (code held times `cells`, plus place) of the cells with records; their number."""
        counted = self._passing & (self.counted.held >= 0)
        held = self.counted.held[counted].astype(np.int64)
        keys = held * cells + place[counted]
        records = self.tally.counts[counted]
        if cells * self.counted.number <= _BLOCK:
            counts = np.bincount(keys, weights=records)
            found = np.flatnonzero(counts)
            return found, np.rint(counts[found]).astype(np.int64)
        distinct_keys, of = find_distinct(keys.astype(np.uint64), cells * self.counted.number)
        counts = np.bincount(of, weights=records, minlength=len(distinct_keys))
        return distinct_keys.astype(np.int64), np.rint(counts).astype(np.int64)

    def _rows_in_masks(self) -> Flags:
        """Flags of the rows whose quasi-identifying values are counted."""
        passing: Flags = np.ones(self.tally.rows, dtype=np.bool_)
        for j, mask in self.counted.masks.items():
            passing &= mask[self.tally.quasi[j]]
        return passing

    def _count_by_class(self) -> tuple[Codes, Codes, Floats]:
        """Class, code held and number of records of each such pair, sorted by code, then class."""
        rows = (self.class_of >= 0) & (self.counted.held >= 0)
        number = max(len(self.outcome.classes), 1)
        held = self.counted.held[rows].astype(np.int64)
        keys = (held * number + self.class_of[rows]).astype(np.uint64)
        found, of = find_distinct(keys, number * max(self.counted.number, 1))
        amount = np.bincount(of, weights=self.tally.counts[rows], minlength=len(found))
        what, class_of = np.divmod(found.astype(np.int64), number)
        return class_of.astype(np.int32), what.astype(np.int32), amount.astype(np.float64)

    def _rows_by_class(self) -> tuple[Counts, Counts]:
        """The released rows that are counted, class by class, and where each class begins."""
        rows = np.flatnonzero((self.class_of >= 0) & self._passing)
        rows = rows[np.argsort(self.class_of[rows], kind="stable")]
        number = len(self.outcome.classes)
        return rows, np.searchsorted(self.class_of[rows], np.arange(number + 1)).astype(np.int64)

    def _estimate_total(self) -> float:
        """The estimated number of counted records in all released classes."""
        class_of, _, amount = self._entries
        if self._members is not None:
            rows, begins = self._members
            upto = np.concatenate([[0], np.cumsum(self.tally.counts[rows])])
            share = np.diff(upto[begins]) / np.maximum(self.outcome.classes.records, 1)
        else:
            share = self._mask_weights(self.counted.masks)
        return float(amount @ share[class_of])

    def _mask_weights(self, columns: Mapping[int, Flags] | Sequence[int]) -> Floats:
        """The share of each class that lies in the masks of all these columns."""
        weights = np.ones(len(self.outcome.classes), dtype=np.float64)
        for j in columns:
            weights *= self._runs[j].share(self.counted.masks[j])
        return weights

    def _box_adder(self, group: Sequence[int], sizes: Sequence[int]) -> "_Adder":
        """The adder of classes that are spread evenly over the boxes that they show."""
        strides = [prod(sizes[i + 1 :]) for i in range(len(sizes))]
        steps = [
            _spread_steps(self._runs[j], size, stride)
            for j, size, stride in zip(group, sizes, strides, strict=True)
        ]
        offset = np.cumsum([0, *(len(place) for _, place, _ in steps)])
        begins = [start + first for (start, _, _), first in zip(steps, offset, strict=False)]
        class_of, held, amount = self._entries
        apart = [j for j in self.counted.masks if j not in group]
        entries = class_of, held, amount * self._mask_weights(apart)[class_of]
        empty = np.zeros((0, len(self.outcome.classes) + 1), dtype=np.int64)
        return _Adder(
            entries,
            np.vstack([empty, *begins]),
            np.concatenate([np.zeros(0, dtype=np.int64), *(place for _, place, _ in steps)]),
            np.concatenate([np.zeros(0, dtype=np.float64), *(step for _, _, step in steps)]),
            tuple(sizes),
        )

    def _record_adder(self, place: Counts) -> "_Adder | None":
        """The adder of classes whose cells are exact; None if cells are boxes."""
        if self._members is None:
            return None
        rows, begins = self._members
        class_of, held, amount = self._entries
        entries = class_of, held, amount / self.outcome.classes.records[class_of]
        records = self.tally.counts[rows].astype(np.float64)
        return _Adder(entries, begins, place[rows], records, None)


@dataclass(frozen=True, eq=False)
class _Adder:
    """Makes the part of a cube for a range of the codes `CountedColumn.held`, when called."""

    entries: tuple[Codes, Codes, Floats]
    """Class, code held and amount to spread, sorted by code."""
    begins: Counts
    """Where the places of each class begin: in one line, or in a line for each dimension."""
    place: Counts
    amount: Floats
    """What a place gets of what is spread; a difference, if the cube is made of these."""
    sizes: tuple[int, ...] | None
    """Of the dimensions, if the cube is made of differences."""

    def __call__(self, first: int, number: int, cells: int) -> Floats:
        """The estimates for `number` codes held, from `first` on: number * cells entries."""
        class_of, held, amount = self.entries
        here = slice(*np.searchsorted(held, [first, first + number]).tolist())
        cube = np.zeros(number * cells, dtype=np.float64)
        origin = (held[here].astype(np.int64) - first) * cells
        add = partial(queries.add_pairs if self.sizes is None else queries.add_boxes, cube)
        add((class_of[here], origin, amount[here]), self.begins, self.place, self.amount)
        if self.sizes:
            sums = cube.reshape(number, *self.sizes)
            for axis in range(1, sums.ndim):
                np.cumsum(sums, axis=axis, out=sums)
        return cube


def rows_of(outcome: Outcome) -> tuple[Tally, Codes]:
    """The rows behind the classes of an outcome, and their classes; `ValueError` without them."""
    if outcome.tally is None or outcome.class_of is None:
        raise ValueError("queries on an outcome need the rows behind its classes")
    return outcome.tally, outcome.class_of


def count_values(whole: Counts) -> int:
    """How many values a cell can have, missing too if some are; `whole` counts people by code."""
    return max(len(whole) - 1 + int(whole[MISSING] > 0), 1)


def even_share(whole: Counts, mask: Flags) -> float:
    """The chance that a mask has the code of an unknown record; `whole` counts people by code."""
    return (int(mask[1:].sum()) + int(mask[MISSING] and whole[MISSING] > 0)) / count_values(whole)


def _runs_of_cells(cells: ShownCells) -> _CodeRuns:
    """The codes that each class spreads over in one column; suppressed cells over all codes."""
    column, number = cells.column, len(cells.low)
    least = 0 if column.frequency[MISSING] else min(1, len(column.frequency) - 1)
    most = len(column.frequency) - 1
    if cells.sets is not None:
        return _set_runs(cells, least, most)
    low = np.where(cells.suppressed, least, cells.low).astype(np.int32)
    high = np.where(cells.suppressed, most, cells.high).astype(np.int32)
    return _CodeRuns(np.arange(number + 1, dtype=np.int64), low, high, 1.0 / (high - low + 1))


def _set_runs(cells: ShownCells, least: int, most: int) -> _CodeRuns:
    """The values of sets as runs; a suppressed set is the one run of codes `least` to `most`."""
    assert cells.sets is not None  # noqa: S101  asked before
    mixed, (begin, low, high) = cells.suppressed, cells.sets.runs()
    sizes = np.diff(begin)
    keep = np.repeat(~mixed, sizes)
    first = np.zeros(len(keep), dtype=np.bool_)
    first[begin[:-1]] = True
    stays = keep | first
    low = np.where(keep, low, least)[stays].astype(np.int32)
    high = np.where(keep, high, most)[stays].astype(np.int32)
    start = offsets(np.where(mixed, 1, sizes))
    return _CodeRuns(start, low, high, 1.0 / np.where(mixed, most - least + 1, cells.sets.sizes))


def _spread_steps(runs: _CodeRuns, size: int, stride: int) -> tuple[Counts, Counts, Floats]:
    """Where each class's steps start; places and amounts: up at a run's begin, down behind it.

    Summed up along a dimension of `size` codes, `stride` places apart, steps make even shares.
    """
    even = np.repeat(runs.even, np.diff(runs.start))
    place = np.stack([runs.low, runs.high + 1], axis=1).ravel()
    step = np.stack([even, -even], axis=1).ravel()
    inside = place < size
    upto = np.concatenate([[0], np.cumsum(inside)])
    return upto[2 * runs.start], place[inside].astype(np.int64) * stride, step[inside]
