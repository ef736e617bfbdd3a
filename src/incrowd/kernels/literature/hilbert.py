"""Where cells of a grid stand on the Hilbert curve through it, for any number of dimensions."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes
from incrowd.kernels.compile import jit

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
