"""How crowded the classes of people are: a grid of sizes, and how likely a sample makes each.

A class of the population puts Poisson(mu) people into the table, and mu differs from class to
class. Seen from a *person* of the table, log mu has some density; the model is that density on a
grid of cells. Whoever shares a class of mu is one of f with the chance Poisson(mu) of f - 1, so
that a class of f is seen with a chance in proportion to that over f. Gamma densities make the
sampling formulas of Ewens and Pitman and the negative binomial; lognormal ones are what many
columns with independent values make.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Floats
from incrowd.lazy import module

special = module("scipy.special")
optimize = module("scipy.optimize")

STEP = 0.4
"""Width of a cell in log mu."""
LARGE = 100
"""Classes of more people than this tell their size by themselves."""
_INSIDE = 6
_LEAST = 0.01
"""People of the population per class where the grid begins."""
_ALONE = 1e-6
"""The first cell stands for people who share their class with nobody."""
_BEYOND = 3.0
_HALF_A_PAIR = 0.5
_FLOOR = -30.0
_POWERS = (0.4, 1.0)
"""Of the gamma shapes: 1 is Ewens' formula, less is Pitman's."""
_SPREADS = (1.0, 2.0)
"""Of the lognormal shapes, in log mu."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells of log mu, with the nodes by which functions of mu are averaged over each cell."""

    center: Floats
    """Shape (cells,)."""
    mu: Floats
    """Shape (cells, nodes)."""
    share: Floats
    """Weights of the nodes of a cell, which sum to 1."""

    @staticmethod
    def over(largest: float, fraction: float) -> "Grid":
        """The grid for classes of up to `largest` people of a table with this sampling fraction."""
        first = np.log(_LEAST * fraction)
        last = np.log(max(min(largest, LARGE) * _BEYOND, 20 * fraction))
        center = first + STEP * (np.arange(max(int(np.ceil((last - first) / STEP)), 4)) + 0.5)
        at, share = np.polynomial.legendre.leggauss(_INSIDE)
        mu = np.exp(center[:, np.newaxis] + at * STEP / 2)
        mu[0] *= _ALONE
        return Grid(center, mu, share / 2)

    def averaged(self, values: Floats) -> Floats:
        """Means over each cell of values at the nodes: (…, cells, nodes) to (…, cells)."""
        found: Floats = values @ self.share
        return found

    def chance(self, sizes: Floats) -> Floats:
        """The chance that a person is one of f, for each size f and node: (sizes, cells, nodes)."""
        f = sizes[:, np.newaxis, np.newaxis]
        found: Floats = np.exp((f - 1) * np.log(self.mu) - self.mu - special.gammaln(f))
        return found


@dataclass(frozen=True, eq=False)
class Sample:
    """How many classes of each size a table has, as the model sees them.

    Half a pair more than was seen keeps a table without pairs from telling that nobody has company.
    """

    grid: Grid
    rows: Floats
    """The chance to be seen in each kind of class, but for a factor: shape (kinds, cells)."""
    classes: Floats
    """Shape (kinds,): sizes up to `LARGE`, then all larger ones together."""

    @staticmethod
    def of(sizes: Floats, classes: Floats, fraction: float) -> "Sample":
        """The sample of so many classes of each of these sizes."""
        grid = Grid.over(float(sizes.max()), fraction)
        kind = np.minimum(sizes, LARGE + 1).astype(np.int64)
        seen: Floats = np.bincount(kind, classes, LARGE + 2).astype(np.float64)
        seen[2] += _HALF_A_PAIR
        every = np.arange(1.0, LARGE + 1)
        rows = grid.averaged(grid.chance(every)) / every[:, np.newaxis]
        more = np.maximum(grid.averaged(-np.expm1(-grid.mu) / grid.mu) - rows.sum(axis=0), 0)
        rows = np.vstack([rows, more])
        held = seen[1:] > 0
        return Sample(grid, rows[held], seen[1:][held])

    @cached_property
    def seen(self) -> Floats:
        """Classes that are seen per person, in each cell: the mean of (1 - exp(-mu)) / mu."""
        return self.grid.averaged(-np.expm1(-self.grid.mu) / self.grid.mu)

    def log_likelihood(self, curve: Floats) -> float:
        """Of a log density, but for a constant."""
        density = np.exp(curve - curve.max())
        with np.errstate(divide="ignore"):
            likely = self.classes @ np.log(self.rows @ density)
            return float(likely - self.classes.sum() * np.log(self.seen @ density))

    def slope_and_information(self, curve: Floats) -> tuple[Floats, Floats]:
        """The gradient of the log likelihood, and its curvature as the spread of the gradients."""
        density = np.exp(curve - curve.max())
        member = self.rows * density
        member /= member.sum(axis=1, keepdims=True)
        whole = self.seen * density
        apart = member - whole / whole.sum()
        weighted = apart * self.classes[:, np.newaxis]
        return weighted.sum(axis=0), weighted.T @ apart


def shapes(sample: Sample) -> tuple[Floats, ...]:
    """Log densities to depart from: gamma and lognormal, narrow and wide, where likeliest.

    A sample seldom tells them apart, and what they say of unseen people differs: together they
    span what real tables showed.
    """
    x = sample.grid.center

    def gamma(power: float) -> Callable[[float], Floats]:
        return lambda at: _floored(power * (x - at) - np.exp(np.minimum(x - at, 50)))

    def lognormal(spread: float) -> Callable[[float], Floats]:
        return lambda at: _floored(-((x - at) ** 2) / (2 * spread**2))

    kinds = [gamma(power) for power in _POWERS] + [lognormal(spread) for spread in _SPREADS]
    return tuple(_likeliest(sample, kind) for kind in kinds)


def _likeliest(sample: Sample, shape: Callable[[float], Floats]) -> Floats:
    """The shape at its likeliest place."""
    x = sample.grid.center
    ends = (float(x[0]) - 3, float(x[-1]) + 3)
    found = optimize.minimize_scalar(
        lambda at: -sample.log_likelihood(shape(at)), bounds=ends, method="bounded"
    )
    return shape(float(found.x))


def _floored(curve: Floats) -> Floats:
    """Log densities far below the highest are all as good as nothing."""
    found: Floats = np.maximum(np.nan_to_num(curve - curve.max(), nan=_FLOOR), _FLOOR)
    return found
