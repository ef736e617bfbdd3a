"""A release and the people whom it may be about, in the columns that both have.

The people are those of the original table or of a world. Where there is neither, they are the rows
of the release themselves, each known as it is shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.attacks.compressed import Rows, bounds, enough_room, found_in, owners, spread
from incrowd.attacks.weighed import EQUAL, Told, Weighed, each
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.table.column import CodedColumn
from incrowd.table.fold import fold
from incrowd.table.roles import Missing
from incrowd.table.tally import Tally
from incrowd.world.matching import Matching, match

_MOST_BYTES = 2**26


@dataclass(frozen=True, eq=False)
class Stands:
    """Which labels of a column may stand for which values (Bettini's Dec, the other way round).

    Value v is among what the labels `label[start[v]:start[v + 1]]` (ascending) stand for.
    """

    start: Counts
    label: Codes
    labels: int
    """How many labels there are."""

    @classmethod
    def of_runs(
        cls, start: Counts, low: Codes, high: Codes, values: int, held: Flags | None = None
    ) -> "Stands":
        """Of labels that stand for runs of values, first to last, as `Decoded` has them.

        Values that nobody holds are left out.
        """
        labels = len(start) - 1
        lengths = (high - low + 1).astype(np.int64)
        enough_room(int(lengths.sum()))
        label = np.repeat(np.arange(labels, dtype=np.int32), np.diff(start))
        step = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        value, label = np.repeat(low, lengths) + step, np.repeat(label, lengths)
        if held is not None:
            value, label = value[held[value]], label[held[value]]
        order = np.argsort(value, kind="stable")
        return cls(bounds(value[order], values), label[order], labels)

    @classmethod
    def of_matching(cls, found: Matching, held: Flags) -> "Stands":
        """Of the labels of a release; `held` says which places are values of somebody."""
        return cls.of_runs(found.start, found.low, found.high, len(held), held)

    @classmethod
    def alone(cls, values: int) -> "Stands":
        """Of labels that stand for one value each, that of the same number."""
        each = np.arange(values + 1)
        return cls(each.astype(np.int64), each[:-1].astype(np.int32), values)

    @property
    def values(self) -> int:
        """How many values there are."""
        return len(self.start) - 1

    @cached_property
    def keys(self) -> Counts:
        """Value times labels plus label, for every label of every value: ascending."""
        return owners(self.start) * self.labels + self.label

    @cached_property
    def by_label(self) -> Rows:
        """The values of each label in compressed rows."""
        order = np.argsort(self.label, kind="stable")
        start = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        return start, owners(self.start)[order].astype(np.int32)

    @cached_property
    def sizes(self) -> Counts:
        """How many values each label stands for."""
        return np.bincount(self.label, minlength=self.labels).astype(np.int64)

    @cached_property
    def bits(self) -> NDArray[np.uint8]:
        """By value and label, as bits: whether the label stands for the value; empty if too large.

        The first label is the lowest bit of the first byte.
        """
        width = self.labels // 8 + 1
        if self.values * width > _MOST_BYTES:
            return np.zeros((0, 0), dtype=np.uint8)
        found = np.zeros((self.values, width), dtype=np.uint8)
        where = owners(self.start), self.label >> 3
        np.bitwise_or.at(found, where, (1 << (self.label & 7)).astype(np.uint8))
        return found

    @cached_property
    def apart(self) -> bool:
        """Whether no value has two labels that stand for it."""
        return int(np.diff(self.start).max(initial=0)) <= 1

    @cached_property
    def label_of(self) -> Codes:
        """The label of each value, `labels` where there is none, if they are apart."""
        label = np.full(self.values, self.labels, dtype=np.int32)
        label[owners(self.start)] = self.label
        return label

    @cached_property
    def exact(self) -> Codes | None:
        """The one value of each label, if every label stands for one (or none: -1)."""
        if (self.sizes > 1).any():
            return None
        value = np.full(self.labels, -1, dtype=np.int32)
        value[self.label] = owners(self.start)
        return value

    def covers(self, label: Codes, value: Codes) -> Flags:
        """Whether a label stands for a value, elementwise."""
        wanted = value.astype(np.int64) * self.labels + label
        return found_in(self.keys, wanted)[1]

    def __repr__(self) -> str:
        """Without values."""
        return f"Stands({self.labels} labels, {self.values} values)"


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
        """A released column and that of the people; labels decode as `incrowd.world` reads them."""
        found = match([None, *release.domain.labels.tolist()], people.domain, hierarchy)
        value = found.place[people.codes]
        held = np.bincount(value, minlength=len(found.place)) > 0
        if missing is Missing.MATCHES_ANYTHING:
            found = found.anything(unknown=bool(held[MISSING]))
        found = found.only(np.bincount(release.codes, minlength=len(found)) > 0)
        return cls(release.name, release.codes, value, Stands.of_matching(found, held))

    @classmethod
    def itself(cls, release: CodedColumn) -> "Shared":
        """A released column whose rows are the people, each known as it is shown."""
        stands = Stands.alone(len(release.domain) + 1)
        return cls(release.name, release.codes, release.codes, stands)

    @property
    def alike(self) -> "Shared":
        """The same with values made one that the same labels stand for: no row tells them apart.

        The people are then as few different ones as the release has classes, or not many more.
        """
        ends = pairwise(self.stands.start.tolist())
        number: dict[bytes, int] = {}
        lines = [self.stands.label[first:last].tobytes() for first, last in ends]
        atom = np.array([number.setdefault(line, len(number)) for line in lines], dtype=np.int32)
        labels = [np.frombuffer(line, dtype=np.int32) for line in number]
        start = np.cumsum([0, *map(len, labels)]).astype(np.int64)
        stands = Stands(start, np.concatenate(labels), self.stands.labels)
        return Shared(self.name, self.label, atom[self.value], stands)

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

    @classmethod
    def of(cls, column: Shared, shown: Side, people: Side) -> "Secret":
        """The secret of a column."""
        start, label, records = shown.entries(column.label)
        stands = column.stands
        entry, place = spread(stands.by_label[0], label)
        value = stands.by_label[1][entry]
        weight = records[place] / stands.sizes[label[place]]
        ends = np.concatenate([[0], np.cumsum(stands.sizes[label])]).astype(np.int64)
        held = ends[start], value, weight
        return cls(column.name, held, people.entries(column.value), stands.values)

    @cached_property
    def shares(self) -> Floats:
        """The share of the people who hold each value, most first."""
        held = np.bincount(self.truth[1], weights=self.truth[2])
        return -np.sort(-held) / max(float(held.sum()), 1.0)

    def commonest(self, several: int = 1) -> float:
        """The share of the people who hold one of the so many commonest values."""
        return min(float(self.shares[:several].sum()), 1.0)

    @cached_property
    def usual(self) -> Floats:
        """Per value: how likely it is drawn of the most frequent ones of the release."""
        overall = np.bincount(self.shown[1], weights=self.shown[2], minlength=self.values)
        most = (overall >= overall.max(initial=0.0) * EQUAL) & (overall > 0)
        usual: Floats = most / max(int(most.sum()), 1)
        return usual

    @cached_property
    def of_each(self) -> Told:
        """What the people of each row of a joint scene are told about by the row itself."""
        rows = each(len(self.truth[0]) - 1)
        return Told.of(rows, self.shown, rows, self.truth, self.usual)

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

    @classmethod
    def of(
        cls,
        known: Sequence[Shared],
        sensitive: Sequence[Shared] = (),
        person: Codes | None = None,
        *,
        joint: bool = True,
    ) -> "Scene":
        """The scene of these columns; `person` as `Side` has it, `joint` if that is allowed."""
        joint = joint and all(one.stands.apart for one in known)
        sides = _joint(known, person) if joint else _apart(known, person)
        return cls(tuple(known), tuple(sensitive), *sides, joint)

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
        return tuple(Secret.of(one, self.shown, self.people) for one in self.sensitive)

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
    return Side.of(both.quasi, row_of[:rows]), Side.of(both.quasi, row_of[rows:], person)


def _row_of(tally: Tally) -> Codes:
    return np.zeros(0, dtype=np.int32) if tally.row_of is None else tally.row_of
