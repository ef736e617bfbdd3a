"""Loops over the cuts of a lattice that is too large to hold: limits of ranges of nodes.

A *range* is all nodes from `low` to `high`. A *cut* is a node together with what is known of it and
of all below. `cuts` is (nodes, parts, surcharge, hard): the sum over columns of the
`parts[c, j, level]` limits the loss there, `surcharge[c]` is to be added to other limits, and if
`hard[c]` none of these nodes can be released. `costs[j, level]` are parts of a limit that holds
everywhere.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Counts, Flags, Floats
from incrowd.kernels.compile import jit

Bits: TypeAlias = NDArray[np.uint64]
Cuts: TypeAlias = tuple[Counts, Floats, Floats, Flags]

_EPSILON = 1e-12


@jit
def limit_below(cuts: Cuts, c: int, node: Counts, base: float) -> float:
    """The limit that a cut gives at a node whose limit is `base` without it; -inf if none."""
    nodes, parts, surcharge, hard = cuts
    total = 0.0
    for j in range(len(node)):
        if node[j] > nodes[c, j]:
            return -np.inf
        total += parts[c, j, node[j]]
    return np.inf if hard[c] else max(total, base + surcharge[c])


@jit
def node_limit(node: Counts, cuts: Cuts, base: float) -> tuple[float, int]:
    """The limit of a node whose limit without cuts is `base`, and the cut that gives it or -1."""
    limit, by = base, -1
    for c in range(len(cuts[3])):
        here = limit_below(cuts, c, node, base)
        if here == np.inf:
            return here, c
        if here > limit + _EPSILON:
            limit, by = here, c
    return limit, by


@jit
def escape(
    cut: Counts, low: Counts, high: Counts, costs: Floats
) -> tuple[float, int, int, np.uint64]:
    """How nodes of a range get out from below a cut: in columns where it reaches higher.

    What the cheapest such column costs, how many there are, the last of them, and all as bits.
    """
    least, ways, last, mask = np.inf, 0, -1, np.uint64(0)
    for j in range(len(low)):
        if high[j] > cut[j]:
            ways += 1
            last = j
            mask |= np.uint64(1) << np.uint64(j % 64)
            least = min(least, costs[j, cut[j] + 1] - costs[j, low[j]])
    return least, ways, last, mask


@jit
def together(need: Floats, escapes: Bits) -> float:
    """What it costs to escape cuts that have no column of escape in common, costliest first."""
    used = np.uint64(0)
    total = 0.0
    while True:
        most, pick = 0.0, -1
        for c in range(len(need)):
            if need[c] > most and escapes[c] & used == 0:
                most, pick = need[c], c
        if pick < 0:
            return total
        total += most
        used |= escapes[pick]


@jit
def tightened(
    low: Counts,
    high: Counts,
    costs: Floats,
    floors: tuple[float, float],
    cuts: Cuts,
    best: float,
) -> tuple[float, int]:
    """Raise `low` as far as the cuts ask, then the range's limit and the cut that divides it best.

    A node of the range is below a cut, and pays for it, or escapes it. If nothing below can be
    better than `best` and there is one column of escape only, `low` rises there; if there is none,
    the limit is infinite. The cut is -1 if none says anything. `floors` are what the sum of costs
    starts from, minus infinity if there are none, and another limit that holds at `low`.
    """
    need = np.empty(len(cuts[3]), np.float64)
    escapes = np.empty(len(cuts[3]), np.uint64)
    limit, divider, bare, again = -np.inf, -1, -np.inf, True
    while again:
        again = False
        bare = floors[0]
        for j in range(len(low)):
            bare += costs[j, low[j]]
        base = max(bare, floors[1])
        limit, divider, few = base, -1, len(low) + 1
        for c in range(len(need)):
            need[c] = -1.0
            paid = limit_below(cuts, c, low, base)
            if paid <= base + _EPSILON:
                continue
            least, ways, last, escapes[c] = escape(cuts[0][c], low, high, costs)
            if paid == np.inf or paid > best + _EPSILON:
                if ways == 0:
                    return np.inf, c
                if ways == 1:
                    low[last] = cuts[0][c, last] + 1
                    again = True
                    break
                need[c] = least
            value = max(min(paid, bare + least), base)
            close = value >= limit - _EPSILON and ways < few
            if value > limit + _EPSILON or divider < 0 or close:
                limit, divider, few = max(limit, value), c, ways
    return max(limit, bare + together(need, escapes)), divider
