"""Whether the rows of a release can be of a table: what leaves unchanged, and what labels cover."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts, Flags
from incrowd.hierarchy.decoding import Decoded
from incrowd.verify.cells import text_of
from incrowd.verify.crowds import numbered
from incrowd.verify.shown import sets

MOST_PAIRS = 20_000_000
"""So many pairs of a released and an original row are compared at most."""


@dataclass(frozen=True, eq=False)
class Sides:
    """One quasi-identifying column of both tables."""

    shown: Counts
    """The label of each released row: 0 for missing, else its number in `stands` plus 1."""
    held: Codes
    """The leaf of each original row, 0 for missing."""
    stands: Decoded
    """What the labels may stand for; missing is the last of them."""

    def covers(self, released: Counts, original: Counts) -> Flags:
        """Whether the label of one row may stand for the value of the other, pair by pair."""
        label = self.shown[released] - 1
        each, held = self.stands, self.held[original]
        of = each.of[label]
        first, last = each.start[of], each.start[of + 1]
        found: Flags = np.zeros(len(label), dtype=np.bool_)
        for r in range(int((last - first).max(initial=0))):
            run = np.minimum(first + r, last - 1)
            found |= (each.low[run] <= held) & (held <= each.high[run])
        return found


def keys_of(before: pl.DataFrame, after: pl.DataFrame) -> tuple[Counts, Counts]:
    """The number of what each row holds in columns that both have: the original, the release."""
    both = [
        numbered(pl.concat([text_of(before[name]), text_of(after[name])])).codes
        for name in before.columns
    ]
    key = sets(both)
    return key[: len(before)], key[len(before) :]


def surplus(before: Counts, after: Counts) -> int:
    """How many released rows hold what no record of the table has left for them."""
    size = int(max(before.max(initial=-1), after.max(initial=-1))) + 1
    more = np.bincount(after, minlength=size) - np.bincount(before, minlength=size)
    return int(np.maximum(more, 0).sum())


def uncovered(before: Counts, after: Counts, columns: Sequence[Sides]) -> int | None:
    """How many released rows cover no record with the same key; None if there are too many pairs.

    Rows that hold and show the same are looked at once.
    """
    rows, times = _distinct(after, [column.shown for column in columns])
    records, _ = _distinct(before, [column.held.astype(np.int64) for column in columns])
    records = records[np.argsort(before[records], kind="stable")]
    start = np.searchsorted(before[records], after[rows], side="left")
    length = np.searchsorted(before[records], after[rows], side="right") - start
    if int(length.sum()) > MOST_PAIRS:
        return None
    row = np.repeat(np.arange(len(rows)), length)
    shift = np.repeat(start - np.concatenate([[0], np.cumsum(length)[:-1]]), length)
    record = records[np.arange(len(row)) + shift]
    good = np.ones(len(row), dtype=np.bool_)
    for column in columns:
        good &= column.covers(rows[row], record)
    covered = np.zeros(len(rows), dtype=np.bool_)
    covered[row[good]] = True
    return int(times[~covered].sum())


def _distinct(key: Counts, columns: Sequence[Counts]) -> tuple[Counts, Counts]:
    """The first of all rows that are equal in all of these, and how many are."""
    _, first, times = np.unique(sets([key, *columns]), return_index=True, return_counts=True)
    return first.astype(np.int64), times.astype(np.int64)
