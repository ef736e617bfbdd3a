"""Classes split by one column after the other.

Rows of one class stand together in `rows`; group g is `start[g]` to `start[g + 1]`. Only classes of
two rows or more are groups: a row alone in its class cannot be split.

What classes look like is told in four figures: how many there are, pairs of records that are
together in one, how many hold a single record, and the records of the smallest.
"""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit

NO_CLASS = np.iinfo(np.int64).max
"""What stands for the smallest class if there is none."""


@jit
def refine_dense(
    class_of: Codes, column: Codes, counts: Counts, number: int, domain: int
) -> tuple[Codes, Counts]:
    """Split classes by the codes of a column, with a cell for every class and code.

    The new classes are numbered in the order they are met; their sizes are in records.
    """
    cells = np.full(number * domain, -1, dtype=np.int32)
    split = np.empty(len(class_of), dtype=np.int32)
    sizes = np.zeros(min(len(class_of), number * domain), dtype=np.int64)
    found = 0
    for i in range(len(class_of)):
        cell = np.int64(class_of[i]) * domain + column[i]
        if cells[cell] < 0:
            cells[cell] = found
            found += 1
        split[i] = cells[cell]
        sizes[cells[cell]] += counts[i]
    return split, sizes[:found].copy()


@jit
def by_class(class_of: Codes, number: int) -> tuple[Codes, Counts]:
    """The rows class by class, and where each class begins and ends."""
    start = np.zeros(number + 1, dtype=np.int64)
    for i in range(len(class_of)):
        start[class_of[i] + 1] += 1
    for c in range(number):
        start[c + 1] += start[c]
    free = start.copy()
    rows = np.empty(len(class_of), dtype=np.int32)
    for i in range(len(class_of)):
        rows[free[class_of[i]]] = i
        free[class_of[i]] += 1
    return rows, start


@jit
def refine_sorted(
    class_of: Codes, column: Codes, counts: Counts, number: int, domain: int
) -> tuple[Codes, Counts]:
    """`refine_dense` class by class, with a cell for every code: for many classes and codes."""
    rows, start = by_class(class_of, number)
    cells = np.full(domain, -1, dtype=np.int32)
    split = np.empty(len(class_of), dtype=np.int32)
    sizes = np.zeros(len(class_of), dtype=np.int64)
    found = 0
    for c in range(number):
        first = found
        for i in range(start[c], start[c + 1]):
            row = rows[i]
            if cells[column[row]] < first:
                cells[column[row]] = found
                found += 1
            split[row] = cells[column[row]]
            sizes[split[row]] += counts[row]
    return split, sizes[:found].copy()


@jit
def groups(
    class_of: Codes, counts: Counts, number: int, told: Counts
) -> tuple[Codes, Counts, Counts]:
    """The classes of two rows or more; the figures of the other classes are added to `told`."""
    rows, start = by_class(class_of, number)
    kept, filled = 0, 0
    for c in range(number):
        lo, hi = start[c], start[c + 1]
        if hi - lo == 1:
            tell(counts[rows[lo]], told)
            continue
        for i in range(lo, hi):
            rows[filled + i - lo] = rows[i]
        filled += hi - lo
        kept += 1
        start[kept] = filled
    rows = rows[:filled].copy()
    return rows, counts[rows], start[: kept + 1].copy()


@jit
def tell(size: int, told: Counts) -> None:
    """Add a class of this many records to the figures."""
    told[0] += 1
    told[1] += size * (size - 1) // 2
    told[2] += size == 1
    told[3] = min(told[3], size)


@jit
def join(
    rows: Codes, weights: Counts, start: Counts, column: Codes, cells: Codes, told: Counts
) -> None:
    """Add the figures of the groups as a column splits them, without splitting them.

    `weights` are the records of `rows`; `cells` has an entry of -1 for every code of the column
    and is used up.
    """
    sizes = np.zeros(len(rows), dtype=np.int64)
    found = 0
    for g in range(len(start) - 1):
        first = found
        for i in range(start[g], start[g + 1]):
            v = column[rows[i]]
            if cells[v] < first:
                cells[v] = found
                found += 1
            sizes[cells[v]] += weights[i]
    for c in range(found):
        tell(sizes[c], told)


@jit
def split(
    rows: Codes, weights: Counts, start: Counts, column: Codes, cells: Codes, told: Counts
) -> tuple[Codes, Counts, Counts]:
    """The groups split by a column: `join`, but those of two rows or more are not told."""
    moved = np.empty(len(rows), dtype=np.int32)
    heavy = np.empty(len(rows), dtype=np.int64)
    bounds = np.zeros(len(rows) // 2 + 1, dtype=np.int64)
    number = np.empty(len(rows), dtype=np.int32)
    free = np.zeros(len(rows) + 1, dtype=np.int64)
    found, kept, filled = 0, 0, 0
    for g in range(len(start) - 1):
        first = found
        for i in range(start[g], start[g + 1]):
            v = column[rows[i]]
            if cells[v] < first:
                cells[v] = found
                found += 1
            number[i] = cells[v]
            free[cells[v]] += 1
        for c in range(first, found):
            length = free[c]
            free[c] = filled if length > 1 else -1
            if length > 1:
                filled += length
                kept += 1
                bounds[kept] = filled
        for i in range(start[g], start[g + 1]):
            to = free[number[i]]
            if to < 0:
                tell(weights[i], told)
            else:
                moved[to] = rows[i]
                heavy[to] = weights[i]
                free[number[i]] = to + 1
    return moved[:filled].copy(), heavy[:filled].copy(), bounds[: kept + 1].copy()
