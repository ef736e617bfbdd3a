"""Cutting a pool of pieces into classes along one column after the other.

An `order` lists places of a pool, each at most once. Pieces with the same code of a column stand in
the order of the columns looked at before, so that a cut among equal codes follows these. No cut
leaves fewer than k records on a side. `seed` holds one number, the state of a random sequence.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import BoxCosts, cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.state import TINY, price_span, scale_cost, table_cost


class Pool(NamedTuple):
    """Pieces to be cut into classes, with room for those that are cut in two."""

    codes: Codes
    """(room, d): the codes of each piece."""
    point: Codes
    """(room,): its point."""
    records: Counts
    """(room,): its records."""


class Rule(NamedTuple):
    """The least records of a class, and whether the records of a point may be in several."""

    k: int
    divisible: bool


class OrderCut(NamedTuple):
    """A cut of an order in two."""

    cost: float
    """What both sides cost."""
    at: int
    """The pieces before the cut, -1 if there is none."""
    more: int
    """The records of the next piece that come before the cut, too."""


class Where(NamedTuple):
    """The first and last piece at which to cut, all records, pieces to leave on either side."""

    first: int
    last: int
    whole: int
    margin: int


class Workspace(NamedTuple):
    """Room to work in; (most + 1,) if nothing else is said."""

    order: Codes
    """The order that is looked at."""
    best_order: Codes
    """The one of the cheapest cut so far."""
    spare: Codes
    keys: Codes
    """What orders are sorted with."""
    line: Codes
    """All pieces, those of parts that wait to be cut side by side."""
    begins: Codes
    """Where each part begins that waits to be cut."""
    pieces: Codes
    """What `cut_up` returns: the pieces of all parts."""
    starts: Codes
    """Where each of these parts begins."""
    before: Floats
    """(most,): what the span of all pieces up to each one costs."""
    after: Floats
    """(most,): what that of all pieces from it on costs."""
    box: Codes
    """(2, d): a span."""
    paid: Floats
    """(d,): what each column of it costs."""


_FEW = 40
_DIGIT = 8
_MANY = 1024
"""Pieces above which a cut leaves at least a quarter of them on both sides if it can: where all
cuts cost nearly the same, cutting off a few at a time would take forever."""
_NONE = np.int32(2**31 - 1)
ALL = 2**31
"""As many columns as there are."""


@jit
def empty_workspace(most: int, width: int) -> Workspace:
    """Return a workspace, not filled in, for `most` pieces with `width` columns."""
    return Workspace(
        np.empty(most + 1, np.int32),
        np.empty(most + 1, np.int32),
        np.empty(most + 1, np.int32),
        np.empty(most + 1, np.int32),
        np.empty(most + 1, np.int32),
        np.empty(most + 1, np.int32),
        np.empty(most + 1, np.int32),
        np.empty(most + 1, np.int32),
        np.empty(most, np.float64),
        np.empty(most, np.float64),
        np.empty((2, width), np.int32),
        np.empty(width, np.float64),
    )


@jit
def empty_pool(most: int, width: int) -> Pool:
    """Return a pool, not filled in, with room for `most` pieces with `width` columns."""
    return Pool(
        np.empty((most, width), np.int32), np.empty(most, np.int32), np.empty(most, np.int64)
    )


@jit
def room_for(pieces: int, records: int, k: int) -> int:
    """Return how many pieces there may be once all are cut; with less room, parts stay whole."""
    return int(pieces + min(records // k, 2 * pieces) + 2)


@jit
def next_random(seed: Counts) -> int:
    """Move `seed` on, in place, and return the next number of its random sequence, below 2^31."""
    seed[0] = (seed[0] * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
    return int(seed[0] >> 32)  # the low bits of such a sequence repeat soon


@jit
def shuffle(columns: Codes, seed: Counts) -> None:
    """Put the columns in a random order, in place; `seed` is moved on."""
    for i in range(len(columns) - 1, 0, -1):
        other = next_random(seed) % (i + 1)
        columns[i], columns[other] = columns[other], columns[i]


@jit
def sort_by_column(codes: Codes, order: Codes, j: int, spare: Codes, keys: Codes) -> bool:
    """Sort `order` by the codes of column j, in place and stably; False if all codes are equal."""
    low, high = _NONE, np.int32(-1)
    for i in range(len(order)):
        keys[i] = codes[order[i], j]
        low, high = min(low, keys[i]), max(high, keys[i])
    if low == high:
        return False
    if len(order) <= _FEW:
        for i in range(1, len(order)):
            piece, key, at = order[i], keys[i], i
            while at > 0 and keys[at - 1] > key:
                order[at], keys[at] = order[at - 1], keys[at - 1]
                at -= 1
            order[at], keys[at] = piece, key
        return True
    span = int(high) - int(low) + 1
    if span <= 4 * len(order):
        sort_by_digit(codes, order, j, (int(low), 0, span), spare)
        return True
    shift = 0
    while span >> shift > 0:
        sort_by_digit(codes, order, j, (int(low), shift, 1 << _DIGIT), spare)
        shift += _DIGIT
    return True


@jit
def sort_by_digit(
    codes: Codes, order: Codes, j: int, digit: tuple[int, int, int], spare: Codes
) -> None:
    """Sort `order` stably by column j's `digit`: (lowest code, bits left out, number of values)."""
    low, shift, size = digit
    mask = size - 1 if size == 1 << _DIGIT else -1  # few codes are one digit, with all bits
    head = np.zeros(size + 1, np.int32)
    for piece in order:
        head[((codes[piece, j] - low) >> shift & mask) + 1] += 1
    for i in range(1, len(head)):
        head[i] += head[i - 1]
    for piece in order:
        place = (codes[piece, j] - low) >> shift & mask
        spare[head[place]] = piece
        head[place] += 1
    for i in range(len(order)):
        order[i] = spare[i]


