"""Whether released rows can come from a table: unchanged cells, and what labels cover."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts, Flags
from incrowd.hierarchy.decoding import Decoded
from incrowd.table.cells import text_of
from incrowd.table.counted import CountedRows
from incrowd.verify.crowds import number_cells, records_per_code, runs_of
from incrowd.verify.shown import number_rows

MOST_PAIRS = 20_000_000
"""Limit of compared pairs of released and original rows."""


@dataclass(frozen=True, eq=False)
class ColumnPair:
    """One quasi-identifying column of the release and of the original table."""

    shown: Counts
    """The label of each released row: 0 for missing, else its number in `stands` plus 1."""
    held: Codes
    """The leaf of each original row, 0 for missing."""
    stands: Decoded
    """What the labels may stand for; missing is the last of them."""

    def covers(self, released: Counts, original: Counts) -> Flags:
        """Whether labels of `released` rows may stand for values of `original` ones, in pairs."""
        labels = self.stands.of[self.shown[released] - 1]
        return replace(self.stands, of=labels).covers(self.held[original])


@dataclass(frozen=True, eq=False)
class Keys:
    """What rows hold in columns that leave unchanged, and how many records each stands for."""

    number: Counts
    """Per row; rows that hold the same have one number, in the release and in the table."""
    records: Counts


def keys_of(before: CountedRows, after: CountedRows) -> tuple[Keys, Keys]:
    """Make the keys of the rows `before` and `after`, by the columns that both have."""
    both = [
        number_cells(pl.concat([text_of(before.cells[name]), text_of(after.cells[name])])).codes
        for name in before.cells.columns
        if name in after.cells.columns
    ]
    first = len(before.records)
    key = number_rows(both) if both else np.zeros(first + len(after.records), dtype=np.int64)
    return Keys(key[:first], before.records), Keys(key[first:], after.records)


def count_surplus_records(before: Keys, after: Keys) -> int:
    """Count released records beyond those that hold the same unchanged values in the table."""
    size = int(max(before.number.max(initial=-1), after.number.max(initial=-1))) + 1
    there, released = (
        records_per_code(side.number, side.records, size) for side in (before, after)
    )
    return int(np.maximum(released - there, 0).sum())


def count_uncovered(before: Keys, after: Keys, columns: Sequence[ColumnPair]) -> int | None:
    """Count released records that cover no record with the same key; None if pairs are too many."""
    rows, times = _distinct_rows(after, [column.shown for column in columns])
    records, _ = _distinct_rows(before, [column.held.astype(np.int64) for column in columns])
    records = records[np.argsort(before.number[records], kind="stable")]
    start = np.searchsorted(before.number[records], after.number[rows], side="left")
    length = np.searchsorted(before.number[records], after.number[rows], side="right") - start
    if int(length.sum()) > MOST_PAIRS:
        return None
    row = np.repeat(np.arange(len(rows)), length)
    record = records[runs_of(start, length)]
    good = np.ones(len(row), dtype=np.bool_)
    for column in columns:
        good &= column.covers(rows[row], record)
    covered = np.zeros(len(rows), dtype=np.bool_)
    covered[row[good]] = True
    return int(times[~covered].sum())


def _distinct_rows(keys: Keys, columns: Sequence[Counts]) -> tuple[Counts, Counts]:
    """Return (first row, records) of each set of rows that are equal in keys and columns."""
    place = number_rows([keys.number, *columns])
    _, first = np.unique(place, return_index=True)
    return first.astype(np.int64), records_per_code(place, keys.records, len(first))
