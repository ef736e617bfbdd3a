"""Which columns `mask` withholds lest others tell records apart (Motwani-Xu Section 4)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np

from incrowd.errors import InfeasibleError, PolicyError
from incrowd.identify.answers import TIME_LIMIT
from incrowd.identify.hitting_sets import bits_of, columns_of, find_lightest
from incrowd.identify.labelled import RecordGroups
from incrowd.identify.measures import fold_records, ratios
from incrowd.identify.minimum import MOST_COLUMNS
from incrowd.identify.outcome import Guarantee
from incrowd.identify.records import Measure, Ratios, Records, measure_of
from incrowd.identify.sampling import (
    Differences,
    pruning_ratio,
    sample_pairs,
    sample_rows,
    size_for_pruning_share,
)
from incrowd.table.names import unique_names
from incrowd.watch import Watch

Method = Literal["greedy", "sampled", "exact"]

SAMPLE = 50_000
"""Default number of records or pairs to draw; Motwani-Xu Section 5.2 draws 30,000 and 50,000."""
_WEAK = 0.9
"""A sample is small if it leaves less than this share of the ratio that is allowed."""
NOT_ANONYMOUS = (
    "the published columns keep their exact values: this is not anonymization, and single records "
    "may still be unique"
)
_ORDER = "the records keep their order, which may tell who is who"


@dataclass(frozen=True)
class WithholdRequest:
    """What may be published, as the request of `mask` says it. Checked before anything is read."""

    ratio: float
    measure: Measure = Measure.DISTINCT
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    method: Method = "greedy"
    """`greedy` looks at the whole table. `sampled` looks at some of it and stays strictly below a
    lower ratio, so that it exceeds `ratio` with probability `delta` at most. `exact` finds the best
    choice among some thirty columns."""
    sample: int | None = None
    delta: float = 0.01
    seed: int | None = None
    keep_order: bool = False
    time_limit: float | None = TIME_LIMIT

    def __post_init__(self) -> None:
        object.__setattr__(self, "measure", measure_of(self.measure))
        object.__setattr__(self, "keep", unique_names(self.keep))
        object.__setattr__(self, "drop", unique_names(self.drop))
        object.__setattr__(self, "weights", dict(self.weights or {}))
        if not 0 < self.ratio <= 1:
            raise PolicyError("the ratio must be above 0 and at most 1")
        if self.method not in {"greedy", "sampled", "exact"}:
            raise PolicyError(
                f"there is no method {self.method!r}", remedy="choose greedy, sampled or exact"
            )
        if self.sample is not None and (self.sample < 1 or self.method != "sampled"):
            raise PolicyError(
                "a sample has at least one record, and only the method sampled draws one",
                remedy="give 1 or more, with --method sampled",
            )
        if not 0 < self.delta < 1:
            raise PolicyError("delta must be between 0 and 1")
        for name, weight in self.weights.items():
            if not (weight > 0 and math.isfinite(weight)):
                raise PolicyError(f"the weight of {name!r} must be above 0")
        if self.seed is not None and self.seed < 0:
            raise PolicyError("the seed must be 0 or more", remedy="give a whole number")
        if both := sorted({*self.keep} & {*self.drop}):
            raise PolicyError(
                f"the column {both[0]!r} cannot be both published and withheld",
                remedy="name it in --keep or in --drop",
            )

    @property
    def named_columns(self) -> tuple[str, ...]:
        """All columns that are named."""
        return (*self.keep, *self.drop, *self.weights)

    @property
    def measured_by_pairs(self) -> bool:
        """Whether a sample consists of pairs of records, as for the separation ratio."""
        return self.measure is Measure.SEPARATION

    @property
    def size(self) -> int:
        """Records or pairs to draw."""
        return SAMPLE if self.sample is None else self.sample

    @property
    def notes(self) -> tuple[str, ...]:
        """What you should know before you publish columns as they are."""
        return (NOT_ANONYMOUS, _ORDER) if self.keep_order else (NOT_ANONYMOUS,)

    def without_columns(self, nested: Sequence[str]) -> "WithholdRequest":
        """The request that no longer drops or weighs these columns, except those to keep."""
        gone = {*nested} - {*self.keep}
        weights = {name: worth for name, worth in self.weights.items() if name not in gone}
        drop = tuple(name for name in self.drop if name not in gone)
        return replace(self, drop=drop, weights=weights)


@dataclass(frozen=True)
class Withholding:
    """Columns to publish and columns to withhold, by their places."""

    published: tuple[int, ...]
    """Ascending."""
    withheld: tuple[int, ...]
    ratios: Ratios | None
    """What the published columns do to the whole table; None if only a sample was looked at."""
    utility: float
    """The sum of the weights of the published columns."""
    guarantee: Guarantee
    advice: str = ""
    """Which sample would do better, if this one was small for what it had to show."""


@dataclass(frozen=True)
class ColumnChoice:
    """The columns of a table by place: what they are worth, which stay and which go."""

    weights: tuple[float, ...]
    keep: tuple[int, ...]
    drop: tuple[int, ...]

    @classmethod
    def of(cls, records: Records, request: WithholdRequest) -> "ColumnChoice":
        """The choice that a request leaves in this table; `PolicyError` if it lacks a column."""
        records.places(tuple(request.weights))  # it refuses columns that there are not
        worth = tuple(float(request.weights.get(name, 1.0)) for name in records.names)
        return cls(worth, records.places(request.keep), records.places(request.drop))

    @property
    def free(self) -> list[int]:
        """The columns to decide on."""
        decided = {*self.keep, *self.drop}
        return [j for j in range(len(self.weights)) if j not in decided]

    def utility(self, columns: Sequence[int]) -> float:
        """The sum of the weights of these columns."""
        return math.fsum(self.weights[j] for j in columns)


def withhold(
    records: Records,
    request: WithholdRequest,
    *,
    rng: np.random.Generator | None = None,
    watch: Watch | None = None,
) -> Withholding:
    """Choose columns to publish that stay within the ratio and are worth as much as possible.

    `InfeasibleError` if the columns to keep exceed the ratio; `PolicyError` if the table lacks a
    named column, the sample is too small, or there are too many columns for the method `exact`.
    More columns never measure less, so no subset of the published columns exceeds the ratio either.
    """
    choice = ColumnChoice.of(records, request)
    match request.method:
        case "greedy":
            return _withhold_greedily(records, request, choice)
        case "sampled":
            return _withhold_from_sample(
                records, request, choice, rng or np.random.default_rng(request.seed)
            )
        case "exact":
            return _withhold_exactly(records, request, choice, watch or Watch())


Gauge: TypeAlias = "RecordGauge | PairGauge"
"""Measures sets of columns: on all records, on some of them, or on pairs."""


class RecordGauge:
    """Measures sets of columns on records; it remembers the classes of the last set."""

    def __init__(self, records: Records, measure: Measure) -> None:
        self._records = records
        self._measure = measure
        self._columns: tuple[int, ...] = ()
        self._groups = RecordGroups.whole(records)

    def measure(self, columns: Sequence[int]) -> tuple[float, int]:
        """The ratio of these columns, and the pairs that they tell apart."""
        return self._figures(self._classes(columns).ratios)

    def measure_with_each(
        self, columns: Sequence[int], candidates: Sequence[int]
    ) -> list[tuple[float, int]]:
        """Per candidate, the ratio and the pairs told apart of the columns with it added alone."""
        groups = self._classes(columns)
        return [self._figures(groups.ratios_with(self._records, j)) for j in candidates]

    def _classes(self, columns: Sequence[int]) -> RecordGroups:
        """The groups by these columns; those measured last are split further if they come first."""
        known = len(self._columns)
        if tuple(columns[:known]) != self._columns:
            known, self._groups = 0, RecordGroups.whole(self._records)
        for j in columns[known:]:
            self._groups = self._groups.split(self._records, j)
        self._columns = tuple(columns)
        return self._groups

    def _figures(self, found: Ratios) -> tuple[float, int]:
        """The ratio in the measure asked for, and the pairs told apart."""
        return found.ratio(self._measure), found.apart


class PairGauge:
    """Measures the separation ratio of pairs drawn from a table."""

    def __init__(self, pairs: Differences) -> None:
        self._pairs = pairs

    def measure(self, columns: Sequence[int]) -> tuple[float, int]:
        """The share of the pairs that these columns tell apart, and their number."""
        return self._figures(self._pairs.count_apart(columns))

    def measure_with_each(
        self, columns: Sequence[int], candidates: Sequence[int]
    ) -> list[tuple[float, int]]:
        """Per candidate, the share and the number of pairs told apart with it added alone."""
        now, gains = self._pairs.count_apart(columns), self._pairs.gains(columns)
        return [self._figures(now + int(gains[j])) for j in candidates]

    def _figures(self, apart: int) -> tuple[float, int]:
        """The share and the number of the pairs told apart."""
        return apart / max(self._pairs.total, 1), apart


def _withhold_greedily(
    records: Records, request: WithholdRequest, choice: ColumnChoice
) -> Withholding:
    """Choose columns to publish on all records, one at a time."""
    gauge = RecordGauge(records, request.measure)
    columns = _choose_published(gauge, records.names, choice, lambda found: found <= request.ratio)
    promise = Guarantee(
        exact=True,
        searched="all records, adding one column at a time",
        not_searched="whether more columns could be published",
    )
    return _make_withholding(columns, ratios(records, columns), choice, promise)


def _withhold_from_sample(
    records: Records, request: WithholdRequest, choice: ColumnChoice, rng: np.random.Generator
) -> Withholding:
    """Choose by a drawn sample, or all records if as large; `PolicyError` if it is too small."""
    pairs, size = request.measured_by_pairs, request.size
    most = records.total * (records.total - 1) // 2 if pairs else records.total
    if size >= most:
        return _withhold_greedily(records, request, choice)
    pruning_ratio(len(choice.free), request.ratio, size, request.delta)
    if pairs:
        gauge: Gauge = PairGauge(sample_pairs(records, size, rng))
    else:
        gauge = RecordGauge(sample_rows(records, size, rng), request.measure)
    return withhold_by_gauge(gauge, records.names, choice, request)


def withhold_by_gauge(
    gauge: Gauge, names: Sequence[str], choice: ColumnChoice, request: WithholdRequest
) -> Withholding:
    """Choose columns to publish by records or pairs drawn already; errors are those of `withhold`.

    The promise is for all sets that could have been published: only columns to decide on count.
    """
    size, ratio, delta = request.size, request.ratio, request.delta
    below = pruning_ratio(len(choice.free), ratio, size, delta)
    columns = _choose_published(gauge, names, choice, lambda found: found < below)
    what = "pairs of records" if request.measured_by_pairs else "records"
    promise = Guarantee.of_sample(
        size,
        delta,
        f"{size:,} {what}, below a ratio of {below:.4g} there",
        "all other records, and whether more columns could be published",
    )
    withholding = _make_withholding(columns, None, choice, promise)
    return replace(withholding, advice=_sample_advice(len(choice.free), request, below))


def _sample_advice(columns: int, request: WithholdRequest, below: float) -> str:
    """Which sample would do better; empty if this one allows `_WEAK` of the ratio or more."""
    if below >= _WEAK * request.ratio:
        return ""
    better = size_for_pruning_share(columns, request.ratio, _WEAK, request.delta)
    what = "pairs" if request.measured_by_pairs else "records"
    return (
        f"a sample of {request.size:,} {what} leaves room for a ratio of {below:.4g} only, of the "
        f"{request.ratio:g} that you allow: --sample {better} leaves {_WEAK * request.ratio:.4g}"
        ", and perhaps publish more columns"
    )


def _choose_published(
    gauge: Gauge, names: Sequence[str], choice: ColumnChoice, fits: Callable[[float], bool]
) -> list[int]:
    """Add columns to those to keep, one by one while the ratio fits (Sections 4.1 and 4.2).

    The next one raises the ratio least per weight; of equal ones it separates the fewest pairs per
    weight, then the first by name. `InfeasibleError` if the ratio of those to keep does not fit.
    """
    columns = list(choice.keep)
    now = gauge.measure(columns)
    if columns and not fits(now[0]):
        raise _kept_exceed_error(names, choice.keep, now[0])
    left = choice.free
    while left:
        tried = dict(zip(left, gauge.measure_with_each(columns, left), strict=True))
        left = [j for j in left if fits(tried[j][0])]
        if not left:
            break
        start, weights = now, choice.weights
        best = min(
            left,
            key=lambda j: (
                (tried[j][0] - start[0]) / weights[j],
                (tried[j][1] - start[1]) / weights[j],
                names[j],
            ),
        )
        columns.append(best)
        left.remove(best)
        now = tried[best]
    return columns


def _withhold_exactly(
    records: Records, request: WithholdRequest, choice: ColumnChoice, watch: Watch
) -> Withholding:
    """Withhold the cheapest columns that hit each set above the ratio; out of time greedily."""
    _refuse_many_columns(choice)
    first = _withhold_greedily(records, request, choice)
    order = sorted(choice.free, key=records.names.__getitem__)
    known = bits_of(order.index(j) for j in first.withheld if j not in choice.drop)
    rows = fold_records(records)
    above = _SetAbove(rows, request, choice.keep, tuple(order))
    hit = find_lightest(above, [choice.weights[j] for j in order], known, watch)
    if not hit.proved:
        left = "whether a better choice exists (out of time): none is worth more than "
        left += f"{choice.utility([*choice.keep, *order]) - hit.weight:g}"
        promise = Guarantee(exact=True, searched=first.guarantee.searched, not_searched=left)
        return _make_withholding(first.published, first.ratios, choice, promise)
    withheld = {order[i] for i in columns_of(hit.columns)}
    columns = [*choice.keep, *(j for j in order if j not in withheld)]
    promise = Guarantee(exact=True, searched="all choices of columns, on all records")
    return _make_withholding(columns, ratios(rows, columns), choice, promise)


@dataclass(frozen=True, eq=False)
class _SetAbove:
    """Finds a minimal set above the ratio among the columns that are not withheld, if any is."""

    records: Records
    request: WithholdRequest
    keep: tuple[int, ...]
    order: tuple[int, ...]

    def __call__(self, withheld: int) -> list[int]:
        """That set in a list, empty if there is none; both are bits by place in `order`."""
        left = [i for i in range(len(self.order)) if not withheld >> i & 1]
        if not self._exceeds_ratio(left):
            return []
        for i in tuple(left):
            fewer = [one for one in left if one != i]
            if self._exceeds_ratio(fewer):
                left = fewer
        return [bits_of(left)]

    def _exceeds_ratio(self, places: Sequence[int]) -> bool:
        """Whether `places` of `order` with columns to keep exceed the ratio; never if empty."""
        columns = [*self.keep, *(self.order[i] for i in places)]
        if not places:
            return False
        return ratios(self.records, columns).ratio(self.request.measure) > self.request.ratio


def _make_withholding(
    columns: Sequence[int], figures: Ratios | None, choice: ColumnChoice, promise: Guarantee
) -> Withholding:
    """The outcome of publishing these columns of the choice; `figures` are their ratios."""
    places = tuple(sorted(columns))
    withheld = tuple(j for j in range(len(choice.weights)) if j not in places)
    return Withholding(places, withheld, figures, choice.utility(places), promise)


def _kept_exceed_error(names: Sequence[str], keep: Sequence[int], ratio: float) -> InfeasibleError:
    """The error that the columns to keep alone exceed the ratio: they reach this one."""
    columns = ", ".join(repr(names[j]) for j in sorted(keep))
    return InfeasibleError(
        f"the columns that must be published ({columns}) already exceed the ratio: {ratio:.6g}",
        remedy="keep fewer columns, or allow a higher ratio",
    )


def _refuse_many_columns(choice: ColumnChoice) -> None:
    """Refuse a choice among more columns than an exact search can take: `PolicyError`."""
    free = len(choice.free)
    if free > MOST_COLUMNS:
        raise PolicyError(
            f"the method exact decides on at most {MOST_COLUMNS} columns, and there are {free}",
            remedy="name columns to keep or to drop, or choose the method greedy",
        )
