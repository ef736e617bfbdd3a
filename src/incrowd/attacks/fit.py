"""Who fits what a release shows, for every set of columns that somebody may know.

The classes of a set are found from those of a set with one column less, as in `incrowd.quasi`: for
the people, for the released rows, and for the pairs of them that fit. No set is grouped anew.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.attacks.compressed import bounds, found_in, keys_of, spread, sums
from incrowd.attacks.scene import Scene, Side
from incrowd.table.fold import distinct
from incrowd.watch import Watch


@dataclass(frozen=True, eq=False)
class SideClasses:
    """The classes of one side that the known columns do not tell apart."""

    class_of: Codes
    """The class of each row."""
    sizes: Counts
    """Records per class."""

    @classmethod
    def whole(cls, side: Side) -> "SideClasses":
        """Without any column: one class of all, none if there is nobody."""
        number = min(len(side.counts), 1)
        sizes = np.full(number, side.records, dtype=np.int64)
        return cls(np.zeros(len(side.counts), dtype=np.int32), sizes)

    def split(self, side: Side, column: int, domain: int) -> tuple["SideClasses", Counts]:
        """The classes with one more column; per new class its old one times `domain` + its code."""
        bound = max(len(self.sizes), 1) * domain
        found, class_of = distinct(keys_of(self.class_of, side.known[column], domain), bound)
        sizes = sums(class_of, side.counts, len(found))
        return SideClasses(class_of, sizes), found.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Fit:
    """SideClasses of people and of released rows by the known columns, and which of them fit.

    Pair i says that the people of class `person[i]` fit the rows of class `row[i]`: the labels of
    the rows stand for the values of the people in every known column. Pairs ascend by person.
    """

    scene: Scene
    columns: tuple[int, ...]
    people: SideClasses
    rows: SideClasses
    person: Codes
    row: Codes

    @classmethod
    def whole(cls, scene: Scene) -> "Fit":
        """Without any column everybody fits everything."""
        people, rows = SideClasses.whole(scene.people), SideClasses.whole(scene.shown)
        pairs = min(len(people.sizes), len(rows.sizes))
        nought = np.zeros(pairs, dtype=np.int32)
        return cls(scene, (), people, rows, nought, nought)

    @classmethod
    def of(cls, scene: Scene, columns: tuple[int, ...]) -> "Fit":
        """By these columns."""
        return Chain(scene).of(columns)

    def refined(self, column: int) -> "Fit":
        """With one more column known."""
        stands = self.scene.known[column].stands
        people, old_person = self.people.split(self.scene.people, column, stands.values)
        rows, old_row = self.rows.split(self.scene.shown, column, stands.labels)
        pairs = _Children(self, column, old_person, old_row).pairs()
        return Fit(self.scene, (*self.columns, column), people, rows, *pairs)

    @property
    def names(self) -> tuple[str, ...]:
        """The known columns."""
        return tuple(self.scene.names[j] for j in sorted(self.columns))

    @cached_property
    def rows_fitting(self) -> Counts:
        """Per class of people: released rows that fit them."""
        return sums(self.person, self.rows.sizes[self.row], len(self.people.sizes))

    @cached_property
    def people_fitting(self) -> Counts:
        """Per class of released rows: people who fit them."""
        return sums(self.row, self.people.sizes[self.person], len(self.rows.sizes))


@dataclass(frozen=True, eq=False)
class _Children:
    """What becomes of the pairs that fit when both sides are split by one more column."""

    fit: Fit
    column: int
    old_person: Counts
    old_row: Counts

    def pairs(self) -> tuple[Codes, Codes]:
        """The pairs of new classes that fit: those of old pairs whose label stands for the value.

        Per value either its labels are looked up among the rows, or the rows' labels are tried,
        whichever are fewer.
        """
        stands = self.fit.scene.known[self.column].stands
        start = bounds(self.old_person // stands.values, len(self.fit.people.sizes))
        person, place = spread(start, self.fit.person)
        row = self.fit.row[place].astype(np.int64)
        value = self.old_person[person] % stands.values
        children = bounds(self.old_row // stands.labels, len(self.fit.rows.sizes))
        few: Flags = np.diff(stands.start)[value] <= np.diff(children)[row]
        found = [
            self._by_label(person[few], value[few], row[few]),
            self._by_row(person[~few], value[~few], children, row[~few]),
        ]
        persons, rows = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.argsort(persons, kind="stable")
        return persons[order].astype(np.int32), rows[order].astype(np.int32)

    def _by_label(self, person: Counts, value: Counts, row: Counts) -> tuple[Counts, Counts]:
        stands = self.fit.scene.known[self.column].stands
        entry, place = spread(stands.start, value)
        wanted = row[place] * stands.labels + stands.label[entry]
        child, there = found_in(self.old_row, wanted)
        return person[place][there], child[there]

    def _by_row(
        self, person: Counts, value: Counts, children: Counts, row: Counts
    ) -> tuple[Counts, Counts]:
        stands = self.fit.scene.known[self.column].stands
        child, place = spread(children, row)
        wanted = value[place] * stands.labels + self.old_row[child] % stands.labels
        there = found_in(stands.keys, wanted)[1]
        return person[place][there], child[there]


def sweep(scene: Scene, max_size: int, watch: Watch | None = None) -> Iterator[Fit]:
    """Every set of at least one and at most `max_size` known columns; small sets of a branch first.

    When the time is up the sets not yet looked at are left out.
    """
    yield from _larger(Fit.whole(scene), -1, max_size, watch or Watch())


def _larger(fit: Fit, last: int, limit: int, watch: Watch) -> Iterator[Fit]:
    if len(fit.columns) == limit:
        return
    for column in range(last + 1, len(fit.scene.known)):
        if watch.expired:
            return
        more = fit.refined(column)
        yield more
        yield from _larger(more, column, limit, watch)


class Chain:
    """Fits by one set of columns after the other; what a set begins with like the last is reused.

    Asked for in an order in which neighbours begin alike, most sets cost a column or two.
    """

    def __init__(self, scene: Scene) -> None:
        self._fits = [Fit.whole(scene)]

    def of(self, columns: tuple[int, ...]) -> Fit:
        """By these columns."""
        alike = 0
        while alike < len(self._fits[-1].columns) and (
            columns[alike : alike + 1] == self._fits[-1].columns[alike : alike + 1]
        ):
            alike += 1
        del self._fits[alike + 1 :]
        for column in columns[alike:]:
            self._fits.append(self._fits[-1].refined(column))
        return self._fits[-1]
