"""Nodes of hierarchies: one level per column, or one per class and column."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from incrowd.arrays import Codes
from incrowd.partition.classes import number_columns
from incrowd.recoding.column import QuasiColumn
from incrowd.recoding.recoding import Pieces, Recoding, first_rows, renumber_classes
from incrowd.recoding.spans import ValueSets, covering_cells, stack_columns, value_sets
from incrowd.table.tally import Tally


@dataclass(frozen=True, eq=False)
class Levels(Recoding):
    """Full-domain generalization: one level per column, some records suppressed."""

    levels: tuple[int, ...]
    pieces: Pieces
    kind: ClassVar[str] = "levels"

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """What each class shows: the nodes of each column's one level."""
        first = first_rows(self.pieces.class_of)
        low, high, level = np.empty((3, len(columns), len(first)), dtype=np.int32)
        for j, (column, h) in enumerate(zip(columns, self.levels, strict=True)):
            node = column.hierarchy.maps[h][tally.quasi[j, first]]
            lows, highs = column.hierarchy.bounds[h]
            low[j], high[j], level[j] = lows[node], highs[node], h
        return low, high, level

    def with_divisible_classes(self) -> "CellLevels":
        """The recoding with levels class by class, since `Levels` leaves out whole classes only."""
        classes = int(self.pieces.class_of.max()) + 1
        levels = np.array(self.levels, dtype=np.int32)[:, np.newaxis]
        return CellLevels(np.repeat(levels, classes, axis=1), self.pieces)


@dataclass(frozen=True, eq=False)
class CellLevels(Recoding):
    """Generalization cell by cell: each class shows a level of its own in every column.

    All records of a class have the same node there. A search tells classes apart, as in `Spans`.
    """

    levels: Codes
    """The level of each column in each class: shape (d, classes)."""
    pieces: Pieces
    kind: ClassVar[str] = "cells"

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """What each class shows: the nodes of its own levels."""
        first = first_rows(self.pieces.class_of)
        low, high = np.empty_like(self.levels), np.empty_like(self.levels)
        for j, column in enumerate(columns):
            codes = tally.quasi[j, first]
            low[j], high[j] = column.hierarchy.cover(self.levels[j], codes)
        return low, high, self.levels

    def merge_alike(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> "CellLevels":
        """The recoding after classes that show the same in every column are made one.

        `tally` is the whole table's, not cut into pieces. A node that stands on several levels
        shows one label, so what is compared are runs of leaves, and whether a cell is suppressed.
        """
        cut = tally.split(self.pieces.row, self.pieces.count)
        low, high, level = self.cells(cut, columns)
        tops = np.array([[column.hierarchy.height] for column in columns], dtype=np.int32)
        ends = (np.where(level >= tops, 0, end + 1) for end in (low, high))
        place, number = number_columns(np.vstack([*ends]).astype(np.int32))
        shared = np.empty((len(columns), number), dtype=np.int32)
        shared[:, place] = self.levels
        class_of = renumber_classes(place, self.pieces.class_of)
        return CellLevels(shared, replace(self.pieces, class_of=class_of))


@dataclass(frozen=True, eq=False)
class Anatomized(Recoding):
    """Exact quasi-identifiers, sensitive values by class (Xiao and Tao, VLDB 2006).

    Nothing is generalized: what a class hides is which of its records holds which of its sensitive
    values. Classes are told by their number, so several may span the same.
    """

    pieces: Pieces
    kind: ClassVar[str] = "anatomy"
    exact: ClassVar[bool] = True

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """What each class shows: the exact codes of its first record, which cost nothing."""
        first = first_rows(self.pieces.class_of)
        codes = np.ascontiguousarray(tally.quasi[: len(columns), first])
        return codes, codes.copy(), np.zeros_like(codes)


@dataclass(frozen=True, eq=False)
class ColumnBuckets(Recoding):
    """Global recoding by buckets: equal values of a column show the same in every class.

    A bucket is a run of neighbouring codes, in a column without an order the leaves of a node. It
    shows the span of its released records, whatever else their class shows.
    """

    buckets: tuple[Codes, ...]
    """Per column, each code's bucket; missing has one of its own or shares the only one."""
    pieces: Pieces
    kind: ClassVar[str] = "cuts"
    spans: ClassVar[bool] = True

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """What each class shows: the span or node over what leaves of its bucket in each column."""
        kept = self.pieces.class_of >= 0
        shown = []
        for j, (column, bucket) in enumerate(zip(columns, self.class_buckets(tally), strict=True)):
            rows = bucket[self.pieces.class_of[kept]]
            ends = covering_cells(column, rows, tally.quasi[j, kept])
            shown.append(tuple(end[bucket] for end in ends))
        return stack_columns(shown, len(first_rows(self.pieces.class_of)))

    def class_buckets(self, tally: Tally) -> Codes:
        """The bucket of each class in each column: shape (d, classes); `tally` has a row per piece.

        Of a column only the buckets that some released class shows are numbered: 0, 1, … in their
        order in `buckets`.
        """
        first = first_rows(self.pieces.class_of)
        found = [of[tally.quasi[j, first]] for j, of in enumerate(self.buckets)]
        places = [np.unique(bucket, return_inverse=True)[1] for bucket in found]
        return np.array(places, dtype=np.int32).reshape(len(found), len(first))

    def value_sets(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> Mapping[int, ValueSets]:
        """The set of the values that leave in each class's bucket, by index of the column."""
        return value_sets(tally, self.pieces.class_of, columns, self.class_buckets(tally))
