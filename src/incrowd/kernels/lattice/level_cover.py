"""Loops of the cover by level vectors: which rows look alike at levels, and what they cost there.

Rows that show the same have the same sum of keys. Two others may have it, too, which is so unlikely
that it may mislead an estimate, but whoever makes classes of the rows must compare what they show.

Shapes: codes (d, rows); weights, the records of each row, keys and class_of (rows,). `offset` says
where in `LevelCodes` a level of a column begins.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.boxes import FORBIDDEN, CostCache, Keys
from incrowd.kernels.compile import jit


class LevelCodes(NamedTuple):
    """Codes of columns at their levels, laid out flat: a code stands at `offset + code`."""

    keys: Keys
    """A random number for what the code shows at the level."""
    costs: Floats
    """What a record pays for it."""


_TINY = 1e-12


@jit
def fill_keys_and_costs(
    codes: Codes, tables: LevelCodes, offset: Counts, keys: Keys, costs: Floats
) -> None:
    """Fill `keys` and `costs` of each row: column j is at the level that begins at `offset[j]`."""
    keys[:] = np.uint64(0)
    costs[:] = 0.0
    for j in range(codes.shape[0]):
        first = offset[j]
        for i in range(len(keys)):
            keys[i] += tables.keys[first + codes[j, i]]
            costs[i] += tables.costs[first + codes[j, i]]


@jit
def slot_of(key: np.uint64, slots: Keys, sizes: Counts) -> int:
    """Return the slot of a key in a hash table, or the free one (of size 0) where it goes."""
    mask = np.uint64(len(slots) - 1)
    slot = (key ^ (key >> np.uint64(32))) & mask
    while sizes[slot] > 0 and slots[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return int(slot)


@jit
def count_released(
    codes: Codes,
    weights: Counts,
    shown: tuple[Keys, Floats],
    tables: LevelCodes,
    change: Counts,
    least: int,
    work: CostCache,
) -> tuple[int, float]:
    """Return the records in classes of `least` or more that may be shown, and the sum they pay.

    Rows of the same key are a class. `shown` is the key and cost of each row at some levels;
    `change` has a line for each column that is at another level now: column, old offset, new
    offset. `work`, which has more slots than rows, is filled with the slot of each row, the records
    in each slot and the cost of each row.
    """
    keys, costs = shown
    slots, sizes, place, paid = work
    sizes[:] = 0
    for i in range(len(weights)):
        key, cost = keys[i], costs[i]
        for r in range(change.shape[0]):
            code = codes[change[r, 0], i]
            # Keys are sums modulo 2^64: one column changes without the others being added again.
            key += tables.keys[change[r, 2] + code] - tables.keys[change[r, 1] + code]
            cost += tables.costs[change[r, 2] + code] - tables.costs[change[r, 1] + code]
        slot = slot_of(key, slots, sizes)
        slots[slot] = key
        sizes[slot] += weights[i]
        place[i] = slot
        paid[i] = cost
    released, total = 0, 0.0
    for i in range(len(weights)):
        if sizes[place[i]] >= least and paid[i] < FORBIDDEN / 2:
            released += weights[i]
            total += weights[i] * paid[i]
    return released, total


@jit
def level_totals(codes: Codes, weights: Counts, costs: Floats, offset: Counts) -> Floats:
    """Return the sum records pay, 1 at most each, by column and level; 0 where `offset` is -1."""
    total = np.zeros(offset.shape)
    for j in range(offset.shape[0]):
        for level in range(offset.shape[1]):
            first = offset[j, level]
            if first < 0:
                continue
            for i in range(len(weights)):
                total[j, level] += weights[i] * min(costs[first + codes[j, i]], 1.0)
    return total


@jit
def join_cost(
    row: Codes,
    levels: Codes,
    first: Codes,
    tables: tuple[Codes, Floats],
    offset: Counts,
    joined: Codes,
) -> tuple[float, float]:
    """Return what a record of a class pays now, and would pay if the row joined the class.

    The second is infinite if the row may not join it. The class has these `levels`, and `first` is
    the codes of one of its rows. In each column the class rises to the lowest level at which the
    row has its node; `joined` becomes these levels. `tables` is (nodes, costs), laid out as in
    `LevelCodes`; `offset`, by column and level, is -1 for levels that are not allowed.
    """
    nodes, costs = tables
    now, then = 0.0, 0.0
    for j in range(len(row)):
        level = levels[j]
        now += costs[offset[j, level] + first[j]]
        while offset[j, level] >= 0 and (
            nodes[offset[j, level] + row[j]] != nodes[offset[j, level] + first[j]]
        ):
            level += 1
            if level == offset.shape[1]:
                return now, np.inf
        if offset[j, level] < 0:
            return now, np.inf
        joined[j] = level
        then += costs[offset[j, level] + row[j]]
    return now, (then if then < FORBIDDEN / 2 else np.inf)


@jit
def settle_rows(
    codes: Codes,
    weights: Counts,
    class_of: Codes,
    levels: Codes,
    sizes: Counts,
    tables: tuple[Codes, Floats],
    offset: Counts,
) -> None:
    """Put each row of class -1 into the class where this adds least to what all records pay.

    `class_of`, `levels` (a line per class) and `sizes` change in place. Rows that may join no class
    stay in -1. `tables` and `offset` are as in `join_cost`.
    """
    first = np.zeros(levels.shape, np.int32)
    for i in range(len(class_of) - 1, -1, -1):
        if class_of[i] >= 0:
            first[class_of[i]] = codes[:, i]
    joined = np.empty(len(codes), np.int32)
    for i in range(len(class_of)):
        if class_of[i] >= 0:
            continue
        best, least = -1, np.inf
        for c in range(len(sizes)):
            now, then = join_cost(codes[:, i], levels[c], first[c], tables, offset, joined)
            more = sizes[c] * (then - now) + weights[i] * then
            if sizes[c] > 0 and more < least - _TINY:
                best, least = c, more
        if best >= 0:
            join_cost(codes[:, i], levels[best], first[best], tables, offset, joined)
            levels[best] = joined
            sizes[best] += weights[i]
            class_of[i] = best


class RowClasses(NamedTuple):
    """Rows in classes."""

    class_of: Codes
    """(rows,): the class of each row, -1 if it is left out."""
    keys: Keys
    """(classes,): the key of what each class shows."""
    costs: Floats
    """(classes,): what a record of it pays."""
    sizes: Counts
    """(classes,): its records, 0 if it is empty."""


GAIN = 1e-9
"""What a record must gain at least to be worth a move."""


@jit
def plan_moves(
    codes: Codes,
    weights: Counts,
    classes: RowClasses,
    tables: LevelCodes,
    offset: Counts,
    least: int,
    work: CostCache,
) -> tuple[Codes, int]:
    """Return the class that each row should move to, -1 if it should stay, and how many are new.

    The levels at hand are those of `offset`. Rows that would pay less there, and look alike, move
    together if they are at least `least` records or their class exists; classes that they leave
    keep `least` records or none. New classes are numbered after the others. Rows of class -1 are
    suppressed: they pay 1 and are free to go. `work` is overwritten.
    """
    class_of, class_keys, class_sizes = classes.class_of, classes.keys, classes.sizes
    slots, sizes, place, paid = work
    keys = np.empty(len(weights), np.uint64)
    fill_keys_and_costs(codes, tables, offset, keys, paid)
    gainers = _list_gainers(weights, keys, classes, work)
    goal = np.full(len(slots), -1, np.int32)
    for c in range(len(class_keys)):
        slot = slot_of(class_keys[c], slots, sizes)
        if sizes[slot] > 0 and class_sizes[c] > 0:
            goal[slot] = c
    target = np.full(len(weights), -1, np.int32)
    kept = gainers[_flag_promising(gainers, place, sizes, goal, least)]
    pairs = place[kept] * (len(class_keys) + 1) + class_of[kept] + 1
    order = kept[np.argsort(pairs, kind="mergesort")]
    rest = class_sizes.copy()
    number, end = len(class_keys), 0
    while end < len(order):
        begin, slot = end, place[order[end]]
        while end < len(order) and place[order[end]] == slot:
            end += 1
        moved = _mark_movable(weights, class_of, rest, order[begin:end], least, target)
        if moved < least and goal[slot] < 0:
            target[order[begin:end]] = -1
            continue
        to = goal[slot] if goal[slot] >= 0 else number
        number += goal[slot] < 0
        for i in order[begin:end]:
            if target[i] >= 0:
                target[i] = to
                if class_of[i] >= 0:
                    rest[class_of[i]] -= weights[i]
    return target, number - len(class_keys)


@jit
def _list_gainers(weights: Counts, keys: Keys, classes: RowClasses, work: CostCache) -> Counts:
    """Return the rows that would pay less (`work.paid`); fill in slots and sizes of these only."""
    class_of, class_costs = classes.class_of, classes.costs
    slots, sizes, place, paid = work
    sizes[:] = 0
    rows = np.empty(len(weights), np.int64)
    number = 0
    for i in range(len(weights)):
        now = class_costs[class_of[i]] if class_of[i] >= 0 else 1.0
        if paid[i] < now - GAIN and paid[i] < FORBIDDEN / 2:
            slot = slot_of(keys[i], slots, sizes)
            slots[slot] = keys[i]
            sizes[slot] += weights[i]
            place[i] = slot
            rows[number] = i
            number += 1
    return rows[:number]


@jit
def _flag_promising(rows: Counts, place: Counts, sizes: Counts, goal: Codes, least: int) -> Flags:
    """Flag those of `rows` whose slot has `least` records or is a class already (`goal`)."""
    flags = np.empty(len(rows), np.bool_)
    for r in range(len(rows)):
        slot = place[rows[r]]
        flags[r] = sizes[slot] >= least or goal[slot] >= 0
    return flags


@jit
def _mark_movable(
    weights: Counts, class_of: Codes, rest: Counts, rows: Counts, least: int, target: Codes
) -> int:
    """Set `target` to 0 for those of `rows` that can go; return how many records they are.

    They would move to one slot, and stand class by class. A class lets go all of its records, or
    those beyond `least`; `rest` is the records of each class. Class -1 lets go all.
    """
    moved, end = 0, 0
    while end < len(rows):
        begin, home, asked = end, class_of[rows[end]], 0
        while end < len(rows) and class_of[rows[end]] == home:
            asked += weights[rows[end]]
            end += 1
        room = asked
        if home >= 0 and asked < rest[home]:
            room = rest[home] - least
        for i in rows[begin:end]:
            if weights[i] <= room:
                room -= weights[i]
                moved += weights[i]
                target[i] = 0
    return moved
