"""What is done to the rows, and what that shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Protocol

import numpy as np

from incrowd.arrays import MISSING, SUPPRESSED, Codes, Counts, Flags, Floats
from incrowd.classes import Classes, SensitiveColumn, classes_of, numbered
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.table.tally import Tally


@dataclass(frozen=True, eq=False)
class QuasiColumn:
    """A quasi-identifying column with its hierarchy, as a search sees it."""

    name: str
    hierarchy: Hierarchy
    frequency: Counts
    """Records per code in the table: shape (leaves + 1,), entry 0 counts the missing."""
    weight: float = 1.0
    """How much its loss matters; weights are normalized to sum 1 where they are used."""
    lowest: int = 0
    """The lowest level that may be shown, below the hierarchy's height."""
    highest: int | None = None
    """The highest level that may be shown; None is the hierarchy's height."""
    widest: float = inf
    """The largest extent of an ordered column that a class may span, on the scale of its
    `Domain.positions`."""
    sets: bool = False
    """Whether local recoding shows the set of a class's values in place of the node over them."""

    @property
    def top(self) -> int:
        """The highest level that may be shown."""
        return self.hierarchy.height if self.highest is None else self.highest

    @property
    def divisible(self) -> bool:
        """Whether to part any two neighbouring codes makes both sides cost less.

        Otherwise only to part branches of the hierarchy does.
        """
        return self.hierarchy.ordered or self.sets

    @cached_property
    def range(self) -> tuple[int, int]:
        """The first and last code that the table holds, missing apart; (0, 0) if none."""
        present = np.flatnonzero(self.frequency[1:]) + 1
        return (int(present[0]), int(present[-1])) if len(present) else (MISSING, MISSING)

    def widened(self, low: Codes, high: Codes) -> tuple[Codes, Codes]:
        """Spans of codes, widened to whole nodes of the lowest level that may be shown."""
        nodes = self.hierarchy.maps[self.lowest]
        first, last = self.hierarchy.bounds[self.lowest]
        return first[nodes[low]], last[nodes[high]]


@dataclass(frozen=True, eq=False)
class ValueSets:
    """The values of each class in one column, in compressed rows.

    Class c holds the codes `code[start[c]:start[c + 1]]`, ascending, each once.
    """

    start: Counts
    code: Codes

    @property
    def sizes(self) -> Counts:
        """How many values each class holds."""
        return np.diff(self.start)

    @property
    def mixed(self) -> Flags:
        """Which classes hold missing and other values."""
        mixed: Flags = (self.code[self.start[:-1]] == MISSING) & (self.sizes > 1)
        return mixed

    def take(self, which: Codes) -> "ValueSets":
        """The sets of these classes, in this order."""
        sizes = self.sizes[which]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        entry = np.arange(start[-1]) + np.repeat(self.start[which] - start[:-1], sizes)
        return ValueSets(start, self.code[entry])

    @property
    def numbers(self) -> Codes:
        """Equal numbers for classes that show the same: their values, or nothing if mixed."""
        number: dict[bytes, int] = {}
        ends = pairwise(self.start.tolist())
        found = [number.setdefault(self.code[a:b].tobytes(), len(number)) for a, b in ends]
        return np.where(self.mixed, len(number), found).astype(np.int32)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a release shows: per class and column a run of leaves, and who is in the class.

    The matrices have shape (d, classes). A cell with `low == high` is exact. A cell whose
    `level` is the hierarchy's height is suppressed, whatever its bounds, unless it is a span of an
    ordered column: that one shows its ends.
    """

    columns: tuple[QuasiColumn, ...]
    low: Codes
    high: Codes
    level: Codes
    """The level of the shown node; for spans of ordered columns the lowest that covers them."""
    classes: Classes
    suppressed: int
    """Records left out."""
    spans: bool
    """Ordered columns are shown by their true span rather than by their node's label."""
    tally: Tally | None = None
    """The rows behind the classes; None where only what the release shows is at hand."""
    class_of: Codes | None = None
    """The class of each row of `tally`."""
    sets: Mapping[int, ValueSets] = field(default_factory=dict)
    """By number of the column: the values that its cells show, where they show a set.

    A set that mixes missing with values is shown as suppressed.
    """
    exact: bool = False
    """Quasi-identifying cells leave as they are and the sensitive ones by class; the matrices then
    hold the first record of each class, at level 0."""
    buckets: Codes | None = None
    """The bucket of each class in each column, where a bucket shows the same in every class."""

    @property
    def records(self) -> int:
        """Records of the table, those left out included."""
        return int(self.classes.records.sum()) + self.suppressed

    @property
    def weights(self) -> Floats:
        """The columns' weights, normalized to sum 1."""
        weights: Floats = np.array([column.weight for column in self.columns], dtype=np.float64)
        weights /= weights.sum()
        return weights


@dataclass(frozen=True, eq=False)
class Pieces:
    """Which records are in which class: `count` records of tally row `row` are in `class_of`.

    `class_of` is `SUPPRESSED` (-1) for records that are left out. If no row is cut, `row` is
    0, 1, 2, … and `count` is the tally's.
    """

    row: Codes
    count: Counts
    class_of: Codes


