"""Greedy choices of columns by trying each, on lists (see `naive.quasi` for the tables)."""

import naive.quasi


def separated(columns, counts, chosen):
    """Pairs of records that the chosen columns tell apart."""
    return naive.quasi.ratios(columns, counts, chosen)["apart"]


def greedy(columns, counts, measure, target):
    """Columns until the target is reached, most pairs or most of the measure first; None if never.

    Columns are named in the order of their places. Afterwards those not needed are taken out.
    """

    def worth(chosen):
        apart = separated(columns, counts, chosen)
        if target == 1 or measure == "separation":
            return (apart,)
        return naive.quasi.ratio(columns, counts, chosen, measure), apart

    def reached(chosen):
        return naive.quasi.ratio(columns, counts, chosen, measure) >= target

    chosen = []
    while not chosen or not reached(chosen):
        left = [j for j in range(len(columns)) if j not in chosen]
        gaining = [
            j
            for j in left
            if separated(columns, counts, [*chosen, j]) > separated(columns, counts, chosen)
        ]
        if not gaining and not reached(chosen):
            return None
        chosen.append(max(left, key=lambda j: (worth([*chosen, j]), -j)))
    for j in list(chosen):
        others = [i for i in chosen if i != j]
        if others and reached(others):
            chosen = others
    return tuple(sorted(chosen))


def cover(differences, width, needed):
    """Columns that separate so many of the pairs, each given as a set of columns."""

    def apart(chosen):
        return sum(bool(set(chosen) & pair) for pair in differences)

    chosen = []
    while not chosen or apart(chosen) < needed:
        left = [j for j in range(width) if j not in chosen]
        chosen.append(max(left, key=lambda j: (apart([*chosen, j]), -j)))
    for j in list(chosen):
        others = [i for i in chosen if i != j]
        if others and apart(others) >= needed:
            chosen = others
    return tuple(sorted(chosen))


def mask(columns, counts, measure, allowed, weights):
    """Columns that may be published, the one that raises the ratio least per weight first."""

    def figures(chosen):
        ratio = naive.quasi.ratio(columns, counts, chosen, measure)
        return ratio, separated(columns, counts, chosen)

    chosen = []
    while True:
        start = figures(chosen)
        best = min(
            (
                (
                    (figures([*chosen, j])[0] - start[0]) / weights[j],
                    (figures([*chosen, j])[1] - start[1]) / weights[j],
                    j,
                )
                for j in range(len(columns))
                if j not in chosen and figures([*chosen, j])[0] <= allowed
            ),
            default=None,
        )
        if best is None:
            return tuple(sorted(chosen))
        chosen.append(best[2])


def hitting(sets, weights):
    """The least weight of columns that hit each of these sets of columns."""
    width = len(weights)
    return min(
        sum(weights[j] for j in range(width) if chosen >> j & 1)
        for chosen in range(2**width)
        if all(any(chosen >> j & 1 for j in one) for one in sets)
    )
