"""How evenly the values of each class are held, from compressed rows of counts.

Shapes: start (classes + 1,), ascending; code and count (entries,), class c having the entries
start[c] to start[c + 1], each code once; maps (levels, codes); shares (levels, nodes), of one level
(nodes,); rank (codes,); upto (values + 1,), ascending from 0 to 1. Results are (classes,). Counts
of people are not negative.
"""

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit


@jit
def total_of(start: Counts, count: Counts, c: int) -> int:
    """Return the sum of the counts of class c."""
    total = 0
    for e in range(start[c], start[c + 1]):
        total += count[e]
    return total


@jit
def node_distances(
    start: Counts, code: Codes, count: Counts, node: Codes, shares: Floats
) -> Floats:
    """Return half the sum of |p - q| over the nodes of one level; 0 for a class without people.

    p is a node's share of the class, `shares[node]` its share q of the whole table; `node[code]` is
    the node of a code. The codes of a class ascend and nodes are runs of codes, so that one walk
    meets each node once.
    """
    distance = np.zeros(len(start) - 1, dtype=np.float64)
    for c in range(len(distance)):
        total = total_of(start, count, c)
        if total == 0:
            continue
        apart, absent = 0.0, 1.0
        e = start[c]
        while e < start[c + 1]:
            here = node[code[e]]
            people = 0
            while e < start[c + 1] and node[code[e]] == here:
                people += count[e]
                e += 1
            apart += abs(people / total - shares[here])
            absent -= shares[here]
        # The walk never meets nodes that the class lacks: their shares q are what is left of 1.
        distance[c] = (apart + max(absent, 0.0)) / 2
    return distance


@jit
def most_kept_by_nodes(
    start: Counts, code: Codes, count: Counts, maps: Codes, shares: Floats, t: float
) -> Counts:
    """Return an upper limit on how many people of each class can stay and be t-close.

    Their distance from the table is the mean of `node_distances` over the levels.
    `maps[h, code]` is the node of a code on level h, `shares[h, node]` its share q of the table. At
    best m people share Σ min(x, q m) with the table on a level with x of the class at a node. The
    mean over levels of m minus that, convex in m and 0 at 0, must be at most t m: all m up to the
    largest fit. With one level this is exact up to rounding.
    """
    most = np.zeros(len(start) - 1, dtype=np.int64)
    for c in range(len(most)):
        low, high = 0, total_of(start, count, c)
        while low < high:
            m = (low + high + 1) // 2
            shared = 0.0
            for h in range(len(maps)):
                e = start[c]
                while e < start[c + 1]:
                    here = maps[h, code[e]]
                    people = 0
                    while e < start[c + 1] and maps[h, code[e]] == here:
                        people += count[e]
                        e += 1
                    shared += min(float(people), shares[h, here] * m)
            if shared >= (1 - t) * m * len(maps):
                low = m
            else:
                high = m - 1
        most[c] = low
    return most


@jit
def most_kept_ordered(
    start: Counts, code: Codes, count: Counts, missing: float, rank: Counts, upto: Floats, t: float
) -> Counts:
    """Return an upper limit on how many people of each class can stay and be t-close, if ordered.

    The distance and the arguments are those of `ordered_distances`. Of m people at least K = m -
    (missing ones) are known. Up to each value stand at most as many of them as of the class, and
    beyond it too: each term of the distance has a lower limit. Their sum is convex in m, 0 at 0.
    """
    values = len(upto) - 1
    below = np.zeros(values + 1, dtype=np.int64)
    most = np.zeros(len(start) - 1, dtype=np.int64)
    for c in range(len(most)):
        everyone = total_of(start, count, c)
        absent = 0
        below[:] = 0
        for e in range(start[c], start[c + 1]):
            if code[e] == 0:
                absent = count[e]
            else:
                below[rank[code[e]]] += count[e]
        for i in range(values):
            below[i + 1] += below[i]
        known = everyone - absent
        low, high = 0, everyone
        while low < high:
            m = (low + high + 1) // 2
            stay = max(m - absent, 0)
            gaps = 0.0
            for i in range(1, values):
                short = max(upto[i] * stay - below[i], (1 - upto[i]) * stay - (known - below[i]))
                gaps += max(short, 0.0)
            apart = max(missing * m - absent, (1 - missing) * m - known, 0.0)
            if apart + gaps / max(values - 1, 1) <= t * m:
                low = m
            else:
                high = m - 1
        most[c] = low
    return most


