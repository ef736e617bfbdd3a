"""Division of ascending values into runs with enough records each, the best of all or near even.

The best (Lodha-Thomas 4.1) is that of least cost. `line` is (values, records, moments): the
ascending values, how many records lie before each of them, and the sum of these records' values;
the last two have one entry more than there are values. A run of the values s to e - 1 is a bucket.
What it costs is one of the four kinds below.

Every kind lets one beginning stay better than an earlier one once it is: sums of absolute
deviations, convex functions of the size, and size times extent have the quadrangle inequality, and
for the larger of two extents it follows from their order. So a queue of beginnings, each with the
end from which on it is the best, finds the best of every prefix in O(log n) (Galil and Giancarlo
1989); the paper's program looks at k beginnings for each end.

Shapes: values (n,); records and moments (n + 1,), both from 0; until (n,); total (n + 1,).
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit


@jit
def fill_bucket_starts(values: Floats, number: int, least: int, starts: Counts) -> int:
    """Fill `starts` with where buckets of ascending values begin; return how many there are.

    Equal values share a bucket. There are at most `number`, each with `least` values or more (a
    single bucket may have fewer), and as near as ties allow to an equal share of the values left.
    """
    total = len(values)
    starts[0] = 0
    found = 1
    while found < number:
        start = starts[found - 1]
        rest = total - start
        left = min(number - found + 1, rest // least)
        if left < 2:
            break
        aim = start + (rest + left // 2) // left
        low = start + np.searchsorted(values[start:aim], values[aim])
        high = aim + np.searchsorted(values[aim:], values[aim], side="right")
        low_fits = low - start >= least
        high_fits = total - high >= least
        cut = high
        if low_fits and (not high_fits or aim - low <= high - aim):
            cut = low
        elif not high_fits:
            break
        starts[found] = cut
        found += 1
    return found


@jit
def assign_buckets(
    values: Floats,
    cuts: Floats,
    centres: Floats,
    codes: Codes,
    sizes: Counts,
    sums: Floats,
    squares: Floats,
) -> None:
    """Fill `codes` with the bucket of each value, from 1; 0 for a missing one (NaN).

    Bucket b holds the values from `cuts[b - 2]`, if there is one, to below `cuts[b - 1]`. Add how
    many there are to `sizes[b]` (missing ones to `sizes[0]`), the sum of their differences from
    `centres[b]` to `sums[b]`, and that of the squares to `squares[b]`. The binary search has no
    branches that a processor could guess wrong. With B buckets `cuts`, ascending, is (B - 1,), and
    `centres`, `sizes`, `sums` and `squares` are (B + 1,).
    """
    number = len(cuts)
    for i in range(len(values)):
        value = values[i]
        if value != value:  # noqa: PLR0124  NaN alone differs from itself
            codes[i] = 0
            sizes[0] += 1
            continue
        base, length = 0, number
        while length > 1:
            half = length // 2
            base += half * (cuts[base + half - 1] <= value)
            length -= half
        bucket = 1 + base
        if number > 0:
            bucket += cuts[base] <= value
        codes[i] = bucket
        away = value - centres[bucket]
        sizes[bucket] += 1
        sums[bucket] += away
        squares[bucket] += away * away


Line: TypeAlias = tuple[Floats, Counts, Floats]

RANK = 0
"""The sum over the records of how far their rank is from that of the median."""
MEDIAN = 1
"""The sum over the records of how far their value is from the median."""
CELLULAR = 2
"""Records times radius, half the way from the first value to the last."""
CENTRE = 3
"""The radius; a division then costs the largest of its buckets, not their sum."""


@jit
def median_place(records: Counts, s: int, e: int) -> int:
    """Return which of the values s to e - 1 is the lower median of their records."""
    wanted = records[s] + (records[e] - records[s] + 1) // 2
    low, high = s, e - 1
    guess = min(s + wanted - records[s] - 1, high)
    # With one record a value, as is common, this is the median, and no search is needed.
    if records[guess] < wanted <= records[guess + 1]:
        return int(guess)
    while low < high:
        middle = (low + high) // 2
        if records[middle + 1] >= wanted:
            high = middle
        else:
            low = middle + 1
    return low


@jit
def run_cost(line: Line, kind: int, s: int, e: int) -> float:
    """Return what the values s to e - 1 cost as one bucket."""
    values, records, moments = line
    size = float(records[e] - records[s])
    if kind == RANK:
        return float(np.floor(size * size / 4))
    radius = float(values[e - 1] - values[s]) / 2
    if kind == CENTRE:
        return radius
    if kind == CELLULAR:
        return size * radius
    m = median_place(records, s, e)
    below = values[m] * (records[m] - records[s]) - (moments[m] - moments[s])
    above = (moments[e] - moments[m]) - values[m] * (records[e] - records[m])
    return float(below + above)


@jit
def prefix_cost(line: Line, kind: int, total: Floats, until: Codes, s: int, e: int) -> float:
    """Return the least cost of the first e values if their last bucket begins with s.

    `total` is the least cost of each shorter prefix. Infinite if e is beyond `until[s]`.
    """
    if e > until[s]:
        return np.inf
    cost = run_cost(line, kind, s, e)
    return max(float(total[s]), cost) if kind == CENTRE else float(total[s]) + cost


@jit
def first_end_to_overtake(
    line: Line, kind: int, total: Floats, until: Codes, pair: tuple[int, int], first: int
) -> int:
    """Return the first end, from `first` on, at which the later of two beginnings is no worse.

    `pair` is (earlier, later). From that end on it stays so; `len(total)` if there is no such end.
    """
    one, two = pair
    low, high, step = first, first, 1
    while high < len(total) and prefix_cost(line, kind, total, until, two, high) > prefix_cost(
        line, kind, total, until, one, high
    ):
        low = high + 1
        high += step
        step *= 2
    high = min(high, len(total))
    while low < high:
        e = (low + high) // 2
        old = prefix_cost(line, kind, total, until, one, e)
        if prefix_cost(line, kind, total, until, two, e) <= old:
            high = e
        else:
            low = e + 1
    return low


@jit
def best_runs(line: Line, kind: int, k: int, until: Codes) -> tuple[Floats, Codes]:
    """Return the least cost of every prefix of the values, and where its last bucket begins.

    A bucket has at least k records; one that begins with s has no value after the first `until[s]`,
    which never falls as s rises. Prefixes that cannot be divided so cost infinity.
    """
    records = line[1]
    n = len(line[0])
    total = np.full(n + 1, np.inf)
    last = np.zeros(n + 1, np.int32)
    total[0] = 0.0
    queue = np.empty(n + 1, np.int32)
    since = np.empty(n + 1, np.int32)
    head, size, s = 0, 0, 0
    for e in range(1, n + 1):
        while s < e and records[e] - records[s] >= k:
            first = e
            while size > head and total[s] < np.inf:
                begin = max(e, since[size - 1])
                first = first_end_to_overtake(line, kind, total, until, (queue[size - 1], s), begin)
                if first > begin:
                    break
                size -= 1
            if total[s] < np.inf and (size == head or first <= n):
                queue[size] = s
                since[size] = e if size == head else first
                size += 1
            s += 1
        while size - head > 1 and since[head + 1] <= e:
            head += 1
        if size > head:
            total[e] = prefix_cost(line, kind, total, until, queue[head], e)
            last[e] = queue[head]
    return total, last
