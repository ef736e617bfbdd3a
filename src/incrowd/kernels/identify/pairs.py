"""Pairs of records as bits: which columns tell the two apart."""

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.kernels.compile import jit

Words = np.ndarray[tuple[int, int], np.dtype[np.uint64]]

_BITS = 64
_ONE = np.uint64(1)


@jit
def differ(column: Codes, left: Counts, right: Counts, bit: np.uint64, words: Words) -> None:
    """Set this bit in the word of each pair of rows that the column tells apart."""
    for i in range(len(left)):
        if column[left[i]] != column[right[i]]:
            words[i] |= bit


@jit
def gains(words: Words, counts: Counts, open_: Flags, found: Counts) -> None:
    """Add up, per column, the pairs among the open ones that it tells apart: shape (columns,)."""
    for i in range(len(counts)):
        if not open_[i]:
            continue
        for j in range(len(found)):
            if words[j // _BITS, i] >> np.uint64(j % _BITS) & _ONE:
                found[j] += counts[i]
