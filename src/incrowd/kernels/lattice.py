"""Loops of the lattice search: which rows look alike at a node, and what failing rows cost."""

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.compile import jit


@jit
def node_keys(codes: Codes, maps: Codes, offset: Counts, stride: Counts, keys: Counts) -> None:
    """Add to each row's key its nodes times the columns' strides; a stride of 0 skips a column."""
    for j in range(codes.shape[0]):
        step = stride[j]
        if step == 0:
            continue
        first = offset[j]
        column = codes[j]
        for i in range(len(keys)):
            keys[i] += step * np.int64(maps[first + column[i]])


@jit
def number_dense(keys: Counts, span: int) -> tuple[Codes, Codes]:
    """Number distinct keys below `span` in order of appearance, with the first row of each."""
    place = np.full(span, -1, np.int32)
    numbers = np.empty(len(keys), np.int32)
    first = np.empty(min(span, len(keys)), np.int32)
    found = 0
    for i in range(len(keys)):
        number = place[keys[i]]
        if number < 0:
            number = np.int32(found)
            place[keys[i]] = number
            first[found] = i
            found += 1
        numbers[i] = number
    return numbers, first[:found].copy()


@jit
def number_hashed(keys: Counts) -> tuple[Codes, Codes]:
    """Number distinct keys in order of appearance, with the first row of each."""
    size = 16
    while size < 2 * len(keys):
        size *= 2
    mask = np.uint64(size - 1)
    slots = np.full(size, -1, np.int32)
    numbers = np.empty(len(keys), np.int32)
    first = np.empty(len(keys), np.int32)
    found = 0
    for i in range(len(keys)):
        key = keys[i]
        mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
        slot = (mixed ^ (mixed >> np.uint64(32))) & mask
        while slots[slot] >= 0 and keys[first[slots[slot]]] != key:
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = found
            first[found] = i
            found += 1
        numbers[i] = slots[slot]
    return numbers, first[:found].copy()


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
def failing_costs(
    codes: Codes,
    counts: Counts,
    row_of: Codes,
    class_of: Codes,
    failing: Flags,
    costs: Floats,
    offset: Counts,
    levels: Counts,
    heights: Counts,
) -> Floats:
    """Cost of the records in failing classes, by column and level up to the node's.

    `costs[offset[j] + code * heights[j] + level]` is the cost of a cell. Row i of the table is in
    class `class_of[row_of[i]]`.
    """
    total = np.zeros((codes.shape[0], heights.max()), np.float64)
    for i in range(len(counts)):
        if not failing[class_of[row_of[i]]]:
            continue
        for j in range(codes.shape[0]):
            first = offset[j] + codes[j, i] * heights[j]
            for level in range(levels[j] + 1):
                total[j, level] += counts[i] * costs[first + level]
    return total
