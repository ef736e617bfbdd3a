"""Who fits what a release shows, for every set of columns that an attacker may know.

The classes of a set come from those of a set with one column less, both for the people and for the
released rows: no set is grouped from scratch. In joint data, people and rows have the same classes
and fit class by class; otherwise the pairs that fit are computed when they are needed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from threading import Lock
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels.linkage import fits as kernels
from incrowd.linkage.attack_data import AttackData, TableSide
from incrowd.linkage.decoding import FittingClasses, Members, iterate_parts, join_members
from incrowd.partition.csr import Rows, each_by_itself
from incrowd.partition.refinement import StrippedPartition
from incrowd.watch import Watch

_FIRST = 4
"""So many columns are dealt out first; each deal of them is a task for a thread."""


class ColumnSets:
    """The sets of known columns to play: all columns, and all sets of at most `largest`.

    >>> ColumnSets(8, 2).every
    37
    """

    def __init__(self, width: int, largest: int, watch: Watch | None = None) -> None:
        self.largest = min(largest, width)
        self.every = 1 + sum(comb(width, size) for size in range(1, min(largest, width - 1) + 1))
        """How many sets there are to play."""
        self.played = 1
        """How many sets have been played; the set of all columns counts from the start."""
        self._watch = watch or Watch()
        self._lock = Lock()

    @property
    def expired(self) -> bool:
        """Whether time is up: sets that are not played yet are left out."""
        return self._watch.expired

    @property
    def left_out(self) -> int:
        """How many sets were not played."""
        return self.every - self.played

    def note_played(self, number: int = 1) -> None:
        """Count more sets as played, `number` of them; several threads may call this."""
        with self._lock:
            self.played += number
        self._watch.tell("sets of known columns", min(self.played / self.every, 1.0))


@dataclass(frozen=True, eq=False)
class SideClasses:
    """The classes of one side: rows that the known columns do not tell apart."""

    rows: Codes
    """The rows of the side, those of one class together."""
    start: Counts
    """Where the rows of each class begin (see `partition.csr`)."""
    sizes: Counts
    """Records per class."""

    @classmethod
    def of(cls, side: TableSide, rows: Codes, start: Counts) -> "SideClasses":
        """The classes of these rows of a side, counted in records."""
        return cls(rows, start, kernels.sum_members(start, rows, side.counts))

    @classmethod
    def whole(cls, side: TableSide) -> "SideClasses":
        """Classes by no column: one class of all rows, or none if there are no rows."""
        rows = np.arange(len(side.counts), dtype=np.int32)
        start = np.array([0, len(rows)][: 1 + min(len(rows), 1)], dtype=np.int64)
        return cls.of(side, rows, start)

    def split(self, side: TableSide, column: int, domain: int) -> "SideClasses":
        """Split the classes by one more column, whose codes are all below `domain`."""
        split = kernels.split_by_column
        return SideClasses.of(side, *split(self.rows, self.start, side.known[column], domain))

    def known_codes(self, side: TableSide, columns: tuple[int, ...]) -> Codes:
        """What each class shows in the columns that define it: shape (columns, classes)."""
        first = self.rows[self.start[:-1]]
        nothing = np.zeros((0, len(first)), dtype=np.int32)
        return np.vstack([nothing, *(side.known[column][first] for column in columns)])

    @cached_property
    def class_of(self) -> Codes:
        """The class of each row of the side; only if every row has one: not in joint data."""
        return self.spread_to_rows(np.arange(len(self.sizes))).astype(np.int32)

    def spread_to_rows(self, figure: Counts, alone: Counts | None = None) -> Counts:
        """Per row the figure of its class; rows without a class, if any, keep theirs of `alone`."""
        found = np.empty(len(self.rows), dtype=figure.dtype) if alone is None else alone.copy()
        kernels.fill_owner_figures(self.start, self.rows, figure, found)
        return found


@dataclass(frozen=True, eq=False)
class ResolvedRows:
    """Rows of joint data that are alone in their class: no further column changes who fits them.

    They leave the classes; their figures by all columns are summed instead.
    """

    rows: Codes
    before: "ResolvedRows | None" = None
    """The rows that were resolved earlier."""
    _known: dict[int, tuple[Any, float]] = field(default_factory=dict, repr=False)
    """By identity of an array: the array, so that it stays alive, and the figure found for it."""

    def total(self, figure: Floats | Counts) -> float:
        """The sum of a figure over the resolved rows; the figure has an entry for every row.

        Kept by the array's identity; so are `largest_figure` and `smallest_above_zero`, so that one
        array may be asked for one of the three only.
        """
        if id(figure) not in self._known:
            more = 0.0 if self.before is None else self.before.total(figure)
            self._known[id(figure)] = figure, float(figure[self.rows].sum()) + more
        return self._known[id(figure)][1]

    def largest_figure(self, figure: Floats) -> float:
        """The largest figure of the resolved rows, 0 at least; kept like `total`."""
        if id(figure) not in self._known:
            more = 0.0 if self.before is None else self.before.largest_figure(figure)
            self._known[id(figure)] = figure, max(float(figure[self.rows].max(initial=0.0)), more)
        return self._known[id(figure)][1]

    def smallest_above_zero(self, figure: Counts) -> int:
        """The smallest figure above 0 of the resolved rows, 0 if there is none; like `total`."""
        if id(figure) not in self._known:
            here = figure[self.rows]
            before = 0 if self.before is None else self.before.smallest_above_zero(figure)
            above = np.append(here, before)
            self._known[id(figure)] = figure, int(above[above > 0].min(initial=above.max()))
        return int(self._known[id(figure)][1])


@dataclass(frozen=True, eq=False)
class Fit:
    """Classes of people and of released rows by the known columns, and which of them fit.

    Rows fit people if their labels stand for the people's values in every known column. In joint
    data, either side of a class may be empty.
    """

    data: AttackData
    columns: tuple[int, ...]
    people: SideClasses
    rows: SideClasses
    resolved: ResolvedRows

    @classmethod
    def whole(cls, data: AttackData) -> "Fit":
        """The fit without any column: everybody fits everything."""
        people, rows = SideClasses.whole(data.people), SideClasses.whole(data.shown)
        return cls(data, (), people, rows, ResolvedRows(np.zeros(0, dtype=np.int32)))

    @classmethod
    def of(cls, data: AttackData, columns: tuple[int, ...]) -> "Fit":
        """Compute the fit by these columns, one after the other."""
        fit = cls.whole(data)
        for column in columns:
            fit = fit.refine(column)
        return fit

    @classmethod
    def of_all(cls, data: AttackData) -> "Fit":
        """Compute the fit by all columns that may be known."""
        return cls.of(data, tuple(range(len(data.known))))

    def refine(self, column: int) -> "Fit":
        """Compute the fit if the attacker knows one more column."""
        if self.data.joint:
            return self._refine_as_one(column)
        data, decoding = self.data, self.data.known[column].decoding
        rows = self.rows.split(data.shown, column, decoding.labels)
        people = self.people.split(data.people, column, decoding.values)
        return Fit(data, (*self.columns, column), people, rows, self.resolved)

    def _refine_as_one(self, column: int) -> "Fit":
        """Split people and rows of joint data together; rows that are then alone are resolved."""
        data, line = self.data, self.data.shown.known[column]
        domain = data.known[column].decoding.labels + 1
        classes = StrippedPartition(self.rows.rows, self.rows.start)
        left, alone = classes.refine(line, domain)
        rows, start = left.rows, left.starts
        shown = SideClasses.of(data.shown, rows, start)
        same = data.people is data.shown
        people = shown if same else SideClasses.of(data.people, rows, start)
        columns, resolved = (*self.columns, column), ResolvedRows(alone, self.resolved)
        return Fit(data, columns, people, shown, resolved)

    @property
    def names(self) -> tuple[str, ...]:
        """The known columns."""
        return tuple(self.data.known[j].name for j in sorted(self.columns))

    @cached_property
    def rows_of(self) -> Members:
        """Per class of people: the classes of rows that they fit."""
        data = self.data
        if data.joint:
            return each_by_itself(len(self.rows.sizes))
        label, value = (
            classes.known_codes(side, self.columns)
            for classes, side in ((self.rows, data.shown), (self.people, data.people))
        )
        return FittingClasses(
            [data.known[column].decoding for column in self.columns], label, value
        )

    @property
    def pairs(self) -> Rows:
        """Per class of rows: the classes of people who fit them, all at once."""
        if self.data.joint:
            return each_by_itself(len(self.rows.sizes))
        found: Rows = kernels.transpose_pairs(*join_members(self.rows_of), len(self.rows.sizes))
        return found

    @cached_property
    def _fitting_figures(self) -> tuple[Counts, Counts, Codes]:
        """The figures of `_sum_fitting` for the number of people in each class."""
        return self._sum_fitting(self.people.sizes)

    def _sum_fitting(self, figure: Counts) -> tuple[Counts, Counts, Codes]:
        """Count the rows that fit each class of people; sum a figure of people for classes of rows.

        Also return the last class of people that fits each class of rows, -1 for none. `figure` has
        an entry for each class of people.
        """
        number, done, fitting = len(self.rows.sizes), 0, []
        total, last = np.zeros(number, dtype=np.int64), np.full(number, -1, dtype=np.int32)
        for part in iterate_parts(self.rows_of):
            fitting.append(kernels.sum_members(*part, self.rows.sizes))
            kernels.add_owner_figures(part, figure[done:], done, total, last)
            done += len(part[0]) - 1
        return np.concatenate(fitting), total, last

    @property
    def rows_fitting(self) -> Counts:
        """Per class of people: how many released rows fit them."""
        return self.rows.sizes if self.data.joint else self._fitting_figures[0]

    @property
    def rows_of_a_person(self) -> float:
        """Mean number of released rows that fit a person, without people of resolved rows."""
        people = max(int(self.people.sizes.sum()), 1)
        return float((self.rows_fitting * self.people.sizes).sum()) / people

    @property
    def people_fitting(self) -> Counts:
        """Per class of released rows: how many people fit them."""
        return self.people.sizes if self.data.joint else self._fitting_figures[1]

    @property
    def singled_out(self) -> int:
        """How many people are the only ones to fit some class of rows."""
        alone: Flags = self.people_fitting == 1
        if self.data.joint:
            alone &= self.rows.sizes > 0
            return int(np.count_nonzero(alone) + self.resolved.total(self.data.lone))
        return len(np.unique(self._fitting_figures[2][alone]))

    @property
    def rows_of_each(self) -> Counts:
        """Per row of people: how many released rows fit it."""
        alone = self.data.shown.counts if self.data.joint else None
        return self.people.spread_to_rows(self.rows_fitting, alone)

    @property
    def people_of_each(self) -> Counts:
        """Per row of the release: how many people fit it."""
        alone = self.data.people.counts if self.data.joint else None
        return self.rows.spread_to_rows(self.people_fitting, alone)

    @property
    def individuals_of_each(self) -> Counts:
        """Per row of the release: individuals who fit it, each once (Bettini Section 7)."""
        who, people = self.data.people, (self.people.start, self.people.rows)
        _, found, _ = self._sum_fitting(kernels.sum_members(*people, who.alone))
        if len(who.owned[1]):
            owned = *who.owned, int(who.owned[1].max()) + 1
            found = found + kernels.count_individuals(self.pairs, people, owned)
        alone = who.alone + np.diff(who.owned[0]) if self.data.joint else None
        return self.rows.spread_to_rows(found, alone)


def sweep(data: AttackData, sets: ColumnSets) -> Iterator[Fit]:
    """Yield the fit by each set to play but all columns, until time is up; note each as played."""
    for fit in _refine_further(Fit.whole(data), -1, sets):
        if len(fit.columns) < len(data.known):
            yield fit
            sets.note_played()


def _refine_further(fit: Fit, last: int, sets: ColumnSets) -> Iterator[Fit]:
    """Yield fits by more columns after `last`, depth first, up to the largest, until time is up."""
    if len(fit.columns) == sets.largest:
        return
    for column in range(last + 1, len(fit.data.known)):
        if sets.expired:
            return
        more = fit.refine(column)
        yield more
        yield from _refine_further(more, column, sets)


def deal_halves(data: AttackData, sets: ColumnSets) -> list[Iterator[tuple[Fit, Fit]]]:
    """Split the known columns in two halves, in every way that makes one half a set to play.

    All columns and none come first. Columns are dealt out to one half or the other, and each deal
    splits the classes of its half once, so a set costs a column or two. The iterators of pairs of
    fits, one for each deal of the first columns, can run in parallel.
    """
    none = Fit.whole(data)
    deals = [(none.refine(0), none)]
    for column in range(1, min(_FIRST, len(data.known))):
        deals = [
            deal
            for one, other in deals
            for deal in ((one.refine(column), other), (one, other.refine(column)))
            if min(len(half.columns) for half in deal) <= sets.largest
        ]
    return [_deal_columns(one, other, sets) for one, other in deals]


def _deal_columns(one: Fit, other: Fit, sets: ColumnSets) -> Iterator[tuple[Fit, Fit]]:
    """Deal the columns left to two halves in every way; yield the fits by both till time is up."""
    given, left = len(one.columns), len(other.columns)
    column = given + left
    if column == len(one.data.known):
        if left and sets.expired:
            return
        yield one, other
        if left:
            sets.note_played((given <= sets.largest) + (left <= sets.largest))
        return
    if min(given + 1, left) <= sets.largest and not (left and sets.expired):
        yield from _deal_columns(one.refine(column), other, sets)
    if min(given, left + 1) <= sets.largest and not sets.expired:
        yield from _deal_columns(one, other.refine(column), sets)
