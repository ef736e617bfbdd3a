"""How many records a record can share a class with at all, within a bound on what classes cost.

A class never costs less when it is wider, so whoever shares a class with a record is one with whom
alone it costs at most the bound.

Shapes, for n rows and d columns: cells (n, d); counts and values (n,); rows (asked,).
"""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.boxes import BoxCosts, cell_price
from incrowd.kernels.compile import jit


@jit
def count_possible_company(
    cells: Codes, counts: Counts, values: Codes, boxes: BoxCosts, rows: Codes, most: float
) -> tuple[Counts, Counts]:
    """Return how many records, its own too, and values may share the class of each of `rows`."""
    costs, start, width, nodes, limits = boxes
    records, distinct = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    seen = np.full(values.max() + 1, -1, np.int64)
    for at in range(len(rows)):
        mine = cells[rows[at]]
        for other in range(len(cells)):
            total = 0.0
            for j in range(cells.shape[1]):
                low, high = min(mine[j], cells[other, j]), max(mine[j], cells[other, j])
                total += cell_price(costs, start, width, nodes, limits, j, low, high)
                if total > most:
                    break
            if total <= most:
                records[at] += counts[other]
                if seen[values[other]] != at:
                    seen[values[other]] = at
                    distinct[at] += 1
    return records, distinct


@jit
def longest_run_lengths(first: Counts) -> Counts:
    """Return the number of records in the longest allowed run that holds each record of a line.

    `first` is where the longest allowed run up to each record begins (see
    `accuracy.longest_run_starts`); it never falls. A queue keeps ends whose runs are ever shorter.
    """
    n = len(first)
    found = np.empty(n, np.int64)
    queue = np.empty(n, np.int64)
    head, tail, end = 0, 0, 0
    for record in range(n):
        while end < n and first[end] <= record:
            length = end - first[end]
            while tail > head and queue[tail - 1] - first[queue[tail - 1]] <= length:
                tail -= 1
            queue[tail] = end
            tail += 1
            end += 1
        while queue[head] < record:
            head += 1
        found[record] = queue[head] - first[queue[head]] + 1
    return found
