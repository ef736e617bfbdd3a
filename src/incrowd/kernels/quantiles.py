"""Where the buckets of a sorted sample begin, and which bucket each value lies in."""

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit


@jit
def _first_above(values: Floats, low: int, high: int, value: float) -> int:
    """The first place from `low` to `high` whose value is above this one."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def _first_from(values: Floats, low: int, high: int, value: float) -> int:
    """The first place from `low` to `high` whose value is not below this one."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def begin(values: Floats, number: int, least: int, starts: Counts) -> int:
    """Where buckets of sorted values begin, equal values together; how many there are.

    At most `number` buckets of at least `least` values each, each as near as it can be to an equal
    share of what the buckets before it left.
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
        low = _first_from(values, start, aim, values[aim])
        high = _first_above(values, aim, total, values[aim])
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
def look_up(
    values: Floats,
    cuts: Floats,
    centres: Floats,
    codes: Codes,
    sizes: Counts,
    sums: Floats,
    squares: Floats,
) -> None:
    """The bucket of each value, from 1; 0 for a missing one (NaN). Sizes and spreads are added up.

    Bucket b holds what is not below `cuts[b - 2]` and below `cuts[b - 1]`. `sums` and `squares`
    are of the distances from `centres[b]`. The halving has no branches to be guessed wrong.
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