@jit
def cut_limits(count: Counts, order: Codes, k: int, margin: int) -> tuple[int, int, int]:
    """Return the first and last piece at which a cut leaves k records a side, and all records.

    They are places in `order`, which must have k records; a cut goes through the piece there, or
    behind it. Besides, `margin` pieces stay on both sides. The first is after the last if there is
    no such cut.
    """
    whole = 0
    for piece in order:
        whole += count[piece]
    first, left = 0, count[order[0]]
    while left < k:
        first += 1
        left += count[order[first]]
    last = first
    while left <= whole - k:
        last += 1
        left += count[order[last]]
    return max(first, margin - 1), min(last, len(order) - max(margin, 1)), whole


@jit
def fill_span_costs(
    boxes: BoxCosts,
    codes: Codes,
    order: Codes,
    ends: tuple[int, int],
    step: int,
    workspace: Workspace,
) -> None:
    """Fill `workspace.before` or `workspace.after` with what spans up to each place cost.

    If `step` is 1, it is `before`: the span from the first piece to the one there; if -1, `after`:
    from the last one to it. `ends` are the first and the last place to fill. A column is priced
    anew only if a piece widens it.
    """
    costs, start, size, _, limits = boxes
    box, paid = workspace.box, workspace.paid
    side = workspace.before if step > 0 else workspace.after
    width = codes.shape[1]
    near, far = ends if step > 0 else (ends[1], ends[0])
    at = 0 if step > 0 else len(order) - 1
    for j in range(width):
        box[0, j] = box[1, j] = codes[order[at], j]
    while at != near:
        at += step
        for j in range(width):
            code = codes[order[at], j]
            box[0, j], box[1, j] = min(box[0, j], code), max(box[1, j], code)
    total = 0.0
    fresh = True
    while True:
        for j in range(width):
            code = codes[order[at], j]
            if not fresh and code >= box[0, j] and code <= box[1, j]:
                continue
            box[0, j], box[1, j] = min(box[0, j], code), max(box[1, j], code)
            if size[j] > 0:
                cost = table_cost(costs, start, size, j, box[0, j], box[1, j])
            elif size[j] == 0:
                cost = scale_cost(costs, start, limits, j, box[0, j], box[1, j])
            else:
                cost = cell_cost(boxes, j, box[0, j], box[1, j])
            total += cost if fresh else cost - paid[j]
            paid[j] = cost
        side[at] = total
        if at == far:
            return
        fresh = False
        at += step


@jit
def cheapest_cut_of_order(
    count: Counts, order: Codes, workspace: Workspace, rule: Rule, best: float, where: Where
) -> OrderCut:
    """Return the cheapest cut of an order that leaves k records on both sides, if below `best`.

    If none is, its place is -1 and its cost `best`. The workspace holds what the spans cost
    (`fill_span_costs`). A piece is cut through only to leave just k records on a side, as the cost
    is linear in the records before the cut, and only if points are divisible and no margin is kept.
    """
    before, after = workspace.before, workspace.after
    k, divisible = rule
    first, last, whole, margin = where
    at, more, left = -1, 0, 0
    for i in range(first):
        left += count[order[i]]
    for i in range(first, last + 1):
        here = count[order[i]]
        if divisible and margin == 0:
            for wanted in (k, whole - k):
                if left < wanted < left + here and k <= wanted <= whole - k:
                    cost = wanted * before[i] + (whole - wanted) * after[i]
                    if cost < best - TINY:
                        best, at, more = cost, i, wanted - left
        left += here
        if left > whole - k or i == last:
            break
        if left >= k:
            cost = left * before[i] + (whole - left) * after[i + 1]
            if cost < best - TINY:
                best, at, more = cost, i + 1, 0
    return OrderCut(best, at, more)


