"""Difference sets: the columns in which two rows differ, as bits.

A set of columns is a mask of words of 64 bits: bit j % 64 of word j // 64 is column j. `codes`,
(columns, rows), are the columns of the table, `left` and `right`, (pairs,), the rows of the pairs.
"""

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.kernels.compile import jit

Masks = np.ndarray[tuple[int, int], np.dtype[np.uint64]]
"""One mask of two words per line: shape (masks, 2)."""
Words = np.ndarray[tuple[int, int], np.dtype[np.uint64]]
"""One mask per column: shape (words, pairs)."""

_ONE = np.uint64(1)
_SIX = np.uint64(6)
_LOW = np.uint64(63)
_BITS = 64


@jit
def fill_differences(left: Codes, right: Codes, codes: Codes, order: Codes, masks: Masks) -> None:
    """Fill `masks`, shape (pairs, 2), with the columns that differ: bit j is column `order[j]`."""
    masks[:] = 0
    for j in range(len(order)):
        word = np.uint64(j) >> _SIX
        bit = _ONE << (np.uint64(j) & _LOW)
        column = codes[order[j]]
        for i in range(len(left)):
            if column[left[i]] != column[right[i]]:
                masks[i, word] |= bit


@jit
def keep_minimal(masks: Masks) -> int:
    """Move the masks, sorted by size, that contain no earlier one to the front; return how many."""
    kept = 0
    for i in range(len(masks)):
        low, high = masks[i, 0], masks[i, 1]
        contains = False
        for j in range(kept):
            if masks[j, 0] & ~low == 0 and masks[j, 1] & ~high == 0:
                contains = True
                break
        if not contains:
            masks[kept, 0] = low
            masks[kept, 1] = high
            kept += 1
    return kept


@jit
def mark_differing_pairs(
    column: Codes, left: Counts, right: Counts, bit: np.uint64, words: Words
) -> None:
    """Set `bit` in `words`, shape (pairs,), for each pair that the column tells apart."""
    for i in range(len(left)):
        if column[left[i]] != column[right[i]]:
            words[i] |= bit


@jit
def add_gains(words: Words, counts: Counts, open_: Flags, found: Counts) -> None:
    """Add to `found[j]`, for each column j, the number of open pairs that it tells apart.

    Bit j % 64 of `words[j // 64, i]` is set where column j tells pair i apart; the pair counts
    `counts[i]` times if `open_[i]`.
    """
    for i in range(len(counts)):
        if not open_[i]:
            continue
        for j in range(len(found)):
            if words[j // _BITS, i] >> np.uint64(j % _BITS) & _ONE:
                found[j] += counts[i]
