"""Can a set of columns identify people at all, by its number of values? (Lodha-Thomas Section 2).

Whatever the distribution of the values is, a set of columns with D possible values leaves at most
a share f(D/n) of n people alone with theirs, in expectation. A set with too few values is therefore
almost certainly no quasi-identifier; one with enough of them may be one.
"""

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from incrowd.arrays import Counts
from incrowd.errors import PolicyError
from incrowd.quasi.measures import Partition
from incrowd.quasi.records import Records

POPULATIONS: dict[str, int] = {
    "australia": 27_000_000,
    "austria": 9_200_000,
    "belgium": 11_800_000,
    "brazil": 212_000_000,
    "canada": 41_000_000,
    "china": 1_410_000_000,
    "eu": 449_000_000,
    "france": 68_000_000,
    "germany": 84_000_000,
    "india": 1_450_000_000,
    "italy": 59_000_000,
    "japan": 124_000_000,
    "netherlands": 18_000_000,
    "poland": 37_000_000,
    "spain": 49_000_000,
    "sweden": 10_600_000,
    "switzerland": 9_000_000,
    "uk": 69_000_000,
    "usa": 340_000_000,
    "world": 8_200_000_000,
}
"""People, rounded from public figures for 2024: the test asks for orders of magnitude only.

Where the exact number matters, a number says it.
"""


class Source(StrEnum):
    """Where a number of values comes from."""

    GIVEN = "given"
    DOMAINS = "domains"
    """The product of the columns' numbers of values: the multiple domain assumption, never too
    few if those numbers are right (Lodha-Thomas Definition 3)."""
    OBSERVED = "observed"
    """Counted in the table: too few unless the table holds everybody."""
    CHAO1 = "chao1"
    """Chao's estimator, bias-corrected: what the table holds, and a low guess at what it lacks."""
    GEE = "gee"
    """The guaranteed-error estimator of Charikar, Chaudhuri, Motwani and Narasayya (2000): within a
    factor of sqrt(people / records), whatever the values are."""


@dataclass(frozen=True)
class DistinctValueTest:
    """What the number of values says about a set of columns."""

    distinct: float
    """Possible values of the set: D."""
    population: int
    """People in the universe: n."""
    share: float
    """The largest expected share of people alone with their value: f(D/n), 0..1."""
    alpha: float
    """The share of people that makes a quasi-identifier."""
    threshold: float
    """The number of values that an alpha-quasi-identifier needs (Theorem 3)."""
    source: Source = Source.GIVEN
    """Where the number of values comes from."""

    @property
    def possible(self) -> bool:
        """Whether the set may be an alpha-quasi-identifier; if not, it almost certainly is none."""
        return self.share >= self.alpha

    @property
    def crowd(self) -> float:
        """People per value: the k of probabilistic k-anonymity, 1 at least (Figure 3)."""
        return max(self.population / self.distinct, 1.0) if self.distinct else math.inf

    @property
    def verdict(self) -> str:
        """The answer in words."""
        if self.possible:
            return f"possibly an {self.alpha:g}-quasi-identifier"
        return f"almost certainly not an {self.alpha:g}-quasi-identifier"


def distinct_value_test(
    distinct: float,
    people: float | str,
    alpha: float = 0.5,
    source: Source = Source.GIVEN,
) -> DistinctValueTest:
    """What this number of values says for a population, given as a number or by name.

    >>> distinct_value_test(4e9, 3e8, alpha=0.9).verdict
    'possibly an 0.9-quasi-identifier'
    >>> distinct_value_test(4e8, 6e9, alpha=0.05).verdict
    'almost certainly not an 0.05-quasi-identifier'
    """
    n = population(people)
    if not 0 < alpha <= 1:
        raise PolicyError(f"alpha must be above 0 and at most 1, and is {alpha:g}")
    if not (distinct >= 0 and math.isfinite(distinct)):
        raise PolicyError(f"the number of values must be 0 or more, and is {distinct:g}")
    share = unique_share(distinct, n)
    return DistinctValueTest(float(distinct), n, share, alpha, threshold(alpha, n), source)


