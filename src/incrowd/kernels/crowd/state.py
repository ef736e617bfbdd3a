"""Classes that change: what each holds, spans and costs, in slots.

`space` is (points, boxes): codes, one line per point, and what spans cost (`kernels.boxes`). A
*piece* is some records of one point. `state` is (point, count, pieces, size, cost, low, high,
free): slot c holds `pieces[c]` pieces, `point[c]` and `count[c]`, with `size[c]` records in all
that span `low[c]` to `high[c]` and together pay `cost[c]`. A slot of size 0 is empty; the empty
ones are `free[1 : free[0] + 1]`.

Shapes: points (points, d); point and count (slots, room); low and high (slots, d); all others
(slots,), free one more. Invariants of every step: a point is in a slot at most once; size, span and
cost are those of the pieces that a slot holds; the empty slots, and no others, are free.
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import FORBIDDEN, Boxes, cell_cost
from incrowd.kernels.compile import jit


@jit
def tabled(costs: Floats, start: Counts, width: Counts, j: int, low: int, high: int) -> float:
    """The cost of a span of a column of few values."""
    return float(costs[start[j] + low * width[j] + high])


@jit
def scaled(costs: Floats, start: Counts, limits: Floats, j: int, low: int, high: int) -> float:
    """The cost of a span of an ordered column of many values."""
    if high == 0:
        return 0.0
    if low == 0:
        return float(limits[j, 0] if limits[j, 4] else FORBIDDEN)
    begin, end = start[j] + 3 * low, start[j] + 3 * high
    extent = costs[end + 1] - costs[begin]
    allowed = extent <= limits[j, 3] and costs[begin + 2] == costs[end + 2]
    return float(extent if allowed else FORBIDDEN)


@jit
def price(boxes: Boxes, low: Codes, high: Codes) -> float:
    """The cost of a span of all columns, as `box_cost` has it."""
    costs, start, width, _, limits = boxes
    total = 0.0
    for j in range(len(low)):
        if width[j] > 0:
            total += tabled(costs, start, width, j, low[j], high[j])
        elif width[j] == 0:
            total += scaled(costs, start, limits, j, low[j], high[j])
        else:
            total += cell_cost(boxes, j, low[j], high[j])
    return total


Space: TypeAlias = tuple[Codes, Boxes]


Parts: TypeAlias = tuple[Codes, Counts, Counts]
"""Pieces class by class: points, counts, and where each class begins."""


State: TypeAlias = tuple[Codes, Counts, Counts, Counts, Floats, Codes, Codes, Counts]


TINY = 1e-9
"""Costs that differ by less are equal."""


@jit
def loaded(space: Space, parts: Parts, room: int, spare: int) -> State:
    """The state of these classes; slots have room for that many pieces, and some are spare."""
    point, count, start = parts
    number = len(start) - 1
    slots, width = number + spare, space[0].shape[1]
    state = (
        np.zeros((slots, room), np.int32),
        np.zeros((slots, room), np.int64),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.int64),
        np.zeros(slots, np.float64),
        np.zeros((slots, width), np.int32),
        np.zeros((slots, width), np.int32),
        np.zeros(slots + 1, np.int64),
    )
    for c in range(number):
        for i in range(start[c], start[c + 1]):
            state[0][c, i - start[c]] = point[i]
            state[1][c, i - start[c]] = count[i]
        state[2][c] = start[c + 1] - start[c]
        measure(space, state, c)
    for c in range(slots - 1, number - 1, -1):
        release(state, c)
    return state


@jit
def measure(space: Space, state: State, c: int) -> None:
    """Count the records of a class, and find its span and cost."""
    points, boxes = space
    point, count, pieces, size, cost, low, high, _ = state
    first, records = point[c, 0], 0
    for j in range(points.shape[1]):
        low[c, j] = high[c, j] = points[first, j]
    for i in range(pieces[c]):
        records += count[c, i]
        line = points[point[c, i]]
        for j in range(points.shape[1]):
            low[c, j] = min(low[c, j], line[j])
            high[c, j] = max(high[c, j], line[j])
    size[c] = records
    cost[c] = records * price(boxes, low[c], high[c])


@jit
def release(state: State, c: int) -> None:
    """Empty a slot."""
    free = state[7]
    state[2][c] = state[3][c] = 0
    state[4][c] = 0.0
    free[0] += 1
    free[free[0]] = c


@jit
def taken(state: State) -> int:
    """An empty slot, from now on not free; -1 if there is none."""
    free = state[7]
    if free[0] == 0:
        return -1
    free[0] -= 1
    return int(free[free[0] + 1])


@jit
def add(space: Space, state: State, c: int, point: int, records: int) -> None:
    """Put records of a point into a class, which may be empty and must have room."""
    points, boxes = space
    held, count, pieces, size, cost, low, high, _ = state
    place = 0
    while place < pieces[c] and held[c, place] != point:
        place += 1
    if place == pieces[c]:
        held[c, place] = point
        count[c, place] = 0
        pieces[c] += 1
    count[c, place] += records
    size[c] += records
    for j in range(points.shape[1]):
        code = points[point, j]
        low[c, j] = min(low[c, j], code) if pieces[c] > 1 else code
        high[c, j] = max(high[c, j], code) if pieces[c] > 1 else code
    cost[c] = size[c] * price(boxes, low[c], high[c])


@jit
def take(space: Space, state: State, c: int, place: int, records: int) -> None:
    """Take records of one piece from a class; more must stay in it."""
    held, count, pieces, _, _, _, _, _ = state
    count[c, place] -= records
    if count[c, place] == 0:
        last = pieces[c] - 1
        held[c, place] = held[c, last]
        count[c, place] = count[c, last]
        pieces[c] = last
    measure(space, state, c)


@jit
def unloaded(state: State) -> Parts:
    """The pieces of all classes, and where each class begins."""
    point, count, pieces, size, _, _, _, _ = state
    number, total = 0, 0
    for c in range(len(size)):
        number += size[c] > 0
        total += pieces[c]
    points, counts = np.empty(total, np.int32), np.empty(total, np.int64)
    start = np.zeros(number + 1, np.int64)
    at, n = 0, 0
    for c in range(len(size)):
        if size[c] == 0:
            continue
        for i in range(pieces[c]):
            points[at] = point[c, i]
            counts[at] = count[c, i]
            at += 1
        n += 1
        start[n] = at
    return points, counts, start


@jit
def class_costs(space: Space, parts: Parts) -> Floats:
    """What the records of each class pay together."""
    points, boxes = space
    point, count, start = parts
    found = np.empty(len(start) - 1, np.float64)
    low, high = np.empty(points.shape[1], np.int32), np.empty(points.shape[1], np.int32)
    for c in range(len(found)):
        low[:] = points[point[start[c]]]
        high[:] = low
        records = 0
        for i in range(start[c], start[c + 1]):
            records += count[i]
            for j in range(len(low)):
                low[j] = min(low[j], points[point[i], j])
                high[j] = max(high[j], points[point[i], j])
        found[c] = records * price(boxes, low, high)
    return found


UndoLog: TypeAlias = tuple[Codes, Codes, Counts, Counts]
"""Slots that were touched, the points and counts that they held, and how many pieces each; the
number of slots stands before these."""


@jit
def blank(slots: int, room: int) -> UndoLog:
    """A log for so many slots, with room for so many pieces in each."""
    return (
        np.empty(slots, np.int32),
        np.empty(slots * room, np.int32),
        np.empty(slots * room, np.int64),
        np.zeros(slots + 1, np.int64),
    )


@jit
def note_new(log: UndoLog, c: int) -> None:
    """Write down that a slot was empty."""
    slots, _, _, pieces = log
    slots[pieces[0]] = c
    pieces[0] += 1
    pieces[pieces[0]] = 0


@jit
def note(state: State, log: UndoLog, c: int) -> None:
    """Write down what a slot holds, the first time that it is touched."""
    slots, point, count, pieces = log
    for n in range(pieces[0]):
        if slots[n] == c:
            return
    n = pieces[0]
    slots[n] = c
    pieces[n + 1] = state[2][c]
    for i in range(state[2][c]):
        point[n * state[0].shape[1] + i] = state[0][c, i]
        count[n * state[0].shape[1] + i] = state[1][c, i]
    pieces[0] = n + 1


@jit
def undo(space: Space, state: State, log: UndoLog) -> None:
    """Give all slots of the log back what they held."""
    slots, point, count, pieces = log
    room = state[0].shape[1]
    for n in range(pieces[0] - 1, -1, -1):
        c = slots[n]
        if pieces[n + 1] == 0:
            release(state, c)
            continue
        for i in range(pieces[n + 1]):
            state[0][c, i] = point[n * room + i]
            state[1][c, i] = count[n * room + i]
        state[2][c] = pieces[n + 1]
        measure(space, state, c)
