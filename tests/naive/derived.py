"""How far columns agree and fit, pair by pair and record by record."""

from itertools import combinations

import numpy as np


def agreement(group, told):
    """Kappa of all pairs of records within groups, against all pairs there are."""
    pairs = list(combinations(range(len(told)), 2))
    inside = [(i, j) for i, j in pairs if group[i] == group[j]]
    same = [told[i] == told[j] for i, j in inside]
    chance = np.mean([told[i] == told[j] for i, j in pairs])
    return (np.mean(same) - chance) / (1 - chance)


def predicted(places, heights, near):
    """At each place the plane of least squares through its neighbours without itself."""
    found = []
    for i, some in enumerate(near):
        others = [j for j in some if j != i]
        planes = np.column_stack([np.ones(len(others)), places[others] - places[i]])
        found.append(np.linalg.lstsq(planes, heights[others], rcond=None)[0][0])
    return np.clip(found, 0, 1)
