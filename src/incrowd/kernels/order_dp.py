"""The best division of an order into runs, each with enough people (Ghinita Section 3, Figure 7).

A class is a run of items with at least k people. The answer is kept as `last`: the class that ends
before item e begins with item `last[e]`.

Shapes: total and last (items + 1,); paid (d,). A `box` is (boxes, 2, d): the lowest and the highest
codes of each box; low and high of `widen_box` and others are those of `LineItems`.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import BoxCosts, cell_cost
from incrowd.kernels.compile import jit


class LineItems(NamedTuple):
    """Items in one line: item e spans the codes `low[of[e]]` to `high[of[e]]`, both (boxes, d)."""

    low: Codes
    high: Codes
    of: Codes
    """(items,): the box of each item."""
    people: Counts
    """(items + 1,): the people before each item, and all."""
    records: Counts
    """(items + 1,): the records before each item, and all."""


_NONE = np.int32(2**31 - 1)


@jit
def empty_box(box: Codes, at: int) -> None:
    """Empty the box at the place `at`: any code widens it."""
    for j in range(box.shape[2]):
        box[at, 0, j] = _NONE
        box[at, 1, j] = -1


@jit
def widen_box(box: Codes, at: int, low: Codes, high: Codes, i: int) -> None:
    """Widen the box at the place `at` to hold line i of `low` and `high`."""
    for j in range(low.shape[1]):
        box[at, 0, j] = min(box[at, 0, j], low[i, j])
        box[at, 1, j] = max(box[at, 1, j], high[i, j])


@jit
def price_box(boxes: BoxCosts, box: Codes, paid: Floats) -> float:
    """Return what the first box costs a record; `paid` becomes the cost of each column."""
    total = 0.0
    for j in range(len(paid)):
        paid[j] = cell_cost(boxes, j, box[0, 0, j], box[0, 1, j])
        total += paid[j]
    return total


@jit
def is_outside(box: Codes, low: Codes, high: Codes, i: int) -> bool:
    """Whether line i of `low` and `high` is not within the first box."""
    grown = 0
    for j in range(low.shape[1]):
        grown += (low[i, j] < box[0, 0, j]) + (high[i, j] > box[0, 1, j])
    return grown > 0


@jit
def widen_and_price(
    boxes: BoxCosts, box: Codes, low: Codes, high: Codes, i: int, paid: Floats
) -> float:
    """Widen the first box to hold line i; update its costs by column, `paid`; return their sum."""
    total = 0.0
    for j in range(len(paid)):
        if low[i, j] < box[0, 0, j] or high[i, j] > box[0, 1, j]:
            box[0, 0, j] = min(box[0, 0, j], low[i, j])
            box[0, 1, j] = max(box[0, 1, j], high[i, j])
            paid[j] = cell_cost(boxes, j, box[0, 0, j], box[0, 1, j])
        total += paid[j]
    return total


@jit
def fill_suffix_boxes(items: LineItems, first: int, end: int, found: Codes) -> None:
    """Fill line i of `found` with the box of the items from `first` + i up to `end` - 1."""
    low, high, of = items.low, items.high, items.of
    for e in range(end - 1, first - 1, -1):
        at = e - first
        if e == end - 1:
            empty_box(found, at)
        else:
            for j in range(low.shape[1]):
                found[at, 0, j] = found[at + 1, 0, j]
                found[at, 1, j] = found[at + 1, 1, j]
        widen_box(found, at, low, high, of[e])


@jit
def fill_window_box(back: Codes, at: int, front: Codes, box: Codes) -> None:
    """Fill `box[0]` with the span of `back[at]` and `front[0]` together."""
    for j in range(box.shape[2]):
        box[0, 0, j] = min(back[at, 0, j], front[0, 0, j])
        box[0, 1, j] = max(back[at, 1, j], front[0, 1, j])


@jit
def improve_prefixes(
    total: Floats,
    last: Codes,
    records: Counts,
    run: tuple[int, int, int],
    cost: float,
    largest: bool,
) -> None:
    """Lower `total`, and set `last`, for each prefix that costs less if its last class begins at s.

    `run` is (s, first end, one after the last end). A record of the class pays `cost`; a division
    costs the sum over all records, or if `largest`, the most that one pays.
    """
    s, first, end = run
    before, size = total[s], records[s]
    for e in range(first, end):
        value = max(before, cost) if largest else before + (records[e] - size) * cost
        better = value < total[e]  # selections, not a branch: the loop can be vectorized
        total[e] = value if better else total[e]
        last[e] = s if better else last[e]


@jit
def item_runs(of: Codes, boxes: int) -> tuple[Codes, int]:
    """Return the place after each box's last item, and the length of the longest run of one box."""
    until = np.zeros(boxes, np.int32)
    longest, size = 0, 0
    for e in range(len(of)):
        until[of[e]] = e + 1
        size = size + 1 if e > 0 and of[e] == of[e - 1] else 1
        longest = max(longest, size)
    return until, longest


