"""Loops that help the least private class: it exchanges records with another, or joins one.

Not in the paper: Ghinita's readjustment sees neighbours in the line alone, and one class that found
nobody there decides the privacy of all.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import BoxCosts
from incrowd.kernels.compile import jit
from incrowd.kernels.literature.accuracy import (
    GroupRule,
    Pair,
    Ways,
    adjust_groups,
    clear_group,
    enter_group,
    is_less,
    leave_group,
    new_ways,
)
from incrowd.kernels.literature.diversify import Lined
from incrowd.kernels.repair import joined_cost


class ClassChains(NamedTuple):
    """Classes as chains of records: from `first[c]` on along `next_of`."""

    first: Counts
    """(classes,): the first record, -1 if the class is empty."""
    next_of: Counts
    """(records,): the next record of the same class, -1 after the last."""
    sizes: Counts
    """(classes,): records."""
    tops: Counts
    """(classes,): the most records of one value."""
    low: Codes
    """(classes, d): the lowest code of each column."""
    high: Codes
    """(classes, d): the highest."""


@jit
def chain_classes(items: Lined, values: Codes, class_of: Codes, number: int) -> ClassChains:
    """Return `number` classes as chains of records, from the class of each record."""
    cells, of = items
    first, next_of = np.full(number, -1), np.full(len(class_of), -1)
    sizes, tops = np.zeros(number, np.int64), np.zeros(number, np.int64)
    low = np.full((number, cells.shape[1]), 2**31 - 1, np.int32)
    high = np.full((number, cells.shape[1]), -1, np.int32)
    for i in range(len(class_of) - 1, -1, -1):
        c = class_of[i]
        next_of[i] = first[c]
        first[c] = i
        sizes[c] += 1
        for j in range(cells.shape[1]):
            low[c, j] = min(low[c, j], cells[of[i], j])
            high[c, j] = max(high[c, j], cells[of[i], j])
    counts = np.zeros(values.max() + 1, np.int64)
    for c in range(number):
        i = first[c]
        while i >= 0:
            counts[values[i]] += 1
            tops[c] = max(tops[c], counts[values[i]])
            i = next_of[i]
        i = first[c]
        while i >= 0:
            counts[values[i]] = 0
            i = next_of[i]
    return ClassChains(first, next_of, sizes, tops, low, high)


@jit
def class_privacy(classes: ClassChains, c: int, by_value: bool) -> tuple[int, int]:
    """Return a class's privacy as a fraction: its records, and its commonest value's (or 1)."""
    return classes.sizes[c], classes.tops[c] if by_value else 1


@jit
def weakest_class(classes: ClassChains, by_value: bool) -> int:
    """Return the class with the least privacy, the first of several; -1 if all are empty."""
    worst = -1
    for c in range(len(classes.sizes)):
        if classes.sizes[c] > 0 and (
            worst < 0
            or is_less(class_privacy(classes, c, by_value), class_privacy(classes, worst, by_value))
        ):
            worst = c
    return worst


@jit
def near_classes(
    classes: ClassChains, boxes: BoxCosts, c: int, reach: int
) -> tuple[Counts, Floats]:
    """Return non-empty classes up to `reach` places from c, cheapest to join first, and costs."""
    low, high = classes.low, classes.high
    others, costs = [0], [0.0]
    others.pop()
    costs.pop()
    for other in range(max(c - reach, 0), min(c + reach + 1, len(low))):
        if other != c and classes.sizes[other] > 0:
            others.append(other)
            costs.append(joined_cost(boxes, low, high, c, other))
    price = np.array(costs)
    order = np.argsort(price)
    return np.array(others)[order], price[order]


@jit
def load_class(
    items: Lined, values: Codes, pair: Pair, group: int, classes: ClassChains, c: int
) -> None:
    """Copy class c to a group of the pair, which must be empty."""
    sizes, counts, with_count, top, head, follow, prior, held, low, high, start, changes = pair
    cells, of = items
    i = classes.first[c]
    while i >= 0:
        after = head[group, values[i]]
        follow[i], prior[i] = after, -1
        if after >= 0:
            prior[after] = i
        head[group, values[i]] = i
        counts[group, values[i]] += 1
        for j in range(cells.shape[1]):
            held[group, start[j] + cells[of[i], j]] += 1
        i = classes.next_of[i]
    for count in counts[group]:
        with_count[group, 0] -= 1
        with_count[group, count] += 1
    sizes[group], top[group] = classes.sizes[c], classes.tops[c]
    low[group], high[group] = classes.low[c], classes.high[c]
    changes[group] += 1


@jit
def store_class(pair: Pair, group: int, classes: ClassChains, c: int) -> None:
    """Copy a group of the pair to class c; the group stays as it is."""
    first, next_of, sizes, tops, low, high = classes
    head, follow = pair.head, pair.follow
    sizes[c], tops[c] = pair.sizes[group], pair.top[group]
    low[c], high[c] = pair.low[group], pair.high[group]
    first[c] = -1
    for i in head[group]:
        while i >= 0:
            next_of[i] = first[c]
            first[c] = i
            i = follow[i]  # noqa: PLW2901  on along the chain


@jit
def reset_moves(items: Lined, values: Codes, pair: Pair, ways: Ways, back: bool) -> None:
    """Mark all records as not moved, and move them back if `back`."""
    direction, moved = ways.direction, ways.moved
    head, follow = pair.head, pair.follow
    for value in range(len(direction)):
        source = direction[value]
        i = head[1 - source, value] if source >= 0 else -1
        # Records of a value move one way only; those that came stand first in its chain.
        while i >= 0 and moved[i] == 1:
            after = follow[i]
            moved[i] = 0
            if back:
                leave_group(items, values, pair, 1 - source, i)
                enter_group(items, values, pair, source, i)
            i = after


@jit
def trade_records(
    items: Lined,
    values: Codes,
    boxes: BoxCosts,
    pair: Pair,
    ways: Ways,
    rule: GroupRule,
    classes: ClassChains,
    two: tuple[int, int],
) -> bool:
    """Let two classes exchange records if both are then more private than the less private was.

    `two` is their numbers. If not, they stay as they were, and False is returned. Group 0 of the
    pair holds the first of them before and after; group 1 is empty.
    """
    one, other = two
    mine, theirs = (
        class_privacy(classes, one, rule.by_value),
        class_privacy(classes, other, rule.by_value),
    )
    before = theirs if is_less(theirs, mine) else mine
    load_class(items, values, pair, 1, classes, other)
    adjust_groups(items, values, boxes, pair, ways, rule)
    sizes, tops = pair.sizes, pair.top
    better = True
    for group in range(2):
        after = (sizes[group], tops[group] if rule.by_value else 1)
        better &= is_less(before, after)
    reset_moves(items, values, pair, ways, not better)
    if better:
        store_class(pair, 0, classes, one)
        store_class(pair, 1, classes, other)
    clear_group(items, pair, 1)
    return better


@jit
def join_class(classes: ClassChains, values: Codes, number: int, one: int, other: int) -> None:
    """Move all records of class `one` to class `other`; `number` is how many values there are."""
    first, next_of, sizes, tops, low, high = classes
    counts = np.zeros(number, np.int64)
    last = -1
    for c in (one, other):
        i = first[c]
        while i >= 0:
            counts[values[i]] += 1
            if c == one:
                last = i
            i = next_of[i]
    next_of[last] = first[other]
    first[other] = first[one]
    first[one] = -1
    sizes[other] += sizes[one]
    sizes[one] = 0
    tops[other] = counts.max()
    for j in range(low.shape[1]):
        low[other, j] = min(low[other, j], low[one, j])
        high[other, j] = max(high[other, j], high[one, j])


@jit
def help_weakest(
    items: Lined,
    values: Codes,
    boxes: BoxCosts,
    pair: Pair,
    rule: GroupRule,
    class_of: Codes,
    limits: Counts,
) -> tuple[Codes, bool]:
    """Help the least private class, step after step; return the class of each record, and a flag.

    The flag is set if in the end it could not be helped, rather than that the steps were used up.
    `limits` is (how many places away other classes are looked for, most steps). The class joins
    another if records of both then pay `rule.most` at most, or else exchanges records with it if
    both are then more private than the less private was. Group 0 and 1 of `pair` are overwritten.
    """
    number = pair.counts.shape[1]
    classes = chain_classes(items, values, class_of, class_of.max() + 1)
    ways = new_ways(number, len(values))
    done, loaded = True, -1
    for _ in range(limits[1]):
        one = weakest_class(classes, rule.by_value)
        if one != loaded:
            clear_group(items, pair, 0)
            load_class(items, values, pair, 0, classes, one)
            loaded = one
        others, costs = near_classes(classes, boxes, one, limits[0])
        done = False
        for i in range(len(others)):
            two = (one, others[i])
            if costs[i] <= rule.most:
                join_class(classes, values, number, one, others[i])
                done, loaded = True, -1
            else:
                done = trade_records(items, values, boxes, pair, ways, rule, classes, two)
            if done:
                break
        if not done:
            break
    clear_group(items, pair, 0)
    new_class = np.full(len(values), -1, np.int32)
    place = 0
    for c in range(len(classes.first)):
        i = classes.first[c]
        place += i >= 0
        while i >= 0:
            new_class[i] = place - 1
            i = classes.next_of[i]
    return new_class, not done
