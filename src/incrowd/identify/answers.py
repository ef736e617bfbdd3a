"""Which columns tell records apart: what is asked, and the answer from all records."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from incrowd.errors import InfeasibleError, PolicyError
from incrowd.identify.branch import count_shared
from incrowd.identify.distinct_values import PopulationTest
from incrowd.identify.labelled import RecordGroups
from incrowd.identify.measures import ratios_of_all
from incrowd.identify.minimal import minimal_sets
from incrowd.identify.minimum import MOST_COLUMNS, Minimum, exact_minimum, greedy_key
from incrowd.identify.outcome import Basis, ColumnSet, Guarantee
from incrowd.identify.records import Measure, Records, measure_of
from incrowd.identify.sampling import partial_pairs, separation_pairs
from incrowd.table.names import unique_names
from incrowd.watch import Watch

TIME_LIMIT = 60.0
"""Default number of seconds that a search may take."""
_LISTED = 1_000
"""The most sets that are listed."""
_LOOKED_AT = 10**8
"""The most rows times sets that are measured for the list."""


@dataclass(frozen=True)
class DiscoverOptions:
    """What `discover` looks for, as its request says it. Checked before anything is read."""

    columns: tuple[str, ...] | None = None
    measure: Measure = Measure.DISTINCT
    ratio: float | None = None
    max_size: int | None = None
    exact: bool | None = None
    """Whether to look at all records (True), at a sample (False), or at whatever fits (None)."""
    epsilon: float | None = None
    delta: float = 0.01
    sample: int | None = None
    population: float | str | None = None
    domains: Mapping[str, float] = field(default_factory=dict)
    alpha: float | None = None
    source: str | None = None
    explain: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    """What columns cost whoever wants to know them, for the cheapest set; 1 if not given."""
    drop_duplicates: bool = False
    seed: int | None = None
    time_limit: float | None = TIME_LIMIT

    def __post_init__(self) -> None:
        columns = None if self.columns is None else unique_names(self.columns)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "explain", unique_names(self.explain))
        object.__setattr__(self, "measure", measure_of(self.measure))
        object.__setattr__(self, "domains", dict(self.domains or {}))
        object.__setattr__(self, "weights", dict(self.weights or {}))
        self._check_sample()
        self._check_weights()
        self._check_limits()
        for name in self.explain:
            if columns and name not in columns:
                raise PolicyError(
                    f"{name!r} is to be explained but is not among the columns to look at",
                    remedy="add it to --columns",
                )
        self.population_test  # noqa: B018  it refuses what does not fit together

    def _check_sample(self) -> None:
        """Refuse epsilon or sample beside an exact answer; sizes, shares and seeds out of range."""
        if self.exact and not (self.epsilon is None and self.sample is None):
            raise PolicyError(
                "an exact answer takes no epsilon and no sample",
                remedy="leave out --exact, or leave out --epsilon and --sample",
            )
        if self.sample is not None and self.sample < 1:
            raise PolicyError("a sample has at least one record", remedy="give 1 or more")
        for name, share in (("epsilon", self.epsilon), ("delta", self.delta)):
            if share is not None and not 0 < share < 1:
                raise PolicyError(f"{name} must be between 0 and 1")
        if self.seed is not None and self.seed < 0:
            raise PolicyError("the seed must be 0 or more", remedy="give a whole number")

    def _check_weights(self) -> None:
        """Refuse weights that are not above 0, and weights for an answer from a sample."""
        for name, weight in self.weights.items():
            if not (weight > 0 and math.isfinite(weight)):
                raise PolicyError(
                    f"the weight of {name!r} must be above 0", remedy="write, for example, zip=2"
                )
        if self.weights and not (self.epsilon is None and self.sample is None):
            raise weighted_sample_error()

    def costs(self, names: Sequence[str]) -> list[float] | None:
        """The weight of each of these columns, 1 if it has none; None if no weights are given."""
        return [float(self.weights.get(name, 1.0)) for name in names] if self.weights else None

    def _check_limits(self) -> None:
        """Refuse a time limit, a ratio or a largest size out of range."""
        if self.time_limit is not None and not self.time_limit >= 0:
            raise PolicyError("the time limit must be 0 seconds or more")
        if not 0 < self.least_ratio <= 1:
            raise PolicyError("the ratio must be above 0 and at most 1")
        if self.max_size is not None and self.max_size < 1:
            raise PolicyError("a set has at least one column", remedy="give a size of 1 or more")

    @property
    def least_ratio(self) -> float:
        """The ratio that a set must reach: as asked, else 0.9, or 1 if there is an epsilon."""
        if self.ratio is not None:
            return self.ratio
        return 0.9 if self.epsilon is None else 1.0

    @property
    def named_columns(self) -> tuple[str, ...]:
        """All columns that are named anywhere but in `domains` and `weights`."""
        return (*(self.columns or ()), *self.explain)

    @property
    def measured_by_pairs(self) -> bool:
        """Whether a set is judged by drawn pairs of records, as for the separation ratio."""
        return self.measure is Measure.SEPARATION

    def pairs_for(self, width: int, epsilon: float) -> int:
        """How many pairs to draw for `width` columns (Motwani-Xu Theorem 5 for a key, else 8)."""
        if self.least_ratio == 1:
            return separation_pairs(width, epsilon, self.delta)
        return partial_pairs(width, self.least_ratio, epsilon, self.delta)

    @property
    def population_test(self) -> PopulationTest | None:
        """The test of sets for the population; None without one (see `PopulationTest.of`)."""
        return PopulationTest.of(self.population, self.domains, self.alpha, self.source)

    def largest_size(self, width: int) -> int | None:
        """The most columns of a set: as asked, else by the table's width; None for any number."""
        if self.max_size is not None or width <= 18:
            return self.max_size
        return 4 if width <= 32 else 3