@jit
def least_prefix_costs(
    items: LineItems, k: int, boxes: BoxCosts, most: float, largest: bool
) -> tuple[Floats, Codes]:
    """Return the least cost of every prefix of the items, and the item its last class begins with.

    The cost of a division is the sum over its classes of records times box cost, or the `largest`
    box cost; boxes that cost more than `most` are not allowed. Prefixes that cannot be divided
    cost infinity. A class that could be two is never better (superadditive costs, Lemma 1), so no
    class goes on where its first k people and k others would do as two. The shortest class from an
    item on is a window which moves to the right: `back` holds the boxes up to its middle, `front`
    what came after it. `costs` holds those of classes that begin at equal items, up to `stops`.
    """
    low, high, of, people, records = items
    n = len(of)
    total = np.full(n + 1, np.inf)
    last = np.zeros(n + 1, np.int32)
    total[0] = 0.0
    back = np.empty((min(k, n) + 1, 2, low.shape[1]), np.int32)
    front = np.empty((1, 2, low.shape[1]), np.int32)
    box = np.empty((1, 2, low.shape[1]), np.int32)
    paid = np.empty(low.shape[1], np.float64)
    until, longest = item_runs(of, len(low))
    costs = np.empty(min(k, n) + longest + 2, np.float64)
    stops = np.empty(len(costs), np.int32)
    middle, start, end, far, at, number = 0, 0, 0, 0, 0, 0
    empty_box(front, 0)
    for s in range(n):
        while end < n and people[end] - people[s] < k:
            widen_box(front, 0, low, high, of[end])
            end += 1
        if people[end] - people[s] < k:
            break
        if s >= middle:
            middle, start = end, s
            fill_suffix_boxes(items, s, end, back)
            empty_box(front, 0)
        while far < n and people[far + 1] - people[end] < k:
            far += 1
        if s == 0 or of[s] != of[s - 1]:
            number = 0
        if total[s] == np.inf:
            continue
        if number == 0:
            fill_window_box(back, s - start, front, box)
            costs[0] = price_box(boxes, box, paid)
            stops[0] = until[of[end - 1]]
            at, number = 0, 1
        i, e = at, end
        while True:
            if i == number:
                item = stops[i - 1]
                costs[i] = costs[i - 1]
                if is_outside(box, low, high, of[item]):
                    costs[i] = widen_and_price(boxes, box, low, high, of[item], paid)
                stops[i] = until[of[item]]
                number += 1
            if stops[i] < e:
                at = i = i + 1
                continue
            if costs[i] > most:
                break
            stop = min(stops[i], far)
            improve_prefixes(total, last, records, (s, e, stop + 1), costs[i], largest)
            if stop == far:
                break
            e = stop + 1
            i += 1
    return total, last


