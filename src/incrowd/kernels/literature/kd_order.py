"""Loops of the tree order: cut the rows in two, each half again, and walk over what is left.

`items` is (cells, counts): codes with one line per row, and records per row. `scales` is (boxes,
ordered): the costs of all columns (see `kernels.boxes`), and which of them are ordered. `tree` is
(cuts, children), one line per place in the order: if a part is cut before place m, `cuts[m]` is
(column, code) and `children[m]` the places where its halves are cut, -1 for those that are not.

Shapes: cells (rows, d); counts (rows,); ordered (d,); cuts and children (rows, 2). `order` holds
every row once.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.boxes import cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.mondrian import Items, Scales, borders, profile, spans

Words: TypeAlias = NDArray[np.uint64]


WORD = 62
"""Bits of a key that stand in one word."""


@jit
def transpose(cell: Codes, bits: int) -> None:
    """Turn the coordinates of a cell into the bits of its place on the curve, one per column.

    Skilling, "Programming the Hilbert curve" (2004): undo the turns of the curve from the largest
    cube to the smallest, then decode the Gray code.
    """
    columns = len(cell)
    half = 1 << (bits - 1)
    while half > 1:
        below = half - 1
        for j in range(columns):
            if cell[j] & half:
                cell[0] ^= below
            else:
                swapped = (cell[0] ^ cell[j]) & below
                cell[0] ^= swapped
                cell[j] ^= swapped
        half >>= 1
    for j in range(1, columns):
        cell[j] ^= cell[j - 1]
    turned = 0
    half = 1 << (bits - 1)
    while half > 1:
        if cell[columns - 1] & half:
            turned ^= half - 1
        half >>= 1
    for j in range(columns):
        cell[j] ^= turned


@jit
def curve_keys(cells: Codes, bits: int, keys: Words) -> None:
    """The place of each cell (a line of coordinates below 2^bits) on the curve.

    A place has columns times bits bits; they fill as many words as there are lines in `keys`, the
    highest first, the last ones of the last word left 0. The cells are used up.
    """
    columns = cells.shape[1]
    for i in range(len(cells)):
        cell = cells[i]
        transpose(cell, bits)
        at = 0
        for b in range(bits - 1, -1, -1):
            for j in range(columns):
                bit = np.uint64((cell[j] >> b) & 1)
                keys[at // WORD, i] |= bit << np.uint64(WORD - 1 - at % WORD)
                at += 1


@jit
def nearest(points: Floats, centres: Floats, near: Codes, apart: Floats) -> None:
    """The nearest centre of each point, the first of several, and the squared distance to it.

    `centres` has one line per column, so that all distances of a point grow side by side.
    """
    total = np.empty(centres.shape[1])
    for i in range(len(points)):
        total[:] = 0.0
        for j in range(len(centres)):
            here = points[i, j]
            for c in range(len(total)):
                gap = here - centres[j, c]
                total[c] += gap * gap
        best = 0
        for c in range(1, len(total)):
            if total[c] < total[best]:
                best = c
        near[i], apart[i] = best, total[best]


@jit
def centred(points: Floats, weights: Floats, near: Codes, centres: Floats) -> None:
    """Move each centre to the mean of the points that are nearest to it; stay where there is none.

    Points weigh as many records as they stand for.
    """
    total = np.zeros(centres.shape)
    mass = np.zeros(len(centres))
    for i in range(len(points)):
        mass[near[i]] += weights[i]
        for j in range(points.shape[1]):
            total[near[i], j] += weights[i] * points[i, j]
    for c in range(len(centres)):
        if mass[c] > 0:
            for j in range(points.shape[1]):
                centres[c, j] = total[c, j] / mass[c]


Tree: TypeAlias = tuple[Codes, Codes]


@jit
def widest(scales: Scales, found: Codes) -> int:
    """The column whose span costs most, the first of several; -1 if no column has two codes."""
    best, most = -1, -1.0
    for j in range(found.shape[1]):
        if found[0, j] < found[1, j]:
            cost = cell_cost(scales[0], j, found[0, j], found[1, j])
            if cost > most:
                best, most = j, cost
    return best


@jit
def balanced(values: Counts, total: Counts, apart: Flags) -> int:
    """The code at which to cut: the missing apart, or the most balanced cut of those allowed."""
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
def cut(items: Items, scales: Scales, part: Codes, spare: Codes) -> tuple[int, int, int]:
    """Cut a part in two, smaller codes first: column, code, and rows of the first half.

    The column is -1 if all rows are equal.
    """
    cells = items[0]
    found = spans(cells, part)
    j = widest(scales, found)
    if j < 0:
        return -1, 0, 0
    if len(part) == 2:
        code = found[1, j]
    else:
        values, total = profile(items, part, j, found[0, j], found[1, j])
        code = balanced(values, total, borders(scales, j, values))
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
def grow(
    items: Items, scales: Scales, order: Codes, tree: Tree, part: tuple[int, int], small: int
) -> tuple[int, Codes]:
    """Cut the part [start, end) of the order down to `small` rows; where it is cut itself.

    What is small but can be cut comes back too, one line each: start, end, and where and on which
    side of its parent it stands.
    """
    cuts, children = tree
    root = -1
    spare = np.empty(part[1] - part[0], np.int32)
    todo = [(part[0], part[1], -1, 0)]
    left = [(0, 0, 0, 0)]
    left.pop()
    while todo:
        start, end, parent, side = todo.pop()
        if end - start < 2:
            continue
        if end - start <= small:
            left.append((start, end, parent, side))
            continue
        j, code, lefts = cut(items, scales, order[start:end], spare)
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
def walk(cells: Codes, order: Codes, tree: Tree, root: int) -> Codes:
    """The rows in the order of the tree, of two halves first the one nearer to the last row."""
    cuts, children = tree
    walked = np.empty(len(order), np.int32)
    size = 0
    todo = [(0, len(order), root)]
    while todo:
        start, end, middle = todo.pop()
        if middle < 0:
            for i in range(start, end):
                walked[size] = order[i]
                size += 1
            continue
        first = (start, middle, int(children[middle, 0]))
        second = (middle, end, int(children[middle, 1]))
        if size > 0 and cells[walked[size - 1], cuts[middle, 0]] >= cuts[middle, 1]:
            first, second = second, first
        todo.append(second)
        todo.append(first)
    return walked
