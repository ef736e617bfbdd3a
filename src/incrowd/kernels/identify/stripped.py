"""What the classes of a stripped partition cost (see `kernels.refinement` for the arrays).

What a class costs is what it lacks to being told apart, beyond what rows that stand for several
records lack anyway (`kind` names the measure):
0 distinct: rows - 1. 1 separation: pairs of records in different rows. 2 unique: records that
would be unique if their row were alone. `weights` are the records per row for separation, 1 or 0
for unique, and empty where every row weighs 1.

The *figures* of classes are four: their number, the ordered pairs of records in one class, the
classes of one record, and the fewest records of a class.
"""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit
from incrowd.kernels.refinement import split_classes

Places = NDArray[np.uint32]

_STEP = np.uint64  # unsigned places: numba need not look whether they count from the end


@jit
def add_figures(sizes: Counts, number: int, told: Counts) -> None:
    """Add the classes of the first `number` sizes to the figures `told`, in place."""
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
def add_split_figures(
    rows: Places, weights: Counts, start: Counts, column: Places, domain: int, told: Counts
) -> None:
    """Add to `told` the figures of groups split by a column; `rows[i]` has `weights[i]` records."""
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
    add_figures(sizes, found, told)


@jit
def split_and_add_figures(
    rows: Codes,
    counts: Counts,
    start: Counts,
    column: Codes,
    domain: int,
    settled: Counts,
    told: Counts,
) -> tuple[Codes, Counts, Counts]:
    """Return the groups split by a column: rows, the records of each row, and start.

    `counts` are the records of every row of the table. Groups of one row are dropped and their
    figures added to `settled`, the figures of all rows dropped so far; `told` becomes these with
    the figures of all other groups.
    """
    moved, bounds, alone = split_classes(rows, start, column, domain)
    add_figures(counts[alone], len(alone), settled)
    told[:] = settled
    heavy = counts[moved]
    sizes = np.zeros(len(bounds) - 1, dtype=np.int64)
    for g in range(len(sizes)):
        for i in range(bounds[g], bounds[g + 1]):
            sizes[g] += heavy[i]
    add_figures(sizes, len(sizes), told)
    return moved, heavy, bounds


@jit
def class_cost(size: int, weight: int, squares: int, kind: int) -> int:
    """Return what a class of `size` rows costs, given its sums of weights and squared weights.

    By kind: 0, the rows less 1; 1, the pairs of records of different rows; else the sum of weights.
    A class of one row costs 0.
    """
    if size < 2:
        return 0
    if kind == 0:
        return size - 1
    if kind == 1:
        return (weight * weight - squares) // 2
    return weight


@jit
def fill_class_costs(
    rows: Codes, starts: Counts, weights: Counts, kind: int, costs: Counts
) -> None:
    """Fill `costs` with what each class costs (`class_cost`); empty weights are all 1."""
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
def order_dearest_first(costs: Counts, order: Codes) -> None:
    """Fill `order` with the classes, dearest first, by costs rounded down to a power of two."""
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
def keep_dear_classes(
    rows: Codes, starts: Counts, costs: Counts, order: Codes, spare: int, kept: Codes, free: Counts
) -> tuple[int, int]:
    """Copy the classes in `order`, without the last ones that cost `spare` or less together.

    The rows go to `kept`, the bounds to `free`; `costs` becomes the costs in the new order.
    Returned are the number of classes kept and what the others cost together.
    """
    number = len(order)
    lost = 0
    while number > 0 and lost + costs[order[number - 1]] <= spare:
        number -= 1
        lost += costs[order[number]]
    end = 0
    free[0] = 0
    ordered = np.empty(number, dtype=np.int64)
    for place in range(number):
        c = order[place]
        ordered[place] = costs[c]
        for i in range(starts[c], starts[c + 1]):
            kept[end] = rows[i]
            end += 1
        free[place + 1] = end
    costs[:number] = ordered
    return number, lost


@jit
def refined_cost_range(
    rows: Codes,
    starts: Counts,
    costs: Counts,
    lost: int,
    column: Codes,
    weights: Counts,
    kind: int,
    budget: int,
    sums: Counts,
    seen: Codes,
) -> tuple[int, int]:
    """Return the least and the most that all classes can cost once they are split by a column.

    Classes are split in turn until it is clear if the cost is within the budget, and all of them
    if the budget is below 0. `costs` are what they cost now, `lost` the most that classes left out
    cost, which adds to the most only. `sums` has a zero for every code, in one line or, with
    weights, in three, and has them again afterwards; `seen` has room for every code.
    """
    least = 0
    most = costs.sum() + lost
    for c in range(len(costs)):
        if budget >= 0 and (least > budget or most <= budget):
            break
        codes = 0
        for i in range(starts[c], starts[c + 1]):
            code = column[rows[i]]
            if sums[0, code] == 0:
                seen[codes] = code
                codes += 1
            sums[0, code] += 1
            if len(weights) > 0:
                weight = weights[rows[i]]
                sums[1, code] += weight
                sums[2, code] += weight * weight
        cost = 0
        for i in range(codes):
            size = sums[0, seen[i]]
            weight, squares = size, size
            if len(weights) > 0:
                weight, squares = sums[1, seen[i]], sums[2, seen[i]]
                sums[1:, seen[i]] = 0
            cost += class_cost(size, weight, squares, kind)
            sums[0, seen[i]] = 0
        least += cost
        most += cost - costs[c]
    return least, most
