"""A release and the people it may be about, in the columns that both tables have.

The people are those of the original table or of a world. Where neither is given, they are the rows
of the release themselves, each known as the release shows it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.decoding import LabelDecoding
from incrowd.linkage.matching import match_column
from incrowd.partition.csr import Rows, WeightedRows, each_by_itself, group_by_owner, offsets_of
from incrowd.table.column import CodedColumn, Missing
from incrowd.table.fold import fold

LIMIT = 0.95
"""A chance above this counts as found or learned, unless another limit is given."""


@dataclass(frozen=True, eq=False)
class SharedColumn:
    """A column of both tables: the label of each released row, the value of each person."""

    name: str
    label: Codes
    value: Codes
    decoding: LabelDecoding

    @classmethod
    def of(
        cls,
        release: CodedColumn,
        people: CodedColumn,
        hierarchy: Hierarchy | None = None,
        missing: Missing = Missing.OWN_VALUE,
    ) -> "SharedColumn":
        """Match a released column with the people's column: decode its labels (see `matching`)."""
        unknown = bool((people.codes == MISSING).any())
        matching = match_column(release, people.domain, hierarchy, missing, unknown=unknown)
        place = matching.place[people.codes]
        held: Flags = np.bincount(place, minlength=len(matching.place)) > 0
        decoding, value = LabelDecoding.of_matching(matching, held)
        return cls(release.name, release.codes, value[place], decoding)

    @classmethod
    def of_release(
        cls, release: CodedColumn, missing: Missing = Missing.OWN_VALUE
    ) -> "SharedColumn":
        """A released column whose rows are also the people, each known as the release shows it."""
        decoding = LabelDecoding.one_to_one(len(release.domain) + 1)
        if missing is Missing.MATCHES_ANYTHING and (release.codes == MISSING).any():
            decoding = LabelDecoding.open_to_missing(len(release.domain) + 1)
        return cls(release.name, release.codes, release.codes, decoding)

    @property
    def merged(self) -> "SharedColumn":
        """The same column with neighbors of equal labels merged: fewer distinct people remain."""
        decoding, one = self.decoding.merged
        return SharedColumn(self.name, self.label, one[self.value], decoding)

    def __repr__(self) -> str:
        """Show no values."""
        return f"SharedColumn({self.name!r}, {self.decoding!r})"


@dataclass(frozen=True, eq=False)
class TableSide:
    """One of the two tables, folded: its distinct rows by the known columns."""

    known: Codes
    """Labels or values of the known columns: shape (d, rows)."""
    counts: Counts
    """Records per row; 0 for a row of the other table if both are folded into one."""
    row_of: Codes
    """The row of each record."""
    alone: Counts
    """Individuals with no other row, per row: its records, unless `person` says who is who."""
    owned: Rows
    """Individuals with several rows, listed in each of their rows."""

    @classmethod
    def of(cls, known: Codes, row_of: Codes, person: Codes | None = None) -> "TableSide":
        """Make a side of the distinct rows `known`; `row_of` is the row of each record.

        `person` is whose record each is, from 1; without it every record is a person.
        """
        rows = known.shape[1]
        counts = np.bincount(row_of, minlength=rows).astype(np.int64)
        if person is None:
            nobody = np.zeros(rows + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
            return cls(known, counts, row_of, counts, nobody)
        tally = fold([row_of], (), person)
        row = tally.quasi[0]
        alone = np.zeros(rows, dtype=np.int64)
        alone[row] = tally.people
        start, order = group_by_owner(row[tally.shared_row], rows)
        return cls(known, counts, row_of, alone, (start, tally.shared_unit[order]))

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.row_of)

    def entries(self, code: Codes) -> WeightedRows:
        """Per row: the codes that its records have, each weighted by how many have it."""
        tally = fold([self.row_of, code], ())
        start = offsets_of(tally.quasi[0], len(self.counts))
        return start, tally.quasi[1], tally.counts.astype(np.float64)


@dataclass(frozen=True, eq=False)
class AttackData:
    """What an attacker has: released rows, and people who may be behind them.

    If no value has two labels that stand for it, both tables are folded into one (`joint`): people
    and rows then fit where their labels are equal, and one split refines the classes of both.
    """

    known: tuple[SharedColumn, ...]
    sensitive: tuple[SharedColumn, ...]
    shown: TableSide
    people: TableSide
    joint: bool
    limit: float = LIMIT
    """A chance above this counts as found or learned."""

    @classmethod
    def of(
        cls,
        known: Sequence[SharedColumn],
        sensitive: Sequence[SharedColumn] = (),
        person: Codes | None = None,
        *,
        joint: bool = True,
        limit: float = LIMIT,
    ) -> "AttackData":
        """Fold these columns of both tables: into one if `joint` and labels do not overlap.

        `person` is whose record each of the people's is; without it everyone has one.
        """
        joint = joint and all(one.decoding.has_disjoint_labels for one in known)
        sides = _fold_together(known, person) if joint else _fold_apart(known, person)
        return cls(tuple(known), tuple(sensitive), *sides, joint, limit)

    @cached_property
    def rows_as_classes(self) -> Rows:
        """Every row of joint data as a class of its own."""
        return each_by_itself(len(self.shown.counts))

    @cached_property
    def lone(self) -> Counts:
        """Per row of joint data: 1 if it is released and fits one person, otherwise 0."""
        found: Flags = (self.people.counts == 1) & (self.shown.counts > 0)
        return found.astype(np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that the attacker may know."""
        return tuple(one.name for one in self.known)

    def __repr__(self) -> str:
        """Show no values."""
        return f"AttackData({self.shown.records} rows shown, {self.people.records} people)"


def _fold_apart(known: Sequence[SharedColumn], person: Codes | None) -> tuple[TableSide, TableSide]:
    """Fold each table by itself: the rows by their labels, the people by their values."""
    shown, people = fold([one.label for one in known], ()), fold([one.value for one in known], ())
    return (
        TableSide.of(shown.quasi, shown.rows_of_records),
        TableSide.of(people.quasi, people.rows_of_records, person),
    )


def _fold_together(
    known: Sequence[SharedColumn], person: Codes | None
) -> tuple[TableSide, TableSide]:
    """Fold both tables into one, the people by the labels that stand for their values."""
    lines = [np.concatenate([one.label, one.decoding.label_of[one.value]]) for one in known]
    both = fold(lines, ())
    rows = len(known[0].label)
    row_of = both.rows_of_records
    shown = TableSide.of(both.quasi, row_of[:rows])
    if person is None and np.array_equal(row_of[:rows], row_of[rows:]):
        return shown, shown
    return shown, TableSide.of(both.quasi, row_of[rows:], person)
