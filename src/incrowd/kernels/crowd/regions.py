"""Regions: classes that lie near each other, to be worked on apart from the others.

Classes stand for one of their points each, `codes[c]`. The column in which the points differ most,
by what it costs to show them together, is cut in the middle, and each half again.

Shapes: codes (classes, d); favour (d,), factors of how much columns differ; `order` and its parts
hold numbers of classes, each once.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import BoxCosts, cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.cut import (
    ALL,
    Pool,
    Rule,
    cheapest_cut,
    cut_up,
    divide_piece,
    empty_pool,
    empty_workspace,
    room_for,
)
from incrowd.kernels.crowd.moves import pool_classes
from incrowd.kernels.crowd.state import ClassPieces, Space, load_classes
from incrowd.kernels.crowd.sweep import most_pieces


class PairCuts(NamedTuple):
    """Pairs of classes cut anew: pair p is classes 2p and 2p + 1 of the parts."""

    parts: ClassPieces
    saving: Floats
    """(pairs,): what each pair would save, minus infinity if it cannot be cut."""


@jit
def cut_pairs_anew(
    space: Space, parts: ClassPieces, least: Counts, divisible: bool, seed: int
) -> PairCuts:
    """Return each two consecutive classes cut anew into two, and what that saves.

    `least` has one entry per pair: the least records of either class. A pair that cannot be cut
    saves minus infinity, and all its pieces are in its second class then.
    """
    state = load_classes(space, parts, most_pieces(parts), 0)
    number = len(least)
    most = len(parts.point) + number
    points, counts = np.empty(most, np.int32), np.empty(most, np.int64)
    bounds, saving = np.zeros(2 * number + 1, np.int64), np.full(number, -np.inf)
    random = np.full(1, seed, np.int64)
    room, width = 2 * most_pieces(parts) + 1, space.points.shape[1]
    pool, workspace = empty_pool(room, width), empty_workspace(room, width)
    members = np.empty(2, np.int32)
    out = 0
    for p in range(number):
        members[0], members[1] = 2 * p, 2 * p + 1
        size, _ = pool_classes(space, state, 1, members, pool)
        line = np.arange(size + 1).astype(np.int32)
        rule = Rule(least[p], divisible)
        cost, at, more = cheapest_cut(space.boxes, pool, line[:size], rule, random, workspace, ALL)
        if at >= 0:
            saving[p] = state.cost[2 * p] + state.cost[2 * p + 1] - cost
            if more > 0:
                divide_piece(pool, line, at, size, more, size)
                size += 1
                at += 1
        for i in range(size):
            points[out + i] = pool.point[line[i]]
            counts[out + i] = pool.records[line[i]]
        bounds[2 * p + 1] = out + max(at, 0)
        out += size
        bounds[2 * p + 2] = out
    return PairCuts(ClassPieces(points[:out], counts[:out], bounds), saving)


@jit
def cut_large(space: Space, parts: ClassPieces, rule: Rule, seed: int) -> ClassPieces:
    """Return the same pieces with every class cut until no part of 2k records can be cut.

    Parts of one piece, or whose points are all equal, stay whole: to cut them saves nothing. So do
    parts that cannot be divided so that k records are on both sides.
    """
    _, count, start = parts
    width, most, fresh = space.points.shape[1], 0, 0
    for c in range(len(start) - 1):
        size, room = start[c + 1] - start[c], room_for_cuts(parts, c, rule.k)
        most, fresh = max(most, room), fresh + room - size
    points, counts = np.empty(len(count) + fresh, np.int32), np.empty(len(count) + fresh, np.int64)
    begins = np.zeros(len(start) + len(count) + fresh, np.int64)
    random = np.full(1, seed, np.int64)
    pool, workspace = empty_pool(most, width), empty_workspace(most, width)
    made, out = 0, 0
    for c in range(len(start) - 1):
        size, room = copy_to_pool(space, parts, c, pool), room_for_cuts(parts, c, rule.k)
        cuts = 1
        if room > size:
            cuts, _ = cut_up(space.boxes, pool, (size, room), rule, random, workspace, ALL)
        pieces, starts = workspace.pieces, workspace.starts
        for p in range(cuts):
            first, end = (starts[p], starts[p + 1]) if room > size else (0, size)
            for i in range(first, end):
                piece = pieces[i] if room > size else i
                points[out] = pool.point[piece]
                counts[out] = pool.records[piece]
                out += 1
            made += 1
            begins[made] = out
    return ClassPieces(points[:out].copy(), counts[:out].copy(), begins[: made + 1].copy())


@jit
def room_for_cuts(parts: ClassPieces, c: int, k: int) -> int:
    """Return how many pieces class c may have once it is cut; as many as now if it has under 2k."""
    _, count, start = parts
    size, records = start[c + 1] - start[c], 0
    for i in range(start[c], start[c + 1]):
        records += count[i]
    return room_for(size, records, k) if records >= 2 * k else int(size)


@jit
def copy_to_pool(space: Space, parts: ClassPieces, c: int, pool: Pool) -> int:
    """Copy the pieces of class c into a pool; return how many they are."""
    point, count, start = parts
    for i in range(start[c + 1] - start[c]):
        pool.codes[i] = space.points[point[start[c] + i]]
        pool.point[i] = point[start[c] + i]
        pool.records[i] = count[start[c] + i]
    return int(start[c + 1] - start[c])


_LOOKED_AT = 64
"""At least so many points of a part, if it has them, and under twice as many are looked at."""


@jit
def column_spread(boxes: BoxCosts, codes: Codes, part: Codes, j: int) -> float:
    """Return the mean cost of column j, 1 at most, of some points of a part with the middle one."""
    step = max(1, len(part) // _LOOKED_AT)
    middle = codes[part[len(part) // 2], j]
    total, number = 0.0, 0
    for i in range(0, len(part), step):
        code = codes[part[i], j]
        total += min(cell_cost(boxes, j, min(code, middle), max(code, middle)), 1.0)
        number += 1
    return total / number


@jit
def halve_by_column(codes: Codes, part: Codes, j: int) -> int:
    """Sort `part` by column j; return the place nearest its middle where codes change, or 0."""
    keys = np.empty(len(part), np.int32)
    for i in range(len(part)):
        keys[i] = codes[part[i], j]
    order = np.argsort(keys, kind="mergesort")
    part[:] = part[order]
    middle = len(part) // 2
    for away in range(middle + 1):
        for at in (middle - away, middle + away):
            if 0 < at < len(part) and keys[order[at - 1]] != keys[order[at]]:
                return at
    return 0


@jit
def cut_into_regions(
    boxes: BoxCosts, codes: Codes, favour: Floats, most: int, order: Codes
) -> Counts:
    """Cut an order of classes, in place, until no part has over `most`; return where parts end."""
    ends = np.empty(len(order) + 1, np.int64)
    begins = np.empty(len(order) + 1, np.int64)
    begins[0], waiting, end, made = 0, 1, len(order), 0
    while waiting > 0:
        part = order[begins[waiting - 1] : end]
        if len(part) <= most:
            ends[made] = end
            made += 1
            waiting -= 1
            end = begins[waiting]
            continue
        at = cut_widest(boxes, codes, favour, part)
        begins[waiting] = begins[waiting - 1] + at
        waiting += 1
    return ends[:made][::-1].copy()


@jit
def cut_widest(boxes: BoxCosts, codes: Codes, favour: Floats, part: Codes) -> int:
    """Sort `part` by the column that differs most; return where its second half begins.

    If all codes of that column are equal, another is taken; if all points are equal, the middle.
    """
    width = codes.shape[1]
    best, widest_column = -1.0, -1
    for j in range(width):
        differs = favour[j] * column_spread(boxes, codes, part, j)
        if differs > best:
            best, widest_column = differs, j
    at = halve_by_column(codes, part, widest_column)
    j = 0
    while at == 0 and j < width:
        at = halve_by_column(codes, part, j)
        j += 1
    return at if at > 0 else len(part) // 2


@jit
def sum_distances(boxes: BoxCosts, points: Codes, pairs: Codes) -> Floats:
    """Return, by column, the sum over pairs of points, (2, pairs), of their cost, 1 at most."""
    total = np.zeros(points.shape[1])
    for j in range(points.shape[1]):
        for i in range(pairs.shape[1]):
            one, two = points[pairs[0, i], j], points[pairs[1, i], j]
            total[j] += min(cell_cost(boxes, j, min(one, two), max(one, two)), 1.0)
    return total
