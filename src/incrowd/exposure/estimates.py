"""What a table that is a sample says of the population: every figure by one model, with intervals.

`PeopleBehind` has the people behind each class for many curves. A figure is its mean over the
curves; its interval holds 95 % of the values that the curves and the random draw give.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Floats
from incrowd.exposure.mixture import LARGE
from incrowd.exposure.people import ClassKinds, PeopleBehind
from incrowd.lazy import module
from incrowd.models.model import TOLERANCE, fraction

special = module("scipy.special")


optimize = module("scipy.optimize")


_DOUBT = 0.05


_BINS = (*range(1, 11), 12, 15, 19, 25, 33, 45, 65, LARGE + 1)
"""First sizes of the bins; the last one is open."""


_EXACT = 60


_GROWTH = 1.12


_NOISE = 2.0


Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class _Populations:
    """Class sizes F that a population may have, and what a sample shows of each."""

    sizes: Floats
    shown: Floats
    """Classes that are seen per person of a class of F, by bin of their size in the table: shape
    (bins, sizes)."""

    @staticmethod
    def over(largest: float, fraction: float) -> "_Populations":
        top = max(3 * largest / fraction, 2 * _EXACT)
        steps = int(np.log(top / _EXACT) / np.log(_GROWTH)) + 2
        wide = np.round(_EXACT * _GROWTH ** np.arange(steps))
        sizes = np.unique(np.concatenate([np.arange(1.0, _EXACT), wide]))
        below = np.array([_fewer(first, sizes, fraction) for first in _BINS])
        inside = np.diff(np.vstack([below, np.ones(len(sizes))]), axis=0)
        return _Populations(sizes, inside / (sizes * fraction))


def _fewer(than: int, sizes: Floats, fraction: float) -> Floats:
    """The binomial chance that fewer than so many of each of these sizes are drawn."""
    more = np.maximum(sizes - than + 1, 1.0)
    found: Floats = np.where(sizes < than, 1.0, special.betainc(more, float(than), 1 - fraction))
    return found


def possible(
    sizes: Floats, classes: Floats, fraction: float, threshold_people: float
) -> Mapping[str, Range] | None:
    """The ranges of `unique`, `average` and `above`; None if no population fits the limits.

    Of the people of a table with so many classes of each size: the share unique in the population,
    the mean of 1 / F, and the share whose F is at most `threshold_people`.
    """
    drawn = _Populations.over(float(sizes.max()), fraction)
    people = float((sizes * classes).sum())
    limits = _limits(sizes, classes, people)
    figures = {
        "unique": (drawn.sizes == 1).astype(np.float64),
        "average": 1 / drawn.sizes,
        "above": (drawn.sizes <= threshold_people).astype(np.float64),
    }
    found = {name: _range(drawn.shown, limits, figure) for name, figure in figures.items()}
    if any(one is None for one in found.values()):
        return None
    shown = {
        "unique": sizes == 1,
        "average": np.ones(len(sizes), dtype=np.bool_),
        "above": sizes <= threshold_people,
    }
    weight = {"unique": classes, "average": classes, "above": sizes * classes}
    return {
        name: _with_noise(one, people, float(weight[name][shown[name]].sum()) / people)
        for name, one in found.items()
        if one is not None
    }


def _limits(sizes: Floats, classes: Floats, people: float) -> tuple[Floats, Floats]:
    """How many classes a person can be expected to show in each bin, at least and at most."""
    bins = np.searchsorted(np.array(_BINS, dtype=np.float64), sizes, side="right") - 1
    seen = np.bincount(bins, classes, minlength=len(_BINS))
    doubt = _DOUBT / len(_BINS) / 2
    low = np.where(seen > 0, special.gammaincinv(np.maximum(seen, 0.5), doubt), 0.0)
    return low / people, special.gammaincinv(seen + 1, 1 - doubt) / people


def _range(shown: Floats, limits: tuple[Floats, Floats], figure: Floats) -> Range | None:
    """The least and the most of a figure over all shares of people that keep the limits."""
    low, high = limits
    ends = []
    for sign in (1.0, -1.0):
        found = optimize.linprog(
            sign * figure,
            A_ub=np.vstack([shown, -shown]),
            b_ub=np.concatenate([high, -low]),
            A_eq=np.ones((1, len(figure))),
            b_eq=[1.0],
        )
        if not found.success:
            return None
        ends.append(sign * float(found.fun))
    return ends[0], ends[1]


def _with_noise(ends: Range, people: float, most: float) -> Range:
    """Shares of the people in the table stray from those of the population; `most` is counted."""
    low, high = (max(end, 0.0) for end in ends)
    low = max(low - _NOISE * float(np.sqrt(low / people)), 0.0)
    high = high + _NOISE * float(np.sqrt(high / people)) + _NOISE / people
    return min(low, most), min(high, most)


LEVEL = 0.95
"""Of every interval."""


@dataclass(frozen=True)
class Estimate:
    """A figure of the population, its interval, and what it can be at all."""

    value: float
    low: float
    high: float
    possible: Range | None = None
    """The range over every population that fits the sample, if it was looked for."""

    @property
    def interval(self) -> Range:
        """Holds the figure with a probability of `LEVEL`, if the model is right."""
        return self.low, self.high

    def within(self, ends: Range | None) -> "Estimate":
        """The same inside what is possible at all."""
        if ends is None:
            return self
        value, low, high = (min(max(v, ends[0]), ends[1]) for v in (self.value, *self.interval))
        return Estimate(value, low, high, ends)

    def at_least(self, other: "Estimate") -> "Estimate":
        """The larger of two figures, of which each is one of this."""
        ends = (max(self.low, other.low), max(self.high, other.high))
        return Estimate(max(self.value, other.value), *ends, self.possible)


@dataclass(frozen=True)
class Estimates:
    """The figures of a table's classes. F is the number of people of the population in a class."""

    unique: Estimate
    """Share of the records whose F is 1."""
    unique_people: Estimate
    """Share of the people whose F is 1."""
    average: Estimate
    """Mean of 1 / F over the records."""
    by_class: Estimate
    """Classes over all people in them."""
    above: Estimate
    """Share of the records whose 1 / F exceeds the threshold."""
    highest: Estimate
    """The largest 1 / F of all."""
    likeliest: Estimate
    """The largest mean of 1 / F of any class."""
    likely_above: Estimate
    """Share of the records in classes whose mean of 1 / F exceeds the threshold."""
    match: Estimate | None
    """Unique records over all people who share their values; None without unique people."""


