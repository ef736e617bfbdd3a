"""Normalized certainty penalty: the share of its column that a cell leaves open."""

from dataclasses import field
from typing import ClassVar, Literal

import numpy as np

from incrowd.arrays import Floats
from incrowd.loss.cells import ShownCells, cells_of
from incrowd.loss.loss import CellLoss
from incrowd.recoding import Outcome, QuasiColumn
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class Gcp(CellLoss):
    """Global certainty penalty: the mean NCP of all records (Ghinita Section 2.1, Equation 2).

    The weights sum to 1 and nothing is divided by the number of columns: with both, as printed,
    the penalty would be normalized twice.

    >>> Gcp().name
    'gcp'
    """

    name: Literal["gcp"] = field(default="gcp", kw_only=True)
    meaning: ClassVar[str] = "a cell covers {share} of its column on average"

    def cost(self, cells: ShownCells) -> Floats:
        """The NCP of each cell."""
        return ncp(cells)


def ncp(cells: ShownCells) -> Floats:
    """The normalized certainty penalty of each cell, 0..1 (Ghinita Section 2.1).

    Ordered columns: the extent of what the label says over the extent of the column, both within
    the smallest and largest value of the table. A label reaches from the smallest to the largest
    value that it may stand for (`Hierarchy.reach`), whichever of them occur. Others: 0 for one
    leaf, else leaves under the node over leaves of the hierarchy, those included that the table
    does not hold. A suppressed cell has 1, a missing value shown as missing 0.
    """
    if cells.column.hierarchy.ordered:
        share = _ordered_extents(cells)
    else:
        share = cells.leaves / max(len(cells.column.hierarchy.leaves), 1)
        share[cells.leaves == 1] = 0.0
    share[cells.suppressed] = 1.0
    return share


def ncp_of_classes(outcome: Outcome) -> Floats:
    """NCP(G) of each class: the weighted sum over its columns (Ghinita Equation 1)."""
    total = np.zeros(len(outcome.classes), dtype=np.float64)
    for weight, cells in zip(outcome.weights.tolist(), cells_of(outcome), strict=True):
        total += weight * ncp(cells)
    return total


def _ordered_extents(cells: ShownCells) -> Floats:
    """The NCP of cells of an ordered column: their extent over the column's, 0 if missing."""
    first, last = cells.column.range
    place = code_places(cells.column)
    whole = place[last] - place[first]
    if whole <= 0:
        return np.zeros(len(cells.low), dtype=np.float64)
    low, high = place[cells.low], place[cells.high]
    if has_finite_scale(cells.column):
        low, high = _cell_reach(cells)
    low, high = (np.clip(end, place[first], place[last]) for end in (low, high))
    extents: Floats = (high - low) / whole
    extents[cells.missing] = 0.0
    return extents


def _cell_reach(cells: ShownCells) -> tuple[Floats, Floats]:
    """The smallest and largest place of each cell: of spans by their ends, of others by nodes."""
    column = cells.column
    if cells.spans:
        return column.reach(cells.low, cells.high)
    low, high = np.empty(len(cells.low)), np.empty(len(cells.low))
    for level in np.unique(cells.level).tolist():
        here = cells.level == level
        node = column.hierarchy.maps[level][cells.low[here]]
        low[here], high[here] = (end[node] for end in column.hierarchy.reach[level])
    return low, high


def code_places(column: QuasiColumn) -> Floats:
    """The place of each code on its scale (missing: 0); its rank if that has no finite length."""
    if has_finite_scale(column):
        return np.concatenate([[0.0], column.hierarchy.leaves.positions])
    return np.arange(len(column.hierarchy.leaves) + 1, dtype=np.float64)


def has_finite_scale(column: QuasiColumn) -> bool:
    """Whether the first and the last value that the table holds are a finite distance apart."""
    place = np.concatenate([[0.0], column.hierarchy.leaves.positions])
    first, last = column.range
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(place[last] - place[first]))
