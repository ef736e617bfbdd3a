"""Count released rows: which records show the same cells.

Rows are distinct ones with the number of records that each stands for. Nothing here knows codes,
hierarchies or searches. Cells are compared as text; a missing cell is equal to a missing cell, or,
where a missing value matches anything, to every cell.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts
from incrowd.errors import LimitError
from incrowd.table.cells import enum_texts, text_of

_LARGEST = 2**62
_MOST_PAIRS = 100_000_000


@dataclass(frozen=True, eq=False)
class Crowds:
    """The crowds of a release: rows that nobody can tell apart.

    A class is all rows that show the same; the crowd of a class is the class itself and, where a
    missing value matches anything, every class that it could be.
    """

    class_of: Counts
    """The class of each row."""
    number: int
    """How many classes there are, and so crowds."""
    records: Counts
    """How many records each row stands for."""
    unit: Counts | None
    """Whose row it is; None if every record is a person."""
    pairs: tuple[Counts, Counts] | None
    """(crowd, member class), if a crowd is more than its class."""

    @property
    def sizes(self) -> Counts:
        """Records per class."""
        return records_per_code(self.class_of, self.records, self.number)

    @property
    def people(self) -> Counts:
        """People per crowd."""
        crowd, _, count = self.count_values(np.zeros(len(self.class_of), dtype=np.int64))
        people = np.zeros(self.number, dtype=np.int64)
        people[crowd] = count
        return people

    @property
    def people_of_class(self) -> Counts:
        """People per class, without other classes that it could match."""
        return replace(self, pairs=None).people

    def count_values(self, codes: Counts) -> tuple[Counts, Counts, Counts]:
        """Count people by crowd and value: (crowd, value, people), sorted, each pair once."""
        if self.unit is None:
            (member, value), count = _count_distinct(self.class_of, codes, count=self.records)
            crowd, place = self._repeat_in_crowds(member)
            (crowd, value), count = _count_distinct(crowd, value[place], count=count[place])
        else:
            (member, value, unit), _ = _count_distinct(self.class_of, codes, self.unit)
            crowd, place = self._repeat_in_crowds(member)
            (crowd, value, _), _ = _count_distinct(crowd, value[place], unit[place])
            (crowd, value), count = _count_distinct(crowd, value)
        return crowd, value, count

    def _repeat_in_crowds(self, member: Counts) -> tuple[Counts, Counts]:
        """Repeat entries of (ascending) classes for each crowd that has them: (crowds, places)."""
        if self.pairs is None:
            return member, np.arange(len(member), dtype=np.int64)
        crowd, inside = self.pairs
        start = np.searchsorted(member, inside, side="left")
        length = np.searchsorted(member, inside, side="right") - start
        return np.repeat(crowd, length), runs_of(start, length)


def crowds_of(
    columns: Sequence[Counts], unit: Counts | None, *, anything: bool, records: Counts | None = None
) -> Crowds:
    """Find the crowds of rows by their numbered cells (`number_cells`), one array per column.

    `records` says how many records each row stands for, one if not given. With `anything` a missing
    cell matches every cell; `LimitError` if too many classes match then.
    """
    key = np.zeros(len(columns[0]), dtype=np.int64)
    for codes in columns:
        key = pack((key, codes))
    _, first, class_of = np.unique(key, return_index=True, return_inverse=True)
    shown = np.stack([codes[first] for codes in columns])
    pairs = _matching_classes(shown) if anything and not shown.all() else None
    times = np.ones(len(key), dtype=np.int64) if records is None else records
    return Crowds(class_of.astype(np.int64), len(first), times, unit, pairs)


@dataclass(frozen=True, eq=False)
class NumberedCells:
    """The cells of a column numbered by their text."""

    codes: Counts
    """0 for missing, 1, 2, … in code-point order of the labels."""
    labels: pl.Series

    def __repr__(self) -> str:
        """Without values."""
        return f"NumberedCells({len(self.codes)} cells, {len(self.labels)} labels)"


def number_cells(column: pl.Series) -> NumberedCells:
    """Number the cells of a column by their text."""
    column = column.alias("")  # Polars takes a name such as ^a$ for a pattern
    if isinstance(column.dtype, pl.Enum):
        return _number_listed_texts(column)
    text = text_of(column)
    labels = text.drop_nulls().unique().sort()
    codes = text.cast(pl.Enum(labels)).to_physical().cast(pl.Int64) + 1
    return NumberedCells(codes.fill_null(0).to_numpy().astype(np.int64, copy=False), labels)


def _number_listed_texts(column: pl.Series) -> NumberedCells:
    """Number as `number_cells` does an Enum column, which may lack some of its listed texts."""
    texts = enum_texts(column).alias(column.name)
    place = column.to_physical().cast(pl.Int64).fill_null(len(texts)).to_numpy()
    there = np.flatnonzero(np.bincount(place, minlength=len(texts) + 1)[:-1])
    order = there[texts.gather(there).arg_sort().to_numpy()]
    lookup = np.zeros(len(texts) + 1, dtype=np.int64)
    lookup[order] = np.arange(1, len(order) + 1)
    return NumberedCells(lookup[place], texts.gather(order))


def _count_distinct(
    *columns: Counts, count: Counts | None = None
) -> tuple[tuple[Counts, ...], Counts]:
    """List the distinct rows of these columns, sorted, and how often each is (`count` per row)."""
    key = pack(columns)
    order = np.argsort(key)
    key = key[order]
    start = np.append(0, np.flatnonzero(key[1:] != key[:-1]) + 1)
    if count is None:
        times = np.diff(np.append(start, len(key)))
    else:
        times = np.add.reduceat(count[order], start)
    return tuple(column[order[start]] for column in columns), times


def records_per_code(codes: Counts, records: Counts, number: int) -> Counts:
    """Count records per code 0, 1, …, number - 1, in whole numbers."""
    return np.bincount(codes, weights=records, minlength=number).astype(np.int64)


def people_by_value(codes: Counts, size: int, unit: Counts | None, records: Counts) -> Counts:
    """Count people per code 0, 1, …, size - 1; a person counts once for each code."""
    if unit is None:
        return records_per_code(codes, records, size)
    return np.bincount(np.unique(unit * size + codes) % size, minlength=size)


def number_units(people: Codes | None) -> Counts | None:
    """Number whose each record is; every record of unit 0 is a person of its own. None for None."""
    if people is None:
        return None
    unit = people.astype(np.int64)
    nobody = np.flatnonzero(unit == 0)
    unit[nobody] = int(unit.max(initial=0)) + 1 + np.arange(len(nobody))
    return unit


def pack(columns: Sequence[Counts]) -> Counts:
    """Make one number per row that orders rows as their columns do, the first column first."""
    key, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        domain = int(column.max(initial=0)) + 1
        if size > _LARGEST // domain:
            values, key = np.unique(key, return_inverse=True)
            size = len(values)
        key = key * domain + column
        size *= domain
    return key


def _matching_classes(shown: Counts) -> tuple[Counts, Counts]:
    """List pairs (crowd, member) of matching classes, columns of `shown`; `LimitError` if many."""
    patterns, of = np.unique(shown == 0, axis=1, return_inverse=True)
    members = [np.flatnonzero(of == p) for p in range(patterns.shape[1])]
    crowd, member, total = [], [], 0
    for p, left in enumerate(members):
        for q, right in enumerate(members):
            known = ~(patterns[:, p] | patterns[:, q])
            a, b = _equal_pairs(shown[known][:, left], shown[known][:, right])
            crowd.append(left[a])
            member.append(right[b])
            total += len(a)
            if total > _MOST_PAIRS:
                raise LimitError(
                    "too many classes match each other through missing values to count them",
                    remedy='set missing = "own-value" or "suppress"',
                )
    return np.concatenate(crowd), np.concatenate(member)


def _equal_pairs(left: Counts, right: Counts) -> tuple[Counts, Counts]:
    """List all pairs (i, j) where column i of `left` equals column j of `right`."""
    both = np.concatenate([left, right], axis=1)
    key = pack([np.zeros(both.shape[1], dtype=np.int64), *both])
    ours, theirs = key[: left.shape[1]], key[left.shape[1] :]
    order = np.argsort(theirs, kind="stable")
    start = np.searchsorted(theirs[order], ours, side="left")
    length = np.searchsorted(theirs[order], ours, side="right") - start
    pairs = np.repeat(np.arange(len(ours), dtype=np.int64), length)
    return pairs, order[runs_of(start, length)]


def runs_of(start: Counts, length: Counts) -> Counts:
    """Join the runs start[i], start[i] + 1, … of these lengths, one after the other."""
    offset = np.repeat(start - np.concatenate([[0], np.cumsum(length)[:-1]]), length)
    runs: Counts = np.arange(len(offset), dtype=np.int64) + offset
    return runs
