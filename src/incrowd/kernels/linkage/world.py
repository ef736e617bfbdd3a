"""Which released tuple a row of the world falls under, where no two labels of a column overlap.

Labels that do not overlap make every value of the world the digit of one label, or 0 if no label
stands for it; the digits of a row are one number, looked up among those of the released tuples.
Every kernel works on the part of the arrays it is given, so that several threads can each take one.
"""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit
from incrowd.kernels.fold import mix

Keys = np.ndarray[tuple[int], np.dtype[np.uint64]]

_ONE = np.uint64(1)


@jit
def translate(codes: Codes, digit: Codes, radix: np.uint64, keys: Keys) -> None:
    """Append the digit of each code, below `radix`, as the last one of the keys."""
    for i in range(len(keys)):
        keys[i] = keys[i] * radix + np.uint64(digit[codes[i]])


@jit
def remember(keys: Keys, slots: Keys, number: Codes) -> None:
    """Put different keys into a hash table: `slots` holds keys + 1, `number` their places."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(keys)):
        slot = mix(keys[i]) & mask
        while slots[slot] != 0:
            slot = (slot + _ONE) & mask
        slots[slot] = keys[i] + _ONE
        number[slot] = i


@jit
def look_up(keys: Keys, slots: Keys, number: Codes, place: Codes) -> None:
    """The place of each key, -1 if it is unknown."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(keys)):
        slot = mix(keys[i]) & mask
        while slots[slot] != 0 and slots[slot] != keys[i] + _ONE:
            slot = (slot + _ONE) & mask
        place[i] = number[slot] if slots[slot] != 0 else -1


@jit
def count(place: Codes, total: Counts) -> None:
    """Add 1 to the total of each place; -1 is nobody's."""
    for i in range(len(place)):
        if place[i] >= 0:
            total[place[i]] += 1
