"""The least ratio of price to worth among the boxes around each point.

Every point has a worth u. The ratio of a box is s times its price over the sum of the s largest u
inside it, where a point counts as often as it has records. `least_ratios` finds for each point a
number that no box of at least s records around it falls below, nearly always the least ratio itself
(`search.bound` says what that is good for).

A box around a point reaches from code `low` to code `high` in each ordered column. Elsewhere, and
around a missing value, it reaches up to the rank `high` of a price: rank 0 is what the point itself
costs, and `Around.step` is 0. Branch and bound: a part of the search is all boxes that contain an
inner box and hold only some candidates. None of them costs less than the inner box, and none is
worth more than the s best candidates, so those that would make the inner box too dear are dropped.

Shapes, for d columns and n points: codes (n, d); counts, worth and order (n,), `order` by falling
worth; near (candidates, d), where each candidate is in each column. `prices` and `rank` are flat,
`width[j]` is the number of codes of column j, and `row = code * width[j]`. `prices[table[j] + row +
other]` is what the run between two codes costs, in either order, `rank[table[j] + row + other]` the
rank of that price around the first code, and `prices[chain[j] + row + m]` the price of rank m.
Prices never fall as a box grows; the caller sees to it. `r` is the number of the point around which
boxes are looked for, the central point; `steps` are how many candidates are looked at; `reach` is a
price that a box must stay below. The *list* of a part is a run of `items`. `known` is the least
ratio found so far around each point: shape (n,).
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.compile import jit


class Prices(NamedTuple):
    """What runs of codes cost, and where those of each column begin."""

    prices: Floats
    rank: Codes
    table: Counts
    chain: Counts
    width: Counts
    ordered: Flags


class PricedPoints(NamedTuple):
    """Distinct points with their records and their worth."""

    codes: Codes
    counts: Counts
    worth: Floats
    order: Codes


class BoxRule(NamedTuple):
    """The least records of a class, the steps of one try, and `floor`, below which no ratio is."""

    size: int
    steps: int
    floor: float


class Around(NamedTuple):
    """Prices around a point, `prices[base[j] + step[j] * low + high]`, and where it is, `place`."""

    prices: Floats
    base: Counts
    step: Counts
    place: Codes


class BoxCandidates(NamedTuple):
    """Points that a box may hold, by falling worth, and the lists of parts as numbers of them."""

    point: Codes
    counts: Counts
    worth: Floats
    near: Codes
    items: Codes


class Inner(NamedTuple):
    """The box that all boxes of a part contain, and what it pays in each column."""

    low: Codes
    high: Codes
    paid: Floats


WAITING = 256
"""Parts that wait at a time: more end a try."""
LISTS = 12
"""The lists of all parts together hold so many times all candidates at most."""
TRIES = 8
"""How often a point is tried, each time with a lower number to prove."""
HARDLY = 1.02
"""A ratio that is so many times the floor is not worth looking for a lower one."""
LOWER = 0.7
"""By how much the number to prove is lowered when a try takes too many steps."""


@jit
def least_ratios(
    points: PricedPoints, prices: Prices, chosen: Codes, cap: float, rule: BoxRule
) -> tuple[Floats, int]:
    """Return for each chosen point a ratio, `cap` at most, that no box around it falls below.

    Also return the steps taken. A point that takes more than `rule.steps` gets a lower number,
    which takes fewer steps to prove, or `rule.floor` after `TRIES` tries. A box found around one
    point lowers what is looked for around the others in it.
    """
    known = np.full(len(points.codes), cap)
    found = np.full(len(chosen), rule.floor)
    work = 0
    for i in range(len(chosen)):
        aim = known[chosen[i]]
        for _ in range(TRIES):
            if aim <= HARDLY * rule.floor:
                break
            ratio, steps, proved = _least_ratio(points, prices, chosen[i], aim, known, rule)
            work += steps
            if proved:
                found[i] = ratio
                break
            aim = LOWER * ratio
    return found, work


@jit
def _least_ratio(
    points: PricedPoints, prices: Prices, r: int, aim: float, known: Floats, rule: BoxRule
) -> tuple[float, int, bool]:
    """Return the least ratio around r, `aim` at most, steps, and if it is proved; lower `known`."""
    around = _prices_around(points.codes[r], prices)
    candidates, steps = _gather_candidates(points, prices, r, aim, rule.size)
    _fill_near(points, prices, r, around.step, candidates)
    ratio, more, proved = _search_boxes(candidates, around, aim, known, rule)
    return ratio, steps + more, proved


@jit
def _prices_around(own: Codes, prices: Prices) -> Around:
    """Return the prices around a point with these codes."""
    d = len(own)
    base, step, place = np.empty(d, np.int64), np.zeros(d, np.int64), np.zeros(d, np.int32)
    for j in range(d):
        if prices.ordered[j] and own[j] > 0:
            base[j], step[j], place[j] = prices.table[j], prices.width[j], own[j]
        else:
            base[j] = prices.chain[j] + own[j] * prices.width[j]
    return Around(prices.prices, base, step, place)


@jit
def _gather_candidates(
    points: PricedPoints, prices: Prices, r: int, aim: float, size: int
) -> tuple[BoxCandidates, int]:
    """Return the points that a box around r with a ratio below `aim` may hold, and the steps.

    Their `near` and `items` are not filled in yet.
    """
    n, d = points.codes.shape
    point, far = np.empty(n, np.int32), np.empty(n, np.float64)
    # Such a box costs less than `aim` times the mean worth of the best points near enough.
    top, _ = _best_worth(points.order, 0, n, points.counts, points.worth, size)
    number = _list_within_reach(points, prices, r, aim * top / size, point, far)
    steps, before = n, n + 1
    while 5 * number < 4 * before:  # a round pays only while it drops a fifth
        top, enough = _best_worth(point, 0, number, points.counts, points.worth, size)
        reach = aim * top / size if enough else 0.0
        steps += number
        before, number = number, _keep_nearer(point, far, number, reach)
    point = point[:number].copy()
    near, items = np.empty((number, d), np.int32), np.empty(LISTS * number, np.int32)
    return BoxCandidates(point, points.counts[point], points.worth[point], near, items), steps


@jit
def _list_within_reach(
    points: PricedPoints, prices: Prices, r: int, reach: float, point: Codes, far: Floats
) -> int:
    """List points under `reach` from r in `point`, best first, costs in `far`; return how many."""
    codes, order = points.codes, points.order
    flat, n, d = prices.prices, codes.shape[0], codes.shape[1]
    rows = np.empty(d, np.int64)
    for j in range(d):
        rows[j] = prices.table[j] + codes[r, j] * prices.width[j]
    number = 0
    for i in range(n):
        q = order[i]
        price = 0.0
        for j in range(d):
            price += flat[rows[j] + codes[q, j]]
            if price >= reach:  # prices are never negative
                break
        if price < reach:
            point[number], far[number] = q, price
            number += 1
    return number


@jit
def _keep_nearer(point: Codes, far: Floats, number: int, reach: float) -> int:
    """Move points, and their costs `far`, that cost under `reach` to the front; return how many."""
    fewer = 0
    for i in range(number):
        if far[i] < reach:
            point[fewer], far[fewer] = point[i], far[i]
            fewer += 1
    return fewer


@jit
def _best_worth(
    line: Codes, begin: int, end: int, counts: Counts, worth: Floats, size: int
) -> tuple[float, bool]:
    """Return the worth of a line's first, so best, `size` records, and whether it has so many."""
    total, left = 0.0, size
    for i in range(begin, end):
        q = line[i]
        took = min(counts[q], left)
        total += took * worth[q]
        left -= took
        if left == 0:
            return total, True
    return total, False


