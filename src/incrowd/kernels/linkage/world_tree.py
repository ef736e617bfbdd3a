"""Points of the world in a tree of boxes, and those that released tuples may be.

A *point* is a distinct row of the world; a *set* is what a label stands for: runs of codes of one
column. A released tuple is a set per column. Inner parts of the tree are halves of halves of the
points, in the order in which they stand; part i has the halves 2i + 1 and 2i + 2, and those of at
most `LEAF` points are not halved.

`tree` is (cells, low, high): codes with one line per point, and the smallest and the largest code
per part and column. `sets` is (start, low, high): set s has the runs `low[start[s]:start[s + 1]]`
to `high[…]`, ascending and apart.
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit

Tree: TypeAlias = tuple[Codes, Codes, Codes]
Sets: TypeAlias = tuple[Counts, Codes, Codes]
Shared: TypeAlias = tuple[Counts, Counts, Codes]

LEAF = 8
_DEPTH = 128


@jit
def swap(cells: Codes, origin: Codes, a: int, b: int) -> None:
    """Two points change places."""
    for j in range(cells.shape[1]):
        cells[a, j], cells[b, j] = cells[b, j], cells[a, j]
    origin[a], origin[b] = origin[b], origin[a]


@jit
def select(cells: Codes, origin: Codes, j: int, lo: int, hi: int, middle: int) -> None:
    """Move points of [lo, hi) so that those before `middle` have no larger code than those after.

    Hoare's selection, with the middle one of three codes to part the others by.
    """
    hi -= 1
    while lo < hi:
        a, b, c = cells[lo, j], cells[(lo + hi) >> 1, j], cells[hi, j]
        pivot = max(min(a, b), min(max(a, b), c))
        left, right = lo, hi
        while left <= right:
            while cells[left, j] < pivot:
                left += 1
            while cells[right, j] > pivot:
                right -= 1
            if left <= right:
                swap(cells, origin, left, right)
                left += 1
                right -= 1
        if middle <= right:
            hi = right
        elif middle >= left:
            lo = left
        else:
            return


@jit
def halve(tree: Tree, origin: Codes, width: Floats, part: int, lo: int, hi: int) -> int:
    """Bound a part and halve it along its widest column; where its second half begins.

    `width[j]` is what the span of a column is measured by; `origin` goes where the points go.
    """
    cells, low, high = tree
    best, widest = -1, 0.0
    for j in range(cells.shape[1]):
        low[part, j], high[part, j] = cells[lo, j], cells[lo, j]
    for i in range(lo + 1, hi):
        for j in range(cells.shape[1]):
            low[part, j] = min(low[part, j], cells[i, j])
            high[part, j] = max(high[part, j], cells[i, j])
    for j in range(cells.shape[1]):
        span = (high[part, j] - low[part, j]) / width[j]
        if span > widest:
            best, widest = j, span
    middle = (lo + hi) >> 1
    if hi - lo > LEAF and best >= 0:
        select(cells, origin, best, lo, hi, middle)
    return middle


@jit
def build(tree: Tree, origin: Codes, width: Floats, part: int, lo: int, hi: int) -> None:
    """Put the points from `lo` to `hi` in the order of the tree below this part."""
    todo = [(part, lo, hi)]
    while todo:
        part, lo, hi = todo.pop()
        middle = halve(tree, origin, width, part, lo, hi)
        if hi - lo > LEAF:
            todo.append((2 * part + 1, lo, middle))
            todo.append((2 * part + 2, middle, hi))


@jit
def relation(sets: Sets, s: int, lo: int, hi: int) -> int:
    """How a set lies to the codes from `lo` to `hi`: 0 apart, 2 it has them all, 1 neither."""
    start, low, high = sets
    first, last = start[s], start[s + 1]
    while last - first > 1:
        middle = (first + last) >> 1
        if low[middle] <= hi:
            first = middle
        else:
            last = middle
    if low[first] > hi or high[first] < lo:
        return 0
    return 2 if low[first] <= lo and hi <= high[first] else 1


@jit
def ends_of(sets: Sets, box: Codes) -> Codes:
    """Per column of a box: its smallest and largest code, and whether it has all between them."""
    start, low, high = sets
    ends = np.empty((len(box), 3), dtype=np.int32)
    for j in range(len(box)):
        first, last = start[box[j]], start[box[j] + 1]
        ends[j, 0], ends[j, 1] = low[first], high[last - 1]
        ends[j, 2] = int(last - first == 1)
    return ends


@jit
def leaf_spans(
    tree: Tree, sets: Sets, box: Codes, ends: Codes, part: Counts, spans: Counts, found: int
) -> int:
    """Add the points of a leaf that lie in a box, looking at the columns that are open."""
    cells = tree[0]
    for i in range(part[1], part[2]):
        inside = True
        for j in range(len(box)):
            code = cells[i, j]
            if part[3] >> j & 1 and (
                code < ends[j, 0]
                or code > ends[j, 1]
                or (ends[j, 2] == 0 and relation(sets, box[j], code, code) == 0)
            ):
                inside = False
                break
        if inside:
            found = add_span(spans, found, i, i + 1)
    return found


@jit
def add_span(spans: Counts, found: int, lo: int, hi: int) -> int:
    """Add a run of points, joined to the one before if it goes on there."""
    if found and spans[found - 1, 1] == lo:
        spans[found - 1, 1] = hi
        return found
    spans[found, 0], spans[found, 1] = lo, hi
    return found + 1


@jit
def spans_of(tree: Tree, sets: Sets, box: Codes, stack: Counts, spans: Counts) -> int:
    """The points in a box as runs of places; how many runs. A box has one set per column.

    Columns in which the box has all codes of a part are not looked at again within it.
    """
    cells, low, high = tree
    ends = ends_of(sets, box)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, len(cells)
    stack[0, 3] = (1 << len(box)) - 1
    depth, found = 1, 0
    while depth:
        depth -= 1
        part, lo, hi, opened = stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3]
        apart = False
        for j in range(len(box)):
            if opened >> j & 1:
                first, last = low[part, j], high[part, j]
                if last < ends[j, 0] or first > ends[j, 1]:
                    apart = True
                    break
                if ends[j, 2]:
                    opened ^= int(ends[j, 0] <= first and last <= ends[j, 1]) << j
                    continue
                how = relation(sets, box[j], first, last)
                if how == 0:
                    apart = True
                    break
                opened ^= (how >> 1) << j
        if apart:
            continue
        if opened == 0:
            found = add_span(spans, found, lo, hi)
        elif hi - lo <= LEAF:
            stack[depth, 3] = opened
            found = leaf_spans(tree, sets, box, ends, stack[depth], spans, found)
        else:
            middle = (lo + hi) >> 1
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = 2 * part + 2, middle, hi
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = 2 * part + 1, lo, middle
            stack[depth, 3], stack[depth + 1, 3] = opened, opened
            depth += 2
    return found


@jit
def count_boxes(tree: Tree, sets: Sets, boxes: Codes, shared: Shared, total: Counts) -> None:
    """How many people each box may be: those of its points, everybody once.

    `shared` is (people, start, unit): people of no other point among the points before each, and
    whoever has several points, those of point p from `start[p]` to `start[p + 1]`.
    """
    people, start, unit = shared
    seen = np.full(unit.max() + 1 if len(unit) else 0, -1, dtype=np.int32)
    stack = np.empty((_DEPTH, 4), dtype=np.int64)
    spans = np.empty((len(tree[0]) // 2 + 1, 2), dtype=np.int64)
    for b in range(len(boxes)):
        for s in range(spans_of(tree, sets, boxes[b], stack, spans)):
            lo, hi = spans[s, 0], spans[s, 1]
            total[b] += people[hi] - people[lo]
            for i in range(start[lo], start[hi]):
                if seen[unit[i]] != b:
                    seen[unit[i]] = b
                    total[b] += 1


@jit
def list_boxes(tree: Tree, sets: Sets, boxes: Codes, start: Counts, point: Codes) -> None:
    """The points of each box, those of box b up to `start[b + 1]`; none are listed without room."""
    stack = np.empty((_DEPTH, 4), dtype=np.int64)
    spans = np.empty((len(tree[0]) // 2 + 1, 2), dtype=np.int64)
    end = 0
    for b in range(len(boxes)):
        for s in range(spans_of(tree, sets, boxes[b], stack, spans)):
            for i in range(spans[s, 0], spans[s, 1]):
                if end < len(point):
                    point[end] = i
                end += 1
        start[b + 1] = end
