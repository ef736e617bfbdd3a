"""The order of a tree of cuts: an order that follows the data rather than a curve through space.

The widest column (by its cost) is cut where the halves are most balanced, branches of a hierarchy
whole and the missing apart, and each half again, down to single rows. Of two halves the one that is
nearer to the row before comes first, as the halves of a Gray code are turned, so that rows stay
close where the order goes from one half to the next. On Adult and census tables this loses less
than the Hilbert curve and iDistance of Ghinita Section 6.
"""

from functools import partial
from typing import Literal

import numpy as np

from incrowd.arrays import Codes
from incrowd.kernels.literature import kd_order as kernels
from incrowd.problem import Problem
from incrowd.search.boxes import boxes_of
from incrowd.search.literature.mapping.mapping import by_codes, lowest_codes
from incrowd.table.fold import in_threads
from incrowd.values import STRICT, dataclass

_SMALL = 2**13
"""Rows of a part that one thread cuts to the end."""


@dataclass(frozen=True, config=STRICT)
class KdTree:
    """Rows in the order of a tree of cuts.

    >>> KdTree().name
    'kd-tree'
    """

    name: Literal["kd-tree"] = "kd-tree"

    def order(self, problem: Problem) -> Codes:
        """The rows of the tally in the order of the tree."""
        return kd_order(problem)


def kd_order(problem: Problem) -> Codes:
    """The rows of the tally in the order of a tree of cuts, each once."""
    order = by_codes(problem)
    items = lowest_codes(problem), problem.tally.counts
    ordered = np.array([column.divisible for column in problem.columns])
    rows = len(order)
    tree = np.empty((rows, 2), dtype=np.int32), np.full((rows, 2), -1, dtype=np.int32)
    grow = partial(kernels.grow, items, (boxes_of(problem), ordered), order, tree)
    root, left = grow((0, rows), _SMALL if rows > _SMALL else 0)
    parts = left.tolist()
    grown = in_threads([partial(grow, (start, end), 0) for start, end, _, _ in parts])
    for (_, _, parent, side), (middle, _) in zip(parts, grown, strict=True):
        tree[1][parent, side] = middle
    return kernels.walk(items[0], order, tree, root)
