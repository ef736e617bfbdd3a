"""l-diversity the obvious way: Figure 13 of Ghinita over plain lists, and every partition."""

from collections import Counter
from fractions import Fraction

import naive.orders


def spread(values, l, cost):
    """The groups of Ghinita's direct heuristic, over records in their order.

    `cost(records)` is the cost of a group. Figure 13, then the optimization of Figure 14.
    """
    left = list(range(len(values)))
    groups = []
    while left:
        group = _greedy(left, values, l) or _fall_back(left, values, l)
        rest = [i for i in left if i not in group]
        ahead = _frontier(rest, values)[:l]
        if len(ahead) == l and values[ahead[0]] not in [values[i] for i in group]:
            wider = [*group, ahead[0]]
            fewer = [i for i in rest if i != ahead[0]]
            if cost(wider) < cost(ahead) and eligible(fewer, values, l):
                group, rest = wider, fewer
        groups.append(sorted(group))
        left = rest
    return groups


def eligible(records, values, l):
    """Whether no value has more than 1/l of the records."""
    counts = Counter(values[i] for i in records)
    return not counts or max(counts.values()) * l <= len(records)


def _frontier(left, values):
    """The first record of each value, in their order."""
    first = {}
    for i in left:
        first.setdefault(values[i], i)
    return sorted(first.values())


def _greedy(left, values, l):
    frontier = _frontier(left, values)
    for size in range(l, len(frontier) + 1):
        if eligible([i for i in left if i not in frontier[:size]], values, l):
            return frontier[:size]
    return None


def _fall_back(left, values, l):
    counts = Counter(values[i] for i in left)
    frontier = sorted(_frontier(left, values), key=lambda i: (-counts[values[i]], i))
    for size in range(l, len(frontier) + 1):
        if eligible([i for i in left if i not in frontier[:size]], values, l):
            return frontier[:size]
    raise AssertionError("an eligible table is always divided")


def privacy(group, values):
    """Records over those of the commonest value (Equation 6)."""
    return Fraction(len(group), max(Counter(values[i] for i in group).values()))


def least_extent(codes, values, l, k, cost):
    """The least largest cost over all partitions into l-diverse groups of k; None if none."""
    found = [
        max(cost([codes[i] for i in group]) for group in groups)
        for groups in naive.orders.partitions(list(range(len(codes))))
        if all(len(group) >= k and privacy(group, values) >= l for group in groups)
    ]
    return min(found, default=None)


def most_private(codes, values, most, k, cost):
    """The largest privacy over all partitions into groups that cost at most `most`, or None."""
    found = [
        min(privacy(group, values) for group in groups)
        for groups in naive.orders.partitions(list(range(len(codes))))
        if all(len(group) >= k and cost([codes[i] for i in group]) <= most for group in groups)
    ]
    return max(found, default=None)
