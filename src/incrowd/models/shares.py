"""Comparing shares of people without rounding."""

from fractions import Fraction
from functools import lru_cache

from incrowd.arrays import Counts

TOLERANCE = 1e-9
"""How far rounding may carry a computed entropy or distance: that near to a limit is at it."""


@lru_cache(maxsize=1024)
def fraction(setting: float) -> Fraction:
    """The fraction that a setting stands for: the nearest with a denominator up to a million.

    So 0.1 is a tenth and 1/3 a third, though no floating-point number is either.

    >>> fraction(0.1), fraction(1 / 3), fraction(2.0)
    (Fraction(1, 10), Fraction(1, 3), Fraction(2, 1))
    """
    return Fraction(setting).limit_denominator(1_000_000)


def part(people: Counts, share: Fraction) -> Counts:
    """The most people that are no more than this share of the people of each class."""
    return people * share.numerator // share.denominator


def settled(value: float, threshold: float) -> float:
    """The value, or the threshold if only rounding keeps them apart."""
    return threshold if abs(value - threshold) <= TOLERANCE else value
