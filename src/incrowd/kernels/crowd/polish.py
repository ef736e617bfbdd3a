"""Trades among a few classes: records that move or change places, and unions that are cut anew.

Only a piece that alone holds the lowest or highest code of a column makes its class wider, so these
are the ones that are tried elsewhere: alone, or for another piece in return. A union that is cut
anew is traded in before it is judged: a cut that costs a little more often ends below what was.

The arrays are those of `kernels.crowd.state`, `kernels.crowd.cut` and `kernels.crowd.demands`;
every step keeps their invariants, and no class ends below the least size or without what is asked.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.boxes import BoxCosts, cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.cut import Rule, cut_up, next_random
from incrowd.kernels.crowd.demands import Asks, Holdings, Marks, count_point, satisfies_all
from incrowd.kernels.crowd.hosts import find_edges, narrow_box
from incrowd.kernels.crowd.moves import Tools, fill_slot, pool_classes
from incrowd.kernels.crowd.state import (
    TINY,
    Space,
    State,
    UndoLog,
    add_records,
    empty_slot,
    log_new_slot,
    log_slot,
    price_span,
    scale_cost,
    table_cost,
    take_records,
    take_slot,
    undo_logged,
)


class Ledger(NamedTuple):
    """What points bring along, what classes hold of it, and what is asked of them."""

    marks: Marks
    holdings: Holdings
    asks: Asks


class Attempt(NamedTuple):
    """How a union is cut anew."""

    log: UndoLog
    """What classes held before."""
    slack: float
    """How much dearer the end may be, as a share."""
    work: Counts
    """(1,): pieces that were looked at."""
    columns: int
    """Columns that a cut looks at."""


class Offer(NamedTuple):
    """What a giver offers a taker, for a piece in return."""

    paid: float
    """What both classes pay now."""
    least: float
    """The gain above which a return counts."""
    box: Codes
    """(2, d): the span of the giver without the piece that it gives."""
    edges: Counts
    """(6, d): the edges of the taker (`kernels.crowd.hosts`)."""


GIVER, TAKER, POINT, RECORDS, RETURN, RETURN_RECORDS = range(6)
"""Places of a trade: two classes, the point given and its records, the point given back or -1, and
its records."""

WORSE = 1.05
"""A union that was cut anew is traded in if it costs at most so many times what it did."""
_ROUNDS = 3
"""How often each of a few classes is gone through."""


@jit
def price_widened(boxes: BoxCosts, box: Codes, codes: Codes, most: float) -> float:
    """Return the cost of `box` widened to these codes, or a part of it that is `most` or more."""
    costs, start, width, _, limits = boxes
    total = 0.0
    for j in range(len(codes)):
        low, high = min(box[0, j], codes[j]), max(box[1, j], codes[j])
        if width[j] > 0:
            total += table_cost(costs, start, width, j, low, high)
        elif width[j] == 0:
            total += scale_cost(costs, start, limits, j, low, high)
        else:
            total += cell_cost(boxes, j, low, high)
        if total >= most:
            break
    return total


@jit
def may_trade(ledger: Ledger, trade: Counts, divisible: bool) -> bool:
    """Whether giver and taker would satisfy every rule of the ledger after a trade."""
    marks, holdings, asks = ledger
    if len(asks.rules) == 0:
        return True
    count_trade(marks, holdings, trade, 1, divisible)
    fine = satisfies_all(asks, holdings, trade[GIVER]) and satisfies_all(
        asks, holdings, trade[TAKER]
    )
    count_trade(marks, holdings, trade, -1, divisible)
    return bool(fine)


@jit
def count_trade(
    marks: Marks, holdings: Holdings, trade: Counts, sign: int, divisible: bool
) -> None:
    """Change the `holdings` of giver and taker to those after a trade (`sign` 1), or back (-1).

    If `divisible`, each record that moves counts; else a point moves whole and counts once.
    """
    giver, taker = trade[GIVER], trade[TAKER]
    times = sign * (trade[RECORDS] if divisible else 1)
    count_point(marks, holdings, giver, trade[POINT], -times)
    count_point(marks, holdings, taker, trade[POINT], times)
    if trade[RETURN] >= 0:
        back = sign * (trade[RETURN_RECORDS] if divisible else 1)
        count_point(marks, holdings, taker, trade[RETURN], -back)
        count_point(marks, holdings, giver, trade[RETURN], back)


@jit
def place_of(state: State, c: int, point: int) -> int:
    """Return the place of a point among the pieces of class c, which must hold it."""
    i = 0
    while state.point[c, i] != point:
        i += 1
    return i


@jit
def do_trade(space: Space, state: State, ledger: Ledger, trade: Counts, divisible: bool) -> None:
    """Make a trade: change both classes, which need room for a piece more, and their counters."""
    giver, taker = trade[GIVER], trade[TAKER]
    if len(ledger.asks.rules) > 0:
        count_trade(ledger.marks, ledger.holdings, trade, 1, divisible)
    # Classes take before they give, so that none is ever empty.
    if trade[RETURN] >= 0:
        add_records(space, state, giver, trade[RETURN], trade[RETURN_RECORDS])
    add_records(space, state, taker, trade[POINT], trade[RECORDS])
    take_records(space, state, giver, place_of(state, giver, trade[POINT]), trade[RECORDS])
    if trade[RETURN] >= 0:
        place = place_of(state, taker, trade[RETURN])
        take_records(space, state, taker, place, trade[RETURN_RECORDS])


@jit
def best_return(
    space: Space,
    state: State,
    ledger: Ledger,
    rule: Rule,
    trade: Counts,
    offer: Offer,
    spare: Codes,
) -> float:
    """Complete `trade`, in place, with the piece that the taker had best give back.

    Return what both classes then pay less; `offer.least`, and `trade` as it was, if no piece gains
    more than that. `spare` is room for two spans, (4, d).
    """
    points, boxes = space
    k, divisible = rule
    points_in, count, pieces = state.point, state.records, state.pieces
    size, low, high = state.size, state.low, state.high
    giver, taker = trade[GIVER], trade[TAKER]
    point, records = trade[POINT], trade[RECORDS]
    paid, best, box, edges = offer
    left, more = size[giver] - records, size[taker] + records
    here = spare[:2]
    for j in range(points.shape[1]):
        here[0, j] = min(low[taker, j], points[point, j])
        here[1, j] = max(high[taker, j], points[point, j])
    wide = price_span(boxes, here[0], here[1])
    tried = np.empty(6, np.int64)
    tried[:] = trade
    for i in range(pieces[taker]):
        other = points_in[taker, i]
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
            theirs = price_span(boxes, points[point], points[point])
        elif whole and narrow_box(points, other, edges, spare[2:4]):
            theirs = price_widened(boxes, spare[2:4], points[point], np.inf)
        rest = paid - best - (more - back) * theirs
        if rest <= 0:
            continue
        mine = (left + back) * price_widened(boxes, box, points[other], rest / (left + back))
        gain = paid - (more - back) * theirs - mine
        if gain > best + TINY:
            tried[RETURN], tried[RETURN_RECORDS] = other, back
            if may_trade(ledger, tried, divisible):
                best = gain
                trade[:] = tried
    return best


@jit
def trade_from(
    space: Space, state: State, ledger: Ledger, rule: Rule, c: int, others: Codes, work: Counts
) -> float:
    """Trade pieces of class c with classes in `others` as long as it saves; return the saving.

    `work[0]` grows by the pieces that were looked at.
    """
    points, boxes = space
    k, divisible = rule
    points_in, count = state.point, state.records
    pieces, size, cost = state.pieces, state.size, state.cost
    width = points.shape[1]
    edges, theirs = np.empty((6, width), np.int64), np.empty((len(others), 6, width), np.int64)
    known = np.zeros(len(others), np.bool_)
    box, spare = np.empty((2, width), np.int32), np.empty((4, width), np.int32)
    trade, best = np.empty(6, np.int64), np.empty(6, np.int64)
    saved = 0.0
    find_edges(space, state, c, edges)
    i = 0
    while i < pieces[c]:
        point, records = points_in[c, i], count[c, i]
        narrower = narrow_box(points, point, edges, box)
        if pieces[c] == 1 or not (narrower or size[c] - records >= k):
            i += 1
            continue
        left = size[c] - records
        rest = left * price_span(boxes, box[0], box[1])
        gain, partner = TINY, -1
        for n in range(len(others)):
            b = others[n]
            if b == c or size[b] == 0 or pieces[b] >= state.point.shape[1] - 1:
                continue
            paid = cost[c] + cost[b]
            trade[GIVER], trade[TAKER], trade[POINT], trade[RECORDS] = c, b, point, records
            trade[RETURN], trade[RETURN_RECORDS] = -1, 0
            work[0] += 1
            if left >= k:
                for j in range(width):
                    spare[0, j], spare[1, j] = state.low[b, j], state.high[b, j]
                more = size[b] + records
                most = (paid - rest - gain) / more
                wide = price_widened(boxes, spare[:2], points[point], most)
                better = paid - rest - more * wide
                if better > gain + TINY and may_trade(ledger, trade, divisible):
                    gain, partner = better, n
                    best[:] = trade
            if narrower:
                work[0] += pieces[b]
                if not known[n]:
                    find_edges(space, state, b, theirs[n])
                    known[n] = True
                offer = Offer(paid, gain, box, theirs[n])
                gain = best_return(space, state, ledger, rule, trade, offer, spare)
                if trade[RETURN] >= 0:
                    best[:] = trade
                    partner = n
        if gain <= TINY or pieces[c] >= state.point.shape[1] - 1:
            i += 1
            continue
        do_trade(space, state, ledger, best, divisible)
        saved += gain
        known[partner] = False
        find_edges(space, state, c, edges)
    return saved


@jit
def trade_among(
    space: Space, state: State, ledger: Ledger, rule: Rule, members: Codes, work: Counts
) -> float:
    """Let `members` trade while it saves, for three rounds at most; return the saving."""
    saved = 0.0
    for _ in range(_ROUNDS):
        gain = 0.0
        for c in members:
            if state.size[c] > 0:
                gain += trade_from(space, state, ledger, rule, c, members, work)
        saved += gain
        if gain <= TINY:
            break
    return saved


@jit
def count_all(ledger: Ledger, state: State, c: int, sign: int, divisible: bool) -> None:
    """Add what class c holds to its counters (`sign` 1) or take it off (-1), if there are rules."""
    marks, holdings, asks = ledger
    if len(asks.rules) == 0:
        return
    for i in range(state.pieces[c]):
        count_point(
            marks, holdings, c, state.point[c, i], sign * (state.records[c, i] if divisible else 1)
        )


@jit
def cut_union_anew(
    space: Space,
    state: State,
    ledger: Ledger,
    cuts: Rule,
    rule: Rule,
    members: Codes,
    tools: Tools,
    attempt: Attempt,
) -> float:
    """Cut the union of some classes anew and let the new ones trade; return the saving.

    `cuts` rules the cuts, `rule` the trades. The saving may be below 0 by the share
    `attempt.slack` of what the union paid. All stays as it was, and 0 is returned, if that much or
    more would be lost (without slack, if nothing is saved), if the cut costs the same, is too dear
    or too large for the room there is, or if a class that was cut would not satisfy every rule.
    """
    pool, workspace, seed = tools
    log, slack, work, columns = attempt
    divisible = rule.divisible
    old = 0.0
    for c in members:
        old += state.cost[c]
    sizes = pool_classes(space, state, cuts.k, members, pool)
    work[0] += 4 * sizes[0]
    made, total = cut_up(space.boxes, pool, sizes, cuts, seed, workspace, columns)
    pieces, starts = workspace.pieces, workspace.starts
    longest = 0
    for p in range(made):
        longest = max(longest, starts[p + 1] - starts[p])
    if (
        abs(total - old) <= TINY
        or total > WORSE * old
        or longest > state.point.shape[1]
        or made - len(members) > state.free[0]
        or max(made, len(members)) > len(log.slots)
    ):
        return 0.0
    log.pieces[0] = 0
    new = np.empty(max(made, len(members)), np.int32)
    for p in range(len(new)):
        if p < len(members):
            new[p] = members[p]
            log_slot(state, log, new[p])
            count_all(ledger, state, new[p], -1, divisible)
        else:
            new[p] = take_slot(state)
            log_new_slot(log, new[p])
        if p < made:
            fill_slot(space, state, new[p], pool, pieces[starts[p] : starts[p + 1]])
            count_all(ledger, state, new[p], 1, divisible)
        else:
            empty_slot(state, new[p])
    fine = True
    for p in range(made):
        fine = fine and satisfies_all(ledger.asks, ledger.holdings, new[p])
    saved = old - total
    if fine:
        saved += trade_among(space, state, ledger, rule, new[:made], work)
        if saved > TINY - slack * old:
            return saved
    for p in range(made):
        count_all(ledger, state, new[p], -1, divisible)
    # `undo_logged` fills slots that were emptied, but leaves them on the stack of empty ones.
    for _ in range(made, len(members)):
        take_slot(state)
    undo_logged(space, state, log)
    for c in members:
        count_all(ledger, state, c, 1, divisible)
    return 0.0


@jit
def draw_members(state: State, c: int, near: Codes, number: int, seed: Counts) -> Codes:
    """Return class c and up to `number` random non-empty ones of `near`, which is reordered."""
    left = 0
    for i in range(len(near)):
        if state.size[near[i]] > 0:
            near[left], near[i] = near[i], near[left]
            left += 1
    members = np.empty(min(number, left) + 1, np.int32)
    members[0] = c
    for i in range(1, len(members)):
        other = i - 1 + next_random(seed) % (left - i + 1)
        near[i - 1], near[other] = near[other], near[i - 1]
        members[i] = near[i - 1]
    return members
