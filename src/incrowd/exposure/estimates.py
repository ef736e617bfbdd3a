"""What a table that is a sample says of the population: every figure by one model, with intervals.

`PeopleBehind` has the people behind each class for many smooth curves. By the curves alone a figure
is its mean over them, and its interval holds 95 % of the values that they and the random draw give.
Populations need not be smooth: of a simple random sample the intervals are those of
`incrowd.exposure.ranges`, and figures are those of the curves, moved into them if need be.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import Floats
from incrowd.exposure.people import ClassKinds, PeopleBehind
from incrowd.exposure.possible import Range, possible_ranges
from incrowd.exposure.ranges import FigureRanges, figure_ranges
from incrowd.models.model import TOLERANCE, fraction

LEVEL = 0.95
"""The probability of every interval."""


@dataclass(frozen=True)
class PopulationEstimate:
    """A figure of the population, its interval, and what it can be at all."""

    value: float
    low: float
    high: float
    possible: Range | None = None
    """The range over every population that fits the sample, if it was looked for."""
    smooth: Range | None = None
    """The interval by the smooth curves alone, where `interval` is not that."""

    @property
    def interval(self) -> Range:
        """The ends between which the figure is with a probability of `LEVEL`."""
        return self.low, self.high

    def with_interval(self, ends: Range | None, value: float | None = None) -> "PopulationEstimate":
        """The estimate with another interval, its value (or `value`, if given) moved into it.

        The interval until now is kept as `smooth`. `ends` of None change nothing.
        """
        if ends is None:
            return self
        now = self.value if value is None else value
        found = min(max(now, ends[0]), ends[1])
        return PopulationEstimate(found, *ends, self.possible, self.interval)

    def widened_to(self, ends: Range | None) -> "PopulationEstimate":
        """The estimate with its interval widened to include these ends; None keeps it as it is."""
        if ends is None:
            return self
        return self.with_interval((min(self.low, ends[0]), max(self.high, ends[1])))

    def moved_into(self, ends: Range | None) -> "PopulationEstimate":
        """The estimate moved into these ends, which are all that is possible; None keeps it."""
        if ends is None:
            return self
        value, low, high = (min(max(v, ends[0]), ends[1]) for v in (self.value, *self.interval))
        return PopulationEstimate(value, low, high, ends, self.smooth)

    def larger_of(self, other: "PopulationEstimate") -> "PopulationEstimate":
        """The larger value and ends of this estimate and another; only `possible` is kept."""
        ends = (max(self.low, other.low), max(self.high, other.high))
        return PopulationEstimate(max(self.value, other.value), *ends, self.possible)


@dataclass(frozen=True)
class Estimates:
    """The figures of a table's classes. F is the number of people of the population in a class."""

    unique: PopulationEstimate
    """Share of the records whose F is 1."""
    unique_people: PopulationEstimate
    """Share of the people whose F is 1."""
    average: PopulationEstimate
    """Mean of 1 / F over the records."""
    by_class: PopulationEstimate
    """Classes over all people in them."""
    above: PopulationEstimate
    """Share of the records whose 1 / F exceeds the threshold."""
    highest: PopulationEstimate
    """The largest 1 / F of all."""
    likeliest: PopulationEstimate
    """The largest mean of 1 / F of any class."""
    likely_above: PopulationEstimate
    """Share of the records in classes whose mean of 1 / F exceeds the threshold."""
    match: PopulationEstimate | None
    """Unique records over all people who share their values; None without unique people."""


def estimates(
    kinds: ClassKinds, drawn: float, threshold: float, *, plain: bool = True
) -> Estimates:
    """Estimate the figures of a table with these kinds of classes that holds this share of people.

    With `plain` every person is one record of one class and everybody was as likely to be drawn:
    then the intervals are those of `incrowd.exposure.ranges`, and what is possible at all is looked
    for too. A table that holds everybody has exact figures.
    """
    if not len(kinds.sizes) or bool((kinds.drawn >= 1).all()):
        return _whole_table_estimates(kinds, threshold)
    people = most_people(threshold)
    behind = PeopleBehind.of(kinds, drawn)
    found = _estimates_by_curves(behind, people, threshold)
    if not plain:
        return found
    ends = possible_ranges(kinds.sizes, kinds.classes, drawn, people) or {}
    return _with_intervals(
        found, figure_ranges(kinds, drawn, people, behind.curves), ends, kinds, threshold
    )


