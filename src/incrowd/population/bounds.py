"""How many classes a population fills with k people each (Lodha-Thomas Theorem 4).

A population of n people is n draws from a distribution over classes. A class of share p then holds
Bin(n, p) people, and what is asked for is that fewer than k of them are there with a probability of
at most beta. The theorem's "small constant c" is made explicit: `chernoff` is the bound that its
proof uses, `exact` the binomial tail itself, which allows more classes. Both speak of one class at
a time, and so of each row; with `simultaneous` beta covers all classes together, as the classes
share it (union bound).
"""

import math
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Literal, TypeAlias, assert_never

from incrowd.errors import LimitError, PolicyError
from incrowd.lazy import module

special = module("scipy.special")

Bound: TypeAlias = Literal["exact", "chernoff"]

LARGEST = 10**12
"""The largest population that is taken for one."""

_ROUNDING = 1e-12
"""A probability this near to beta, relative to it, is beta."""
_MOST_CLASSES = 10**15
"""More classes than this no population fills."""


def classes_allowed(
    population: float,
    k: float,
    beta: float,
    *,
    bound: Bound = "exact",
    simultaneous: bool = False,
) -> int:
    """The largest number D' of equally likely classes each of which holds k people, but for beta.

    One class is always allowed: it holds everybody.

    >>> classes_allowed(3e8, 100, 0.1), classes_allowed(3e8, 100, 0.1, bound="chernoff")
    (2654620, 2443425)
    """
    n, k = _request(population, k, beta, bound)
    return _last(
        lambda d: _held(1 / d, n, k, beta / d if simultaneous else beta, bound), low=1, high=n
    )


def k_supported(
    population: float,
    classes: float,
    beta: float,
    *,
    bound: Bound = "exact",
    simultaneous: bool = False,
) -> int:
    """The largest k that this number of equally likely classes supports; 0 if not even 1.

    >>> k_supported(3e8, 2_400_000, 0.1)
    111
    """
    d = whole(classes, "the number of classes")
    n, _ = _request(population, 1, beta, bound)
    return _k_of_share(1 / d, n, beta / d if simultaneous else beta, bound)


def beta_needed(
    population: float,
    classes: float,
    k: float,
    *,
    bound: Bound = "exact",
    simultaneous: bool = False,
) -> float:
    """The smallest beta with which this number of equally likely classes supports k, 0..1.

    >>> round(beta_needed(3e8, 2_400_000, 100), 4)
    0.0094
    """
    d = whole(classes, "the number of classes")
    n, k = _request(population, k, 0.5, bound)
    missed = missing_probability(1 / d, n, k, bound)
    return min(1.0, missed * d) if simultaneous else missed


def population_needed(
    classes: float,
    k: float,
    beta: float,
    *,
    bound: Bound = "exact",
    simultaneous: bool = False,
) -> int:
    """The smallest population that fills this number of equally likely classes with k people each.

    >>> population_needed(2_400_000, 100, 0.1)
    271225251
    """
    d = whole(classes, "the number of classes")
    return population_of_share(1 / d, k, beta / d if simultaneous else beta, bound=bound)


def k_of_shares(
    shares: Sequence[float],
    population: float,
    beta: float,
    *,
    bound: Bound = "exact",
    simultaneous: bool = False,
) -> int:
    """The k that classes of these real shares support: that of the smallest of them.

    Theorem 4 takes classes for equally likely; measured ones are not.

    >>> k_of_shares([0.5, 0.3, 0.2], 1000, 0.1)
    184
    """
    n, _ = _request(population, 1, beta, bound)
    if not len(shares):
        raise PolicyError("there is no class whose share could be taken")
    least = float(min(shares))
    if not (least > 0 and max(shares) <= 1 + _ROUNDING):
        raise PolicyError("the share of a class must be above 0 and at most 1")
    return _k_of_share(least, n, beta / len(shares) if simultaneous else beta, bound)


def population_of_share(share: float, k: float, beta: float, *, bound: Bound = "exact") -> int:
    """The smallest population of which a class of this share holds k people, but for beta.

    >>> population_of_share(0.01, 10, 0.1)
    1418
    """
    _, k = _request(LARGEST, k, beta, bound)
    if not 0 < share <= 1:
        raise PolicyError("the share of a class must be above 0 and at most 1")
    if share < 1 / _MOST_CLASSES:
        raise LimitError(
            f"no population fills that many classes: more than {_MOST_CLASSES:.0e}",
            remedy="take fewer columns, or coarser ones",
        )
    return _first(lambda n: _held(share, n, k, beta, bound), low=k)


def missing_probability(share: float, population: int, k: int, bound: Bound) -> float:
    """The probability, or its bound, that a class of this share holds fewer than k people."""
    if share >= 1 or k <= 0:
        return 0.0 if k <= population else 1.0
    if k > population:
        return 1.0
    match bound:
        case "exact":
            return float(special.betaincc(float(k), float(population - k + 1), share))
        case "chernoff":
            mean, fewer = population * share, k - 1
            return math.exp(-((mean - fewer) ** 2) / (2 * mean)) if mean > fewer else 1.0
        case _:
            assert_never(bound)


def whole(value: float, what: str) -> int:
    """A whole number from 1 on, however it is written: 3e8 is one."""
    number = isinstance(value, Real) and math.isfinite(value)
    if not (number and value == math.floor(value) and value >= 1):
        raise PolicyError(
            f"{what} must be a whole number from 1 on", remedy="write 100, or 3e8, say"
        )
    return int(value)


def check_beta(beta: float) -> float:
    """Beta, if it is a probability strictly between 0 and 1."""
    if not (isinstance(beta, Real) and 0 < beta < 1):
        raise PolicyError(
            "beta must be above 0 and below 1",
            remedy="give the probability that may be missed: 0.1, say",
        )
    return float(beta)


def _request(population: float, k: float, beta: float, bound: str) -> tuple[int, int]:
    """The population and k as whole numbers, if all of the request makes sense."""
    n, k = whole(population, "the population"), whole(k, "k")
    if n > LARGEST:
        raise PolicyError(f"a population has at most {LARGEST:,} people")
    if k > n:
        raise PolicyError(
            f"k is {k:,} and the population has {n:,} people",
            remedy="ask for a k of at most the population, or give a larger one",
        )
    check_beta(beta)
    if bound not in {"exact", "chernoff"}:
        raise PolicyError("there is no such bound", remedy="take exact or chernoff")
    return n, k


def _held(share: float, population: int, k: int, beta: float, bound: Bound) -> bool:
    return missing_probability(share, population, k, bound) <= beta * (1 + _ROUNDING)


def _k_of_share(share: float, population: int, beta: float, bound: Bound) -> int:
    return _last(lambda k: _held(share, population, k, beta, bound), low=0, high=population)


def _last(holds: Callable[[int], bool], *, low: int, high: int) -> int:
    """The largest number up to `high` that holds, if those that hold come first; `low` does."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _first(holds: Callable[[int], bool], *, low: int) -> int:
    """The smallest number from `low` on that holds, if those that hold come last."""
    high = low
    while not holds(high):
        low, high = high + 1, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
