"""Classes split until one person is left in them, and the smallest sets that do it.

Rows of one class stand together in `rows`; group g is `start[g]` to `start[g + 1]` and holds rows
of at least two people. A class of one person leaves the groups: it stays unique, whatever columns
are added.
"""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit


@jit
def split(
    rows: Codes, start: Counts, column: Codes, domain: int, person: Codes
) -> tuple[Codes, Counts, Codes]:
    """The groups split by a column, and the rows of the classes that are one person's now."""
    end = len(rows)
    cells = np.full(domain, -1, dtype=np.int64)
    label, size = np.empty(end, dtype=np.int64), np.zeros(end, dtype=np.int64)
    holder, several = np.empty(end, dtype=np.int32), np.zeros(end, dtype=np.bool_)
    moved, fresh = np.empty(end, dtype=np.int32), np.empty(end, dtype=np.int32)
    bounds = np.zeros(end // 2 + 2, dtype=np.int64)
    found, kept, filled, left = 0, 0, 0, 0
    for g in range(len(start) - 1):
        first = found
        for i in range(start[g], start[g + 1]):
            row = rows[i]
            c = cells[column[row]]
            if c < first:
                c = found
                cells[column[row]] = c
                holder[c] = person[row]
                found += 1
            label[i] = c
            size[c] += 1
            several[c] |= holder[c] != person[row]
        for c in range(first, found):
            if several[c]:
                length = size[c]
                size[c] = filled
                filled += length
                kept += 1
                bounds[kept] = filled
        for i in range(start[g], start[g + 1]):
            c = label[i]
            if several[c]:
                moved[size[c]] = rows[i]
                size[c] += 1
            else:
                fresh[left] = rows[i]
                left += 1
    return moved[:filled].copy(), bounds[: kept + 1].copy(), fresh[:left].copy()


@jit
def keep_minimal(
    fresh: Codes, columns: int, last: Counts, before: Counts, sets: Counts, used: int
) -> int:
    """Note the set of `columns` (bits) for the rows that no smaller set noted makes unique.

    Entry e of the notes says `sets[e]` and, in `before[e]`, the entry of the same row before it;
    `last[row]` is the latest. There must be room for one more entry per row; the entries used are
    told.
    """
    for row in fresh:
        entry = last[row]
        while entry >= 0 and sets[entry] & ~columns != 0:
            entry = before[entry]
        if entry < 0:
            before[used] = last[row]
            sets[used] = columns
            last[row] = used
            used += 1
    return used


@jit
def owners(last: Counts, before: Counts, used: int) -> Codes:
    """The row of each entry."""
    found = np.empty(used, dtype=np.int32)
    for row in range(len(last)):
        entry = last[row]
        while entry >= 0:
            found[entry] = row
            entry = before[entry]
    return found
