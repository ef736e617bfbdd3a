"""Classes that a further column can still split."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.identify.ratios import Ratios
from incrowd.identify.records import Records
from incrowd.kernels.identify import partition as kernels


@dataclass(frozen=True, eq=False)
class Groups:
    """Classes of two rows or more, and in figures what the other classes come to.

    A row alone in its class stays alone: the more columns, the fewer rows are left to look at.
    (Others call this a stripped partition.)
    """

    counts: Counts
    """The records of every row of the table."""
    records: int
    rows: Codes
    """The rows of one group after the other."""
    weights: Counts
    """The records of each of these rows."""
    start: Counts
    """Where each group begins and ends."""
    settled: Counts
    """Figures of the classes of one row (see `kernels.partition`)."""
    told: Counts
    """Figures of all classes."""

    @classmethod
    def whole(cls, records: Records) -> "Groups":
        """What no column at all tells apart: one class of all rows."""
        return cls.of(records, np.zeros(records.rows, dtype=np.int32), 1)

    @classmethod
    def of(cls, records: Records, class_of: Codes, number: int) -> "Groups":
        """The classes given by the class of each row."""
        rows = np.arange(records.rows, dtype=np.int32)
        bounds = np.array([0, records.rows], dtype=np.int64)
        none, counts = no_classes(), records.counts
        all_rows = cls(counts, records.total, rows, counts, bounds, none, none)
        return all_rows._split(class_of, number)

    def joined(self, records: Records, column: int) -> Ratios:
        """What the set with that column added does, without splitting the groups."""
        told = self.settled.copy()
        codes, domain = records.lines[column]
        rows, values = self.rows.view(np.uint32), codes.view(np.uint32)
        _kernels().join(rows, self.weights, self.start, values, domain, told)
        return ratios_of(self.records, told)

    def split(self, records: Records, column: int) -> "Groups":
        """The groups of the set with that column added."""
        return self._split(*records.lines[column])

    def _split(self, codes: Codes, domain: int) -> "Groups":
        settled, told = self.settled.copy(), self.settled.copy()
        rows, weights, start = _kernels().split(
            self.rows, self.counts, self.start, codes, domain, settled, told
        )
        return Groups(self.counts, self.records, rows, weights, start, settled, told)

    @property
    def ratios(self) -> Ratios:
        """The classes in figures."""
        return ratios_of(self.records, self.told)


def no_classes() -> Counts:
    """The figures of no classes at all (see `kernels.partition`)."""
    return np.array([0, 0, 0, np.iinfo(np.int64).max], dtype=np.int64)


def ratios_of(records: int, told: Counts) -> Ratios:
    """The ratios that the figures of all classes come to (see `kernels.partition`)."""
    classes, together, unique, smallest = told.tolist()
    apart = (records * (records - 1) - together) // 2
    return Ratios(records, classes, apart, unique, smallest if classes else 0)


def _kernels() -> Any:

    return kernels
