"""Loops of Mondrian: where to cut a part of the table, and cutting it.

Items are rows of the tally, or single records if equal rows may be divided. `items` is (cells,
counts): codes with one line per item, and records per item. `tree` is (maps, scale, offset,
heights), the hierarchies of all columns laid out flat: `maps[offset[j, h] + code]` is the node of a
code at level h, `scale` at the same place its extent; a column of height 0 is ordered, and `scale`
is the place of a code. `rule` is (k, relaxed, cuts): the least records of a part, whether equal
codes may be divided, and how many cuts of a column are tried.

A cut is (column, code, ties): to the left go smaller codes, and the first `ties` items that have
that code.
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit

Items: TypeAlias = tuple[Codes, Counts]
Rule: TypeAlias = tuple[int, bool, int]
Tree: TypeAlias = tuple[Codes, Floats, Counts, Counts]


@jit
def spans(cells: Codes, part: Codes) -> Counts:
    """Per column: the smallest code, the smallest that is not missing, the largest."""
    columns = cells.shape[1]
    found = np.empty((3, columns), np.int64)
    for j in range(columns):
        found[0, j] = found[1, j] = np.iinfo(np.int32).max
        found[2, j] = 0
    for item in part:
        for j in range(columns):
            code = np.int64(cells[item, j])
            found[0, j] = min(found[0, j], code)
            found[2, j] = max(found[2, j], code)
            if code > 0:
                found[1, j] = min(found[1, j], code)
    return found


@jit
def join_level(tree: Tree, j: int, low: int, high: int) -> int:
    """The lowest level at which two codes of an unordered column share a node."""
    maps, _, offset, _ = tree
    level = 0
    while maps[offset[j, level] + low] != maps[offset[j, level] + high]:
        level += 1
    return level


@jit
def extent(tree: Tree, j: int, least: int, low: int, high: int) -> float:
    """The NCP of showing these codes as one cell, times the column's weight."""
    _, scale, offset, heights = tree
    if high in (0, least):
        return 0.0
    if least == 0:
        return float(scale[-len(heights) + j])
    if heights[j] == 0:
        return float(scale[offset[j, 0] + high] - scale[offset[j, 0] + low])
    return float(scale[offset[j, join_level(tree, j, low, high)] + low])


@jit
def profile(items: Items, part: Codes, j: int, least: int, high: int) -> tuple[Counts, Counts]:
    """The distinct codes of a column in a part, ascending, and the records of each."""
    cells, counts = items
    span = high - least + 1
    if span > 4 * len(part) + 64:
        return sparse_profile(items, part, j)
    total = np.zeros(span, np.int64)
    for item in part:
        total[cells[item, j] - least] += counts[item]
    values = np.empty(span, np.int64)
    number = 0
    for i in range(span):
        if total[i] > 0:
            values[number] = i + least
            total[number] = total[i]
            number += 1
    return values[:number], total[:number]


@jit
def sparse_profile(items: Items, part: Codes, j: int) -> tuple[Counts, Counts]:
    """The same by sorting (Shell's), where codes are few and far between."""
    cells, counts = items
    size = len(part)
    values = np.empty(size, np.int64)
    total = np.empty(size, np.int64)
    gap = size // 2
    for i in range(size):
        values[i] = cells[part[i], j]
        total[i] = counts[part[i]]
    while gap > 0:
        for i in range(gap, size):
            value, count, at = values[i], total[i], i
            while at >= gap and values[at - gap] > value:
                values[at], total[at] = values[at - gap], total[at - gap]
                at -= gap
            values[at], total[at] = value, count
        gap //= 2
    number = 0
    for i in range(1, size):
        if values[i] != values[number]:
            number += 1
            values[number], total[number] = values[i], total[i]
        else:
            total[number] += total[i]
    return values[: number + 1], total[: number + 1]


@jit
def branches(tree: Tree, j: int, values: Counts, low: int) -> Counts:
    """The branch of each code: itself if ordered, else the child of the node that covers all."""
    maps, _, offset, heights = tree
    if heights[j] == 0 or values[-1] == 0:
        return values
    level = max(join_level(tree, j, low, values[-1]) - 1, 0)
    child = np.empty(len(values), np.int64)
    for i in range(len(values)):
        child[i] = maps[offset[j, level] + values[i]] if values[i] else 0
    return child


