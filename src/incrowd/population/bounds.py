"""How many classes a population fills with k people each (Lodha-Thomas Theorem 4).

A population of n people is n draws from a distribution over classes. A class of share p then holds
Bin(n, p) people, and fewer than k of them with a probability of at most beta. The theorem's "small
constant c" is made explicit: `chernoff` is the bound that its proof uses, `exact` the binomial tail
itself, which allows more classes. Both speak of one class at a time, and so of each row; with
`simultaneous` the classes share beta (union bound).

`PopulationSample` is a table drawn from a population. A class with m of the n people of a table
is not a share m/n of the population: rare classes are seen by luck, and the luckiest of many are
the ones that get released. So shares are bounded from below for all classes at once, by the sum of
P[Bin(n, q) >= m] (Clopper and Pearson 1934) over every class of share q that could have been shown:

- `declared` labels: at most 1/q classes have a share of q, at each of at most 32 levels of each
  column. Classes below q do not add up to more: the tail grows faster than the share.
- `any` labels: two people determine what a class shows in each of d columns. But for these 2d, all
  are drawn without regard to the class. At most C(n + 2d, 2d) classes can be drawn in this way.

Tables are drawn without replacement: their counts spread less than Bin(n, q), on the safe side.

Populations, classes and k must be whole numbers of 1 or more, k at most the population and that at
most `LARGEST`, and beta between 0 and 1: all else is a `PolicyError`.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
Labels: TypeAlias = Literal["any", "declared"]
"""Whether classes were drawn around the people of the table, or levels were fixed without it."""

_LEVELS = 32
"""Levels of a column that a search may choose from."""
_TINY = 1e-280
"""Smaller tails are bounded by Chernoff's inequality in place of being computed."""
_LEAST = -700.0
"""The logarithm of a share that is nothing."""
_STEPS = 200


