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

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit


@jit
def spans(cells, part):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  tuples of arrays
    """Per column: the smallest code, the smallest that is not missing, the largest."""
    columns = cells.shape[1]
    least = np.full(columns, np.iinfo(np.int32).max, np.int32)
    low = np.full(columns, np.iinfo(np.int32).max, np.int32)
    high = np.zeros(columns, np.int32)
    for item in part:
        for j in range(columns):
            code = cells[item, j]
            least[j] = min(least[j], code)
            high[j] = max(high[j], code)
            if code > 0:
                low[j] = min(low[j], code)
    return least, low, high


@jit
def join_level(tree, j, low, high):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  as above
    """The lowest level at which two codes of an unordered column share a node."""
    maps, _, offset, _ = tree
    level = 0
    while maps[offset[j, level] + low] != maps[offset[j, level] + high]:
        level += 1
    return level


@jit
def extent(tree, j, least, low, high):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  as above
    """The NCP of showing these codes as one cell, times the column's weight."""
    _, scale, offset, heights = tree
    if high == 0 or least == high:
        return 0.0
    if least == 0:
        return scale[-len(heights) + j]
    if heights[j] == 0:
        return scale[offset[j, 0] + high] - scale[offset[j, 0] + low]
    return scale[offset[j, join_level(tree, j, low, high)] + low]


@jit
def profile(items, part, j, least, high):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  as above
    """The distinct codes of a column in a part, ascending, and the records of each."""
    cells, counts = items
    span = high - least + 1
    if span <= 4 * len(part) + 64:
        total = np.zeros(span, np.int64)
        for item in part:
            total[cells[item, j] - least] += counts[item]
        found = np.flatnonzero(total)
        return found + least, total[found]
    codes = np.empty(len(part), np.int64)
    for i in range(len(part)):
        codes[i] = cells[part[i], j]
    order = np.argsort(codes, kind="mergesort")
    values = np.empty(len(part), np.int64)
    total = np.zeros(len(part), np.int64)
    number = -1
    for i in order:
        if number < 0 or values[number] != codes[i]:
            number += 1
            values[number] = codes[i]
        total[number] += counts[part[i]]
    return values[: number + 1], total[: number + 1]


@jit
def branches(tree, j, values, low):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  as above
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
def scores(values, total, branch, k):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  as above
    """How balanced the cut after each code is, -1 if it is none or leaves too few records.

    To part the missing from the rest comes first.
    """
    whole = total.sum()
    score = np.full(len(values), -1, np.int64)
    left = np.int64(0)
    for i in range(len(values) - 1):
        left += total[i]
        if branch[i] != branch[i + 1] and left >= k and whole - left >= k:
            score[i] = whole if values[i] == 0 else min(left, whole - left)
    return score


@jit
def divide(values, total, branch, k):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  as above
    """The most balanced cut, moved as far into equal codes as k asks: (code, ties)."""
    whole = total.sum()
    best, at = np.int64(-1), np.int64(0)
    left = np.int64(0)
    for i in range(len(values) - 1):
        left += total[i]
        balance = min(left, whole - left)
        if branch[i] != branch[i + 1] and balance > best:
            best, at = balance, left
    at = min(max(at, k), whole - k)
    left = np.int64(0)
    for i in range(len(values)):
        if left + total[i] > at:
            return values[i], at - left
        left += total[i]
    return values[-1], np.int64(0)


@jit
def choose(items, part, attempt, rule, tree):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  as above
    """The cut number `attempt` of a part, widest columns and most balanced cuts first.

    The column is -1 if there is none.
    """
    cells, counts = items
    k, relaxed, most = rule
    least, low, high = spans(cells, part)
    extents = np.empty(cells.shape[1], np.float64)
    for j in range(len(extents)):
        extents[j] = extent(tree, j, least[j], low[j], high[j])
    whole = np.int64(0)
    for item in part:
        whole += counts[item]
    for _ in range(len(extents)):
        j = np.argmax(extents)
        if extents[j] <= 0 or whole < 2 * k:
            break
        extents[j] = -1.0
        values, total = profile(items, part, j, least[j], high[j])
        branch = branches(tree, j, values, low[j])
        score = scores(values, total, branch, k)
        tried = 0
        while score.max() >= 0 and tried < most:
            i = np.argmax(score)
            if attempt == 0:
                return j, values[i] + 1, np.int64(0)
            attempt -= 1
            score[i] = -1
            tried += 1
        if relaxed and tried == 0:
            if attempt == 0:
                code, ties = divide(values, total, branch, k)
                return j, code, ties
            attempt -= 1
    return -1, np.int64(0), np.int64(0)


@jit
def cut(cells, part, j, code, ties):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  as above
    """Order the items of a part anew, those left of the cut first; returns how many those are."""
    right = np.empty(len(part), np.int32)
    lefts, rights = 0, 0
    for i in range(len(part)):
        item = part[i]
        here = cells[item, j]
        goes = here < code or (here == code and ties > 0)
        if here == code and ties > 0:
            ties -= 1
        if goes:
            part[lefts] = item
            lefts += 1
        else:
            right[rights] = item
            rights += 1
    part[lefts:] = right[:rights]
    return lefts


@jit
def partition(items, rule, tree):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  as above
    """The class of each item when all parts are cut while they can be."""
    cells, _ = items
    order = np.arange(len(cells), dtype=np.int32)
    class_of = np.empty(len(cells), np.int32)
    stack = np.empty((len(cells) + 2, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, len(cells)
    waiting, classes = 1, 0
    while waiting > 0:
        waiting -= 1
        start, end = stack[waiting, 0], stack[waiting, 1]
        part = order[start:end]
        j, code, ties = choose(items, part, 0, rule, tree)
        if j < 0:
            class_of[part] = classes
            classes += 1
            continue
        middle = start + cut(cells, part, j, code, ties)
        stack[waiting, 0], stack[waiting, 1] = middle, end
        stack[waiting + 1, 0], stack[waiting + 1, 1] = start, middle
        waiting += 2
    return class_of


@jit
def propose(items, order, parts, attempts, rule, tree):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  as above
    """Cut each part [start, end) as its attempt says; where each half ends, -1 if there is no cut.

    Also the half of each item: 2p to the left and 2p + 1 to the right of the cut of part p, -1
    elsewhere. The order of the items is changed only within parts, left halves first.
    """
    cells, _ = items
    half_of = np.full(len(cells), -1, np.int32)
    middle = np.full(len(parts), -1, np.int64)
    new = order.copy()
    for p in range(len(parts)):
        start, end = parts[p, 0], parts[p, 1]
        j, code, ties = choose(items, order[start:end], attempts[p], rule, tree)
        if j < 0:
            continue
        middle[p] = start + cut(cells, new[start:end], j, code, ties)
        half_of[new[start : middle[p]]] = 2 * p
        half_of[new[middle[p] : end]] = 2 * p + 1
    return new, middle, half_of
