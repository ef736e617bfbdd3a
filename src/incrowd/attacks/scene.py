"""A release and the people whom it may be about, in the columns that both have.

The people are those of the original table or of a world. Where there is neither, they are the rows
of the release themselves, each known as it is shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.attacks.intervals import Figures
from incrowd.attacks.persons import LIMIT, rank
from incrowd.attacks.weighed import EQUAL, Earlier, Told, Weighed, each
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.matching import match
from incrowd.linkage.stands import Stands
from incrowd.partition.csr import Rows, bounds, spread
from incrowd.table.column import CodedColumn
from incrowd.table.fold import fold
from incrowd.table.roles import Missing
from incrowd.table.tally import Tally


@dataclass(frozen=True, eq=False)
class Shared:
    """A column that both tables have: what each released row shows, what each person holds."""

    name: str
    label: Codes
    value: Codes
    stands: Stands

    @classmethod
    def of(
        cls,
        release: CodedColumn,
        people: CodedColumn,
        hierarchy: Hierarchy | None = None,
        missing: Missing = Missing.OWN_VALUE,
    ) -> "Shared":
        """A released column and that of the people; `incrowd.linkage` reads the labels."""
        found = match([None, *release.domain.labels.tolist()], people.domain, hierarchy)
        place = found.place[people.codes]
        held: Flags = np.bincount(place, minlength=len(found.place)) > 0
        if missing is Missing.MATCHES_ANYTHING:
            found = found.anything(unknown=bool(held[MISSING]))
        found = found.only(np.bincount(release.codes, minlength=len(found)) > 0)
        stands, value = Stands.of_matching(found, held)
        return cls(release.name, release.codes, value[place], stands)

    @classmethod
    def itself(cls, release: CodedColumn, missing: Missing = Missing.OWN_VALUE) -> "Shared":
        """A released column whose rows are the people, each known as it is shown."""
        stands = Stands.alone(len(release.domain) + 1)
        if missing is Missing.MATCHES_ANYTHING and (release.codes == MISSING).any():
            stands = Stands.open_to_missing(len(release.domain) + 1)
        return cls(release.name, release.codes, release.codes, stands)

    @property
    def alike(self) -> "Shared":
        """The same with neighbouring values made one that no released row tells apart.

        The people are then as few different ones as the release has classes, or not many more.
        """
        stands, one = self.stands.alike
        return Shared(self.name, self.label, one[self.value], stands)

    def __repr__(self) -> str:
        """Without values."""
        return f"Shared({self.name!r}, {self.stands!r})"


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two tables, folded: distinct rows by the known columns."""

    known: Codes
    """Labels or values of the known columns: shape (d, rows)."""
    counts: Counts
    """Records per row; 0 for a row of the other table if both are folded into one."""
    row_of: Codes
    """The row of each record."""
    alone: Counts
    """Individuals of no other row, per row: the records, unless it is said who is who."""
    owned: Rows
    """Individuals of several rows, in each of their rows."""

    @classmethod
    def of(cls, known: Codes, row_of: Codes, person: Codes | None = None) -> "Side":
        """The side with these rows and records; `person` says whose record each is, from 1."""
        rows = known.shape[1]
        counts = np.bincount(row_of, minlength=rows).astype(np.int64)
        if person is None:
            nobody = np.zeros(rows + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
            return cls(known, counts, row_of, counts, nobody)
        tally = fold([row_of], (), person)
        row = tally.quasi[0]
        alone = np.zeros(rows, dtype=np.int64)
        alone[row] = tally.people
        order = np.argsort(tally.shared_row, kind="stable")
        start = bounds(row[tally.shared_row[order]].astype(np.int64), rows)
        return cls(known, counts, row_of, alone, (start, tally.shared_unit[order]))

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.row_of)

    def entries(self, code: Codes) -> Weighed:
        """Per row: the codes of its records, each with how many have it."""
        tally = fold([self.row_of, code], ())
        start = bounds(tally.quasi[0].astype(np.int64), len(self.counts))
        return start, tally.quasi[1], tally.counts.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Secret:
    """A sensitive column of a scene: what the rows show of it, and what the people hold."""

    name: str
    shown: Weighed
    """The values that each row of the release may show.

    A record whose label stands for several counts for each of them in equal parts.
    """
    truth: Weighed
    """The values of each row of people."""
    values: int
    """How many values there are."""
    limit: float = LIMIT
    """A chance above this counts as learned."""

    @classmethod
    def of(cls, column: Shared, shown: Side, people: Side, limit: float = LIMIT) -> "Secret":
        """The secret of a column."""
        start, label, records = shown.entries(column.label)
        stands = column.stands
        entry, place = spread(stands.by_label[0], label)
        value = stands.by_label[1][entry]
        weight = records[place] / stands.sizes[label[place]]
        ends = np.concatenate([[0], np.cumsum(stands.sizes[label])]).astype(np.int64)
        held = ends[start], value, weight
        return cls(column.name, held, people.entries(column.value), stands.values, limit)

    @cached_property
    def open(self) -> bool:
        """Whether every row of a joint scene shows what its people hold."""
        return all(np.array_equal(self.shown[i], self.truth[i]) for i in range(3))

    @cached_property
    def shares(self) -> Floats:
        """The share of the people who hold each value."""
        held = np.bincount(self.truth[1], weights=self.truth[2], minlength=self.values)
        shares: Floats = held / max(float(held.sum()), 1.0)
        return shares

    def commonest(self, several: int = 1) -> float:
        """The share of the people who hold one of the so many commonest values."""
        return min(float(-np.sort(-self.shares)[:several].sum()), 1.0)

    def certain(self, ruled_out: int = 0) -> float:
        """1 if everybody's value is certain without the release, so many ruled out; otherwise 0."""
        return float(0 < np.count_nonzero(self.shares) <= ruled_out + 1)

    @cached_property
    def earlier(self) -> Earlier:
        """What is thought without the rows that fit."""
        return Earlier(self._usual, self.shares, self.limit)

    @property
    def _usual(self) -> Floats:
        """Per value: how likely it is drawn of the most frequent ones of the release."""
        overall = np.bincount(self.shown[1], weights=self.shown[2], minlength=self.values)
        most = (overall >= overall.max(initial=0.0) * EQUAL) & (overall > 0)
        usual: Floats = most / max(int(most.sum()), 1)
        return usual

    @cached_property
    def of_each(self) -> Told:
        """What the people of each row of a joint scene are told about by the row itself."""
        rows = each(len(self.truth[0]) - 1)
        return Told.of(rows, self.shown, rows, self.truth, self.earlier)

    @cached_property
    def people_of_each(self) -> Floats:
        """How many people each row of a joint scene has."""
        before = np.concatenate([[0.0], np.cumsum(self.truth[2])])
        people: Floats = before[self.truth[0][1:]] - before[self.truth[0][:-1]]
        return people

    @cached_property
    def hits_of_each(self) -> Figures:
        """Hits and people of each row of a joint scene."""
        return Figures(self.of_each.hits, self.people_of_each)

    def certain_of_each(self, ruled_out: int) -> Figures:
        """People whose value is certain, and all, of each row of a joint scene."""
        if ruled_out not in self._certain:
            figures = Figures(self.of_each.certain(ruled_out), self.people_of_each)
            self._certain[ruled_out] = figures
        return self._certain[ruled_out]

    @cached_property
    def _certain(self) -> dict[int, Figures]:
        return {}

    @cached_property
    def rank_of_each(self) -> Floats:
        """What orders the rows of a joint scene by their largest chance, then by their people."""
        return rank(self.of_each.largest, self.people_of_each)

    @cached_property
    def values_of_each(self) -> Counts:
        """How many values each row of a joint scene shows its people; 0 if it has none."""
        return np.where(np.diff(self.truth[0]) > 0, self.of_each.values, 0)

    def __repr__(self) -> str:
        """Without values."""
        return f"Secret({self.name!r}, {self.values} values)"


