"""A column of a release: what its labels stand for among the values of the original.

A record is spread evenly over what its label stands for (`OriginalColumn.widths`). What stands for
no value of the original is spread over all of them, and counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.errors import InputError
from incrowd.hierarchy.decoding import Run
from incrowd.hierarchy.foreign_labels import written_reach
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.labels import TOP, names_in_labels
from incrowd.linkage.matching import Matcher, Matching, matching_of_runs
from incrowd.table.column import CodedColumn
from incrowd.utility.column import ColumnCells, OriginalColumn

_PURE = 1 - 1e-9
"""Shares are sums of floats: a pattern with this much in one cell has all of it there."""


@dataclass(frozen=True, eq=False)
class CellShares:
    """Records over cells: the pattern of each record, and what each pattern puts where."""

    pattern: Codes
    shares: Floats
    """Shape (patterns, cells); rows sum to 1."""

    @property
    def cells(self) -> int:
        """Number of cells, the one for missing values included."""
        return int(self.shares.shape[1])

    def __repr__(self) -> str:
        """Without values."""
        return f"CellShares({len(self.pattern)} records, {self.shares.shape})"


def shares_of_original(column: OriginalColumn) -> CellShares:
    """The cells of the original itself: every record lies wholly in one."""
    cells = column.coarse_cells
    return CellShares(cells.of[column.coded.codes], np.eye(cells.number))


@dataclass(frozen=True, eq=False)
class ReleasedColumn:
    """A column of a release, read against the original's. Label 0 is the missing one."""

    original: OriginalColumn
    codes: Codes
    """The label of each record."""
    matching: Matching
    """What each label stands for, in places of the original's codes."""
    suppressed: Flags
    """Per label: whether it shows nothing."""
    unreadable: Flags
    """Per label: whether it stands for no value of the original."""
    point: Floats
    """Per label that is a single value on the scale: where; NaN for others."""
    ncp: Floats
    """Per label: the share of the column that it spans."""
    granularity: Floats
    """Per label: the share of the other values that it leaves open."""

    def __repr__(self) -> str:
        """Without values."""
        return f"ReleasedColumn({self.original.name!r}, {len(self.codes)} records)"

    @cached_property
    def records(self) -> Counts:
        """Records per label."""
        return np.bincount(self.codes, minlength=len(self.matching))

    def count_cells(self, labels: Flags) -> int:
        """Count the cells whose label is flagged in `labels`."""
        return int(self.records[labels].sum())

    @cached_property
    def _label(self) -> Codes:
        """The label of each run."""
        return np.repeat(np.arange(len(self.matching)), np.diff(self.matching.start))

    @cached_property
    def _order(self) -> Codes:
        """The code at each place."""
        order = np.empty(len(self.matching.place), dtype=np.int32)
        order[self.matching.place] = np.arange(len(order), dtype=np.int32)
        return order

    @cached_property
    def _weight(self) -> Floats:
        """What the value at each place weighs (see `OriginalColumn.widths`), 1 if missing."""
        return np.append(1.0, self.original.widths)[self._order]

    def _sums_by_label(self, at_place: Floats) -> Floats:
        """Per label: the sum of `at_place`, a figure per place, over its places."""
        total = np.append(0.0, np.cumsum(at_place))
        runs = total[self.matching.high + 1] - total[self.matching.low]
        return np.bincount(self._label, runs, len(self.matching)).astype(np.float64)

    @cached_property
    def _whole(self) -> Floats:
        """The sum of weights of each label's places; 1 where it has none."""
        whole = self._sums_by_label(self._weight)
        return np.where(whole > 0, whole, 1.0)

    @cached_property
    def mass(self) -> Floats:
        """How many records each code of the original gets."""
        each = (self.records / self._whole)[self._label]
        change = np.bincount(self.matching.low, each, len(self._order) + 1)
        change -= np.bincount(self.matching.high + 1, each, len(self._order) + 1)
        by_place = np.maximum(np.cumsum(change[:-1]), 0.0) * self._weight
        return by_place[self.matching.place]

    @cached_property
    def mean(self) -> Floats:
        """Per label: where a record lies on average, as by `to_unit_scale`; NaN for missing."""
        mean = np.where(np.isnan(self.point), self._moment(1), self.point)
        mean[0] = np.nan
        return mean

    @cached_property
    def variance(self) -> Floats:
        """Per label: the variance of a record's place from 0 to 1; 0 for a single value."""
        spread = np.maximum(self._moment(2) - self._moment(1) ** 2, 0.0)
        return np.where(np.isnan(self.point), spread, 0.0)

    def _moment(self, power: int) -> Floats:
        """Per label: the mean of a power of the places of its values on the scale."""
        scale = np.append(0.0, self.original.scale)[self._order]
        return self._sums_by_label(self._weight * scale**power) / self._whole

    @cached_property
    def spread(self) -> CellShares:
        """The records over the coarse cells of the original."""
        cells = self.original.coarse_cells
        shares = self._cell_shares(cells)
        pure = shares.max(axis=1) >= _PURE
        pattern = np.where(pure, shares.argmax(axis=1), cells.number + np.cumsum(~pure) - 1)
        every = np.concatenate([np.eye(cells.number), shares[~pure]])
        return CellShares(pattern.astype(np.int32)[self.codes], every)

    def _cell_shares(self, cells: ColumnCells) -> Floats:
        """Per label: its share in each cell, (labels, cells); all in cell 0 without values."""
        of = cells.of[self._order]
        found = [
            self._sums_by_label(np.where(of == cell, self._weight, 0.0))
            for cell in range(cells.number)
        ]
        shares = np.maximum(np.stack(found, axis=1), 0.0)
        whole = shares.sum(axis=1)
        shares[whole == 0, 0] = 1.0
        return shares / np.where(whole > 0, whole, 1.0)[:, None]


