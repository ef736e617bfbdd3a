"""Can a set of columns identify people at all, by its number of values? (Lodha-Thomas Section 2).

Whatever the distribution of the values is, a set of columns with D possible values leaves at most
a share f(D/n) of n people alone with theirs, in expectation. A set with too few values is therefore
almost certainly no quasi-identifier; one with enough of them may be one.
"""

import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from incrowd.errors import PolicyError
from incrowd.identify.measures import fold_records, ratios
from incrowd.identify.records import Records
from incrowd.lazy import module

special = module("scipy.special")

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
"""People, rounded from public figures for 2024: the test asks for orders of magnitude only."""


class CountSource(StrEnum):
    """Where a number of values comes from."""

    GIVEN = "given"
    DECLARED = "declared"
    """The product of the columns' declared numbers (Definition 3), never too few if right."""
    ESTIMATED = "estimated"
    """By the values that few records hold: see `estimate_values`."""
    OBSERVED = "observed"
    """Counted in the table: too few unless the table holds everybody."""


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
    source: CountSource = CountSource.GIVEN
    """Where the number of values comes from."""
    key: bool = False
    """Whether the set tells all records of the table apart."""

    @property
    def possible(self) -> bool:
        """Whether the set may be an alpha-quasi-identifier.

        A number that was declared is an upper bound and decides: no table makes 20,000 birth dates
        more. Values seen are too few, so a key of the table overrules them.
        """
        overruled = self.key and self.source is CountSource.OBSERVED
        return overruled or self.share >= self.alpha

    @property
    def crowd(self) -> float:
        """People per value, 1 at least: k of probabilistic k-anonymity (Figure 3); inf for none."""
        return max(self.population / self.distinct, 1.0) if self.distinct else math.inf

    @property
    def verdict(self) -> str:
        """The answer in words."""
        return f"{self.answer} an {self.alpha:g}-quasi-identifier"

    @property
    def answer(self) -> str:
        """Whether the set is a quasi-identifier, in words as sure as the source of the number."""
        return "possibly" if self.possible else _SURE[self.source]


_SOURCES = ("declared", "estimated", "observed")
_SURE = {
    CountSource.GIVEN: "almost certainly not",
    CountSource.DECLARED: "almost certainly not",
    CountSource.ESTIMATED: "probably not",
    CountSource.OBSERVED: "not by the values seen",
}


def distinct_value_test(
    distinct: float,
    people: float | str,
    alpha: float = 0.5,
    source: CountSource = CountSource.GIVEN,
    *,
    key: bool = False,
) -> DistinctValueTest:
    """Test whether so many distinct values can identify people of a population (number or name).

    The number may be infinite: then everybody may be alone. `PolicyError` if there is no such
    population, `alpha` is not above 0 and at most 1, or the number is negative.

    >>> distinct_value_test(4e9, 3e8, alpha=0.9).verdict
    'possibly an 0.9-quasi-identifier'
    >>> distinct_value_test(4e8, 6e9, alpha=0.05).verdict
    'almost certainly not an 0.05-quasi-identifier'
    """
    n = parse_population(people)
    if not 0 < alpha <= 1:
        raise PolicyError(f"alpha must be above 0 and at most 1, not {alpha:g}")
    if not distinct >= 0:
        raise PolicyError(f"the number of values must be 0 or more, not {distinct:g}")
    share = unique_share(distinct, n)
    return DistinctValueTest(float(distinct), n, share, alpha, threshold(alpha, n), source, key)


def unique_share(distinct: float, people: int) -> float:
    """The largest expected share of people alone with their value: f(D/n) (Theorems 1 and 2)."""
    if distinct <= people:
        return distinct / (math.e * people)
    return math.exp(-people / distinct)  # 1 for an infinite number


def threshold(alpha: float, people: int) -> float:
    """The least number of values with which the share of people alone can reach alpha.

    Theorem 3 has n / ln(1/alpha) for alpha of 0.5 and more; the formula holds down to 1/e, and
    below that Theorem 1 gives alpha e n. Infinite for an alpha of 1, which no number reaches.
    """
    if alpha <= 1 / math.e:
        return alpha * math.e * people
    return people / -math.log(alpha) if alpha < 1 else math.inf