class Recoding(Protocol):
    """What a search decides: `Levels`, `Cells`, `Spans`, `Cuts`, `Boxes` or `Anatomy`."""

    @property
    def kind(self) -> str:
        """`levels`, `cells`, `spans`, `cuts`, `boxes` or `anatomy`."""

    @property
    def pieces(self) -> Pieces:
        """Which records are in which class; classes are numbered 0, 1, … without a gap."""

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """What each class shows: low, high and level, each of shape (d, classes).

        `tally` holds one row per piece.
        """


@dataclass(frozen=True, eq=False)
class Levels:
    """Full-domain generalization: one level per column, some records suppressed."""

    levels: tuple[int, ...]
    pieces: Pieces
    kind: str = "levels"

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """Each class shows the nodes of its column's level."""
        first = _first_rows(self.pieces.class_of)
        low = np.empty((len(columns), len(first)), dtype=np.int32)
        high = np.empty_like(low)
        level = np.empty_like(low)
        for j, (column, h) in enumerate(zip(columns, self.levels, strict=True)):
            node = column.hierarchy.maps[h][tally.quasi[j, first]]
            lows, highs = column.hierarchy.bounds[h]
            low[j], high[j], level[j] = lows[node], highs[node], h
        return low, high, level


@dataclass(frozen=True, eq=False)
class Cells:
    """Generalization cell by cell: each class shows a level of its own in every column.

    All records of a class have the same node there. A search gives no two classes that show the
    same (see `told_apart`): to whoever sees the release they are one.
    """

    levels: Codes
    """The level of each column in each class: shape (d, classes)."""
    pieces: Pieces
    kind: str = "cells"

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """Each class shows the nodes of its own levels."""
        first = _first_rows(self.pieces.class_of)
        low, high = np.empty_like(self.levels), np.empty_like(self.levels)
        for j, column in enumerate(columns):
            codes = tally.quasi[j, first]
            low[j], high[j] = column.hierarchy.cover(self.levels[j], codes)
        return low, high, self.levels

    def told_apart(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> "Cells":
        """The same recoding with classes that show the same in every column made one.

        A node that stands on several levels shows one label, so what is compared are runs of
        leaves, and whether a cell is suppressed.
        """
        cut = tally.split(self.pieces.row, self.pieces.count)
        low, high, level = self.cells(cut, columns)
        tops = np.array([[column.hierarchy.height] for column in columns], dtype=np.int32)
        ends = (np.where(level >= tops, 0, end + 1) for end in (low, high))
        place, number = numbered(np.vstack([*ends]).astype(np.int32))
        shared = np.empty((len(columns), number), dtype=np.int32)
        shared[:, place] = self.levels
        return Cells(shared, replace(self.pieces, class_of=_placed(place, self.pieces.class_of)))


@dataclass(frozen=True, eq=False)
class Spans:
    """Local recoding: each class shows the span of its own records.

    A search gives no two classes that show the same (see `told_apart`): to whoever sees the release
    they are one.
    """

    pieces: Pieces
    kind: str = "spans"

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """Each class shows the span of its codes; unordered columns the node that covers it."""
        kept = self.pieces.class_of >= 0
        class_of = self.pieces.class_of[kept]
        codes = zip(columns, tally.quasi, strict=False)
        shown = [_covering(column, class_of, of[kept]) for column, of in codes]
        return _stacked(shown, int(class_of.max(initial=-1)) + 1)

    def told_apart(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> "Spans":
        """The same recoding with classes that show the same in every column made one.

        Missing mixed with values is shown as suppressed, whatever the values.
        """
        cut = tally.split(self.pieces.row, self.pieces.count)
        sets = value_sets(cut, self.pieces.class_of, columns).values()
        low, high, level = self.cells(cut, columns)
        mixed = (low == MISSING) & (high > MISSING)
        ends = np.where(mixed, 0, high + 1).astype(np.int32)
        place, _ = numbered(np.vstack([low, ends, level, *(found.numbers for found in sets)]))
        return Spans(replace(self.pieces, class_of=_placed(place, self.pieces.class_of)))


@dataclass(frozen=True, eq=False)
class Cuts:
    """Global recoding by buckets: equal values of a column show the same in every class.

    A bucket is a run of neighbouring codes, in a column without an order the leaves of a node. It
    shows what its records that leave span, whatever else their class shows.
    """

    buckets: tuple[Codes, ...]
    """Per column the bucket of each code: missing values have one of their own, or share the only
    one with all others."""
    pieces: Pieces
    kind: str = "cuts"

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """Each class shows its buckets."""
        kept = self.pieces.class_of >= 0
        shown = []
        for j, (column, bucket) in enumerate(zip(columns, self.shown(tally), strict=True)):
            rows = bucket[self.pieces.class_of[kept]]
            ends = _covering(column, rows, tally.quasi[j, kept])
            shown.append(tuple(end[bucket] for end in ends))
        return _stacked(shown, len(_first_rows(self.pieces.class_of)))

    def shown(self, tally: Tally) -> Codes:
        """The bucket of each class in each column, numbered 0, 1, … among those that leave."""
        first = _first_rows(self.pieces.class_of)
        found = [of[tally.quasi[j, first]] for j, of in enumerate(self.buckets)]
        places = [np.unique(bucket, return_inverse=True)[1] for bucket in found]
        return np.array(places, dtype=np.int32).reshape(len(found), len(first))


@dataclass(frozen=True, eq=False)
class Boxes:
    """Local recoding by cells that are given: a class may show more than its own records span.

    A class shows all that is said, whoever of the table is in it: cells that were made for the
    people of a world stand for all of them. No two classes show the same.
    """

    shown: tuple[Codes, Codes, Codes]
    """Low, high and level, each of shape (d, classes)."""
    pieces: Pieces
    kind: str = "boxes"

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:  # noqa: ARG002  as other recodings
        """Each class shows what is given."""
        return self.shown


@dataclass(frozen=True, eq=False)
class Anatomy:
    """Exact quasi-identifiers, sensitive values by class (Xiao and Tao, VLDB 2006).

    Nothing is generalized: what a class hides is which of its records holds which of its sensitive
    values. Classes are told by their number, so several may span the same.
    """

    pieces: Pieces
    kind: str = "anatomy"

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """The first record of each class stands for its exact cells, which cost nothing."""
        first = _first_rows(self.pieces.class_of)
        codes = np.ascontiguousarray(tally.quasi[: len(columns), first])
        return codes, codes.copy(), np.zeros_like(codes)


def outcome_of(
    recoding: Recoding,
    tally: Tally,
    columns: tuple[QuasiColumn, ...],
    sensitive: Sequence[SensitiveColumn],
) -> Outcome:
    """What a recoding shows of a table."""
    pieces = recoding.pieces
    cut = tally.split(pieces.row, pieces.count)
    low, high, level = recoding.cells(cut, columns)
    classes = classes_of(cut, pieces.class_of, low.shape[1], sensitive)
    suppressed = int(pieces.count[pieces.class_of < 0].sum())
    given = recoding.kind == "boxes"
    spans = given or recoding.kind in {"spans", "cuts"}
    buckets = recoding.shown(cut) if isinstance(recoding, Cuts) else None
    return Outcome(
        columns,
        low,
        high,
        level,
        classes,
        suppressed,
        spans,
        tally=cut,
        class_of=pieces.class_of,
        sets=value_sets(cut, pieces.class_of, columns, buckets) if spans and not given else {},
        exact=recoding.kind == "anatomy",
        buckets=buckets,
    )


def value_sets(
    tally: Tally, class_of: Codes, columns: tuple[QuasiColumn, ...], buckets: Codes | None = None
) -> dict[int, ValueSets]:
    """The values of each class, or of its bucket, in the columns that show sets."""
    kept = class_of >= 0
    found = {}
    for j, column in enumerate(columns):
        if column.sets:
            group = class_of[kept] if buckets is None else buckets[j][class_of[kept]]
            width = len(column.frequency)
            pairs = np.unique(group.astype(np.int64) * width + tally.quasi[j, kept])
            every = np.arange(int(group.max(initial=-1)) + 2) * width
            start = np.searchsorted(pairs, every).astype(np.int64)
            sets = ValueSets(start, (pairs % width).astype(np.int32))
            found[j] = sets if buckets is None else sets.take(buckets[j])
    return found


def _covering(column: QuasiColumn, group_of: Codes, codes: Codes) -> tuple[Codes, Codes, Codes]:
    """Low, high and level of what covers the codes of each group."""
    low = np.full(int(group_of.max(initial=-1)) + 1, np.iinfo(np.int32).max, dtype=np.int32)
    high = np.zeros_like(low)
    np.minimum.at(low, group_of, codes)
    np.maximum.at(high, group_of, codes)
    level = np.maximum(column.hierarchy.join_level(low, high), column.lowest).astype(np.int32)
    low, high = column.widened(low, high)
    if not column.hierarchy.ordered:
        low, high = column.hierarchy.cover(level, low)
    return low, high, level


def _stacked(shown: Sequence[tuple[Codes, ...]], classes: int) -> tuple[Codes, Codes, Codes]:
    """What the columns show, one after the other, as one matrix each of low, high and level."""
    low, high, level = (
        np.array([cells[i] for cells in shown], dtype=np.int32).reshape(len(shown), classes)
        for i in range(3)
    )
    return low, high, level


def _placed(place: Codes, class_of: Codes) -> Codes:
    return np.where(class_of >= 0, place[class_of], SUPPRESSED).astype(np.int32)


def _first_rows(class_of: Codes) -> Codes:
    number = int(class_of.max(initial=-1)) + 1
    first = np.zeros(number, dtype=np.int32)
    rows = np.flatnonzero(class_of >= 0).astype(np.int32)
    first[class_of[rows[::-1]]] = rows[::-1]
    return first
