"""Which classes are compatible when a missing value matches anything.

Classes stand in the order of their patterns: those that miss the same columns are one run.
"""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts, Flags
from incrowd.kernels.compile import jit

Hashes = NDArray[np.uint64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


@jit
def cell_hashes(nodes: Codes) -> Hashes:
    """A hash per class and column, so that any set of columns is hashed by their sum."""
    hashes = np.empty(nodes.shape, dtype=np.uint64)
    for c in range(nodes.shape[0]):
        for j in range(nodes.shape[1]):
            mixed = (np.uint64(nodes[c, j]) + _FACTOR * np.uint64(j + 1)) * _FACTOR
            mixed = (mixed ^ (mixed >> _SHIFT)) * _FACTOR
            hashes[c, j] = mixed ^ (mixed >> _SHIFT)
    return hashes


@jit
def key_of(c: int, joint: Counts, hashes: Hashes) -> np.uint64:
    """The hash of a class in the joint columns."""
    key = np.uint64(0)
    for j in joint:
        key += hashes[c, j]
    return key


@jit
def equal(c: int, other: int, joint: Counts, nodes: Codes) -> bool:
    """Whether two classes show the same in the joint columns."""
    for j in joint:  # noqa: SIM110  numba compiles loops, not generators
        if nodes[c, j] != nodes[other, j]:
            return False
    return True


@jit
def slot_of(
    c: int, joint: Counts, nodes: Codes, hashes: Hashes, table: Codes, keys: Hashes
) -> np.int64:
    """The slot of the class that equals class c in the joint columns, or the free one for it.

    `table` holds a class per slot, -1 where free, and `keys` their hashes.
    """
    key = key_of(c, joint, hashes)
    mask = np.int64(len(table) - 1)
    slot = np.int64(key >> np.uint64(33)) & mask
    while table[slot] >= 0:
        if keys[slot] == key and equal(c, table[slot], joint, nodes):
            return slot
        slot = (slot + np.int64(1)) & mask
    keys[slot] = key
    return slot


@jit
def blocks_of(
    few: Codes, many: Codes, joint: Counts, nodes: Codes, hashes: Hashes
) -> tuple[Codes, Codes, int]:
    """Blocks of classes that are equal in the joint columns: numbered for `few`, found for `many`.

    A class of `many` that equals none of `few` is in block -1. Last is the number of blocks.
    """
    size = 4
    while size < 4 * len(few):
        size *= 2
    table = np.full(size, -1, dtype=np.int32)
    keys = np.empty(size, dtype=np.uint64)
    number = np.empty(size, dtype=np.int32)
    block_few = np.empty(len(few), dtype=np.int32)
    found = 0
    for i in range(len(few)):
        slot = slot_of(few[i], joint, nodes, hashes, table, keys)
        if table[slot] < 0:
            table[slot] = few[i]
            number[slot] = found
            found += 1
        block_few[i] = number[slot]
    block_many = np.full(len(many), -1, dtype=np.int32)
    for i in range(len(many)):
        slot = slot_of(many[i], joint, nodes, hashes, table, keys)
        if table[slot] >= 0:
            block_many[i] = number[slot]
    return block_few, block_many, found


@jit
def longer(array: Codes, length: int) -> Codes:
    """The same array, or one twice as long or more if `length` entries do not fit."""
    if length <= len(array):
        return array
    grown = np.empty(max(length, 2 * len(array)), dtype=np.int32)
    grown[: len(array)] = array
    return grown


@jit
def meet(
    p: int, start: Counts, shown: Flags, nodes: Codes, hashes: Hashes
) -> tuple[Codes, Codes, Codes, Codes]:
    """What the classes of pattern p meet: here, source, and what sources are made of.

    Class `here[e]` is compatible with all of `source[e]`: a class, or, from the number of classes
    on, a block of several. Block b has the classes `member` where `block` is b. `shown` tells the
    columns that each pattern does not miss.
    """
    number = len(nodes)
    mine = np.arange(start[p], start[p + 1]).astype(np.int32)
    here = np.empty(2 * len(mine), dtype=np.int32)
    source = np.empty(2 * len(mine), dtype=np.int32)
    block = np.empty(number, dtype=np.int32)
    member = np.empty(number, dtype=np.int32)
    edges, members, blocks = 0, 0, 0
    for q in range(len(start) - 1):
        theirs = np.arange(start[q], start[q + 1]).astype(np.int32)
        joint = np.flatnonzero(shown[p] & shown[q])
        if len(mine) <= len(theirs):
            block_mine, block_theirs, found = blocks_of(mine, theirs, joint, nodes, hashes)
        else:
            block_theirs, block_mine, found = blocks_of(theirs, mine, joint, nodes, hashes)
        source_of = sources(theirs, block_mine, block_theirs, found, number + blocks)
        for i in range(len(theirs)):
            b = block_theirs[i]
            if b >= 0 and source_of[b] >= number:
                block[members] = source_of[b] - number
                member[members] = theirs[i]
                members += 1
                blocks = max(blocks, block[members - 1] + 1)
        here, source = longer(here, edges + len(mine)), longer(source, edges + len(mine))
        for i in range(len(mine)):
            if block_mine[i] >= 0 and source_of[block_mine[i]] >= 0:
                here[edges] = mine[i]
                source[edges] = source_of[block_mine[i]]
                edges += 1
    return here[:edges], source[:edges], block[:members], member[:members]


@jit
def sources(theirs: Codes, block_mine: Codes, block_theirs: Codes, found: int, free: int) -> Codes:
    """What each block is met as: its only class, or a new number if it has several.

    -1 if it is not met, or has no class. New numbers are `free`, `free` + 1, …
    """
    met = np.zeros(found, dtype=np.bool_)
    for b in block_mine:
        if b >= 0:
            met[b] = True
    classes = np.zeros(found, dtype=np.int32)
    source_of = np.full(found, -1, dtype=np.int32)
    for i in range(len(theirs)):
        b = block_theirs[i]
        if b >= 0 and met[b]:
            source_of[b] = theirs[i]
            classes[b] += 1
    for b in range(found):
        if classes[b] > 1:
            source_of[b] = free
            free += 1
    return source_of
