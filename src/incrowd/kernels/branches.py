"""Loops over the cuts of a lattice that is too large to hold: limits of ranges of nodes.

A *range* is all nodes from `low` to `high`. A *cut* is a node together with what is known of it and
all below: `parts[c, j, level]`, whose sum over columns limits their loss, a `surcharge[c]` on their
floor, or, if `hard[c]`, that none can be released. `costs[j, level]` are parts of a limit that holds
everywhere, `origin` is 0 if there are such parts and minus infinity otherwise, and `floor` is
another limit at `low`.
"""

import numpy as np

from incrowd.arrays import Counts, Flags, Floats
from incrowd.kernels.compile import jit

Levels = Counts
_EPSILON = 1e-12


@jit
def node_limit(
    node: Levels,
    cuts: Levels,
    parts: Floats,
    surcharge: Floats,
    hard: Flags,
    number: int,
    base: float,
) -> tuple[float, int]:
    """The limit of a node whose limit without cuts is `base`, and the cut that gives it or -1."""
    limit, by = base, -1
    for c in range(number):
        total = 0.0
        inside = True
        for j in range(len(node)):
            if node[j] > cuts[c, j]:
                inside = False
                break
            total += parts[c, j, node[j]]
        if not inside:
            continue
        if hard[c]:
            return np.inf, c
        total = max(total, base + surcharge[c])
        if total > limit + _EPSILON:
            limit, by = total, c
    return limit, by


@jit
def tightened(
    low: Levels,
    high: Levels,
    costs: Floats,
    origin: float,
    floor: float,
    cuts: Levels,
    parts: Floats,
    surcharge: Floats,
    hard: Flags,
    number: int,
    best: float,
) -> tuple[float, int]:
    """Raise `low` as far as the cuts ask, then the range's limit and the cut that divides it best.

    A node of the range is below a cut, and pays for it, or escapes it in a column where the range
    reaches higher. If nothing below can be better than `best` and there is one such column only,
    `low` rises there; if there is none, the limit is infinite. Cuts whose columns of escape are
    disjoint must each be escaped: what the cheapest escapes cost adds up. The cut is -1 if none
    raises the limit.
    """
    columns = len(low)
    need = np.empty(number, np.float64)
    escapes = np.empty(number, np.uint64)
    again = True
    limit, divider, base = -np.inf, -1, -np.inf
    while again:
        again = False
        base = floor
        total = origin
        for j in range(columns):
            total += costs[j, low[j]]
        base = max(base, total)
        limit, divider, few = base, -1, 99
        for c in range(number):
            need[c] = -1.0
            paid = 0.0
            inside = True
            for j in range(columns):
                if low[j] > cuts[c, j]:
                    inside = False
                    break
                paid += parts[c, j, low[j]]
            if not inside:
                continue
            paid = np.inf if hard[c] else max(paid, base + surcharge[c])
            if paid <= base + _EPSILON:
                continue
            least, ways, last, mask = np.inf, 0, -1, np.uint64(0)
            for j in range(columns):
                if high[j] > cuts[c, j]:
                    ways += 1
                    last = j
                    mask |= np.uint64(1) << np.uint64(j)
                    least = min(least, costs[j, cuts[c, j] + 1] - costs[j, low[j]])
            if hard[c] or paid > best + _EPSILON:
                if ways == 0:
                    return np.inf, c
                if ways == 1:
                    low[last] = cuts[c, last] + 1
                    again = True
                    break
                need[c], escapes[c] = least, mask
            value = min(paid, total + least) if ways else paid
            value = max(value, base)
            if value > limit + _EPSILON or (
                value >= limit - _EPSILON and (divider < 0 or ways < few)
            ):
                limit, divider, few = max(limit, value), c, ways
    used = np.uint64(0)
    together = 0.0
    while True:
        most, pick = 0.0, -1
        for c in range(number):
            if need[c] > most and escapes[c] & used == 0:
                most, pick = need[c], c
        if pick < 0:
            break
        together += most
        used |= escapes[pick]
    packed = origin
    for j in range(columns):
        packed += costs[j, low[j]]
    return max(limit, packed + together), divider
