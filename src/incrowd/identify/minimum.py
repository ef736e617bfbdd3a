"""Small sets of at least one column that tell (almost) all records apart (Motwani-Xu Section 2)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from incrowd.errors import InfeasibleError, InputError, PolicyError
from incrowd.identify.hitting_sets import bits_of, columns_of, find_lightest
from incrowd.identify.labelled import RecordGroups
from incrowd.identify.measures import fold_records, ratios_of_all
from incrowd.identify.outcome import Guarantee
from incrowd.identify.records import Measure, Ratios, Records
from incrowd.identify.sampling import (
    Differences,
    differences,
    distinct_tuples,
    partial_pairs,
    sample_pairs,
    sample_rows,
    separation_pairs,
    separation_tuples,
)
from incrowd.table.fold import in_threads
from incrowd.watch import Watch

MOST_COLUMNS = 32
"""Columns among which the smallest set is searched exactly."""
_NEW_SETS = 64
_SMALL = 2**18


@dataclass(frozen=True)
class Minimum:
    """A small set of columns that tells records apart, and what is promised of it."""

    columns: tuple[int, ...]
    """Places of the columns, ascending."""
    ratios: Ratios | None
    """What the set does to the whole table; None if only a sample was looked at."""
    guarantee: Guarantee


@dataclass(frozen=True)
class RatioTarget:
    """A ratio that a set of columns is to reach."""

    measure: Measure
    ratio: float

    def __post_init__(self) -> None:
        if not 0 <= self.ratio <= 1:
            raise PolicyError(f"the ratio must be between 0 and 1, not {self.ratio:g}")

    def is_met_by(self, ratios: Ratios) -> bool:
        """Whether these ratios reach the target."""
        return ratios.ratio(self.measure) >= self.ratio

    def worth(self, ratios: Ratios) -> tuple[float, int]:
        """How good a greedy step is, for comparison: the first number decides, then the second.

        They are the pairs separated and 0 on the way to a key or for the separation ratio, else the
        ratio and the pairs separated: the ratio may not change before many columns are chosen.
        """
        if self.ratio == 1 or self.measure is Measure.SEPARATION:
            return ratios.apart, 0
        return ratios.ratio(self.measure), ratios.apart


def greedy_key(
    records: Records, target: float = 1.0, measure: Measure = Measure.DISTINCT
) -> Minimum:
    """Find a small set of columns that reaches the target on the whole table (Section 2.2).

    Each time the column is added that separates most pairs not yet separated; below a target of 1
    the one that raises the measure most. Equal ones go by their names. Then columns that turn out
    not to be needed are taken out again, which the paper does not do: the promised size, at most
    1 + 2 ln n times that of the smallest key, holds all the more. `InfeasibleError` if all columns
    together fall short; `InputError` if the table has no records.
    """
    aim = RatioTarget(measure, target)
    chosen, groups = _choose_greedily(records, aim)
    needed = _needed_columns(records, RecordGroups.whole(records), chosen, aim) or chosen[:1]
    if len(needed) < len(chosen):
        groups = RecordGroups.by_columns(records, needed)
    searched = "all records, adding one column at a time"
    fewer = "whether fewer columns would do" if len(needed) > 1 else ""
    promise = Guarantee(exact=True, searched=searched, not_searched=fewer)
    return Minimum(tuple(sorted(needed)), groups.ratios, promise)


def sampled_separation_key(
    records: Records,
    epsilon: float,
    delta: float,
    rng: np.random.Generator,
    bound: Literal["pairs", "tuples"] = "pairs",
) -> Minimum:
    """Find a small set that separates all but epsilon of the pairs, with probability 1 - delta.

    Motwani-Xu Section 2.3.2 by pairs; by tuples with the newer bound (`separation_tuples`), whose
    sample is smaller. By pairs the promise counts from the largest attainable ratio if records
    are equal in all columns. By tuples, tables not larger than the sample are searched whole, and
    equal records among the drawn ones are an `InfeasibleError`. `InputError` without records.
    """
    _refuse_empty_table(records)
    if bound == "tuples":
        size = separation_tuples(records.width, epsilon, delta)
        if size >= records.total:
            return greedy_key(records)
        return key_of_sample(sample_rows(records, size, rng), epsilon, delta)
    size = separation_pairs(records.width, epsilon, delta)
    return separation_key_of(sample_pairs(records, size, rng), records.names, epsilon, delta)


def separation_key_of(
    pairs: Differences, names: Sequence[str], epsilon: float, delta: float
) -> Minimum:
    """Find the set of `sampled_separation_key` in pairs drawn already, as from a stream."""
    equal = pairs.equal
    columns = _covering_columns(pairs, names, pairs.total - equal)
    searched = f"{pairs.total:,} pairs of records"
    if equal:
        searched += f", {equal:,} of them equal in all columns: epsilon counts from the "
        searched += "largest attainable ratio"
    return Minimum(columns, None, _sample_guarantee(pairs.total, epsilon, delta, searched))


def sampled_distinct_key(
    records: Records, epsilon: float, delta: float, rng: np.random.Generator
) -> Minimum:
    """Find a small set with a distinct ratio of 1 - epsilon or more, with probability 1 - delta.

    Motwani-Xu Section 2.4, with one record more in the sample (see `distinct_tuples`). Tables not
    larger than the sample are searched whole. `InfeasibleError` if drawn records are equal;
    `InputError` without records.
    """
    _refuse_empty_table(records)
    size = distinct_tuples(records.width, records.total, epsilon, delta)
    if size >= records.total:
        return greedy_key(records)
    return key_of_sample(sample_rows(records, size, rng), epsilon, delta)


def key_of_sample(sample: Records, epsilon: float, delta: float) -> Minimum:
    """Find a small key of records drawn already, as from a stream, as an answer for all records.

    `InfeasibleError` if records of the sample are equal in all columns: it has no key, and nothing
    would follow for the table from sets that tell the others apart. `InputError` without records.
    """
    _refuse_empty_table(sample)
    aim = RatioTarget(Measure.DISTINCT, 1.0)
    try:
        chosen, _ = _choose_greedily(sample, aim)
    except InfeasibleError:
        equal = sample.total - ratios_of_all(sample).classes
        raise InfeasibleError(
            f"the table has no key: {equal:,} of {sample.total:,} drawn records equal another in "
            "all columns",
            remedy="drop duplicate records, draw pairs instead, or ask for a lower ratio on all "
            "records",
        ) from None
    needed = _needed_columns(sample, RecordGroups.whole(sample), chosen, aim) or chosen[:1]
    searched = f"{sample.total:,} records"
    return Minimum(
        tuple(sorted(needed)), None, _sample_guarantee(sample.total, epsilon, delta, searched)
    )


def minimum_separation(
    records: Records, beta: float, epsilon: float, delta: float, rng: np.random.Generator
) -> Minimum:
    """Find a small set that separates (1 - epsilon) beta of the pairs, with probability 1 - delta.

    Motwani-Xu Section 2.5; tables with no more pairs than the sample are searched whole, for beta.
    `InfeasibleError` if all columns together separate too few pairs; `InputError` without records.
    """
    _refuse_empty_table(records)
    size = partial_pairs(records.width, beta, epsilon, delta)
    if size >= records.total * (records.total - 1) // 2:
        return greedy_key(records, beta, Measure.SEPARATION)
    return partial_separation_of(
        sample_pairs(records, size, rng), records.names, beta, epsilon, delta
    )


def partial_separation_of(
    pairs: Differences, names: Sequence[str], beta: float, epsilon: float, delta: float
) -> Minimum:
    """Find the set of `minimum_separation` in pairs drawn already; its `InfeasibleError` too."""
    needed = math.ceil((2 - epsilon) * beta * pairs.total / 2)
    if needed > pairs.total - pairs.equal:
        raise InfeasibleError(
            f"no set of columns separates {beta:g} of the pairs: {pairs.equal:,} of "
            f"{pairs.total:,} drawn pairs are equal in all columns",
            remedy="ask for a lower ratio, or drop duplicate records",
        )
    columns = _covering_columns(pairs, names, needed)
    searched = (
        f"{pairs.total:,} pairs of records: with probability {1 - delta:g} it separates at least "
        f"{round_down((1 - epsilon) * beta)} of all pairs, with at most "
        f"{_size_factor(needed):.3g} times as many columns as the smallest set that "
        f"separates {beta:g}"
    )
    return Minimum(columns, None, _sample_guarantee(pairs.total, epsilon, delta, searched))


def _size_factor(needed: int) -> float:
    """How many times as large as a smallest set a greedy one is at most (Lemma 14), rounded up."""
    return math.ceil((1 + math.log(max(needed, 1))) * 100) / 100


def round_down(share: float) -> str:
    """A lower bound of a share as text, never rounded up.

    >>> round_down(0.9999997)
    '0.999999'
    """
    return f"{math.floor(share * 1e6) / 1e6:.6g}"


def exact_minimum(
    records: Records,
    measure: Measure = Measure.DISTINCT,
    ratio: float = 1.0,
    watch: Watch | None = None,
    *,
    costs: Sequence[float] | None = None,
) -> Minimum:
    """Find a smallest set that reaches the ratio; `PolicyError` beyond `MOST_COLUMNS` columns.

    With `costs`, one per column, the cheapest set. Sets that fall short are grown until any further
    column would make them reach it. What such a set lacks must be hit by every set that reaches the
    ratio, so the cheapest set that hits all that is known so far is either an answer or falls short
    itself. Out of time the greedy answer is given, with the least size or cost still possible.
    Other errors are those of `greedy_key`.
    """
    _refuse_many_columns(records)
    watch = watch or Watch()
    aim = RatioTarget(measure, ratio)
    first = greedy_key(records, ratio, measure)
    order = sorted(range(records.width), key=lambda j: records.names[j])
    rows = fold_records(records.select([records.names[j] for j in order]))
    known = bits_of(order.index(j) for j in first.columns)
    prices = [1.0] * rows.width if costs is None else [float(costs[j]) for j in order]
    cheapest = find_lightest(_LackingColumns(rows, aim), prices, known, watch)
    if not cheapest.proved:
        promise = _guarantee_out_of_time(cheapest.weight, first.columns, costs)
        return Minimum(first.columns, first.ratios, promise)
    columns = columns_of(cheapest.columns) or (prices.index(min(prices)),)
    promise = Guarantee(exact=True, searched="all sets of columns, on all records")
    places = tuple(sorted(order[j] for j in columns))
    return Minimum(places, RecordGroups.by_columns(rows, columns).ratios, promise)


def _guarantee_out_of_time(
    lowest: float, columns: Sequence[int], costs: Sequence[float] | None
) -> Guarantee:
    """The guarantee of a search out of time: no set that costs less than `lowest` will do."""
    if costs is None:
        fewer = f"{math.ceil(lowest - 1e-9)} to {len(columns) - 1} columns"
        searched = "sets of fewer columns, as far as time allowed"
    else:
        most = math.fsum(costs[j] for j in columns)
        fewer = f"columns that cost from {lowest:g} to less than {most:g}"
        searched = "cheaper sets of columns, as far as time allowed"
    unknown = f"whether {fewer} would do: out of time"
    return Guarantee(exact=True, searched=searched, not_searched=unknown)


@dataclass(frozen=True, eq=False)
class _LackingColumns:
    """Finds what a set of columns lacks to reach the target."""

    records: Records
    aim: RatioTarget

    def __call__(self, columns: int) -> list[int]:
        """Sets (bits) that every set reaching the target hits; none if this one reaches it."""
        groups = RecordGroups.by_columns(self.records, columns_of(columns))
        if self.aim.is_met_by(groups.ratios):
            return []
        if self.aim.ratio == 1 and self.aim.measure is not Measure.UNIQUE:
            return self._separating_columns(groups)
        return [self._outside_largest(groups, columns)]

    def _outside_largest(self, groups: RecordGroups, columns: int) -> int:
        """The columns (bits) outside the set that this one grows to while it falls short."""
        outside = 0
        for j in range(self.records.width):
            if columns >> j & 1:
                continue
            after = groups.ratios_with(self.records, j)
            if self.aim.is_met_by(after):
                outside |= 1 << j
            elif after.apart > groups.ratios.apart:
                groups = groups.split(self.records, j)
        return outside

    def _separating_columns(self, groups: RecordGroups) -> list[int]:
        """For some pairs of rows left together, columns (bits) that separate them; few first."""
        neighbours = np.ones(len(groups.rows), dtype=np.bool_)
        neighbours[groups.start[:-1]] = False
        second = np.flatnonzero(neighbours)
        rows = groups.rows.astype(np.int64)
        found = differences(self.records, np.stack([rows[second - 1], rows[second]]))
        sets = sorted(found.words[0].tolist(), key=lambda one: (int(one).bit_count(), one))
        return sets[:_NEW_SETS]


def _choose_greedily(records: Records, aim: RatioTarget) -> tuple[list[int], RecordGroups]:
    """Add one or more columns greedily until the target is met; errors are as in `greedy_key`."""
    _refuse_empty_table(records)
    chosen: list[int] = []
    groups = RecordGroups.whole(records)
    while not (chosen and aim.is_met_by(groups.ratios)):
        left = [j for j in range(records.width) if j not in chosen]
        tasks = [partial(groups.ratios_with, records, j) for j in left]
        small = len(groups.rows) * len(left) < _SMALL
        tried = [task() for task in tasks] if small else in_threads(tasks)
        gains = max((one.apart for one in tried), default=0) > groups.ratios.apart
        if not gains and not aim.is_met_by(groups.ratios):
            raise _unattainable_error(aim, groups.ratios)
        worth = {j: aim.worth(one) for j, one in zip(left, tried, strict=True)}
        most = max(worth.values())
        chosen.append(min((j for j in left if worth[j] == most), key=records.names.__getitem__))
        groups = groups.split(records, chosen[-1])
    return chosen, groups


def _unattainable_error(aim: RatioTarget, most: Ratios) -> InfeasibleError:
    """The error that all columns together, with these ratios, fall short of the target."""
    equal = most.records - most.unique
    return InfeasibleError(
        f"no set of columns reaches a {aim.measure} ratio of {aim.ratio:g}: {equal:,} of "
        f"{most.records:,} records equal another in all columns, and all columns together reach "
        f"{most.ratio(aim.measure)!r}",
        remedy="ask for no more than that, or drop duplicate records",
    )


def _needed_columns(
    records: Records, groups: RecordGroups, columns: Sequence[int], aim: RatioTarget
) -> list[int]:
    """The columns that the target needs besides those by which the groups are split already.

    Each half is decided with the other one split already, so that groups are split by a column only
    as often as the columns can be halved.
    """
    if len(columns) < 2:
        return [] if aim.is_met_by(groups.ratios) else list(columns)
    first, second = columns[: len(columns) // 2], columns[len(columns) // 2 :]
    first = _needed_columns(records, groups.split(records, *second), first, aim)
    return first + _needed_columns(records, groups.split(records, *first), second, aim)


def _covering_columns(pairs: Differences, names: Sequence[str], needed: int) -> tuple[int, ...]:
    """Columns that separate at least `needed` of the pairs: greedily, without superfluous ones.

    All columns together must separate as many, or it does not end.
    """
    chosen: list[int] = []
    while not chosen or pairs.count_apart(chosen) < needed:
        gains = pairs.gains(chosen)
        most = int(gains.max())
        ties = [j for j in range(pairs.width) if gains[j] == most]
        chosen.append(min(ties, key=names.__getitem__))
    for j in list(chosen):
        others = [i for i in chosen if i != j]
        if others and pairs.count_apart(others) >= needed:
            chosen = others
    return tuple(sorted(chosen))


def _sample_guarantee(size: int, epsilon: float, delta: float, searched: str) -> Guarantee:
    """The guarantee of a set found in so many drawn records or pairs; `searched` says which."""
    left = "all other records, and whether fewer columns would do"
    return Guarantee.of_sample(size, delta, searched, left, epsilon)


def _refuse_empty_table(records: Records) -> None:
    """Refuse a table without records: `InputError`."""
    if not records.total:
        raise InputError("the table has no records", remedy="give at least one")


def _refuse_many_columns(records: Records) -> None:
    """Refuse more columns than an exact search can take: `PolicyError`."""
    if records.width > MOST_COLUMNS:
        raise PolicyError(
            f"the smallest set can be searched among at most {MOST_COLUMNS} columns, and the table "
            f"has {records.width}",
            remedy="name the columns to search, or take the greedy answer",
        )