def parse_population(people: float | str) -> int:
    """Read a number of people: itself, as text, or the name of a population of `POPULATIONS`.

    `PolicyError` if there is no such name, or the number is no whole one of 1 or more.

    >>> parse_population("3e8") == parse_population("300_000_000") == parse_population(300_000_000)
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
            remedy = (
                f"did you mean {near[0]!r}?" if near else "give a number such as 3e8, or one of "
            )
            remedy += "" if near else ", ".join(POPULATIONS)
            raise PolicyError("there is no population of that name", remedy=remedy) from None
    if not (math.isfinite(people) and people >= 1 and people == math.floor(people)):
        raise PolicyError(
            "the population must be a whole number of people, 1 or more", remedy="for example 3e8"
        )
    return int(people)


def values_by_domains(sizes: Sequence[float]) -> float:
    """The product of the columns' numbers of values: the multiple domain assumption (Definition 3).

    `PolicyError` if one is below 1.

    >>> values_by_domains([2, 20_000, 100_000])
    4000000000
    """
    if not all(size >= 1 for size in sizes):
        raise PolicyError("a column has at least one possible value")
    return math.prod(sizes)


def count_values(records: Records, columns: Sequence[int]) -> int:
    """How many distinct values a set of columns has in the table."""
    return ratios(records, columns).classes


def estimate_values(records: Records, columns: Sequence[int]) -> float:
    """Estimate how many values one or more columns may have together, seen and unseen.

    Infinite if several values are held by one record each and none by two. Chao's estimator: values
    seen, and f1 (f1 - 1) / (2 f2) unseen ones, with f1 values held by one record and f2 by two. It
    grows without bound as records become different. In place of f2 stands the mean with which a
    Poisson variable is f2 or more with a probability of 0.01, so that a few equal records do not
    make an estimate that looks sure. Where values are very unequal it is too low (Chao 1984),
    so what it rules out is improbable and no more.
    """
    sizes = fold_records(records.select([records.names[j] for j in columns])).counts
    once, twice = int(np.count_nonzero(sizes == 1)), int(np.count_nonzero(sizes == 2))
    pairs = once * (once - 1) / 2
    if not pairs:
        return float(len(sizes))
    return len(sizes) + pairs / float(special.gammaincinv(twice, 0.01)) if twice else math.inf


def _possible_values(
    records: Records, columns: Sequence[int], source: CountSource, known: Mapping[str, float]
) -> float:
    """How many values the columns may have, by this source; `known` are the declared numbers.

    An estimate may be infinite. `PolicyError` for `DECLARED` if one is lacking, and for `GIVEN`.
    """
    names = [records.names[j] for j in columns]
    match source:
        case CountSource.OBSERVED:
            return count_values(records, columns)
        case CountSource.DECLARED:
            return _declared_values(names, known, "leave out --source declared")
        case CountSource.ESTIMATED:
            declared = values_by_domains([known[name] for name in names if name in known])
            unknown = [j for n, j in zip(names, columns, strict=True) if n not in known]
            if not unknown:
                return declared
            each = values_by_domains([estimate_values(records, [j]) for j in unknown])
            return declared * max(each, estimate_values(records, unknown))
        case _:
            raise PolicyError("the number of values is not given", remedy="choose another source")


def _declared_values(names: Sequence[str], known: Mapping[str, float], otherwise: str) -> float:
    """The product of declared numbers; if one is lacking, `PolicyError` offers `otherwise`, too."""
    if lacking := [name for name in names if name not in known]:
        raise PolicyError(
            f"the number of possible values of {lacking[0]!r} is not declared",
            remedy=f"add --domain {lacking[0]}=N, or {otherwise}",
        )
    return values_by_domains([known[name] for name in names])


@dataclass(frozen=True)
class PopulationTest:
    """A population that sets of columns are judged for, and how their values are counted."""

    people: int
    alpha: float
    source: CountSource | None
    domains: Mapping[str, float]

    @classmethod
    def of(
        cls,
        people: float | str | None,
        domains: Mapping[str, float],
        alpha: float | None,
        source: str | None,
    ) -> "PopulationTest | None":
        """The test asked for; None without people; `PolicyError` for wrong or useless options."""
        if people is None:
            given = {"domains": domains or None, "alpha": alpha, "source": source}
            if unused := [name for name, value in given.items() if value is not None]:
                raise PolicyError(
                    f"{unused[0]} needs a population",
                    remedy="give the number of people as well, for example population 3e8",
                )
            return None
        if alpha is not None and not 0 < alpha <= 1:
            raise PolicyError("alpha must be above 0 and at most 1")
        if not all(size >= 1 for size in domains.values()):
            raise PolicyError("a column has at least one possible value")
        if source is not None and source not in _SOURCES:
            raise PolicyError(
                "there is no such source", remedy=f"choose one of {', '.join(_SOURCES)}"
            )
        how = None if source is None else CountSource(source)
        return cls(parse_population(people), 0.5 if alpha is None else alpha, how, domains)

    def test(self, rows: Records, columns: Sequence[int]) -> DistinctValueTest:
        """Test whether a set of columns of a table can identify people of the population.

        Without a source, declared numbers of values are taken if all of the columns have one, else
        an estimate for the columns without a declared number, times the declared ones. It is
        infinite if these columns alone tell all of several records apart. `PolicyError` if the
        source is `DECLARED` and a number is lacking.
        """
        source = self.source
        if source is None:
            declared = all(rows.names[j] in self.domains for j in columns)
            source = CountSource.DECLARED if declared else CountSource.ESTIMATED
        distinct = _possible_values(rows, columns, source, self.domains)
        key = rows.total > 1 and count_values(rows, columns) == rows.total
        return distinct_value_test(distinct, self.people, self.alpha, source, key=key)

    def test_without_table(self, names: Sequence[str]) -> DistinctValueTest:
        """Test columns by declared numbers; `PolicyError` if one lacks, or `source` is another."""
        if self.source not in {None, CountSource.DECLARED}:
            raise PolicyError(
                f"without a table nothing is {self.source}",
                remedy="name a table, or declare the number of values of every column",
            )
        distinct = _declared_values(names, self.domains, "name a table to estimate it from")
        return distinct_value_test(distinct, self.people, self.alpha, CountSource.DECLARED)

    def notes(self, rows: Records) -> Iterator[str]:
        """Yield a note for each column with more values than were declared."""
        for name, size in self.domains.items():
            held = count_values(rows, rows.places([name])) if name in rows.names else 0
            if held > size:
                yield (
                    f"{name} has {held:,} different values, more than the {size:,.0f} declared: "
                    "the test is only as good as that number"
                )
