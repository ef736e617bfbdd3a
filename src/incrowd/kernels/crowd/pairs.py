"""Pairs of classes that could share their records anew, for models to judge."""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.cut import best_cut, divide, empty_pool, empty_workspace
from incrowd.kernels.crowd.moves import pooled
from incrowd.kernels.crowd.state import Parts, Space, loaded
from incrowd.kernels.crowd.sweep import widest

Offers: TypeAlias = tuple[Codes, Counts, Counts, Floats]
"""Pieces as points and counts; where the two classes of each pair begin and end; the saving."""


@jit
def offers(space: Space, parts: Parts, least: Counts, divisible: bool, seed: int) -> Offers:
    """What each two consecutive classes would be, each with `least[p]` records, and what it saves.

    `least` has one entry per pair. A pair that cannot be cut saves minus infinity.
    """
    state = loaded(space, parts, widest(parts), 0)
    number = len(least)
    most = len(parts[0]) + number
    points, counts = np.empty(most, np.int32), np.empty(most, np.int64)
    bounds, saving = np.zeros(2 * number + 1, np.int64), np.full(number, -np.inf)
    random = np.full(1, seed, np.int64)
    room, width = 2 * widest(parts) + 1, space[0].shape[1]
    pool, workspace = empty_pool(room, width), empty_workspace(room, width)
    members = np.empty(2, np.int32)
    out = 0
    for p in range(number):
        members[0], members[1] = 2 * p, 2 * p + 1
        size, _ = pooled(space, state, 1, members, pool)
        line = np.arange(size + 1).astype(np.int32)
        rule = (least[p], divisible)
        cost, at, more = best_cut(space[1], pool, line[:size], rule, random, workspace)
        if at >= 0:
            saving[p] = state[4][2 * p] + state[4][2 * p + 1] - cost
            if more > 0:
                divide(pool, line, at, size, more, size)
                size += 1
                at += 1
        for i in range(size):
            points[out + i] = pool[1][line[i]]
            counts[out + i] = pool[2][line[i]]
        bounds[2 * p + 1] = out + max(at, 0)
        out += size
        bounds[2 * p + 2] = out
    return points[:out], counts[:out], bounds, saving