def estimates(
    kinds: ClassKinds, drawn: float, threshold: float, *, plain: bool = True
) -> Estimates:
    """The figures for these kinds of classes of a table that holds this share of a population.

    With `plain` every person is one record of one class and everybody was as likely to be drawn:
    then what is possible at all is looked for too.
    """
    if not len(kinds.sizes) or bool((kinds.drawn >= 1).all()):
        return _counted(kinds, threshold)
    people = most_people(threshold)
    ends: Mapping[str, Range] | None = None
    if plain:
        ends = possible(kinds.sizes, kinds.classes, drawn, people)
    behind = PeopleBehind.of(kinds, drawn)
    rng = np.random.default_rng(0)
    average, by_class = _averages(behind, rng)
    limits, likeliest = ends or {}, _likeliest(behind)
    people_shares = kinds.sizes * kinds.classes / (kinds.sizes @ kinds.classes)
    return Estimates(
        unique=_share(behind, 1, kinds.shares, rng).within(limits.get("unique")),
        unique_people=_share(behind, 1, people_shares, rng).within(limits.get("unique")),
        average=average.within(limits.get("average")),
        by_class=by_class,
        above=_share(behind, people, kinds.shares, rng).within(limits.get("above")),
        highest=_highest(behind).at_least(likeliest),
        likeliest=likeliest,
        likely_above=_likely_above(behind, threshold),
        match=_match(behind),
    )


