"""What a release shows as one: classes, their sizes and what they hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.table.tally import Tally


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A sensitive column: who holds which value in the whole table."""

    name: str
    whole: Counts
    """People per code in the table as it was read, entry 0 for the missing: shape (values + 1,)."""
    ordered: bool = False
    """Whether the order of its codes means something."""
    maps: Codes | None = None
    """The levels of its hierarchy, if it has one (see `Hierarchy.maps`)."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """People per class and sensitive value, in compressed rows.

    Class c holds the values `code[start[c]:start[c + 1]]` (ascending, each once) with `count`
    people each. A missing sensitive value (code 0) is a value like any other here.
    """

    column: SensitiveColumn
    start: Counts
    code: Codes
    count: Counts


@dataclass(frozen=True, eq=False)
class Classes:
    """Equivalence classes: all that a model sees."""

    records: Counts
    people: Counts
    histograms: Mapping[str, Histogram]
    """By name of the sensitive column."""

    def __len__(self) -> int:
        """Number of classes."""
        return len(self.records)


def classes_of(
    tally: Tally, class_of: Codes, number: int, sensitive: Sequence[SensitiveColumn]
) -> Classes:
    """The classes 0, 1, …, number - 1 of the rows of a tally; rows of class -1 are left out.

    People are counted once per class, and once per class and value in a histogram.
    """
    kept = class_of >= 0
    rows = class_of[kept]
    records = np.bincount(rows, weights=tally.counts[kept], minlength=number).astype(np.int64)
    people = np.bincount(rows, weights=tally.people[kept], minlength=number).astype(np.int64)
    shared = class_of[tally.shared_row]
    inside = shared >= 0
    pairs = np.unique(np.stack([shared[inside], tally.shared_unit[inside]]), axis=1)
    people += np.bincount(pairs[0], minlength=number)
    histograms = {
        column.name: _histogram(tally, class_of, number, column, codes)
        for column, codes in zip(sensitive, tally.sensitive, strict=True)
    }
    return Classes(records, people, histograms)


def _histogram(
    tally: Tally, class_of: Codes, number: int, column: SensitiveColumn, codes: Codes
) -> Histogram:
    domain = len(column.whole)
    cell = class_of.astype(np.int64) * domain + codes
    kept = class_of >= 0
    cells, place = np.unique(cell[kept], return_inverse=True)
    count = np.bincount(place, weights=tally.people[kept], minlength=len(cells)).astype(np.int64)
    inside = kept[tally.shared_row]
    shared = np.stack([cell[tally.shared_row[inside]], tally.shared_unit[inside]])
    pairs = np.unique(shared, axis=1)
    count += np.bincount(np.searchsorted(cells, pairs[0]), minlength=len(cells))
    start = np.searchsorted(cells, np.arange(number + 1, dtype=np.int64) * domain)
    return Histogram(column, start.astype(np.int64), (cells % domain).astype(np.int32), count)
