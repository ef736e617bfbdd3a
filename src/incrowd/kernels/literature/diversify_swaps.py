"""Loops of the swaps after l-diversity: records of one value change classes where that costs less.

Classes hold the same values before and after, so whatever a model says about values and sizes
still holds. Class c has the records `members[start[c]:start[c + 1]]`. `edges` is (low, high): per
class and column the two smallest and the two largest codes, so that the box without any one
record is at hand.
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.literature.diversify import Items
from incrowd.kernels.shapes import Boxes

Edges: TypeAlias = tuple[Codes, Codes]
State: TypeAlias = tuple[Counts, Counts, Edges, Floats, Counts]
"""Members, start, edges, what a record of each class costs, and the last round it changed in."""

_NONE = np.int32(2**31 - 1)
_GAIN = 1e-12
"""Less is rounding."""


@jit
def find_edges(items: Items, members: Counts, low: Codes, high: Codes) -> None:
    """The two smallest and the two largest codes of a class in each column."""
    cells, of = items
    for j in range(cells.shape[1]):
        low[j, 0], low[j, 1], high[j, 0], high[j, 1] = _NONE, _NONE, -1, -1
        for record in members:
            code = cells[of[record], j]
            if code < low[j, 0]:
                low[j, 0], low[j, 1] = code, low[j, 0]
            elif code < low[j, 1]:
                low[j, 1] = code
            if code > high[j, 0]:
                high[j, 0], high[j, 1] = code, high[j, 0]
            elif code > high[j, 1]:
                high[j, 1] = code


@jit
def begin(items: Items, boxes: Boxes, state: State, first: int, end: int) -> None:
    """The edges and costs of the classes `first` to `end` - 1."""
    members, start, (low, high), paid, _ = state
    for c in range(first, end):
        find_edges(items, members[start[c] : start[c + 1]], low[c], high[c])
        paid[c] = 0.0
        for j in range(low.shape[1]):
            paid[c] += cell_cost(boxes, j, low[c, j, 0], high[c, j, 0])


@jit
def exchanged(boxes: Boxes, low: Codes, high: Codes, gone: Codes, come: Codes) -> float:
    """What a record of a class costs with the codes `come` in place of `gone`."""
    total = 0.0
    for j in range(len(gone)):
        first = low[j, 1] if gone[j] == low[j, 0] else low[j, 0]
        last = high[j, 1] if gone[j] == high[j, 0] else high[j, 0]
        total += cell_cost(boxes, j, min(first, come[j]), max(last, come[j]))
    return total


@jit
def at_edge(low: Codes, high: Codes, codes: Codes, other: Codes) -> bool:
    """Whether a class becomes smaller in some column if these codes give way to others."""
    for j in range(len(codes)):
        code = codes[j]
        lowest = code == low[j, 0] and code != low[j, 1]
        highest = code == high[j, 0] and code != high[j, 1]
        if code != other[j] and (lowest or highest):
            return True
    return False


@jit
def try_swap(items: Items, boxes: Boxes, state: State, pair: tuple[int, int, int, int]) -> bool:
    """Let the members p of class one and q of class two change places if that costs less.

    `pair` is (one, two, p, q).
    """
    cells, of = items
    members, start, (low, high), paid, _ = state
    one, two, p, q = pair
    here, there = cells[of[members[p]]], cells[of[members[q]]]
    if not (at_edge(low[one], high[one], here, there) or at_edge(low[two], high[two], there, here)):
        return False
    ones, twos = start[one + 1] - start[one], start[two + 1] - start[two]
    first = exchanged(boxes, low[one], high[one], here, there)
    if ones * (first - paid[one]) - twos * paid[two] >= -_GAIN:
        return False
    second = exchanged(boxes, low[two], high[two], there, here)
    if ones * (first - paid[one]) + twos * (second - paid[two]) >= -_GAIN:
        return False
    members[p], members[q] = members[q], members[p]
    for c in (one, two):
        find_edges(items, members[start[c] : start[c + 1]], low[c], high[c])
    paid[one], paid[two] = first, second
    return True


@jit
def swap_round(
    items: Items, values: Codes, boxes: Boxes, state: State, span: tuple[int, int], rule: Counts
) -> int:
    """Swap records among the classes of a span while that costs less; how many were swapped.

    `rule` is (number of values, reach, round): classes up to `reach` apart are paired, after the
    first round only if one of them has changed in this round or the last.
    """
    members, start, _, paid, changed = state
    number, reach, turn = rule
    of_value, seen = np.zeros(number, np.int64), np.full(number, -1, np.int64)
    swaps = 0
    for one in range(span[0], span[1]):
        for p in range(start[one], start[one + 1]):
            of_value[values[members[p]]] = p
            seen[values[members[p]]] = one
        for two in range(one + 1, min(one + 1 + reach, span[1])):
            quiet = turn > 0 and changed[one] < turn - 1 and changed[two] < turn - 1
            if quiet or (paid[one] <= 0.0 and paid[two] <= 0.0):
                continue
            for q in range(start[two], start[two + 1]):
                value = values[members[q]]
                if seen[value] != one:
                    continue
                if try_swap(items, boxes, state, (one, two, of_value[value], q)):
                    changed[one] = changed[two] = turn
                    swaps += 1
    return swaps
