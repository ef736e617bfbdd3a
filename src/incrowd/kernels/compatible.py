"""Which classes are compatible when a missing value matches anything.

Classes stand in the order of their patterns: those that miss the same columns are one run. Cells
are above 0, and 0 where a value is missing. A *view* selects columns: a line of masks, with all
bits set in selected columns, none in others. A numbered *block* is all classes alike in a view.

Shapes: cells and hashes (classes, d); views (lines, d); slots (size, 3) and keys (size,), size
being a power of two above the number of blocks; mine and everyone hold numbers of classes.
"""

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes
from incrowd.kernels.compile import jit

Hashes = NDArray[np.uint64]

# 2^64 over the golden ratio, made odd: its multiples spread evenly over all values.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_HALF = np.uint64(32)


@jit
def cell_hashes(cells: Hashes) -> Hashes:
    """Return a hash per class and column, 0 for code 0; the hash of several is their sum."""
    hashes = np.empty(cells.shape, dtype=np.uint64)
    for c in range(cells.shape[0]):
        for j in range(cells.shape[1]):
            mixed = (cells[c, j] + _FACTOR * np.uint64(j + 1)) * _FACTOR
            mixed = (mixed ^ (mixed >> _SHIFT)) * _FACTOR
            hashes[c, j] = mixed ^ (mixed >> _SHIFT) if cells[c, j] else np.uint64(0)
    return hashes


@jit
def find_blocks(
    classes: Codes,
    line: int,
    views: Hashes,
    cells: Hashes,
    hashes: Hashes,
    slots: Codes,
    keys: Hashes,
    found: int,
    add: bool,
) -> tuple[Codes, int]:
    """Return the block of each of `classes` in the view `line`, and how many blocks there are then.

    The hash table has a slot per block: in `slots` one of its classes, the view in which that one
    was seen and the block's number (-1 if the slot is free), in `keys` the hash of what it shows. A
    class that shows what no block shows starts block number `found`, the next one, if `add`; else
    it is in block -1. The table is filled in place.
    """
    block_of = np.empty(len(classes), dtype=np.int32)
    mask = np.uint64(len(keys) - 1)
    for i in range(len(classes)):
        c = np.uint64(classes[i])
        key = np.uint64(0)
        # A view has all bits of a column or none, so that `&` leaves columns out without a branch.
        for j in range(cells.shape[1]):
            key += hashes[c, j] & views[line, j]
        slot = (key >> _HALF) & mask
        while slots[slot, 2] >= 0:
            same = keys[slot] == key
            if same:
                other, view = np.uint64(slots[slot, 0]), slots[slot, 1]
                for j in range(cells.shape[1]):
                    here, there = cells[c, j] & views[line, j], cells[other, j] & views[view, j]
                    same = same and here == there
            if same:
                break
            slot = (slot + np.uint64(1)) & mask
        if slots[slot, 2] < 0 and add:
            slots[slot, 0], slots[slot, 1], slots[slot, 2] = classes[i], line, found
            keys[slot] = key
            found += 1
        block_of[i] = slots[slot, 2]
    return block_of, found


@jit
def ensure_length(array: Codes, length: int) -> Codes:
    """Return the array if it has `length` entries or more, else a copy, twice as long or longer."""
    if length <= len(array):
        return array
    grown = np.empty(max(length, 2 * len(array)), dtype=np.int32)
    for i in range(len(array)):
        grown[i] = array[i]
    return grown


@jit
def find_compatible(
    mine: Codes,
    everyone: Codes,
    views: Hashes,
    cells: Hashes,
    hashes: Hashes,
    slots: Codes,
    keys: Hashes,
    few: bool,
) -> tuple[Codes, Codes, Codes, Codes]:
    """Return what the classes `mine` of one pattern are compatible with: pairs, and blocks.

    The pairs are the arrays (here, source): class `here[e]` is compatible with class `source[e]`,
    or, if that is not below the number of classes, with all classes of block `source[e]` minus that
    number. The blocks are the arrays (block, member): class `member[i]` is in block `block[i]`.

    The last view selects the columns that the pattern of `mine` does not miss; each other view
    selects those of these columns that another pattern does not miss. `slots` and `keys` are an
    empty table for `find_blocks`. It is filled with what `mine` show in each view if they are
    `few`, and what everyone shows in the last view is looked up; else the other way round.
    """
    lines = len(views) - 1
    here, met = np.empty(2 * len(mine), dtype=np.int32), np.empty(2 * len(mine), dtype=np.int32)
    block_of, edges = everyone, 0
    found = int(np.int64(0))  # for a literal 0 numba would compile `find_blocks` once more
    many = not few
    if many:
        block_of, found = find_blocks(
            everyone, lines, views, cells, hashes, slots, keys, found, many
        )
    for line in range(lines):
        blocks, found = find_blocks(mine, line, views, cells, hashes, slots, keys, found, few)
        here, met = ensure_length(here, edges + len(mine)), ensure_length(met, edges + len(mine))
        for i in range(len(mine)):
            if blocks[i] >= 0:
                here[edges], met[edges] = mine[i], blocks[i]
                edges += 1
    if few:
        block_of, found = find_blocks(
            everyone, lines, views, cells, hashes, slots, keys, found, many
        )
    return resolve_blocks(here[:edges], met[:edges], block_of, found)


@jit
def resolve_blocks(
    here: Codes, met: Codes, block_of: Codes, found: int
) -> tuple[Codes, Codes, Codes, Codes]:
    """Return what `find_compatible` does, from pairs of a class and a block.

    Class `here[e]` is compatible with block `met[e]`, of `found` blocks; `block_of` is the block of
    every class, or -1. A block of one class becomes that class, one of several a number from the
    number of classes on; pairs with empty blocks are dropped. `here` and `met` are overwritten.
    """
    number = len(block_of)
    source_of = np.full(found, -1, dtype=np.int32)
    classes = np.zeros(found, dtype=np.int32)
    for b in met:
        source_of[b] = 0
    members = 0
    for c in range(number):
        b = block_of[c]
        if b >= 0 and source_of[b] >= 0:
            source_of[b] = c
            classes[b] += 1
            members += 1
    free = number
    for b in range(found):
        members -= classes[b] == 1
        if classes[b] > 1:
            source_of[b] = free
            free += 1
    block, member = np.empty(members, dtype=np.int32), np.empty(members, dtype=np.int32)
    end = 0
    for c in range(number):
        b = block_of[c]
        if b >= 0 and source_of[b] >= number:
            block[end], member[end] = source_of[b] - number, c
            end += 1
    end = 0
    for e in range(len(met)):
        if classes[met[e]] > 0:
            here[end], met[end] = here[e], source_of[met[e]]
            end += 1
    return here[:end].copy(), met[:end].copy(), block, member
