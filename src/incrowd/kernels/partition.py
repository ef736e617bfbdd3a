"""Classes split by one column after the other.

Rows of one class stand together in `rows`; group g is `start[g]` to `start[g + 1]`. Only classes of
two rows or more are groups: a row alone in its class cannot be split. Codes, rows and places are
unsigned here, which spares numba the look for negative ones.

What classes look like is told in four figures: how many there are, twice the pairs of records that
are together in one, how many hold a single record, and the records of the smallest.
"""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit

Places = NDArray[np.uint32]

_PLACE = np.uint32
_STEP = np.uint64


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
def tell(sizes: Counts, number: int, told: Counts) -> None:
    """Add classes of these many records, the first `number` of them, to the figures."""
    together, alone, smallest = 0, 0, told[3]
    for c in range(number):
        size = sizes[c]
        together += size * (size - 1)
        alone += size == 1
        smallest = min(smallest, size)
    told[0] += number
    told[1] += together
    told[2] += alone
    told[3] = smallest


@jit
def join(
    rows: Places, weights: Counts, start: Counts, column: Places, domain: int, told: Counts
) -> None:
    """Add the figures of the groups as a column splits them, without splitting them.

    `weights` are the records of `rows`.
    """
    cells = np.full(domain, -1, dtype=np.int64)
    sizes = np.zeros(len(rows), dtype=np.int64)
    found = 0
    for g in range(len(start) - 1):
        first = found
        for i in range(_STEP(start[g]), _STEP(start[g + 1])):
            v = column[rows[i]]
            if cells[v] < first:
                cells[v] = found
                found += 1
            sizes[_STEP(cells[v])] += weights[i]
    tell(sizes, found, told)


@jit
def split(
    rows: Places,
    weights: Counts,
    start: Counts,
    column: Places,
    domain: int,
    settled: Counts,
    told: Counts,
) -> tuple[Places, Counts, Counts]:
    """The groups split by a column; `told` is what `join` tells, `settled` without the new groups.

    A row that is alone is moved to the place behind the last, where the next one overwrites it.
    """
    end = len(rows)
    cells = np.full(domain, -1, dtype=np.int64)
    label, free = np.empty(end, dtype=np.uint32), np.zeros(end, dtype=np.uint32)
    sizes, alone = np.zeros(end, dtype=np.int64), np.empty(end, dtype=np.int64)
    moved, heavy = np.empty(end + 1, dtype=np.uint32), np.empty(end + 1, dtype=np.int64)
    bounds = np.zeros(end // 2 + 1, dtype=np.int64)
    found, single, kept, filled = 0, 0, 0, 0
    for g in range(len(start) - 1):
        first = found
        for i in range(_STEP(start[g]), _STEP(start[g + 1])):
            v = column[rows[i]]
            if cells[v] < first:
                cells[v] = found
                found += 1
            label[i] = cells[v]
            sizes[label[i]] += weights[i]
            free[label[i]] += _PLACE(1)
        for c in range(_STEP(first), _STEP(found)):
            length = free[c]
            free[c] = filled
            if length == 1:
                alone[single] = sizes[c]
                single += 1
                free[c] = end
                continue
            filled += length
            kept += 1
            bounds[kept] = filled
        for i in range(_STEP(start[g]), _STEP(start[g + 1])):
            to = free[label[i]]
            moved[to] = rows[i]
            heavy[to] = weights[i]
            free[label[i]] = to + _PLACE(1)
    tell(sizes, found, told)
    tell(alone, single, settled)
    return moved[:filled].copy(), heavy[:filled].copy(), bounds[: kept + 1].copy()
