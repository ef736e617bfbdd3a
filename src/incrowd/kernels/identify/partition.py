"""Classes split by one column after the other.

Rows of one class stand together in `rows`; group g is `start[g]` to `start[g + 1]`. Only classes of
two rows or more are groups: a row alone in its class cannot be split. Codes, rows and places are
unsigned here, which spares numba the look for negative ones.

What classes look like is told in four figures: how many there are, twice the pairs of records that
are together in one, how many hold a single record, and the records of the smallest.
"""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Counts
from incrowd.kernels.compile import jit

Places = NDArray[np.uint32]

_PLACE = np.uint32
_STEP = np.uint64


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

    A row that is alone is moved too, to the place of the next group, whose rows come later.
    """
    end = len(rows)
    cells = np.full(domain, -1, dtype=np.int64)
    label, free = np.empty(end, dtype=np.uint32), np.zeros(end, dtype=np.uint32)
    sizes, alone = np.zeros(end, dtype=np.int64), np.empty(end, dtype=np.int64)
    moved, heavy = np.empty(end, dtype=np.uint32), np.empty(end, dtype=np.int64)
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
