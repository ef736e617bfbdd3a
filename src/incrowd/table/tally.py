"""Distinct coded rows with their counts: all that a search sees of a table."""

from dataclasses import dataclass, field, replace

import numpy as np

from incrowd.arrays import Codes, Counts, Floats


@dataclass(frozen=True, eq=False)
class Tally:
    """Distinct coded rows of a table with their counts.

    A row is distinct by its quasi-identifying *and* sensitive codes. Without a unit column every
    record is a person (`people` is `counts`, nobody is shared). With one, `people[i]` counts those
    whose records are all in row i; whoever has records in several rows is listed in
    (`shared_row`, `shared_unit`), once per row, so that people in a union of rows are counted as
    sum of `people` + number of distinct shared units.
    """

    quasi: Codes
    """Codes, one line per quasi-identifying column, one entry per row: shape (d, n)."""
    sensitive: Codes
    """Codes of the sensitive columns: shape (s, n)."""
    counts: Counts
    """Records per row: shape (n,)."""
    people: Counts
    """People per row that have no record in another row: shape (n,)."""
    shared_row: Codes
    shared_unit: Codes
    weights: Floats | None = field(default=None, repr=False)
    """Sum of the sampling weights per row, if the table has them."""
    row_of: Codes | None = None
    """The row of each record, if records are at hand: shape (records,)."""

    @property
    def rows(self) -> int:
        """Number of distinct rows."""
        return len(self.counts)

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @property
    def rows_of_records(self) -> Codes:
        """The row of each record; an empty array if records are not known one by one."""
        return np.zeros(0, dtype=np.int32) if self.row_of is None else self.row_of

    @property
    def has_units(self) -> bool:
        """Whether one person may have several records."""
        return len(self.shared_row) > 0 or self.people is not self.counts

    def split(self, rows: Codes, counts: Counts) -> "Tally":
        """A tally whose row p is `counts[p]` records of row `rows[p]` of this one.

        The pieces of a row sum to its count; rows may be left out. Rows may be cut only if every
        record is a person; otherwise each must stay whole (`counts` equal to those of the rows).
        The tally no longer says the row of each record.
        """
        if _is_whole(rows, self.rows) and np.array_equal(counts, self.counts):
            return replace(self, row_of=None)
        people = counts if not self.has_units else self.people[rows]
        place = np.full(self.rows, -1, dtype=np.int32)
        place[rows] = np.arange(len(rows), dtype=np.int32)
        inside = place[self.shared_row] >= 0
        weights = None
        if self.weights is not None:
            weights = self.weights[rows] * counts / self.counts[rows]
        return Tally(
            quasi=np.take(self.quasi, rows, axis=1),
            sensitive=np.take(self.sensitive, rows, axis=1),
            counts=counts,
            people=people,
            shared_row=place[self.shared_row[inside]],
            shared_unit=self.shared_unit[inside],
            weights=weights,
        )

    def take(self, rows: Codes) -> "Tally":
        """The tally of these rows alone, each with all of its records."""
        return self.split(rows, self.counts[rows])


def _is_whole(rows: Codes, number: int) -> bool:
    """Whether these are all of `number` rows, in order, so that nothing needs to be copied."""
    return len(rows) == number and bool((rows == np.arange(number, dtype=np.int32)).all())
