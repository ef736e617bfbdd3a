"""Points of the world in a tree of boxes, and those that released tuples may be.

A *point* is a distinct row of the world; a *set* is what a label stands for: runs of codes of one
column. A released tuple is a set per column. Inner parts of the tree are halves of halves of the
points, in the order in which they stand; part i has the halves 2i + 1 and 2i + 2, and those of at
most `LEAF` points are not halved.

`tree` is (cells, low, high): codes with one line per point, and the smallest and the largest code
per part and column. `sets` is (start, low, high): set s has the runs `low[start[s]:start[s + 1]]`
to `high[…]`, ascending and apart. `Words` are bit sets: row r is bit r % 64 of word r // 64.

Shapes: cells (points, d); low and high of the tree (parts, d); start (sets + 1,); boxes (tuples,
d), a number of a set per column; spans (runs, 2), ascending and apart.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit
from incrowd.kernels.fold import mix_bits
from incrowd.kernels.identify.hitting_sets import count_bits as ones

Keys = np.ndarray[tuple[int], np.dtype[np.uint64]]
Words = NDArray[np.uint64]
Tree: TypeAlias = tuple[Codes, Codes, Codes]
Sets: TypeAlias = tuple[Counts, Codes, Codes]
Shared: TypeAlias = tuple[Counts, Counts, Codes]

LEAF = 8
_DEPTH = 128
_ONE = np.uint64(1)
_NONE = np.uint64(0)


@jit
def append_translated(codes: Codes, digit: Codes, radix: np.uint64, keys: Keys) -> None:
    """Append the digit of each code, below `radix`, as the last one of the keys."""
    for i in range(len(keys)):
        keys[i] = keys[i] * radix + np.uint64(digit[codes[i]])


@jit
def fill_hash_table(keys: Keys, slots: Keys, number: Codes) -> None:
    """Fill an empty hash table: keys, all different, + 1 in `slots`, their places in `number`."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(keys)):
        slot = mix_bits(keys[i]) & mask
        while slots[slot] != 0:
            slot = (slot + _ONE) & mask
        slots[slot] = keys[i] + _ONE  # 0 is a free slot
        number[slot] = i


