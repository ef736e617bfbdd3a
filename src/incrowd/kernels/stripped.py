"""Classes of two rows and more, refined by one column after the other.

A *stripped* partition lists the rows of its classes, class after class; class i has the rows from
`starts[i]` to `starts[i + 1]`. Rows alone in their class are left out: no column can split them.

What a class costs is what it lacks to being told apart, beyond what rows that stand for several
records lack anyway (`kind` names the measure):
0 distinct: rows - 1. 1 separation: pairs of records in different rows. 2 unique: records that
would be unique if their row were alone. `weights` are the records per row for separation, 1 or 0
for unique, and empty where every row weighs 1.
"""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit


@jit
def refine(
    rows: Codes, starts: Counts, column: Codes, tally: Codes, split: Codes, bounds: Counts
) -> int:
    """Split each class by the codes of a column; the classes go to `split` and `bounds`.

    `tally` has a zero for every code of the column, and has it again afterwards. Returned is the
    number of classes; `bounds` has one entry more than that.
    """
    classes = 0
    end = 0
    bounds[0] = 0
    for c in range(len(starts) - 1):
        first, last = starts[c], starts[c + 1]
        if last - first == 2:
            if column[rows[first]] == column[rows[first + 1]]:
                split[end] = rows[first]
                split[end + 1] = rows[first + 1]
                end += 2
                classes += 1
                bounds[classes] = end
            continue
        for i in range(first, last):
            tally[column[rows[i]]] += 1
        for i in range(first, last):
            code = column[rows[i]]
            size = tally[code]
            if size > 1:
                tally[code] = -end - 1
                end += size
                classes += 1
                bounds[classes] = end
            size = tally[code]
            if size < 0:
                split[-size - 1] = rows[i]
                tally[code] = size - 1
        for i in range(first, last):
            tally[column[rows[i]]] = 0
    return classes


@jit
def class_cost(size: int, weight: int, squares: int, kind: int) -> int:
    """What one class of `size` rows costs, given the sums of weights and squared weights."""
    if size < 2:
        return 0
    if kind == 0:
        return size - 1
    if kind == 1:
        return (weight * weight - squares) // 2
    return weight


@jit
def costs_of(rows: Codes, starts: Counts, weights: Counts, kind: int, costs: Counts) -> None:
    """What each class costs."""
    for c in range(len(starts) - 1):
        size = starts[c + 1] - starts[c]
        weight, squares = size, size
        if len(weights) > 0:
            weight, squares = 0, 0
            for i in range(starts[c], starts[c + 1]):
                weight += weights[rows[i]]
                squares += weights[rows[i]] ** 2
        costs[c] = class_cost(size, weight, squares, kind)


@jit
def large_first(costs: Counts, order: Codes) -> None:
    """The classes by what they cost, the dearest first, to the nearest power of two."""
    free = np.zeros(66, dtype=np.int64)
    for c in range(len(costs)):
        rank, rest = 0, costs[c]
        while rest:
            rank += 1
            rest >>= 1
        free[64 - rank] += 1
    before = 0
    for rank in range(66):
        number = free[rank]
        free[rank] = before
        before += number
    for c in range(len(costs)):
        rank, rest = 0, costs[c]
        while rest:
            rank += 1
            rest >>= 1
        order[free[64 - rank]] = c
        free[64 - rank] += 1


@jit
def cost_refined(
    rows: Codes,
    starts: Counts,
    costs: Counts,
    order: Codes,
    column: Codes,
    weights: Counts,
    kind: int,
    budget: int,
    sums: Counts,
) -> tuple[int, int]:
    """Least and most of what all classes cost once they are split by a column.

    Classes are split in the given order until it is clear whether the cost keeps to the budget; a
    budget below 0 wants the exact cost, as least and most. `sums` has three lines with a zero for
    every code, and has them again afterwards.
    """
    least = 0
    most = 0
    for c in range(len(costs)):
        most += costs[c]
    for place in range(len(order)):
        if budget >= 0 and (least > budget or most <= budget):
            break
        c = order[place]
        first, last = starts[c], starts[c + 1]
        for i in range(first, last):
            code = column[rows[i]]
            sums[0, code] += 1
            if len(weights) > 0:
                weight = weights[rows[i]]
                sums[1, code] += weight
                sums[2, code] += weight * weight
        cost = 0
        for i in range(first, last):
            code = column[rows[i]]
            size = sums[0, code]
            if size > 0:
                if len(weights) > 0:
                    cost += class_cost(size, sums[1, code], sums[2, code], kind)
                    sums[1, code] = 0
                    sums[2, code] = 0
                else:
                    cost += class_cost(size, size, size, kind)
                sums[0, code] = 0
        least += cost
        most += cost - costs[c]
    return least, most
