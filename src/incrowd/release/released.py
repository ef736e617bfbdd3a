"""The rows of a release as its policy reads them: counted, never fetched."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incrowd.engines.base import Rows
from incrowd.release.load import LoadedTable
from incrowd.table.cells import readable
from incrowd.table.counted import CountedRows
from incrowd.verify.ends import end_names, joined, split_columns


@dataclass(frozen=True, eq=False)
class ReleasedRows:
    """Rows of a release: one label in place of two ends, and every missing cell null."""

    rows: Rows
    split: Mapping[str, str]
    """By column that leaves as two, where cells begin and end: the label of a suppressed cell."""
    missing_values: tuple[str, ...]
    blank: bool
    """Whether blank texts mean missing, as in text files."""

    def __repr__(self) -> str:
        """Without values."""
        return f"ReleasedRows({self.records} records)"

    @property
    def records(self) -> int:
        """Number of records."""
        return self.rows.records

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, each that is split once, after the others."""
        ends = {end for name in self.split for end in end_names(name)}
        return (*(name for name in self.rows.names if name not in ends), *self.split)

    def counts(self, columns: Sequence[str]) -> CountedRows:
        """The distinct rows of these columns, and their records."""
        return self.clear(self.rows.counts(self.stored(columns)))

    def stored(self, columns: Sequence[str]) -> list[str]:
        """The columns as they are stored: two in place of each that is split."""
        return [
            stored
            for name in columns
            for stored in (end_names(name) if name in self.split else (name,))
        ]

    def clear(self, rows: CountedRows) -> CountedRows:
        """Counted rows as the policy reads them."""
        there = set(rows.cells.columns)
        tops = {name: top for name, top in self.split.items() if {*end_names(name)} <= there}
        plain = readable(rows.cells, self.missing_values, text=self.blank)
        return rows.with_cells(joined(plain, tops))


def released(table: LoadedTable, rows: Rows) -> ReleasedRows:
    """The rows of a release of this table."""
    policy = table.policy
    split = split_columns(policy.quasi, rows.names)
    tops = {name: str(table.quasi[name][1].labels[-1][0]) for name in split}
    return ReleasedRows(rows, tops, policy.missing_values, table.engine.text)
