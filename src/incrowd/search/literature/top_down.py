"""TopDown: cut clusters in two around rows far apart, then repair the small ones.

Xu, Wang, Pei, Wang, Shi and Fu, "Utility-based anonymization using local recoding" (KDD 2006), as
Ghinita Sections 2.2 and 7.1 compare with it. Two rows far apart are found by going to the farthest
one a few times; each other row joins the one that then costs less. Clusters with 2k records are cut
again. Departures: rows with the same quasi-identifying values stay together, and clusters that are
too small join the near one where that costs least instead of borrowing records.
"""

from dataclasses import field
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from incrowd.arrays import Codes
from incrowd.errors import count_of
from incrowd.kernels import mondrian
from incrowd.kernels.literature import top_down as kernels
from incrowd.partition.classes import number_columns
from incrowd.problem import Problem
from incrowd.recoding import Pieces
from incrowd.search.layout import boxes_of
from incrowd.search.left_out import search_after_leaving_out
from incrowd.search.orders.division import least_people
from incrowd.search.refusals import raise_if_infeasible, raise_if_out_of_time
from incrowd.search.repair import merge_failing_classes
from incrowd.search.search import Found, Search
from incrowd.table.fold import in_threads
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

_SMALL = 2**13
"""Rows of a part that one thread cuts to the end."""


@dataclass(frozen=True, config=STRICT)
class TopDown(Search):
    """Local recoding by clusters around rows far apart.

    `rounds` is how often the search for the two goes on from the farthest row.

    >>> TopDown().name
    'top-down'
    """

    rounds: Annotated[int, Field(ge=1)] = 3
    name: Literal["top-down"] = field(default="top-down", kw_only=True)
    separable: ClassVar[bool] = True
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Cut clusters until they are small, repair what fails."""
        raise_if_infeasible(problem)
        return search_after_leaving_out(problem, lambda stay: self._cluster(stay, watch))

    def _cluster(self, problem: Problem, watch: Watch) -> Found:
        """Search among the records that stay, as `run` says."""
        raise_if_out_of_time(watch)
        watch.tell("cutting clusters", 0.0)
        class_of = find_clusters(problem, self.rounds)
        rows = np.arange(problem.tally.rows, dtype=np.int32)
        watch.tell("repairing classes", 0.8)
        spans = merge_failing_classes(problem, Pieces(rows, problem.tally.counts, class_of))
        number = int(spans.pieces.class_of.max()) + 1
        why = f"cut clusters around rows far apart into {count_of(number, 'class', 'classes')}"
        return Found(spans, self.name, why=why, facts={"classes": float(number)})


def find_clusters(problem: Problem, rounds: int) -> Codes:
    """The cluster of each row, some of fewer than k people; `rounds` is that of `TopDown`."""
    item, number = number_columns(problem.tally.quasi)
    cells = np.empty((number, len(problem.columns)), dtype=np.int32)
    cells[item] = problem.tally.quasi.T
    counts = np.bincount(item, weights=problem.tally.counts).astype(np.int64)
    order = np.random.default_rng(problem.seed).permutation(number).astype(np.int32)
    cluster = partial(
        kernels.cut_into_parts, mondrian.CutItems(cells, counts), boxes_of(problem), order
    )
    k = least_people(problem)
    begun, left = cluster((0, number), (k, rounds, _SMALL if number > _SMALL else 0))
    grown = in_threads([partial(cluster, tuple(part), (k, rounds, 0)) for part in left.tolist()])
    starts = np.zeros(number, dtype=np.int32)
    for begin in (begun, *(begins for begins, _ in grown)):
        starts[begin] = 1
    of_item = np.empty(number, dtype=np.int32)
    of_item[order] = np.cumsum(starts) - 1
    return of_item[item]
