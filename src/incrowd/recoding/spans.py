"""Local recoding: classes show what their records span, their values, or what is given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags
from incrowd.hierarchy.pools import Pools
from incrowd.partition.classes import number_columns
from incrowd.partition.csr import entries, offsets
from incrowd.recoding.column import QuasiColumn
from incrowd.recoding.recoding import Pieces, Recoding, renumber_classes
from incrowd.table.tally import Tally


@dataclass(frozen=True, eq=False)
class ValueSets:
    """What the set of each class names in one column, in compressed rows.

    Class c names the members `code[start[c]:start[c + 1]]`, ascending, each once, none within
    another. Members are the codes of values, or those of `pools`; missing is 0 in both.
    """

    start: Counts
    code: Codes
    pools: Pools | None = None

    @property
    def members(self) -> Counts:
        """How many members each set has."""
        return np.diff(self.start)

    @property
    def sizes(self) -> Counts:
        """How many values each set may stand for; missing is one."""
        if self.pools is None:
            return self.members
        return self.sum_members(self.pools.leaves)

    @property
    def mixed(self) -> Flags:
        """Flags of the classes that hold both missing values and others."""
        mixed: Flags = (self.code[self.start[:-1]] == MISSING) & (self.members > 1)
        return mixed

    @property
    def ends(self) -> tuple[Codes, Codes]:
        """The first and the last code that each set may stand for."""
        if self.pools is None:
            return self.code[self.start[:-1]], self.code[self.start[1:] - 1]
        low = np.minimum.reduceat(self.pools.first[self.code], self.start[:-1])
        return low, np.maximum.reduceat(self.pools.last[self.code], self.start[:-1])

    def sum_members(self, amount: Counts) -> Counts:
        """The sum over the members of each set of an amount that is given per member."""
        sums: Counts = np.add.reduceat(amount[self.code], self.start[:-1])
        return sums

    def runs(self) -> tuple[Counts, Codes, Codes]:
        """The codes of each set as runs: where its runs start, and their first and last codes."""
        if self.pools is None:
            return self.start, self.code, self.code
        begin, low, high = self.pools.all_runs
        entry, _ = entries(begin, self.code)
        lengths = np.add.reduceat(np.diff(begin)[self.code], self.start[:-1])
        return offsets(lengths), low[entry], high[entry]

    def take(self, which: Codes) -> "ValueSets":
        """The sets of these classes, in this order."""
        sizes = self.members[which]
        start = offsets(sizes)
        entry = np.arange(start[-1]) + np.repeat(self.start[which] - start[:-1], sizes)
        return ValueSets(start, self.code[entry], self.pools)

    @property
    def numbers(self) -> Codes:
        """Equal numbers for classes that show the same: their values, or nothing if mixed."""
        number: dict[bytes, int] = {}
        ends = pairwise(self.start.tolist())
        found = [number.setdefault(self.code[a:b].tobytes(), len(number)) for a, b in ends]
        return np.where(self.mixed, len(number), found).astype(np.int32)

    def as_read(self) -> "ValueSets":
        """The sets as a reader of all labels reads them: `*others*` is every value that none names.

        Values that might be named, but are in no set that is shown, then belong to a shown node
        over them, else to `*others*`. Without `*others*` in any set nothing changes.
        """
        pools = self.pools
        if pools is None or pools.others is None:
            return self
        plain = np.repeat(~self.mixed, self.members)
        shown = np.zeros(len(pools.level), dtype=np.bool_)
        shown[self.code[plain]] = True
        if not shown[pools.others]:
            return self
        shown[MISSING] = True
        read, number = pools.keep_shown(shown)
        return ValueSets(self.start, number[self.code], read)


def value_sets(
    tally: Tally, class_of: Codes, columns: tuple[QuasiColumn, ...], buckets: Codes | None = None
) -> dict[int, ValueSets]:
    """By index of a column that shows sets: the values of each class, or of its bucket."""
    kept = class_of >= 0
    found = {}
    for j, column in enumerate(columns):
        if column.sets:
            group = class_of[kept] if buckets is None else buckets[j][class_of[kept]]
            sets = _sets_of(group.astype(np.int64), tally.quasi[j, kept], column)
            found[j] = sets if buckets is None else sets.take(buckets[j])
    return found


def _sets_of(group: Counts, codes: Codes, column: QuasiColumn) -> ValueSets:
    """The set of each group 0, 1, …, `group[i]` holding `codes[i]`; in pools, if there are any."""
    pools = column.pools
    member = codes if pools is None else pools.of[codes]
    width = len(column.frequency)
    pairs = np.unique(group * width + member)
    if pools is not None:
        pairs = pairs[pools.flag_topmost(pairs // width, (pairs % width).astype(np.int32))]
    every = np.arange(int(group.max(initial=-1)) + 2) * width
    start = np.searchsorted(pairs, every).astype(np.int64)
    return ValueSets(start, (pairs % width).astype(np.int32), pools)


@dataclass(frozen=True, eq=False)
class Spans(Recoding):
    """Local recoding: each class shows the span of its own records.

    A search gives no two classes that show the same (see `merge_alike`): to whoever sees the
    release they are one.
    """

    pieces: Pieces
    kind: ClassVar[str] = "spans"
    spans: ClassVar[bool] = True

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """What each class shows: the span of its codes; in unordered columns the node over it."""
        kept = self.pieces.class_of >= 0
        class_of = self.pieces.class_of[kept]
        codes = zip(columns, tally.quasi, strict=False)
        shown = [covering_cells(column, class_of, of[kept]) for column, of in codes]
        return stack_columns(shown, int(class_of.max(initial=-1)) + 1)

    def value_sets(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> Mapping[int, ValueSets]:
        """The sets of the values of each class, by index of the column."""
        return value_sets(tally, self.pieces.class_of, columns)

    def merge_alike(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> "Spans":
        """The recoding after classes that show the same in every column are made one.

        `tally` is the whole table's, not cut into pieces. Missing mixed with values is shown
        as suppressed, whatever the values, and so are spans without an end.
        """
        cut = tally.split(self.pieces.row, self.pieces.count)
        sets = value_sets(cut, self.pieces.class_of, columns).values()
        place = number_shown(self.cells(cut, columns), columns, [found.numbers for found in sets])
        return Spans(replace(self.pieces, class_of=renumber_classes(place, self.pieces.class_of)))


def number_shown(
    cells: tuple[Codes, Codes, Codes], columns: tuple[QuasiColumn, ...], sets: Sequence[Codes] = ()
) -> Codes:
    """A number 0, 1, … per class, equal for classes whose cells show the same in every column.

    `cells` are low, high and level (d, classes), `sets` the `ValueSets.numbers` of columns that
    show sets. Missing mixed with values and spans without an end count as suppressed.
    """
    low, high, level = (of.copy() for of in cells)
    for j, column in enumerate(columns):
        endless = column.flag_endless(low[j], high[j])
        low[j, endless], level[j, endless] = MISSING, column.hierarchy.height
    hidden = (low == MISSING) & (high > MISSING)
    ends = np.where(hidden, 0, high + 1).astype(np.int32)
    place: Codes = number_columns(np.vstack([low, ends, level, *sets]))[0]
    return place


@dataclass(frozen=True, eq=False)
class GivenCells(Recoding):
    """Local recoding by cells that are given: a class may show more than its own records span.

    A class shows all that is said, whoever of the table is in it: cells that were made for the
    people of a world stand for all of them. No two classes show the same.
    """

    shown: tuple[Codes, Codes, Codes]
    """Low, high and level, each of shape (d, classes)."""
    pieces: Pieces
    sets: Mapping[int, ValueSets] = field(default_factory=dict)
    """By index of the column: the values that cells show, where they show a set."""
    kind: ClassVar[str] = "boxes"
    spans: ClassVar[bool] = True

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:  # noqa: ARG002  as other recodings
        """What each class shows: the cells that were given."""
        return self.shown

    def value_sets(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> Mapping[int, ValueSets]:
        """The sets that were given, by index of the column."""
        del tally, columns
        return self.sets


def covering_cells(
    column: QuasiColumn, group_of: Codes, codes: Codes
) -> tuple[Codes, Codes, Codes]:
    """Low code, high code and level of the cell over each group 0, 1, … (`group_of`) of codes."""
    low = np.full(int(group_of.max(initial=-1)) + 1, np.iinfo(np.int32).max, dtype=np.int32)
    high = np.zeros_like(low)
    np.minimum.at(low, group_of, codes)
    np.maximum.at(high, group_of, codes)
    low, high = column.widen(low, high)
    level = np.maximum(column.hierarchy.join_level(low, high), column.lowest).astype(np.int32)
    if not column.hierarchy.ordered:
        low, high = column.hierarchy.cover(level, low)
    return low, high, level


def stack_columns(shown: Sequence[tuple[Codes, ...]], classes: int) -> tuple[Codes, Codes, Codes]:
    """Stack what each column shows into matrices low, high and level: shape (d, `classes`)."""
    low, high, level = (
        np.array([cells[i] for cells in shown], dtype=np.int32).reshape(len(shown), classes)
        for i in range(3)
    )
    return low, high, level
