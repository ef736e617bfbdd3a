"""The buckets of one column: so many of them, each a run of codes, within the column's limits."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.errors import InfeasibleError
from incrowd.loss.loss import Loss
from incrowd.loss.ncp import Gcp, code_places
from incrowd.population.one_dimensional import Method, value_runs
from incrowd.population.tree_cut import CutTrees
from incrowd.recoding import QuasiColumn
from incrowd.search.layout import may_show_whole


@dataclass(frozen=True, eq=False)
class ColumnCuts:
    """How one column can be cut.

    An ordered column is cut between any two nodes of its lowest level, one without an order through
    its tree. Missing values are a bucket of their own, which counts; only a column of one bucket
    holds them with all others, if the column may be suppressed.
    """

    column: QuasiColumn
    records: Counts
    """Records per code, entry 0 for the missing."""
    loss: Loss
    method: Method = "quantile"
    least: int | None = None
    """The records that each bucket must hold: buckets are then the best of all that do, uneven as
    they may be. None: they are about as large as each other, so that columns can be crossed."""

    @cached_property
    def finest(self) -> int:
        """The number of buckets of the finest division: every value apart if `least` is None."""
        if self.least is None:
            return len(self._held) + self._missing
        if self.column.hierarchy.ordered:
            return len(self._finest_ends) + self._missing
        return self._tree.cut(len(self._held)).nodes + self._missing

    def buckets(self, number: int) -> Codes:
        """The bucket of each code if there are to be at most `number`; more if limits ask for it.

        Missing values are in bucket 0, or with all others in bucket 1.
        """
        if self._missing and number <= 1 and may_show_whole(self.column):
            return np.ones(len(self.records), dtype=np.int32)
        known = max(number - self._missing, 1)
        ordered = self.column.hierarchy.ordered
        found = self._run_buckets(known) if ordered else self._branch_buckets(known)
        found[MISSING] = 0
        return found

    @property
    def _missing(self) -> int:
        """1 if the column has missing values, which take bucket 0, else 0."""
        return int(self.records[MISSING] > 0)

    @cached_property
    def _held(self) -> Codes:
        """The nodes of the lowest level that hold records."""
        return np.unique(self.column.finest[1:][self.records[1:] > 0])

    def _run_buckets(self, number: int) -> Codes:
        """The bucket of each code where buckets are runs of nodes, by the column's method."""
        place = np.searchsorted(self._held, self.column.finest, side="right") - 1
        place = np.maximum(place, 0)
        if number < len(self._held) or self.least is not None:
            place = np.searchsorted(self._bucket_ends(number), place, side="right")
        return (place + 1).astype(np.int32)

    def _bucket_ends(self, number: int) -> Counts:
        """Where the buckets of the held nodes end if there are at most so many of them."""
        even = int(self._counts.sum()) // (number + 1) + 1  # equal values cannot be parted
        if self.least is None:
            return self._ends_of_size(even)
        if len(self._finest_ends) <= number:
            return self._finest_ends
        return self._smallest_ends(number, even)

    def _smallest_ends(self, number: int, even: int) -> Counts:
        """The ends of at most `number` buckets, as small as can be; size `even` gives so few."""
        low, high = self.least or 1, max(even, self.least or 1)
        best = self._ends_of_size(high)
        while high - low > 1:
            middle = (low + high) // 2
            ends = self._ends_of_size(middle)
            if len(ends) <= number:
                best, high = ends, middle
            else:
                low = middle
        return best

    @cached_property
    def _finest_ends(self) -> Counts:
        """The ends of buckets that need only hold the least number of records."""
        none: Counts = np.zeros(0, dtype=np.int64)
        return self._ends_of_size(self.least or 1) if len(self._held) else none

    @cached_property
    def _counts(self) -> Counts:
        """Records per held node."""
        counts = np.bincount(self.column.finest[1:], weights=self.records[1:])[self._held]
        return counts.astype(np.int64)

    def _ends_of_size(self, least: int) -> Counts:
        """The ends of the best buckets of held nodes that hold at least so many records each.

        Parts between which no bucket may reach are cut one by one. A part in which the limits allow
        no buckets of that size has smaller ones.
        """
        counts, until = self._counts, self._until
        alone = np.flatnonzero(until == np.arange(1, len(until) + 1)) + 1
        starts = np.unique(np.concatenate([[0], alone, [len(until)]]))
        found = []
        for first, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            inside = slice(first, end)
            ends = self._cut_part(
                self._doubled_middles[inside], counts[inside], least, until[inside] - first
            )
            found.append(ends + first)
        return np.concatenate(found)

    def _cut_part(self, positions: Floats, counts: Counts, least: int, until: Counts) -> Counts:
        """Bucket ends in a part, `least` halved while limits allow none; `InfeasibleError` at 1."""
        least = min(least, int(counts.sum()))
        until = np.minimum(until, len(counts))
        while True:
            try:
                return value_runs(positions, counts, max(least, 1), self.method, until)
            except InfeasibleError:
                if least <= 1:
                    raise
                least //= 2

    @cached_property
    def _doubled_middles(self) -> Floats:
        """Twice the middle of each held node on the column's scale."""
        place = code_places(self.column)
        first, last = self._node_bounds
        doubled: Floats = (place[first] / 2 + place[last] / 2) * 2
        return doubled

    @property
    def _node_bounds(self) -> tuple[Codes, Codes]:
        """The first and the last leaf of each held node of the lowest level."""
        first, last = self.column.finest_ends
        return first[self._held], last[self._held]

    @cached_property
    def _until(self) -> Counts:
        """The node before which a bucket that begins with each held node must end, by limits."""
        first, last = self._node_bounds
        highest = self.column.hierarchy.maps[self.column.top][first]
        until: Counts = np.searchsorted(highest, highest, side="right")
        if np.isfinite(self.column.widest):
            ends = self.column.reach(first, last)
            until = np.minimum(until, _run_reach(*ends, self.column.widest))
        return until

    def _branch_buckets(self, number: int) -> Codes:
        """The bucket of each code where buckets are the nodes of the best cut through the tree."""
        level = self._tree.cut(number).level + self.column.lowest
        codes = np.arange(len(level))
        keys = level.astype(np.int64) * len(level) + self.column.hierarchy.maps[level, codes]
        fresh = np.append(True, np.diff(keys[1:]) != 0) if len(keys) > 1 else keys[1:] > 0
        return np.concatenate([[0], np.cumsum(fresh)]).astype(np.int32)

    @cached_property
    def _tree(self) -> CutTrees:
        """The best cuts through the hierarchy, by cost of the loss and records per bucket."""
        low, high = self.column.lowest, self.column.top
        costs = self.loss.cell_costs(self.column)
        costs = Gcp().cell_costs(self.column) if costs is None else costs
        allowed = slice(low, high + 1)
        maps = self.column.hierarchy.maps[allowed]
        most = max(len(self._held), 1)
        return CutTrees.of(maps, self.records, costs[allowed], most, self.least or 1)


def _run_reach(first: Floats, last: Floats, widest: float) -> Counts:
    """One after the last node that a bucket from each node on can hold within `widest`."""
    until: Counts = np.searchsorted(last, first + widest, side="right")
    until = np.maximum(until, np.arange(1, len(first) + 1))
    while True:
        wide: Flags = last[until - 1] - first > widest
        wide &= until > np.arange(1, len(first) + 1)
        if not wide.any():
            return np.maximum.accumulate(until)
        until[wide] -= 1
