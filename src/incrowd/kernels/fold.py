"""Equal keys found and numbered: a dense count for small domains, a partitioned hash otherwise.

A key is an unsigned 64-bit number. Every kernel works on the part of the arrays it is given, so
that several threads can each take a part.

Shapes: keys, local, origin and place have one entry per key; counts, free and found one per part;
start and offset one more, the end of the last part; digits (columns, keys); rank one per distinct
key, in the order of `offset`. A hash table has 2^n slots, more than keys.
"""

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.kernels.compile import jit

Keys = np.ndarray[tuple[int], np.dtype[np.uint64]]

_FIRST_SLOTS = 1024
# 2^64 over the golden ratio, odd: multiplication by it can be undone (`mix_bits`).
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@jit
def append_digits(keys: Keys, column: Codes, radix: np.uint64) -> None:
    """Append a column of codes, each below `radix`, to the keys as their last digit, in place."""
    for i in range(len(keys)):
        keys[i] = keys[i] * radix + np.uint64(column[i])


@jit
def split_digits(keys: Keys, radices: Keys, digits: Codes) -> None:
    """Fill `digits[j]` with each key's digit below `radices[j]`; only the first may be larger."""
    for i in range(len(keys)):
        rest = keys[i]
        for j in range(len(radices) - 1, 0, -1):
            above = rest // radices[j]  # `%` would be a second division
            digits[j, i] = rest - above * radices[j]
            rest = above
        digits[0, i] = rest


@jit
def mark_dense(keys: Keys, seen: Flags) -> None:
    """Set `seen[key]` for each key; `seen` has an entry for every possible key."""
    for i in range(len(keys)):
        seen[keys[i]] = True


@jit
def place_dense(keys: Keys, rank: Codes, place: Codes) -> None:
    """Fill `place` with `rank[key]` of each key; `rank` has an entry for every possible key."""
    for i in range(len(keys)):
        place[i] = rank[keys[i]]


@jit
def mix_bits(key: np.uint64) -> np.uint64:
    """Return a key spread over all 64 bits; different keys stay different."""
    key = (key ^ (key >> _HALF)) * _FACTOR
    return (key ^ (key >> _HALF)) * _FACTOR


@jit
def count_parts(keys: Keys, shift: np.uint64, counts: Counts) -> None:
    """Count the keys of each part in `counts`; the part of a key is `mix_bits(key) >> shift`."""
    for i in range(len(keys)):
        counts[mix_bits(keys[i]) >> shift] += 1


@jit
def scatter_keys(
    keys: Keys, first: np.int64, shift: np.uint64, free: Counts, moved: Keys, origin: Codes
) -> None:
    """Copy keys to `moved`, where each part has its own run of places (parts as in `count_parts`).

    `free` is the next free place of each part, and moves on. `origin` gets the place from which
    each key came; `first` is that of the first key given.
    """
    for i in range(len(keys)):
        part = mix_bits(keys[i]) >> shift
        to = free[part]
        moved[to] = keys[i]
        origin[to] = first + i
        free[part] = to + 1


@jit
def find_slot(key: np.uint64, table: Codes, known: Keys) -> np.uint64:
    """Return the slot of a key in `table`, which holds places in `known`, or its free slot."""
    mask = np.uint64(len(table) - 1)
    slot = mix_bits(key) & mask
    while table[slot] >= 0 and known[table[slot]] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@jit
def number_part(keys: Keys, local: Codes) -> int:
    """Fill `local` with the numbers of the keys of a part; return how many are distinct.

    Distinct keys are numbered in the order in which they occur first, and moved, in that order, to
    the front of `keys`, over what was there.
    """
    table = np.full(_FIRST_SLOTS, -1, dtype=np.int32)
    found = 0
    for i in range(len(keys)):
        key = keys[i]
        slot = find_slot(key, table, keys)
        if table[slot] < 0:
            table[slot] = found
            keys[found] = key  # as found <= i, only keys that have been read are lost
            found += 1
            local[i] = found - 1
            if 2 * found > len(table):
                table = np.full(4 * len(table), -1, dtype=np.int32)
                for j in range(found):
                    table[find_slot(keys[j], table, keys)] = j
        else:
            local[i] = table[slot]
    return found


@jit
def number_parts(keys: Keys, start: Counts, local: Codes, found: Counts) -> None:
    """Call `number_part` for each part, from `start[p]`; `found` gets how many are distinct."""
    for p in range(len(found)):
        here = slice(start[p], start[p + 1])
        found[p] = number_part(keys[here], local[here])


@jit
def gather_distinct(keys: Keys, start: Counts, offset: Counts, distinct: Keys) -> None:
    """Copy distinct keys from the front of each part to `distinct`, part p from `offset[p]` on."""
    for p in range(len(start) - 1):
        for i in range(offset[p + 1] - offset[p]):
            distinct[offset[p] + i] = keys[start[p] + i]


@jit
def place_parts(
    start: Counts, offset: Counts, local: Codes, origin: Codes, rank: Codes, place: Codes
) -> None:
    """Fill `place`, at each key's `origin`, with `rank[offset[p] + n]` for number n of part p."""
    for p in range(len(start) - 1):
        for i in range(start[p], start[p + 1]):
            place[origin[i]] = rank[offset[p] + local[i]]


@jit
def first_places(place: Codes, first: Counts) -> None:
    """Fill `first[p]` with the index of the first entry of `place` that is p, if there is one."""
    # Backwards, so that the first of several entries is written last.
    for i in range(len(place) - 1, -1, -1):
        first[place[i]] = i
