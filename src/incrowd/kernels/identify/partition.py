"""Figures of classes that are split by one column after the other.

Groups are the classes of a stripped partition (see `kernels.refinement`). `join` takes codes and
rows as unsigned numbers, which spares numba the check for negative ones.

Four figures describe classes: how many there are, twice the pairs of records that share one, how
many have a single record, and the records of the smallest.
"""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit
from incrowd.kernels.refinement import refined

Places = NDArray[np.uint32]

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
    rows: Codes,
    counts: Counts,
    start: Counts,
    column: Codes,
    domain: int,
    settled: Counts,
    told: Counts,
) -> tuple[Codes, Counts, Counts]:
    """The groups split by a column: rows, the records of each of them, and start.

    `counts` are the records of every row of the table. `told` gets the figures that `join` adds,
    `settled` the figures of the rows that are alone now.
    """
    moved, bounds, alone = refined(rows, start, column, domain)
    tell(counts[alone], len(alone), settled)
    told[:] = settled
    heavy = counts[moved]
    sizes = np.zeros(len(bounds) - 1, dtype=np.int64)
    for g in range(len(sizes)):
        for i in range(bounds[g], bounds[g + 1]):
            sizes[g] += heavy[i]
    tell(sizes, len(sizes), told)
    return moved, heavy, bounds
