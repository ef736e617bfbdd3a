"""Which columns may be published so that they do not tell records apart (Motwani-Xu Section 4)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from incrowd.errors import InfeasibleError, PolicyError
from incrowd.identify.cover import bits, least, members
from incrowd.identify.groups import Groups
from incrowd.identify.measures import folded, ratios
from incrowd.identify.outcome import Guarantee
from incrowd.identify.ratios import Measure, Ratios
from incrowd.identify.records import Records
from incrowd.identify.sampling import Differences, pruning_ratio, sampled_pairs, sampled_rows
from incrowd.watch import Watch

Method = Literal["greedy", "sampled", "exact"]

SAMPLE = 50_000
"""Records or pairs drawn unless told otherwise; Motwani-Xu Section 5.2 draws 30,000 and 50,000."""
MOST_COLUMNS = 32
"""Columns among which the best choice is searched exactly."""


@dataclass(frozen=True)
class Withholding:
    """Columns that may be published, and those that are withheld."""

    published: tuple[int, ...]
    """Places of the columns, ascending."""
    withheld: tuple[int, ...]
    ratios: Ratios | None
    """What the published columns do to the whole table; None if only a sample was looked at."""
    utility: float
    """The sum of the weights of the published columns."""
    guarantee: Guarantee


@dataclass(frozen=True)
class ColumnChoice:
    """What the one who publishes wants: worth of columns, and columns that must stay or go."""

    weights: tuple[float, ...]
    keep: tuple[int, ...]
    drop: tuple[int, ...]

    @property
    def free(self) -> list[int]:
        """The columns to decide on."""
        decided = {*self.keep, *self.drop}
        return [j for j in range(len(self.weights)) if j not in decided]

    def utility(self, columns: Sequence[int]) -> float:
        """The sum of the weights of these columns."""
        return math.fsum(self.weights[j] for j in columns)


def mask(  # noqa: PLR0913  all but the first three are options
    records: Records,
    measure: Measure,
    ratio: float,
    *,
    weights: Mapping[str, float] | None = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    method: Method = "greedy",
    sample: int | None = None,
    delta: float = 0.01,
    rng: np.random.Generator | None = None,
    watch: Watch | None = None,
) -> Withholding:
    """Columns to publish whose ratio is not above `ratio`, worth as much as possible.

    `greedy` looks at the whole table, `sampled` at some of it, strictly below a lower ratio, so
    that the promise fails with probability delta at most; `exact` finds the best choice among at
    most some thirty columns. More columns never measure less, so no set of the published columns
    is above the ratio either. Weights are 1 unless given.
    """
    if not 0 < ratio <= 1:
        raise PolicyError(f"the ratio must be above 0 and at most 1, and is {ratio:g}")
    choice = chosen(records, weights or {}, keep, drop)
    match method:
        case "greedy":
            return _greedy(records, measure, ratio, choice)
        case "sampled":
            rng = rng or np.random.default_rng()
            size = SAMPLE if sample is None else sample
            return _sampled(records, measure, ratio, choice, (size, delta, rng))
        case "exact":
            return _exact(records, measure, ratio, choice, watch or Watch())


def chosen(
    records: Records, weights: Mapping[str, float], keep: Sequence[str], drop: Sequence[str]
) -> ColumnChoice:
    """The choice by names, checked."""
    places = records.places(list(weights))
    both = sorted(set(keep) & set(drop))
    if both:
        raise PolicyError(f"the column {both[0]!r} is to be both published and withheld")
    worth = [1.0] * records.width
    for j, weight in zip(places, weights.values(), strict=True):
        if not (weight > 0 and math.isfinite(weight)):
            raise PolicyError(f"the weight of {records.names[j]!r} must be above 0")
        worth[j] = float(weight)
    return ColumnChoice(tuple(worth), records.places(list(keep)), records.places(list(drop)))


class Gauge(Protocol):
    """What a choice of columns is measured on: all records, some of them, or pairs."""

    def measured(self, columns: Sequence[int]) -> tuple[float, int]:
        """The ratio of these columns, and the pairs that they tell apart."""

    def added(self, columns: Sequence[int], candidates: Sequence[int]) -> list[tuple[float, int]]:
        """The same with each of the candidates added alone."""


class RecordGauge:
    """Measured on a table; it remembers the classes of the last columns."""

    def __init__(self, records: Records, measure: Measure) -> None:
        self._records = records
        self._measure = measure
        self._columns: tuple[int, ...] = ()
        self._groups = Groups.whole(records)

    def measured(self, columns: Sequence[int]) -> tuple[float, int]:
        """The ratio of these columns, and the pairs that they tell apart."""
        return self._figures(self._classes(columns).ratios)

    def added(self, columns: Sequence[int], candidates: Sequence[int]) -> list[tuple[float, int]]:
        """The same with each of the candidates added alone."""
        groups = self._classes(columns)
        return [self._figures(groups.joined(self._records, j)) for j in candidates]

    def _classes(self, columns: Sequence[int]) -> Groups:
        known = len(self._columns)
        if tuple(columns[:known]) != self._columns:
            known, self._groups = 0, Groups.whole(self._records)
        for j in columns[known:]:
            self._groups = self._groups.split(self._records, j)
        self._columns = tuple(columns)
        return self._groups

    def _figures(self, found: Ratios) -> tuple[float, int]:
        return found.ratio(self._measure), found.apart


class PairGauge:
    """Measured on pairs drawn from a table: their separation ratio."""

    def __init__(self, pairs: Differences) -> None:
        self._pairs = pairs

    def measured(self, columns: Sequence[int]) -> tuple[float, int]:
        """The share of the pairs that these columns tell apart, and their number."""
        return self._figures(self._pairs.apart(columns))

    def added(self, columns: Sequence[int], candidates: Sequence[int]) -> list[tuple[float, int]]:
        """The same with each of the candidates added alone."""
        now, gains = self._pairs.apart(columns), self._pairs.gains(columns)
        return [self._figures(now + int(gains[j])) for j in candidates]

    def _figures(self, apart: int) -> tuple[float, int]:
        return apart / max(self._pairs.total, 1), apart


def _greedy(records: Records, measure: Measure, ratio: float, choice: ColumnChoice) -> Withholding:
    columns = published(
        RecordGauge(records, measure), records.names, choice, lambda found: found <= ratio
    )
    promise = Guarantee(
        exact=True,
        searched="all records, adding one column at a time",
        not_searched="whether more columns could be published",
    )
    return _masking(columns, ratios(records, columns), choice, promise)


def _sampled(
    records: Records,
    measure: Measure,
    ratio: float,
    choice: ColumnChoice,
    draw: tuple[int, float, np.random.Generator],
) -> Withholding:
    size, delta, rng = draw
    pairs = measure is Measure.SEPARATION
    most = records.total * (records.total - 1) // 2 if pairs else records.total
    if size >= most:
        return _greedy(records, measure, ratio, choice)
    pruning_ratio(len(choice.free), ratio, size, delta)
    if pairs:
        ground: Gauge = PairGauge(sampled_pairs(records, size, rng))
    else:
        ground = RecordGauge(sampled_rows(records, size, rng), measure)
    return mask_sample(ground, records.names, choice, (ratio, size, delta), pairs=pairs)


def mask_sample(
    ground: Gauge,
    names: Sequence[str],
    choice: ColumnChoice,
    asked: tuple[float, int, float],
    *,
    pairs: bool,
) -> Withholding:
    """The masking for what was drawn already, as from a stream; `asked`: ratio, size and delta.

    The promise is for all sets that could have been published: only the columns to decide on
    count.
    """
    ratio, size, delta = asked
    below = pruning_ratio(len(choice.free), ratio, size, delta)
    columns = published(ground, names, choice, lambda found: found < below)
    promise = Guarantee(
        exact=False,
        epsilon=None,
        delta=delta,
        sample=size,
        searched=f"{size:,} {'pairs of records' if pairs else 'records'}, below a ratio of "
        f"{below:.4g} there",
        not_searched="all other records, and whether more columns could be published",
    )
    return _masking(columns, None, choice, promise)


def published(
    ground: Gauge, names: Sequence[str], choice: ColumnChoice, fits: Callable[[float], bool]
) -> list[int]:
    """Columns added one by one while the ratio fits (Motwani-Xu Section 4.1 and 4.2).

    Each time the one that raises the ratio least per weight; then the one that separates fewest
    pairs per weight, and by name.
    """
    columns = list(choice.keep)
    now = ground.measured(columns)
    if columns and not fits(now[0]):
        raise _too_much(names, choice.keep, now[0])
    left = choice.free
    while left:
        tried = dict(zip(left, ground.added(columns, left), strict=True))
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


def _exact(
    records: Records, measure: Measure, ratio: float, choice: ColumnChoice, watch: Watch
) -> Withholding:
    """What is withheld must hit every set that is above the ratio; such are found on the way."""
    _check_columns(choice)
    first = _greedy(records, measure, ratio, choice)
    order = sorted(choice.free, key=records.names.__getitem__)
    known = bits(order.index(j) for j in first.withheld if j not in choice.drop)
    rows = folded(records)
    above = _Above(rows, measure, ratio, choice.keep, tuple(order))
    found = least(above, [choice.weights[j] for j in order], known, watch)
    if not found.proved:
        left = "whether a choice worth more is possible: out of time; none is worth more than "
        left += f"{choice.utility([*choice.keep, *order]) - found.weight:g}"
        promise = Guarantee(exact=True, searched=first.guarantee.searched, not_searched=left)
        return _masking(first.published, first.ratios, choice, promise)
    withheld = {order[i] for i in members(found.columns)}
    columns = [*choice.keep, *(j for j in order if j not in withheld)]
    promise = Guarantee(exact=True, searched="all choices of columns, on all records")
    return _masking(columns, ratios(rows, columns), choice, promise)


@dataclass(frozen=True, eq=False)
class _Above:
    """A smallest set above the ratio among what is left when columns are withheld, if any is."""

    records: Records
    measure: Measure
    ratio: float
    keep: tuple[int, ...]
    order: tuple[int, ...]

    def __call__(self, withheld: int) -> list[int]:
        left = [i for i in range(len(self.order)) if not withheld >> i & 1]
        if not self._above(left):
            return []
        for i in tuple(left):
            fewer = [one for one in left if one != i]
            if self._above(fewer):
                left = fewer
        return [bits(left)]

    def _above(self, places: Sequence[int]) -> bool:
        columns = [*self.keep, *(self.order[i] for i in places)]
        return bool(places) and ratios(self.records, columns).ratio(self.measure) > self.ratio


def _masking(
    columns: Sequence[int], found: Ratios | None, choice: ColumnChoice, promise: Guarantee
) -> Withholding:
    places = tuple(sorted(columns))
    withheld = tuple(j for j in range(len(choice.weights)) if j not in places)
    return Withholding(places, withheld, found, choice.utility(places), promise)


def _too_much(names: Sequence[str], keep: Sequence[int], ratio: float) -> InfeasibleError:
    columns = ", ".join(repr(names[j]) for j in sorted(keep))
    return InfeasibleError(
        f"the columns that must be published ({columns}) are above the ratio already: {ratio:.6g}",
        remedy="publish fewer, or ask for a higher ratio",
    )


def _check_columns(choice: ColumnChoice) -> None:
    free = len(choice.free)
    if free > MOST_COLUMNS:
        raise PolicyError(
            f"the best choice is searched among at most {MOST_COLUMNS} columns, and there are "
            f"{free} to decide on",
            remedy="say which columns must be published or withheld, or take the greedy answer",
        )
