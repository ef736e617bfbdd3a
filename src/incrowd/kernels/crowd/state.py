"""Classes that change: the records, spans and costs of each, in slots.

A *point* is a line of codes; a *piece* is some records of one point. A class is a slot of a
`State`, which steps change in place. What classes and records *pay* is the cost of what is shown.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import FORBIDDEN, WEIGHT, WHOLE, WIDEST, BoxCosts, cell_cost
from incrowd.kernels.compile import jit


@jit
def table_cost(costs: Floats, start: Counts, width: Counts, j: int, low: int, high: int) -> float:
    """Return the cost of showing codes `low` to `high` of column j, which has a table of costs."""
    return float(costs[start[j] + low * width[j] + high])


@jit
def scale_cost(costs: Floats, start: Counts, limits: Floats, j: int, low: int, high: int) -> float:
    """Return the cost of showing codes `low` to `high` of ordered column j, or `FORBIDDEN`."""
    if high == 0:
        return 0.0
    if low == 0:
        return float(limits[j, WEIGHT] if limits[j, WHOLE] else FORBIDDEN)
    begin, end = start[j] + 3 * low, start[j] + 3 * high
    extent = costs[end + 1] - costs[begin]
    allowed = extent <= limits[j, WIDEST] and costs[begin + 2] == costs[end + 2]
    return float(extent if allowed else FORBIDDEN)


@jit
def price_span(boxes: BoxCosts, low: Codes, high: Codes) -> float:
    """Return what a record pays if its class spans these codes: `boxes.box_cost`, but faster."""
    costs, start, width, _, limits = boxes
    total = 0.0
    for j in range(len(low)):
        if width[j] > 0:
            total += table_cost(costs, start, width, j, low[j], high[j])
        elif width[j] == 0:
            total += scale_cost(costs, start, limits, j, low[j], high[j])
        else:
            total += cell_cost(boxes, j, low[j], high[j])
    return total


class Space(NamedTuple):
    """The codes of points, (points, d), and what it costs to show some of them as one cell."""

    points: Codes
    boxes: BoxCosts


class ClassPieces(NamedTuple):
    """Pieces class by class: those of class c are `start[c]` to `start[c + 1]`."""

    point: Codes
    """(pieces,): the point of each piece."""
    records: Counts
    """(pieces,): its records, at least one."""
    start: Counts
    """(classes + 1,): where each class begins; no class is empty."""


class State(NamedTuple):
    """Classes in slots, with room to grow.

    After every step a point is in a slot at most once; size, span and cost are those of the pieces
    of a slot; the slots of size 0, and no others, are free.
    """

    point: Codes
    """(slots, room): the points of the pieces of a slot, in its first `pieces[c]` places."""
    records: Counts
    """(slots, room): the records of these pieces."""
    pieces: Counts
    """(slots,): how many pieces a slot holds."""
    size: Counts
    """(slots,): its records, 0 if it is empty."""
    cost: Floats
    """(slots,): what its records pay together."""
    low: Codes
    """(slots, d): the lowest code of each column."""
    high: Codes
    """(slots, d): the highest."""
    free: Counts
    """(slots + 1,): the number of empty slots, then a stack of them."""


TINY = 1e-9
"""Costs that differ by less are equal."""


@jit
def load_classes(space: Space, parts: ClassPieces, room: int, spare: int) -> State:
    """Return a state with a slot for each class, then `spare` empty ones, of `room` pieces each."""
    point, count, start = parts
    number = len(start) - 1
    slots, width = number + spare, space.points.shape[1]
    state = State(
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
            state.point[c, i - start[c]] = point[i]
            state.records[c, i - start[c]] = count[i]
        state.pieces[c] = start[c + 1] - start[c]
        measure_class(space, state, c)
    for c in range(slots - 1, number - 1, -1):
        empty_slot(state, c)
    return state


@jit
def measure_class(space: Space, state: State, c: int) -> None:
    """Set the size, span and cost of class c to those of its pieces; it must have one or more."""
    points, boxes = space
    point, count, pieces = state.point, state.records, state.pieces
    size, cost, low, high = state.size, state.cost, state.low, state.high
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
    cost[c] = records * price_span(boxes, low[c], high[c])


@jit
def empty_slot(state: State, c: int) -> None:
    """Empty slot c and put it on the stack of empty slots."""
    free = state.free
    state.pieces[c] = state.size[c] = 0
    state.cost[c] = 0.0
    free[0] += 1
    free[free[0]] = c


@jit
def take_slot(state: State) -> int:
    """Take an empty slot off the stack and return it; -1 if there is none."""
    free = state.free
    if free[0] == 0:
        return -1
    free[0] -= 1
    return int(free[free[0] + 1])


@jit
def add_records(space: Space, state: State, c: int, point: int, records: int) -> None:
    """Add records of a point to class c, which may be empty and must have room for a piece."""
    points, boxes = space
    points_in, count, pieces = state.point, state.records, state.pieces
    size, cost, low, high = state.size, state.cost, state.low, state.high
    place = 0
    while place < pieces[c] and points_in[c, place] != point:
        place += 1
    if place == pieces[c]:
        points_in[c, place] = point
        count[c, place] = 0
        pieces[c] += 1
    count[c, place] += records
    size[c] += records
    for j in range(points.shape[1]):
        code = points[point, j]
        low[c, j] = min(low[c, j], code) if pieces[c] > 1 else code
        high[c, j] = max(high[c, j], code) if pieces[c] > 1 else code
    cost[c] = size[c] * price_span(boxes, low[c], high[c])


@jit
def take_records(space: Space, state: State, c: int, place: int, records: int) -> None:
    """Take records of piece `place` from class c, which keeps some; the last piece fills a gap."""
    points_in, count, pieces = state.point, state.records, state.pieces
    count[c, place] -= records
    if count[c, place] == 0:
        last = pieces[c] - 1
        points_in[c, place] = points_in[c, last]
        count[c, place] = count[c, last]
        pieces[c] = last
    measure_class(space, state, c)


@jit
def unload_classes(state: State) -> ClassPieces:
    """Return the pieces of all slots that hold any, as classes in the order of the slots."""
    point, count, pieces, size = state.point, state.records, state.pieces, state.size
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
    return ClassPieces(points, counts, start)


@jit
def class_costs(space: Space, parts: ClassPieces) -> Floats:
    """Return what the records of each class pay together."""
    points, boxes = space
    point, count, start = parts
    costs = np.empty(len(start) - 1, np.float64)
    low, high = np.empty(points.shape[1], np.int32), np.empty(points.shape[1], np.int32)
    for c in range(len(costs)):
        low[:] = points[point[start[c]]]
        high[:] = low
        records = 0
        for i in range(start[c], start[c + 1]):
            records += count[i]
            for j in range(len(low)):
                low[j] = min(low[j], points[point[i], j])
                high[j] = max(high[j], points[point[i], j])
        costs[c] = records * price_span(boxes, low, high)
    return costs


class UndoLog(NamedTuple):
    """What slots held before they were touched, in the order of their first touch."""

    slots: Codes
    """(most,): the slots, each once."""
    point: Codes
    """(most * room,): the points of their pieces; those of entry n begin at n * room."""
    records: Counts
    """(most * room,): the records of these pieces."""
    pieces: Counts
    """(most + 1,): the number of entries, then the pieces of each; 0 if the slot was empty."""


@jit
def empty_log(slots: int, room: int) -> UndoLog:
    """Return an empty log with room for `slots` slots and `room` pieces in each."""
    return UndoLog(
        np.empty(slots, np.int32),
        np.empty(slots * room, np.int32),
        np.empty(slots * room, np.int64),
        np.zeros(slots + 1, np.int64),
    )


@jit
def log_new_slot(log: UndoLog, c: int) -> None:
    """Log that slot c was empty, so that `undo_logged` empties it."""
    slots, pieces = log.slots, log.pieces
    slots[pieces[0]] = c
    pieces[0] += 1
    pieces[pieces[0]] = 0


@jit
def log_slot(state: State, log: UndoLog, c: int) -> None:
    """Log the pieces of slot c unless the log has them already."""
    slots, point, count, pieces = log
    for n in range(pieces[0]):
        if slots[n] == c:
            return
    n = pieces[0]
    slots[n] = c
    pieces[n + 1] = state.pieces[c]
    for i in range(state.pieces[c]):
        point[n * state.point.shape[1] + i] = state.point[c, i]
        count[n * state.point.shape[1] + i] = state.records[c, i]
    pieces[0] = n + 1


@jit
def undo_logged(space: Space, state: State, log: UndoLog) -> None:
    """Give all slots of the log, last to first, the pieces that they held.

    The stack of empty slots is then as it was, if no slot has been emptied since.
    """
    slots, point, count, pieces = log
    room = state.point.shape[1]
    for n in range(pieces[0] - 1, -1, -1):
        c = slots[n]
        if pieces[n + 1] == 0:
            empty_slot(state, c)
            continue
        for i in range(pieces[n + 1]):
            state.point[c, i] = point[n * room + i]
            state.records[c, i] = count[n * room + i]
        state.pieces[c] = pieces[n + 1]
        measure_class(space, state, c)
