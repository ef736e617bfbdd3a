"""What privacy costs in one column of numbers (Lodha-Thomas Section 5.2).

With b buckets of k = n/b rows each the normalized squared error is about 1/b^2, so that a privacy
of p = 1 - 1/k and a utility of u = 1 - k^2/n^2 lie on one curve: (1 - p)^2 (1 - u) = 1/n^2.
"""

import math

import numpy as np

from incrowd.arrays import Floats
from incrowd.errors import InputError, PolicyError
from incrowd.population.bounds import whole


def privacy(k: float) -> float:
    """The privacy of a crowd of k: 1 less the risk of being found by a join, 0..1.

    >>> privacy(10)
    0.9
    """
    return 1 - 1 / _crowd(k)


def utility(k: float, rows: int) -> float:
    """What is left of a column of so many rows in crowds of k: 1 less the error expected, 0..1.

    >>> utility(50, 100)
    0.75
    """
    n = whole(rows, "the number of rows")
    if _crowd(k) > n:
        raise PolicyError(f"a crowd of {k:g} is more than the {n:,} rows")
    return 1 - (k / n) ** 2


def utility_at(private: float, rows: int) -> float:
    """The utility on the curve where the privacy is this much, below 1.

    >>> round(utility_at(privacy(50), 100), 12)
    0.75
    """
    if not 0 <= private < 1:
        raise PolicyError("a privacy must be 0 or more, and less than 1")
    return utility(1 / (1 - private), rows)


def curve(rows: int, ks: Floats) -> tuple[Floats, Floats]:
    """Privacy and utility of a column of so many rows, for crowds of each of these sizes."""
    points = [(privacy(k), utility(k, rows)) for k in ks.tolist()]
    p, u = np.array(points, dtype=np.float64).reshape(-1, 2).T
    return p, u


def expected_error(buckets: int) -> float:
    """The law of Figure 7: the normalized squared error of so many buckets of equal size.

    It holds for values that are spread evenly; tails that reach far make the error larger.
    """
    return 1 / whole(buckets, "the number of buckets") ** 2


def normalized_error(values: Floats, shown: Floats) -> float:
    """The sum of squared errors over that of showing the mean everywhere.

    0 if nothing was changed; infinity if a column of one value was.

    >>> normalized_error(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.5, 1.5, 3.5, 3.5]))
    0.2
    """
    if values.shape != shown.shape or not len(values):
        raise InputError(f"{len(values):,} values cannot be compared with {len(shown):,}")
    if not (np.isfinite(values).all() and np.isfinite(shown).all()):
        raise InputError("a squared error needs finite numbers", remedy="leave the others out")
    error = float(((shown - values) ** 2).sum())
    least = float(((values - values.mean()) ** 2).sum())
    return error / least if least else (math.inf if error else 0.0)


def _crowd(k: float) -> float:
    if not (math.isfinite(k) and k >= 1):
        raise PolicyError("a crowd has at least one person")
    return k
