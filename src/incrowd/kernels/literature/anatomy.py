"""Loops of Anatomy's bucketization (Xiao and Tao, VLDB 2006, Figure 3)."""

import numpy as np

from incrowd.arrays import Codes
from incrowd.kernels.compile import jit
from incrowd.kernels.literature.diversify import chain_domains, rank_values


@jit
def bucketize(values: Codes, number: int, l: int) -> Codes:
    """Return the class of each record; a class takes one record of each of the l largest buckets.

    A bucket is the records of one value that are in no class yet. `values` are the records' values
    0, 1, …, `number` - 1, in the order in which the records of one value are to be taken. Records
    that are left when fewer than l buckets hold any are in class -1. Of values with equal counts
    the last are taken, so that they still stand by falling count.
    """
    counts, ranked, _, at_least = rank_values(values, number)
    first, follows = chain_domains(values, number)
    class_of = np.full(len(values), -1, np.int32)
    classes = 0
    while at_least[1] >= l:
        count = counts[ranked[l - 1]]
        above, end = at_least[count + 1], at_least[count]
        for turn in range(l):
            value = ranked[turn if turn < above else end - l + turn]
            class_of[first[value]] = classes
            first[value] = follows[first[value]]
            at_least[counts[value]] -= 1
            counts[value] -= 1
        classes += 1
    return class_of
