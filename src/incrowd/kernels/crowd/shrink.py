"""Making a class narrower: all its records beyond some code of a column leave, others come in.

Whoever leaves goes where that costs least. If the class is then too small, it takes records that
lie within what is left of it from classes that can spare them, dearest first.

The arrays are those of `kernels.crowd.state` and `kernels.crowd.demands`; every step keeps their
invariants, and no class ends below the least size or without what is asked of it.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.cut import Rule
from incrowd.kernels.crowd.demands import count_point, satisfies_all
from incrowd.kernels.crowd.hosts import Guest, find_host
from incrowd.kernels.crowd.moves import has_room, receive_guest
from incrowd.kernels.crowd.polish import Ledger, count_all
from incrowd.kernels.crowd.state import (
    TINY,
    Space,
    State,
    UndoLog,
    add_records,
    log_new_slot,
    log_slot,
    measure_class,
    price_span,
    take_records,
    undo_logged,
)


class Face(NamedTuple):
    """Where a class ends in a column: the outermost code that stays, the highest if `upper`."""

    column: int
    limit: int
    upper: bool


@jit
def is_beyond(code: int, limit: int, upper: bool) -> bool:
    """Whether a code lies beyond a limit: above it if `upper`, below it otherwise."""
    return bool(code > limit if upper else code < limit)


@jit
def next_limit(space: Space, state: State, c: int, j: int, limit: int, upper: bool) -> int:
    """Return c's next code of column j below a limit (`upper`) or above; if none, the limit."""
    inner = -1
    for i in range(state.pieces[c]):
        code = space.points[state.point[c, i], j]
        if upper and code < limit and code > inner:
            inner = code
        if not upper and code > limit and (inner < 0 or code < inner):
            inner = code
    return int(inner if inner >= 0 else limit)


@jit
def measure_rest(space: Space, state: State, c: int, face: Face, box: Codes) -> int:
    """Return how many records of class c are not beyond `face`; `box` becomes their span if any."""
    points = space.points
    j, limit, upper = face
    left = 0
    for i in range(state.pieces[c]):
        line = points[state.point[c, i]]
        if is_beyond(line[j], limit, upper):
            continue
        for col in range(points.shape[1]):
            box[0, col] = min(box[0, col], line[col]) if left > 0 else line[col]
            box[1, col] = max(box[1, col], line[col]) if left > 0 else line[col]
        left += state.records[c, i]
    return int(left)


@jit
def cost_of_moving_out(
    space: Space, state: State, rule: Rule, c: int, face: Face, most: float
) -> float:
    """Return the cost if all beyond `face` moves to the cheapest classes; infinity if >= `most`."""
    j, limit, upper = face
    total = 0.0
    for i in range(state.pieces[c]):
        point = state.point[c, i]
        if is_beyond(space.points[point, j], limit, upper):
            guest = Guest(point, state.records[c, i])
            more, host = find_host(space, state, rule, guest, c, most - total)
            if host < 0:
                return np.inf
            total += more
    return total


@jit
def log_cost(state: State, log: UndoLog, c: int) -> float:
    """Log what slot c holds and return what it pays; 0 if it had been logged before."""
    before = log.pieces[0]
    log_slot(state, log, c)
    return float(state.cost[c]) if log.pieces[0] > before else 0.0


@jit
def is_full(log: UndoLog) -> bool:
    """Whether the log has no room for another two slots: a host and a class made of it."""
    return bool(log.pieces[0] > len(log.slots) - 2)


@jit
def fill_up_within(
    space: Space, state: State, ledger: Ledger, rule: Rule, c: int, box: Codes, log: UndoLog
) -> float:
    """Fill class c up to k with records within `box` of classes with more than k, dearest first.

    Return the former cost of the classes that this changed for the first time (not yet in `log`),
    to compare with their cost now. Infinite, with the work half done and to be undone by the
    caller, if there are not enough records, or class c or the log is full.
    """
    points = space.points
    k, divisible = rule
    points_in, count, pieces = state.point, state.records, state.pieces
    size, cost, low, high = state.size, state.cost, state.low, state.high
    paid = 0.0
    while size[c] < k:
        best, donor, place = 0.0, -1, -1
        for d in range(len(size)):
            if d == c or size[d] <= k or pieces[d] == 1 or cost[d] <= best * size[d]:
                continue
            meets = True
            for j in range(points.shape[1]):
                meets = meets and low[d, j] <= box[1, j] and high[d, j] >= box[0, j]
            if not meets:
                continue
            for i in range(pieces[d]):
                if not divisible and size[d] - count[d, i] < k:
                    continue
                inside = True
                for j in range(points.shape[1]):
                    code = points[points_in[d, i], j]
                    inside = inside and box[0, j] <= code <= box[1, j]
                if inside:
                    best, donor, place = cost[d] / size[d], d, i
                    break
        if donor < 0 or pieces[c] >= points_in.shape[1] or is_full(log):
            return np.inf
        paid += log_cost(state, log, donor)
        point, records = points_in[donor, place], count[donor, place]
        if divisible:
            records = min(records, size[donor] - k, k - size[c])
        if len(ledger.asks.rules) > 0:
            times = records if divisible else 1
            count_point(ledger.marks, ledger.holdings, donor, point, -times)
            count_point(ledger.marks, ledger.holdings, c, point, times)
        take_records(space, state, donor, place, records)
        add_records(space, state, c, point, records)
    return paid