@jit
def _fill_near(
    points: PricedPoints, prices: Prices, r: int, step: Counts, candidates: BoxCandidates
) -> None:
    """Fill in `near` and `items` of the candidates around point r; `step` is that of its `Around`.

    `near` gets the code of each candidate in columns with a step, elsewhere the rank of the price
    of the run from the code of r to it. `items` begins with the numbers of all candidates.
    """
    codes, rank, point, near = points.codes, prices.rank, candidates.point, candidates.near
    for j in range(codes.shape[1]):
        row = prices.table[j] + codes[r, j] * prices.width[j]
        for i in range(len(point)):
            code = codes[point[i], j]
            near[i, j] = code if step[j] > 0 else rank[row + code]
    for i in range(len(point)):
        candidates.items[i] = i


@jit
def _search_boxes(
    candidates: BoxCandidates, around: Around, aim: float, known: Floats, rule: BoxRule
) -> tuple[float, int, bool]:
    """Return the least ratio (`aim` if none is lower), the steps, and whether it is proved.

    Branch and bound. Parts wait on a stack: their inner boxes, and where their lists begin and end.
    The part with the nearer candidates is searched first, and its list is the last one in `items`.
    `known` falls to the ratio of each better box for the points in it. A ratio that is hardly above
    `rule.floor` ends the search with the floor as a proved answer.
    """
    point, counts, worth, _, items = candidates
    size, d = rule.size, len(around.base)
    lows, highs = np.empty((WAITING, d), np.int32), np.empty((WAITING, d), np.int32)
    begins, ends = np.zeros(WAITING, np.int64), np.zeros(WAITING, np.int64)
    lows[0], highs[0] = around.place, around.place
    ends[0] = len(point)
    outer = Inner(np.empty(d, np.int32), np.empty(d, np.int32), np.empty(d))
    inner = Inner(np.empty(d, np.int32), np.empty(d, np.int32), np.empty(d))
    best, steps, waiting = aim, 0, 1
    while waiting > 0:
        waiting -= 1
        begin = begins[waiting]
        inner.low[:], inner.high[:] = lows[waiting], highs[waiting]
        price = _fill_paid(around, inner)
        end, seen = _drop_candidates(
            candidates, around, inner, price, begin, ends[waiting], best, size
        )
        steps += seen
        if end == begin:
            continue
        top, _ = _best_worth(items, begin, end, counts, worth, size)
        _fill_outer(candidates, inner, begin, end, outer)
        ratio = size * _fill_paid(around, outer) / top
        if ratio < best:
            best = ratio
            for i in range(begin, end):
                known[point[items[i]]] = min(known[point[items[i]]], ratio)
            if best <= HARDLY * rule.floor:
                return rule.floor, steps, True
        column, side, gap = _widest_side(around, inner, outer)
        if side == 0 or size * price / top >= best:
            continue
        if steps > rule.steps or waiting + 2 > WAITING or 2 * end - begin > len(items):
            return best, steps, False
        last, next_ = _split_candidates(candidates, around, inner, (column, side, gap), begin, end)
        lows[waiting], highs[waiting] = inner.low, inner.high
        lows[waiting + 1], highs[waiting + 1] = inner.low, inner.high
        if side > 0:
            highs[waiting, column] = next_
        else:
            lows[waiting, column] = next_
        begins[waiting], ends[waiting] = begin, end
        begins[waiting + 1], ends[waiting + 1] = end, last
        waiting += 2
    return best, steps, True


