"""Binomial tails, summed term by term, for verification alone.

The term nearest to the middle is computed by Loader's saddle-point expansion (2000), which loses no
digits however large n is; the others follow by their ratios, away from the middle, until they no
longer matter.
"""

import math

import numpy as np

from incrowd.arrays import Floats

_BLOCK = 1 << 14
_NOTHING = 1e-18
_ROUNDING = 1e-11
"""Relative error of a sum of terms."""
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)


def chance_of_fewer(k: int, n: int, share: float) -> float:
    """The probability that fewer than k of n fall into a class of this share.

    >>> [round(chance_of_fewer(k, n, q), 12) for k, n, q in ((1, 2, 0.5), (2, 3, 0.5), (5, 9, 1.0))]
    [0.25, 0.5, 0.0]
    """
    if k <= 0 or share >= 1:
        return 0.0 if k <= n else 1.0
    if k > n or share <= 0:
        return 1.0
    if k - 1 < n * share:
        first = math.exp(_log_chance_of_exactly(k - 1, n, share))
        return min(1.0, first * _sum_over_first(k - 1, n, share, step=-1))
    first = math.exp(_log_chance_of_exactly(k, n, share))
    return max(0.0, 1 - first * _sum_over_first(k, n, share, step=1))


def largest_k(n: int, share: float, beta: float) -> int:
    """The largest k such that fewer than k of n are in the class with probability at most beta."""
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        met = chance_of_fewer(middle, n, share) <= beta * (1 + _ROUNDING)
        low, high = (middle, high) if met else (low, middle - 1)
    return low


def lower_share(size: int, people: int, columns: int, level: float, *, declared: bool) -> float:
    """A bound that the share of a class of `size` of `people` exceeds but for a chance of `level`.

    It is 0 if nothing is certain, and holds for all classes of these `columns` together. A class of
    share q that was fixed beforehand holds `size` of `people` with a probability of
    P[Bin(people, q) >= size] (Clopper and Pearson 1934). Where labels are `declared`, at most 1/q
    classes have that share, for each of at most 32 levels per column. Otherwise two people per
    column determine what a class shows; any of them may, and only the others count. Drawing without
    replacement makes tails smaller, so this is on the safe side.

    >>> lower_share(1, 5_000, 1, 0.05, declared=True)
    0.0
    >>> round(lower_share(60, 5_000, 1, 0.05, declared=False), 4)
    0.0049
    """
    fixed = 0 if declared else min(2 * columns, people)
    if size <= fixed:
        return 0.0
    ways = columns * math.log(32)
    if not declared:  # the logarithm of the number of ways to choose `fixed` of people + fixed
        ways = math.fsum(math.log(people + fixed - i) - math.log(fixed - i) for i in range(fixed))
    ways -= math.log(level)

    def may_hold(log_share: float) -> bool:
        """Whether a class of this share may well hold so many: by chance times ways over level."""
        own = ways - (log_share if declared else 0.0)
        chance = log_chance_of_at_least(size - fixed, people - fixed, math.exp(log_share))
        return own + chance > 0

    low, high = -650.0, math.log(size / people)
    if may_hold(low):
        return 0.0
    while high - low > 1e-13 * abs(high) + 1e-15:
        middle = (low + high) / 2
        low, high = (low, middle) if may_hold(middle) else (middle, high)
    return math.exp(low)


def log_chance_of_at_least(k: int, n: int, share: float) -> float:
    """The logarithm of the probability that k or more of n fall into a class of this share.

    >>> round(math.exp(log_chance_of_at_least(2, 3, 0.5)), 12), log_chance_of_at_least(0, 3, 0.5)
    (0.5, 0.0)
    """
    if k <= 0 or share >= 1:
        return 0.0
    if k < n * share:
        return math.log1p(-chance_of_fewer(k, n, share))
    return _log_chance_of_exactly(k, n, share) + math.log(_sum_over_first(k, n, share, step=1))


def _log_chance_of_exactly(j: int, n: int, share: float) -> float:
    """The logarithm of the probability that exactly j of n fall into a class of this share."""
    if j == 0:
        return n * math.log1p(-share)
    if j == n:
        return n * math.log(share)
    apart = _stirling_error(n) - _stirling_error(j) - _stirling_error(n - j)
    apart -= _deviance(j, n * share) + _deviance(n - j, n * (1 - share))
    return apart + 0.5 * math.log(n / (2 * math.pi * j * (n - j)))


def _deviance(x: float, mean: float) -> float:
    """Compute x log(x/mean) + mean - x without losing digits where both are near."""
    apart = (x - mean) / (x + mean)
    if abs(apart) > 0.1:
        return x * math.log(x / mean) + mean - x
    total, power, squared = (x - mean) * apart, 2 * x * apart, apart * apart
    for odd in range(3, 60, 2):
        power *= squared
        total += power / odd
    return total


def _stirling_error(m: int) -> float:
    """What Stirling's formula for log m! lacks."""
    if m < 16:
        return math.lgamma(m + 1) - (m + 0.5) * math.log(m) + m - 0.5 * math.log(2 * math.pi)
    return math.fsum(c / m ** (2 * i + 1) for i, c in enumerate(_STIRLING))


def _sum_over_first(start: int, n: int, share: float, *, step: int) -> float:
    """The sum of probabilities from `start` on, up or down by `step`, over that at `start`."""
    total, factor, at = 1.0, 1.0, start
    last = 0 if step < 0 else n
    while at != last and factor > _NOTHING * total:
        steps = min(_BLOCK, abs(last - at))
        j: Floats = at + step * np.arange(steps, dtype=np.float64)
        odds = share / (1 - share)
        ratios = (n - j) / (j + 1) * odds if step > 0 else j / (n - j + 1) / odds
        terms = factor * np.cumprod(ratios)
        total += float(terms.sum())
        factor, at = float(terms[-1]), at + step * steps
    return total
