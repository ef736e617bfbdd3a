"""What the cells of classes show, column by column: what losses are computed from."""

from dataclasses import dataclass as plain

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags
from incrowd.hierarchy.cells import CellGrid
from incrowd.recoding import Outcome, QuasiColumn, ValueSets


@plain(frozen=True, eq=False)
class ShownCells:
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
        """Flags of the cells that show nothing.

        Spans of ordered columns show their ends whatever their level, unless they have none, sets
        their values; both show nothing where missing values are mixed with others.
        """
        if self.sets is not None:
            return self.sets.mixed
        if self.spans and self.column.hierarchy.ordered:
            mixed: Flags = (self.low == MISSING) & (self.high != MISSING)
            return mixed | self.column.flag_endless(self.low, self.high)
        top: Flags = self.level >= max(self.column.hierarchy.height, 1)
        return top

    @property
    def missing(self) -> Flags:
        """Flags of the cells that show that the value is missing."""
        missing: Flags = (self.high == MISSING) & ~self.suppressed
        return missing

    @property
    def leaves(self) -> Codes | Counts:
        """How many leaves each cell may stand for; a missing value shown as missing is one."""
        if self.sets is not None:
            return self.sets.sizes
        leaves: Codes = self.high - self.low + 1
        return leaves

    @property
    def shown_level(self) -> Codes:
        """The level of what each cell shows; it can be above the lowest that covers its class."""
        if self.sets is None and self.spans and self.column.grid is not None:
            return self._span_level(self.column.grid)
        if self.sets is None:
            return self.level
        return self.column.hierarchy.join_level(*self.sets.ends)

    def _span_level(self, grid: CellGrid) -> Codes:
        """The lowest level that covers each span, or that of the node it names if higher."""
        column, tree = self.column, self.column.hierarchy
        level: dict[str, int] = {}
        for h in range(tree.height - 1, 0, -1):
            level |= dict.fromkeys(tree.labels[h].tolist(), h)
        first, last = np.maximum(self.low, 1), np.maximum(self.high, 1)
        size = len(tree.leaves) + 1
        spans, place = np.unique(first.astype(np.int64) * size + last, return_inverse=True)
        first, last = (ends.astype(np.int32) for ends in np.divmod(spans, size))
        shown = grid.show(first, last, tree.labels[-1][0]).tolist()
        few = np.array([level.get(label, column.lowest) for label in shown], dtype=np.int32)
        met = tree.join_level(*column.widen(self.low, self.high))
        found: Codes = np.maximum(met, few[place]).astype(np.int32)
        return found

    def take_distinct(self) -> "tuple[ShownCells, Codes]":
        """The different cells, or all if sets are shown, and the place of each class's cell."""
        if self.sets is not None:
            return self, np.arange(len(self.low), dtype=np.int32)
        codes, levels = len(self.column.hierarchy.leaves) + 1, self.column.hierarchy.levels
        key = (self.low.astype(np.int64) * codes + self.high) * levels + self.level
        _, first, place = np.unique(key, return_index=True, return_inverse=True)
        low, high, level = self.low[first], self.high[first], self.level[first]
        few = ShownCells(self.column, low, high, level, self.spans)
        return few, place.astype(np.int32)


def cells_of(outcome: Outcome) -> list[ShownCells]:
    """The cells that the classes show, column by column."""
    shown = zip(outcome.columns, outcome.low, outcome.high, outcome.level, strict=False)
    return [ShownCells(*cells, outcome.spans, outcome.sets.get(j)) for j, cells in enumerate(shown)]


def cells_at(column: QuasiColumn, level: int) -> ShownCells:
    """The cell of each code of a column, 0 (missing) first, at a level."""
    low, high = column.hierarchy.bounds[level]
    node = column.hierarchy.maps[level]
    levels = np.full(len(node), level, dtype=np.int32)
    return ShownCells(column, low[node], high[node], levels, False)
