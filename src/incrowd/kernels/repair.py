"""Loops of repair: the boxes of classes, and which neighbour a failing class had best join.

Classes are numbered in an order in which near ones stand near each other.

Shapes: quasi (d, rows); row and class_of (pieces,), -1 for a piece that is left out; low and high
(classes, d); records (classes,); failing (failing classes,).
"""

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.boxes import FORBIDDEN, BoxCosts, box_cost, cell_cost
from incrowd.kernels.compile import jit


@jit
def class_boxes(quasi: Codes, row: Codes, class_of: Codes, number: int) -> tuple[Codes, Codes]:
    """Return the smallest and largest codes of `number` classes; 2^31 - 1 and -1 for empty ones."""
    columns = len(quasi)
    low = np.full((number, columns), np.iinfo(np.int32).max, np.int32)
    high = np.full((number, columns), -1, np.int32)
    for p in range(len(row)):
        c = class_of[p]
        if c >= 0:
            for j in range(columns):
                code = quasi[j, row[p]]
                low[c, j] = min(low[c, j], code)
                high[c, j] = max(high[c, j], code)
    return low, high


@jit
def box_costs(boxes: BoxCosts, low: Codes, high: Codes) -> Floats:
    """Return what a record of each class pays."""
    costs = np.empty(len(low), np.float64)
    for c in range(len(low)):
        costs[c] = box_cost(boxes, low[c], high[c])
    return costs


@jit
def joined_cost(boxes: BoxCosts, low: Codes, high: Codes, one: int, two: int) -> float:
    """Return what a record pays once two classes are one."""
    total = 0.0
    for j in range(low.shape[1]):
        first, last = min(low[one, j], low[two, j]), max(high[one, j], high[two, j])
        total += cell_cost(boxes, j, first, last)
    return total


@jit
def best_partners(
    boxes: BoxCosts, low: Codes, high: Codes, records: Counts, failing: Codes, reach: int
) -> tuple[Codes, Floats]:
    """Return the two classes that each failing class had best join, and what that costs.

    Both are (failing classes, 2), the better class first. They are at most `reach` places away; the
    cost is how much more all records of both classes pay then. -1 and infinity where limits forbid
    every class, or all but one.
    """
    best = np.full((len(failing), 2), -1, np.int32)
    more = np.full((len(failing), 2), np.inf)
    for i in range(len(failing)):
        one = failing[i]
        paid = joined_cost(boxes, low, high, one, one)
        for two in range(max(one - reach, 0), min(one + reach + 1, len(low))):
            cost = joined_cost(boxes, low, high, one, two)
            if two == one or cost >= FORBIDDEN:
                continue
            other = joined_cost(boxes, low, high, two, two)
            grown = records[one] * (cost - paid) + records[two] * (cost - other)
            if grown < more[i, 0]:
                best[i, 1], more[i, 1] = best[i, 0], more[i, 0]
                best[i, 0], more[i, 0] = two, grown
            elif grown < more[i, 1]:
                best[i, 1], more[i, 1] = two, grown
    return best, more


@jit
def pair_up(failing: Codes, partner: Codes, turn: Counts, number: int) -> tuple[Codes, Flags]:
    """Join failing classes to their partners; return each class's new number, and flag joined ones.

    `failing[i]` joins class `partner[i]`, in the order of the places i in `turn`, unless one of the
    two has been joined already or the partner is -1. New numbers keep the order; a joined class
    stands where its first one stood. Flags are of new classes.
    """
    other = np.full(number, -1, np.int32)
    for i in turn:
        one, two = failing[i], partner[i]
        if two >= 0 and other[one] < 0 and other[two] < 0:
            other[one] = two
            other[two] = one
    place = np.empty(number, np.int32)
    joined = np.zeros(number, np.bool_)
    size = 0
    for c in range(number):
        if 0 <= other[c] < c:
            place[c] = place[other[c]]
        else:
            place[c] = size
            joined[size] = other[c] >= 0
            size += 1
    return place, joined[:size]


@jit
def join_boxes(low: Codes, high: Codes, place: Codes, number: int) -> tuple[Codes, Codes]:
    """Return the boxes of `number` classes once old class c is in `place[c]`; -1 is left out."""
    lows = np.full((number, low.shape[1]), np.iinfo(np.int32).max, np.int32)
    highs = np.full((number, low.shape[1]), -1, np.int32)
    for c in range(len(low)):
        if place[c] >= 0:
            for j in range(low.shape[1]):
                lows[place[c], j] = min(lows[place[c], j], low[c, j])
                highs[place[c], j] = max(highs[place[c], j], high[c, j])
    return lows, highs
