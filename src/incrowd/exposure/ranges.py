"""The 95 % intervals of a simple random sample: what populations that fit it say of each figure.

The safe ends (the most of a risk) come from every population that makes the table likely enough,
whatever its class sizes (`incrowd.exposure.profile`). The other ends, and both ends of the share
above the threshold, lean to the smooth curves of `incrowd.exposure.mixture`: the more, the more
classes of three or more people the table has, and not at all where the curves do not fit it. A
table says little of where just the threshold cuts: there the ends are one-sided, since the truth
can be near one of two distant ends only, and not below those of the unique share.

What is true of a table is not what is true of its population: the draw adds a variance, in squares.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import Floats
from incrowd.exposure.mixture import LARGE, Curves
from incrowd.exposure.people import ClassKinds
from incrowd.exposure.possible import Populations, Range
from incrowd.exposure.profile import DROP, DROP_ONE_SIDED, Profile
from incrowd.lazy import module

special = module("scipy.special")

_TELLING = 3
"""Classes of this many people and more tell how class sizes vary."""
_LOWER, _ABOVE = (0.2, 6.0), (0.4, 8.0)
"""How much lower ends lean, and the upper end of the share above the threshold: what one telling
class adds to the cost of a unit of relative entropy from the curves, and how much log likelihood
the curves may lack before they are trusted half."""
_STEEP = 6
_LEAST_PULL = 0.01
_NORMAL = 1.96
_LEAST_SHARE = 1e-6


@dataclass(frozen=True)
class FigureRanges:
    """The interval of each figure (see `Estimates`)."""

    unique: Range
    unique_people: Range
    average: Range
    above: Range
    by_class: Range
    match: Range | None
    """None if nobody of the table is alone in a class."""
    likeliest_match: float
    """`match` by the likeliest population."""
    alone: Range | None
    """The mean of 1 / F of those who are alone; None likewise."""


def figure_ranges(kinds: ClassKinds, drawn: float, people: float, curves: Curves) -> FigureRanges:
    """The intervals of a simple random sample; `people` are the most of a class at risk."""
    sample = _LikelyPopulations.of(kinds, drawn, people, curves)
    unique, average = sample.share_up_to(1), sample.average
    above = sample.share_up_to(people)
    singles = (1 - drawn) ** (sample.populations.sizes - 1)
    match = sample.match_interval(singles, unique.most) if unique.most else None
    likeliest = _mean_over_classes(singles, sample.populations.sizes, sample.free.likeliest)
    low, high = sample.table_interval(unique, sample.free)
    above_low, above_high = sample.table_interval(above, sample.above, DROP_ONE_SIDED)
    return FigureRanges(
        unique=(low, high),
        unique_people=sample.population_interval(unique),
        average=sample.table_interval(average, sample.free),
        above=(max(above_low, low), max(above_high, high)) if people >= 1 else (0.0, 0.0),
        by_class=sample.by_class_interval(drawn),
        match=match,
        likeliest_match=1 / likeliest,
        alone=match and _raise_to_low_end(match, sample.inverse_interval(singles, unique.most)),
    )


@dataclass(frozen=True, eq=False)
class _MeanFigure:
    """A mean over the people of a table, and the most that the table's own counts allow."""

    values: Floats
    """For each class size of the population."""
    most: float


