"""Granularity and precision: what a cell leaves open, by the values or by the levels of its column.

Granularity is the share of its column's values that a cell leaves open, from exact to nothing;
precision is how far up its hierarchy it was taken (Sweeney Definition 6).
"""

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


@dataclass(frozen=True, config=STRICT)
class Precision(CellLoss):
    """The mean of level over height; a report shows Prec, which is 1 minus that.

    Sweeney Definition 5, with weights per column as its Section 3.3 proposes. Heights count the
    suppressed value on top. Spans of ordered columns count the lowest level that covers them.

    >>> Precision().figure(0.25)
    0.75
    """

    name: Literal["precision"] = field(default="precision", kw_only=True)
    counts_leaves: ClassVar[bool] = True
    figure_is_kept: ClassVar[bool] = True

    def cost(self, cells: ShownCells) -> Floats:
        """The level of each cell over the height of its hierarchy."""
        cost: Floats = cells.shown_level / max(cells.column.hierarchy.height, 1)
        cost[cells.missing] = 0.0
        cost[cells.suppressed] = 1.0
        return cost
