"""Rows in the order of iDistance: by cluster, and by the distance from its centre.

Ghinita Section 6, Figure 19b, after Zhang et al. 2005. The paper leaves open how centres are found
and scaled: here they are the means of a few rounds of k-means on a sample, from points drawn at
random, and stand in the order of the Hilbert curve.
"""

from dataclasses import field
from functools import partial
from itertools import pairwise
from math import ceil
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from incrowd.arrays import Codes, Floats
from incrowd.kernels.literature import mappings
from incrowd.problem import Problem
from incrowd.search.layout import order_by_codes
from incrowd.search.literature.hilbert import curve_words
from incrowd.search.orders.division import code_positions, divide_along, keyed_order
from incrowd.search.search import Found, Search
from incrowd.table.fold import in_threads
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

_ROUNDS = 5
"""How often centres move."""
_BITS = 10
_SHARE = 2**14
"""Points that one thread looks at in one go."""


@dataclass(frozen=True, config=STRICT)
class IDistance(Search):
    """Local recoding by clusters and distances: Ghinita's iDist, and iDistFast with `fast`.

    Rows stand in the order of the nearest of some `centres`, drawn from a `sample` (a share of the
    records), and of their distance from it. The draw follows the problem's seed.

    >>> IDistance(centres=64).name
    'idistance'
    """

    fast: bool = False
    centres: Annotated[int, Field(ge=1)] = 512
    sample: Annotated[float, Field(gt=0, le=1)] = 0.1
    name: Literal["idistance"] = field(default="idistance", kw_only=True)
    separable: ClassVar[bool] = True
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Order the rows, divide the order best, repair what fails."""
        return divide_along(
            problem,
            watch,
            self.name,
            lambda stay: keyed_order(
                idistance_line(stay, self.centres, self.sample), fast=self.fast
            ),
        )


def idistance_line(problem: Problem, centres: int, sample: float) -> tuple[Codes, Floats]:
    """The rows by cluster and distance, and their places on the line, ascending.

    The place of a row is the number of its cluster plus its distance from the centre over the
    largest distance of all. The draw follows the problem's seed.
    """
    canonical = order_by_codes(problem)
    points = _points(problem)[canonical]
    middles = _draw_centres(problem, points, canonical, (centres, sample))
    near, apart = _nearest_centres(points, middles)
    farthest = float(apart.max(initial=0.0))
    places: Floats = near + apart * ((1 - 1e-9) / farthest if farthest > 0 else 0.0)
    sort = np.argsort(places, kind="stable")
    return canonical[sort], places[sort]


def _points(problem: Problem) -> Floats:
    """The rows as points, one coordinate per column: the code's place, 0 to 1, times its weight."""
    columns = zip(problem.columns, problem.tally.quasi, strict=True)
    return np.ascontiguousarray(
        np.array([c.weight * code_positions(c)[codes] for c, codes in columns]).T
    )


def _draw_centres(
    problem: Problem, points: Floats, canonical: Codes, size: tuple[int, float]
) -> Floats:
    """Centres of clusters in a sample (k-means), in the order of the Hilbert curve.

    `points` are the tally's rows in the order `canonical`, that of their codes: the order of the
    table is not to matter. `size` is the number of centres, and the share of records drawn.
    """
    number, sample = size
    rng = np.random.default_rng(problem.seed)
    counts = problem.tally.counts[canonical].astype(np.float64)
    drawn = np.unique(rng.integers(0, int(counts.sum()), max(ceil(sample * counts.sum()), number)))
    rows, weights = np.unique(
        np.searchsorted(np.cumsum(counts), drawn, "right"), return_counts=True
    )
    part = np.ascontiguousarray(points[rows])
    chosen = np.sort(rng.choice(len(rows), min(number, len(rows)), replace=False))
    middles = part[chosen].copy()
    for _ in range(_ROUNDS):
        near, _ = _nearest_centres(part, middles)
        mappings.move_centres(part, weights.astype(np.float64), near, middles)
    return _sort_along_curve(middles)


def _sort_along_curve(middles: Floats) -> Floats:
    """The centres in the order of the Hilbert curve."""
    span = np.maximum(middles.max(axis=0), 1e-300)
    cells = np.floor(middles / span * (2**_BITS - 1)).astype(np.int32)
    order = np.lexsort((*middles.T[::-1], *curve_words(cells, _BITS)[::-1]))
    return np.ascontiguousarray(middles[order])


def _nearest_centres(points: Floats, middles: Floats) -> tuple[Codes, Floats]:
    """The nearest centre of each point and the distance to it."""
    near, apart = np.empty(len(points), dtype=np.int32), np.empty(len(points), dtype=np.float64)
    bounds = [*range(0, len(points), _SHARE), len(points)]
    lines = np.ascontiguousarray(middles.T)
    tasks = [
        partial(mappings.find_nearest_centres, points[lo:hi], lines, near[lo:hi], apart[lo:hi])
        for lo, hi in pairwise(bounds)
    ]
    in_threads(tasks)
    return near, np.sqrt(apart)