@dataclass(frozen=True, eq=False)
class Scene:
    """What an attacker has before them: released rows, and people who may be in them.

    If no value has two labels that stand for it, both tables are folded into one: people and rows
    then fit where their labels are the same, and classes are split once for both (`joint`).
    """

    known: tuple[Shared, ...]
    sensitive: tuple[Shared, ...]
    shown: Side
    people: Side
    joint: bool
    limit: float = LIMIT
    """A chance above this counts as found or learned."""

    @classmethod
    def of(
        cls,
        known: Sequence[Shared],
        sensitive: Sequence[Shared] = (),
        person: Codes | None = None,
        *,
        joint: bool = True,
        limit: float = LIMIT,
    ) -> "Scene":
        """The scene of these columns; `person` as `Side` has it, `joint` if that is allowed."""
        joint = joint and all(one.stands.apart for one in known)
        sides = _joint(known, person) if joint else _apart(known, person)
        return cls(tuple(known), tuple(sensitive), *sides, joint, limit)

    @cached_property
    def each(self) -> Rows:
        """Every row of a joint scene as a class of its own."""
        return each(len(self.shown.counts))

    @cached_property
    def lone(self) -> Counts:
        """Per row of a joint scene: whether it is of one person, and released."""
        found: Flags = (self.people.counts == 1) & (self.shown.counts > 0)
        return found.astype(np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that may be known."""
        return tuple(one.name for one in self.known)

    @cached_property
    def secrets(self) -> tuple[Secret, ...]:
        """The sensitive columns."""
        sides = self.shown, self.people, self.limit
        return tuple(Secret.of(one, *sides) for one in self.sensitive)

    def __repr__(self) -> str:
        """Without values."""
        return f"Scene({self.shown.records} rows shown, {self.people.records} people)"


def _apart(known: Sequence[Shared], person: Codes | None) -> tuple[Side, Side]:
    """Each table folded for itself."""
    shown, people = fold([one.label for one in known], ()), fold([one.value for one in known], ())
    return Side.of(shown.quasi, _row_of(shown)), Side.of(people.quasi, _row_of(people), person)


def _joint(known: Sequence[Shared], person: Codes | None) -> tuple[Side, Side]:
    """Both tables folded into one, the people by the labels that stand for their values."""
    lines = [np.concatenate([one.label, one.stands.label_of[one.value]]) for one in known]
    both = fold(lines, ())
    rows = len(known[0].label)
    row_of = _row_of(both)
    shown = Side.of(both.quasi, row_of[:rows])
    if person is None and np.array_equal(row_of[:rows], row_of[rows:]):
        return shown, shown
    return shown, Side.of(both.quasi, row_of[rows:], person)


def _row_of(tally: Tally) -> Codes:
    return np.zeros(0, dtype=np.int32) if tally.row_of is None else tally.row_of
