"""How many people of the population are behind each class of a table: means and chances.

Given mu and that f of a class were drawn, with a share of d, the class has f + Poisson(r) people
in the population, r = mu (1 - d) / d. Everything is a mean of that over the curves' densities of
mu. A class of more than `LARGE` people tells mu by itself: f + Poisson becomes negative binomial.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.exposure.curves import Curves, curves
from incrowd.exposure.individual import risks
from incrowd.exposure.kinds import Kinds
from incrowd.exposure.mixture import LARGE
from incrowd.lazy import module

special = module("scipy.special")

_NODES = 24
_FEW = 8
"""Every so many of the curves do for how the smallest class of all is spread."""
_GROWTH = 1.2


@dataclass(frozen=True, eq=False)
class Behind:
    """The people behind each kind of class: arrays have the shape (curves, kinds)."""

    kinds: Kinds
    curves: Curves
    risk: Floats
    """The mean of 1 / people."""
    spread: Floats
    """The variance of 1 / people of one class."""
    people: Floats
    """The mean number of people."""

    @staticmethod
    def of(kinds: Kinds, fraction: float) -> "Behind":
        """The people behind these kinds, by the curves that their sizes leave possible."""
        found = curves(kinds.sizes, kinds.classes, fraction)
        risk = _both(kinds, found, _mean_inverse, lambda big: risks(_whole(big), big.drawn))
        square = _both(kinds, found, _mean_square, _large_square)
        people = _both(kinds, found, lambda f, r: f + r, lambda big: big.sizes / big.drawn)
        return Behind(kinds, found, risk, np.maximum(square - risk**2, 0), people)

    @property
    def all_alone(self) -> bool:
        """Whether nobody of the table shares a class with anybody."""
        return bool((self.kinds.sizes == 1).all())

    def at_most(self, people: float, thin: int = 1) -> Floats:
        """The chance that a class has at most so many people, for every `thin`-th curve."""

        def large(big: Kinds) -> Floats:
            found: Floats = special.betainc(big.sizes, people - big.sizes + 1, big.drawn)
            return found

        can = self.kinds.sizes <= people
        chance = np.zeros((len(self.curves.density[::thin]), len(can)))
        some = self.kinds.take(can)
        chance[:, can] = _both(
            some, self.curves, lambda f, r: special.pdtr(people - f, r), large, thin
        )
        return np.clip(chance, 0, 1)

    def smallest(self) -> tuple[Floats, Floats, Floats]:
        """Numbers of people k, and the chance that the smallest class has at most k.

        Numbers ascend and leave gaps where they are large; chances are of shape (curves, numbers);
        last the probabilities of these curves.
        """
        numbers = _numbers(float((self.kinds.sizes / self.kinds.drawn).min()))
        classes = np.maximum(self.kinds.classes, 1.0)
        found = []
        with np.errstate(divide="ignore"):
            for people in numbers:
                more = np.log1p(-self.at_most(people, _FEW))
                found.append(-np.expm1((more * classes).sum(axis=1)))
        chance = self.curves.probability[::_FEW]
        return numbers, np.stack(found, axis=1), chance / chance.sum()


def _numbers(typical: float) -> Floats:
    """1, 2, 3, … and then ever larger steps, to far beyond what is typical."""
    steps = int(np.log(8 * typical + 40) / np.log(_GROWTH)) + 2
    found: Floats = np.unique(np.round(_GROWTH ** np.arange(steps)))
    return found


def _both(
    kinds: Kinds,
    found: Curves,
    small: Callable[[Floats, Floats], Floats],
    large: Callable[[Kinds], Floats],
    thin: int = 1,
) -> Floats:
    """A mean for every curve and kind: over mu for small classes, in closed form for large ones."""
    density = found.density[::thin]
    means = np.empty((len(density), len(kinds.sizes)))
    few = kinds.sizes <= LARGE
    if few.any():
        means[:, few] = _averaged(kinds.take(few), found, density, small)
    if not few.all():
        means[:, ~few] = large(kinds.take(~few))
    return means


def _averaged(
    kinds: Kinds, found: Curves, density: Floats, values: Callable[[Floats, Floats], Floats]
) -> Floats:
    """The mean of values (f, r) given f, for each density and kind."""
    grid = found.grid
    size, kind = np.unique(kinds.sizes, return_inverse=True)
    chance = grid.chance(size)[kind]
    odds = (1 - kinds.drawn) / kinds.drawn
    f = kinds.sizes[:, np.newaxis, np.newaxis]
    held = values(f, grid.mu * odds[:, np.newaxis, np.newaxis])
    over, under = grid.averaged(chance * held), grid.averaged(chance)
    means: Floats = (density @ over.T) / (density @ under.T)
    return means


def _mean_inverse(f: Floats, r: Floats) -> Floats:
    """The mean of 1 / (f + Poisson(r)): the integral of exp(-f v - r (1 - exp(-v))) over v > 0."""
    return _laguerre(f, r, 0)


def _mean_square(f: Floats, r: Floats) -> Floats:
    """The mean of 1 / (f + Poisson(r))^2: the same with a factor v."""
    return _laguerre(f, r, 1)


def _laguerre(f: Floats, r: Floats, power: int) -> Floats:
    """By Gauss and Laguerre with v = y / (f + r); y in front of the exponent keeps its digits."""
    scale = f + r
    total = np.zeros(np.broadcast_shapes(f.shape, r.shape))
    for y, weight in zip(*np.polynomial.laguerre.laggauss(_NODES), strict=True):
        v = y / scale
        total += weight * v**power * np.exp(y - f * v + r * np.expm1(-v))
    return total / scale


def _large_square(big: Kinds) -> Floats:
    """About the square of the mean, and the variance of a negative binomial."""
    mean = risks(_whole(big), big.drawn)
    found: Floats = mean**2 * (1 + (1 - big.drawn) / big.sizes)
    return found


def _whole(kinds: Kinds) -> Counts:
    return kinds.sizes.astype(np.int64)
