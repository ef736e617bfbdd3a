"""Stripped partitions, refined by one column after the other.

A *stripped* partition lists the rows of its classes, class after class: class c has the rows from
`start[c]` up to but not including `start[c + 1]`. Every class has two rows or more: a row alone in
its class is left out, because no column can split it. Classes keep the order in which their first
rows come, and rows keep their order within a class.

Shapes: rows (rows that are listed,); start (classes + 1,); column (rows of the table,), its codes
below `domain`.
"""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit


@jit
def split_groups(
    rows: Codes, start: Counts, column: Codes, domain: int, person: Codes
) -> tuple[Codes, Counts, Codes]:
    """Return the groups split by a column: their rows, their bounds, and the rows left out.

    Groups of one person are left out; `person` tells whose each row is. Group g is the rows from
    `bounds[g]` to before `bounds[g + 1]`.
    """
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
            if c < first:  # not seen in this group: cells need no clearing between groups
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
def note_minimal_sets(
    fresh: Codes, columns: int, last: Counts, before: Counts, sets: Counts, used: int
) -> int:
    """Note that the set of `columns` (bits) makes the rows `fresh` unique; return entries in use.

    A row gets no note if a subset of the columns is noted for it. Entry e of the notes is the set
    `sets[e]`, and `before[e]` the entry of the same row before it, or -1; `last[row]` is the latest
    of a row, or -1. There must be room for one more entry per row.
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
def rows_of_notes(last: Counts, before: Counts, used: int) -> Codes:
    """Return the row of each entry of the notes (see `note_minimal_sets`)."""
    found = np.empty(used, dtype=np.int32)
    for row in range(len(last)):
        entry = last[row]
        while entry >= 0:
            found[entry] = row
            entry = before[entry]
    return found


@jit
def refine_classes(
    rows: Codes,
    start: Counts,
    column: Codes,
    tally: Codes,
    seen: Codes,
    split: Codes,
    bounds: Counts,
    alone: Codes,
) -> tuple[int, int]:
    """Split each class by the codes of a column; return how many classes there are then.

    Also return how many rows went to `alone`. The rows of classes go to `split`, the bounds of the
    classes to `bounds` (one entry more than classes) and the rows that are alone in their class now
    to `alone`; if that has no room at all they are not noted, and 0 is returned. `tally` has a zero
    for every code of the column, and again afterwards; `seen` has room for the largest class;
    `split` and `alone` for all rows, `bounds` for half as many classes as rows and one more.
    """
    classes, end, left = 0, 0, 0
    noted = len(alone) > 0
    bounds[0] = 0
    for c in range(len(start) - 1):
        first, size = start[c], start[c + 1] - start[c]
        if size == 2:
            one, other = rows[first], rows[first + 1]
            if column[one] == column[other]:
                split[end], split[end + 1] = one, other
                end += 2
                classes += 1
                bounds[classes] = end
            elif noted:
                alone[left], alone[left + 1] = one, other
                left += 2
            continue
        for i in range(size):
            seen[i] = column[rows[first + i]]
            tally[seen[i]] += 1
        # The tally of a code turns from its count into -1 - the place of its next row.
        for i in range(size):
            place = tally[seen[i]]
            if place > 1:
                classes += 1
                bounds[classes] = end + place
                place, end = -end - 1, end + place
            if place < 0:
                split[-place - 1] = rows[first + i]
                tally[seen[i]] = place - 1
            elif noted:
                alone[left] = rows[first + i]
                left += 1
        for i in range(size):
            tally[seen[i]] = 0
    return classes, left


@jit
def split_classes(
    rows: Codes, start: Counts, column: Codes, domain: int
) -> tuple[Codes, Counts, Codes]:
    """Return the classes split by a column: rows, start, and the rows that are alone now."""
    end, largest = len(rows), 0
    for c in range(len(start) - 1):
        largest = max(largest, start[c + 1] - start[c])
    tally, seen = np.zeros(domain, dtype=np.int32), np.empty(largest, dtype=np.int32)
    split, alone = np.empty(end, dtype=np.int32), np.empty(end, dtype=np.int32)
    bounds = np.zeros(end // 2 + 1, dtype=np.int64)
    classes, left = refine_classes(rows, start, column, tally, seen, split, bounds, alone)
    return split[: bounds[classes]].copy(), bounds[: classes + 1].copy(), alone[:left].copy()
