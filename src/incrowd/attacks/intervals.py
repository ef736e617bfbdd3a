"""How often an attacker is right, and how sure that is: rates with confidence intervals."""

import math
from dataclasses import dataclass
from typing import TypeAlias

Interval: TypeAlias = tuple[float, float]

_Z = 1.959963984540054
"""Within so many standard deviations lies 95 % of a normal distribution."""
_TAIL = 0.025


@dataclass(frozen=True)
class Rate:
    """How often an attacker is right."""

    success: float
    """The share of the trials, 0..1: exact for these."""
    interval: Interval
    """Where the rate of further trials like these lies, with 95 % confidence."""
    trials: int

    @classmethod
    def counted(cls, hits: int, trials: int) -> "Rate":
        """Of so many hits."""
        return cls(hits / trials if trials else 0.0, clopper_pearson(hits, trials), trials)

    @classmethod
    def expected(cls, hits: float, trials: int) -> "Rate":
        """Of an attacker who draws, and is expected to hit so many times."""
        success = min(hits / trials, 1.0) if trials else 0.0
        return cls(success, wilson(success * trials, trials), trials)


def blind(number: int) -> float:
    """How often somebody is right who draws one of so many."""
    return 1 / number if number else 0.0


def wilson(successes: float, trials: int) -> Interval:
    """The 95 % interval of a rate by Wilson; `successes` may be an expectation, so a fraction.

    A mean of values from 0 to 1 is spread at most as far as a rate of hits, so that the interval
    also holds for the expected hits of an attacker who draws among several candidates.

    >>> [round(end, 4) for end in wilson(1, 10)]
    [0.0179, 0.4042]
    >>> wilson(0, 0)
    (0.0, 1.0)
    """
    if not trials:
        return 0.0, 1.0
    share, square = min(successes / trials, 1.0), _Z * _Z
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    spread = share * (1 - share) / trials + square / (4 * trials * trials)
    half = _Z * math.sqrt(spread) / (1 + square / trials)
    low = 0.0 if successes <= 0 else max(0.0, middle - half)
    high = 1.0 if successes >= trials else min(1.0, middle + half)
    return low, high


def clopper_pearson(successes: int, trials: int) -> Interval:
    """The 95 % interval of a rate that was counted: never too narrow.

    >>> [round(end, 4) for end in clopper_pearson(1, 10)]
    [0.0025, 0.445]
    >>> [round(end, 4) for end in clopper_pearson(0, 10)]
    [0.0, 0.3085]
    """
    from scipy.special import betaincinv  # noqa: PLC0415  slow to load

    if not trials:
        return 0.0, 1.0
    misses = trials - successes
    low = float(betaincinv(successes, misses + 1, _TAIL)) if successes else 0.0
    high = float(betaincinv(successes + 1, misses, 1 - _TAIL)) if misses else 1.0
    return low, high
