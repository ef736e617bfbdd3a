"""The risk of each person when the table is a sample with weights (Benedetti-Franconi).

A record of a class of which f were drawn stands for one of F people of the population. F is not
known; given f it is taken to be negative binomial with the class's sampling fraction p = f / (sum
of the weights), and the risk is the mean of 1 / F (Benedetti and Franconi 1998; Franconi and
Polettini 2004, as in µ-Argus and sdcMicro's `indivRisk`):

    r = p^f / f * 2F1(f, f; f + 1; 1 - p)

which is p ln(1/p) / q for f = 1 and p (q + p ln p) / q^2 for f = 2, with q = 1 - p. Others
approximate it for larger classes; here every size is exact.
"""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.models.shares import TOLERANCE

_LARGE = 20
_TERMS = 64


@dataclass(frozen=True)
class Individual:
    """The risk of the records given the weights, in figures."""

    max: float
    average: float
    """Mean over the records: the share expected to be found by somebody who tries all of them."""
    expected: float
    """The same as a number of records."""
    above_threshold: float
    """Share of the records whose risk exceeds the threshold."""
    light: int
    """Records of classes whose weights are less than their people: read as the whole population
    of the class, which is the highest risk that it can have."""


def individual(records: Counts, people: Counts, population: Floats, threshold: float) -> Individual:
    """The figures of classes of these many records and people, that stand for so many people."""
    risk = risks(people, people / np.maximum(population, people)) if len(people) else np.zeros(0)
    total = max(int(records.sum()), 1)
    expected = float((records * risk).sum())
    return Individual(
        max=float(risk.max(initial=0.0)),
        average=expected / total,
        expected=expected,
        above_threshold=int(records[risk > threshold + TOLERANCE].sum()) / total,
        light=int(records[population < people * (1 - TOLERANCE)].sum()),
    )


def risks(people: Counts, fraction: Floats) -> Floats:
    """The mean of 1 / F for each class of f people drawn with this sampling fraction (0..1].

    >>> risks(np.array([1, 2, 2]), np.array([1 / 215, 2 / 360, 2 / 262])).round(4).tolist()
    [0.0251, 0.0054, 0.0074]
    """
    p, f = np.asarray(fraction, dtype=np.float64), np.asarray(people, dtype=np.float64)
    found = np.empty(len(p))
    series = (p >= 0.5) | (f >= _LARGE)
    found[series] = _series(f[series], p[series])
    found[~series] = _stepwise(f[~series], p[~series])
    return found


def _series(f: Floats, p: Floats) -> Floats:
    """The sum p / f * 2F1(1, 1; f + 1; q): terms fall at least by half, or faster still."""
    q = 1 - p
    term, total = np.ones(len(f)), np.ones(len(f))
    for j in range(1, _TERMS):
        term = term * q * (j / (f + j))
        total += term
    return p / f * total


def _stepwise(f: Floats, p: Floats) -> Floats:
    """The product p g(f), with g(f) the integral of (1 - t)^(f - 1) / (1 - q t) over 0..1.

    g(1) = ln(1/p) / q and g(f + 1) = (1/f - p g(f)) / q; errors do not grow as p < q.
    """
    q = 1 - p
    step = -np.log(p) / q
    found = step.copy()
    for size in range(2, _LARGE):
        step = (1 / (size - 1) - p * step) / q
        found = np.where(f == size, step, found)
    return p * found
