"""Losses that are a weighted mean of what each cell of a release costs."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.hierarchy.cells import CellGrid
from incrowd.recoding import Outcome, QuasiColumn, ValueSets


@dataclass(frozen=True, eq=False)
class Cells:
    """What classes show in one column, one entry per class (see `Outcome`)."""

    column: QuasiColumn
    low: Codes
    high: Codes
    level: Codes
    spans: bool
    sets: ValueSets | None = None
    """The values that the cells show, where they show sets."""

    @property
    def suppressed(self) -> Flags:
        """Cells that show nothing.

        Spans of ordered columns show their ends whatever their level, unless they have none, and
        sets their values, unless they mix missing values with others.
        """
        if self.sets is not None:
            return self.sets.mixed
        if self.spans and self.column.hierarchy.ordered:
            mixed: Flags = (self.low == MISSING) & (self.high != MISSING)
            return mixed | self.column.endless(self.low, self.high)
        top: Flags = self.level >= max(self.column.hierarchy.height, 1)
        return top

    @property
    def missing(self) -> Flags:
        """Cells that show that the value is missing."""
        missing: Flags = (self.high == MISSING) & ~self.suppressed
        return missing

    @property
    def leaves(self) -> Codes | Counts:
        """Leaves under what is shown; a missing value shown as missing is one."""
        if self.sets is not None:
            return self.sets.sizes
        leaves: Codes = self.high - self.low + 1
        return leaves

    @property
    def shown_level(self) -> Codes:
        """The level of what is shown: cells and sets reach beyond what the class holds."""
        if self.sets is None and self.spans and self.column.grid is not None:
            return self._span_level(self.column.grid)
        if self.sets is None:
            return self.level
        ends = self.sets.code[self.sets.start[:-1]], self.sets.code[self.sets.start[1:] - 1]
        return self.column.hierarchy.join_level(*ends)

    def _span_level(self, grid: CellGrid) -> Codes:
        """The level of the node that a span is the name of, else where all its values meet."""
        column, tree = self.column, self.column.hierarchy
        level: dict[str, int] = {}
        for h in range(tree.height - 1, 0, -1):
            level |= dict.fromkeys(tree.labels[h].tolist(), h)
        first, last = np.maximum(self.low, 1), np.maximum(self.high, 1)
        shown = grid.show(first, last, tree.labels[-1][0]).tolist()
        named = np.array([level.get(label, column.lowest) for label in shown], dtype=np.int32)
        met = tree.join_level(*column.widened(self.low, self.high))
        found: Codes = np.maximum(met, named).astype(np.int32)
        return found


def cells_of(outcome: Outcome) -> list[Cells]:
    """What the classes show, column by column."""
    return [
        Cells(
            column,
            outcome.low[j],
            outcome.high[j],
            outcome.level[j],
            outcome.spans,
            outcome.sets.get(j),
        )
        for j, column in enumerate(outcome.columns)
    ]


def cells_at(column: QuasiColumn, level: int) -> Cells:
    """What each code of a column, 0 for missing first, shows at a level."""
    low, high = column.hierarchy.bounds[level]
    node = column.hierarchy.maps[level]
    return Cells(column, low[node], high[node], np.full(len(node), level, dtype=np.int32), False)


class MeanLoss(ABC):
    """A loss that is a weighted mean of what records pay; a suppressed one pays 1 per cell.

    What is paid lies in 0..1 and never falls as the level rises. A missing value shown as missing
    is not generalized: it costs 0. A suppressed cell costs 1, also where the column has one value
    only.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """No sensitive column."""
        return ()

    @abstractmethod
    def totals(self, outcome: Outcome) -> Floats:
        """What all released records together pay, per column."""

    @abstractmethod
    def cell_costs(self, column: QuasiColumn) -> Floats:
        """What a record with this code pays at this level."""

    def of(self, outcome: Outcome) -> float:
        """The weighted mean over all cells of the table."""
        if outcome.records == 0:
            return 0.0
        paid = float(outcome.weights @ self.totals(outcome))
        return (paid + outcome.suppressed) / outcome.records

    def figure(self, loss: float) -> float:
        """The loss itself."""
        return loss

    def bound(self, outcome: Outcome) -> float:
        """The loss of the node itself.

        Higher levels cost no less, and to suppress a record costs no less than to show it.
        """
        return self.of(outcome)


class CellLoss(MeanLoss):
    """A loss in which all records that show the same cell pay the same for it."""

    @abstractmethod
    def cost(self, cells: Cells) -> Floats:
        """What a record pays for each of these cells."""

    def totals(self, outcome: Outcome) -> Floats:
        """What all released records together pay, per column."""
        records = outcome.classes.records
        return np.array([float(records @ self.cost(cells)) for cells in cells_of(outcome)])

    def cell_costs(self, column: QuasiColumn) -> Floats:
        """What a record with this code pays at this level."""
        levels = range(column.hierarchy.levels)
        return np.array([self.cost(cells_at(column, level)) for level in levels])
