"""The least share of a population that a class holds, with confidence, by the people drawn into it.

A class with m of the n people of a table is not a share m/n of the population: rare classes are
seen by luck, and the luckiest of many are the ones that get released. So shares are bounded from
below, for all classes at once. If a class of share q holds m of n people drawn at random with a
probability of at most P[Bin(n, q) >= m] (Clopper and Pearson 1934), then all classes together
mislead with at most the sum of these probabilities over every class that could have been shown:

- `declared` labels: each column shows one level of a hierarchy that was fixed without the table.
  At most 1/q classes have a share of q, and there are at most 32 levels of each column to choose
  from. Classes below q do not add up to more: the tail grows faster than the share.
- `any` labels: a class shows, in each of d columns, something that two people determine (the ends
  of an interval, the node above two values). Leave these 2d people out: the others are drawn
  without regard to the class. At most C(n + 2d, 2d) classes can be drawn in this way.

Tables are drawn without replacement. Their counts spread less than Bin(n, q), so the bound errs on
the safe side; and a class holds at least the people who were seen in it.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from incrowd.lazy import module
from incrowd.population.bounds import k_of_shares

special = module("scipy.special")

Labels: TypeAlias = Literal["any", "declared"]
"""Whether classes were drawn around the people of the table, or levels were fixed without it."""

_LEVELS = 32
"""Levels of a column that a search may choose from."""
_TINY = 1e-280
"""Smaller tails are bounded by Chernoff's inequality in place of being computed."""
_LEAST = -700.0
"""The logarithm of a share that is nothing."""
_STEPS = 200


@dataclass(frozen=True)
class Drawn:
    """A table of people who were drawn from a population at random, and how sure its bounds are."""

    people: int
    """People of the table, also those whom the release leaves out."""
    columns: int
    """Columns that a class shows."""
    confidence: float
    """How likely it is, at least, that all bounds hold together: 0.5..1."""
    labels: Labels = "any"

    def share(self, size: int) -> float:
        """The share of the population that a class of so many people has at least.

        >>> Drawn(5_000, 1, 0.95, "declared").share(1), round(Drawn(5_000, 1, 0.95).share(60), 4)
        (0.0, 0.0049)
        """
        return _share(self, size)

    def supports(self, size: int, population: int, beta: float) -> int:
        """The k that a class of so many people supports: those seen, or those of its share.

        A beta above 0.5 is taken for 0.5: the share alone does not promise more people.

        >>> Drawn(5_000, 1, 0.95).supports(60, 10**6, 0.1), Drawn(60, 1, 0.95).supports(9, 60, 0.1)
        (4768, 9)
        """
        share = self.share(size)
        return max(size, k_of_shares([share], population, min(beta, 0.5)) if share else 0)

    def least(self, population: int, k: int, beta: float) -> int:
        """How many people of the table a class must hold to support k of the population.

        >>> Drawn(5_000, 3, 0.95).least(10**6, 100, 0.1), Drawn(300, 3, 0.95).least(300, 10, 0.1)
        (25, 10)
        """
        return _least(self, population, k, min(beta, 0.5))


@lru_cache(maxsize=4096)
def _share(drawn: Drawn, size: int) -> float:
    if not 0 <= size <= drawn.people:
        raise ValueError("a class has no more people than its table")
    if not size:
        return 0.0
    low, high = _LEAST, math.log(size / drawn.people)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        sure = _log_misled(drawn, size, math.exp(middle)) <= math.log1p(-drawn.confidence)
        low, high = (middle, high) if sure else (low, middle)
    return math.exp(low) if low > _LEAST else 0.0


@lru_cache(maxsize=4096)
def _least(drawn: Drawn, population: int, k: int, beta: float) -> int:
    low, high = 1, max(k, 1)
    while low < high:
        middle = (low + high) // 2
        enough = middle > drawn.people or drawn.supports(middle, population, beta) >= k
        low, high = (low, middle) if enough else (middle + 1, high)
    return low


def _log_misled(drawn: Drawn, size: int, share: float) -> float:
    """The logarithm of a bound: how likely some class of a smaller share holds so many people."""
    people, ends = drawn.people, 0
    if drawn.labels == "declared":
        ways = drawn.columns * math.log(_LEVELS) - math.log(share)
    else:
        ends = min(2 * drawn.columns, people)
        ways = math.lgamma(people + ends + 1) - math.lgamma(people + 1) - math.lgamma(ends + 1)
    return ways + _log_tail(size - ends, people - ends, share)


def _log_tail(size: int, people: int, share: float) -> float:
    """Log P[Bin(people, share) >= size], or a little more."""
    if size <= 0:
        return 0.0
    tail = float(special.betainc(float(size), float(people - size + 1), share))
    return math.log(tail) if tail > _TINY else _chernoff(size, people, share)


def _chernoff(size: int, people: int, share: float) -> float:
    """Minus people times the divergence of what was seen from the share."""
    part, rest = size / people, people - size
    if part <= share:
        return 0.0
    others = rest * (math.log1p(-part) - math.log1p(-share)) if rest else 0.0
    return -size * (math.log(part) - math.log(share)) - others
