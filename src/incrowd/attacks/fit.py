"""Who fits what a release shows, for every set of columns that somebody may know.

The classes of a set are found from those of a set with one column less, as in `incrowd.quasi`: for
the people, for the released rows, and for the pairs of them that fit. No set is grouped anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.attacks.compressed import Rows, enough_room
from incrowd.attacks.scene import Scene, Side
from incrowd.attacks.sets import Sets


@dataclass(frozen=True, eq=False)
class SideClasses:
    """The classes of one side that the known columns do not tell apart."""

    rows: Codes
    """The rows of the side, those of one class together."""
    start: Counts
    """Where the rows of each class begin, and where the last ones end."""
    sizes: Counts
    """Records per class."""

    @classmethod
    def whole(cls, side: Side) -> "SideClasses":
        """Without any column: one class of all, none if there is nobody."""
        rows = np.arange(len(side.counts), dtype=np.int32)
        start = np.array([0, len(rows)][: 1 + min(len(rows), 1)], dtype=np.int64)
        return cls(rows, start, np.full(len(start) - 1, side.records, dtype=np.int64))

    def split(self, side: Side, column: int, domain: int) -> tuple["SideClasses", Rows]:
        """The classes with one more column; where the parts of each begin, and their codes."""
        split = _kernels().split
        rows, start, code, parts = split(self.rows, self.start, side.known[column], domain)
        return SideClasses(rows, start, side.counts).summed(side), (parts, code)

    def summed(self, side: Side) -> "SideClasses":
        """The same classes of a side with the same rows."""
        sizes = _kernels().sum_members(self.start, self.rows, side.counts)
        return SideClasses(self.rows, self.start, sizes)

    @cached_property
    def class_of(self) -> Codes:
        """The class of each row of the side."""
        found: Codes = self.per_row(np.arange(len(self.sizes), dtype=np.int32))
        return found

    def per_row(self, figure: Any) -> Any:
        """A figure of each class as that of each row of the side."""
        found = np.empty(len(self.rows), dtype=figure.dtype)
        found[self.rows] = np.repeat(figure, np.diff(self.start))
        return found


@dataclass(frozen=True, eq=False)
class Fit:
    """Classes of people and of released rows by the known columns, and which of them fit.

    The rows of class r fit the people of the classes `pairs[1][pairs[0][r]:pairs[0][r + 1]]`: their
    labels stand for the values of these people in every known column. In a joint scene, class by
    class, the rows fit the people of the same class; either may have none.
    """

    scene: Scene
    columns: tuple[int, ...]
    people: SideClasses
    rows: SideClasses
    pairs: Rows

    @classmethod
    def whole(cls, scene: Scene) -> "Fit":
        """Without any column everybody fits everything."""
        people, rows = SideClasses.whole(scene.people), SideClasses.whole(scene.shown)
        number = min(len(people.sizes), 1)
        begin = np.arange(len(rows.sizes) + 1, dtype=np.int64) * number
        return cls(scene, (), people, rows, (begin, np.zeros(int(begin[-1]), dtype=np.int32)))

    @classmethod
    def of(cls, scene: Scene, columns: tuple[int, ...]) -> "Fit":
        """By these columns."""
        fit = cls.whole(scene)
        for column in columns:
            fit = fit.refined(column)
        return fit

    @classmethod
    def of_all(cls, scene: Scene) -> "Fit":
        """By all columns that may be known."""
        return cls.of(scene, tuple(range(len(scene.known))))

    def refined(self, column: int) -> "Fit":
        """With one more column known."""
        scene, stands = self.scene, self.scene.known[column].stands
        columns = (*self.columns, column)
        rows, of_row = self.rows.split(scene.shown, column, stands.labels + 1)
        if scene.joint:
            return Fit(scene, columns, rows.summed(scene.people), rows, _same(len(rows.sizes)))
        people, of_person = self.people.split(scene.people, column, stands.values)
        labels = stands.start, stands.label, stands.labels
        begin = _kernels().count_pairs(self.pairs, of_person, of_row, labels)
        enough_room(int(begin[-1]))
        person = _kernels().list_pairs(self.pairs, of_person, of_row, labels, begin)
        return Fit(scene, columns, people, rows, (begin, person))

    @property
    def names(self) -> tuple[str, ...]:
        """The known columns."""
        return tuple(self.scene.names[j] for j in sorted(self.columns))

    @cached_property
    def rows_of(self) -> Rows:
        """Per class of people: the classes of rows that they fit."""
        if self.scene.joint:
            return self.pairs
        found: Rows = _kernels().turned(*self.pairs, len(self.people.sizes))
        return found

    @cached_property
    def rows_fitting(self) -> Counts:
        """Per class of people: released rows that fit them; 0 if there are no such people."""
        if self.scene.joint:
            return np.where(self.people.sizes > 0, self.rows.sizes, 0)
        found: Counts = _kernels().sum_members(*self.rows_of, self.rows.sizes)
        return found

    @cached_property
    def people_fitting(self) -> Counts:
        """Per class of released rows: people who fit them; 0 if there are no such rows."""
        if self.scene.joint:
            return np.where(self.rows.sizes > 0, self.people.sizes, 0)
        found: Counts = _kernels().sum_members(*self.pairs, self.people.sizes)
        return found

    @property
    def individuals_fitting(self) -> Counts:
        """Per class of released rows: individuals who fit them, each once (Bettini Section 7)."""
        kernels, who = _kernels(), self.scene.people
        alone = kernels.sum_members(self.people.start, self.people.rows, who.alone)
        found: Counts = kernels.sum_members(*self.pairs, alone)
        if not len(who.owned[1]):
            return found
        owned = *who.owned, int(who.owned[1].max()) + 1
        people = self.people.start, self.people.rows
        return found + kernels.individuals(self.pairs, people, owned)


def _same(number: int) -> Rows:
    """Every class with itself."""
    each = np.arange(number + 1)
    return each, each[:-1].astype(np.int32)


def sweep(scene: Scene, sets: Sets) -> Iterator[Fit]:
    """Every set of known columns that is played but that of all; those of few columns first."""
    for fit in _larger(Fit.whole(scene), -1, sets):
        if len(fit.columns) < len(scene.known):
            yield fit
            sets.done()


def _larger(fit: Fit, last: int, sets: Sets) -> Iterator[Fit]:
    if len(fit.columns) == sets.largest:
        return
    for column in range(last + 1, len(fit.scene.known)):
        if sets.expired:
            return
        more = fit.refined(column)
        yield more
        yield from _larger(more, column, sets)


def halves(scene: Scene, sets: Sets) -> Iterator[tuple[Fit, Fit]]:
    """The known columns in two, in every way in which one half is a set that is played.

    All columns and none come first. The classes of either half are split as columns are dealt out
    to the one or to the other, so that a set costs a column or two.
    """
    none = Fit.whole(scene)
    yield from _dealt(none.refined(0), none, sets)


def _dealt(one: Fit, other: Fit, sets: Sets) -> Iterator[tuple[Fit, Fit]]:
    given, left = len(one.columns), len(other.columns)
    column = given + left
    if column == len(one.scene.known):
        yield one, other
        if left:
            sets.done((given <= sets.largest) + (left <= sets.largest))
        return
    if min(given + 1, left) <= sets.largest and not (left and sets.expired):
        yield from _dealt(one.refined(column), other, sets)
    if min(given, left + 1) <= sets.largest and not sets.expired:
        yield from _dealt(one, other.refined(column), sets)


def _kernels() -> Any:
    from incrowd.kernels import fits as kernels  # noqa: PLC0415  numba only when it is needed

    return kernels
