"""The lightest set of columns that hits each of many sets of columns, as bits of one word.

A set of columns is a word of 64 bits, bit j for column j. A set hits another if they share a
column. Branch and bound: a branch has *chosen* some columns and *closed* others, which it may not
choose; a set is *open* while no chosen column hits it.

Shapes: sets (sets,); weights (columns,), at most 64 columns, none negative.
"""

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.kernels.compile import jit

Words = np.ndarray[tuple[int], np.dtype[np.uint64]]

_ONE = np.uint64(1)
_NONE = np.uint64(0)


@jit
def lowest_bit(word: np.uint64) -> int:
    """Return the place of the lowest bit of a word, which must not be 0."""
    place = 0
    while not word & _ONE:
        word >>= _ONE
        place += 1
    return place


@jit
def lower_limit(
    sets: Words, chosen: np.uint64, closed: np.uint64, weights: Floats
) -> tuple[float, np.uint64]:
    """Return a lower limit of what a branch must still pay, and which columns to try next.

    The columns are those, not closed, of the open set with fewest; 0 if no set is open. Open
    sets without a common column each cost their lightest one. If an open set has only closed
    columns the limit is infinite, and the columns 0, too.
    """
    bound, taken, branch, fewest = 0.0, _NONE, _NONE, 65
    for i in range(len(sets)):
        if sets[i] & chosen:
            continue
        free = sets[i] & ~closed
        if not free:
            return np.inf, free
        number, lightest, rest = 0, np.inf, free
        while rest:
            lightest = min(lightest, weights[lowest_bit(rest)])
            rest &= rest - _ONE  # clears the lowest bit
            number += 1
        if number < fewest:
            fewest, branch = number, free
        if not free & taken:
            taken |= free
            bound += lightest
    return bound, branch


@jit
def lightest_hitting_set(
    sets: Words, weights: Floats, best: np.uint64, most: float, steps: Counts
) -> tuple[np.uint64, float]:
    """Return the lightest set of columns that hits all sets, and its weight.

    If nothing is lighter, or some set cannot be hit, these are `best` and `most`, its weight. A
    branch chooses the columns of one open set in turn, and each is closed for the branches that
    follow. `steps[0]` is how many may be tried; it counts down; below 0 the answer is the best yet.
    """
    tall = 66
    chosen, closed = np.zeros(tall, dtype=np.uint64), np.zeros(tall, dtype=np.uint64)
    branch, paid = np.zeros(tall, dtype=np.uint64), np.zeros(tall)
    bound, branch[0] = lower_limit(sets, _NONE, _NONE, weights)
    if bound == np.inf:
        return best, most
    if not branch[0]:
        return _NONE, 0.0
    depth = 0
    while depth >= 0 and steps[0] >= 0:
        if not branch[depth]:
            depth -= 1
            continue
        column = lowest_bit(branch[depth])
        bit = _ONE << np.uint64(column)
        branch[depth] &= ~bit
        here, total = chosen[depth] | bit, paid[depth] + weights[column]
        bound, after = lower_limit(sets, here, closed[depth], weights)
        closed[depth] |= bit
        steps[0] -= 1
        if total + bound >= most - 1e-12:
            continue
        if not after:
            best, most = here, total
            continue
        depth += 1
        chosen[depth], closed[depth] = here, closed[depth - 1]
        paid[depth], branch[depth] = total, after
    return best, most
