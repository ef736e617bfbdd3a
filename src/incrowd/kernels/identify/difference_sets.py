"""Sets of columns as bits, two words each: the columns in which two rows differ."""

import numpy as np

from incrowd.arrays import Codes
from incrowd.kernels.compile import jit

Masks = np.ndarray[tuple[int, int], np.dtype[np.uint64]]

_ONE = np.uint64(1)
_SIX = np.uint64(6)
_LOW = np.uint64(63)


@jit
def differences(left: Codes, right: Codes, codes: Codes, order: Codes, masks: Masks) -> None:
    """For each pair of rows the columns in which they differ; bit j is column `order[j]`."""
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
    """Gather the masks that contain no other one at the front; returned is their number.

    They come with their columns counted in ascending order, so that the first of equals stays.
    """
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
