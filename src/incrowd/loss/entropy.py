"""Non-uniform entropy: the bits that it takes to find the value behind a cell."""

from dataclasses import field
from typing import ClassVar, Literal

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.loss.cells import ShownCells, cells_at, cells_of
from incrowd.loss.loss import MeanLoss
from incrowd.recoding import Outcome, QuasiColumn
from incrowd.values import STRICT, dataclass

_ROWS = 2**21
"""Rows whose costs are computed at a time: a table may have very many."""


@dataclass(frozen=True, config=STRICT)
class Entropy(MeanLoss):
    """The mean over cells of bits lost over bits that suppressing the cell would lose.

    A record with value v, shown as a node, loses log2(records under the node / records with v);
    suppressed it loses log2(all records / records with v). Rare values weigh as much as frequent
    ones here, and 1 means that everything is suppressed. It needs the rows behind the classes.

    >>> Entropy().name
    'entropy'
    """

    name: Literal["entropy"] = field(default="entropy", kw_only=True)
    needs_rows: ClassVar[bool] = True

    def totals(self, outcome: Outcome) -> Floats:
        """What all released records together pay, per column; `ValueError` without their rows."""
        tally, class_of = outcome.tally, outcome.class_of
        if tally is None or class_of is None:
            raise ValueError("the entropy of an outcome needs the rows behind its classes")
        if outcome.exact:
            return np.zeros(len(outcome.columns), dtype=np.float64)
        kept = np.flatnonzero(class_of >= 0)
        whole = len(kept) == len(class_of)
        paid = np.zeros(len(outcome.columns), dtype=np.float64)
        for begin in range(0, len(kept), _ROWS):
            some: slice | Counts = slice(begin, begin + _ROWS)
            some = some if whole else kept[some]
            counts, rows = tally.counts[some].astype(np.float64), class_of[some]
            for j, cells in enumerate(cells_of(outcome)):
                paid[j] += float(counts @ _tabled_costs(cells, tally.quasi[j, some], rows))
        return paid

    def cell_costs(self, column: QuasiColumn) -> Floats:
        """What a record pays by level and code: `[level, code]`."""
        codes = np.arange(len(column.frequency), dtype=np.int32)
        levels = range(column.hierarchy.levels)
        return np.array([_costs(cells_at(column, level), codes, codes) for level in levels])


def _tabled_costs(cells: ShownCells, codes: Codes, place: Codes) -> Floats:
    """The result of `_costs`, looked up in a table of cells and codes if that is smaller."""
    few, of_class = cells.take_distinct()
    size, number = len(cells.column.frequency), len(few.low)
    if number * size > len(codes):
        return _costs(cells, codes, place)
    every = np.tile(np.arange(size, dtype=np.int32), number)
    table = _costs(few, every, np.repeat(np.arange(number, dtype=np.int32), size))
    entry = of_class[place]
    entry *= size
    entry += codes
    return table[entry]


def _costs(cells: ShownCells, codes: Codes, place: Codes) -> Floats:
    """The share of bits that each code loses if it is shown as cell `place`; 1 if suppressed.

    Otherwise 0 for a missing value and for codes that no record has.
    """
    frequency = cells.column.frequency
    own = np.maximum(frequency[codes], 1)
    bits = np.log2(np.maximum(_records_under(cells, frequency)[place], own) / own)
    most = np.log2(max(int(frequency.sum()), 1) / own)
    cost: Floats = np.divide(bits, most, out=np.zeros_like(bits), where=most > 0)
    absent: Flags = frequency[codes] == 0
    cost[cells.missing[place] | absent] = 0.0
    cost[cells.suppressed[place]] = 1.0
    return cost


def _records_under(cells: ShownCells, frequency: Counts) -> Counts:
    """How many records of the table have a value under each cell; missing ones do not count."""
    if cells.sets is not None:
        values = np.append(0, frequency[1:])
        pools = cells.sets.pools
        return cells.sets.sum_members(values if pools is None else pools.sum_leaves(values))
    up_to = np.cumsum(frequency)
    under: Counts = up_to[cells.high] - up_to[np.maximum(cells.low, 1) - 1]
    return under