@jit
def move_out_beyond(
    space: Space,
    state: State,
    ledger: Ledger,
    rule: Rule,
    c: int,
    face: Face,
    log: UndoLog,
    most: float,
) -> float:
    """Move the records of class c beyond `face` to the classes where they cost least.

    Some records must stay. Return the former cost of the classes that this changed for the first
    time (not yet in `log`), to compare with their cost now. Infinite, with the work half done and
    to be undone by the caller, if the moves cost `most` or more, or a host or the log is full.
    """
    j, limit, upper = face
    points_in, count, pieces = state.point, state.records, state.pieces
    number = pieces[c]
    guests, records = points_in[c, :number].copy(), count[c, :number].copy()
    left, spent, paid = 0, 0.0, 0.0
    for i in range(number):
        if not is_beyond(space.points[guests[i], j], limit, upper):
            points_in[c, left], count[c, left] = guests[i], records[i]
            left += 1
    pieces[c] = left
    measure_class(space, state, c)
    for i in range(number):
        if not is_beyond(space.points[guests[i], j], limit, upper):
            continue
        times = records[i] if rule.divisible else 1
        if len(ledger.asks.rules) > 0:
            count_point(ledger.marks, ledger.holdings, c, guests[i], -times)
        guest = Guest(guests[i], records[i])
        more, host = find_host(space, state, rule, guest, c, most - spent)
        if host < 0 or not has_room(state, host) or is_full(log):
            return np.inf
        paid += log_cost(state, log, host)
        before = state.free[0]
        new = receive_guest(space, state, rule, guest, host)
        if state.free[0] < before:
            log_new_slot(log, new)
        if len(ledger.asks.rules) > 0:
            recount_logged(ledger, state, log, rule.divisible)
        spent += more
    return paid


@jit
def recount_logged(ledger: Ledger, state: State, log: UndoLog, divisible: bool) -> None:
    """Set the counters of all slots of a log to what these slots hold."""
    for n in range(log.pieces[0]):
        c = log.slots[n]
        ledger.holdings.counters[c] = 0
        ledger.holdings.seen[c] = 0
        count_all(ledger, state, c, 1, divisible)


@jit
def shrink_class(
    space: Space,
    state: State,
    ledger: Ledger,
    rule: Rule,
    c: int,
    face: Face,
    log: UndoLog,
    work: Counts,
) -> float:
    """Make class c end at `face` if that saves in all; return the saving, 0 if all stays as it was.

    Changed classes must satisfy every rule of the ledger. `work[0]` grows by the slots that were
    looked at; `log` is overwritten.
    """
    k = rule.k
    box = np.empty((2, space.points.shape[1]), np.int32)
    left = measure_rest(space, state, c, face, box)
    if left == 0 or left == state.size[c]:
        return 0.0
    old = state.cost[c]
    short = max(k - left, 0)
    each = price_span(space.boxes, box[0], box[1])
    most = old - (left + short) * each + short * old / state.size[c]
    work[0] += len(state.size)
    if most <= TINY or cost_of_moving_out(space, state, rule, c, face, most) == np.inf:
        return 0.0
    log.pieces[0] = 0
    log_slot(state, log, c)
    paid = move_out_beyond(space, state, ledger, rule, c, face, log, most)
    if paid < np.inf:
        paid += fill_up_within(space, state, ledger, rule, c, box, log)
    now, fine = 0.0, paid < np.inf
    if fine:
        for n in range(log.pieces[0]):
            now += state.cost[log.slots[n]]
            fine = fine and satisfies_all(ledger.asks, ledger.holdings, log.slots[n])
    if fine and now < old + paid - TINY:
        return float(old + paid - now)
    undo_logged(space, state, log)
    if len(ledger.asks.rules) > 0:
        recount_logged(ledger, state, log, rule.divisible)
    return 0.0