def _estimates_by_curves(behind: PeopleBehind, people: float, threshold: float) -> Estimates:
    """Estimate the figures by smooth curves alone; `people` are the most above the threshold."""
    rng = np.random.default_rng(0)
    kinds = behind.kinds
    average, by_class = _estimate_averages(behind, rng)
    likeliest = _estimate_likeliest(behind)
    people_shares = kinds.sizes * kinds.classes / (kinds.sizes @ kinds.classes)
    return Estimates(
        unique=_estimate_share(behind, 1, kinds.shares, rng),
        unique_people=_estimate_share(behind, 1, people_shares, rng),
        average=average,
        by_class=by_class,
        above=_estimate_share(behind, people, kinds.shares, rng),
        highest=_estimate_highest(behind).larger_of(likeliest),
        likeliest=likeliest,
        likely_above=_estimate_likely_above(behind, threshold),
        match=_estimate_match(behind),
    )


def _with_intervals(
    found: Estimates,
    ranges: FigureRanges,
    ends: Mapping[str, Range],
    kinds: ClassKinds,
    threshold: float,
) -> Estimates:
    """Estimates of a simple random sample: intervals by `ranges`, inside the possible `ends`."""
    three = {
        name: getattr(found, name).with_interval(getattr(ranges, name)).moved_into(ends.get(name))
        for name in ("unique", "average", "above")
    }
    likeliest = found.likeliest.widened_to(ranges.alone)
    by_class = found.by_class.with_interval(ranges.by_class)
    others = {**three, "by_class": by_class}
    return replace(
        found,
        **three,
        unique_people=found.unique_people.with_interval(
            ranges.unique_people, three["unique"].value
        ),
        by_class=by_class,
        match=None if found.match is None else _match_estimate(found.match, ranges),
        highest=_highest_estimate(found.highest, others, threshold).larger_of(likeliest),
        likeliest=likeliest,
        likely_above=_widen_by_singles(found.likely_above, likeliest, kinds, threshold),
    )


def _match_estimate(match: PopulationEstimate, ranges: FigureRanges) -> PopulationEstimate:
    """The chance of a right match: by curves or, outside of `ranges`, the likeliest population."""
    low, high = ranges.match or match.interval
    return match.with_interval(
        ranges.match, None if low <= match.value <= high else ranges.likeliest_match
    )


def _highest_estimate(
    highest: PopulationEstimate, others: Mapping[str, PopulationEstimate], threshold: float
) -> PopulationEstimate:
    """The largest 1 / F, its interval widened to what the `others`, by name, imply for it."""
    sure = max(others["average"].low, others["by_class"].low)
    if others["above"].low > 0 and threshold > 0:
        sure = max(sure, 1 / most_people(threshold))
    if others["unique"].low > 0:
        sure = 1.0
    return highest.widened_to((min(highest.low, sure), 1.0 if others["unique"].high > 0 else 0.0))


def _widen_by_singles(
    above: PopulationEstimate, likeliest: PopulationEstimate, kinds: ClassKinds, threshold: float
) -> PopulationEstimate:
    """Widen the share of records in risky classes by what the largest risk leaves open.

    If all risks may be below the threshold, the low end is 0; if the largest may be above, so may
    that of every record alone in its class, and the high end is their share at least.
    """
    high = float(kinds.shares[kinds.sizes == 1].sum()) if likeliest.high > threshold else 0.0
    return above.widened_to((above.low if likeliest.low > threshold else 0.0, high))


