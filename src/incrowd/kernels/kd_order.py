"""Loops of the tree order: cut the rows in two, each half again, and walk over the parts.

`order` holds every row once; a part is a stretch of it. Items and scales are those of Mondrian.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.kernels.boxes import cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.mondrian import CutItems, Scales, allowed_borders, code_counts, span_of_part


class CutTree(NamedTuple):
    """Cuts by their place in the order: line m is the cut of a part before place m."""

    cuts: Codes
    """(rows, 2): column and code of the cut."""
    children: Codes
    """(rows, 2): the places where its halves are cut, -1 for those that are not."""


@jit
def widest_column(scales: Scales, span: Codes) -> int:
    """Return the column whose span costs most, the first of several; -1 if none has two codes."""
    best, most = -1, -1.0
    for j in range(span.shape[1]):
        if span[0, j] < span[1, j]:
            cost = cell_cost(scales.boxes, j, span[0, j], span[1, j])
            if cost > most:
                best, most = j, cost
    return best


@jit
def balanced_cut(values: Counts, total: Counts, apart: Flags) -> int:
    """Return the lowest code of the second half of the best cut of a part.

    `values` are the distinct codes of the part, two or more, ascending, `total` the records of
    each; `apart` flags those after which a cut is allowed. A cut that parts the missing (code 0)
    from the rest is best, else the most balanced one. If none is allowed, the highest code is
    returned.
    """
    if values[0] == 0:
        return int(values[1])
    whole, left = 0, 0
    for count in total:
        whole += count
    best, code = -1, int(values[-1])
    for i in range(len(values) - 1):
        left += total[i]
        balance = min(left, whole - left)
        if apart[i] and balance > best:
            best, code = balance, int(values[i + 1])
    return code


@jit
def cut_in_two(items: CutItems, scales: Scales, part: Codes, spare: Codes) -> tuple[int, int, int]:
    """Cut a part in two along its widest column, in place, smaller codes first.

    Returned are the column, the lowest code of the second half, and how many rows the first half
    has. The column is -1 if all rows are equal. `spare` is room for as many rows.
    """
    cells = items.cells
    span = span_of_part(cells, part)
    j = widest_column(scales, span)
    if j < 0:
        return -1, 0, 0
    if len(part) == 2:
        code = span[1, j]
    else:
        values, total = code_counts(items, part, j, span[0, j], span[1, j])
        code = balanced_cut(values, total, allowed_borders(scales, j, values))
    lefts, rights = 0, 0
    for row in part:
        if cells[row, j] < code:
            part[lefts] = row
            lefts += 1
        else:
            spare[rights] = row
            rights += 1
    for i in range(rights):
        part[lefts + i] = spare[i]
    return j, int(code), lefts


@jit
def grow_tree(
    items: CutItems, scales: Scales, order: Codes, tree: CutTree, part: tuple[int, int], small: int
) -> tuple[int, Codes]:
    """Cut the part [start, end) of the order, in place, down to `small` rows; fill in the tree.

    Returned are the place where the part itself is cut, -1 if it is not, and the parts of at most
    `small` rows that have two rows or more. Each is a line of four: its start, its end, the place
    where its parent is cut (-1 if it has none), and its side there, 0 or 1.
    """
    cuts, children = tree
    root = -1
    spare = np.empty(part[1] - part[0], np.int32)
    todo = [(part[0], part[1], -1, 0)]
    left = [(0, 0, 0, 0)]  # a list that numba knows the type of
    left.pop()
    while todo:
        start, end, parent, side = todo.pop()
        if end - start < 2:
            continue
        if end - start <= small:
            left.append((start, end, parent, side))
            continue
        j, code, lefts = cut_in_two(items, scales, order[start:end], spare)
        if j < 0:
            continue
        middle = start + lefts
        cuts[middle, 0] = j
        cuts[middle, 1] = code
        if parent < 0:
            root = middle
        else:
            children[parent, side] = middle
        todo.append((middle, end, middle, 1))
        todo.append((start, middle, middle, 0))
    kept = np.empty((len(left), 4), np.int32)
    for i in range(len(left)):
        for column in range(4):
            kept[i, column] = left[i][column]
    return root, kept


@jit
def walk_tree(cells: Codes, order: Codes, tree: CutTree, root: int) -> Codes:
    """Return the rows in the order of the tree, whose first cut is at the place `root`.

    Of two halves the one to which the last row before them would belong comes first. A part that is
    not cut keeps its order.
    """
    cuts, children = tree
    walk_order = np.empty(len(order), np.int32)
    size = 0
    todo = [(0, len(order), root)]
    while todo:
        start, end, middle = todo.pop()
        if middle < 0:
            for i in range(start, end):
                walk_order[size] = order[i]
                size += 1
            continue
        first = (start, middle, int(children[middle, 0]))
        second = (middle, end, int(children[middle, 1]))
        if size > 0 and cells[walk_order[size - 1], cuts[middle, 0]] >= cuts[middle, 1]:
            first, second = second, first
        todo.append(second)
        todo.append(first)
    return walk_order
