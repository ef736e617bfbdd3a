"""What a search for quasi-identifiers found or left, and how far it may be trusted."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from incrowd.identify.distinct_values import DistinctValueTest
from incrowd.identify.records import Measure, Ratios
from incrowd.showing import Shown


class Basis(StrEnum):
    """What is certain of the sets of columns in an answer."""

    COUNTED = "counted"
    """Each reaches the ratio that was asked for, counted on all records."""
    AT_LEAST = "at least"
    """Each reaches a ratio that the sample promises, with chance 1 - delta."""
    RELATIVE = "relative"
    """With chance 1 - delta, each tells apart nearly all pairs that all columns together do."""
    CANDIDATES = "candidates"
    """With chance 1 - delta, each set that reaches the ratio contains one; they may reach less."""


@dataclass(frozen=True)
class Guarantee:
    """How far an answer may be trusted (Motwani-Xu Section 1.1)."""

    exact: bool
    """Computed on every record: nothing is left to chance."""
    epsilon: float | None = None
    """How far a ratio may be off, 0..1; None for exact answers."""
    delta: float | None = None
    """How likely it is, at most, that the answer breaks its promise; None for exact answers."""
    sample: int | None = None
    """Records or pairs that were drawn; None if none were."""
    searched: str = ""
    """What was looked at, in words."""
    not_searched: str = ""
    """What was not looked at, in words; empty when that is nothing."""

    @classmethod
    def of_sample(
        cls, sample: int, delta: float, searched: str, left: str, epsilon: float | None = None
    ) -> "Guarantee":
        """The guarantee of so many drawn records or pairs; `left` is what was not searched."""
        return cls(False, epsilon, delta, sample, searched, left)


@dataclass(frozen=True)
class ColumnSet:
    """A set of columns and how well it tells records apart."""

    columns: tuple[str, ...]
    ratios: Ratios

    @property
    def distinct(self) -> float:
        """Distinct values over records."""
        return self.ratios.distinct_ratio

    @property
    def separation(self) -> float:
        """Pairs told apart over all pairs."""
        return self.ratios.separation_ratio

    @property
    def unique(self) -> float:
        """Records alone in their class over records."""
        return self.ratios.unique_ratio


@dataclass(frozen=True)
class SmallestSet(ColumnSet):
    """A small set of columns that reaches the ratio, and what is promised of it."""

    guarantee: Guarantee
    cost: float | None = None
    """What its columns cost together, where the cheapest set was asked for."""


@dataclass(frozen=True)
class Coarser:
    """Ratios of a set when one of its columns shows coarser values."""

    level: int
    values: int
    """Distinct values of the column that are left."""
    ratios: Ratios


@dataclass(frozen=True)
class Explanation:
    """Why a column identifies: what it adds, whom it needs, what coarser values would change."""

    column: str
    alone: Ratios
    without: Ratios
    """What all other columns do without it."""
    together: Ratios
    """What all columns do."""
    partners: tuple[tuple[str, ...], ...]
    """The smallest sets with which it reaches the ratio; an empty one if it does alone."""
    complete: bool
    """Whether all sets of partners were looked at that the search allows."""
    among: tuple[str, ...]
    """The set whose column is coarsened."""
    coarser: tuple[Coarser, ...]
    """That set at each level of the column's suggested hierarchy, the values themselves first."""


@dataclass(frozen=True, eq=False)
class Discovery(Shown):
    """Sets of columns that tell the records of a table apart, the smallest first."""

    records: int
    """Records of the table."""
    measure: Measure
    ratio: float
    """The ratio that was asked for."""
    sets: tuple[ColumnSet, ...]
    """Minimal sets that reach it: without any of their columns they do not."""
    found: int
    """How many minimal sets were found; not all of them need to be listed."""
    minimum: SmallestSet | None
    """A set of few columns that reaches the ratio; None if none was found."""
    best: ColumnSet
    """All columns together: no set reaches more."""
    guarantee: Guarantee
    promise: str
    """What is promised of the sets, in words."""
    sampled: bool
    """Whether the figures are those of a sample; those of the table may be lower."""
    seconds: float
    basis: Basis = Basis.COUNTED
    reaches: float | None = None
    """The least ratio of each set, with chance 1 - delta; None if counted, or not promised."""
    tests: tuple[DistinctValueTest, ...] = ()
    """For each set, what its number of values says for a population."""
    explanations: tuple[Explanation, ...] = ()
    notes: tuple[str, ...] = ()
    partial: bool = False
    """Whether the search was cut short by time or by an interruption."""
    bounded: bool = False
    """Whether `records` are the different ones of a table that went by, and at most so many."""

    def __repr__(self) -> str:
        return (
            f"Discovery({self.found} sets for a {self.measure} ratio of {self.ratio:g}, "
            f"{self.basis.value}, {self.records} records)"
        )


@dataclass(frozen=True, eq=False)
class Masked(Shown):
    """A table with the published columns only, and what they do to its records."""

    frame: Any
    """The rows that leave, in the kind of frame that came in; None if they went by."""
    published: tuple[str, ...]
    withheld: tuple[str, ...]
    measure: Measure
    limit: float
    """The ratio that was not to be exceeded."""
    ratios: Ratios
    """Counted anew on the rows that leave."""
    utility: float
    """The sum of the weights of the published columns."""
    guarantee: Guarantee
    notes: tuple[str, ...]
    seconds: float

    @property
    def ratio(self) -> float:
        """The ratio of the published columns, counted anew on the rows that leave."""
        return self.ratios.ratio(self.measure)

    @property
    def found(self) -> ColumnSet:
        """The published columns with all their figures."""
        return ColumnSet(self.published, self.ratios)

    def __repr__(self) -> str:
        """Without values."""
        return (
            f"Masked({len(self.published)} of {len(self.published) + len(self.withheld)} columns, "
            f"{self.measure} ratio {self.ratio:.4g})"
        )


@dataclass(frozen=True)
class SmallGroup:
    """A set of columns, and the fewest people that one of its values names."""

    columns: tuple[str, ...]
    smallest: int


@dataclass(frozen=True)
class Groups(Shown):
    """The minimal sets of columns that name groups of at most k people."""

    k: int
    people: int
    """Different individuals in the table."""
    sets: tuple[SmallGroup, ...]
    """Small sets first. What contains one of them is such a set too (Bettini Proposition 2)."""
    partial: bool
    """Whether the search was cut short, by time or by the largest size asked for."""
    notes: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class JudgedSet:
    """A named set of columns, and what its number of values says for a population."""

    columns: tuple[str, ...]
    test: DistinctValueTest
    ratios: Ratios | None = None
    """What it does to the records of a table; None without one."""


@dataclass(frozen=True)
class JudgedSets(Shown):
    """Named sets of columns, judged for a population (Lodha-Thomas Figure 3)."""

    sets: tuple[JudgedSet, ...]
    population: int
    alpha: float
    records: int | None = None
    """Records of the table; None without one."""
    notes: tuple[str, ...] = ()

    @property
    def possible(self) -> tuple[JudgedSet, ...]:
        """The sets that may be quasi-identifiers for the population."""
        return tuple(one for one in self.sets if one.test.possible)
