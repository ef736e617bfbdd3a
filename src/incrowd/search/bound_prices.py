"""What runs of a column's codes cost at the least, however a recoding shows them.

`lower_bound` needs prices that no recoding undercuts and that never fall as a run grows. Three
steps make them so, all of them downwards. The price of a run is the lower of two: as a span, and as
the node of the hierarchy over it. A column that shows sets pays for the two ends of the run alone.
And a run costs no more than any run around it. Limits of columns (highest level, widest span) are
ignored: they only make recodings dearer.

A column with many values is cut into bins. A run from one bin to another then costs what the
narrowest run between them costs: from the last value of the one to the first value of the other.
"""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Floats
from incrowd.kernels.lower_bound import Prices
from incrowd.loss.cells import ShownCells
from incrowd.loss.loss import Loss
from incrowd.partition.csr import offsets
from incrowd.recoding import QuasiColumn, ValueSets

MOST_BINS = 256
"""Columns with more values are cut into bins."""


@dataclass(frozen=True, eq=False)
class ColumnBins:
    """The values of a column in bins: bin 0 is missing, the others follow in order."""

    first: Codes
    """The first code of each bin that the table holds."""
    last: Codes
    """The last one."""

    @classmethod
    def of(cls, frequency: Counts, most: int = MOST_BINS) -> "ColumnBins":
        """Bin 0 for missing values, then one per value that occurs; above `most`, at most so many.

        >>> ColumnBins.of(np.array([0, 5, 0, 1, 1, 1]), most=2).last.tolist()
        [0, 1, 5]
        """
        present = (np.flatnonzero(frequency[1:]) + 1).astype(np.int32)
        if len(present) > most:
            before = np.cumsum(frequency[present]) - frequency[present]
            part = before * most // max(int(frequency[present].sum()), 1)
            fresh = np.append(True, part[1:] > part[:-1])
        else:
            fresh = np.ones(len(present), dtype=np.bool_)
        ends = np.append(fresh[1:], True) if len(present) else fresh
        none = np.array([MISSING], dtype=np.int32)
        return cls(np.concatenate([none, present[fresh]]), np.concatenate([none, present[ends]]))

    def bin_of(self, codes: Codes) -> Codes:
        """The number of the bin that holds each code; the table must hold these codes."""
        return np.searchsorted(self.last, codes).astype(np.int32)


def run_prices(column: QuasiColumn, bins: ColumnBins, loss: Loss) -> Floats:
    """A square table: the least price of the bins `a` to `b` at `[a, b]` and at `[b, a]`."""
    width = len(bins.first)
    low, high = (side.ravel() for side in np.triu_indices(width))
    inside = low == high
    begin = np.where(inside, bins.first[low], bins.last[low]).astype(np.int32)
    costs = np.full((width, width), np.inf)
    costs[low, high] = shown_prices(column, begin, bins.first[high], loss)
    costs[np.arange(width), np.arange(width)] = _single_bin_prices(column, bins, loss)
    costs = np.minimum.accumulate(costs, axis=0)
    costs = np.minimum.accumulate(costs[:, ::-1], axis=1)[:, ::-1]
    return np.where(np.tri(width, dtype=np.bool_), costs.T, costs)


def _single_bin_prices(column: QuasiColumn, bins: ColumnBins, loss: Loss) -> Floats:
    """The least price of each bin by itself: that of its cheapest value."""
    codes = np.arange(len(column.frequency), dtype=np.int32)
    alone = shown_prices(column, codes, codes, loss)
    alone[1:][column.frequency[1:] == 0] = np.inf
    least: Floats = np.minimum.reduceat(alone, bins.first)
    return least


def shown_prices(column: QuasiColumn, low: Codes, high: Codes, loss: Loss) -> Floats:
    """The least that a record of a class with codes from `low` to `high` pays, elementwise."""
    tree = column.hierarchy
    begin, end = column.widen(low, high)
    level = np.maximum(tree.join_level(begin, end), column.lowest).astype(np.int32)
    if not tree.ordered:
        begin, end = tree.cover(level, begin)
    sets = _end_sets(low, high) if column.sets else None
    as_span = loss.cost(ShownCells(column, begin, end, level, True, sets))
    level = np.maximum(tree.join_level(low, high), column.lowest).astype(np.int32)
    begin, end = tree.cover(level, low)
    as_node = loss.cost(ShownCells(column, begin, end, level, False))
    return np.minimum(as_span, as_node).astype(np.float64)


def _end_sets(low: Codes, high: Codes) -> ValueSets:
    """For each run the set of its two end codes: what lies between need not be in the class."""
    sizes = np.where(low < high, 2, 1)
    code = np.stack([low, high], axis=1).ravel()
    keep = np.stack([np.ones(len(low), dtype=np.bool_), low < high], axis=1).ravel()
    return ValueSets(offsets(sizes), code[keep].astype(np.int32))


def flatten_prices(tables: list[Floats], ordered: list[bool]) -> Prices:
    """Lay out flat, column by column: tables of prices, then the sorted prices around each code."""
    chains = [_price_ranks(table) for table in tables]
    sizes = np.array([table.size for table in tables], dtype=np.int64)
    begin = np.cumsum(sizes) - sizes
    whole = int(sizes.sum())
    flat = [*tables, *(chain for chain, _ in chains)]
    return Prices(
        prices=np.concatenate([part.ravel() for part in flat]),
        rank=np.concatenate([rank.ravel() for _, rank in chains]),
        table=begin,
        chain=begin + whole,
        width=np.array([len(table) for table in tables], dtype=np.int64),
        ordered=np.array(ordered, dtype=np.bool_),
    )


def _price_ranks(table: Floats) -> tuple[Floats, Codes]:
    """The different prices around each code, ascending, and the rank of each other code's price.

    Both have one line per code; lines of prices are filled up with the largest.
    """
    prices = np.sort(table, axis=1)
    fresh = np.concatenate([np.zeros((len(table), 1), bool), prices[:, 1:] > prices[:, :-1]], 1)
    place = np.cumsum(fresh, axis=1)
    chain = np.repeat(prices[:, -1:], len(table), axis=1)
    np.put_along_axis(chain, place, prices, axis=1)
    rank = np.empty(table.shape, dtype=np.int32)
    np.put_along_axis(rank, np.argsort(table, axis=1, kind="stable"), place, axis=1)
    return chain, rank