@jit
def cheapest_cut(
    boxes: BoxCosts,
    pool: Pool,
    order: Codes,
    rule: Rule,
    seed: Counts,
    workspace: Workspace,
    enough: int,
) -> OrderCut:
    """Return the cheapest cut along `enough` random columns; sort `order` for it, in place.

    Columns of equal codes, and those before the first with a cut, do not count. There must be 2k
    records. The place is -1 if there is no cut: pieces then cannot be cut or are all equal.
    """
    codes, count = pool.codes, pool.records
    number = len(order)
    now, best_order = workspace.order[:number], workspace.best_order[:number]
    spare, keys = workspace.spare, workspace.keys
    columns = np.arange(codes.shape[1]).astype(np.int32)
    shuffle(columns, seed)
    now[:] = order
    best, at, more = np.inf, -1, 0
    margin = number // 4 if number > _MANY else 0
    while True:
        left = enough
        for j in columns:
            if left == 0:
                break
            if not sort_by_column(codes, now, int(j), spare, keys):
                continue
            first, last, whole = cut_limits(count, now, rule.k, margin)
            if first > last:
                continue
            where = Where(first, last, whole, margin)
            fill_span_costs(boxes, codes, now, (first, last), 1, workspace)
            fill_span_costs(boxes, codes, now, (first, last), -1, workspace)
            cost, place, part = cheapest_cut_of_order(count, now, workspace, rule, best, where)
            left -= place >= 0 or at >= 0
            if place >= 0:
                best, at, more = cost, place, part
                best_order[:] = now
        if at >= 0 or margin == 0:
            break
        margin = 0
    if at >= 0:
        order[:] = best_order
    return OrderCut(best, at, more)


@jit
def cut_up(
    boxes: BoxCosts,
    pool: Pool,
    size: tuple[int, int],
    rule: Rule,
    seed: Counts,
    workspace: Workspace,
    enough: int,
) -> tuple[int, float]:
    """Cut the pieces of a pool until no part can be cut; return how many parts, and their cost.

    Each cut is the cheapest of `enough` columns. `size` is how many pieces there are, and how many
    there may be once some are cut in two; parts stay as they are when there is no room left. Part p
    is `workspace.pieces` from `workspace.starts[p]` to `starts[p + 1]`.
    """
    codes, count = pool.codes, pool.records
    used, most = size
    line, begins = workspace.line, workspace.begins
    pieces, starts = workspace.pieces, workspace.starts
    for i in range(used):
        line[i] = i
    begins[0], starts[0], waiting, end = 0, 0, 1, used
    made, out, total = 0, 0, 0.0
    while waiting > 0:
        first = begins[waiting - 1]
        part = line[first:end]
        records = 0
        for piece in part:
            records += count[piece]
        at, more = -1, 0
        if records >= 2 * rule.k:
            _, at, more = cheapest_cut(boxes, pool, part, rule, seed, workspace, enough)
        if at >= 0 and used + (more > 0) <= most:
            if more > 0:
                divide_piece(pool, line, first + at, end, more, used)
                used += 1
                end += 1
                at += 1
            begins[waiting] = first + at
            waiting += 1
            continue
        total += records * measure_span(boxes, codes, part, workspace.box)
        for piece in part:
            pieces[out] = piece
            out += 1
        made += 1
        starts[made] = out
        end = first
        waiting -= 1
    return made, total


@jit
def divide_piece(pool: Pool, line: Codes, at: int, end: int, records: int, new: int) -> None:
    """Cut the piece at place `at` of `line` in two: `records` stay, piece `new` gets the rest.

    It comes next in `line`; the pieces after `at`, up to the place before `end`, move on by one.
    """
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
def measure_span(boxes: BoxCosts, codes: Codes, part: Codes, box: Codes) -> float:
    """Write the span of the pieces in `part` to `box`; return what a record pays for it."""
    box[0] = codes[part[0]]
    box[1] = box[0]
    for piece in part:
        for j in range(codes.shape[1]):
            box[0, j] = min(box[0, j], codes[piece, j])
            box[1, j] = max(box[1, j], codes[piece, j])
    return price_span(boxes, box[0], box[1])
