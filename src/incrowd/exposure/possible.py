"""What a figure can be at all: the least and the most over every population that fits the sample.

No shape is assumed. A population is a share of people for each class size F; a person's class
shows j people of the table with the binomial chance of j in F. The classes that are seen in bins
of j hold these shares within exact Poisson limits, all at once with 95 %; the least and the most of
a figure under these limits are linear programs.
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
