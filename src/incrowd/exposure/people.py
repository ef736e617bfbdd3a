"""How many people of the population are behind each class of a table: means and chances.

Given mu and that f people of a class were drawn, a share d of them, the class has f + Poisson(r)
people in the population, r = mu (1 - d) / d. Every figure is a mean of that over the curves'
densities of mu. A class of more than `LARGE` people determines mu by itself: f + Poisson becomes
negative binomial.

That is the estimate of Benedetti and Franconi (1998; Franconi and Polettini 2004; µ-Argus;
sdcMicro's `indivRisk`): F is negative binomial given f, with the class's sampling fraction p = f /
(sum of the weights), and the risk is the mean of 1 / F,

    r = p^f / f * 2F1(f, f; f + 1; 1 - p)

Others approximate it for larger classes; here every size is exact. It looks at each class alone, as
if no other class showed how rare small ones are: if many classes are small in the population, it is
too low. It holds for classes of many people.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from incrowd.arrays import Counts, Flags, Floats
from incrowd.exposure.mixture import LARGE, Curves, draw_curves
from incrowd.lazy import module

special = module("scipy.special")

_WIDTH = 0.1
"""Classes whose drawn shares differ by less than this factor are one kind."""
_NODES = 24
_FEW = 8
"""Every so many curves are enough for the distribution of the smallest class."""
_GROWTH = 1.2
_MANY = 20
_TERMS = 64


@dataclass(frozen=True, eq=False)
class ClassKinds:
    """Classes by their size and by how thinly they were drawn: one array entry per kind."""

    sizes: Floats
    """People of the table in each class."""
    drawn: Floats
    """The share of the population's people that was drawn, above 0 and at most 1."""
    classes: Floats
    """How many classes there are; overlapping crowds count with the part that is their own."""
    records: Floats
    """Records in all of them."""

    @staticmethod
    def of(records: Counts, own: Counts, people: Counts, drawn: Floats) -> "ClassKinds":
        """Kinds of classes by records, `own` people, `people` in the crowd and share `drawn`."""
        if not len(people):
            nothing = np.zeros(0)
            return ClassKinds(nothing, nothing, nothing, nothing)
        thin = np.round(np.log(np.maximum(drawn, 1e-300)) / _WIDTH).astype(np.int64)
        keys = people * (int(thin.max() - thin.min()) + 1) + thin - thin.min()
        _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
        return ClassKinds(
            people[first].astype(np.float64),
            np.bincount(kind, drawn) / np.bincount(kind),
            np.bincount(kind, own / np.maximum(people, 1)).astype(np.float64),
            np.bincount(kind, records).astype(np.float64),
        )

    def take(self, which: Flags) -> "ClassKinds":
        """The kinds that are flagged, without the others."""
        found = (self.sizes, self.drawn, self.classes, self.records)
        return ClassKinds(*(values[which] for values in found))

    @property
    def shares(self) -> Floats:
        """The share of the records that each kind holds."""
        return np.asarray(self.records / max(self.records.sum(), 1.0))


@dataclass(frozen=True, eq=False)
class PeopleBehind:
    """The people behind each kind of class: arrays have shape (curves, kinds)."""

    kinds: ClassKinds
    curves: Curves
    risk: Floats
    """The mean of 1 / people."""
    spread: Floats
    """The variance of 1 / people of one class."""
    people: Floats
    """The mean number of people."""

    @staticmethod
    def of(kinds: ClassKinds, fraction: float) -> "PeopleBehind":
        """Estimate the people behind these kinds, by the curves that are likely for their sizes."""
        found = draw_curves(kinds.sizes, kinds.classes, fraction)
        risk = _mean_by_size(
            kinds, found, _mean_inverse_power, lambda big: mean_risks(big.sizes, big.drawn)
        )
        square = _mean_by_size(
            kinds, found, partial(_mean_inverse_power, power=2), _mean_square_of_large
        )
        people = _mean_by_size(kinds, found, lambda f, r: f + r, lambda big: big.sizes / big.drawn)
        return PeopleBehind(kinds, found, risk, np.maximum(square - risk**2, 0), people)

    @property
    def all_alone(self) -> bool:
        """Whether every person of the table is alone in a class."""
        return bool((self.kinds.sizes == 1).all())

    def chance_of_at_most(self, people: float, thin: int = 1) -> Floats:
        """The chance of a class of at most so many people, by each `thin`-th curve and kind."""

        def large(big: ClassKinds) -> Floats:
            """The chance by the negative binomial, for classes of more than `LARGE` people."""
            return np.asarray(special.betainc(big.sizes, people - big.sizes + 1, big.drawn))

        can = self.kinds.sizes <= people
        chance = np.zeros((len(self.curves.density[::thin]), len(can)))
        some = self.kinds.take(can)
        chance[:, can] = _mean_by_size(
            some, self.curves, lambda f, r: special.pdtr(people - f, r), large, thin
        )
        return np.clip(chance, 0, 1)

    def smallest_chances(self) -> tuple[Floats, Floats, Floats]:
        """For growing numbers k of people, the chance that the smallest class has at most k.

        Return the numbers, ascending with gaps; the chances for some of the curves, shape (curves,
        numbers); and the probability of each of these curves.
        """
        numbers = _growing_steps(float((self.kinds.sizes / self.kinds.drawn).min()))
        classes = np.maximum(self.kinds.classes, 1.0)
        found = []
        with np.errstate(divide="ignore"):
            for people in numbers:
                more = np.log1p(-self.chance_of_at_most(people, _FEW))
                found.append(-np.expm1((more * classes).sum(axis=1)))
        chance = self.curves.probability[::_FEW]
        return numbers, np.stack(found, axis=1), chance / chance.sum()