def weighted_sample_error() -> PolicyError:
    """The error that weights are given where only a sample is looked at."""
    return PolicyError(
        "the cheapest set of columns is found on all records, not on a sample",
        remedy="leave out --weights, or look at all records with --exact",
    )


@dataclass(frozen=True)
class SetAnswer:
    """Sets of columns by their places; `minimum` is a smallest or cheapest one, or None."""

    sets: tuple[tuple[int, ...], ...]
    minimum: tuple[int, ...] | None
    minimum_guarantee: Guarantee
    guarantee: Guarantee
    promise: str
    partial: bool
    notes: tuple[str, ...] = ()
    basis: Basis = Basis.COUNTED
    reaches: float | None = None
    """The least ratio of each set, with chance 1 - delta; None if counted, or not promised."""


def exact_answer(records: Records, options: DiscoverOptions, watch: Watch) -> SetAnswer:
    """Find, on all records, minimal sets up to a size and a smallest or cheapest one, if any."""
    measure, ratio = options.measure, options.least_ratio
    if ratios_of_all(records).ratio(measure) < ratio:
        return _unreachable_answer()
    limit = options.largest_size(records.width)
    try:
        greedy = greedy_key(records, ratio, measure)
        most = options.max_size if ratio == 1 else limit
        minimal = minimal_sets(records, measure, ratio, max_size=most, watch=watch, otherwise=limit)
    except InfeasibleError:
        return _unreachable_answer()
    partial = watch.expired and not minimal.complete
    minimum, promise = _smallest_set(records, options, watch, (greedy, minimal.sets, partial))
    return SetAnswer(
        minimal.sets,
        minimum,
        promise,
        minimal.guarantee,
        "each set reaches the ratio, and no smaller set within it does",
        partial,
    )


def _unreachable_answer() -> SetAnswer:
    """The answer if even all columns together fall short of the ratio: no sets."""
    searched = Guarantee(exact=True, searched="all columns together")
    promise = "no set of columns reaches the ratio"
    return SetAnswer((), None, searched, searched, promise, partial=False)


def _smallest_set(
    records: Records,
    options: DiscoverOptions,
    watch: Watch,
    known: tuple[Minimum, tuple[tuple[int, ...], ...], bool],
) -> tuple[tuple[int, ...], Guarantee]:
    """The columns of a smallest set that reaches the ratio, and what is promised of it.

    The first of the smallest minimal sets if their search was not cut short; otherwise what an
    exact search finds, or the smallest known set if there are many columns or no time. With
    weights, the cheapest. `known`: the greedy set, the minimal sets, whether these are partial.
    """
    greedy, sets, partial = known
    if (costs := options.costs(records.names)) is not None:
        return _cheapest_set(records, options, watch, (greedy, sets), costs)
    if sets and not partial:
        columns = min(sets, key=len)
        return columns, Guarantee(exact=True, searched="all smaller sets, on all records")
    if not partial and records.width <= MOST_COLUMNS and not watch.expired:
        smallest = exact_minimum(records, options.measure, options.least_ratio, watch)
        return smallest.columns, smallest.guarantee
    columns = min([*sets, greedy.columns], key=len)
    return columns, replace(greedy.guarantee, not_searched="whether fewer columns would do")


def _cheapest_set(
    records: Records,
    options: DiscoverOptions,
    watch: Watch,
    known: tuple[Minimum, tuple[tuple[int, ...], ...]],
    costs: Sequence[float],
) -> tuple[tuple[int, ...], Guarantee]:
    """The cheapest set by `costs` and its promise; with many columns or no time, of `known`."""
    greedy, sets = known
    if records.width <= MOST_COLUMNS and not watch.expired:
        measure, ratio = options.measure, options.least_ratio
        cheapest = exact_minimum(records, measure, ratio, watch, costs=costs)
        if not cheapest.guarantee.not_searched:
            return cheapest.columns, cheapest.guarantee
    columns = min([*sets, greedy.columns], key=lambda one: math.fsum(costs[j] for j in one))
    return columns, replace(greedy.guarantee, not_searched="whether cheaper columns would do")


def sets_to_list(answer: SetAnswer, rows: Records) -> list[tuple[int, ...]]:
    """The smallest sets of an answer, by size: at most 1,000, or down to 100 if rows are many."""
    most = min(_LISTED, max(100, _LOOKED_AT // max(1, rows.rows)))
    return sorted(answer.sets, key=lambda one: (len(one), one))[:most]


def measure_sets(rows: Records, sets: Sequence[tuple[int, ...]]) -> Iterator[ColumnSet]:
    """Yield each set, none of them empty, with its ratios; quick where neighbours begin alike."""
    path: list[int] = []
    groups = [RecordGroups.whole(rows)]
    for *first, last in sets:
        shared = count_shared(first, path)
        del groups[shared + 1 :]
        for j in first[shared:]:
            groups.append(groups[-1].split(rows, j))
        path = first
        names = tuple(rows.names[j] for j in (*first, last))
        yield ColumnSet(names, groups[-1].ratios_with(rows, last))
