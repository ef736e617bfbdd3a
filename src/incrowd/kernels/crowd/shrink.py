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
from incrowd.kernels.crowd.demands import bring, fits
from incrowd.kernels.crowd.hosts import Guest, host_of
from incrowd.kernels.crowd.moves import has_room, receive
from incrowd.kernels.crowd.polish import Ledger, count_all
from incrowd.kernels.crowd.state import (
    TINY,
    Space,
    State,
    UndoLog,
    add,
    measure,
    note,
    note_new,
    price,
    take,
    undo,
)


class Face(NamedTuple):
    """Where a class is to end."""

    column: int
    limit: int
    """The outermost code that stays."""
    upper: bool
    """Whether it is the highest that stays, or the lowest."""


@jit
def beyond(code: int, limit: int, upper: bool) -> bool:
    """Whether a code lies beyond a limit: above it if `upper`, below it otherwise."""
    return bool(code > limit if upper else code < limit)


@jit
def next_limit(space: Space, state: State, c: int, j: int, limit: int, upper: bool) -> int:
    """Return the code in column j of class c that is next inside a limit, the limit if none is."""
    inner = -1
    for i in range(state.pieces[c]):
        code = space.points[state.point[c, i], j]
        if upper and code < limit and code > inner:
            inner = code
        if not upper and code > limit and (inner < 0 or code < inner):
            inner = code
    return int(inner if inner >= 0 else limit)


@jit
def rest_of(space: Space, state: State, c: int, face: Face, box: Codes) -> int:
    """Return how many records of class c are not beyond `face`; `box` becomes their span."""
    points = space.points
    j, limit, upper = face
    left = 0
    for i in range(state.pieces[c]):
        line = points[state.point[c, i]]
        if beyond(line[j], limit, upper):
            continue
        for col in range(points.shape[1]):
            box[0, col] = min(box[0, col], line[col]) if left > 0 else line[col]
            box[1, col] = max(box[1, col], line[col]) if left > 0 else line[col]
        left += state.records[c, i]
    return int(left)


@jit
def places_cost(space: Space, state: State, rule: Rule, c: int, face: Face, most: float) -> float:
    """Return what moving each piece beyond `face` elsewhere costs; infinite if not under `most`."""
    j, limit, upper = face
    total = 0.0
    for i in range(state.pieces[c]):
        point = state.point[c, i]
        if beyond(space.points[point, j], limit, upper):
            guest = Guest(point, state.records[c, i])
            more, host = host_of(space, state, rule, guest, c, most - total)
            if host < 0:
                return np.inf
            total += more
    return total


@jit
def note_cost(state: State, log: UndoLog, c: int) -> float:
    """Log what slot c holds and return what it pays; 0 if it had been logged before."""
    before = log.pieces[0]
    note(state, log, c)
    return float(state.cost[c]) if log.pieces[0] > before else 0.0


@jit
def is_full(log: UndoLog) -> bool:
    """Whether the log may have no room for another two slots."""
    return bool(log.pieces[0] > len(log.slots) - 2)


@jit
def draw_in(
    space: Space, state: State, ledger: Ledger, rule: Rule, c: int, box: Codes, log: UndoLog
) -> float:
    """Fill class c up to k with records within `box` of classes with more than k, dearest first.

    Returned is what the classes paid that the log did not have before; infinite if there are not
    enough records, or no room for them or in the log; then the caller undoes all.
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
        paid += note_cost(state, log, donor)
        point, records = points_in[donor, place], count[donor, place]
        if divisible:
            records = min(records, size[donor] - k, k - size[c])
        if len(ledger.asks.rules) > 0:
            times = records if divisible else 1
            bring(ledger.marks, ledger.holdings, donor, point, -times)
            bring(ledger.marks, ledger.holdings, c, point, times)
        take(space, state, donor, place, records)
        add(space, state, c, point, records)
    return paid


@jit
def send_out(
    space: Space,
    state: State,
    ledger: Ledger,
    rule: Rule,
    c: int,
    face: Face,
    log: UndoLog,
    most: float,
) -> float:
    """Move the records of class c beyond `face` to other classes; the rest stays.

    There must be a rest. Returned is what the classes paid that the log did not have before;
    infinite if some records have no place for less than `most` in all, or there is no room in their
    host or the log; then the caller undoes all.
    """
    j, limit, upper = face
    points_in, count, pieces = state.point, state.records, state.pieces
    number = pieces[c]
    guests, records = points_in[c, :number].copy(), count[c, :number].copy()
    left, spent, paid = 0, 0.0, 0.0
    for i in range(number):
        if not beyond(space.points[guests[i], j], limit, upper):
            points_in[c, left], count[c, left] = guests[i], records[i]
            left += 1
    pieces[c] = left
    measure(space, state, c)
    for i in range(number):
        if not beyond(space.points[guests[i], j], limit, upper):
            continue
        times = records[i] if rule.divisible else 1
        if len(ledger.asks.rules) > 0:
            bring(ledger.marks, ledger.holdings, c, guests[i], -times)
        guest = Guest(guests[i], records[i])
        more, host = host_of(space, state, rule, guest, c, most - spent)
        if host < 0 or not has_room(state, host) or is_full(log):
            return np.inf
        paid += note_cost(state, log, host)
        before = state.free[0]
        new = receive(space, state, rule, guest, host)
        if state.free[0] < before:
            note_new(log, new)
        if len(ledger.asks.rules) > 0:
            recount(ledger, state, log, rule.divisible)
        spent += more
    return paid


@jit
def recount(ledger: Ledger, state: State, log: UndoLog, divisible: bool) -> None:
    """Set the counters of all slots of a log to what these slots hold."""
    for n in range(log.pieces[0]):
        c = log.slots[n]
        ledger.holdings.counters[c] = 0
        ledger.holdings.seen[c] = 0
        count_all(ledger, state, c, 1, divisible)


@jit
def shrink(
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

    `work[0]` grows by the slots that were looked at.
    """
    k = rule.k
    box = np.empty((2, space.points.shape[1]), np.int32)
    left = rest_of(space, state, c, face, box)
    if left == 0 or left == state.size[c]:
        return 0.0
    old = state.cost[c]
    short = max(k - left, 0)
    each = price(space.boxes, box[0], box[1])
    most = old - (left + short) * each + short * old / state.size[c]
    work[0] += len(state.size)
    if most <= TINY or places_cost(space, state, rule, c, face, most) == np.inf:
        return 0.0
    log.pieces[0] = 0
    note(state, log, c)
    paid = send_out(space, state, ledger, rule, c, face, log, most)
    if paid < np.inf:
        paid += draw_in(space, state, ledger, rule, c, box, log)
    now, fine = 0.0, paid < np.inf
    if fine:
        for n in range(log.pieces[0]):
            now += state.cost[log.slots[n]]
            fine = fine and fits(ledger.asks, ledger.holdings, log.slots[n])
    if fine and now < old + paid - TINY:
        return float(old + paid - now)
    undo(space, state, log)
    if len(ledger.asks.rules) > 0:
        recount(ledger, state, log, rule.divisible)
    return 0.0