@jit
def _fill_paid(around: Around, box: Inner) -> float:
    """Fill `box.paid` with what a box pays in each column; return the sum."""
    total = 0.0
    for j in range(len(box.low)):
        box.paid[j] = around.prices[around.base[j] + around.step[j] * box.low[j] + box.high[j]]
        total += box.paid[j]
    return total


@jit
def _drop_candidates(
    candidates: BoxCandidates,
    around: Around,
    inner: Inner,
    price: float,
    begin: int,
    end: int,
    best: float,
    size: int,
) -> tuple[int, int]:
    """Drop candidates that no box of a ratio below `best` holds; return the list's end, steps."""
    counts, worth, items = candidates.counts, candidates.worth, candidates.items
    steps = 0
    while True:
        top, enough = _best_worth(items, begin, end, counts, worth, size)
        reach = best * top / size
        if not enough or price >= reach:
            return begin, steps  # no such box is left
        steps += end - begin
        last = _keep_affordable(candidates, around, inner, price, begin, end, reach)
        if last == end:
            return end, steps
        end = last


@jit
def _keep_affordable(
    candidates: BoxCandidates,
    around: Around,
    inner: Inner,
    price: float,
    begin: int,
    end: int,
    reach: float,
) -> int:
    """Keep candidates with which the inner box costs under `reach`; return the list's end."""
    near, items = candidates.near, candidates.items
    prices, base, step, _ = around
    low, high, paid = inner
    d = len(low)
    last = begin
    for i in range(begin, end):
        c = items[i]
        cost = price
        for j in range(d):
            at = near[c, j]
            if at > high[j]:
                cost += prices[base[j] + step[j] * low[j] + at] - paid[j]
            elif at < low[j]:
                cost += prices[base[j] + step[j] * at + high[j]] - paid[j]
            if cost >= reach:
                break
        if cost < reach:
            items[last] = c
            last += 1
    return last