def read_column(
    original: OriginalColumn, shown: CodedColumn, hierarchy: Hierarchy | None = None
) -> ReleasedColumn:
    """Read what a release shows in a column: plain values, or labels, by a hierarchy if given."""
    if original.ordered and shown.domain.kind is original.domain.kind:
        return _read_values(original, shown)
    return _Labels(original, shown, hierarchy).read()


def _read_values(original: OriginalColumn, shown: CodedColumn) -> ReleasedColumn:
    """Read a column of plain numbers or dates: each becomes the nearest value of the original."""
    places = shown.domain.positions
    code = nearest_codes(original, places)
    low = np.append(0, code).astype(np.int32)
    known = len(original.domain) > 0
    size = len(low) if known else 1
    start = np.minimum(np.arange(len(low) + 1), size).astype(np.int64)
    zeros = np.zeros(len(low))
    unreadable = np.zeros(len(low), dtype=np.bool_)
    unreadable[1:] = not known
    return ReleasedColumn(
        original,
        shown.codes,
        Matching(start, low[:size], low[:size], _own_places(original)),
        np.zeros(len(low), dtype=np.bool_),
        unreadable,
        np.append(np.nan, original.to_unit_scale(places)),
        zeros,
        zeros,
    )


def _own_places(original: OriginalColumn) -> Codes:
    """The places of the original's codes if they stand in their own order."""
    return np.arange(len(original.domain) + 1, dtype=np.int32)


def nearest_codes(original: OriginalColumn, places: Floats) -> Codes:
    """The code of the value nearest to each place, the lower of two; 0 if there are no values."""
    known = original.domain.positions
    if not len(known):
        return np.zeros(0 if not len(places) else len(places), dtype=np.int32)
    above = np.minimum(np.searchsorted(known, places), len(known) - 1)
    below = np.maximum(above - 1, 0)
    closer = np.abs(places - known[below]) <= np.abs(known[above] - places)
    return (np.where(closer, below, above) + 1).astype(np.int32)