def _growing_steps(typical: float) -> Floats:
    """Numbers 1, 2, 3, … in growing steps, far beyond `typical`."""
    steps = int(np.log(8 * typical + 40) / np.log(_GROWTH)) + 2
    return np.unique(np.round(_GROWTH ** np.arange(steps)))


def _mean_by_size(
    kinds: ClassKinds,
    found: Curves,
    small: Callable[[Floats, Floats], Floats],
    large: Callable[[ClassKinds], Floats],
    thin: int = 1,
) -> Floats:
    """The mean of `small(f, r)` over mu, `large` above `LARGE`: (every `thin`-th curve, kinds)."""
    density = found.density[::thin]
    means = np.empty((len(density), len(kinds.sizes)))
    few = kinds.sizes <= LARGE
    if few.any():
        means[:, few] = _means_given_f(kinds.take(few), found, density, small)
    if not few.all():
        means[:, ~few] = large(kinds.take(~few))
    return means


def _means_given_f(
    kinds: ClassKinds, found: Curves, density: Floats, values: Callable[[Floats, Floats], Floats]
) -> Floats:
    """The mean of `values(f, r)` over mu, given that f were drawn: shape (densities, kinds)."""
    grid = found.grid
    size, kind = np.unique(kinds.sizes, return_inverse=True)
    chance = grid.chance(size)[kind]
    odds = (1 - kinds.drawn) / kinds.drawn
    f = kinds.sizes[:, np.newaxis, np.newaxis]
    held = values(f, grid.mu * odds[:, np.newaxis, np.newaxis])
    over, under = grid.cell_means(chance * held), grid.cell_means(chance)
    return (density @ over.T) / (density @ under.T)


def _mean_inverse_power(f: Floats, r: Floats, power: int = 1) -> Floats:
    """The mean of 1 / (f + Poisson(r))^power, with a power of 1 or 2, by Gauss and Laguerre.

    It is the integral of v^(power - 1) exp(-f v - r (1 - exp(-v))) over v > 0, with v = y / (f +
    r), where taking y before the exponent keeps digits.
    """
    scale = f + r
    total = np.zeros(np.broadcast_shapes(f.shape, r.shape))
    for y, weight in zip(*np.polynomial.laguerre.laggauss(_NODES), strict=True):
        v = y / scale
        total += weight * v ** (power - 1) * np.exp(y - f * v + r * np.expm1(-v))
    return total / scale


def _mean_square_of_large(big: ClassKinds) -> Floats:
    """About the mean of 1 / F^2 for large classes: the square of the mean, and the variance."""
    mean = mean_risks(big.sizes, big.drawn)
    return mean**2 * (1 + (1 - big.drawn) / big.sizes)


def mean_risks(people: Counts | Floats, fraction: Floats) -> Floats:
    """The mean of 1 / F for each class of f people drawn with this sampling fraction (0..1].

    >>> mean_risks(np.array([1, 2, 2]), np.array([1 / 215, 2 / 360, 2 / 262])).round(4).tolist()
    [0.0251, 0.0054, 0.0074]
    """
    p, f = np.asarray(fraction, dtype=np.float64), np.asarray(people, dtype=np.float64)
    found = np.empty(len(p))
    series = (p >= 0.5) | (f >= _MANY)
    found[series] = _risk_by_series(f[series], p[series])
    found[~series] = _risk_by_recurrence(f[~series], p[~series])
    return found


def _risk_by_series(f: Floats, p: Floats) -> Floats:
    """The mean of 1 / F by the series p / f * 2F1(1, 1; f + 1; q), q = 1 - p; terms fall fast."""
    q = 1 - p
    term, total = np.ones(len(f)), np.ones(len(f))
    for j in range(1, _TERMS):
        term = term * q * (j / (f + j))
        total += term
    return p / f * total


def _risk_by_recurrence(f: Floats, p: Floats) -> Floats:
    """The mean of 1 / F as p g(f), g(f) the integral of (1 - t)^(f - 1) / (1 - q t), t in 0..1.

    g(1) = ln(1/p) / q and g(f + 1) = (1/f - p g(f)) / q; errors do not grow as p < q, f < `_MANY`.
    """
    q = 1 - p
    step = -np.log(p) / q
    found = step.copy()
    for size in range(2, _MANY):
        step = (1 / (size - 1) - p * step) / q
        found = np.where(f == size, step, found)
    return p * found
