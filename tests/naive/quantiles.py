"""Quantiles the obvious way: lists, loops and definitions."""

from collections import Counter


def begins(values, number, least):
    """Where the buckets of sorted values begin, by trying every place between two values.

    Each bucket ends as near as it can to an equal share of what is left (the lower place of two as
    near), holds `least` values and leaves as many.
    """
    starts = [0]
    total = len(values)
    while len(starts) < number:
        start = starts[-1]
        rest = total - start
        left = min(number - len(starts) + 1, rest // least)
        if left < 2:
            break
        aim = start + (rest + left // 2) // left
        places = [i for i in range(start + 1, total) if values[i - 1] != values[i]]
        below = [i for i in places if i <= aim][-1:]
        above = [i for i in places if i > aim][:1]
        fit = [i for i in below + above if i - start >= least and total - i >= least]
        if not fit:
            break
        starts.append(min(fit, key=lambda i: (abs(i - aim), i)))
    return starts


def bucket(value, cuts):
    """How many of the cuts are not above the value, from 1; 0 for none."""
    return 0 if value is None else 1 + sum(cut <= value for cut in cuts)


def joined(sizes, k):
    """The smallest bucket below k joins the smaller neighbour, until there is none."""
    groups = [[i] for i in range(len(sizes))]

    def held(group):
        return sum(sizes[i] for i in group)

    while len(groups) > 1 and min(map(held, groups)) < k:
        i = min(range(len(groups)), key=lambda j: held(groups[j]))
        sides = [j for j in (i - 1, i + 1) if 0 <= j < len(groups)]
        j = min(sides, key=lambda j: (held(groups[j]), j))
        low, high = sorted((i, j))
        groups[low : high + 1] = [groups[low] + groups[high]]
    return groups


def error(values, shown):
    """Normalized squared error (Lodha-Thomas Section 5.2) of the cells that show something."""
    pairs = [(x, y) for x, y in zip(values, shown, strict=True) if y is not None]
    if not pairs:
        return 0.0
    mean = sum(x for x, _ in pairs) / len(pairs)
    worst = sum((x - mean) ** 2 for x, _ in pairs)
    return sum((x - y) ** 2 for x, y in pairs) / worst if worst else 0.0


def smallest(cells):
    """The fewest cells that are alike."""
    return min(Counter(cells).values())
