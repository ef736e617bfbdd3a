"""Distinct values of several columns counted in one go, with the records of each.

The codes of a row are the digits of one number, which is spread over its bits in a way that can be
undone: different rows stay different. The highest bits name a part that fits a cache. Every kernel
works on the part of the arrays it is given, so that several threads can each take a part. Empty
`weights` mean that each row is one record.

`digits[0]` are the columns, `digits[1]` one more than the largest code of each. `spread` holds half
the bits of a number, the mask of all of them, and how many follow the part's. The rows `lo` to `hi`
are those from `lo` to before `hi`.

Shapes: codes (columns, rows); digits (2, columns); weights (rows,) or empty; sizes and free one
entry per part, start one more; a table is flat, a number and its records side by side.
"""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit

Keys = NDArray[np.uint64]

_BLOCK = 2048
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_MOST = np.uint64(2**63 - 1)


@jit
def spread_keys(codes: Codes, digits: Keys, spread: Keys, lo: int, hi: int, keys: Keys) -> None:
    """Fill `keys` with the spread number of each row from `lo` to `hi`."""
    keys[:] = 0
    for j in range(digits.shape[1]):
        line, radix = codes[digits[0, j]], digits[1, j]
        for i in range(hi - lo):
            keys[i] = keys[i] * radix + np.uint64(line[lo + i])
    half, mask = spread[0], spread[1]
    for i in range(hi - lo):
        key = ((keys[i] ^ (keys[i] >> half)) * _FACTOR) & mask
        keys[i] = ((key ^ (key >> half)) * _FACTOR) & mask


@jit
def count_part_records(
    codes: Codes, digits: Keys, weights: Counts, spread: Keys, lo: int, hi: int, sizes: Counts
) -> None:
    """Add the records of the rows `lo` to `hi` to `sizes`, part by part."""
    keys = np.empty(_BLOCK, dtype=np.uint64)
    for block in range(lo, hi, _BLOCK):
        end = min(block + _BLOCK, hi)
        spread_keys(codes, digits, spread, block, end, keys)
        for i in range(end - block):
            sizes[keys[i] >> spread[2]] += weights[block + i] if len(weights) else 1


@jit
def scatter_rows(
    codes: Codes,
    digits: Keys,
    weights: Counts,
    spread: Keys,
    lo: int,
    hi: int,
    free: Keys,
    moved: Keys,
    heavy: Counts,
) -> None:
    """Copy the numbers of the rows `lo` to `hi` to `moved`, part by part, and weights to `heavy`.

    `free` is where the next number of each part goes, and moves on.
    """
    keys = np.empty(_BLOCK, dtype=np.uint64)
    for block in range(lo, hi, _BLOCK):
        end = min(block + _BLOCK, hi)
        spread_keys(codes, digits, spread, block, end, keys)
        for i in range(end - block):
            part = keys[i] >> spread[2]
            to = free[part]
            moved[to] = keys[i]
            if len(weights):
                heavy[to] = weights[block + i]
            free[part] = to + _ONE


@jit
def slot_of(key: np.uint64, table: Keys) -> np.uint64:
    """Return the place of a number in the table, or the free place where it goes."""
    mask = np.uint64(len(table) - 1)
    slot = (key + key) & mask  # keys are spread already; a number and its records take two places
    while table[slot + _ONE] != 0 and table[slot] != key:
        slot = (slot + np.uint64(2)) & mask
    return slot


@jit
def double_table(table: Keys) -> Keys:
    """Return a table twice as long with the same numbers and records."""
    double = np.zeros(2 * len(table), dtype=np.uint64)
    for old in range(np.uint64(0), np.uint64(len(table)), np.uint64(2)):
        if table[old + _ONE] != 0:
            slot = slot_of(table[old], double)
            double[slot] = table[old]
            double[slot + _ONE] = table[old + _ONE]
    return double


@jit
def fewest_records(table: Keys) -> np.int64:
    """Return the fewest records of any number in the table, 2^63 - 1 if it is empty."""
    fewest = _MOST
    for i in range(1, len(table), 2):
        if table[i] != 0 and table[i] < fewest:
            fewest = table[i]
    return np.int64(fewest)


@jit
def add_part_figures(moved: Keys, heavy: Counts, start: Counts, width: int, told: Counts) -> None:
    """Add the figures of consecutive parts to `told`, where equal rows are a class.

    They are: classes, ordered pairs of records in one class, classes of one record, and the fewest
    records of a class, which falls. Part p is `moved[start[p]:start[p + 1]]`; `width`, a power of
    two, is how many different numbers a part can have. The first three figures grow with each row;
    the last is looked for at the end of a part, while there is no class of one record.
    """
    table = np.zeros(2 * min(width, 1024), dtype=np.uint64)
    for p in range(len(start) - 1):
        found, together, alone = 0, 0, 0
        for i in range(np.uint64(start[p]), np.uint64(start[p + 1])):
            slot = slot_of(moved[i], table)
            size = np.int64(table[slot + _ONE])
            more = size + (heavy[i] if len(heavy) else np.int64(1))
            table[slot] = moved[i]
            table[slot + _ONE] = more
            together += int(more * (more - 1) - size * (size - 1))
            alone += int(more == 1) - int(size == 1)
            found += int(size == 0)
            if 4 * found > len(table) and len(table) < 2 * width:
                table = double_table(table)
        told[0] += found
        told[1] += together
        told[2] += alone
        told[3] = 1 if told[2] else min(told[3], fewest_records(table))
        table[:] = 0