@dataclass(frozen=True, eq=False)
class _LikelyPopulations:
    """A table, with profiles of populations that make it likely: `free`, or leaning to curves."""

    kinds: ClassKinds
    populations: Populations
    free: Profile
    leaning: Profile
    above: Profile

    @staticmethod
    def of(kinds: ClassKinds, drawn: float, people: float, curves: Curves) -> "_LikelyPopulations":
        """The populations of a table that is this share of one; `people` as in `figure_ranges`."""
        ends = (people, people + 1) if 1 <= people < np.inf else ()
        populations = Populations.with_fewer_sizes(float(kinds.sizes.max()), drawn, *ends)
        smooth = smooth_shares(populations.sizes, kinds, drawn, curves)
        number = float(kinds.sizes @ kinds.classes)
        seen = populations.bin_classes(kinds.sizes, kinds.classes)
        free = Profile(number * populations.shown, seen, smooth)
        telling = float(kinds.classes[kinds.sizes >= _TELLING].sum())
        leaning, above = (_lean_to_curves(free, telling, *how) for how in (_LOWER, _ABOVE))
        return _LikelyPopulations(kinds, populations, free, leaning, above)

    @property
    def people(self) -> float:
        """People of the table."""
        return float(self.kinds.sizes @ self.kinds.classes)

    def share_up_to(self, people: float) -> _MeanFigure:
        """The share of the table's people in classes of at most so many of the population."""
        few = self.kinds.sizes <= people
        most = float((self.kinds.sizes * self.kinds.classes)[few].sum()) / self.people
        return _MeanFigure(self.populations.indicator_up_to(people), most)

    @property
    def average(self) -> _MeanFigure:
        """The mean of 1 / F over the people of the table."""
        return _MeanFigure(
            1 / self.populations.sizes, float(self.kinds.classes.sum()) / self.people
        )

    def table_interval(self, figure: _MeanFigure, upper: Profile, drop: float = DROP) -> Range:
        """The interval of a figure of the table's people: low by `leaning`, high by `upper`."""
        if not figure.most or figure.values.min() == 1:
            return figure.most, figure.most
        low = self._end_with_draw(figure, self.leaning, -1.0, drop)
        high = self._end_with_draw(figure, upper, 1.0, drop)
        return min(low, high), high

    def _end_with_draw(
        self, figure: _MeanFigure, profile: Profile, sign: float, drop: float
    ) -> float:
        """The low (`sign` -1) or high (1) end of a figure's interval, widened for the draw."""
        end, _ = profile.find_end(figure.values, sign, figure.most, drop)
        part = min(max(end / figure.most, 0.0), 1.0)
        variance = figure.most / self.people * part * (1 - part)
        center = float(figure.values @ profile.likeliest)
        return min(max(_widen_end(center, end, sign, variance), 0.0), figure.most)

    def population_interval(self, figure: _MeanFigure) -> Range:
        """The interval of a figure over all people of the population."""
        low, high = self._safe_ends(figure.values, max(figure.most, 1 / self.people))
        return max(min(low, high), 0.0), min(high, 1.0)

    def _safe_ends(self, values: Floats, scale: float) -> Range:
        """The least of a figure leaning to the curves, and the most leaning to nothing."""
        low, _ = self.leaning.find_end(values, -1.0, scale)
        high, _ = self.free.find_end(values, 1.0, scale)
        return low, high

    def match_interval(self, singles: Floats, counted: float) -> Range:
        """The interval of people alone in the table over the population's people in their classes.

        `singles` is the chance, by class size, to be alone in the table; `counted` the share alone.
        """
        size = self.populations.sizes

        def variance(shares: Floats) -> float:
            """What the draw adds to the variance of the mean number of people."""
            mean, square = (
                _mean_over_classes(singles, values, shares) for values in (size, size**2)
            )
            return (square - mean**2) / (counted * self.people)

        return self._range_per_person(singles, variance)

    def by_class_interval(self, drawn: float) -> Range:
        """The interval of the table's classes over all people in them."""
        size = self.populations.sizes
        unseen = (1 - drawn) ** size  # the draw decides which small classes are seen
        spread = size * unseen * (1 - unseen) / drawn
        counted = float(self.kinds.classes.sum()) ** 2 / self.people
        every = (1 - unseen) / (drawn * size)
        return self._range_per_person(every, lambda shares: float(spread @ shares) / counted)

    def _range_per_person(self, shown: Floats, variance: Callable[[Floats], float]) -> Range:
        """The interval of classes over the people of the population in them.

        `shown` are such classes per person of the table, for each size; `variance` is what the draw
        adds, given the shares. Both ends lean to nothing.
        """
        fewest, most = (self._end_of_mean_people(shown, variance, sign) for sign in (-1.0, 1.0))
        return 1 / max(fewest, most), 1 / fewest

    def _end_of_mean_people(
        self, shown: Floats, variance: Callable[[Floats], float], sign: float
    ) -> float:
        """The low (`sign` -1) or high (1) end of the mean number of people in classes.

        `shown` and `variance` are those of `_range_per_person`. The mean is a ratio of sums:
        where it departs most from the likeliest one, so does people - ratio x classes.
        """
        size, likeliest = self.populations.sizes, self.free.likeliest
        center = _mean_over_classes(shown, size, likeliest)
        apart = shown * (size - center) / float(shown @ likeliest)
        far, shares = self.free.find_end(apart, sign, center)
        end = _mean_over_classes(shown, size, shares) + far - float(apart @ shares)
        return max(_widen_end(center, end, sign, max(variance(shares), 0.0)), 1.0)

    def inverse_interval(self, singles: Floats, counted: float) -> Range:
        """The range of mean 1 / F of people alone, without the draw (see `match_interval`)."""
        low, high = self._safe_ends(singles / self.populations.sizes / counted, 1.0)
        return min(max(low, 0.0), 1.0), min(max(high, low), 1.0)


