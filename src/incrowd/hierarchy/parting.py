"""Parting a line of people at marks: the parts with the least sum of people times extent."""

import numpy as np

from incrowd.arrays import Counts, Floats

_ALONE = 1e9
"""What a part with fewer than k people costs in extents of the whole line, per person."""


def best_parts(people: Counts, low: Floats, high: Floats, k: int) -> list[int]:
    """The marks at which the best parts of a line begin, each with at least k people.

    `people` are those before each mark; a part from mark i to mark j extends from `low[i]` to
    `high[j]`, shares of the whole line. One part if there are fewer than k people. To join two
    parts of k people each never pays, as extents only grow: so few beginnings are worth a look for
    each end.
    """
    last = len(people) - 1
    nearest = np.searchsorted(people, people - k, side="right") - 1
    farthest = np.searchsorted(people, people[nearest] - k, side="right") - 1
    cost = np.full(len(people), np.inf)
    cost[0] = 0.0
    source = np.zeros(len(people), dtype=np.int64)
    for j in range(1, len(people)):
        if nearest[j] < 0:
            continue
        some = slice(max(int(farthest[j]), 0), int(nearest[j]) + 1)
        paid = cost[some] + (people[j] - people[some]) * (high[j] - low[some])
        least = int(np.argmin(paid))
        cost[j], source[j] = paid[least], some.start + least
    return _traced(source, last) if np.isfinite(cost[last]) else [0]


def limited_parts(people: Counts, low: Floats, high: Floats, k: int, widest: float) -> list[int]:
    """As `best_parts`, no part wider than `widest` where marks allow it.

    A part with fewer than k people is the last resort.
    """
    cost = np.full(len(people), np.inf)
    cost[0] = 0.0
    source = np.zeros(len(people), dtype=np.int64)
    for j in range(1, len(people)):
        first = min(int(np.searchsorted(low[:j], high[j] - widest * (1 + 1e-12))), j - 1)
        some = slice(first, j)
        held = people[j] - people[some]
        paid = cost[some] + held * (high[j] - low[some] + _ALONE * (held < k))
        least = int(np.argmin(paid))
        cost[j], source[j] = paid[least], first + least
    return _traced(source, len(people) - 1)


def _traced(source: Counts, end: int) -> list[int]:
    begins = []
    while end > 0:
        end = int(source[end])
        begins.append(end)
    return begins[::-1]
