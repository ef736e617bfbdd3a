"""Which rows should move to the classes of a level vector because they pay less there."""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.compile import jit
from incrowd.kernels.lattice.level_cover import Tables, show, slot_of
from incrowd.kernels.shapes import FORBIDDEN, Keys, Work

Held: TypeAlias = tuple[Codes, Keys, Floats, Counts]
"""The class of each row; and of each class the key of what it shows, its cost and its records."""

GAIN = 1e-9
"""What a record must gain at least to be worth a move."""


@jit
def pull(
    codes: Codes,
    weights: Counts,
    held: Held,
    tables: Tables,
    offset: Counts,
    least: int,
    work: Work,
) -> tuple[Codes, int]:
    """The class that each row should move to, -1 if it should stay, and how many are new.

    Rows that would pay less at this vector move together if they are at least `least` records or
    the class exists; classes that they leave keep `least` records or none. New classes are
    numbered after those there are. Rows of class -1 are left out: they pay 1 and are free to go.
    """
    class_of, class_keys, _, class_sizes = held
    slots, sizes, place, paid = work
    keys = np.empty(len(weights), np.uint64)
    show(codes, tables, offset, keys, paid)
    gainers = _gainers(weights, keys, held, work)
    goal = np.full(len(slots), -1, np.int32)
    for c in range(len(class_keys)):
        slot = slot_of(class_keys[c], slots, sizes)
        if sizes[slot] > 0 and class_sizes[c] > 0:
            goal[slot] = c
    target = np.full(len(weights), -1, np.int32)
    kept = gainers[_promising(gainers, place, sizes, goal, least)]
    pairs = place[kept] * (len(class_keys) + 1) + class_of[kept] + 1
    order = kept[np.argsort(pairs, kind="mergesort")]
    rest = class_sizes.copy()
    number, end = len(class_keys), 0
    while end < len(order):
        begin, slot = end, place[order[end]]
        while end < len(order) and place[order[end]] == slot:
            end += 1
        moved = _share(weights, class_of, rest, order[begin:end], least, target)
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
def _gainers(weights: Counts, keys: Keys, held: Held, work: Work) -> Counts:
    """The rows that would pay less, put into their slots."""
    class_of, _, class_costs, _ = held
    slots, sizes, place, paid = work
    sizes[:] = 0
    rows = np.empty(len(weights), np.int64)
    found = 0
    for i in range(len(weights)):
        now = class_costs[class_of[i]] if class_of[i] >= 0 else 1.0
        if paid[i] < now - GAIN and paid[i] < FORBIDDEN / 2:
            slot = slot_of(keys[i], slots, sizes)
            slots[slot] = keys[i]
            sizes[slot] += weights[i]
            place[i] = slot
            rows[found] = i
            found += 1
    return rows[:found]


@jit
def _promising(rows: Counts, place: Counts, sizes: Counts, goal: Codes, least: int) -> Flags:
    """Which rows are in a slot with enough of them, or in one that is a class already."""
    flags = np.empty(len(rows), np.bool_)
    for r in range(len(rows)):
        slot = place[rows[r]]
        flags[r] = sizes[slot] >= least or goal[slot] >= 0
    return flags


@jit
def _share(
    weights: Counts, class_of: Codes, rest: Counts, rows: Counts, least: int, target: Codes
) -> int:
    """Flag in `target` which of the rows of a slot can go, class by class; their records.

    A class lets go what it has beyond `least` records, or all of it.
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
