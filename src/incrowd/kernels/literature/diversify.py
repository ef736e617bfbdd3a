"""Loops of the direct l-diversity heuristic (Ghinita Section 4.3, Figures 13 and 14).

Records stand in a line. `values` numbers the sensitive value of each record: 0, 1, …. The domain of
a value is its records in their order; the frontier is the first record of each domain that is in no
class yet, as a *heap*: `heap[0]` is its size, and its records follow, none before its parent. A
line is *eligible* for l if no value has more than 1 / l of its records: then it can be divided.
`domain` is what `chain_domains` returns.

Shapes: values and class_of (records,), -1 for a record in no class yet; low and high of a class
(d, 2), its two smallest and two largest codes.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import BoxCosts, cell_cost
from incrowd.kernels.compile import jit


class Lined(NamedTuple):
    """Records in a line: record i has the codes `cells[of[i]]`, `cells` being (rows, d)."""

    cells: Codes
    of: Codes


class Rank(NamedTuple):
    """Values by their unassigned records; a count changes by one, so one swap keeps the order."""

    counts: Counts
    """(values,): the unassigned records of each value."""
    ranked: Counts
    """(values,): the values by falling count."""
    place: Counts
    """(values,): where each value stands among them."""
    at_least: Counts
    """(most + 2,): how many values have at least so many records."""


@jit
def rank_values(values: Codes, number: int) -> Rank:
    """Return the ranking of `number` values by falling count of their records."""
    counts = np.zeros(number, np.int64)
    for value in values:
        counts[value] += 1
    # One key for both orders, all different: by falling count, then by value.
    ranked = np.argsort(np.arange(number) - counts * number)
    place = np.empty(number, np.int64)
    place[ranked] = np.arange(number)
    at_least = np.zeros(counts.max() + 2, np.int64)
    for value in range(number):
        at_least[counts[value]] += 1
    for count in range(len(at_least) - 2, -1, -1):
        at_least[count] += at_least[count + 1]
    return Rank(counts, ranked, place, at_least)


@jit
def swap_ranks(rank: Rank, value: int, to: int) -> None:
    """Exchange a value and the one at the place `to`, in the ranking."""
    ranked, place = rank.ranked, rank.place
    other, at = ranked[to], place[value]
    ranked[at], ranked[to] = other, value
    place[other], place[value] = at, to


@jit
def count_off(rank: Rank, value: int) -> None:
    """Count one unassigned record of this value less."""
    counts, at_least = rank.counts, rank.at_least
    swap_ranks(rank, value, at_least[counts[value]] - 1)
    at_least[counts[value]] -= 1
    counts[value] -= 1


@jit
def count_back(rank: Rank, value: int) -> None:
    """Count one unassigned record of this value more."""
    counts, at_least = rank.counts, rank.at_least
    swap_ranks(rank, value, at_least[counts[value] + 1])
    counts[value] += 1
    at_least[counts[value]] += 1


@jit
def is_eligible(rank: Rank, l: int, left: int) -> bool:
    """Whether no value has more than `left` / l of the `left` unassigned records."""
    return bool(rank.counts[rank.ranked[0]] * l <= left)


@jit
def chain_domains(values: Codes, number: int) -> tuple[Counts, Counts]:
    """Return each value's first record, and each record's next of its value or `len(values)`."""
    n = len(values)
    first, follows = np.full(number, n), np.full(n, n)
    for i in range(n - 1, -1, -1):
        follows[i] = first[values[i]]
        first[values[i]] = i
    return first, follows


@jit
def span_cost(items: Lined, boxes: BoxCosts, records: Counts) -> float:
    """Return what a record of a class of these records costs."""
    cells, of = items
    total = 0.0
    for j in range(cells.shape[1]):
        low = high = cells[of[records[0]], j]
        for i in records[1:]:
            low, high = min(low, cells[of[i], j]), max(high, cells[of[i], j])
        total += cell_cost(boxes, j, low, high)
    return total


@jit
def push_record(heap: Counts, record: int) -> None:
    """Add a record to a heap, in place."""
    heap[0] += 1
    at = heap[0]
    while at > 1 and heap[at // 2] > record:
        heap[at] = heap[at // 2]
        at //= 2
    heap[at] = record


@jit
def pop_record(heap: Counts) -> int:
    """Take the lowest record from a heap, which must not be empty, and return it."""
    lowest, last = heap[1], heap[heap[0]]
    heap[0] -= 1
    at, child = 1, 2
    while child <= heap[0]:
        if child < heap[0] and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= last:
            break
        heap[at] = heap[child]
        at, child = child, 2 * child
    heap[at] = last
    return int(lowest)


@jit
def fill_group(frontier: Counts, class_of: Codes, group: Counts, size: int, most: int) -> int:
    """Fill a group up to `most` with the frontier's lowest unassigned records; return its size."""
    while size < most and frontier[0] > 0:
        record = pop_record(frontier)
        if class_of[record] < 0:
            group[size] = record
            size += 1
    return size


