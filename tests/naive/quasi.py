"""Quasi-identifiers by dictionaries and by trying every set of columns.

A table is a list of columns, each a list of codes; `counts` says how many records a row stands
for. Column sets are tuples of places, ascending.
"""

from collections import Counter
from itertools import combinations


def sizes(columns, counts, chosen):
    """Records per distinct value of the chosen columns."""
    found = Counter()
    for i, count in enumerate(counts):
        found[tuple(columns[j][i] for j in chosen)] += count
    return found


def ratios(columns, counts, chosen):
    """The figures of `incrowd.identify.records.Ratios`, pairs counted one by one."""
    classes = sizes(columns, counts, chosen).values()
    records = sum(counts)
    together = sum(1 for size in classes for a in range(size) for _ in range(a))
    return {
        "records": records,
        "classes": len(classes),
        "apart": sum(range(records)) - together,
        "unique": sum(1 for size in classes if size == 1),
        "smallest": min(classes, default=0),
    }


def ratio(columns, counts, chosen, measure):
    """The distinct, separation or unique ratio; 0 without records, 1 for pairs of one record."""
    figures = ratios(columns, counts, chosen)
    records = figures["records"]
    if not records:
        return 0.0
    if measure == "separation":
        pairs = sum(range(records))
        return figures["apart"] / pairs if pairs else 1.0
    return figures["classes" if measure == "distinct" else "unique"] / records


def subsets(width, max_size=None):
    """All sets of at least one column, small ones first."""
    top = width if max_size is None else min(width, max_size)
    return [chosen for size in range(1, top + 1) for chosen in combinations(range(width), size)]


def reaching(columns, counts, measure, wanted, max_size=None):
    """All sets whose ratio is at least `wanted`."""
    return [
        chosen
        for chosen in subsets(len(columns), max_size)
        if ratio(columns, counts, chosen, measure) >= wanted
    ]


def minimal(columns, counts, measure, wanted, max_size=None):
    """The sets whose ratio is at least `wanted`, and that of no proper part; level by level."""
    found = []
    for chosen in reaching(columns, counts, measure, wanted, max_size):
        if not any(set(smaller) < set(chosen) for smaller in found):
            found.append(chosen)
    return found


def minimum(columns, counts, measure, wanted):
    """The fewest columns whose ratio is at least `wanted`; None if all together do not reach it."""
    return min((len(chosen) for chosen in reaching(columns, counts, measure, wanted)), default=None)


def cheapest(columns, counts, measure, wanted, costs):
    """The least that columns cost whose ratio is at least `wanted`; None if there are none."""
    sets = reaching(columns, counts, measure, wanted)
    return min((sum(costs[j] for j in chosen) for chosen in sets), default=None)


def maskings(columns, counts, measure, allowed, *, weights=None, keep=(), drop=()):
    """The largest weight of columns with a ratio of at most `allowed`, and all sets that have it.

    Publishing nothing is always allowed; None if the columns to keep are too many already.
    """
    weights = weights or [1] * len(columns)
    fit = [
        chosen
        for chosen in [(), *subsets(len(columns))]
        if set(keep) <= set(chosen) and not set(drop) & set(chosen)
        if not chosen or ratio(columns, counts, chosen, measure) <= allowed
    ]
    if not fit:
        return None
    best = max(sum(weights[j] for j in chosen) for chosen in fit)
    return best, [chosen for chosen in fit if sum(weights[j] for j in chosen) == best]
