"""What is possible at all: the least and the most of a figure over every population that fits.

A population is any number of classes of any sizes F. How many classes a random sample shows of each
size has exact limits, 95 % for all together; linear programs find the ends under them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Floats
from incrowd.exposure.mixture import LARGE
from incrowd.lazy import module

special = module("scipy.special")
optimize = module("scipy.optimize")

_DOUBT = 0.05
BINS = (*range(1, 11), 12, 15, 19, 25, 33, 45, 65, LARGE + 1)
"""First sizes of the bins; the last one is open."""
_EXACT = 60
"""Smaller sizes F stand for themselves; larger ones grow in steps of `_GROWTH`."""
_GROWTH = 1.12
_FEW, _WIDE = 24, 1.15
"""The same for coarse populations."""
_SINGLE, _WIDER = 10, 1.25
"""Of coarse populations: smaller classes of the table have bins of their own, larger ones share."""
_NOISE = 2.0

Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Populations:
    """Class sizes F that a population may have, and what a sample shows of each."""

    sizes: Floats
    bins: Floats
    """First sizes of the bins that count classes of the table; the last one is open."""
    shown: Floats
    """Classes seen per person of a class of F, by bin of their size: shape (bins, sizes)."""

    @staticmethod
    def for_table(largest: float, fraction: float) -> "Populations":
        """The populations of a table with classes of up to `largest`, binned by `BINS`."""
        sizes = _size_grid(largest / fraction, _EXACT, _GROWTH)
        return Populations.of(sizes, np.array(BINS, dtype=np.float64), fraction)

    @staticmethod
    def of(sizes: Floats, bins: Floats, fraction: float) -> "Populations":
        """The populations with these class sizes and bins, for a sample of this fraction."""
        below = np.array([_chance_of_fewer(first, sizes, fraction) for first in bins.tolist()])
        inside = np.diff(np.vstack([below, np.ones(len(sizes))]), axis=0)
        return Populations(sizes, bins, inside / (sizes * fraction))

    @staticmethod
    def with_fewer_sizes(largest: float, fraction: float, *more: float) -> "Populations":
        """The populations with fewer sizes (and these `more`), and bins up to the largest class."""
        sizes = np.union1d(_size_grid(largest / fraction, _FEW, _WIDE), more)
        number = int(np.log(max(largest / _SINGLE, 1.0)) / np.log(_WIDER)) + 1
        wide = np.ceil(_SINGLE * _WIDER ** np.arange(number))
        return Populations.of(sizes, np.append(np.arange(1.0, _SINGLE), wide), fraction)

    def bin_classes(self, sizes: Floats, classes: Floats) -> Floats:
        """How many classes of the table each bin has, given how many there are of each size."""
        at = np.searchsorted(self.bins, sizes, side="right") - 1
        return np.bincount(at, classes, minlength=len(self.bins)).astype(np.float64)

    def indicator_up_to(self, people: float) -> Floats:
        """Per class size of the population: 1 if it is at most so many people, otherwise 0."""
        return (self.sizes <= people).astype(np.float64)


def _size_grid(typical: float, exact: int, growth: float) -> Floats:
    """Every size below `exact`, then sizes in growing steps up to three times `typical` or more."""
    top = max(3 * typical, 2 * exact)
    steps = int(np.log(top / exact) / np.log(growth)) + 2
    wide = np.round(exact * growth ** np.arange(steps))
    return np.unique(np.concatenate([np.arange(1.0, exact), wide]))


def _chance_of_fewer(than: float, sizes: Floats, fraction: float) -> Floats:
    """Per class size, the binomial chance that fewer than `than` of its people are drawn."""
    more = np.maximum(sizes - than + 1, 1.0)
    return np.where(sizes < than, 1.0, special.betainc(more, than, 1 - fraction))


def possible_ranges(
    sizes: Floats, classes: Floats, fraction: float, threshold_people: float
) -> Mapping[str, Range] | None:
    """The least and the most of `unique`, `average` and `above` over all populations that fit.

    Of the people of a table with so many classes of each size: the share unique in the population,
    the mean of 1 / F, and the share whose F is at most `threshold_people`. None if no population
    fits.
    """
    drawn = Populations.for_table(float(sizes.max()), fraction)
    members = sizes * classes
    people = float(members.sum())
    limits = _count_limits(drawn.bin_classes(sizes, classes), people)
    few = sizes <= threshold_people
    figures = {
        "unique": (drawn.indicator_up_to(1), classes[sizes == 1]),
        "average": (1 / drawn.sizes, classes),
        "above": (drawn.indicator_up_to(threshold_people), members[few]),
    }
    found = {}
    for name, (figure, most) in figures.items():
        ends = _range_of_figure(drawn.shown, limits, figure)
        if ends is None:
            return None
        found[name] = _widen_by_noise(ends, people, float(most.sum()) / people)
    return found


def _count_limits(seen: Floats, people: float) -> tuple[Floats, Floats]:
    """The least and the most expected classes per person in each bin, 95 % sure for all."""
    doubt = _DOUBT / len(BINS) / 2
    low = np.where(seen > 0, special.gammaincinv(np.maximum(seen, 0.5), doubt), 0.0)
    return low / people, special.gammaincinv(seen + 1, 1 - doubt) / people


def _range_of_figure(shown: Floats, limits: tuple[Floats, Floats], figure: Floats) -> Range | None:
    """The least and the most of a figure over shares within the limits; None if there are none."""
    low, high = limits
    ends = []
    for sign in (1.0, -1.0):
        solution = optimize.linprog(
            sign * figure,
            A_ub=np.vstack([shown, -shown]),
            b_ub=np.concatenate([high, -low]),
            A_eq=np.ones((1, len(figure))),
            b_eq=[1.0],
        )
        if not solution.success:
            return None
        ends.append(sign * float(solution.fun))
    return ends[0], ends[1]


def _widen_by_noise(ends: Range, people: float, most: float) -> Range:
    """A range widened by two standard deviations of a draw of `people`; at most `most`."""
    low, high = (max(end, 0.0) for end in ends)
    low = max(low - _NOISE * float(np.sqrt(low / people)), 0.0)
    high = high + _NOISE * float(np.sqrt(high / people)) + _NOISE / people
    return min(low, most), min(high, most)
