"""How evenly the values of each class are held, from compressed rows of counts."""

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.kernels.compile import jit


@jit
def largest(start: Counts, count: Counts) -> Counts:
    """The count of the commonest value of each class; 0 for a class that holds nothing."""
    most = np.zeros(len(start) - 1, dtype=np.int64)
    for c in range(len(most)):
        for e in range(start[c], start[c + 1]):
            most[c] = max(most[c], count[e])
    return most


@jit
def held(start: Counts, count: Counts) -> Counts:
    """How many values somebody holds in each class."""
    number = np.zeros(len(start) - 1, dtype=np.int64)
    for c in range(len(number)):
        for e in range(start[c], start[c + 1]):
            if count[e] > 0:
                number[c] += 1
    return number


@jit
def entropies(start: Counts, count: Counts) -> Floats:
    """The entropy of each class in nats: log n - (sum of x log x) / n; 0 if it holds nothing."""
    entropy = np.zeros(len(start) - 1, dtype=np.float64)
    for c in range(len(entropy)):
        total = 0
        weighed = 0.0
        for e in range(start[c], start[c + 1]):
            total += count[e]
            if count[e] > 1:
                weighed += count[e] * np.log(count[e])
        if total > 0:
            entropy[c] = max(np.log(total) - weighed / total, 0.0)
    return entropy


@jit
def deepest(start: Counts, count: Counts, up: int, down: int) -> Counts:
    """The largest l of each class with f_1 < c (f_l + … + f_m), where c = up / down.

    f_1 ≥ f_2 ≥ … are the counts of its values. 0 if not even l = 1 holds.
    """
    found = np.zeros(len(start) - 1, dtype=np.int64)
    for c in range(len(found)):
        counts = np.sort(count[start[c] : start[c + 1]])
        if len(counts) == 0 or counts[-1] == 0:
            continue
        tail = 0
        for i in range(len(counts)):
            tail += counts[i]
            if counts[-1] * down < up * tail:
                found[c] = len(counts) - i
                break
    return found
