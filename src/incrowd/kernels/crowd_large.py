"""Classes that are large enough for two, cut before the first sweep."""

import numpy as np

from incrowd.kernels.compile import jit
from incrowd.kernels.crowd_cut import Pool, Rule, cut_up, empty_pool, room_for
from incrowd.kernels.crowd_state import Parts, Space


@jit
def cut_large(space: Space, parts: Parts, rule: Rule, seed: int) -> Parts:
    """The same pieces with every class cut until no part of it is large enough for two.

    Classes of one piece stay whole: to cut them saves nothing.
    """
    _, count, start = parts
    most, number = 0, len(start) - 1
    for c in range(number):
        most += room_for(start[c + 1] - start[c], count[start[c] : start[c + 1]].sum(), rule[0])
    points, counts = np.empty(most, np.int32), np.empty(most, np.int64)
    begins = np.zeros(most + 1, np.int64)
    random = np.full(1, seed, np.int64)
    made, out = 0, 0
    for c in range(number):
        pool, size = pool_of(space, parts, c, rule[0])
        found = np.empty(len(pool[1]), np.int32), np.empty(len(pool[1]) + 1, np.int64)
        order = np.arange(size).astype(np.int32)
        cuts, _ = cut_up(space[1], pool, order, rule, random, found)
        for p in range(cuts):
            for piece in found[0][found[1][p] : found[1][p + 1]]:
                points[out] = pool[1][piece]
                counts[out] = pool[2][piece]
                out += 1
            made += 1
            begins[made] = out
    return points[:out].copy(), counts[:out].copy(), begins[: made + 1].copy()


@jit
def pool_of(space: Space, parts: Parts, c: int, k: int) -> tuple[Pool, int]:
    """The pieces of a class as a pool, and how many they are."""
    point, count, start = parts
    first, number = start[c], start[c + 1] - start[c]
    most = room_for(number, count[first : first + number].sum(), k)
    pool = empty_pool(most, space[0].shape[1])
    for i in range(number):
        pool[0][i] = space[0][point[first + i]]
        pool[1][i] = point[first + i]
        pool[2][i] = count[first + i]
    return pool, number