def unique_share(distinct: float, people: int) -> float:
    """The largest expected share of people alone with their value (Theorems 1 and 2): f(D/n)."""
    if distinct <= people:
        return distinct / (math.e * people)
    return math.exp(-people / distinct)


def threshold(alpha: float, people: int) -> float:
    """The least number of values with which the share of people alone can reach alpha.

    Theorem 3 has n / ln(1/alpha) for alpha of 0.5 and more; the formula holds down to 1/e, and
    below that Theorem 1 gives alpha e n. No number of values reaches 1.
    """
    if alpha <= 1 / math.e:
        return alpha * math.e * people
    return people / -math.log(alpha) if alpha < 1 else math.inf


def population(people: float | str) -> int:
    """How many people: a number, or the name of a population in `POPULATIONS`, rounded there.

    >>> population("3e8") == population("300_000_000") == population(300_000_000)
    True
    """
    if isinstance(people, str):
        name = people.strip().casefold()
        if name in POPULATIONS:
            return POPULATIONS[name]
        try:
            people = float(name.replace("_", "").replace(",", ""))
        except ValueError:
            near = difflib.get_close_matches(name, POPULATIONS, 1)
            remedy = f"did you mean {near[0]!r}?" if near else "give a number, as 3e8, or one of "
            remedy += "" if near else ", ".join(POPULATIONS)
            raise PolicyError("no such population", remedy=remedy) from None
    if not (math.isfinite(people) and people >= 1 and people == math.floor(people)):
        raise PolicyError(
            "a population is a whole number of people, from 1 on", remedy="give 3e8, say"
        )
    return int(people)


def by_domains(sizes: Sequence[int]) -> int:
    """Values of a set of columns by the multiple domain assumption (Definition 3).

    >>> by_domains([2, 20_000, 100_000])
    4000000000
    """
    if any(size < 1 for size in sizes):
        raise PolicyError("a column has at least one possible value")
    return math.prod(sizes)


def observed(records: Records, columns: Sequence[int]) -> int:
    """Values of a set of columns that occur in the table."""
    return len(_sizes(records, columns))


def chao1(records: Records, columns: Sequence[int]) -> float:
    """Chao's bias-corrected estimate of the values of a set of columns in the universe.

    Observed values and f1 (f1 - 1) / (2 (f2 + 1)), with f1 values held by one record and f2 by two.
    """
    sizes = _sizes(records, columns)
    once, twice = int(np.count_nonzero(sizes == 1)), int(np.count_nonzero(sizes == 2))
    return len(sizes) + once * (once - 1) / (2 * (twice + 1))


def gee(records: Records, columns: Sequence[int], people: float | str) -> float:
    """The guaranteed-error estimate of the values of a set of columns among that many people.

    Values held by one record count sqrt(people / records) each, all others once.
    """
    sizes = _sizes(records, columns)
    once = int(np.count_nonzero(sizes == 1))
    scale = math.sqrt(max(population(people) / records.total, 1.0)) if records.total else 1.0
    return scale * once + len(sizes) - once


def assess(  # noqa: PLR0913  the last three are options
    records: Records,
    columns: Sequence[int],
    people: float | str,
    *,
    alpha: float = 0.5,
    source: Source = Source.GEE,
    domains: Sequence[int] | None = None,
) -> DistinctValueTest:
    """The test for columns of a table; `domains` are their numbers of values, if known."""
    match source:
        case Source.DOMAINS if domains is not None and len(domains) == len(columns):
            return distinct_value_test(by_domains(domains), people, alpha, source)
        case Source.OBSERVED:
            return distinct_value_test(observed(records, columns), people, alpha, source)
        case Source.CHAO1:
            return distinct_value_test(chao1(records, columns), people, alpha, source)
        case Source.GEE:
            return distinct_value_test(gee(records, columns, people), people, alpha, source)
        case _:
            raise PolicyError("the number of values of each column is not given")


def _sizes(records: Records, columns: Sequence[int]) -> Counts:
    partition = Partition.whole(records)
    for j in columns:
        partition = partition.refined(records, j)
    return partition.sizes
