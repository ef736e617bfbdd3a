"""Loops of TopDown: two rows far apart draw the others of a part to them, and so in each half."""

import numpy as np

from incrowd.arrays import Codes, Flags
from incrowd.kernels.boxes import BoxCosts, cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.mondrian import CutItems
from incrowd.kernels.repair import joined_cost


@jit
def farthest_row(boxes: BoxCosts, cells: Codes, part: Codes, row: int) -> int:
    """Return the row of a part that costs most together with `row`, the first of several."""
    best, most = row, -1.0
    for other in part:
        cost = joined_cost(boxes, cells, cells, row, other)
        if cost > most:
            best, most = other, cost
    return best


@jit
def cost_with_row(boxes: BoxCosts, box: Codes, side: int, cells: Codes, row: int) -> float:
    """Return what a record of the class `box[side]` pays once `row` has joined it."""
    total = 0.0
    for j in range(cells.shape[1]):
        code = cells[row, j]
        total += cell_cost(boxes, j, min(box[side, 0, j], code), max(box[side, 1, j], code))
    return total


@jit
def flag_second_half(boxes: BoxCosts, cells: Codes, part: Codes, rounds: int) -> Flags:
    """Flag the rows of a part that go to the second of two rows far apart, not the first.

    The two are found in `rounds` + 1 steps, each from one row to the farthest from it. In turn each
    row joins the class that costs less with it, if equal the smaller one, or the first.
    """
    one = part[0]
    two = farthest_row(boxes, cells, part, one)
    for _ in range(rounds):
        one, two = two, farthest_row(boxes, cells, part, two)
    box = np.empty((2, 2, cells.shape[1]), np.int32)
    box[0, :] = cells[one]
    box[1, :] = cells[two]
    second = np.zeros(len(part), np.bool_)
    sizes = [0, 0]
    for i in range(len(part)):
        row = part[i]
        here = cost_with_row(boxes, box, 0, cells, row)
        there = cost_with_row(boxes, box, 1, cells, row)
        side = int(there < here or (there == here and sizes[1] < sizes[0]))
        side = 0 if row == one else 1 if row == two else side
        second[i] = side == 1
        sizes[side] += 1
        for j in range(cells.shape[1]):
            box[side, 0, j] = min(box[side, 0, j], cells[row, j])
            box[side, 1, j] = max(box[side, 1, j], cells[row, j])
    return second


@jit
def cut_into_parts(
    items: CutItems,
    boxes: BoxCosts,
    order: Codes,
    part: tuple[int, int],
    rule: tuple[int, int, int],
) -> tuple[Codes, Codes]:
    """Cut the part [start, end) of the order, in place, until each has one row or under 2k records.

    Returned are where the parts begin that are done, and the start and end of each part of at most
    `small` rows, which is not cut. `rule` is (k, rounds, small), rounds as in `flag_second_half`.
    """
    cells, counts = items
    k, rounds, small = rule
    done = [part[0]]
    later = [(0, 0)]
    done.pop()
    later.pop()
    todo = [part]
    while todo:
        start, end = todo.pop()
        rows = order[start:end]
        if end - start <= small:
            later.append((start, end))
            continue
        if end - start < 2 or counts[rows].sum() < 2 * k:
            done.append(start)
            continue
        second = flag_second_half(boxes, cells, rows, rounds)
        right = rows[second]
        left = rows[~second]
        rows[: len(left)] = left
        rows[len(left) :] = right
        todo.append((start + len(left), end))
        todo.append((start, start + len(left)))
    kept = np.empty((len(later), 2), np.int32)
    for i in range(len(later)):
        kept[i, 0], kept[i, 1] = later[i]
    return np.array(done, np.int32), kept