@jit
def look_up_keys(keys: Keys, slots: Keys, number: Codes, place: Codes) -> None:
    """Fill `place` with the place of each key (see `fill_hash_table`), -1 if it is not there."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(keys)):
        slot = mix_bits(keys[i]) & mask
        while slots[slot] != 0 and slots[slot] != keys[i] + _ONE:
            slot = (slot + _ONE) & mask
        place[i] = number[slot] if slots[slot] != 0 else -1


@jit
def count_places(place: Codes, total: Counts) -> None:
    """Add 1 to `total` at each place; -1 is skipped."""
    for i in range(len(place)):
        if place[i] >= 0:
            total[place[i]] += 1


@jit
def fill_row_sets(
    runs: tuple[Counts, Codes, Codes], label: Codes, rank: Codes, sets: Words
) -> None:
    """Fill `sets`, one bit set per value, with the rows whose label stands for the value.

    `label` is the label of each row; `runs` is (start, low, high), the runs of values of each
    label. `rank` is, for each value and one more, how many smaller ones have a set. A row enters at
    the first value of a run and leaves after the last. All sets must be empty before.
    """
    for r in range(len(label)):
        bit = _ONE << np.uint64(r & 63)
        for i in range(runs[0][label[r]], runs[0][label[r] + 1]):
            sets[rank[runs[1][i]], r >> 6] ^= bit
            sets[rank[runs[2][i] + 1], r >> 6] ^= bit
    # Now a set marks rows that enter or leave there: combined with the one before, it is whole.
    for v in range(1, len(sets)):
        for w in range(sets.shape[1]):
            sets[v, w] ^= sets[v - 1, w]


@jit
def list_fitting_rows(
    sets: Words, rows: int, people: Codes, first: int, room: int
) -> tuple[Counts, Codes]:
    """Return the rows that people fit, from person `first` on, until there are more than `room`.

    They come as compressed rows: start, with one line per person done, and row. `people` has the
    numbers of each person's sets, column by column. People whose first columns have the same sets
    should stand together: what these columns leave, as words that are not 0, is kept.
    """
    depth, number = people.shape
    width = sets.shape[1]
    word, place = np.empty((depth + 1, width), np.uint64), np.empty((depth + 1, width), np.int32)
    left = np.zeros(depth + 1, dtype=np.int64)
    _set_all_bits(rows, word[0], place[0])
    left[0] = width
    start = np.zeros(number - first + 1, dtype=np.int64)
    found = np.empty(room + 64 * width, dtype=np.int32)
    used, a = 0, first
    while a < number and used <= room:
        j = 0
        while a > first and j < depth and people[j, a] == people[j, a - 1]:
            j += 1
        for c in range(j, depth):
            left[c + 1] = _intersect(sets[people[c, a]], left[c], word[c : c + 2], place[c : c + 2])
        for i in range(left[depth]):
            used = _list_rows(word[depth, i], place[depth, i] * 64, found, used)
        a += 1
        start[a - first] = used
    return start[: a - first + 1].copy(), found[:used].copy()


@jit
def _set_all_bits(rows: int, word: Words, place: Codes) -> None:
    """Make `word` the bit set of all rows, and `place` the number of each of its words."""
    for w in range(len(word)):
        word[w], place[w] = ~_NONE, w
    if rows & 63:
        word[-1] = (_ONE << np.uint64(rows & 63)) - _ONE


@jit
def _intersect(line: Words, number: int, word: Words, place: Codes) -> int:
    """Write the rows of the set `word[0]` that `line` has, too, to `word[1]`; return its words.

    A set is the words that are not 0, and `place` says which words these are: there are `number`
    for `word[0]`; returned is how many for `word[1]`.
    """
    kept = 0
    for i in range(number):
        here = word[0, i] & line[place[0, i]]
        word[1, kept], place[1, kept] = here, place[0, i]
        kept += here != _NONE
    return kept


@jit
def _list_rows(word: np.uint64, base: int, found: Codes, used: int) -> int:
    """Write a word's rows, from `base` on, to `found` from place `used`; return the next place."""
    while word != _NONE:
        found[used] = base + ones((word & (~word + _ONE)) - _ONE)
        used += 1
        word &= word - _ONE
    return used


@jit
def swap_points(cells: Codes, origin: Codes, a: int, b: int) -> None:
    """Exchange points a and b, and their origins, in place."""
    for j in range(cells.shape[1]):
        cells[a, j], cells[b, j] = cells[b, j], cells[a, j]
    origin[a], origin[b] = origin[b], origin[a]


@jit
def select_halves(cells: Codes, origin: Codes, j: int, lo: int, hi: int, middle: int) -> None:
    """Partly sort points `lo` to before `hi` by column j: the smaller half before `middle`."""
    hi -= 1  # Hoare's selection: only the side that holds the middle is divided again
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
                swap_points(cells, origin, left, right)
                left += 1
                right -= 1
        if middle <= right:
            hi = right
        elif middle >= left:
            lo = left
        else:
            return


