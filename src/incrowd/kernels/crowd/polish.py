"""Trades among a few classes: records that move or change places, and unions that are cut anew.

Only a piece that alone holds the lowest or highest code of a column makes its class wider, so these
are the ones that are tried elsewhere: alone, or for another piece in return. A union that is cut
anew is traded in before it is judged: a cut that costs a little more often ends below what was.

The arrays are those of `kernels.crowd.state`, `kernels.crowd.cut` and `kernels.crowd.asked`; every
step keeps their invariants, and no class ends below the least size or without what is asked of it.
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.boxes import Boxes, cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.asked import Asks, Held, Marks, bring, fits
from incrowd.kernels.crowd.cut import Rule, cut_up, step
from incrowd.kernels.crowd.hosts import edges
from incrowd.kernels.crowd.moves import Tools, fill, pooled
from incrowd.kernels.crowd.state import (
    TINY,
    Space,
    State,
    UndoLog,
    add,
    note,
    note_new,
    price,
    release,
    scaled,
    tabled,
    take,
    taken,
    undo,
)

Judge: TypeAlias = tuple[Marks, Held, Asks]
"""What points bring along, what classes hold of it, and what is asked of them."""

WORSE = 1.05
"""A union that was cut anew is traded in if it costs at most so many times what it did."""
_ROUNDS = 3
"""How often each of a few classes is gone through."""


@jit
def without(points: Codes, point: int, found: Counts, box: Codes) -> bool:
    """The span of a class without one of its points, into `box`; whether it is narrower.

    `found` are the edges of the class.
    """
    narrower = False
    for j in range(points.shape[1]):
        code = points[point, j]
        box[0, j], box[1, j] = found[0, j], found[3, j]
        if code == found[0, j] and found[1, j] == 1:
            box[0, j] = found[2, j]
            narrower = True
        if code == found[3, j] and found[4, j] == 1:
            box[1, j] = found[5, j]
            narrower = True
    return narrower


@jit
def price_with(boxes: Boxes, box: Codes, codes: Codes, most: float) -> float:
    """What a span costs that is widened to hold these codes; at least `most` if not less."""
    costs, start, width, _, limits = boxes
    total = 0.0
    for j in range(len(codes)):
        low, high = min(box[0, j], codes[j]), max(box[1, j], codes[j])
        if width[j] > 0:
            total += tabled(costs, start, width, j, low, high)
        elif width[j] == 0:
            total += scaled(costs, start, limits, j, low, high)
        else:
            total += cell_cost(boxes, j, low, high)
        if total >= most:
            break
    return total


@jit
def allowed(judge: Judge, trade: Counts, divisible: bool) -> bool:
    """Whether two classes hold what is asked once they have traded.

    `trade` is giver, taker, point given, its records, point returned (-1 if none), its records.
    """
    marks, held, asks = judge
    if len(asks[0]) == 0:
        return True
    exchange(marks, held, trade, 1, divisible)
    fine = fits(asks, held, trade[0]) and fits(asks, held, trade[1])
    exchange(marks, held, trade, -1, divisible)
    return bool(fine)


@jit
def exchange(marks: Marks, held: Held, trade: Counts, sign: int, divisible: bool) -> None:
    """Count a trade, or count it back if the sign is -1."""
    giver, taker = trade[0], trade[1]
    given = sign * (trade[3] if divisible else 1)
    bring(marks, held, giver, trade[2], -given)
    bring(marks, held, taker, trade[2], given)
    if trade[4] >= 0:
        back = sign * (trade[5] if divisible else 1)
        bring(marks, held, taker, trade[4], -back)
        bring(marks, held, giver, trade[4], back)


@jit
def place_of(state: State, c: int, point: int) -> int:
    """Where a class holds a point."""
    i = 0
    while state[0][c, i] != point:
        i += 1
    return i


@jit
def do_trade(space: Space, state: State, judge: Judge, trade: Counts, divisible: bool) -> None:
    """Let two classes trade; both have room for one piece more."""
    giver, taker = trade[0], trade[1]
    if len(judge[2][0]) > 0:
        exchange(judge[0], judge[1], trade, 1, divisible)
    if trade[4] >= 0:
        add(space, state, giver, trade[4], trade[5])
    add(space, state, taker, trade[2], trade[3])
    take(space, state, giver, place_of(state, giver, trade[2]), trade[3])
    if trade[4] >= 0:
        take(space, state, taker, place_of(state, taker, trade[4]), trade[5])


@jit
def best_return(
    space: Space,
    state: State,
    judge: Judge,
    rule: Rule,
    trade: Counts,
    given: tuple[float, float, Codes, Counts],
    spare: Codes,
) -> float:
    """The piece that the taker gives back with the most gain, above `given[1]`; the gain.

    `given` is what both classes pay, the least gain, the span of the giver without the piece that
    it gives, and the edges of the taker. `trade` is completed if something is found.
    """
    points, boxes = space
    k, divisible = rule
    held, count, pieces, size, _, low, high, _ = state
    giver, taker, point, records = trade[0], trade[1], trade[2], trade[3]
    paid, best, box, found = given
    left, more = size[giver] - records, size[taker] + records
    here = spare[:2]
    for j in range(points.shape[1]):
        here[0, j] = min(low[taker, j], points[point, j])
        here[1, j] = max(high[taker, j], points[point, j])
    wide = price(boxes, here[0], here[1])
    tried = np.empty(6, np.int64)
    tried[:] = trade
    for i in range(pieces[taker]):
        other = held[taker, i]
        if other == point:
            continue
        back = count[taker, i]
        if more - back < k or left + back < k:
            back = k - left
            if not divisible or back <= 0 or back >= count[taker, i] or more - back < k:
                continue
        whole = back == count[taker, i]
        theirs = wide
        if whole and pieces[taker] == 1:
            theirs = price(boxes, points[point], points[point])
        elif whole and without(points, other, found, spare[2:4]):
            theirs = price_with(boxes, spare[2:4], points[point], np.inf)
        rest = paid - best - (more - back) * theirs
        if rest <= 0:
            continue
        mine = (left + back) * price_with(boxes, box, points[other], rest / (left + back))
        gain = paid - (more - back) * theirs - mine
        if gain > best + TINY:
            tried[4], tried[5] = other, back
            if allowed(judge, tried, divisible):
                best = gain
                trade[:] = tried
    return best


@jit
def trade_from(
    space: Space, state: State, judge: Judge, rule: Rule, c: int, others: Codes, work: Counts
) -> float:
    """Give pieces of a class to others, alone or for one in return, as long as it saves; how much.

    `work` counts the pieces that were looked at.
    """
    points, boxes = space
    k, divisible = rule
    held, count, pieces, size, cost, _, _, _ = state
    width = points.shape[1]
    found, theirs = np.empty((6, width), np.int64), np.empty((len(others), 6, width), np.int64)
    known = np.zeros(len(others), np.bool_)
    box, spare = np.empty((2, width), np.int32), np.empty((4, width), np.int32)
    trade, best = np.empty(6, np.int64), np.empty(6, np.int64)
    saved = 0.0
    edges(space, state, c, found)
    i = 0
    while i < pieces[c]:
        point, records = held[c, i], count[c, i]
        narrower = without(points, point, found, box)
        if pieces[c] == 1 or not (narrower or size[c] - records >= k):
            i += 1
            continue
        left = size[c] - records
        rest = left * price(boxes, box[0], box[1])
        gain, partner = TINY, -1
        for n in range(len(others)):
            b = others[n]
            if b == c or size[b] == 0 or pieces[b] >= state[0].shape[1] - 1:
                continue
            paid = cost[c] + cost[b]
            trade[0], trade[1], trade[2], trade[3] = c, b, point, records
            trade[4], trade[5] = -1, 0
            work[0] += 1
            if left >= k:
                for j in range(width):
                    spare[0, j], spare[1, j] = state[5][b, j], state[6][b, j]
                more = size[b] + records
                most = (paid - rest - gain) / more
                wide = price_with(boxes, spare[:2], points[point], most)
                better = paid - rest - more * wide
                if better > gain + TINY and allowed(judge, trade, divisible):
                    gain, partner = better, n
                    best[:] = trade
            if narrower:
                work[0] += pieces[b]
                if not known[n]:
                    edges(space, state, b, theirs[n])
                    known[n] = True
                given = paid, gain, box, theirs[n]
                gain = best_return(space, state, judge, rule, trade, given, spare)
                if trade[4] >= 0:
                    best[:] = trade
                    partner = n
        if gain <= TINY or pieces[c] >= state[0].shape[1] - 1:
            i += 1
            continue
        do_trade(space, state, judge, best, divisible)
        saved += gain
        known[partner] = False
        edges(space, state, c, found)
    return saved


@jit
def polish(
    space: Space, state: State, judge: Judge, rule: Rule, members: Codes, work: Counts
) -> float:
    """Let a few classes trade among each other as long as it saves; how much."""
    saved = 0.0
    for _ in range(_ROUNDS):
        gain = 0.0
        for c in members:
            if state[3][c] > 0:
                gain += trade_from(space, state, judge, rule, c, members, work)
        saved += gain
        if gain <= TINY:
            break
    return saved


@jit
def count_all(judge: Judge, state: State, c: int, sign: int, divisible: bool) -> None:
    """Count all that a class holds, or count it back if the sign is -1."""
    marks, held, asks = judge
    if len(asks[0]) == 0:
        return
    for i in range(state[2][c]):
        bring(marks, held, c, state[0][c, i], sign * (state[1][c, i] if divisible else 1))


@jit
def recut(
    space: Space,
    state: State,
    judge: Judge,
    cuts: Rule,
    rule: Rule,
    members: Codes,
    tools: Tools,
    extra: tuple[UndoLog, float, Counts, int],
) -> float:
    """Cut the union of some classes anew and let what is made trade; what that saves.

    `cuts` is the rule of the cuts, `rule` that of the trades. `extra` is a log, how much dearer the
    end may be, the work, and how many columns a cut looks at. All is as it was if nothing is saved.
    """
    pool, workspace, seed = tools
    log, slack, work, _ = extra
    divisible = rule[1]
    old = 0.0
    for c in members:
        old += state[4][c]
    sizes = pooled(space, state, cuts[0], members, pool)
    work[0] += 4 * sizes[0]
    made, total = cut_up(space[1], pool, sizes, cuts, seed, workspace, extra[3])
    pieces, starts = workspace[0][6], workspace[0][7]
    longest = 0
    for p in range(made):
        longest = max(longest, starts[p + 1] - starts[p])
    if (
        abs(total - old) <= TINY
        or total > WORSE * old
        or longest > state[0].shape[1]
        or made - len(members) > state[7][0]
        or max(made, len(members)) > len(log[0])
    ):
        return 0.0
    log[3][0] = 0
    new = np.empty(max(made, len(members)), np.int32)
    for p in range(len(new)):
        if p < len(members):
            new[p] = members[p]
            note(state, log, new[p])
            count_all(judge, state, new[p], -1, divisible)
        else:
            new[p] = taken(state)
            note_new(log, new[p])
        if p < made:
            fill(space, state, new[p], pool, pieces[starts[p] : starts[p + 1]])
            count_all(judge, state, new[p], 1, divisible)
        else:
            release(state, new[p])
    fine = True
    for p in range(made):
        fine = fine and fits(judge[2], judge[1], new[p])
    saved = old - total
    if fine:
        saved += polish(space, state, judge, rule, new[:made], work)
        if saved > TINY - slack * old:
            return saved
    for p in range(made):
        count_all(judge, state, new[p], -1, divisible)
    reclaim(state, new[made : len(members)])
    undo(space, state, log)
    for c in members:
        count_all(judge, state, c, 1, divisible)
    return 0.0


@jit
def reclaim(state: State, slots: Codes) -> None:
    """Take back slots that were just released, the last first."""
    for _ in slots:
        taken(state)


@jit
def drawn(state: State, c: int, near: Codes, number: int, seed: Counts) -> Codes:
    """A class and so many of those near to it, at random; fewer if there are not so many."""
    left = 0
    for i in range(len(near)):
        if state[3][near[i]] > 0:
            near[left], near[i] = near[i], near[left]
            left += 1
    members = np.empty(min(number, left) + 1, np.int32)
    members[0] = c
    for i in range(1, len(members)):
        other = i - 1 + step(seed) % (left - i + 1)
        near[i - 1], near[other] = near[other], near[i - 1]
        members[i] = near[i - 1]
    return members