class _Labels:
    """Labels of a column, read one by one: there are far fewer than records."""

    def __init__(
        self, original: OriginalColumn, shown: CodedColumn, hierarchy: Hierarchy | None
    ) -> None:
        self._original, self._shown, self._hierarchy = original, shown, hierarchy
        self._texts: list[str] = shown.domain.labels.tolist()
        self._named = names_in_labels(self._texts)
        self._size = len(original.domain)
        self._reach = [written_reach(text, original.domain) for text in self._texts]
        self._matcher = Matcher(original.domain, hierarchy)

    def read(self) -> ReleasedColumn:
        """Read all labels as runs of values and put the column together."""
        matcher = self._matcher
        runs = [self._without_missing(found) for found in self._runs()]
        unreadable = np.array([False, *(not found for found in runs)], dtype=np.bool_)
        runs = [
            found or self._nearest_run(reach, matcher.place)
            for found, reach in zip(runs, self._reach, strict=True)
        ]
        unreadable[1:] &= np.array([not found for found in runs], dtype=np.bool_)
        every = [(1, self._size)] if self._size else []
        runs = [found or every for found in runs]
        leaves = self._leaf_counts(runs)
        suppressed = self._suppressed_labels(leaves)
        matching = matching_of_runs([[(0, 0)], *runs], matcher.place)
        others = np.maximum((leaves - 1) / max(self._number_of_values - 1, 1), 0.0)
        return ReleasedColumn(
            self._original,
            self._shown.codes,
            matching,
            np.append(False, suppressed),
            unreadable,
            self._points(),
            np.append(0.0, np.where(suppressed | unreadable[1:], 1.0, self._ncp(runs, leaves))),
            np.append(0.0, np.where(suppressed | unreadable[1:], 1.0, others)),
        )

    def _runs(self) -> list[list[Run]]:
        """The runs of places of each label: by its ends or else by hierarchy and spelling."""
        runs = self._runs_by_ends()
        rest = [i for i, found in enumerate(runs) if not found]
        found = self._matcher.match([self._texts[i] for i in rest], self._named)
        ends = list(zip(found.low.tolist(), found.high.tolist(), strict=True))
        for i, (a, b) in zip(rest, pairwise(found.start.tolist()), strict=True):
            runs[i] = ends[a:b]
        return runs

    def _runs_by_ends(self) -> list[list[Run]]:
        """The run between the ends of each label; empty without ends or values, and for nodes."""
        place = self._matcher.place
        if not self._original.ordered or not np.array_equal(place, _own_places(self._original)):
            return [[] for _ in self._texts]
        levels = () if self._hierarchy is None else self._hierarchy.labels[1:]
        nodes = {label for labels in levels for label in labels.tolist()}
        named = [text in nodes for text in self._texts]
        ends = np.array([(np.nan, np.nan) if r is None else r for r in self._reach]).reshape(-1, 2)
        values = self._original.domain.positions
        low = np.searchsorted(values, ends[:, 0]) + 1
        high = np.searchsorted(values, ends[:, 1], side="right")
        told = (low <= high) & ~np.isnan(ends[:, 0]) & ~np.array(named, dtype=np.bool_)
        return [
            [(a, b)] if ok else []
            for a, b, ok in zip(low.tolist(), high.tolist(), told.tolist(), strict=True)
        ]

    @staticmethod
    def _without_missing(runs: list[Run]) -> list[Run]:
        """The runs without the missing value: a label is spread over values."""
        return [(max(low, 1), high) for low, high in runs if high >= 1]

    def _nearest_run(self, reach: tuple[float, float] | None, place: Codes) -> list[Run]:
        """The value nearest to the middle of an interval that holds none, as a run; or no run."""
        if reach is None or not self._size:
            return []
        ends = np.clip(np.array(reach), *self._original.ends)
        at = int(place[nearest_codes(self._original, np.array([ends.mean()]))[0]])
        return [(at, at)]

    def _points(self) -> Floats:
        """Per label, missing first: where it lies on the scale if it is one value, else NaN."""
        low = np.array([np.nan if r is None or r[0] != r[1] else r[0] for r in self._reach])
        places = self._original.to_unit_scale(low) if self._original.ordered else low
        return np.append(np.nan, places)

    @property
    def _number_of_values(self) -> int:
        """How many values labels may stand for."""
        size = 0 if self._hierarchy is None else len(self._hierarchy.leaves)
        return max(self._size, size)

    def _leaf_counts(self, runs: Sequence[list[Run]]) -> Floats:
        """Count the values that each label stands for, those that nobody has included."""
        held = [sum(high - low + 1 for low, high in found) for found in runs]
        if self._hierarchy is None or self._number_of_values == self._size:
            return np.array(held, dtype=np.float64)
        return np.array(
            [self._leaf_count(text, n) for text, n in zip(self._texts, held, strict=True)]
        )

    def _leaf_count(self, text: str, otherwise: int) -> float:
        """The number of leaves a label stands for; `otherwise` if the hierarchy knows it not."""
        assert self._hierarchy is not None  # noqa: S101  asked for only then
        try:
            decoded = self._hierarchy.decode_all([text], self._named)
        except InputError:
            return float(otherwise)
        return float((decoded.high - np.maximum(decoded.low, 1) + 1).sum())

    def _suppressed_labels(self, leaves: Floats) -> Flags:
        """Flag labels that show nothing: such as `*` if that is no value, or one for all values."""
        values = set(self._original.domain.labels.tolist()) if self._size else set()
        tops = {TOP} if self._hierarchy is None else {TOP, str(self._hierarchy.labels[-1][0])}
        named = [text in tops or not text.strip(TOP) for text in self._texts]
        own = [text in values for text in self._texts]
        return (np.array(named, dtype=np.bool_) & ~np.array(own, dtype=np.bool_)) | (
            (leaves >= self._number_of_values) & (self._number_of_values > 1)
        )

    def _ncp(self, runs: Sequence[list[Run]], leaves: Floats) -> Floats:
        """The share of the column that each label leaves open (Ghinita Section 2.1)."""
        if not self._original.ordered:
            return np.where(leaves <= 1, 0.0, leaves / max(self._number_of_values, 1))
        low, high = self._original.ends
        if not high > low:
            return np.zeros(len(runs))
        order = np.argsort(self._matcher.place)
        places = np.append(np.nan, self._original.domain.positions)[order]
        spans = [
            self._ends_of_runs(found, places) if reach is None else reach
            for found, reach in zip(runs, self._reach, strict=True)
        ]
        ends = np.clip(np.array(spans, dtype=np.float64).reshape(-1, 2), low, high)
        return (ends[:, 1] - ends[:, 0]) / (high - low)

    @staticmethod
    def _ends_of_runs(runs: list[Run], places: Floats) -> tuple[float, float]:
        """The smallest and the largest value in these runs, for a label without ends of its own."""
        ends = [places[low : high + 1] for low, high in runs]
        return min(float(e.min()) for e in ends), max(float(e.max()) for e in ends)
