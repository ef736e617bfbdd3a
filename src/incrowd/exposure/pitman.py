"""The share of unique people in a population whose classes follow Pitman's sampling formula.

Hoshino, *Applying Pitman's sampling formula to microdata disclosure risk assessment*, 2001: alpha
and theta are those under which the sample's classes are likeliest, for 0 < alpha < 1
and theta > -alpha, or alpha = 0 and theta > 0, the limit that is Ewens' formula: many tables are
likeliest there. With u classes of n people, s_j of them of size j, the logarithm of the
likelihood is, but for a constant,

    sum of log(theta + i alpha), i < u  -  sum of log(theta + i), i < n
    +  sum of s_j log(i - alpha), i < j

The expected uniques of N people are taken exactly, where the paper has their limit for large N:
N Gamma(theta + alpha + N - 1) Gamma(theta + 1) / (Gamma(theta + alpha) Gamma(theta + N)).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.arrays import Counts
from incrowd.lazy import module

optimize = module("scipy.optimize")
special = module("scipy.special")

_FAR = 1e6
_LEAST_ALPHA = 1e-4
_MOST_ALPHA = 1 - 1e-9
_LOOKS = 24
"""The likelihood is looked at in a grid of so many values of alpha and of theta."""


def pitman(sizes: Counts, classes: Counts, population: int) -> float | None:
    """The expected share; None if the likelihood has no highest point, or cannot be told."""
    found = fitted(sizes, classes)
    if found is None:
        return None
    theta, alpha = found
    share = np.exp(_log_step(theta + population, alpha - 1) - _log_step(theta + 1, alpha - 1))
    return float(share) if 0 <= share <= 1 else None


def fitted(sizes: Counts, classes: Counts) -> tuple[float, float] | None:
    """The likeliest theta and alpha for so many `classes` of each of these `sizes`."""
    sample = _Sample(sizes, classes, int(classes.sum()), int((sizes * classes).sum()))
    if sample.classes < 2 or sample.people <= sample.classes:
        return None
    with np.errstate(all="ignore"):
        ewens = sample.ewens()
        if ewens is not None and sample.is_best(ewens, 0.0):
            return ewens, 0.0
        alpha = _root(lambda alpha: sample.by_alpha(sample.theta(alpha), alpha), *_ALPHAS)
        theta = None if alpha is None else sample.theta(alpha)
        if alpha is None or theta is None or not sample.is_best(theta, alpha):
            return None
    return theta, alpha


@dataclass(frozen=True, eq=False)
class _Sample:
    """The classes of a sample: their sizes, how many of each, how many in all, and people."""

    sizes: Counts
    of_size: Counts
    classes: int
    people: int

    def by_theta(self, theta: float, alpha: float) -> float:
        """The slope of the log-likelihood in theta."""
        taken = _harmonic(theta / alpha + 1, self.classes - 1) / alpha
        return float(taken - _harmonic(theta + 1, self.people - 1))

    def by_alpha(self, theta: float | None, alpha: float) -> float:
        """The slope of the log-likelihood in alpha."""
        if theta is None:
            return float("nan")
        taken = theta * _harmonic(theta / alpha + 1, self.classes - 1) / alpha
        digamma = _special().digamma
        held = self.of_size * (digamma(self.sizes - alpha) - digamma(1 - alpha))
        return float((self.classes - 1 - taken) / alpha - held.sum())

    def theta(self, alpha: float) -> float | None:
        """The likeliest theta for this alpha: positive slope below it, negative above."""
        most = np.log(10.0 * self.people * self.people)
        found = _root(lambda t: self.by_theta(np.exp(t) - alpha, alpha), np.log(1e-9), most)
        return None if found is None else float(np.exp(found)) - alpha

    def ewens(self) -> float | None:
        """The likeliest theta for alpha = 0."""
        most = np.log(10.0 * self.people * self.people)

        def slope(t: float) -> float:
            theta = float(np.exp(t))
            return (self.classes - 1) / theta - _harmonic(theta + 1, self.people - 1)

        found = _root(slope, np.log(1e-9), most)
        return None if found is None else float(np.exp(found))

    def log_likelihood(self, theta: Any, alpha: Any) -> Any:
        """But for a constant; theta and alpha may be arrays, or alpha 0."""
        gammaln = _special().gammaln
        if np.ndim(alpha) == 0 and alpha == 0:
            found = (self.classes - 1) * np.log(theta)
        else:
            z = theta / alpha
            found = (self.classes - 1) * np.log(alpha) + gammaln(z + self.classes) - gammaln(z + 1)
        found = found - gammaln(theta + self.people) + gammaln(theta + 1)
        for size, number in zip(self.sizes.tolist(), self.of_size.tolist(), strict=True):
            found = found + number * (gammaln(size - alpha) - gammaln(1 - alpha))
        return found

    def is_best(self, theta: float, alpha: float) -> bool:
        """Whether no point of a grid is likelier: slopes of 0 are no proof of a highest point."""
        alphas = np.linspace(0.02, 0.98, _LOOKS)[:, np.newaxis]
        thetas = np.exp(np.linspace(-4.0, np.log(self.people) + 7, _LOOKS)) - alphas
        grid = self.log_likelihood(thetas, alphas)
        slack = 1e-9 * self.people * np.log(self.people + 1.0)
        return bool(np.nanmax(grid) <= self.log_likelihood(theta, alpha) + slack)


def _root(slope: Callable[[float], float], low: float, high: float) -> float | None:
    """Where a slope that is positive at `low` and negative at `high` is 0; None if it is not so."""
    if not (slope(low) > 0 > slope(high)):
        return None
    return float(optimize.brentq(slope, low, high, xtol=1e-13, rtol=1e-13))


def _harmonic(x: float, terms: int) -> float:
    """1/x + 1/(x + 1) + …; far out by an expansion, as the difference of digammas loses digits."""
    if x < _FAR:
        digamma = _special().digamma
        return float(digamma(x + terms) - digamma(x))
    end = x + terms
    return float(np.log1p(terms / x) + terms / (2 * x * end) + (1 / x**2 - 1 / end**2) / 12)


def _log_step(x: float, by: float) -> float:
    """The difference log Gamma(x + by) - log Gamma(x), for -1 < by < 0."""
    if x < _FAR:
        gammaln = _special().gammaln
        return float(gammaln(x + by) - gammaln(x))
    return float(by * np.log(x) + by * (by - 1) / (2 * x))


def _special() -> Any:

    return special


_ALPHAS = (_LEAST_ALPHA, _MOST_ALPHA)