@jit
def ordered_distances(
    start: Counts, code: Codes, count: Counts, missing: float, rank: Counts, upto: Floats
) -> Floats:
    """Return the ordered distance of each class (see `TCloseness`); 0 for a class without people.

    `missing` is the share of missing values in the whole table; `rank[code]` counts the values up
    to that code; `upto[i]` is the share of the first i values among those that are not missing.
    """
    values = len(upto) - 1
    before = np.zeros(values + 2, dtype=np.float64)
    for i in range(values + 1):
        before[i + 1] = before[i] + upto[i]
    distance = np.zeros(len(start) - 1, dtype=np.float64)
    for c in range(len(distance)):
        total = total_of(start, count, c)
        if total == 0:
            continue
        e = start[c]
        absent = 0
        if e < start[c + 1] and code[e] == 0:
            absent = count[e]
            e += 1
        known = (total - absent) / total
        gaps = 0.0
        people, i = 0, 1
        while e < start[c + 1] and known > 0:
            gaps += sum_of_gaps(people / total, known, i, rank[code[e]], upto, before)
            i = rank[code[e]]
            people += count[e]
            e += 1
        if known > 0:
            gaps += sum_of_gaps(people / total, known, i, values, upto, before)
        distance[c] = min(1.0, abs(absent / total - missing) + gaps / max(values - 1, 1))
    return distance


@jit
def sum_of_gaps(
    level: float, known: float, first: int, last: int, upto: Floats, before: Floats
) -> float:
    """Return the sum of |level - known * upto[i]| for first <= i < last; `known` is above 0.

    `before[i]` is the sum of the first i entries of `upto`.
    """
    if first >= last:
        return 0.0
    # `upto` ascends: terms are positive, then negative.
    cross = first + np.searchsorted(upto[first:last], level / known)
    behind = level * (cross - first) - known * (before[cross] - before[first])
    ahead = known * (before[last] - before[cross]) - level * (last - cross)
    return float(behind + ahead)


@jit
def largest_counts(start: Counts, count: Counts) -> Counts:
    """Return the count of the commonest value of each class; 0 for a class that holds nothing."""
    most = np.zeros(len(start) - 1, dtype=np.int64)
    for c in range(len(most)):
        for e in range(start[c], start[c + 1]):
            most[c] = max(most[c], count[e])
    return most


@jit
def count_values(start: Counts, count: Counts) -> Counts:
    """Return how many values each class holds, without those of 0 people."""
    number = np.zeros(len(start) - 1, dtype=np.int64)
    for c in range(len(number)):
        for e in range(start[c], start[c + 1]):
            if count[e] > 0:
                number[c] += 1
    return number


@jit
def entropies(start: Counts, count: Counts) -> Floats:
    """Return the entropy of each class in nats, log n - (sum of x log x) / n; 0 if it is empty."""
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
def largest_recursive_l(start: Counts, count: Counts, up: int, down: int) -> Counts:
    """Return the largest l for which each class is recursive (c, l)-diverse, 0 if there is none.

    It is if f_1 < c (f_l + … + f_m), c = up / down, with the counts f_1 ≥ f_2 ≥ … of its values.
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
    """Return how many people of each class can stay at most with no value's share over up / down.

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
            if cap * down <= capped_total(counts, cap) * up:
                low = cap
            else:
                high = cap - 1
        most[c] = capped_total(counts, low)
    return most


@jit
def most_kept_recursive(start: Counts, count: Counts, depth: int, up: int, down: int) -> Counts:
    """Return how many people of each class can stay at most so that it is recursive (c, l)-diverse.

    `depth` is l, c is up / down (see `largest_recursive_l`). As in `most_kept_by_share`, it is best
    if every value keeps at most the same number of people.
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
            if cap * down < capped_total(tail, cap) * up:
                low = cap
            else:
                high = cap - 1
        most[c] = capped_total(counts, low)
    return most


@jit
def most_kept_entropy(start: Counts, count: Counts, least: float) -> Counts:
    """Return how many people of each class can stay at most with an entropy of `least` or more.

    Taking a holder of the commonest value leaves the most even counts of all ways to leave out one,
    which have the largest entropy: one is taken after the other until the entropy suffices.
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
def capped_total(counts: Counts, cap: int) -> int:
    """Return how many people stay if every value keeps at most `cap` of its people."""
    total = 0
    for x in counts:
        total += min(x, cap)
    return total
