"""Who fits what a release shows, for every set of columns that somebody may know.

The classes of a set are found from those of a set with one column less, as in `incrowd.identify`:
for the people and for the released rows. No set is grouped anew. Which classes fit is the same
classes of both in a joint scene; in others it is found anew, when it is asked for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.attacks.intervals import Figures, Moments
from incrowd.attacks.scene import Scene, Side
from incrowd.attacks.sets import Sets
from incrowd.attacks.weighed import each
from incrowd.kernels.linkage import fits as kernels
from incrowd.linkage.pairs import Pairs
from incrowd.partition.csr import Members, Rows, joined, parts

_FIRST = 4
"""The columns whose deals are played side by side."""


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
    def of(cls, side: Side, rows: Codes, start: Counts) -> "SideClasses":
        """Classes of these rows of a side."""
        return cls(rows, start, _kernels().sum_members(start, rows, side.counts))

    @classmethod
    def whole(cls, side: Side) -> "SideClasses":
        """Without any column: one class of all, none if there is nobody."""
        rows = np.arange(len(side.counts), dtype=np.int32)
        start = np.array([0, len(rows)][: 1 + min(len(rows), 1)], dtype=np.int64)
        return cls.of(side, rows, start)

    def split(self, side: Side, column: int, domain: int) -> "SideClasses":
        """The classes with one more column."""
        split = _kernels().split
        return SideClasses.of(side, *split(self.rows, self.start, side.known[column], domain))

    def known(self, side: Side, columns: tuple[int, ...]) -> Codes:
        """What each class holds in the columns by which it is one: shape (columns, classes)."""
        first = self.rows[self.start[:-1]]
        nothing = np.zeros((0, len(first)), dtype=np.int32)
        return np.vstack([nothing, *(side.known[column][first] for column in columns)])

    @cached_property
    def class_of(self) -> Codes:
        """The class of each row of the side."""
        return self.per_row(np.arange(len(self.sizes))).astype(np.int32)

    def per_row(self, figure: Counts, alone: Counts | None = None) -> Counts:
        """A figure of each class as that of each row; rows of no class have that of `alone`."""
        found = np.empty(len(self.rows), dtype=figure.dtype) if alone is None else alone.copy()
        _kernels().hand_out(self.start, self.rows, figure, found)
        return found


@dataclass(frozen=True, eq=False)
class Settled:
    """Rows of a joint scene that are alone in their class: no more columns change what they fit.

    They leave the classes, and what is known of each of them by all columns is summed instead.
    """

    rows: Codes
    before: "Settled | None" = None
    """Those that were settled before these."""
    _known: dict[int, tuple[Any, float]] = field(default_factory=dict, repr=False)
    """By array: itself, so that it stays, and what was found for it."""

    def total(self, figure: Floats | Counts) -> float:
        """The sum of a figure of all rows over those that are settled."""
        if id(figure) not in self._known:
            more = 0.0 if self.before is None else self.before.total(figure)
            self._known[id(figure)] = figure, float(figure[self.rows].sum()) + more
        return self._known[id(figure)][1]

    def most(self, figure: Floats) -> float:
        """The largest figure of the rows that are settled, 0 if there is none above."""
        if id(figure) not in self._known:
            more = 0.0 if self.before is None else self.before.most(figure)
            self._known[id(figure)] = figure, max(float(figure[self.rows].max(initial=0.0)), more)
        return self._known[id(figure)][1]

    def moments(self, figures: Figures) -> Moments:
        """The sums over the rows that are settled, each a class of its own."""
        sums = (figures.classes, figures.people, figures.hits)
        classes, people, hits = (self.total(one) for one in sums)
        of_people, mixed, of_hits = (self.total(one) for one in figures.squares)
        return Moments(classes, people, hits, (of_people, mixed, of_hits))

    def least(self, figure: Counts) -> int:
        """The smallest figure above 0 of the rows that are settled, 0 if there is none."""
        if id(figure) not in self._known:
            here = figure[self.rows]
            before = 0 if self.before is None else self.before.least(figure)
            above = np.append(here, before)
            self._known[id(figure)] = figure, int(above[above > 0].min(initial=above.max()))
        return int(self._known[id(figure)][1])


@dataclass(frozen=True, eq=False)
class Fit:
    """Classes of people and of released rows by the known columns, and which of them fit.

    Rows fit people if their labels stand for the values of these people in every known column. In a
    joint scene people and rows have the same classes, of which either may be empty, and fit class
    by class.
    """

    scene: Scene
    columns: tuple[int, ...]
    people: SideClasses
    rows: SideClasses
    settled: Settled

    @classmethod
    def whole(cls, scene: Scene) -> "Fit":
        """Without any column everybody fits everything."""
        people, rows = SideClasses.whole(scene.people), SideClasses.whole(scene.shown)
        return cls(scene, (), people, rows, Settled(np.zeros(0, dtype=np.int32)))

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
        if self.scene.joint:
            return self._refined_as_one(column)
        scene, stands = self.scene, self.scene.known[column].stands
        rows = self.rows.split(scene.shown, column, stands.labels)
        people = self.people.split(scene.people, column, stands.values)
        return Fit(scene, (*self.columns, column), people, rows, self.settled)

    def _refined_as_one(self, column: int) -> "Fit":
        """People and rows are split together, and what is alone then is settled."""
        scene, line = self.scene, self.scene.shown.known[column]
        domain = scene.known[column].stands.labels + 1
        split = _kernels().split_off
        rows, start, alone = split(self.rows.rows, self.rows.start, line, domain)
        shown = SideClasses.of(scene.shown, rows, start)
        same = scene.people is scene.shown
        people = shown if same else SideClasses.of(scene.people, rows, start)
        columns, settled = (*self.columns, column), Settled(alone, self.settled)
        return Fit(scene, columns, people, shown, settled)

    @property
    def names(self) -> tuple[str, ...]:
        """The known columns."""
        return tuple(self.scene.known[j].name for j in sorted(self.columns))

    @cached_property
    def rows_of(self) -> Members:
        """Per class of people: the classes of rows that they fit."""
        scene = self.scene
        if scene.joint:
            return each(len(self.rows.sizes))
        label, value = (
            classes.known(side, self.columns)
            for classes, side in ((self.rows, scene.shown), (self.people, scene.people))
        )
        return Pairs([scene.known[column].stands for column in self.columns], label, value)

    @property
    def pairs(self) -> Rows:
        """Per class of rows: the classes of people who fit them, all at once."""
        if self.scene.joint:
            return each(len(self.rows.sizes))
        found: Rows = _kernels().turned(*joined(self.rows_of), len(self.rows.sizes))
        return found

    @cached_property
    def _met(self) -> tuple[Counts, Counts, Codes]:
        """Rows that fit each class of people, people who fit each of rows, and the last of them."""
        return self._summed(self.people.sizes)

    def _summed(self, figure: Counts) -> tuple[Counts, Counts, Codes]:
        """Rows of each class of people; of each class of rows the sum of the figure, and the last.

        The figure is one of the classes of people, and so is the last.
        """
        number, done, fitting = len(self.rows.sizes), 0, []
        total, last = np.zeros(number, dtype=np.int64), np.full(number, -1, dtype=np.int32)
        for part in parts(self.rows_of):
            fitting.append(_kernels().sum_members(*part, self.rows.sizes))
            _kernels().add_owners(part, figure[done:], done, total, last)
            done += len(part[0]) - 1
        return np.concatenate(fitting), total, last

    @property
    def rows_fitting(self) -> Counts:
        """Per class of people: released rows that fit them."""
        return self.rows.sizes if self.scene.joint else self._met[0]

    @property
    def rows_of_a_person(self) -> float:
        """Released rows that fit a person, on the average."""
        people = max(int(self.people.sizes.sum()), 1)
        return float((self.rows_fitting * self.people.sizes).sum()) / people

    @property
    def people_fitting(self) -> Counts:
        """Per class of released rows: people who fit them."""
        return self.people.sizes if self.scene.joint else self._met[1]

    @property
    def singled_out(self) -> int:
        """How many people are the only one to fit a class of rows."""
        alone: Flags = self.people_fitting == 1
        if self.scene.joint:
            alone &= self.rows.sizes > 0
            return int(np.count_nonzero(alone) + self.settled.total(self.scene.lone))
        return len(np.unique(self._met[2][alone]))

    @property
    def rows_of_each(self) -> Counts:
        """Per row of people: released rows that fit it."""
        alone = self.scene.shown.counts if self.scene.joint else None
        return self.people.per_row(self.rows_fitting, alone)

    @property
    def people_of_each(self) -> Counts:
        """Per row of the release: people who fit it."""
        alone = self.scene.people.counts if self.scene.joint else None
        return self.rows.per_row(self.people_fitting, alone)

    @property
    def individuals_of_each(self) -> Counts:
        """Per row of the release: individuals who fit it, each once (Bettini Section 7)."""
        who, people = self.scene.people, (self.people.start, self.people.rows)
        _, found, _ = self._summed(_kernels().sum_members(*people, who.alone))
        if len(who.owned[1]):
            owned = *who.owned, int(who.owned[1].max()) + 1
            found = found + _kernels().individuals(self.pairs, people, owned)
        alone = who.alone + np.diff(who.owned[0]) if self.scene.joint else None
        return self.rows.per_row(found, alone)


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


def halves(scene: Scene, sets: Sets) -> list[Iterator[tuple[Fit, Fit]]]:
    """The known columns in two, in every way in which one half is a set that is played.

    All columns and none come first. The classes of either half are split as columns are dealt out
    to the one or to the other, so that a set costs a column or two. What follows different deals of
    the first columns can be played side by side.
    """
    none = Fit.whole(scene)
    deals = [(none.refined(0), none)]
    for column in range(1, min(_FIRST, len(scene.known))):
        deals = [
            deal
            for one, other in deals
            for deal in ((one.refined(column), other), (one, other.refined(column)))
            if min(len(half.columns) for half in deal) <= sets.largest
        ]
    return [_dealt(one, other, sets) for one, other in deals]


def _dealt(one: Fit, other: Fit, sets: Sets) -> Iterator[tuple[Fit, Fit]]:
    given, left = len(one.columns), len(other.columns)
    column = given + left
    if column == len(one.scene.known):
        if left and sets.expired:
            return
        yield one, other
        if left:
            sets.done((given <= sets.largest) + (left <= sets.largest))
        return
    if min(given + 1, left) <= sets.largest and not (left and sets.expired):
        yield from _dealt(one.refined(column), other, sets)
    if min(given, left + 1) <= sets.largest and not sets.expired:
        yield from _dealt(one, other.refined(column), sets)


def _kernels() -> Any:

    return kernels
