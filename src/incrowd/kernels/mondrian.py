"""Loops of Mondrian: where to cut a part of the table, and cutting it.

A cut is (column, code, ties): to the left go smaller codes, and the first `ties` records that have
that code; within a column it is (code, ties). No cut leaves fewer than k records on a side.

Shapes: parts (parts, 2), each [start, end) of `order`, which holds every item once.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.boxes import BoxCosts, cell_cost
from incrowd.kernels.compile import jit


class CutItems(NamedTuple):
    """What is cut: rows of the tally, pieces of them, or single records."""

    cells: Codes
    """(items, d): the codes of each item."""
    counts: Counts
    """(items,): its records."""


class CutRule(NamedTuple):
    """How parts are cut."""

    k: int
    """The least records of a part."""
    relaxed: bool
    """Whether equal codes may be divided."""
    cuts: int
    """Cuts of a column that are tried."""
    median: bool
    """Whether columns are cut at their median alone."""


class Scales(NamedTuple):
    """What spans of the columns cost, and which columns may be cut at any code (`ordered`)."""

    boxes: BoxCosts
    ordered: Flags


@jit
def span_of_part(cells: Codes, part: Codes) -> Codes:
    """Return the smallest (line 0) and the largest code (line 1) of each column in a part."""
    columns = cells.shape[1]
    ends = np.empty((2, columns), np.int32)
    for j in range(columns):
        ends[0, j] = np.iinfo(np.int32).max
        ends[1, j] = -1
    for item in part:
        for j in range(columns):
            code = cells[item, j]
            ends[0, j] = min(ends[0, j], code)
            ends[1, j] = max(ends[1, j], code)
    return ends


@jit
def span_cost(boxes: BoxCosts, j: int, least: int, high: int) -> float:
    """Return the cost of showing codes `least` to `high` as one cell, 0 for a single code."""
    return 0.0 if least == high else float(cell_cost(boxes, j, least, high))


@jit
def code_counts(
    items: CutItems, part: Codes, j: int, least: int, high: int
) -> tuple[Counts, Counts]:
    """Return the distinct codes of column j in a part, `least` to `high`, and records of each."""
    cells, counts = items
    span = high - least + 1
    if span > 4 * len(part) + 64:
        return sparse_code_counts(items, part, j)
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
def sparse_code_counts(items: CutItems, part: Codes, j: int) -> tuple[Counts, Counts]:
    """Return what `code_counts` does, by sorting (Shell's), for few codes far from each other."""
    cells, counts = items
    size = len(part)
    values = np.empty(size, np.int64)
    total = np.empty(size, np.int64)
    gap = size // 2
    for i in range(size):
        values[i] = cells[part[i], j]
        total[i] = counts[part[i]]
    # Shell's sort works in place on both arrays at once, without an array of places.
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
def allowed_borders(scales: Scales, j: int, values: Counts) -> Flags:
    """Flag the codes after which a part may be cut: all but the last if the column is ordered.

    In a tree, those after which another branch of the lowest node over all codes begins. The
    missing value, code 0, is a branch of its own.
    """
    boxes, ordered = scales
    apart = np.ones(len(values), np.bool_)
    apart[-1] = False
    first = 1 if values[0] == 0 else 0
    if ordered[j] or first == len(values):
        return apart
    whole = cell_cost(boxes, j, values[first], values[-1])
    for i in range(first, len(values) - 1):
        # Two neighbours cost as much as all codes only if they meet no lower than all do.
        apart[i] = cell_cost(boxes, j, values[i], values[i + 1]) >= whole
    return apart


@jit
def balance_scores(values: Counts, total: Counts, apart: Flags, k: int) -> Counts:
    """Return the records of the smaller side of the cut after each code, -1 if it is not allowed.

    Not allowed are those that `apart` does not flag or that leave a side under k records. The cut
    between the missing and the rest scores the records of both sides, so that it comes first.
    """
    whole = 0
    for count in total:
        whole += count
    score = np.empty(len(values), np.int64)
    left = 0
    for i in range(len(values)):
        left += total[i]
        score[i] = -1
        if apart[i] and left >= k and whole - left >= k:
            score[i] = whole if values[i] == 0 else min(left, whole - left)
    return score


@jit
def index_of_largest(numbers: Counts | Floats) -> int:
    """Return the place of the largest number, the first of several."""
    best = 0
    for i in range(1, len(numbers)):
        if numbers[i] > numbers[best]:
            best = i
    return best


@jit
def most_balanced_cut(values: Counts, total: Counts, apart: Flags, k: int) -> tuple[int, int]:
    """Return the most balanced allowed cut, moved if need be until both sides have k records.

    Then it may go through equal codes. If none is allowed, k records are left of the cut.
    """
    whole, left = 0, 0
    best, at = -1, 0
    for count in total:
        whole += count
    for i in range(len(values) - 1):
        left += total[i]
        balance = min(left, whole - left)
        if apart[i] and balance > best:
            best, at = balance, left
    return cut_at(values, total, min(max(at, k), whole - k))


@jit
def cut_at(values: Counts, total: Counts, at: int) -> tuple[int, int]:
    """Return the cut, (code, ties), that leaves `at` records, less than all, on the left."""
    left = 0
    for i in range(len(values)):
        if left + total[i] > at:
            return int(values[i]), int(at - left)
        left += total[i]
    return int(values[-1]), 0


@jit
def keep_median(values: Counts, total: Counts, whole: int, score: Counts, relaxed: bool) -> None:
    """Set to -1 the score of each cut but those after the missing and after the median code.

    If `relaxed`, the cut after the median is dropped, too: `choose_cut` then cuts the part in
    halves, through equal codes. `whole` is all records.
    """
    left = 0
    for i in range(len(values)):
        before = left
        left += total[i]
        is_median = 2 * before < whole <= 2 * left
        if values[i] != 0 and (relaxed or not is_median):
            score[i] = -1


@jit
def choose_cut(
    items: CutItems, part: Codes, attempt: int, rule: CutRule, scales: Scales
) -> tuple[int, int, int]:
    """Return cut number `attempt`, from 0 on, of a part: (column, code, ties).

    The column is -1 if there are not so many. Cuts of the widest column come first, and of these
    the most balanced; with `rule.median` only those of `keep_median`. With a relaxed rule a
    cut through equal codes may follow in each column.
    """
    cells, counts = items
    k, relaxed, most, median = rule
    span = span_of_part(cells, part)
    extents = np.empty(cells.shape[1], np.float64)
    for j in range(len(extents)):
        extents[j] = span_cost(scales.boxes, j, span[0, j], span[1, j])
    whole = 0
    for item in part:
        whole += counts[item]
    for _ in range(len(extents)):
        j = index_of_largest(extents)
        if extents[j] <= 0 or whole < 2 * k:
            break
        extents[j] = -1.0
        values, total = code_counts(items, part, j, span[0, j], span[1, j])
        apart = allowed_borders(scales, j, values)
        if median:
            apart[: len(apart) - 1] = True
        score = balance_scores(values, total, apart, k)
        if median:
            keep_median(values, total, whole, score, relaxed)
        tried = 0
        while tried < most:
            i = index_of_largest(score)
            if score[i] < 0:
                break
            if attempt == 0:
                return j, int(values[i]) + 1, 0
            attempt -= 1
            score[i] = -1
            tried += 1
        if relaxed and (median or tried == 0):
            if attempt == 0 and median:
                code, ties = cut_at(values, total, (whole + 1) // 2)
                return j, code, ties
            if attempt == 0:
                code, ties = most_balanced_cut(values, total, apart, k)
                return j, code, ties
            attempt -= 1
    return -1, 0, 0


@jit
def propose_cuts(
    items: CutItems,
    order: Codes,
    parts: Counts,
    attempts: Counts,
    rule: CutRule,
    scales: Scales,
    first: int,
    middle: Counts,
    half_of: Codes,
) -> None:
    """Propose cut number `attempts[p]` of each part p; `order` stays as it is.

    `middle[p]` becomes the place in `order` where its left half would end, -1 if there is no such
    cut. `half_of[item]` becomes 2 (first + p) in the left half and one more in the right; `first`
    is the number of the first of these parts. With a relaxed rule items must be single records.
    """
    for p in range(len(parts)):
        part = order[parts[p, 0] : parts[p, 1]]
        j, code, ties = choose_cut(items, part, int(attempts[p]), rule, scales)
        middle[p] = -1
        if j < 0:
            continue
        lefts = 0
        left = 2 * (first + p)
        for item in part:
            here = items.cells[item, j]
            goes = here < code or (here == code and ties > 0)
            if here == code and ties > 0:
                ties -= 1
            half_of[item] = left if goes else left + 1
            lefts += goes
        middle[p] = parts[p, 0] + lefts


@jit
def move_left_halves_first(order: Codes, parts: Counts, half_of: Codes) -> None:
    """Move the items of left halves (even `half_of`) to the front of each part, in place."""
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


@jit
def cut_part(
    items: CutItems, origin: Codes, part: Codes, how: tuple[int, int, int], right: Codes, fresh: int
) -> tuple[int, int]:
    """Move the items of a part that go right to `right`; return how many stay, and how many go.

    The others move to the front of `part`. If the cut `how` goes through an item, its records that
    go right become item number `fresh`, with the same `origin`.
    """
    cells, counts = items
    j, code, ties = how
    lefts, rights = 0, 0
    for item in part:
        here = cells[item, j]
        if here < code or (here == code and 0 < counts[item] <= ties):
            ties -= counts[item] if here == code else 0
            part[lefts] = item
            lefts += 1
            continue
        goes = item
        if here == code and ties > 0:
            cells[fresh] = cells[item]
            counts[fresh] = counts[item] - ties
            origin[fresh] = origin[item]
            counts[item] = ties
            ties = 0
            part[lefts] = item
            lefts += 1
            goes = fresh
        right[rights] = goes
        rights += 1
    return lefts, rights


@jit
def cut_down(
    items: CutItems,
    origin: Codes,
    part: Codes,
    rule: CutRule,
    scales: Scales,
    room: tuple[int, int, int],
) -> tuple[Codes, Codes, int]:
    """Cut a part until nothing can be cut.

    Returned are its items class by class, where each class begins, and the next free item number.
    `room` is (first, last, small): items that come from cut ones have numbers from `first` to
    before `last`, and the same `origin`; parts of at most `small` items are not cut. Parts wait on
    a stack; the one on top, to the right of all others, has room to grow.
    """
    fresh, last, small = room
    size = len(part) + last - fresh
    line, out = np.empty(size, np.int32), np.empty(size, np.int32)
    right = np.empty(len(part) + 1, np.int32)
    line[: len(part)] = part
    begins = [np.int32(0)]
    begins.pop()
    todo = [0]
    end, free = len(part), size
    while todo:
        start = todo[-1]
        here = line[start:end]
        how = (-1, 0, 0)
        if end - start > small:
            how = choose_cut(items, here, 0, rule, scales)
        if how[0] < 0:
            free -= end - start
            out[free : free + end - start] = here
            begins.append(np.int32(free))
            end = todo.pop()
            continue
        lefts, rights = cut_part(items, origin, here, how, right, fresh)
        fresh += lefts + rights - (end - start)
        line[start + lefts : start + lefts + rights] = right[:rights]
        todo.append(start + lefts)
        end = start + lefts + rights
    first = np.empty(len(begins), np.int32)
    for i in range(len(begins)):
        first[i] = begins[len(begins) - 1 - i] - free
    return out[free:], first, fresh
