"""How well a release answers counts: range queries, and cubes of counts (Ghinita Section 7)."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from incrowd.arrays import Floats
from incrowd.utility.comparison import QueryUtility
from incrowd.utility.counts import three_way_counts
from incrowd.utility.released import CellShares

QUERIES = 200
"""Range queries that are drawn."""
MOST_CUBES = 15
"""Pairs of columns that queries are about; drawn if there are more."""
_FLOOR = 0.001
_CUBE = tuple[Floats, Floats]


def query_utility(
    before: Sequence[CellShares],
    after: Sequence[CellShares],
    sensitive: tuple[CellShares, CellShares],
    seed: int,
) -> QueryUtility | None:
    """Ask range queries over two of these columns at a time and a value of the sensitive one.

    True counts are those of the original (`before`, first of `sensitive`), estimates those of the
    release, scaled to as many records. None if there are fewer than two columns or no records.
    """
    if len(before) < 2 or not len(before[0].pattern) or not len(after[0].pattern):
        return None
    rng = np.random.default_rng([seed, 7])
    pairs = list(combinations(range(len(before)), 2))
    if len(pairs) > MOST_CUBES:
        pairs = [pairs[i] for i in rng.choice(len(pairs), MOST_CUBES, replace=False)]
    cubes = [_cube(before, after, sensitive, pair) for pair in pairs]
    least = _FLOOR * len(before[0].pattern)
    errors = [_query_error(cubes[i % len(cubes)], rng, least) for i in range(QUERIES)]
    return QueryUtility(
        queries=QUERIES,
        median_error=float(np.median(errors)),
        kl=float(np.mean([divergence(*cube) for cube in cubes])),
        cubes=len(cubes),
    )


def single_cell_shares(records: int) -> CellShares:
    """Put all records into one cell, in place of a sensitive column where there is none."""
    return CellShares(np.zeros(records, dtype=np.int32), np.ones((1, 1)))


def _cube(
    before: Sequence[CellShares],
    after: Sequence[CellShares],
    sensitive: tuple[CellShares, CellShares],
    pair: tuple[int, int],
) -> _CUBE:
    """Return (true counts, estimates with the same sum) by two columns and the sensitive one."""
    a, b = pair
    true = three_way_counts(before[a], before[b], sensitive[0])
    estimate = three_way_counts(after[a], after[b], sensitive[1])
    return true, estimate * (true.sum() / estimate.sum())


def _query_error(cube: _CUBE, rng: np.random.Generator, least: float) -> float:
    """Draw a query, two ranges and a sensitive value; return error / max(true count, `least`)."""
    true, estimate = cube
    one, other = (_random_range(size, rng) for size in true.shape[:2])
    value = int(rng.integers(true.shape[2]))
    here, there = (float(counts[one, other, value].sum()) for counts in (true, estimate))
    return abs(there - here) / max(here, least)


def _random_range(cells: int, rng: np.random.Generator) -> slice:
    """Draw neighbouring cells, about a third of them; never cell 0 (missing) beside others."""
    first = min(1, cells - 1)
    width = max(1, round((cells - first) / 3))
    low = int(rng.integers(first, cells - width + 1))
    return slice(low, low + width)


def divergence(true: Floats, estimate: Floats) -> float:
    """The Kullback-Leibler divergence of an estimate, half a record spread over it, in nats."""
    p = true.ravel() / true.sum()
    q = estimate.ravel() + 0.5 / estimate.size
    q /= q.sum()
    held = p > 0
    return max(0.0, float((p[held] * np.log(p[held] / q[held])).sum()))
