"""Shared by engines that speak SQL: the seam to a database, names in statements, joined codes.

Statements are plain SQL that DuckDB, PostgreSQL and Spark understand alike. They are made of our
own names and numbers and of quoted column names, never of cells, and nothing in them can fail on
account of a cell. Columns of the table are called c0, c1, … in them.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import polars as pl

from incrowd.engines.base import Digested, NewTable, PartJob, RowPlan, Target
from incrowd.table.column import CodedColumn
from incrowd.watch import Watch

Cells: TypeAlias = Literal["text", "float", "bytes", "nested", "other"]
"""The kinds of cells that statements tell apart."""


class SqlColumn(NamedTuple):
    """A column of the table in a database."""

    name: str
    cells: Cells
    kind: str = ""
    """The SQL type that a release casts the cells back to; empty if they keep their type."""

    @property
    def release_expression(self) -> str:
        """The expression of its cell as a release holds it, cast to its own type if it has one."""
        return f"CAST({self.name} AS {self.kind})" if self.kind else self.name


class WrittenTable(NamedTuple):
    """A release that was written, and how the database reads it."""

    rows: str
    """The text after FROM to read it; columns have the names that they were released under."""
    columns: tuple[SqlColumn, ...]
    digest: tuple[Digested, str]
    """The kind of the digest, and the SHA-256."""
    publish: Callable[[], None] = lambda: None
    """Lets others see the release, where writing alone does not."""


class Database(Protocol):
    """A database with the table, and with room for small tables of ours, which go with it.

    Errors of drivers quote cells: none of them leaves a method.
    """

    name: str
    """Its name in a certificate."""
    columns: tuple[SqlColumn, ...]
    text: bool = False
    """Whether the table comes from a text file, so that all cells are texts."""
    joins: bool = True
    """Whether codes are joined in the database; else distinct cells are coded here."""
    parts: bool = True
    """Whether it can work on parts of the rows (`apply`)."""
    memory: int | None = None
    """Bytes of memory that all work may use; None if nobody set a limit."""

    def rows(self, query: str) -> pl.DataFrame:
        """The answer to a query: distinct or counted rows."""

    def batches(self, query: str) -> Iterator[pl.DataFrame]:
        """The answer to a query in frames of limited size, in the order of the query."""

    def put(self, name: str, frame: pl.DataFrame) -> None:
        """Store a frame as a table of ours with this name, in place of one that is there."""

    def add(self, name: str, frame: pl.DataFrame) -> None:
        """Append these rows to a table of ours that `put` made."""

    def make(self, name: str, query: str) -> None:
        """Store a query's answer as a table of ours, in place of one with this name."""

    def drop(self, name: str) -> None:
        """Remove a table of ours that `put` or `make` made."""

    def apply(
        self, name: str, query: str, job: PartJob, watch: Watch, kept: Path | None = None
    ) -> None:
        """Store the rows that a job makes of each part of a query's answer as a table of ours.

        The query has a column `part`, a whole number. The job gets the rows of a part in the order
        of their numbers, without that column. Finished parts stay in the folder `kept` if one is
        given and the database can do so; those that are there already are not worked on again.
        """

    def take_snapshot(self) -> None:
        """Make `source` a table that nothing changes, before the first rows are staged.

        Queries name the table `source` from the beginning: the columns c0, c1, … and `row`, a whole
        number that tells records apart. Nothing is to do where the rows were copied.
        """
        return

    def quote(self, name: str) -> str:
        """The name of a column in quotation marks, as it stands in a statement."""
        return quote(name)

    def equality(self, one: str, other: str) -> str:
        """An expression, to join tables by, that is true if two cells are equal or both missing."""
        return f"{one} IS NOT DISTINCT FROM {other}"

    def random_number(self, secret: str, row: str) -> str:
        """An expression for a random-looking whole number, made of a secret and a row's number."""

    def negative_zero_test(self, cell: str) -> str:
        """An expression that is true if a floating-point cell is -0.0."""

    def write(self, query: str, target: Target | NewTable | None) -> WrittenTable:
        """Write what a query answers, in its order, to a target; to a table of ours if None."""

    def frame(self, release: WrittenTable) -> Any:
        """The release in the kind of table that came in."""

    def digest(
        self,
        of: Digested | None = None,  # noqa: ARG002  a default
    ) -> tuple[Digested, str] | None:
        """The kind of digest of the table, taken as a release to check, and the SHA-256.

        `of` is the kind of the digest that was certified; None if there is none. The result is None
        if the table is to be digested as a frame, outside the database.
        """
        return None

    def close(self) -> None:
        """Give back what is held open; a release that was not published is removed."""