@jit
def halve_part(tree: Tree, origin: Codes, width: Floats, part: int, lo: int, hi: int) -> int:
    """Fill in the bounds of a part and halve it along its widest column; return the middle.

    The part is the points `lo` to before `hi`. One of `LEAF` points or fewer, or of equal ones,
    keeps its order. The span of column j is divided by `width[j]` to compare it with others;
    `origin` is moved with the points.
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
        select_halves(cells, origin, best, lo, hi, middle)
    return middle


@jit
def build_tree(tree: Tree, origin: Codes, width: Floats, part: int, lo: int, hi: int) -> None:
    """Put points in the order of the tree; fill in bounds from `part` down (see `halve_part`)."""
    todo = [(part, lo, hi)]
    while todo:
        part, lo, hi = todo.pop()
        middle = halve_part(tree, origin, width, part, lo, hi)
        if hi - lo > LEAF:
            todo.append((2 * part + 1, lo, middle))
            todo.append((2 * part + 2, middle, hi))


@jit
def set_relation(sets: Sets, s: int, lo: int, hi: int) -> int:
    """Return how many of the codes `lo` to `hi` set s has: 0 for none, 1 for some, 2 for all."""
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
def box_ends(sets: Sets, box: Codes) -> Codes:
    """Return per column of a box its least code, its largest, and 1 if it has all between, or 0."""
    start, low, high = sets
    ends = np.empty((len(box), 3), dtype=np.int32)
    for j in range(len(box)):
        first, last = start[box[j]], start[box[j] + 1]
        ends[j, 0], ends[j, 1] = low[first], high[last - 1]
        ends[j, 2] = int(last - first == 1)
    return ends


@jit
def add_leaf_spans(
    tree: Tree, sets: Sets, box: Codes, ends: Codes, part: Counts, spans: Counts, found: int
) -> int:
    """Add the points of a leaf that lie in a box to `spans` as runs; return how many there are.

    There are `found` runs before. `part` is a line of the stack: part, first point, one after the
    last, and the columns to look at as bits.
    """
    cells = tree[0]
    for i in range(part[1], part[2]):
        inside = True
        for j in range(len(box)):
            code = cells[i, j]
            if part[3] >> j & 1 and (
                code < ends[j, 0]
                or code > ends[j, 1]
                or (ends[j, 2] == 0 and set_relation(sets, box[j], code, code) == 0)
            ):
                inside = False
                break
        if inside:
            found = add_span(spans, found, i, i + 1)
    return found


@jit
def add_span(spans: Counts, found: int, lo: int, hi: int) -> int:
    """Add a run to the `found` ones of `spans`, or to the last if they touch; return how many."""
    if found and spans[found - 1, 1] == lo:
        spans[found - 1, 1] = hi
        return found
    spans[found, 0], spans[found, 1] = lo, hi
    return found + 1


@jit
def fill_spans(tree: Tree, sets: Sets, box: Codes, stack: Counts, spans: Counts) -> int:
    """Fill `spans` with the points in a box as runs of places; return how many runs there are.

    `stack` is room for parts that wait. Columns in which the box has all codes of a part are not
    looked at again within it.
    """
    cells, low, high = tree
    ends = box_ends(sets, box)
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
                how = set_relation(sets, box[j], first, last)
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
            found = add_leaf_spans(tree, sets, box, ends, stack[depth], spans, found)
        else:
            middle = (lo + hi) >> 1
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = 2 * part + 2, middle, hi
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = 2 * part + 1, lo, middle
            stack[depth, 3], stack[depth + 1, 3] = opened, opened
            depth += 2
    return found


@jit
def count_people_in_boxes(
    tree: Tree, sets: Sets, boxes: Codes, shared: Shared, total: Counts
) -> None:
    """Add to `total` how many people each box may be: those of its points, everybody once.

    `shared` is (people, start, unit). People with a single point are counted: `people[p]` is how
    many of them the points before p have. Those with several points are listed: point p has
    `unit[start[p]:start[p + 1]]`.
    """
    people, start, unit = shared
    seen = np.full(unit.max() + 1 if len(unit) else 0, -1, dtype=np.int32)
    stack = np.empty((_DEPTH, 4), dtype=np.int64)
    spans = np.empty((len(tree[0]) // 2 + 1, 2), dtype=np.int64)
    for b in range(len(boxes)):
        for s in range(fill_spans(tree, sets, boxes[b], stack, spans)):
            lo, hi = spans[s, 0], spans[s, 1]
            total[b] += people[hi] - people[lo]
            for i in range(start[lo], start[hi]):
                if seen[unit[i]] != b:
                    seen[unit[i]] = b
                    total[b] += 1


@jit
def list_points_in_boxes(tree: Tree, sets: Sets, boxes: Codes, start: Counts, point: Codes) -> None:
    """Fill `point` box by box; box b ends at `start[b + 1]`, even if that is beyond the room."""
    stack = np.empty((_DEPTH, 4), dtype=np.int64)
    spans = np.empty((len(tree[0]) // 2 + 1, 2), dtype=np.int64)
    end = 0
    for b in range(len(boxes)):
        for s in range(fill_spans(tree, sets, boxes[b], stack, spans)):
            for i in range(spans[s, 0], spans[s, 1]):
                if end < len(point):
                    point[end] = i
                end += 1
        start[b + 1] = end
