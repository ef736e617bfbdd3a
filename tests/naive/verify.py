"""Models judged with dictionaries of sets and exact fractions, from their definitions."""

from collections import Counter
from fractions import Fraction
from math import exp, log


def crowds(rows, anything):
    """Per row: the rows that it cannot be told from."""

    def alike(one, other):
        return all(
            a == b or (anything and (a is None or b is None))
            for a, b in zip(one, other, strict=True)
        )

    return [[j for j, other in enumerate(rows) if alike(row, other)] for row in rows]


def people(crowd, unit):
    return len({unit[i] for i in crowd})


def holders(crowd, values, unit):
    """People per value in a crowd."""
    return Counter(value for value, _ in {(values[i], unit[i]) for i in crowd})


def frequency(crowd, values, unit):
    return Fraction(people(crowd, unit), max(holders(crowd, values, unit).values()))


def distinct(crowd, values, unit):
    return len(holders(crowd, values, unit))


def entropy(crowd, values, unit):
    counts = holders(crowd, values, unit).values()
    return exp(-sum(c / sum(counts) * log(c / sum(counts)) for c in counts))


def spread(counts, places):
    total = sum(counts.values())
    return [Fraction(counts.get(place, 0), total) for place in places]


def equal(here, whole):
    return sum(abs(p - q) for p, q in zip(here, whole, strict=True)) / 2


def ordered(here, whole):
    """Over the values that the whole table holds, in their order; the first is the missing."""
    pairs = [(p, q) for p, q in zip(here[1:], whole[1:], strict=True) if q]
    missing = abs(here[0] - whole[0])
    if len(pairs) < 2:
        return missing
    scale = (1 - here[0]) / (1 - whole[0])
    steps = [abs(sum(p - q * scale for p, q in pairs[:i])) for i in range(1, len(pairs))]
    return min(1, missing + sum(steps) / (len(pairs) - 1))


def hierarchical(here, whole, maps):
    """Li et al. Section 5.3: each node pays its height for what its children exchange."""
    height = len(maps) - 1
    extra = [p - q for p, q in zip(here, whole, strict=True)]
    cost = Fraction(0)
    for level in range(1, height + 1):
        for node in set(maps[level]):
            children = {maps[level - 1][c] for c in range(len(extra)) if maps[level][c] == node}
            sums = [
                sum(e for c, e in enumerate(extra) if maps[level - 1][c] == child)
                for child in children
            ]
            gain = sum(s for s in sums if s > 0)
            need = -sum(s for s in sums if s < 0)
            cost += Fraction(level, height) * min(gain, need)
    return cost


def recursive(crowd, values, unit, c):
    """The largest l with r1 < c (r_l + … + r_m), 0 if there is none."""
    falling = sorted(holders(crowd, values, unit).values(), reverse=True)
    fits = [l for l in range(1, len(falling) + 1) if falling[0] < c * sum(falling[l - 1 :])]
    return max(fits, default=0)


def alpha(crowd, values, unit):
    """The largest share of a value."""
    return Fraction(max(holders(crowd, values, unit).values()), people(crowd, unit))