@jit
def take_most_frequent(rank: Rank, first: Counts, l: int, left: int, group: Counts) -> int:
    """Fill `group` with the first records of the l most frequent values, and of more if need be.

    Return its size: the least, from l on, that leaves an eligible rest; 0 if none does. Of values
    with equal counts the one whose record comes first goes first. The records are counted off in
    `rank`, even if the size is 0. `left` records are unassigned before.
    """
    counts, ranked = rank.counts, rank.ranked
    order = ranked[counts[ranked] > 0]
    order = order[np.argsort(first[order] - counts[order] * (left + first.max()))]
    for size in range(len(order)):
        if size >= l and is_eligible(rank, l, left - size):
            return size
        group[size] = first[order[size]]
        count_off(rank, order[size])
    return len(order) if is_eligible(rank, l, left - len(order)) else 0


@jit
def grow_group(
    rank: Rank, values: Codes, frontier: Counts, class_of: Codes, group: Counts, rule: Counts
) -> int:
    """Add the lowest records of the frontier to a group until the rest is eligible.

    `rule` is (l, unassigned records, size): the group holds `size` records of the frontier. Return
    its new size; its records are counted off in `rank`. If even the whole frontier does not do, it
    is 0, and the frontier has all records back.
    """
    l, left, size = rule
    for i in range(size):
        count_off(rank, values[group[i]])
    while not is_eligible(rank, l, left - size):
        more = fill_group(frontier, class_of, group, size, size + 1)
        if more == size:
            break
        count_off(rank, values[group[size]])
        size = more
    if is_eligible(rank, l, left - size):
        return int(size)
    for i in range(size):
        count_back(rank, values[group[i]])
        push_record(frontier, group[i])
    return 0


@jit
def divide_by_frontier(
    items: Lined, values: Codes, number: int, l: int, boxes: BoxCosts
) -> tuple[Codes, int]:
    """Return the class of each record, and how often the greedy step fell back.

    The line must be eligible; there are `number` values. A class is `l` or more records of
    different values, the lowest of the frontier if they leave an eligible rest; if not even all do,
    those of the most frequent values, which always do (Ghinita after Xiao and Tao). No record is
    left without a class.
    """
    n = len(values)
    rank = rank_values(values, number)
    first, follows = chain_domains(values, number)
    class_of = np.full(n, -1, np.int32)
    frontier = np.zeros(n + 2, np.int64)
    for record in first[first < n]:
        push_record(frontier, record)
    group, ahead = np.empty(number, np.int64), np.empty(number, np.int64)
    left, classes, fallen = n, 0, 0
    waiting = fill_group(frontier, class_of, ahead, 0, l)
    while left > 0:
        group[:waiting] = ahead[:waiting]
        rule = np.array([l, left, waiting])
        size = grow_group(rank, values, frontier, class_of, group, rule)
        if size == 0:
            fallen += 1
            size = take_most_frequent(rank, first, l, left, group)
        close_group(values, (first, follows), frontier, class_of, group[:size], classes)
        left -= size
        waiting = fill_group(frontier, class_of, ahead, 0, l)
        more = ahead[0]
        group[size % number] = more
        if (
            waiting == l
            and size < number
            and should_join(items, values, boxes, group[: size + 1], ahead[:l])
        ):
            count_off(rank, values[more])
            if is_eligible(rank, l, left - 1):
                close_group(
                    values, (first, follows), frontier, class_of, group[size : size + 1], classes
                )
                left -= 1
                ahead[: l - 1] = ahead[1:l].copy()
                waiting = fill_group(frontier, class_of, ahead, l - 1, l)
            else:
                count_back(rank, values[more])
        classes += 1
    return class_of, fallen


@jit
def close_group(
    values: Codes,
    domain: tuple[Counts, Counts],
    frontier: Counts,
    class_of: Codes,
    group: Counts,
    number: int,
) -> None:
    """Put a group's records in class `number`, and the next of each value in the frontier."""
    first, follows = domain
    for record in group:
        class_of[record] = number
        after = follows[record]
        first[values[record]] = after
        if after < len(values):
            push_record(frontier, after)


