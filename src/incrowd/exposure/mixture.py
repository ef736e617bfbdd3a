"""How crowded the classes of people are: a grid of sizes, and how likely a sample makes each.

A class of the population puts Poisson(mu) people into the table, and mu differs from class to
class. Seen from a *person* of the table, log mu has some density; the model is that density on a
grid of cells. Whoever shares a class of mu is one of f with the chance Poisson(mu) of f - 1, so
that a class of f is seen with a chance in proportion to that over f. Gamma densities make the
sampling formulas of Ewens and Pitman and the negative binomial; lognormal ones are what many
columns with independent values make.

A sample leaves many densities possible: a posterior over smooth curves. A log density departs from
one of four shapes (`likely_shapes`) by a curve whose bends are small: second differences are
normal, with one of three scales that the data choose from. The shapes count equally. For each shape
and scale the posterior is normal around its mode (Laplace), and curves are drawn from it, always
with the same random numbers: a table has one answer.
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
_BENDS = (0.4, 0.8, 1.2)
"""Standard deviations of the change of slope per unit of log mu."""
_ENDS = (0.5, 1.0)
"""Of the slopes by which a curve departs from its shape at the left and the right end."""
_REACH = 4.0
"""Slopes that depart from a shape return to it over so much of log mu."""
_LOOSE = 1e-4
_DRAWS = 60
_ROUNDS = 200
_CLOSE = 1e-6


@dataclass(frozen=True, eq=False)
class DensityGrid:
    """Cells of log mu, with the nodes by which functions of mu are averaged over each cell."""

    center: Floats
    """Shape (cells,)."""
    mu: Floats
    """Shape (cells, nodes)."""
    share: Floats
    """Weights of the nodes of a cell, which sum to 1."""

    @staticmethod
    def for_table(largest: float, fraction: float) -> "DensityGrid":
        """The grid for a table with classes of up to `largest` people and this fraction drawn."""
        first = np.log(_LEAST * fraction)
        last = np.log(max(min(largest, LARGE) * _BEYOND, 20 * fraction))
        center = first + STEP * (np.arange(max(int(np.ceil((last - first) / STEP)), 4)) + 0.5)
        at, share = np.polynomial.legendre.leggauss(_INSIDE)
        mu = np.exp(center[:, np.newaxis] + at * STEP / 2)
        mu[0] *= _ALONE
        return DensityGrid(center, mu, share / 2)

    def cell_means(self, values: Floats) -> Floats:
        """Average values at the nodes over each cell: from (…, cells, nodes) to (…, cells)."""
        return values @ self.share

    def chance(self, sizes: Floats) -> Floats:
        """The chance, for each size f, that a person is one of f: shape (sizes, cells, nodes)."""
        f = sizes[:, np.newaxis, np.newaxis]
        return np.asarray(np.exp((f - 1) * np.log(self.mu) - self.mu - special.gammaln(f)))


@dataclass(frozen=True, eq=False)
class SizeCounts:
    """How many classes of each size a table has, as the model sees them.

    Half a pair more than was seen keeps a table without pairs from telling that nobody has company.
    """

    grid: DensityGrid
    rows: Floats
    """The chance to be seen in each kind of class, but for a factor: shape (kinds, cells)."""
    classes: Floats
    """Shape (kinds,): sizes up to `LARGE`, then all larger ones together."""

    @staticmethod
    def of(sizes: Floats, classes: Floats, fraction: float) -> "SizeCounts":
        """The counts of a table with so many classes of each of these sizes."""
        grid = DensityGrid.for_table(float(sizes.max()), fraction)
        kind = np.minimum(sizes, LARGE + 1).astype(np.int64)
        seen: Floats = np.bincount(kind, classes, LARGE + 2).astype(np.float64)
        seen[2] += _HALF_A_PAIR
        every = np.arange(1.0, LARGE + 1)
        rows = grid.cell_means(grid.chance(every)) / every[:, np.newaxis]
        more = np.maximum(grid.cell_means(-np.expm1(-grid.mu) / grid.mu) - rows.sum(axis=0), 0)
        rows = np.vstack([rows, more])
        held = seen[1:] > 0
        return SizeCounts(grid, rows[held], seen[1:][held])

    @cached_property
    def seen(self) -> Floats:
        """Classes that are seen per person, in each cell: the mean of (1 - exp(-mu)) / mu."""
        return self.grid.cell_means(-np.expm1(-self.grid.mu) / self.grid.mu)

    def log_likelihood(self, curve: Floats) -> float:
        """The log likelihood of a log density, up to a constant."""
        density = np.exp(curve - curve.max())
        with np.errstate(divide="ignore"):
            likely = self.classes @ np.log(self.rows @ density)
            return float(likely - self.classes.sum() * np.log(self.seen @ density))

    def slope_and_information(self, curve: Floats) -> tuple[Floats, Floats]:
        """The gradient of the log likelihood, and the information: the spread of gradients."""
        density = np.exp(curve - curve.max())
        member = self.rows * density
        member /= member.sum(axis=1, keepdims=True)
        whole = self.seen * density
        apart = member - whole / whole.sum()
        weighted = apart * self.classes[:, np.newaxis]
        return weighted.sum(axis=0), weighted.T @ apart


def likely_shapes(sample: SizeCounts) -> tuple[Floats, ...]:
    """Four log densities to depart from, where likeliest: gamma and lognormal, narrow and wide.

    A sample seldom tells them apart, and what they say of unseen people differs: together they
    span what real tables showed.
    """
    x = sample.grid.center

    def gamma(power: float) -> Callable[[float], Floats]:
        return lambda at: _floor_density(power * (x - at) - np.exp(np.minimum(x - at, 50)))

    def lognormal(spread: float) -> Callable[[float], Floats]:
        return lambda at: _floor_density(-((x - at) ** 2) / (2 * spread**2))

    kinds = [gamma(power) for power in _POWERS] + [lognormal(spread) for spread in _SPREADS]
    return tuple(_place_shape(sample, kind) for kind in kinds)


def _place_shape(sample: SizeCounts, shape: Callable[[float], Floats]) -> Floats:
    """The log density of a shape, a function of its place in log mu, at its likeliest place."""
    x = sample.grid.center
    ends = (float(x[0]) - 3, float(x[-1]) + 3)
    found = optimize.minimize_scalar(
        lambda at: -sample.log_likelihood(shape(at)), bounds=ends, method="bounded"
    )
    return shape(float(found.x))


def _floor_density(curve: Floats) -> Floats:
    """A log density less its highest value, with what lies far below raised to a floor."""
    return np.asarray(np.maximum(np.nan_to_num(curve - curve.max(), nan=_FLOOR), _FLOOR))


@dataclass(frozen=True, eq=False)
class Curves:
    """Densities of log mu over people, each with its probability."""

    grid: DensityGrid
    density: Floats
    """Shape (curves, cells); each sums to 1."""
    probability: Floats
    """Shape (curves,); they sum to 1."""

    def mean(self, values: Floats) -> Floats:
        """The mean over the curves, by their probability, of values of shape (curves, …)."""
        return self.probability @ values


def draw_curves(sizes: Floats, classes: Floats, fraction: float) -> Curves:
    """Draw curves that are likely for a table with so many classes of each of these sizes."""
    sample = SizeCounts.of(sizes, classes, fraction)
    cells = len(sample.grid.center)
    half = np.random.default_rng(0).standard_normal((cells, _DRAWS))
    normal = np.hstack([half, -half])
    densities, chances = [], []
    departures = likely_shapes(sample)
    for shape in departures:
        found = [_draw_densities(sample, shape, bend, normal) for bend in _BENDS]
        evidence = np.array([likely for _, likely in found])
        weight = np.exp(evidence - evidence.max())
        for (drawn, _), share in zip(found, weight / weight.sum(), strict=True):
            densities.append(drawn)
            chances.append(np.full(len(drawn), share / len(drawn) / len(departures)))
    return Curves(sample.grid, np.vstack(densities), np.concatenate(chances))


def _draw_densities(
    sample: SizeCounts, shape: Floats, bend: float, normal: Floats
) -> tuple[Floats, float]:
    """Draw densities (draws, cells) by `normal` numbers (cells, draws), and the log evidence."""
    prior = _prior_precision(len(shape), bend)
    mode, likely, information = _likeliest_curve(sample, shape, prior)
    lower = np.linalg.cholesky(information)
    drawn = mode[:, np.newaxis] + np.linalg.solve(lower.T, normal)
    density = np.exp(drawn - drawn.max(axis=0))
    evidence = likely + np.linalg.slogdet(prior)[1] / 2 - np.log(np.diag(lower)).sum()
    return (density / density.sum(axis=0)).T, float(evidence)


def _prior_precision(cells: int, bend: float) -> Floats:
    """The prior's inverse covariance of the difference between a log density and its shape."""
    bends = np.diff(np.eye(cells), n=2, axis=0)
    slopes = np.diff(np.eye(cells), axis=0) / STEP
    found: Floats = bends.T @ bends / (bend**2 * STEP**3) + _LOOSE * np.eye(cells)
    found = found + slopes.T @ slopes * (STEP / (bend * _REACH) ** 2)
    for slope, spread in zip((slopes[0], slopes[-1]), _ENDS, strict=True):
        found = found + np.outer(slope, slope) / spread**2
    return found


def _likeliest_curve(
    sample: SizeCounts, shape: Floats, prior: Floats
) -> tuple[Floats, float, Floats]:
    """The likeliest curve, its log posterior up to a constant, and its information (Newton)."""

    def height(curve: Floats) -> float:
        off = curve - shape
        return sample.log_likelihood(curve) - float(off @ prior @ off) / 2

    curve, best = shape, height(shape)
    for _ in range(_ROUNDS):
        slope, information = sample.slope_and_information(curve)
        step = np.linalg.solve(information + prior, slope - prior @ (curve - shape))
        step = np.clip(step, -5, 5)
        reached = height(curve + step)
        while not reached >= best - _CLOSE and np.abs(step).max() > _CLOSE:
            step = step / 2
            reached = height(curve + step)
        if not reached > best + _CLOSE:
            break
        curve, best = curve + step, reached
    return curve, best, sample.slope_and_information(curve)[1] + prior
