"""The densities that a sample leaves possible: a posterior over smooth curves.

A log density departs from one of four shapes (`shapes`) by a curve whose bends are small: second
differences are normal, by one of three scales among which the data choose. The shapes count alike.
For each shape and scale the posterior is normal around its mode (Laplace), and curves are drawn
from it, always by the same random numbers: a table has one answer.
"""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Floats
from incrowd.exposure.mixture import STEP, Grid, Sample, shapes

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
class Curves:
    """Densities of log mu over people, each with its probability."""

    grid: Grid
    density: Floats
    """Shape (curves, cells); each sums to 1."""
    probability: Floats
    """Shape (curves,); they sum to 1."""

    def mean(self, values: Floats) -> Floats:
        """The mean over the curves of values of shape (curves, …)."""
        found: Floats = self.probability @ values
        return found


def curves(sizes: Floats, classes: Floats, fraction: float) -> Curves:
    """The curves that are likely for a table with so many classes of each of these sizes."""
    sample = Sample.of(sizes, classes, fraction)
    cells = len(sample.grid.center)
    half = np.random.default_rng(0).standard_normal((cells, _DRAWS))
    normal = np.hstack([half, -half])
    densities, chances = [], []
    departures = shapes(sample)
    for shape in departures:
        found = [_posterior(sample, shape, bend, normal) for bend in _BENDS]
        evidence = np.array([likely for _, likely in found])
        weight = np.exp(evidence - evidence.max())
        for (drawn, _), share in zip(found, weight / weight.sum(), strict=True):
            densities.append(drawn)
            chances.append(np.full(len(drawn), share / len(drawn) / len(departures)))
    return Curves(sample.grid, np.vstack(densities), np.concatenate(chances))


def _posterior(sample: Sample, shape: Floats, bend: float, normal: Floats) -> tuple[Floats, float]:
    """Densities drawn by these normal numbers, and the logarithm of the evidence for the prior."""
    prior = _precision(len(shape), bend)
    mode, likely, information = _mode(sample, shape, prior)
    lower = np.linalg.cholesky(information)
    drawn = mode[:, np.newaxis] + np.linalg.solve(lower.T, normal)
    density = np.exp(drawn - drawn.max(axis=0))
    evidence = likely + np.linalg.slogdet(prior)[1] / 2 - np.log(np.diag(lower)).sum()
    return (density / density.sum(axis=0)).T, float(evidence)


def _precision(cells: int, bend: float) -> Floats:
    """The inverse covariance of what a log density departs from its shape by."""
    bends = np.diff(np.eye(cells), n=2, axis=0)
    slopes = np.diff(np.eye(cells), axis=0) / STEP
    found: Floats = bends.T @ bends / (bend**2 * STEP**3) + _LOOSE * np.eye(cells)
    found = found + slopes.T @ slopes * (STEP / (bend * _REACH) ** 2)
    for slope, spread in zip((slopes[0], slopes[-1]), _ENDS, strict=True):
        found = found + np.outer(slope, slope) / spread**2
    return found


def _mode(sample: Sample, shape: Floats, prior: Floats) -> tuple[Floats, float, Floats]:
    """The likeliest curve, its log posterior, and its information: Newton's steps, halved."""

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