def _raise_to_low_end(other: Range, mean: Range) -> Range:
    """The range `mean` of the mean of 1 / F, raised to the low end of `other`: of 1 / mean F."""
    return max(mean[0], other[0]), max(mean[1], other[0])


def _fit_of_curves(free: Profile, enough: float) -> float:
    """How far the curves fit, 0..1: 1/2 if they lack `enough` of the highest log likelihood."""
    lacking = max(free.top - free.height(free.near), 0.0)
    return float(1 / (1 + (lacking / enough) ** _STEEP))


def _lean_to_curves(free: Profile, telling: float, pull: float, enough: float) -> Profile:
    """The profile leaning to the curves, at a cost of `pull` for each of `telling` classes.

    The worse they fit (see `_fit_of_curves`), the lower the cost; `free` itself if 0.01 or less.
    """
    cost = pull * telling * _fit_of_curves(free, enough)
    return replace(free, pull=cost) if cost > _LEAST_PULL else free


def _mean_over_classes(shown: Floats, values: Floats, shares: Floats) -> float:
    """The mean of a value per size over the classes that such shares of people show."""
    return float((shown * values) @ shares) / float(shown @ shares)


def _widen_end(center: float, end: float, sign: float, variance: float) -> float:
    """The low (`sign` -1) or high (1) end of a 95 % interval, widened for a further variance.

    It is that of something independent, so distances from the center add in squares. An end on
    the wrong side of the center counts as the center.
    """
    far = max(sign * (end - center), 0.0)
    return center + sign * float(np.sqrt(far**2 + _NORMAL**2 * variance))


def smooth_shares(sizes: Floats, kinds: ClassKinds, drawn: float, curves: Curves) -> Floats:
    """The share of people that the curves expect at each of these sizes of the population.

    A person shares a class of mu with Poisson(mu / drawn) others; large classes say it themselves.
    """
    last = np.append(np.ceil(np.sqrt(sizes[1:] * sizes[:-1])) - 1, np.inf)
    density = curves.mean(curves.density)
    others = curves.grid.mu / drawn
    below = curves.grid.cell_means(special.pdtr((last[:-1] - 1)[:, np.newaxis, np.newaxis], others))
    shares = np.diff(np.concatenate([[0.0], below @ density, [1.0]]))
    shares[sizes > LARGE / drawn] = 0.0
    people = kinds.sizes * kinds.classes / (kinds.sizes @ kinds.classes)
    large = kinds.sizes > LARGE
    shares *= (1 - people[large].sum()) / max(float(shares.sum()), _LEAST_SHARE)
    at = np.log(kinds.sizes[large] / drawn)
    np.add.at(shares, np.abs(np.log(sizes) - at[:, np.newaxis]).argmin(axis=1), people[large])
    shares = np.maximum(shares, _LEAST_SHARE)
    return np.asarray(shares / shares.sum())
