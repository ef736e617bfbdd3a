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


@jit
def most_kept_by_share(start: Counts, count: Counts, up: int, down: int) -> Counts:
    """The most people of each class that can stay with no value held by over up / down of them.

    What stays is best if every value keeps at most c people: whatever else keeps as many has a
    commonest value no rarer. Their number over c falls as c grows, so all c up to the largest fit.
    """
    most = np.zeros(len(start) - 1, dtype=np.int64)
    for c in range(len(most)):
        counts = count[start[c] : start[c + 1]]
        low, high = 0, 0
        for e in range(len(counts)):
            high = max(high, counts[e])
        while low < high:
            cap = (low + high + 1) // 2
            if cap * down <= kept_under(counts, cap) * up:
                low = cap
            else:
                high = cap - 1
        most[c] = kept_under(counts, low)
    return most


@jit
def most_kept_recursive(start: Counts, count: Counts, depth: int, up: int, down: int) -> Counts:
    """The most people of each class that can stay with f_1 < c (f_l + … + f_m), c = up / down.

    `depth` is l. As with shares, what stays is best if every value keeps at most so many people.
    """
    most = np.zeros(len(start) - 1, dtype=np.int64)
    for c in range(len(most)):
        counts = np.sort(count[start[c] : start[c + 1]])
        tail = counts[: max(len(counts) - depth + 1, 0)]
        low, high = 0, 0
        if len(counts) > 0:
            high = counts[-1]
        while low < high:
            cap = (low + high + 1) // 2
            if cap * down < kept_under(tail, cap) * up:
                low = cap
            else:
                high = cap - 1
        most[c] = kept_under(counts, low)
    return most


@jit
def most_kept_entropy(start: Counts, count: Counts, least: float) -> Counts:
    """The most people of each class that can stay so that their entropy is at least so much.

    Of all ways to leave out one person more, taking a holder of the commonest value leaves the most
    even counts, which have the largest entropy. So one is taken after the other until it is enough.
    """
    most = np.zeros(len(start) - 1, dtype=np.int64)
    for c in range(len(most)):
        counts = np.sort(count[start[c] : start[c + 1]])
        total = 0
        weighed = 0.0
        for x in counts:
            total += x
            if x > 1:
                weighed += x * np.log(x)
        place = len(counts) - 1
        while total > 0 and np.log(total) - weighed / total < least:
            # counts stay in order: all values that hold as many as the commonest give one each
            top = counts[-1]
            while place > 0 and counts[place - 1] == top:
                place -= 1
            for e in range(place, len(counts)):
                if total == 0 or np.log(total) - weighed / total >= least:
                    break
                counts[e] -= 1
                total -= 1
                weighed -= top * np.log(top)
                if top > 1:
                    weighed += (top - 1) * np.log(top - 1)
        most[c] = total
    return most


@jit
def kept_under(counts: Counts, cap: int) -> int:
    """How many people stay if every value keeps at most so many."""
    total = 0
    for x in counts:
        total += min(x, cap)
    return total
