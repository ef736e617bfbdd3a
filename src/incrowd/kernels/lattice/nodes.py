"""Loops of the lattice search: which rows look alike at a node, and what failing ones would pay.

The key of a row is the sum of its nodes times the columns' strides; rows of one key are a class.
"""

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.compile import jit

_BLOCK = 2048
"""Keys that are made at once: they stay near the processor until they are numbered."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


@jit
def node_keys(
    codes: Codes, begin: int, maps: Codes, offset: Counts, stride: Counts, keys: Counts
) -> None:
    """Add to the keys of rows from `begin` on their nodes times the columns' strides.

    A stride of 0 skips a column.
    """
    for j in range(codes.shape[0]):
        step = stride[j]
        if step == 0:
            continue
        first = offset[j]
        column = codes[j]
        for i in range(len(keys)):
            keys[i] += step * np.int64(maps[first + column[begin + i]])


@jit
def count_dense(
    codes: Codes,
    counts: Counts,
    rows: tuple[int, int],
    maps: Codes,
    steps: tuple[Counts, Counts, int],
    class_of: Codes,
) -> tuple[Codes, Counts]:
    """Write down the class of each row of a run, by order of appearance in it.

    The first row and the records of each class. `steps` are where the columns' maps begin, their
    strides, and what all keys are below: there is an array for all of them.
    """
    begin, end = rows
    offset, stride, span = steps
    place = np.full(span, -1, np.int32)
    first = np.empty(min(span, end - begin), np.int32)
    size = np.zeros(min(span, end - begin), np.int64)
    keys = np.empty(_BLOCK, np.int64)
    found = 0
    for start in range(begin, end, _BLOCK):
        here = min(_BLOCK, end - start)
        keys[:here] = 0
        node_keys(codes, start, maps, offset, stride, keys[:here])
        for i in range(here):
            number = place[keys[i]]
            if number < 0:
                number = np.int32(found)
                place[keys[i]] = number
                first[found] = start + i
                found += 1
            class_of[start + i] = number
            size[number] += counts[start + i]
    return first[:found].copy(), size[:found].copy()


@jit
def renumber(class_of: Codes, number: Codes) -> None:
    """Give each class its new number."""
    for i in range(len(class_of)):
        class_of[i] = number[class_of[i]]


@jit
def count_hashed(keys: Counts, counts: Counts) -> tuple[Codes, Codes, Counts]:
    """The class of each row by order of appearance of its key, each one's first row and records."""
    rows = len(keys)
    room = 16
    while room < 2 * rows:
        room *= 2
    mask = np.uint64(room - 1)
    slots = np.full(room, -1, np.int32)
    class_of = np.empty(rows, np.int32)
    of_class = np.empty(rows, np.int64)
    first = np.empty(rows, np.int32)
    size = np.zeros(rows, np.int64)
    found = 0
    for i in range(rows):
        key = keys[i]
        mixed = np.uint64(key) * _MIX
        slot = (mixed ^ (mixed >> _HALF)) & mask
        while slots[slot] >= 0 and of_class[slots[slot]] != key:
            slot = (slot + _ONE) & mask
        if slots[slot] < 0:
            slots[slot] = found
            of_class[found] = key
            first[found] = i
            found += 1
        class_of[i] = slots[slot]
        size[slots[slot]] += counts[i]
    return class_of, first[:found].copy(), size[:found].copy()


@jit
def sums(numbers: Codes, size: int, values: Counts) -> Counts:
    """The sum of the values of each number."""
    total = np.zeros(size, np.int64)
    for i in range(len(numbers)):
        total[numbers[i]] += values[i]
    return total


@jit
def refine_keys(numbers: Codes, codes: Codes, domain: int) -> Counts:
    """One key for a number and a code below `domain`."""
    keys = np.empty(len(numbers), np.int64)
    for i in range(len(numbers)):
        keys[i] = np.int64(numbers[i]) * domain + codes[i]
    return keys


@jit
def failing_codes(
    codes: Codes,
    counts: Counts,
    rows: tuple[int, int],
    row_of: Codes,
    class_of: Codes,
    failing: Flags,
    start: Counts,
    held: Counts,
) -> None:
    """Add to `held[start[j] + code]` the records of failing classes that hold that code.

    Of a run of rows; row i is in class `class_of[row_of[i]]`.
    """
    for i in range(rows[0], rows[1]):
        if failing[class_of[row_of[i]]]:
            for j in range(codes.shape[0]):
                held[start[j] + codes[j, i]] += counts[i]


@jit
def paid(held: Counts, start: Counts, costs: Floats, offset: Counts, heights: Counts) -> Floats:
    """What records pay by column and level, `held[start[j] + code]` of them for each code.

    `costs[offset[j] + code * heights[j] + level]` is what a cell costs.
    """
    total = np.zeros((len(heights), heights.max()), np.float64)
    for j in range(len(heights)):
        for at in range(start[j], start[j + 1]):
            if held[at] > 0:
                first = offset[j] + (at - start[j]) * heights[j]
                for level in range(heights[j]):
                    total[j, level] += held[at] * costs[first + level]
    return total