@jit
def should_join(items: Lined, values: Codes, boxes: BoxCosts, group: Counts, ahead: Counts) -> bool:
    """Whether the last record of `group` should stay there instead of going on (Figure 14).

    It is also the first of `ahead`, the l lowest records of the frontier. It should if no other
    record of the group has its value, and if it pays less in the group than in a class of those
    ahead, which is the least that it will pay otherwise.
    """
    value = values[group[-1]]
    for record in group[:-1]:
        if values[record] == value:
            return False
    return span_cost(items, boxes, group) < span_cost(items, boxes, ahead)


class Swaps(NamedTuple):
    """Classes whose records may change places."""

    members: Counts
    """(records,): the records class by class."""
    start: Counts
    """(classes + 1,): where each class begins."""
    low: Codes
    """(classes, d, 2): its two smallest codes in each column."""
    high: Codes
    """(classes, d, 2): its two largest."""
    paid: Floats
    """(classes,): what a record of it costs."""
    changed: Counts
    """(classes,): the last round in which it changed."""


_NONE = np.int32(2**31 - 1)
_GAIN = 1e-12
"""Less is rounding."""


@jit
def find_edges(items: Lined, members: Counts, low: Codes, high: Codes) -> None:
    """Fill `low` and `high` with the two smallest and the two largest codes of each column."""
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
def fill_edges_and_costs(items: Lined, boxes: BoxCosts, swaps: Swaps, first: int, end: int) -> None:
    """Fill in `low`, `high` and `paid` of the classes `first` to `end` - 1."""
    members, start, low, high, paid, _ = swaps
    for c in range(first, end):
        find_edges(items, members[start[c] : start[c + 1]], low[c], high[c])
        paid[c] = 0.0
        for j in range(low.shape[1]):
            paid[c] += cell_cost(boxes, j, low[c, j, 0], high[c, j, 0])


@jit
def cost_after_swap(boxes: BoxCosts, low: Codes, high: Codes, gone: Codes, come: Codes) -> float:
    """Return what a record of a class pays with the codes `come` in place of `gone`."""
    total = 0.0
    for j in range(len(gone)):
        first = low[j, 1] if gone[j] == low[j, 0] else low[j, 0]
        last = high[j, 1] if gone[j] == high[j, 0] else high[j, 0]
        total += cell_cost(boxes, j, min(first, come[j]), max(last, come[j]))
    return total


@jit
def would_narrow(low: Codes, high: Codes, codes: Codes, other: Codes) -> bool:
    """Whether in a column `codes` alone are at an end of the class, and `other` is not."""
    for j in range(len(codes)):
        code = codes[j]
        lowest = code == low[j, 0] and code != low[j, 1]
        highest = code == high[j, 0] and code != high[j, 1]
        if code != other[j] and (lowest or highest):
            return True
    return False


@jit
def try_swap(items: Lined, boxes: BoxCosts, swaps: Swaps, pair: tuple[int, int, int, int]) -> bool:
    """Exchange members of two classes if all their records then pay less; whether that was done.

    `pair` is (one class, the other, and the places p and q of their members in `swaps.members`).
    """
    cells, of = items
    members, start, low, high, paid, _ = swaps
    one, two, p, q = pair
    here, there = cells[of[members[p]]], cells[of[members[q]]]
    if not (
        would_narrow(low[one], high[one], here, there)
        or would_narrow(low[two], high[two], there, here)
    ):
        return False
    ones, twos = start[one + 1] - start[one], start[two + 1] - start[two]
    first = cost_after_swap(boxes, low[one], high[one], here, there)
    if ones * (first - paid[one]) - twos * paid[two] >= -_GAIN:
        return False
    second = cost_after_swap(boxes, low[two], high[two], there, here)
    if ones * (first - paid[one]) + twos * (second - paid[two]) >= -_GAIN:
        return False
    members[p], members[q] = members[q], members[p]
    for c in (one, two):
        find_edges(items, members[start[c] : start[c + 1]], low[c], high[c])
    paid[one], paid[two] = first, second
    return True


@jit
def swap_within(
    items: Lined, values: Codes, boxes: BoxCosts, swaps: Swaps, span: tuple[int, int], rule: Counts
) -> int:
    """Swap records of one value among classes where that costs less; return how many times.

    The classes are `span[0]` to before `span[1]`. `rule` is (number of values, reach, round):
    classes up to `reach` apart are paired, after round 0 only if one of them has changed in this
    round or the last. Each pair of records is tried once.
    """
    members, start, paid, changed = swaps.members, swaps.start, swaps.paid, swaps.changed
    number, reach, turn = rule
    of_value, seen = np.zeros(number, np.int64), np.full(number, -1, np.int64)
    number_swapped = 0
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
                if try_swap(items, boxes, swaps, (one, two, of_value[value], q)):
                    changed[one] = changed[two] = turn
                    number_swapped += 1
    return number_swapped