def classes_allowed(
    population: float, k: float, beta: float, *, bound: Bound = "exact", simultaneous: bool = False
) -> int:
    """The largest number D' of equally likely classes that each hold k people with chance 1 - beta.

    One class is always allowed: it holds everybody.

    >>> classes_allowed(3e8, 100, 0.1), classes_allowed(3e8, 100, 0.1, bound="chernoff")
    (2654620, 2443425)
    """
    n, k = _check_request(population, k, beta, bound)
    return _largest_that_holds(
        lambda d: _holds_k(1 / d, n, k, beta / d if simultaneous else beta, bound), low=1, high=n
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
    d = check_whole_number(classes, "the number of classes")
    n, _ = _check_request(population, 1, beta, bound)
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
    d = check_whole_number(classes, "the number of classes")
    n, k = _check_request(population, k, 0.5, bound)
    missed = missing_probability(1 / d, n, k, bound)
    return min(1.0, missed * d) if simultaneous else missed


def population_needed(
    classes: float, k: float, beta: float, *, bound: Bound = "exact", simultaneous: bool = False
) -> int:
    """The smallest population that fills this number of equally likely classes with k people each.

    `LimitError` if no population fills so many.

    >>> population_needed(2_400_000, 100, 0.1)
    271225251
    """
    d = check_whole_number(classes, "the number of classes")
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

    Theorem 4 takes classes for equally likely; measured ones are not. 0 if not even k = 1.
    `PolicyError` if there are no shares, or one is not above 0 and at most 1.

    >>> k_of_shares([0.5, 0.3, 0.2], 1000, 0.1)
    184
    """
    n, _ = _check_request(population, 1, beta, bound)
    if not len(shares):
        raise PolicyError("give the share of at least one class")
    least = float(min(shares))
    if not (least > 0 and max(shares) <= 1 + _ROUNDING):
        raise PolicyError("the share of a class must be above 0 and at most 1")
    return _k_of_share(least, n, beta / len(shares) if simultaneous else beta, bound)


def population_of_share(share: float, k: float, beta: float, *, bound: Bound = "exact") -> int:
    """The smallest population whose class of this share has k people with chance 1 - beta.

    `LimitError` if the share is that of one of more than 10^15 classes, which no population fills.

    >>> population_of_share(0.01, 10, 0.1)
    1418
    """
    _, k = _check_request(LARGEST, k, beta, bound)
    if not 0 < share <= 1:
        raise PolicyError("the share of a class must be above 0 and at most 1")
    if share < 1 / _MOST_CLASSES:
        raise LimitError(
            f"no population fills that many classes: more than {_MOST_CLASSES:.0e}",
            remedy="use fewer columns, or coarser ones",
        )
    return _smallest_that_holds(lambda n: _holds_k(share, n, k, beta, bound), low=k)


def missing_probability(share: float, population: int, k: int, bound: Bound) -> float:
    """The probability, or its upper bound, that a class of this share holds fewer than k people."""
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


def check_whole_number(value: float, what: str) -> int:
    """Return a number as an int; `PolicyError` unless it is whole (3e8 is) and 1 or more."""
    number = isinstance(value, Real) and math.isfinite(value)
    if not (number and value == math.floor(value) and value >= 1):
        raise PolicyError(
            f"{what} must be a whole number, 1 or more", remedy="for example 100 or 3e8"
        )
    return int(value)


def check_beta(beta: float) -> float:
    """Return beta as a float; `PolicyError` unless it is strictly between 0 and 1."""
    if not (isinstance(beta, Real) and 0 < beta < 1):
        raise PolicyError(
            "beta must be above 0 and below 1",
            remedy="give the probability that a class may hold fewer people, for example 0.1",
        )
    return float(beta)


def _check_request(population: float, k: float, beta: float, bound: str) -> tuple[int, int]:
    """Return the population and k as whole numbers; `PolicyError` if the numbers make no sense."""
    n, k = check_whole_number(population, "the population"), check_whole_number(k, "k")
    if n > LARGEST:
        raise PolicyError(f"a population has at most {LARGEST:,} people")
    if k > n:
        raise PolicyError(
            f"k = {k:,} is more than the population of {n:,} people",
            remedy="ask for a smaller k, or give a larger population",
        )
    check_beta(beta)
    if bound not in {"exact", "chernoff"}:
        raise PolicyError("there is no such bound", remedy="choose exact or chernoff")
    return n, k


def _holds_k(share: float, population: int, k: int, beta: float, bound: Bound) -> bool:
    """Whether a class of this share holds k people with probability 1 - beta or more."""
    return missing_probability(share, population, k, bound) <= beta * (1 + _ROUNDING)


def _k_of_share(share: float, population: int, beta: float, bound: Bound) -> int:
    """The largest k that a class of this share holds with probability 1 - beta; 0 if none."""
    return _largest_that_holds(
        lambda k: _holds_k(share, population, k, beta, bound), low=0, high=population
    )


def _largest_that_holds(holds: Callable[[int], bool], *, low: int, high: int) -> int:
    """The largest n up to `high` with `holds(n)`, which is true from `low` up to that n."""
    return low + bisect_right(range(low + 1, high + 1), x=False, key=lambda n: not holds(n))


def _smallest_that_holds(holds: Callable[[int], bool], *, low: int) -> int:
    """The smallest n from `low` on with `holds(n)`, which is true from that n on."""
    high = low
    while not holds(high):
        low, high = high + 1, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


@dataclass(frozen=True)
class PopulationSample:
    """A table of people who were drawn from a population at random, and how sure its bounds are."""

    people: int
    """People of the table, also those whom the release leaves out."""
    columns: int
    """Columns that a class shows."""
    confidence: float
    """How likely it is, at least, that all bounds hold together: 0.5..1."""
    labels: Labels = "any"

    def least_share(self, size: int) -> float:
        """The least share of the population that a class with so many people of the table can have.

        0.0 if no share is sure; `ValueError` for more people than the table has.

        >>> round(PopulationSample(5_000, 1, 0.95).least_share(60), 4)
        0.0049
        """
        return _least_share(self, size)

    def supported_k(self, size: int, population: int, beta: float) -> int:
        """The k that a class with so many people of the table supports.

        It is their number or, if that is larger, the k that the share of the class supports. A beta
        above 0.5 is taken for 0.5: the share alone does not promise more people.

        >>> PopulationSample(5_000, 1, 0.95).supported_k(60, 10**6, 0.1)
        4768
        """
        share = self.least_share(size)
        return max(size, k_of_shares([share], population, min(beta, 0.5)) if share else 0)

    def least_size(self, population: int, k: int, beta: float) -> int:
        """The least number of people of a table that a class must hold to support k.

        >>> PopulationSample(5_000, 3, 0.95).least_size(10**6, 100, 0.1)
        25
        """
        return _least_size(self, population, k, min(beta, 0.5))


@lru_cache(maxsize=4096)
def _least_share(drawn: PopulationSample, size: int) -> float:
    """The result of `drawn.least_share`, 0.0 if none is sure; `ValueError` for impossible sizes."""
    if not 0 <= size <= drawn.people:
        raise ValueError("a class has no more people than its table")
    if not size:
        return 0.0
    low, high = _LEAST, math.log(size / drawn.people)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        sure = _log_chance_misled(drawn, size, math.exp(middle)) <= math.log1p(-drawn.confidence)
        low, high = (middle, high) if sure else (low, middle)
    return math.exp(low) if low > _LEAST else 0.0


@lru_cache(maxsize=4096)
def _least_size(drawn: PopulationSample, population: int, k: int, beta: float) -> int:
    """The number of people that `drawn.least_size` returns; at most k."""

    def holds(size: int) -> bool:
        """Whether a class of this size supports k, or would be larger than the table."""
        return size > drawn.people or drawn.supported_k(size, population, beta) >= k

    return 1 + bisect_left(range(1, max(k, 1)), x=True, key=holds)


def _log_chance_misled(drawn: PopulationSample, size: int, share: float) -> float:
    """The log of a bound of the chance that any class of a smaller share shows `size` people."""
    people, ends = drawn.people, 0
    if drawn.labels == "declared":
        ways = drawn.columns * math.log(_LEVELS) - math.log(share)
    else:
        ends = min(2 * drawn.columns, people)
        ways = math.lgamma(people + ends + 1) - math.lgamma(people + 1) - math.lgamma(ends + 1)
    return ways + _log_tail(size - ends, people - ends, share)


def _log_tail(size: int, people: int, share: float) -> float:
    """The logarithm of P[Bin(people, share) >= size], or an upper bound where that is tiny."""
    if size <= 0:
        return 0.0
    tail = float(special.betainc(float(size), float(people - size + 1), share))
    return math.log(tail) if tail > _TINY else _log_chernoff_bound(size, people, share)


def _log_chernoff_bound(size: int, people: int, share: float) -> float:
    """The logarithm of Chernoff's upper bound of P[Bin(people, share) >= size]."""
    part, rest = size / people, people - size
    if part <= share:
        return 0.0
    others = rest * (math.log1p(-part) - math.log1p(-share)) if rest else 0.0
    return -size * (math.log(part) - math.log(share)) - others
