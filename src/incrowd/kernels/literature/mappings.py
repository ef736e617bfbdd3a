"""Loops of mappings to one dimension: the Hilbert curve, and distances to centres (iDistance).

Shapes: cells (rows, d); keys (words, rows); points (rows, d); weights, near and apart (rows,).
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Floats
from incrowd.kernels.compile import jit

Words: TypeAlias = NDArray[np.uint64]

WORD = 62
"""Bits of a key that stand in one word."""


@jit
def turn_into_curve_place(cell: Codes, bits: int) -> None:
    """Turn, in place, the coordinates of a cell into its place on the Hilbert curve.

    The place is bit b of every column, first to last, then bit b - 1. Skilling, "Programming the
    Hilbert curve" (2004): undo the turns of the curve from the largest cube to the smallest; the
    last step is the Gray encoding.
    """
    columns = len(cell)
    half = 1 << (bits - 1)
    while half > 1:
        below = half - 1
        for j in range(columns):
            if cell[j] & half:
                cell[0] ^= below
            else:
                crossed = (cell[0] ^ cell[j]) & below
                cell[0] ^= crossed
                cell[j] ^= crossed
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
def fill_curve_keys(cells: Codes, bits: int, keys: Words) -> None:
    """Fill `keys` with the place of each cell (a line of coordinates below 2^bits) on the curve.

    A place has columns times bits bits; they fill as many words as there are lines in `keys`, the
    highest first, the last ones of the last word left 0. The cells are overwritten.
    """
    columns = cells.shape[1]
    for i in range(len(cells)):
        cell = cells[i]
        turn_into_curve_place(cell, bits)
        at = 0
        for b in range(bits - 1, -1, -1):
            for j in range(columns):
                bit = np.uint64((cell[j] >> b) & 1)
                keys[at // WORD, i] |= bit << np.uint64(WORD - 1 - at % WORD)
                at += 1


@jit
def find_nearest_centres(points: Floats, centres: Floats, near: Codes, apart: Floats) -> None:
    """Fill `near` with the nearest centre of each point and `apart` with its squared distance.

    Of equally near centres it is the first. Unlike in `move_centres`, `centres` has one line per
    column, so that all distances of a point grow side by side.
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
def move_centres(points: Floats, weights: Floats, near: Codes, centres: Floats) -> None:
    """Move each centre, a line of `centres`, to the weighted mean of its nearest points, if any."""
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