def most_people(threshold: float) -> float:
    """The most people of a class whose risk exceeds the threshold: the largest F with F t < 1.

    >>> most_people(0.2), most_people(0.21), most_people(0)
    (4, 4, inf)
    """
    limit = fraction(threshold)
    if limit <= 0:
        return math.inf
    return -(-limit.denominator // limit.numerator) - 1


def _whole_table_estimates(kinds: ClassKinds, threshold: float) -> Estimates:
    """The exact figures of a table that holds everybody: F is the size of the class."""

    def exact(value: float) -> PopulationEstimate:
        one = float(value)
        return PopulationEstimate(one, one, one, (one, one))

    sizes = np.maximum(kinds.sizes, 1)
    above = exact(kinds.shares[sizes <= most_people(threshold)].sum())
    highest = exact(1 / sizes.min() if len(sizes) else 0.0)
    return Estimates(
        unique=exact(kinds.shares[sizes == 1].sum()),
        unique_people=exact(kinds.classes[sizes == 1].sum() / max(kinds.classes @ sizes, 1)),
        average=exact((kinds.shares / sizes).sum()),
        by_class=exact(kinds.classes.sum() / max(kinds.classes @ sizes, 1)),
        above=above,
        highest=highest,
        likeliest=highest,
        likely_above=above,
        match=exact(1.0) if (sizes == 1).any() else None,
    )


def _estimate_figure(
    behind: PeopleBehind, values: Floats, seen: Floats | None = None
) -> PopulationEstimate:
    """The mean over curves of `values`; 95 % interval of `seen` (with the draw) or of `values`."""
    value = float(behind.curves.mean(values))
    spread = values if seen is None else seen
    order = np.argsort(spread, kind="stable")
    reached = np.cumsum(behind.curves.probability[order])
    tail = (1 - LEVEL) / 2 * reached[-1]
    places = np.searchsorted(reached, [tail, reached[-1] - tail])
    low, high = (float(spread[order[min(int(at), len(order) - 1)]]) for at in places)
    return PopulationEstimate(value, min(low, value), max(high, value))


def _estimate_share(
    behind: PeopleBehind, people: float, shares: Floats, rng: np.random.Generator
) -> PopulationEstimate:
    """Estimate the part of `shares` (one per kind) in population classes of at most `people`."""
    kinds = behind.kinds
    if people == math.inf:
        return PopulationEstimate(1.0, 1.0, 1.0)
    chance = behind.chance_of_at_most(people)
    number = np.maximum(np.rint(kinds.classes), 1).astype(np.int64)
    drawn = rng.binomial(number, chance) / number
    found = _estimate_figure(behind, chance @ shares, drawn @ shares)
    if behind.all_alone:
        most = float(shares[kinds.sizes <= people].sum())
        return replace(found, high=max(found.high, most))  # nothing speaks against that
    return found


def _estimate_averages(
    behind: PeopleBehind, rng: np.random.Generator
) -> tuple[PopulationEstimate, PopulationEstimate]:
    """Estimate `average`, with the random draw, and `by_class`, without (see `Estimates`)."""
    kinds = behind.kinds
    values = behind.risk @ kinds.shares
    classes = np.maximum(kinds.classes, 1.0)
    noise = np.sqrt(behind.spread @ (kinds.shares**2 / classes))
    seen = values + noise * rng.standard_normal(len(values))
    most = float((kinds.shares / kinds.sizes).sum())
    average = _estimate_figure(behind, values, np.clip(seen, 0, most))
    if behind.all_alone:
        average = replace(average, high=max(average.high, most))  # likewise
    return average, _estimate_figure(behind, kinds.classes.sum() / (behind.people @ kinds.classes))


def _estimate_highest(behind: PeopleBehind) -> PopulationEstimate:
    """Estimate the largest 1 / F; between two numbers of `smallest_chances` the lower counts."""
    numbers, reached, probability = behind.smallest_chances()
    mean = np.clip(probability @ reached, reached.min(axis=0), reached.max(axis=0))
    chance = np.append(mean, 1.0)
    first = np.append(1.0, numbers + 1)
    value = float((np.diff(chance, prepend=0.0) / first).sum())
    tail = (1 - LEVEL) / 2
    high = 1 / float(first[int(np.searchsorted(chance, tail))])
    at = int(np.searchsorted(chance, 1 - tail))
    low = 1 / float(numbers[at]) if at < len(numbers) else 0.0
    return PopulationEstimate(value, min(low, value), max(high, value))


def _estimate_likeliest(behind: PeopleBehind) -> PopulationEstimate:
    """Estimate the largest mean of 1 / F of any class."""
    value = float(behind.curves.mean(behind.risk).max())
    return _estimate_with_interval(value, behind, behind.risk.max(axis=1))


def _estimate_likely_above(behind: PeopleBehind, threshold: float) -> PopulationEstimate:
    """Estimate the share of records in classes whose mean of 1 / F exceeds the threshold."""
    now = behind.curves.mean(behind.risk) > threshold + TOLERANCE
    above = (behind.risk > threshold + TOLERANCE) @ behind.kinds.shares
    return _estimate_with_interval(float(behind.kinds.shares[now].sum()), behind, above)


def _estimate_with_interval(
    value: float, behind: PeopleBehind, values: Floats
) -> PopulationEstimate:
    """The estimate `value`, with the interval of `values`, one per curve, widened to hold it."""
    low, high = _estimate_figure(behind, values).interval
    return PopulationEstimate(value, min(low, value), max(high, value))


def _estimate_match(behind: PeopleBehind) -> PopulationEstimate | None:
    """Estimate unique records over all people who share their values; None without any."""
    alone = behind.kinds.sizes == 1
    if not alone.any():
        return None
    classes = behind.kinds.classes[alone]
    return _estimate_figure(behind, classes.sum() / (behind.people[:, alone] @ classes))
