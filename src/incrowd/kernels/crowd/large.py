"""Classes that are large enough for two, cut before the first sweep."""

import numpy as np

from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.cut import Pool, Rule, cut_up, empty_pool, empty_workspace, room_for
from incrowd.kernels.crowd.state import Parts, Space


@jit
def cut_large(space: Space, parts: Parts, rule: Rule, seed: int) -> Parts:
    """The same pieces with every class cut until no part of it is large enough for two.

    Classes of one piece stay whole: to cut them saves nothing.
    """
    _, count, start = parts
    width, most, fresh = space[0].shape[1], 0, 0
    for c in range(len(start) - 1):
        size, room = start[c + 1] - start[c], room_of(parts, c, rule[0])
        most, fresh = max(most, room), fresh + room - size
    points, counts = np.empty(len(count) + fresh, np.int32), np.empty(len(count) + fresh, np.int64)
    begins = np.zeros(len(start) + len(count) + fresh, np.int64)
    random = np.full(1, seed, np.int64)
    pool, workspace = empty_pool(most, width), empty_workspace(most, width)
    made, out = 0, 0
    for c in range(len(start) - 1):
        size, room = pour(space, parts, c, pool), room_of(parts, c, rule[0])
        cuts = 1
        if room > size:
            cuts, _ = cut_up(space[1], pool, (size, room), rule, random, workspace)
        pieces, starts = workspace[0][6], workspace[0][7]
        for p in range(cuts):
            first, end = (starts[p], starts[p + 1]) if room > size else (0, size)
            for i in range(first, end):
                piece = pieces[i] if room > size else i
                points[out] = pool[1][piece]
                counts[out] = pool[2][piece]
                out += 1
            made += 1
            begins[made] = out
    return points[:out].copy(), counts[:out].copy(), begins[: made + 1].copy()


@jit
def room_of(parts: Parts, c: int, k: int) -> int:
    """How many pieces a class may be once it is cut; as many as it has if it cannot be."""
    _, count, start = parts
    size, records = start[c + 1] - start[c], 0
    for i in range(start[c], start[c + 1]):
        records += count[i]
    return room_for(size, records, k) if records >= 2 * k else int(size)


@jit
def pour(space: Space, parts: Parts, c: int, pool: Pool) -> int:
    """Put the pieces of a class into a pool; how many they are."""
    point, count, start = parts
    for i in range(start[c + 1] - start[c]):
        pool[0][i] = space[0][point[start[c] + i]]
        pool[1][i] = point[start[c] + i]
        pool[2][i] = count[start[c] + i]
    return int(start[c + 1] - start[c])
