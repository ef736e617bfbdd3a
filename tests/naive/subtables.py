"""Minimal sets by way of small samples, trying every set of columns (Motwani-Xu Section 3).

A sample is a function from a set of columns to its ratio there: of records drawn, or of pairs.
"""

import math
from itertools import combinations

import naive.quasi


def least(width, beta, size, delta):
    """The ratio alpha beta that a set of ratio beta has in a sample (Lemmas 9 and 10)."""
    return (1 - math.sqrt(2 * math.log(2**width / delta) / (beta * size))) * beta


def of_records(columns, counts, measure):
    """Ratios in a sample of records."""
    return lambda chosen: naive.quasi.ratio(columns, counts, chosen, measure)


def of_pairs(columns, pairs):
    """The share of pairs, each of two rows, that a set of columns tells apart."""
    return lambda chosen: (
        sum(any(columns[j][one] != columns[j][other] for j in chosen) for one, other in pairs)
        / len(pairs)
    )


def kept(width, border, ratio, wanted):
    """The smallest sets around those of a border that have this ratio."""
    found = []
    for size in range(1, width + 1):
        for chosen in combinations(range(width), size):
            around = any(set(inner) <= set(chosen) for inner in border)
            minimal = not any(set(inner) <= set(chosen) for inner in found)
            if around and minimal and ratio(chosen) >= wanted:
                found.append(chosen)
    return found


def border(width, samples):
    """The border that samples, each with the ratio to have there, leave one after the other."""
    found = [(j,) for j in range(width)]
    for ratio, wanted in samples:
        found = kept(width, found, ratio, wanted)
    return found