@jit
def scores(values: Counts, total: Counts, branch: Counts, k: int) -> Counts:
    """How balanced the cut after each code is, -1 if it is none or leaves too few records.

    To part the missing from the rest comes first.
    """
    whole = 0
    for count in total:
        whole += count
    score = np.empty(len(values), np.int64)
    left = 0
    for i in range(len(values)):
        left += total[i]
        score[i] = -1
        apart = i + 1 < len(values) and branch[i] != branch[i + 1]
        if apart and left >= k and whole - left >= k:
            score[i] = whole if values[i] == 0 else min(left, whole - left)
    return score


@jit
def largest(numbers: Counts | Floats) -> int:
    """Where the largest number stands first."""
    best = 0
    for i in range(1, len(numbers)):
        if numbers[i] > numbers[best]:
            best = i
    return best


@jit
def divide(values: Counts, total: Counts, branch: Counts, k: int) -> tuple[int, int]:
    """The most balanced cut, moved as far into equal codes as k asks: (code, ties)."""
    whole, left = 0, 0
    best, at = -1, 0
    for count in total:
        whole += count
    for i in range(len(values) - 1):
        left += total[i]
        balance = min(left, whole - left)
        if branch[i] != branch[i + 1] and balance > best:
            best, at = balance, left
    at = min(max(at, k), whole - k)
    left = 0
    for i in range(len(values)):
        if left + total[i] > at:
            return int(values[i]), int(at - left)
        left += total[i]
    return int(values[-1]), 0


@jit
def choose(items: Items, part: Codes, attempt: int, rule: Rule, tree: Tree) -> tuple[int, int, int]:
    """The cut number `attempt` of a part, widest columns and most balanced cuts first.

    The column is -1 if there is none.
    """
    cells, counts = items
    k, relaxed, most = rule
    found = spans(cells, part)
    extents = np.empty(cells.shape[1], np.float64)
    for j in range(len(extents)):
        extents[j] = extent(tree, j, found[0, j], found[1, j], found[2, j])
    whole = 0
    for item in part:
        whole += counts[item]
    for _ in range(len(extents)):
        j = largest(extents)
        if extents[j] <= 0 or whole < 2 * k:
            break
        extents[j] = -1.0
        values, total = profile(items, part, j, found[0, j], found[2, j])
        branch = branches(tree, j, values, found[1, j])
        score = scores(values, total, branch, k)
        tried = 0
        while tried < most:
            i = largest(score)
            if score[i] < 0:
                break
            if attempt == 0:
                return j, int(values[i]) + 1, 0
            attempt -= 1
            score[i] = -1
            tried += 1
        if relaxed and tried == 0:
            if attempt == 0:
                code, ties = divide(values, total, branch, k)
                return j, code, ties
            attempt -= 1
    return -1, 0, 0


@jit
def propose(
    items: Items,
    order: Codes,
    parts: Counts,
    attempts: Counts,
    rule: Rule,
    tree: Tree,
    first: int,
    middle: Counts,
    half_of: Codes,
) -> None:
    """Cut each part [start, end) as its attempt says; `middle` is where its left half ends.

    It is -1 without a cut. The half of each item becomes 2p to the left and 2p + 1 to the right of
    the cut of part p; parts are numbered from `first` on.
    """
    for p in range(len(parts)):
        part = order[parts[p, 0] : parts[p, 1]]
        j, code, ties = choose(items, part, int(attempts[p]), rule, tree)
        middle[p] = -1
        if j < 0:
            continue
        lefts = 0
        left = 2 * (first + p)
        for item in part:
            here = items[0][item, j]
            goes = here < code or (here == code and ties > 0)
            if here == code and ties > 0:
                ties -= 1
            half_of[item] = left if goes else left + 1
            lefts += goes
        middle[p] = parts[p, 0] + lefts


@jit
def adopt(order: Codes, parts: Counts, half_of: Codes) -> None:
    """Order the items of these parts anew, left halves first."""
    for p in range(len(parts)):
        part = order[parts[p, 0] : parts[p, 1]]
        right = np.empty(len(part), np.int32)
        lefts, rights = 0, 0
        for item in part:
            if half_of[item] % 2 == 0:
                part[lefts] = item
                lefts += 1
            else:
                right[rights] = item
                rights += 1
        for i in range(rights):
            part[lefts + i] = right[i]
