"""The order of a tree of cuts: an order that follows the data rather than a curve through space.

The widest column (by its cost) is cut where the halves are most balanced, branches of a hierarchy
whole and the missing apart, and each half again, down to single rows. Of two halves the one that is
nearer to the row before comes first, as the halves of a Gray code are turned, so that rows stay
close where the order goes from one half to the next. On Adult and census tables this loses less
than the Hilbert curve and iDistance of Ghinita Section 6.
"""

from dataclasses import field
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from incrowd.arrays import Codes
from incrowd.kernels import kd_order as kernels
from incrowd.kernels import mondrian
from incrowd.problem import Problem
from incrowd.search.layout import boxes_of, lowest_codes, order_by_codes
from incrowd.search.orders.division import divide_along
from incrowd.search.search import Found, Search
from incrowd.table.fold import in_threads
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

_SMALL = 2**13
"""Rows of a part that one thread cuts to the end."""


@dataclass(frozen=True, config=STRICT)
class TreeSearch(Search):
    """Local recoding along the order of a tree of cuts.

    >>> TreeSearch().name
    'tree'
    """

    name: Literal["tree"] = field(default="tree", kw_only=True)
    separable: ClassVar[bool] = True
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Order the rows, divide the order best, repair what fails."""
        return divide_along(problem, watch, self.name, lambda stay: (kd_order(stay), None))


def kd_order(problem: Problem) -> Codes:
    """Return the rows of the tally in the order of a tree of cuts, each once."""
    order = order_by_codes(problem)
    items = mondrian.CutItems(lowest_codes(problem), problem.tally.counts)
    ordered = np.array([column.divisible for column in problem.columns])
    rows = len(order)
    tree = kernels.CutTree(
        np.empty((rows, 2), dtype=np.int32), np.full((rows, 2), -1, dtype=np.int32)
    )
    scales = mondrian.Scales(boxes_of(problem), ordered)
    grow = partial(kernels.grow_tree, items, scales, order, tree)
    root, left = grow((0, rows), _SMALL if rows > _SMALL else 0)
    parts = left.tolist()
    grown = in_threads([partial(grow, (start, end), 0) for start, end, _, _ in parts])
    for (_, _, parent, side), (middle, _) in zip(parts, grown, strict=True):
        tree.children[parent, side] = middle
    return kernels.walk_tree(items.cells, order, tree, root)
