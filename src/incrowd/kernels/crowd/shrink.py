"""Making a class narrower: all its records beyond some code of a column leave, others come in.

Whoever leaves goes where that costs least. If the class is then too small, it takes records that
lie within what is left of it from classes that can spare them, dearest first.

The arrays are those of `kernels.crowd.state` and `kernels.crowd.asked`; every step keeps their
invariants, and no class ends below the least size or without what is asked of it.
"""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.asked import bring, fits
from incrowd.kernels.crowd.cut import Rule
from incrowd.kernels.crowd.hosts import host_of
from incrowd.kernels.crowd.moves import receive, roomy
from incrowd.kernels.crowd.polish import Judge, count_all
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


@jit
def beyond(code: int, limit: int, upper: bool) -> bool:
    """Whether a code is on the side of a limit that leaves."""
    return bool(code > limit if upper else code < limit)


@jit
def next_limit(space: Space, state: State, c: int, j: int, limit: int, upper: bool) -> int:
    """The code of a class next to a limit on the side that stays; the limit if there is none."""
    found = -1
    for i in range(state[2][c]):
        code = space[0][state[0][c, i], j]
        if upper and code < limit and code > found:
            found = code
        if not upper and code > limit and (found < 0 or code < found):
            found = code
    return int(found if found >= 0 else limit)


@jit
def rest_of(space: Space, state: State, c: int, j: int, limit: int, upper: bool, box: Codes) -> int:
    """How many records of a class stay, and their span into `box`."""
    points = space[0]
    left = 0
    for i in range(state[2][c]):
        line = points[state[0][c, i]]
        if beyond(line[j], limit, upper):
            continue
        for col in range(points.shape[1]):
            box[0, col] = min(box[0, col], line[col]) if left > 0 else line[col]
            box[1, col] = max(box[1, col], line[col]) if left > 0 else line[col]
        left += state[1][c, i]
    return int(left)


@jit
def places_cost(
    space: Space, state: State, rule: Rule, c: int, face: tuple[int, int, bool], most: float
) -> float:
    """What it costs to place those who leave elsewhere, each looked at by itself.

    Infinite if some have no place, or as soon as it is `most` or more.
    """
    j, limit, upper = face
    total = 0.0
    for i in range(state[2][c]):
        point = state[0][c, i]
        if beyond(space[0][point, j], limit, upper):
            guest = point, state[1][c, i]
            more, host = host_of(space, state, rule, guest, c, most - total)
            if host < 0:
                return np.inf
            total += more
    return total


@jit
def noted(state: State, log: UndoLog, c: int) -> float:
    """Write down what a slot holds if that is new; what it pays then, else 0."""
    before = log[3][0]
    note(state, log, c)
    return float(state[4][c]) if log[3][0] > before else 0.0


@jit
def full(log: UndoLog) -> bool:
    """Whether a log may have no room for another two slots."""
    return bool(log[3][0] > len(log[0]) - 2)


@jit
def drawn_in(
    space: Space, state: State, judge: Judge, rule: Rule, c: int, box: Codes, log: UndoLog
) -> float:
    """Fill a class up to k with records within `box` of classes that can spare them, dearest first.

    What classes that are touched for the first time paid; infinite if there are not enough.
    """
    points = space[0]
    k, divisible = rule
    held, count, pieces, size, cost, low, high, _ = state
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
                    code = points[held[d, i], j]
                    inside = inside and box[0, j] <= code <= box[1, j]
                if inside:
                    best, donor, place = cost[d] / size[d], d, i
                    break
        if donor < 0 or pieces[c] >= held.shape[1] or full(log):
            return np.inf
        paid += noted(state, log, donor)
        point, records = held[donor, place], count[donor, place]
        if divisible:
            records = min(records, size[donor] - k, k - size[c])
        if len(judge[2][0]) > 0:
            times = records if divisible else 1
            bring(judge[0], judge[1], donor, point, -times)
            bring(judge[0], judge[1], c, point, times)
        take(space, state, donor, place, records)
        add(space, state, c, point, records)
    return paid


@jit
def send_out(
    space: Space,
    state: State,
    judge: Judge,
    rule: Rule,
    c: int,
    face: tuple[int, int, bool],
    log: UndoLog,
    most: float,
) -> float:
    """Give the records of a class beyond a limit to others; what these paid, infinite if none can.

    The class keeps the rest, which is not nothing.
    """
    j, limit, upper = face
    held, count, pieces, _, _, _, _, _ = state
    number = pieces[c]
    guests, records = held[c, :number].copy(), count[c, :number].copy()
    left, spent, paid = 0, 0.0, 0.0
    for i in range(number):
        if not beyond(space[0][guests[i], j], limit, upper):
            held[c, left], count[c, left] = guests[i], records[i]
            left += 1
    pieces[c] = left
    measure(space, state, c)
    for i in range(number):
        if not beyond(space[0][guests[i], j], limit, upper):
            continue
        times = records[i] if rule[1] else 1
        if len(judge[2][0]) > 0:
            bring(judge[0], judge[1], c, guests[i], -times)
        more, host = host_of(space, state, rule, (guests[i], records[i]), c, most - spent)
        if host < 0 or not roomy(state, host) or full(log):
            return np.inf
        paid += noted(state, log, host)
        before = state[7][0]
        new = receive(space, state, rule, (guests[i], records[i]), host)
        if state[7][0] < before:
            note_new(log, new)
        if len(judge[2][0]) > 0:
            recount(judge, state, log, rule[1])
        spent += more
    return paid


@jit
def recount(judge: Judge, state: State, log: UndoLog, divisible: bool) -> None:
    """Count anew what all slots of a log hold."""
    for n in range(log[3][0]):
        c = log[0][n]
        judge[1][0][c] = 0
        judge[1][1][c] = 0
        count_all(judge, state, c, 1, divisible)


@jit
def shrink(
    space: Space,
    state: State,
    judge: Judge,
    rule: Rule,
    c: int,
    face: tuple[int, int, bool],
    log: UndoLog,
    work: Counts,
) -> float:
    """Make a class narrower if that saves in all; how much. `face` is column, limit and side."""
    k = rule[0]
    box = np.empty((2, space[0].shape[1]), np.int32)
    left = rest_of(space, state, c, face[0], face[1], face[2], box)
    if left == 0 or left == state[3][c]:
        return 0.0
    old = state[4][c]
    short = max(k - left, 0)
    each = price(space[1], box[0], box[1])
    most = old - (left + short) * each + short * old / state[3][c]
    work[0] += len(state[3])
    if most <= TINY or places_cost(space, state, rule, c, face, most) == np.inf:
        return 0.0
    log[3][0] = 0
    note(state, log, c)
    paid = send_out(space, state, judge, rule, c, face, log, most)
    if paid < np.inf:
        paid += drawn_in(space, state, judge, rule, c, box, log)
    now, fine = 0.0, paid < np.inf
    if fine:
        for n in range(log[3][0]):
            now += state[4][log[0][n]]
            fine = fine and fits(judge[2], judge[1], log[0][n])
    if fine and now < old + paid - TINY:
        return float(old + paid - now)
    undo(space, state, log)
    if len(judge[2][0]) > 0:
        recount(judge, state, log, rule[1])
    return 0.0
