"""Granularity: the share of its column's values that a cell leaves open, from exact to nothing."""

from dataclasses import field
from typing import ClassVar, Literal

from incrowd.arrays import Floats
from incrowd.loss.cells import ShownCells
from incrowd.loss.loss import CellLoss
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class Granularity(CellLoss):
    """The mean over cells of (share - 1/D) / (1 - 1/D), the generalized loss metric of Iyengar.

    Share is the leaves under what is shown over the D leaves of the hierarchy. This is the figure
    that ARX calls loss. In a column of one leaf, showing it costs 0 and suppressing it 1.

    >>> Granularity().name
    'granularity'
    """

    name: Literal["granularity"] = field(default="granularity", kw_only=True)
    counts_leaves: ClassVar[bool] = True

    def cost(self, cells: ShownCells) -> Floats:
        """The granularity of each cell: (leaves - 1) / (D - 1)."""
        others = max(len(cells.column.hierarchy.leaves) - 1, 1)
        cost: Floats = (cells.leaves - 1) / others
        cost[cells.suppressed] = 1.0
        return cost
