"""A column of the original: its values on a scale, what each of them weighs, and cells of them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.utility.comparison import ColumnKind

FINE = 100
"""Cells of a column by itself: numbers and dates with more values are put together."""
COARSE = 20
"""Cells of a column next to another one."""
_KINDS: dict[Kind, ColumnKind] = {Kind.NUMBER: "number", Kind.DATE: "date", Kind.TEXT: "category"}


@dataclass(frozen=True, eq=False)
class ColumnCells:
    """The values of a column put together: a cell for each code; cell 0 is for missing values."""

    of: Codes
    number: int
    """How many there are, cell 0 included."""

    def counts(self, mass: Floats) -> Floats:
        """The sum of `mass`, a figure per code, over the codes of each cell."""
        return np.bincount(self.of, mass, self.number).astype(np.float64)


@dataclass(frozen=True, eq=False)
class OriginalColumn:
    """A column of the original, coded."""

    coded: CodedColumn

    def __repr__(self) -> str:
        """Without values."""
        return f"OriginalColumn({self.coded!r})"

    @property
    def name(self) -> str:
        """Its name."""
        return self.coded.name

    @property
    def domain(self) -> Domain:
        """What its codes stand for."""
        return self.coded.domain

    @property
    def kind(self) -> ColumnKind:
        """What its values are."""
        return _KINDS[self.domain.kind]

    @property
    def ordered(self) -> bool:
        """Whether its values lie on a scale."""
        return self.domain.kind is not Kind.TEXT

    @cached_property
    def counts(self) -> Counts:
        """Records per code, entry 0 for the missing."""
        return np.bincount(self.coded.codes, minlength=len(self.domain) + 1)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Where the smallest and the largest value lie; (0, 0) without values or for categories."""
        if not self.ordered or not len(self.domain):
            return 0.0, 0.0
        places = self.domain.positions
        return float(places[0]), float(places[-1])

    def to_unit_scale(self, places: Floats) -> Floats:
        """Places of `Domain.positions` on a scale with the least value at 0 and the largest at 1.

        Places beyond them lie outside 0..1; all are 0 if the two are equal.
        """
        low, high = self.ends
        whole = high - low
        return np.zeros(len(places)) if not whole > 0 else (places - low) / whole

    @cached_property
    def scale(self) -> Floats:
        """Where the values lie from 0 to 1, categories all at 0; shape (values,)."""
        if not self.ordered:
            return np.zeros(len(self.domain))
        return self.to_unit_scale(self.domain.positions)

    @cached_property
    def widths(self) -> Floats:
        """What each value weighs: the mean of the gaps beside it; 1 for categories or one value."""
        if not self.ordered or len(self.domain) < 2 or self.ends[0] == self.ends[1]:
            return np.ones(len(self.domain))
        gaps = np.diff(self.scale)
        return np.asarray((np.append(gaps[0], gaps) + np.append(gaps, gaps[-1])) / 2)

    @cached_property
    def fine_cells(self) -> ColumnCells:
        """Cells of the column by itself: its values, or `FINE` at most of equally many records."""
        if self.ordered and len(self.domain) > FINE:
            return self._even_cells(FINE)
        return ColumnCells(np.arange(len(self.domain) + 1, dtype=np.int32), len(self.domain) + 1)

    @cached_property
    def coarse_cells(self) -> ColumnCells:
        """Cell 0 and up to `COARSE`: of equally many records, or frequent categories and a rest."""
        if len(self.domain) <= COARSE:
            return ColumnCells(
                np.arange(len(self.domain) + 1, dtype=np.int32), len(self.domain) + 1
            )
        return self._even_cells(COARSE) if self.ordered else self._frequent_cells(COARSE)

    @cached_property
    def frequent(self) -> Codes:
        """Codes of values (none is missing) by falling number of records, equal ones in order."""
        return (np.argsort(-self.counts[1:], kind="stable") + 1).astype(np.int32)

    def _even_cells(self, most: int) -> ColumnCells:
        """Cell 0 and at most `most` of about equally many records, in the order of the values."""
        held = self.counts[1:]
        middle = np.cumsum(held) - held / 2
        cell = np.minimum((middle / max(int(held.sum()), 1) * most).astype(np.int64), most - 1)
        _, place = np.unique(cell, return_inverse=True)
        return ColumnCells(np.append(0, place + 1).astype(np.int32), int(place.max()) + 2)

    def _frequent_cells(self, most: int) -> ColumnCells:
        """The `most - 1` most frequent categories, a cell each, and one cell for the rest."""
        of = np.full(len(self.domain) + 1, most, dtype=np.int32)
        of[0] = 0
        of[self.frequent[: most - 1]] = np.arange(1, most, dtype=np.int32)
        return ColumnCells(of, most + 1)