def most_people(threshold: float) -> float:
    """The most people of a class whose risk exceeds the threshold: the largest F with F t < 1.

    >>> most_people(0.2), most_people(0.21), most_people(0)
    (4, 4, inf)
    """
    limit = fraction(threshold)
    if limit <= 0:
        return math.inf
    return -(-limit.denominator // limit.numerator) - 1


def _counted(kinds: ClassKinds, threshold: float) -> Estimates:
    """Everybody is in the table: F is the size of the class."""

    def exact(value: float) -> Estimate:
        return Estimate(float(value), float(value), float(value), (float(value), float(value)))

    sizes = np.maximum(kinds.sizes, 1)
    above = float(kinds.shares[sizes <= most_people(threshold)].sum())
    highest = exact(1 / sizes.min() if len(sizes) else 0.0)
    return Estimates(
        unique=exact(kinds.shares[sizes == 1].sum()),
        unique_people=exact(kinds.classes[sizes == 1].sum() / max(kinds.classes @ sizes, 1)),
        average=exact((kinds.shares / sizes).sum()),
        by_class=exact(kinds.classes.sum() / max(kinds.classes @ sizes, 1)),
        above=exact(above),
        highest=highest,
        likeliest=highest,
        likely_above=exact(above),
        match=exact(1.0) if (sizes == 1).any() else None,
    )


def _estimate(behind: PeopleBehind, values: Floats, seen: Floats | None = None) -> Estimate:
    """The mean of a figure over the curves; `seen` are the same figures with the draw's chance."""
    value = float(behind.curves.mean(values))
    spread = values if seen is None else seen
    order = np.argsort(spread, kind="stable")
    reached = np.cumsum(behind.curves.probability[order])
    tail = (1 - LEVEL) / 2 * reached[-1]
    places = np.searchsorted(reached, [tail, reached[-1] - tail])
    low, high = (float(spread[order[min(int(at), len(order) - 1)]]) for at in places)
    return Estimate(value, min(low, value), max(high, value))


def _share(
    behind: PeopleBehind, people: float, shares: Floats, rng: np.random.Generator
) -> Estimate:
    """The share of the records (or people) in classes of at most so many people."""
    kinds = behind.kinds
    if people == math.inf:
        return Estimate(1.0, 1.0, 1.0)
    chance = behind.at_most(people)
    number = np.maximum(np.rint(kinds.classes), 1).astype(np.int64)
    drawn = rng.binomial(number, chance) / number
    found = _estimate(behind, chance @ shares, drawn @ shares)
    return _up_to(found, float(shares[kinds.sizes <= people].sum())) if behind.all_alone else found


def _averages(behind: PeopleBehind, rng: np.random.Generator) -> tuple[Estimate, Estimate]:
    """The mean risk of the records, and classes over people."""
    kinds = behind.kinds
    values = behind.risk @ kinds.shares
    classes = np.maximum(kinds.classes, 1.0)
    noise = np.sqrt(behind.spread @ (kinds.shares**2 / classes))
    seen = values + noise * rng.standard_normal(len(values))
    most = float((kinds.shares / kinds.sizes).sum())
    average = _estimate(behind, values, np.clip(seen, 0, most))
    if behind.all_alone:
        average = _up_to(average, most)
    return average, _estimate(behind, kinds.classes.sum() / (behind.people @ kinds.classes))


def _up_to(found: Estimate, most: float) -> Estimate:
    """Where nobody of the table shares a class, nothing speaks against the highest figure."""
    return Estimate(found.value, found.low, max(found.high, most))


def _highest(behind: PeopleBehind) -> Estimate:
    """The largest risk: 1 over the people of the smallest class, at the upper end of each gap."""
    numbers, reached, probability = behind.smallest()
    chance = np.append(probability @ reached, 1.0)
    first = np.append(1.0, numbers + 1)
    value = float((np.diff(chance, prepend=0.0) / first).sum())
    tail = (1 - LEVEL) / 2
    high = 1 / float(first[int(np.searchsorted(chance, tail))])
    at = int(np.searchsorted(chance, 1 - tail))
    low = 1 / float(numbers[at]) if at < len(numbers) else 0.0
    return Estimate(value, min(low, value), max(high, value))


def _likeliest(behind: PeopleBehind) -> Estimate:
    value = float(behind.curves.mean(behind.risk).max())
    found = _estimate(behind, behind.risk.max(axis=1))
    return Estimate(value, min(found.low, value), max(found.high, value))


def _likely_above(behind: PeopleBehind, threshold: float) -> Estimate:
    above = behind.risk > threshold + TOLERANCE
    now = behind.curves.mean(behind.risk) > threshold + TOLERANCE
    value = float(behind.kinds.shares[now].sum())
    found = _estimate(behind, above @ behind.kinds.shares)
    return Estimate(value, min(found.low, value), max(found.high, value))


def _match(behind: PeopleBehind) -> Estimate | None:
    alone = behind.kinds.sizes == 1
    if not alone.any():
        return None
    classes = behind.kinds.classes[alone]
    return _estimate(behind, classes.sum() / (behind.people[:, alone] @ classes))
