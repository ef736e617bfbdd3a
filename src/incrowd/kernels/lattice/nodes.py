"""Loops of the lattice search: which rows look alike at a node, and what failing ones would pay.

The key of a row is the sum of its nodes times the columns' strides; rows of one key are a class.

A *node* of the lattice is a vector of levels; a *range* is the nodes from `low` to `high`. A *cut*
says what the loss of every node at or below a node of the cut is at least: `Cuts` is (those nodes,
the parts of the limit by column and level, what it adds to a node's limit, whether no such node is
allowed at all), with a line per cut. `costs` are by column and level; infinite limits mean that no
solution is there.

Shapes: node, low and high (d,), with low <= high column by column; codes (d, rows), in
`pair_keys` (rows,); counts, keys and class_of (rows,); what is found for classes (classes,).
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.compile import jit

Bits: TypeAlias = NDArray[np.uint64]
Cuts: TypeAlias = tuple[Counts, Floats, Floats, Flags]

_EPSILON = 1e-12
_BLOCK = 2048
"""Keys that are made at once: they stay near the processor until they are numbered."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


@jit
def limit_below(cuts: Cuts, c: int, node: Counts, base: float) -> float:
    """Return the least loss of a node by cut c; -inf if it is not below the cut, inf if `hard`.

    `base` is the node's limit without cuts.
    """
    nodes, parts, surcharge, hard = cuts
    total = 0.0
    for j in range(len(node)):
        if node[j] > nodes[c, j]:
            return -np.inf
        total += parts[c, j, node[j]]
    return np.inf if hard[c] else max(total, base + surcharge[c])


@jit
def node_limit(node: Counts, cuts: Cuts, base: float) -> tuple[float, int]:
    """Return a node's limit, the largest of `base` and all cuts, and that cut's number, or -1."""
    limit, by = base, -1
    for c in range(len(cuts[3])):
        here = limit_below(cuts, c, node, base)
        if here == np.inf:
            return here, c
        if here > limit + _EPSILON:
            limit, by = here, c
    return limit, by


@jit
def ways_of_escape(
    cut: Counts, low: Counts, high: Counts, costs: Floats
) -> tuple[float, int, int, np.uint64]:
    """Return the columns in which nodes of a range can rise above a cut, and what that costs.

    Returned are the cost of the cheapest such column, how many there are, the last of them, and all
    as bits (column j as bit j % 64); infinity, 0, -1 and 0 if there are none.
    """
    least, ways, last, mask = np.inf, 0, -1, np.uint64(0)
    for j in range(len(low)):
        if high[j] > cut[j]:
            ways += 1
            last = j
            # Columns that share a bit only make cuts look less apart: the limit still holds.
            mask |= np.uint64(1) << np.uint64(j % 64)
            least = min(least, costs[j, cut[j] + 1] - costs[j, low[j]])
    return least, ways, last, mask


@jit
def joint_escape_cost(need: Floats, escapes: Bits) -> float:
    """Return the sum of `need` over cuts that share no bit of `escapes`, chosen costliest first."""
    used = np.uint64(0)
    total = 0.0
    while True:
        most, pick = 0.0, -1
        for c in range(len(need)):
            if need[c] > most and escapes[c] & used == 0:
                most, pick = need[c], c
        if pick < 0:
            return total
        total += most
        used |= escapes[pick]


@jit
def tighten_range(
    low: Counts, high: Counts, costs: Floats, floors: tuple[float, float], cuts: Cuts, best: float
) -> tuple[float, int]:
    """Raise `low`, in place, as far as the cuts ask; return the range's limit and a cut.

    The cut, or -1, is the one to divide the range by. A node of the range is below a cut, and pays
    for it, or has risen above it in some column. Where no node below a cut can be better than
    `best`, `low` rises above it if only one column allows that; if none does, the limit is infinite
    and the cut is that one. `floors` are what the sum of costs starts from, minus infinity without
    one, and another limit that holds at `low`.
    """
    need = np.empty(len(cuts[3]), np.float64)
    escapes = np.empty(len(cuts[3]), np.uint64)
    limit, divider, bare, again = -np.inf, -1, -np.inf, True
    while again:
        again = False
        bare = floors[0]
        for j in range(len(low)):
            bare += costs[j, low[j]]
        base = max(bare, floors[1])
        limit, divider, few = base, -1, len(low) + 1
        for c in range(len(need)):
            need[c] = -1.0
            paid = limit_below(cuts, c, low, base)
            if paid <= base + _EPSILON:
                continue
            least, ways, last, escapes[c] = ways_of_escape(cuts[0][c], low, high, costs)
            if paid == np.inf or paid > best + _EPSILON:
                if ways == 0:
                    return np.inf, c
                if ways == 1:
                    low[last] = cuts[0][c, last] + 1
                    again = True
                    break
                need[c] = least
            value = max(min(paid, bare + least), base)
            close = value >= limit - _EPSILON and ways < few
            if value > limit + _EPSILON or divider < 0 or close:
                limit, divider, few = max(limit, value), c, ways
    return max(limit, bare + joint_escape_cost(need, escapes)), divider