@jit
def _fill_outer(
    candidates: BoxCandidates, inner: Inner, begin: int, end: int, outer: Inner
) -> None:
    """Fill `outer` with the box over the inner box and all candidates of a list."""
    near, items = candidates.near, candidates.items
    low, high = outer.low, outer.high
    low[:], high[:] = inner.low, inner.high
    for i in range(begin, end):
        c = items[i]
        for j in range(len(low)):
            low[j] = min(low[j], near[c, j])
            high[j] = max(high[j], near[c, j])


@jit
def _widest_side(around: Around, inner: Inner, outer: Inner) -> tuple[int, int, float]:
    """Return the column and the side whose growth to `outer` costs most, and that extra cost.

    The side is 1 for the high end, -1 for the low one; 0, at a cost of -1, if all growth is free.
    """
    column, side, widest = 0, 0, -1.0
    for j in range(len(inner.low)):
        if outer.paid[j] <= inner.paid[j]:
            continue
        row = around.base[j] + around.step[j] * inner.low[j]
        up = around.prices[row + outer.high[j]] - inner.paid[j]
        row = around.base[j] + around.step[j] * outer.low[j]
        down = around.prices[row + inner.high[j]] - inner.paid[j]
        if outer.high[j] > inner.high[j] and up > widest:
            column, side, widest = j, 1, up
        if outer.low[j] < inner.low[j] and down > widest:
            column, side, widest = j, -1, down
    return column, side, widest


@jit
def _split_candidates(
    candidates: BoxCandidates,
    around: Around,
    inner: Inner,
    split: tuple[int, int, float],
    begin: int,
    end: int,
) -> tuple[int, int]:
    """Copy a list's nearer candidates behind it; return their end, and the next one's code.

    `split` is what `_widest_side` returns: column, side and gap. Near are those that make the inner
    box dearer by half of the gap at most, or if it is 0, those inside the box. The next code, or
    rank, is the nearest beyond them in that column, -1 if there is none.
    """
    j, side, gap = split
    near, items = candidates.near, candidates.items
    prices, low, high = around.prices, inner.low[j], inner.high[j]
    base, step, most = around.base[j], around.step[j], inner.paid[j] + gap / 2
    last, next_ = end, -1
    for i in range(begin, end):
        at = near[items[i], j]
        beyond = at > high if side > 0 else at < low
        if beyond and gap > 0:
            run = step * low + at if side > 0 else step * at + high
            beyond = prices[base + run] > most
        if not beyond:
            items[last] = items[i]
            last += 1
        elif next_ < 0 or (at < next_ if side > 0 else at > next_):
            next_ = at
    return last, next_
