"""Columns of a table in a database as codes: distinct values come out, and codes go in.

Codes are small tables that are joined to the rows, null-safe.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts, Floats
from incrowd.engines.memory import coded_texts, refuse_weights, weight_of_codes, weights_error
from incrowd.engines.sql import Coding, Database, JoinedCodes, SqlColumn, counting_query
from incrowd.errors import InputError, PolicyError
from incrowd.table.cells import with_nulls
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.encode import BYTES, encode, nested_error
from incrowd.table.names import name_remedy


@dataclass(frozen=True, eq=False)
class _Entries:
    """The distinct values of a column, and how many records hold each."""

    values: pl.Series
    records: Counts


class SqlCoding:
    """A table in a database whose columns are coded."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.text = database.text
        self._entries: dict[str, _Entries] = {}
        self._put: dict[str, CodedColumn] = {}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        return tuple(column.name for column in self.database.columns)

    @cached_property
    def records(self) -> int:
        """Number of records."""
        return self.query_number("SELECT count(*) AS n FROM source")

    @property
    def sealed(self) -> Mapping[str, str]:
        """The columns whose cells incrowd cannot look into, with what they hold (lists, bytes)."""
        said = {"nested": "lists or structures", "bytes": BYTES}
        return {
            column.name: said[column.cells]
            for column in self.database.columns
            if column.cells in said
        }

    def codes(
        self,
        names: Sequence[str],
        kinds: Mapping[str, Kind] | None = None,
        missing_values: Sequence[str] = (),
    ) -> dict[str, CodedColumn]:
        """Columns as codes by name, one code per distinct value, in the order of `entries`."""
        given = kinds or {}
        for name in names:
            if self.column(name).cells == "nested":
                raise nested_error(name)
        return {
            name: encode(
                self.entries(name).values,
                name,
                given.get(name),
                infer=self.text,
                missing_values=missing_values,
            )
            for name in names
        }

    def unit_codes(self, name: str, missing_values: Sequence[str] = ()) -> CodedColumn:
        """The column of people as codes, equal for records of one person, 0 where it is missing."""
        kinds = {name: Kind.TEXT} if self.text else None
        return self.codes([name], kinds, missing_values)[name]

    def text_codes(self, name: str, missing_values: Sequence[str] = ()) -> CodedColumn:
        """A column coded by the text of its cells, one code per distinct value."""
        values = self.entries(name).values.to_frame()
        return coded_texts(with_nulls(values, missing_values, text=self.text)[name], name)

    def frequency(self, column: CodedColumn) -> Counts:
        """Records per code of a column: shape (values + 1,), entry 0 counts the missing."""
        size = len(column.domain) + 1
        records = self.entries(column.name).records
        return np.bincount(column.codes, weights=records, minlength=size).astype(np.int64)

    def column(self, name: str) -> SqlColumn:
        """The column with this name, renamed to c0, c1, … for statements; `PolicyError` if none."""
        if name not in self.names:
            raise PolicyError(
                f"the table has no column {name!r}",
                remedy=name_remedy(name, self.names, listed=True),
            )
        j = self.names.index(name)
        return self.database.columns[j]._replace(name=f"c{j}")

    def cell(self, name: str) -> str:
        """What statements call the column with this name, such as c0."""
        return self.column(name).name

    def query_number(self, query: str) -> int:
        """The whole number that a query answers; 0 if it answers NULL."""
        found = self.database.rows(query).item()
        return 0 if found is None else int(found)

    def put_weights(self, name: str) -> Coding:
        """Store a table of a column's values and weights (called `code`); return how to join it."""
        column, weight = self.coded_weights(name)
        table = f"w{self.names.index(name)}"
        values = self.entries(name).values.alias("value")
        self.database.put(table, pl.DataFrame([values, pl.Series("code", weight[column.codes])]))
        return self._join_on(table, name)

    def put_codes(self, column: CodedColumn) -> Coding:
        """Store a table of the column's values and codes, once; return how to join it."""
        name = f"m{self.names.index(column.name)}"
        if self._put.get(name) is not column:
            values = self.entries(column.name).values.alias("value")
            self.database.put(name, pl.DataFrame([values, pl.Series("code", column.codes)]))
            self._put[name] = column
        return self._join_on(name, column.name)

    def _join_on(self, table: str, name: str) -> Coding:
        """How a table of values and codes is joined to the rows by the column with this name."""
        cell = f"source.{self.cell(name)}"
        return Coding(table, self.database.equality(f"{table}.value", cell))

    def join_codes(self, columns: Sequence[CodedColumn]) -> JoinedCodes:
        """The rows of the table, joined with the codes of these columns."""
        codings = {column.name: self.put_codes(column) for column in columns}
        return JoinedCodes("source", codings)

    def codes_of_cells(self, column: CodedColumn, cells: pl.Series) -> Codes:
        """The codes of these cells of a column; `InputError` if one is not among its values."""
        values = self.entries(column.name).values.alias("value")
        known = pl.DataFrame([values, pl.Series("code", column.codes)])
        joined = (
            cells.alias("value")
            .to_frame()
            .join(known, on="value", how="left", nulls_equal=True, maintain_order="left")
        )
        if joined["code"].null_count():
            raise InputError(
                f"the column {column.name!r} changed while incrowd read it",
                remedy="copy the table, and give the copy",
            )
        return codes_of_answer(joined["code"])

    def coded_weights(self, name: str) -> tuple[CodedColumn, Floats]:
        """A coded column, and the weight of each code; `InputError` if missing or negative."""
        column = self._code_weights(name)
        weight = weight_of_codes(column)
        refuse_weights(name, int(self.frequency(column)[~(weight >= 0)].sum()))
        return column, weight

    def _code_weights(self, name: str) -> CodedColumn:
        """The column as codes of numbers; an `InputError` on weights if a cell is no number."""
        try:
            return self.codes([name], {name: Kind.NUMBER})[name]
        except InputError as error:
            refusal = weights_error(error)
        raise refusal

    def entries(self, name: str) -> _Entries:
        """The distinct values of a column, ordered, with the records of each; queried once."""
        if name not in self._entries:
            cell = self.cell(name)
            found = self.database.rows(
                counting_query([(cell, "value")], "source") + f" ORDER BY {cell}"
            )
            values = found["value"].alias(name)
            self._entries[name] = _Entries(values, found["n"].to_numpy().astype(np.int64))
        return self._entries[name]


def codes_of_answer(column: pl.Series) -> Codes:
    """A column of codes in a database's answer, as an array."""
    return column.to_numpy().astype(np.int32, copy=False)