@jit
def add_node_keys(
    codes: Codes, begin: int, maps: Codes, offset: Counts, stride: Counts, keys: Counts
) -> None:
    """Add nodes, `maps[offset[j] + code]`, times strides to keys of rows from `begin` on."""
    for j in range(codes.shape[0]):
        step = stride[j]
        if step == 0:
            continue
        first = offset[j]
        column = codes[j]
        for i in range(len(keys)):
            keys[i] += step * np.int64(maps[first + column[begin + i]])


@jit
def count_dense(
    codes: Codes,
    counts: Counts,
    rows: tuple[int, int],
    maps: Codes,
    steps: tuple[Counts, Counts, int],
    class_of: Codes,
) -> tuple[Codes, Counts]:
    """Fill `class_of` for a run of rows; return the first row and the records of each class.

    `rows` is (first row, one after the last). Classes are numbered in the order of their first row
    within the run. `steps` is (where each column's map begins, strides, what all keys are below):
    an array has an entry for every possible key.
    """
    begin, end = rows
    offset, stride, span = steps
    place = np.full(span, -1, np.int32)
    first = np.empty(min(span, end - begin), np.int32)
    size = np.zeros(min(span, end - begin), np.int64)
    keys = np.empty(_BLOCK, np.int64)
    found = 0
    for start in range(begin, end, _BLOCK):
        here = min(_BLOCK, end - start)
        keys[:here] = 0
        add_node_keys(codes, start, maps, offset, stride, keys[:here])
        for i in range(here):
            number = place[keys[i]]
            if number < 0:
                number = np.int32(found)
                place[keys[i]] = number
                first[found] = start + i
                found += 1
            class_of[start + i] = number
            size[number] += counts[start + i]
    return first[:found].copy(), size[:found].copy()


@jit
def renumber(class_of: Codes, number: Codes) -> None:
    """Replace each entry of `class_of` by its new number, in place."""
    for i in range(len(class_of)):
        class_of[i] = number[class_of[i]]


@jit
def count_hashed(keys: Counts, counts: Counts) -> tuple[Codes, Codes, Counts]:
    """Return each row's class by equal keys, and each class's first row, ascending, and records."""
    rows = len(keys)
    room = 16
    while room < 2 * rows:
        room *= 2
    mask = np.uint64(room - 1)
    slots = np.full(room, -1, np.int32)
    class_of = np.empty(rows, np.int32)
    of_class = np.empty(rows, np.int64)
    first = np.empty(rows, np.int32)
    size = np.zeros(rows, np.int64)
    found = 0
    for i in range(rows):
        key = keys[i]
        mixed = np.uint64(key) * _MIX
        slot = (mixed ^ (mixed >> _HALF)) & mask
        while slots[slot] >= 0 and of_class[slots[slot]] != key:
            slot = (slot + _ONE) & mask
        if slots[slot] < 0:
            slots[slot] = found
            of_class[found] = key
            first[found] = i
            found += 1
        class_of[i] = slots[slot]
        size[slots[slot]] += counts[i]
    return class_of, first[:found].copy(), size[:found].copy()


@jit
def pair_keys(numbers: Codes, codes: Codes, domain: int) -> Counts:
    """Return one key for each pair of a number and a code below `domain`."""
    keys = np.empty(len(numbers), np.int64)
    for i in range(len(numbers)):
        keys[i] = np.int64(numbers[i]) * domain + codes[i]
    return keys


@jit
def add_failing_codes(
    codes: Codes,
    counts: Counts,
    rows: tuple[int, int],
    row_of: Codes,
    class_of: Codes,
    failing: Flags,
    start: Counts,
    held: Counts,
) -> None:
    """Add to `held[start[j] + code]` the records of failing classes with that code in column j.

    Only rows from `rows[0]` to before `rows[1]` count; row i is in class `class_of[row_of[i]]`.
    """
    for i in range(rows[0], rows[1]):
        if failing[class_of[row_of[i]]]:
            for j in range(codes.shape[0]):
                held[start[j] + codes[j, i]] += counts[i]


@jit
def costs_by_level(
    held: Counts, start: Counts, costs: Floats, offset: Counts, heights: Counts
) -> Floats:
    """Return the sum that records pay, by column and level.

    There are `held[start[j] + code]` records of each code of column j, which has `heights[j]`
    levels; `costs[offset[j] + code * heights[j] + level]` is what a cell costs.
    """
    total = np.zeros((len(heights), heights.max()), np.float64)
    for j in range(len(heights)):
        for at in range(start[j], start[j + 1]):
            if held[at] > 0:
                first = offset[j] + (at - start[j]) * heights[j]
                for level in range(heights[j]):
                    total[j, level] += held[at] * costs[first + level]
    return total
