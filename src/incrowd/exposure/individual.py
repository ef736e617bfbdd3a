"""The mean of 1 / F for classes that tell the people behind them by themselves.

A record of a class of which f were drawn stands for one of F people of the population. Benedetti
and Franconi (1998; Franconi and Polettini 2004; µ-Argus; sdcMicro's `indivRisk`) take F to be
negative binomial given f, with the class's sampling fraction p = f / (sum of the weights), and the
risk to be the mean of 1 / F:

    r = p^f / f * 2F1(f, f; f + 1; 1 - p)

which is p ln(1/p) / q for f = 1 and p (q + p ln p) / q^2 for f = 2, with q = 1 - p. Others
approximate it for larger classes; here every size is exact. It sees each class alone, as if no
other class said how rare small ones are: where many classes are small in the population it is too
low (see `incrowd.exposure.estimates`). It holds for classes of many people.
"""

import numpy as np

from incrowd.arrays import Counts, Floats

_LARGE = 20
_TERMS = 64


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
