"""What means missing in a table: the one reading of the marks that a policy lists.

Cells that are empty, NaN or null are missing in any case. Every verb that reads a table by a policy
reads it through `MissingMarks`: codes through `code_columns`, cells through `with_nulls`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

import polars as pl

from incrowd.table import cells
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.encode import as_missing


class CodingTable(Protocol):
    """A table that codes its columns: an engine."""

    def codes(
        self,
        names: Sequence[str],
        kinds: Mapping[str, Kind] | None = None,
        missing_values: Sequence[str] = (),
    ) -> dict[str, CodedColumn]:
        """Columns as codes by name, with these texts read as missing."""


@dataclass(frozen=True)
class MissingMarks:
    """Texts that mean missing, in every column and in one column only.

    A mark of every column is a text; a mark of one column is also the number that it spells.

    >>> marks = MissingMarks(("NA",), {"age": ("99",)})
    >>> marks.marks_of_column("age"), marks.marks_of_column("sex")
    (('NA', '99'), ('NA',))
    """

    everywhere: tuple[str, ...] = ()
    own: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """By column, the marks that it alone has."""

    def marks_of_column(self, name: str) -> tuple[str, ...]:
        """The marks that count in one column: those of all columns, and its own."""
        return (*self.everywhere, *self.own.get(name, ()))

    def with_marks_everywhere(self, more: Sequence[str]) -> "MissingMarks":
        """A copy of these marks with more marks for every column."""
        return MissingMarks((*self.everywhere, *more), self.own)

    def code_column(
        self, table: CodingTable, name: str, kind: Kind | None = None, called: str | None = None
    ) -> CodedColumn:
        """A column as codes, its marks as code 0; `called` is the table's name for it, if other."""
        there = called or name
        column = table.codes(
            [there], {} if kind is None else {there: kind}, self.marks_of_column(name)
        )
        coded = self.clear_own_marks(column[there], name)
        return CodedColumn(name, coded.codes, coded.domain)

    def code_columns(
        self, table: CodingTable, names: Sequence[str], kinds: Mapping[str, Kind]
    ) -> dict[str, CodedColumn]:
        """Several columns as codes, in the order of the names."""
        plain = [name for name in names if name not in self.own]
        codes = table.codes(plain, kinds, self.everywhere)
        codes |= {
            name: self.code_column(table, name, kinds.get(name))
            for name in names
            if name in self.own
        }
        return {name: codes[name] for name in names}

    def clear_own_marks(self, column: CodedColumn, name: str) -> CodedColumn:
        """The coded column with the marks of this column alone read as missing."""
        return as_missing(column, self.own.get(name, ()))

    def with_nulls(self, rows: pl.DataFrame, *, text: bool) -> pl.DataFrame:
        """The rows with every missing cell null; `text` says that blanks mean missing, too."""
        return cells.clear_own_marks(cells.with_nulls(rows, self.everywhere, text=text), self.own)

    def clear_marks(self, rows: pl.DataFrame, *, text: bool) -> pl.DataFrame:
        """The rows with every missing cell null, as `with_nulls` gives, but an `Enum` stays one."""
        return cells.clear_own_marks(cells.clear_marks(rows, self.everywhere, text=text), self.own)
