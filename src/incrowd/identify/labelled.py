"""Rows with the label of their class, split by one column after the other."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.identify.records import Budget, Ratios, Records
from incrowd.kernels.identify import labelled, stripped


@dataclass(frozen=True, eq=False)
class RecordGroups:
    """Classes of two rows or more, row by row, and the other classes by their figures alone.

    A row alone stays alone: more columns leave fewer rows to look at (a *stripped partition*).
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
    lone_figures: Counts
    """Figures of the classes of one row (see `kernels.identify.stripped`)."""
    figures: Counts
    """Figures of all classes."""

    @classmethod
    def whole(cls, records: Records) -> "RecordGroups":
        """The groups by no column: all rows in one class."""
        rows = np.arange(records.rows, dtype=np.int32)
        bounds = np.array([0, records.rows], dtype=np.int64)
        none, counts = empty_figures(), records.counts
        all_rows = cls(counts, records.total, rows, counts, bounds, none, none)
        return all_rows._split(np.zeros_like(rows), 1)

    def ratios_with(self, records: Records, column: int) -> Ratios:
        """Ratios of the set of columns with one more, computed without splitting the groups."""
        figures = self.lone_figures.copy()
        codes, domain = records.compact_codes[column]
        rows, values = self.rows.view(np.uint32), codes.view(np.uint32)
        stripped.add_split_figures(rows, self.weights, self.start, values, domain, figures)
        return ratios_of_figures(self.records, figures)

    @classmethod
    def by_columns(cls, records: Records, columns: Iterable[int]) -> "RecordGroups":
        """The groups of rows that agree in all of these columns."""
        return cls.whole(records).split(records, *columns)

    def split(self, records: Records, *columns: int) -> "RecordGroups":
        """The groups of the set of columns with these added."""
        groups = self
        for column in columns:
            groups = groups._split(*records.compact_codes[column])
        return groups

    def _split(self, codes: Codes, domain: int) -> "RecordGroups":
        """The groups split by one code for each row of the table; codes are below `domain`."""
        lone_figures, figures = self.lone_figures.copy(), self.lone_figures.copy()
        rows, weights, start = stripped.split_and_add_figures(
            self.rows, self.counts, self.start, codes, domain, lone_figures, figures
        )
        return RecordGroups(self.counts, self.records, rows, weights, start, lone_figures, figures)

    @property
    def ratios(self) -> Ratios:
        """The ratios of the set of columns that made these groups."""
        return ratios_of_figures(self.records, self.figures)


def empty_figures() -> Counts:
    """Figures of no class: classes, ordered pairs together, uniques, smallest (int64's largest)."""
    return np.array([0, 0, 0, np.iinfo(np.int64).max], dtype=np.int64)


def ratios_of_figures(records: int, figures: Counts) -> Ratios:
    """The ratios that figures of all classes come to: see `empty_figures` for their order."""
    classes, together, unique, smallest = figures.tolist()
    apart = (records * (records - 1) - together) // 2
    return Ratios(records, classes, apart, unique, smallest if classes else 0)


Set = tuple[int, ...]
"""A set of columns by their places."""
_LARGEST = 2**62


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows with the label of their class, without those of classes that were left out."""

    rows: Codes
    labels: Codes
    number: int
    """Number of classes."""
    lost: int
    """What the classes left out can cost together at most."""


class Cutter:
    """Splits the classes of a table, in arrays of its own: each thread needs one."""

    def __init__(self, records: Records, budget: Budget) -> None:
        self._records = records
        self._codes = records.codes
        self._domains: list[int] = records.domains.tolist()
        self._budget = budget
        self._room = 1 << max(2 * records.rows - 1, 1).bit_length()

    @cached_property
    def _scratch(self) -> tuple[Any, ...]:
        """The arrays that kernels of `kernels.identify.labelled` work in, made once."""
        cells, costs, table = np.zeros((3, self._room), dtype=np.int64)
        where, seen = np.empty((2, self._records.rows), dtype=np.int32)
        return cells, costs, where, seen, table

    @cached_property
    def whole(self) -> LabelledRows:
        """All rows in one class."""
        rows = np.arange(self._records.rows, dtype=np.int32)
        return LabelledRows(rows, np.zeros_like(rows), 1, 0)

    def split(self, here: LabelledRows, columns: Set, spare: int = 0) -> LabelledRows:
        """Split the classes; leave out those that cost nothing, or at most `spare` together."""
        rows, labels = here.rows.copy(), here.labels.copy()
        kept, number, lost = len(rows), here.number, 0
        while columns:
            some, columns = self._columns_at_once(number, columns)
            lines, rule = (rows[:kept], labels[:kept], number), self._cost_rule(spare - lost)
            kept, number, _, less = labelled.split_labelled(
                *lines, self._codes, self._places_and_domains(some), rule, self._scratch
            )
            lost += less
        return LabelledRows(rows[:kept].copy(), labels[:kept].copy(), number, here.lost + lost)

    def cost(self, here: LabelledRows, columns: Set, limit: int) -> int:
        """What the kept classes cost if split by columns; above `limit`, any number above it."""
        some, rest = self._columns_at_once(here.number, columns)
        if rest:
            return self.cost(self.split(here, some), rest, limit)
        lines, rule = (here.rows, here.labels, here.number), self._cost_rule(limit)
        digits = self._places_and_domains(columns)
        return int(labelled.split_cost(*lines, self._codes, digits, rule, self._scratch))

    def grow(self, columns: Set, order: Sequence[int], limit: int) -> tuple[int, Set]:
        """Add columns in this order, each only if the set still costs more than the limit with it.

        Return what the given columns cost alone (the limit plus 1 without columns), and those
        added: none if the given ones keep to the limit.
        """
        more = self._places_and_domains([column for column in order if column not in columns])
        lines = self.whole.rows.copy(), self._codes, self._places_and_domains(columns)
        cost, number = labelled.add_needed_columns(
            *lines, more, self._cost_rule(limit), self._scratch
        )
        return int(cost), tuple(more[:number, 0].tolist())

    def has_room_for(self, here: LabelledRows, columns: Set) -> bool:
        """Whether each class and combination of codes can have its own cell, which is quick."""
        return self._count_cells(here.number, columns) <= self._room

    def _columns_at_once(self, number: int, columns: Set) -> tuple[Set, Set]:
        """The first columns, one if any at least, whose cells 62 bits can number; the others."""
        many = 1
        while many < len(columns) and self._count_cells(number, columns[: many + 1]) < _LARGEST:
            many += 1
        return columns[:many], columns[many:]

    def _count_cells(self, number: int, columns: Set) -> int:
        """How many cells `number` classes and all combinations of the columns' codes make."""
        return math.prod((self._domains[column] for column in columns), start=number)

    def _places_and_domains(self, columns: Sequence[int]) -> Counts:
        """The place and the domain size of each column: shape (columns, 2)."""
        places = np.array(columns, dtype=np.int64)
        return np.stack([places, self._records.domains[places]], axis=1)

    def _cost_rule(self, limit: int) -> tuple[Counts, int, int]:
        """The rule by which kernels count costs: the budget's weights and kind, and a limit."""
        return self._budget.weights, self._budget.kind, limit