@jit
def best_class_over_middle(
    items: LineItems,
    k: int,
    boxes: BoxCosts,
    most: float,
    largest: bool,
    halves: tuple[Floats, Floats],
) -> tuple[int, int, float]:
    """Return where the class over the middle of the best division begins and ends, and the cost.

    The cost is that of the whole division. `halves` are the least costs of the prefixes of the
    items before the middle, and of the suffixes of the others, that of all of them first. Both ends
    are the middle if there is no such class. The other arguments are as in `least_prefix_costs`.
    """
    low, high, of, people, records = items
    before, after = halves
    middle = len(before) - 1
    here = before[middle], after[0]
    best = max(here) if largest else here[0] + here[1]
    begin, end = middle, middle
    left = np.empty((1, 2, low.shape[1]), np.int32)
    box = np.empty((1, 2, low.shape[1]), np.int32)
    paid = np.empty(low.shape[1], np.float64)
    empty_box(left, 0)
    for s in range(middle - 1, -1, -1):
        if people[middle] - people[s + 1] >= 2 * k:
            break
        widen_box(left, 0, low, high, of[s])
        fill_window_box(left, 0, left, box)
        cost = price_box(boxes, box, paid)
        spare = np.inf
        for e in range(middle + 1, middle + len(after)):
            cost = widen_and_price(boxes, box, low, high, of[e - 1], paid)
            if cost > most or people[e - 1] - people[s] >= spare:
                break
            if people[e] - people[s] < k:
                continue
            spare = min(spare, people[e] - people[s] + k)
            rest = max(before[s], after[e - middle])
            value = before[s] + after[e - middle] + (records[e] - records[s]) * cost
            value = max(rest, cost) if largest else value
            if value < best:
                best, begin, end = value, s, e
    return begin, end, best


@jit
def class_ends(last: Codes, end: int) -> Codes:
    """Return where the classes of the best division of the first `end` items end, ascending."""
    number = 0
    e = end
    while e > 0:
        e = last[e]
        number += 1
    found = np.empty(number, np.int32)
    e = end
    while e > 0:
        number -= 1
        found[number] = e
        e = last[e]
    return found


@jit
def extent_cost(keys: Floats, records: Counts, s: int, e: int) -> float:
    """Return what a class of items s to e - 1 costs: its records times the extent of their keys."""
    return float((records[e] - records[s]) * (keys[e - 1] - keys[s]))


@jit
def first_end_to_overtake(
    keys: Floats, records: Counts, total: Floats, pair: tuple[int, int], first: int
) -> int:
    """Return what `one_dimensional.first_end_to_overtake` does, for classes of `extent_cost`."""
    one, two = pair
    low, high = first, len(total)
    while low < high:
        e = (low + high) // 2
        old = total[one] + extent_cost(keys, records, one, e)
        if total[two] + extent_cost(keys, records, two, e) <= old:
            high = e
        else:
            low = e + 1
    return low


@jit
def least_prefix_costs_by_key(
    keys: Floats, people: Counts, records: Counts, k: int
) -> tuple[Floats, Codes]:
    """Return what `least_prefix_costs` does if a class costs records times extent of its keys.

    By a queue of beginnings, as in `one_dimensional`: that cost has the quadrangle inequality.
    Nothing limits the size of a class, and nothing needs to: smaller ones are never worse.
    """
    n = len(keys)
    total = np.full(n + 1, np.inf)
    last = np.zeros(n + 1, np.int32)
    total[0] = 0.0
    queue = np.empty(n + 1, np.int32)
    since = np.empty(n + 1, np.int32)
    head, size, s = 0, 0, 0
    for e in range(1, n + 1):
        while s < e and people[e] - people[s] >= k:
            first = e
            while size > head and total[s] < np.inf:
                top = queue[size - 1]
                first = first_end_to_overtake(
                    keys, records, total, (top, s), max(e, since[size - 1])
                )
                if first > max(e, since[size - 1]):
                    break
                size -= 1
            if total[s] < np.inf and (size == head or first <= n):
                queue[size] = s
                since[size] = e if size == head else first
                size += 1
            s += 1
        while size - head > 1 and since[head + 1] <= e:
            head += 1
        if size > head:
            total[e] = total[queue[head]] + extent_cost(keys, records, queue[head], e)
            last[e] = queue[head]
    return total, last


@jit
def join_consecutive_boxes(low: Codes, high: Codes, of: Codes, every: int) -> tuple[Codes, Codes]:
    """Return the lowest and the highest codes of each `every` consecutive items, a line each."""
    number = (len(of) + every - 1) // every
    lows = np.empty((number, low.shape[1]), np.int32)
    highs = np.empty((number, low.shape[1]), np.int32)
    box = np.empty((1, 2, low.shape[1]), np.int32)
    for i in range(number):
        empty_box(box, 0)
        for e in range(i * every, min((i + 1) * every, len(of))):
            widen_box(box, 0, low, high, of[e])
        lows[i] = box[0, 0]
        highs[i] = box[0, 1]
    return lows, highs
