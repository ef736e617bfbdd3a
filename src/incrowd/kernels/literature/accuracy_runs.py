"""The largest k that a line can be divided by, each class of limited cost (Ghinita Section 5)."""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit
from incrowd.kernels.literature.accuracy import cost_with, empty_pair, enter, leave
from incrowd.kernels.literature.diversify import Items
from incrowd.kernels.shapes import Boxes


@jit
def beginnings(items: Items, boxes: Boxes, start: Counts, most: float) -> Counts:
    """The first record of the longest run up to each record that costs at most `most`.

    Every record alone costs no more.
    """
    n = len(items[1])
    values = np.zeros(n, np.int32)
    pair = empty_pair(items, values, 1, start)
    found = np.empty(n, np.int64)
    begin = 0
    for record in range(n):
        while begin < record and cost_with(items, boxes, pair, 0, record) > most:
            leave(items, values, pair, 0, begin)
            begin += 1
        enter(items, values, pair, 0, record)
        found[record] = begin
    return found


@jit
def runs_of(first: Counts, k: int) -> Codes:
    """The class of each record in a division into runs of k or more records; empty if none is.

    `first` is what `beginnings` gives. A run that ends with record i begins between first[i] and
    i + 1 - k, where another one may have ended; the last such place does as well as any.
    """
    n = len(first)
    before = np.full(n + 1, -1)
    latest = -1
    possible = np.zeros(n + 1, np.bool_)
    possible[0] = True
    for end in range(k, n + 1):
        if possible[end - k]:
            latest = end - k
        if latest >= first[end - 1]:
            possible[end] = True
            before[end] = latest
    if not possible[n]:
        return np.empty(0, np.int32)
    class_of = np.zeros(n, np.int32)
    end = n
    while before[end] > 0:
        end = before[end]
        class_of[end] = 1
    return np.cumsum(class_of).astype(np.int32)
