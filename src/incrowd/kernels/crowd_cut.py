"""Cutting a pool of pieces into classes along one column after the other.

`pool` is (codes, point, count): one line of codes per piece, its point and its records, with room
for pieces that are cut in two. An `order` lists pieces of the pool. Pieces with the same code of a
column stand in the order of the columns looked at before, so that a cut among equal codes follows
these.
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import Boxes, cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd_price import price, scaled, tabled
from incrowd.kernels.crowd_state import TINY

Pool: TypeAlias = tuple[Codes, Codes, Counts]
Rule: TypeAlias = tuple[int, bool]
"""The least size k of a class, and whether the records of a point may be in several."""
Cut: TypeAlias = tuple[float, int, int]
"""What both sides cost, the pieces before the cut, and the records of the next piece before it."""

_FEW = 24
_MANY = 1024
"""Pieces above which a cut leaves at least a quarter of them on both sides if it can: where all
cuts cost nearly the same, cutting off a few at a time would take forever."""
_NONE = np.int32(2**31 - 1)


@jit
def empty_pool(most: int, width: int) -> Pool:
    """A pool for so many pieces."""
    return (
        np.empty((most, width), np.int32),
        np.empty(most, np.int32),
        np.empty(most, np.int64),
    )


@jit
def room_for(pieces: int, records: int, k: int) -> int:
    """How many pieces there may be once these are cut; with less room some stay together."""
    return int(pieces + min(records // k, 2 * pieces) + 2)


@jit
def step(seed: Counts) -> int:
    """The next number of a simple random sequence, below 2^31."""
    seed[0] = (seed[0] * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
    return int(seed[0] >> 32)


@jit
def shuffle(columns: Codes, seed: Counts) -> None:
    """Put the columns in another order."""
    for i in range(len(columns) - 1, 0, -1):
        other = step(seed) % (i + 1)
        columns[i], columns[other] = columns[other], columns[i]


@jit
def sort_by(codes: Codes, order: Codes, j: int, spare: Codes) -> bool:
    """Order pieces by their code of column j, equal ones as they are; False if all are equal."""
    low, high = _NONE, np.int32(-1)
    for piece in order:
        low = min(low, codes[piece, j])
        high = max(high, codes[piece, j])
    if low == high:
        return False
    if len(order) <= _FEW:
        for i in range(1, len(order)):
            piece, at = order[i], i
            while at > 0 and codes[order[at - 1], j] > codes[piece, j]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = piece
    elif high - low < 4 * len(order):
        sort_counting(codes, order, j, int(low), int(high), spare)
    else:
        keys = np.empty(len(order), np.int32)
        for i in range(len(order)):
            keys[i] = codes[order[i], j]
        spare[: len(order)] = order[np.argsort(keys, kind="mergesort")]
        order[:] = spare[: len(order)]
    return True


@jit
def sort_counting(codes: Codes, order: Codes, j: int, low: int, high: int, spare: Codes) -> None:
    """Order pieces by codes that are few, by counting them."""
    head = np.zeros(high - low + 2, np.int32)
    for piece in order:
        head[codes[piece, j] - low + 1] += 1
    for i in range(1, len(head)):
        head[i] += head[i - 1]
    for piece in order:
        place = codes[piece, j] - low
        spare[head[place]] = piece
        head[place] += 1
    for i in range(len(order)):
        order[i] = spare[i]


@jit
def costs_from(boxes: Boxes, codes: Codes, order: Codes, backwards: bool, found: Floats) -> None:
    """What the span of all pieces up to each one costs, from the first on or from the last."""
    costs, start, size, _, limits = boxes
    width = codes.shape[1]
    paid = np.zeros(width, np.float64)
    low, high = np.full(width, _NONE, np.int32), np.full(width, -1, np.int32)
    total = 0.0
    for i in range(len(order)):
        at = len(order) - 1 - i if backwards else i
        line = codes[order[at]]
        for j in range(width):
            if line[j] >= low[j] and line[j] <= high[j]:
                continue
            low[j], high[j] = min(low[j], line[j]), max(high[j], line[j])
            if size[j] > 0:
                cost = tabled(costs, start, size, j, low[j], high[j])
            elif size[j] == 0:
                cost = scaled(costs, start, limits, j, low[j], high[j])
            else:
                cost = cell_cost(boxes, j, low[j], high[j])
            total += cost - paid[j]
            paid[j] = cost
        found[at] = total


@jit
def cut_in_order(
    count: Counts, order: Codes, sides: tuple[Floats, Floats], rule: Rule, most: tuple[float, int]
) -> Cut:
    """The cheapest cut of an order that leaves k records on both sides.

    `most` are the cost that it must be below, and the pieces that it must leave on both sides.

    `sides` are the costs of the spans up to each piece and from it on. Cutting through a piece pays
    only where k asks for it: the cost is linear in the records before the cut.
    """
    before, after = sides
    k, divisible = rule
    whole = 0
    for piece in order:
        whole += count[piece]
    best, margin = most
    at, more, left = -1, 0, 0
    for i in range(len(order)):
        here = count[order[i]]
        if divisible and margin == 0:
            for wanted in (k, whole - k):
                if left < wanted < left + here and k <= wanted <= whole - k:
                    cost = wanted * before[i] + (whole - wanted) * after[i]
                    if cost < best - TINY:
                        best, at, more = cost, i, wanted - left
        left += here
        if left > whole - k:
            break
        if left >= k and margin <= i + 1 <= len(order) - margin:
            cost = left * before[i] + (whole - left) * after[i + 1]
            if cost < best - TINY:
                best, at, more = cost, i + 1, 0
    return best, at, more


@jit
def best_cut(boxes: Boxes, pool: Pool, order: Codes, rule: Rule, seed: Counts, work: Codes) -> Cut:
    """The cheapest cut along any column; the order becomes that of this cut.

    Its place is -1 if there is none, which only happens if pieces cannot be cut or are all equal.
    `work` has three lines as long as the order at least.
    """
    codes, _, count = pool
    number = len(order)
    columns = np.arange(codes.shape[1]).astype(np.int32)
    shuffle(columns, seed)
    now, best_order, spare = work[0, :number], work[1, :number], work[2]
    now[:] = order
    sides = np.empty(number, np.float64), np.empty(number, np.float64)
    best, at, more = np.inf, -1, 0
    margin = number // 4 if number > _MANY else 0
    while True:
        for j in columns:
            if not sort_by(codes, now, int(j), spare):
                continue
            costs_from(boxes, codes, now, False, sides[0])
            costs_from(boxes, codes, now, True, sides[1])
            cost, place, part = cut_in_order(count, now, sides, rule, (best, margin))
            if place >= 0:
                best, at, more = cost, place, part
                best_order[:] = now
        if at >= 0 or margin == 0:
            break
        margin = 0
    if at >= 0:
        order[:] = best_order
    return best, at, more


@jit
def cut_up(
    boxes: Boxes, pool: Pool, order: Codes, rule: Rule, seed: Counts, found: tuple[Codes, Counts]
) -> tuple[int, float]:
    """Cut the pieces of an order until no part can be cut; how many parts, and what they cost.

    `found` takes the pieces of all parts, and where each begins. It and the pool have room for
    pieces that are cut in two; parts stay as they are when there is no room left.
    """
    codes, _, count = pool
    most = len(found[0])
    line = np.empty(most, np.int32)
    line[: len(order)] = order
    work = np.empty((3, most), np.int32)
    begins = np.empty(most + 1, np.int64)
    begins[0], waiting, end = 0, 1, len(order)
    used, made, out, total = len(order), 0, 0, 0.0
    found[1][0] = 0
    while waiting > 0:
        first = begins[waiting - 1]
        part = line[first:end]
        size = 0
        for piece in part:
            size += count[piece]
        at, more = -1, 0
        if size >= 2 * rule[0]:
            _, at, more = best_cut(boxes, pool, part, rule, seed, work)
        if at >= 0 and used + (more > 0) <= most:
            if more > 0:
                divide(pool, line, first + at, end, more, used)
                used += 1
                end += 1
                at += 1
            begins[waiting] = first + at
            waiting += 1
            continue
        total += size * span_cost(boxes, codes, part)
        for piece in part:
            found[0][out] = piece
            out += 1
        made += 1
        found[1][made] = out
        end = first
        waiting -= 1
    return made, total


@jit
def divide(pool: Pool, line: Codes, at: int, end: int, records: int, new: int) -> None:
    """Cut the piece at a place of the line in two, the second of which is a new one after it."""
    codes, point, count = pool
    piece = line[at]
    for i in range(end, at, -1):
        line[i] = line[i - 1]
    codes[new] = codes[piece]
    point[new] = point[piece]
    count[new] = count[piece] - records
    count[piece] = records
    line[at + 1] = new


@jit
def span_cost(boxes: Boxes, codes: Codes, part: Codes) -> float:
    """What the span of some pieces costs."""
    low, high = codes[part[0]].copy(), codes[part[0]].copy()
    for piece in part:
        for j in range(codes.shape[1]):
            low[j] = min(low[j], codes[piece, j])
            high[j] = max(high[j], codes[piece, j])
    return price(boxes, low, high)
