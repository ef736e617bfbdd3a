"""Loops that help the least private class: it changes records with others, or joins one.

Not in the paper: Ghinita's readjustment sees neighbours in the line alone, and one class that found
nobody there decides the privacy of all. Class c is the chain of records from `first[c]` on along
`next_of`; `people` is (sizes, tops): records, and the most of one value.
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import Boxes
from incrowd.kernels.compile import jit
from incrowd.kernels.literature.accuracy import (
    Pair,
    Rule,
    Ways,
    adjust,
    clear,
    enter,
    leave,
    lower,
    new_ways,
)
from incrowd.kernels.literature.diversify import Items
from incrowd.kernels.repair import joined_cost

Classes: TypeAlias = tuple[Counts, Counts, Counts, Counts, Codes, Codes]
"""The first record and the next ones, sizes and tops, low and high ends."""


@jit
def chained(items: Items, values: Codes, class_of: Codes, number: int) -> Classes:
    """All that is kept of classes."""
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
    held = np.zeros(values.max() + 1, np.int64)
    for c in range(number):
        i = first[c]
        while i >= 0:
            held[values[i]] += 1
            tops[c] = max(tops[c], held[values[i]])
            i = next_of[i]
        i = first[c]
        while i >= 0:
            held[values[i]] = 0
            i = next_of[i]
    return first, next_of, sizes, tops, low, high


@jit
def privacy(classes: Classes, c: int, by_value: bool) -> tuple[int, int]:
    """The privacy of a class as a fraction."""
    return classes[2][c], classes[3][c] if by_value else 1


@jit
def weakest(classes: Classes, by_value: bool) -> int:
    """The class with the least privacy, the first of several."""
    worst = -1
    for c in range(len(classes[2])):
        if classes[2][c] > 0 and (
            worst < 0 or lower(privacy(classes, c, by_value), privacy(classes, worst, by_value))
        ):
            worst = c
    return worst


@jit
def near(classes: Classes, boxes: Boxes, c: int, reach: int) -> tuple[Counts, Floats]:
    """The classes up to so many places away, those first with which it costs least as one."""
    low, high = classes[4], classes[5]
    others, costs = [0], [0.0]
    others.pop()
    costs.pop()
    for other in range(max(c - reach, 0), min(c + reach + 1, len(low))):
        if other != c and classes[2][other] > 0:
            others.append(other)
            costs.append(joined_cost(boxes, low, high, c, other))
    price = np.array(costs)
    order = np.argsort(price)
    return np.array(others)[order], price[order]


@jit
def load(items: Items, values: Codes, pair: Pair, group: int, classes: Classes, c: int) -> None:
    """Bring the records of a class to a group of nobody."""
    (sizes, counts, with_count, top), (head, follow, prior), (held, low, high, start, changes) = (
        pair
    )
    cells, of = items
    i = classes[0][c]
    while i >= 0:
        after = head[group, values[i]]
        follow[i], prior[i] = after, -1
        if after >= 0:
            prior[after] = i
        head[group, values[i]] = i
        counts[group, values[i]] += 1
        for j in range(cells.shape[1]):
            held[group, start[j] + cells[of[i], j]] += 1
        i = classes[1][i]
    for count in counts[group]:
        with_count[group, 0] -= 1
        with_count[group, count] += 1
    sizes[group], top[group] = classes[2][c], classes[3][c]
    low[group], high[group] = classes[4][c], classes[5][c]
    changes[group] += 1


@jit
def keep(pair: Pair, group: int, classes: Classes, c: int) -> None:
    """Let a class be what a group holds."""
    first, next_of, sizes, tops, low, high = classes
    people, (head, follow, _), (_, lows, highs, _, _) = pair
    sizes[c], tops[c] = people[0][group], people[3][group]
    low[c], high[c] = lows[group], highs[group]
    first[c] = -1
    for i in head[group]:
        while i >= 0:
            next_of[i] = first[c]
            first[c] = i
            i = follow[i]  # noqa: PLW2901  on along the chain


@jit
def settle(items: Items, values: Codes, pair: Pair, ways: Ways, back: bool) -> None:
    """Forget which records have moved, after they have gone back if they must.

    Records of a value move one way, and whoever comes stands first in the chain.
    """
    direction, moved, _ = ways
    head, follow, _ = pair[1]
    for value in range(len(direction)):
        source = direction[value]
        i = head[1 - source, value] if source >= 0 else -1
        while i >= 0 and moved[i] == 1:
            after = follow[i]
            moved[i] = 0
            if back:
                leave(items, values, pair, 1 - source, i)
                enter(items, values, pair, source, i)
            i = after


@jit
def helped(
    items: Items,
    values: Codes,
    boxes: Boxes,
    pair: Pair,
    ways: Ways,
    rule: Rule,
    classes: Classes,
    two: tuple[int, int],
) -> bool:
    """Let two classes change records; whether the less private of them is better off then.

    Group 0 holds the first before and after.
    """
    one, other = two
    mine, theirs = privacy(classes, one, rule[1]), privacy(classes, other, rule[1])
    before = theirs if lower(theirs, mine) else mine
    load(items, values, pair, 1, classes, other)
    adjust(items, values, boxes, pair, ways, rule)
    sizes, _, _, tops = pair[0]
    better = True
    for group in range(2):
        after = (sizes[group], tops[group] if rule[1] else 1)
        better &= lower(before, after)
    settle(items, values, pair, ways, not better)
    if better:
        keep(pair, 0, classes, one)
        keep(pair, 1, classes, other)
    clear(items, pair, 1)
    return better


@jit
def join(classes: Classes, values: Codes, number: int, one: int, other: int) -> None:
    """Make two classes one, the second."""
    first, next_of, sizes, tops, low, high = classes
    held = np.zeros(number, np.int64)
    last = -1
    for c in (one, other):
        i = first[c]
        while i >= 0:
            held[values[i]] += 1
            if c == one:
                last = i
            i = next_of[i]
    next_of[last] = first[other]
    first[other] = first[one]
    first[one] = -1
    sizes[other] += sizes[one]
    sizes[one] = 0
    tops[other] = held.max()
    for j in range(low.shape[1]):
        low[other, j] = min(low[other, j], low[one, j])
        high[other, j] = max(high[other, j], high[one, j])


@jit
def help_weakest(
    items: Items,
    values: Codes,
    boxes: Boxes,
    pair: Pair,
    rule: Rule,
    class_of: Codes,
    limits: Counts,
) -> tuple[Codes, bool]:
    """The classes after the least private one was helped again and again, until nobody could.

    Also whether nobody could, rather than that the steps were up. `limits` is (reach, most steps).
    A class joins another where both together cost at most the rule's `most`, or else changes
    records with it if both then are more private than the less private was.
    """
    number = pair[0][1].shape[1]
    classes = chained(items, values, class_of, class_of.max() + 1)
    ways = new_ways(number, len(values))
    done, held = True, -1
    for _ in range(limits[1]):
        one = weakest(classes, rule[1])
        if one != held:
            clear(items, pair, 0)
            load(items, values, pair, 0, classes, one)
            held = one
        others, costs = near(classes, boxes, one, limits[0])
        done = False
        for i in range(len(others)):
            two = (one, others[i])
            if costs[i] <= rule[0]:
                join(classes, values, number, one, others[i])
                done, held = True, -1
            else:
                done = helped(items, values, boxes, pair, ways, rule, classes, two)
            if done:
                break
        if not done:
            break
    clear(items, pair, 0)
    found = np.full(len(values), -1, np.int32)
    place = 0
    for c in range(len(classes[0])):
        i = classes[0][c]
        place += i >= 0
        while i >= 0:
            found[i] = place - 1
            i = classes[1][i]
    return found, not done