@contextmanager
def close_on_failure(database: Database) -> Iterator[None]:
    """Close the database at once if the block fails: the traceback would keep it and its copy."""
    with ExitStack() as failed:
        failed.callback(database.close)
        yield
        failed.pop_all()


@dataclass(frozen=True)
class Coding:
    """A table of a column's values and codes, and how it is joined to the rows."""

    table: str
    same: str
    """The condition that joins it to the rows."""

    @property
    def join(self) -> str:
        """The clause, to stand behind the rows in a statement, that joins the table to them."""
        return f"JOIN {self.table} ON {self.same}"


@dataclass(frozen=True)
class JoinedCodes:
    """Rows of the table, joined with the codes of some of their columns."""

    rows: str
    """What stands behind FROM for the rows alone."""
    codings: Mapping[str, Coding]
    """The joined tables of codes, by column."""

    @property
    def text(self) -> str:
        """The rows with all joined tables of codes, as they stand behind FROM."""
        return " ".join([self.rows, *(coding.join for coding in self.codings.values())])

    def code_expression(self, name: str) -> str:
        """The expression of a column's code."""
        return f"{self.codings[name].table}.code"

    def where_clause(self, complete: Iterable[str]) -> str:
        """The WHERE clause for rows that lack none of these columns; empty without columns."""
        known = " AND ".join(f"{self.code_expression(name)} <> 0" for name in complete)
        return f"WHERE {known}" if known else ""


def as_tuple(column: CodedColumn | None) -> tuple[CodedColumn, ...]:
    """The column as a tuple of one; an empty tuple if it is None."""
    return () if column is None else (column,)


def place_of(plan: RowPlan, name: str) -> int:
    """The place of a column, which must be there, among the plan's coded columns."""
    return next(j for j, column in enumerate(plan.coded) if column.name == name)


def counting_query(keys: Sequence[tuple[str, str]], of: str, sums: Sequence[str] = ()) -> str:
    """A query of the distinct `keys` (expression, name) FROM `of`, counted as `n`, with sums.

    `sums` are further columns such as `sum(w) AS weight`.
    """
    shown = [f"{expression} AS {name}" for expression, name in keys]
    grouped = f" GROUP BY {', '.join(expression for expression, _ in keys)}" if keys else ""
    return f"SELECT {', '.join([*shown, 'count(*) AS n', *sums])} FROM {of}{grouped}"


def without_nan(column: SqlColumn) -> str:
    """The expression of a column's cell, to group by, with NaN as NULL."""
    if column.cells != "float":
        return column.name
    return f"NULLIF({column.name}, CAST('NaN' AS REAL))"


def with_types(rows: pl.DataFrame, types: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Rows read from a file, cast to these types; an error of Polars if a cell does not fit."""
    return pl.DataFrame([_with_type(column, types[column.name]) for column in rows.iter_columns()])


def _with_type(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    """A column cast to a type; texts are parsed if that is one of dates, times or truth values."""
    cells = column.cast(pl.String) if isinstance(column.dtype, pl.Enum) else column
    if cells.dtype == pl.String and isinstance(dtype, pl.Date | pl.Datetime | pl.Time):
        return cells.str.strptime(dtype)
    if cells.dtype == pl.String and isinstance(dtype, pl.Boolean):
        known = {"true": True, "false": False}
        return cells.replace_strict(known, return_dtype=pl.Boolean)
    return cells.cast(dtype)


def digest_of(names: Iterable[str], rows: bytes) -> str:
    """SHA-256 of a table: of the names of its columns, and of `rows`, digests of its rows."""
    code = hashlib.sha256()
    for name in map(str.encode, names):
        code.update(len(name).to_bytes(8, "little") + name)
    code.update(rows)
    return code.hexdigest()


def quote(name: str) -> str:
    """The name of a column in quotation marks, as it stands in a statement."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(path: Path | str) -> str:
    """A path or text in quotation marks, as a value in a statement."""
    return "'" + str(path).replace("'", "''") + "'"


def parquet_call(path: Path | str | Sequence[str], more: str = "", *, keys: bool = False) -> str:
    """The call by which DuckDB reads just these Parquet files, to stand behind FROM.

    No name is taken for a pattern. Names of folders such as `day=1` are columns only if `keys` is
    true; `more` are other options.
    """
    paths = [str(path)] if isinstance(path, Path | str) else path
    named = f"[{', '.join(text_literal(escape(one)) for one in paths)}]"
    hive = f"hive_partitioning = {str(keys).lower()}"
    return f"read_parquet({', '.join(filter(None, [named, hive, more]))})"
