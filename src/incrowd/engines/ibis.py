"""Ibis tables: worked on in DuckDB, whatever the backend.

What an expression answers is written once, by its backend, as Parquet into the private folder of a
DuckDB database. A release without a target comes back as an Ibis table: of the same backend if that
is DuckDB, else of a DuckDB backend of its own that reads the released file.
"""

import secrets
import weakref
from importlib import import_module
from typing import Any

import polars as pl

from incrowd.engines.duckdb import DuckDB
from incrowd.engines.lazy import keep_file
from incrowd.engines.sql import WrittenTable, close_on_failure, parquet_call
from incrowd.engines.sql_engine import SqlEngine
from incrowd.errors import InputError, boundary

_REMEDY = "check the expression, or read the table into memory with .to_polars()"


def accepts(source: Any) -> bool:
    """Whether this is an Ibis table; Ibis is not loaded to find out."""
    return type(source).__module__.startswith("ibis.expr.types") and hasattr(source, "to_parquet")


def engine_of(table: Any) -> SqlEngine:
    """The engine of an Ibis expression's rows; it works on a copy of them in DuckDB."""
    return SqlEngine(_IbisDuckDB(table))


def convert_like(source: Any, rows: pl.DataFrame) -> Any:  # noqa: ARG001  one kind
    """These rows as an Ibis table in memory."""
    return import_module("ibis").memtable(rows)


class _IbisDuckDB(DuckDB):
    """A database with a copy of the rows of an Ibis expression."""

    def __init__(self, table: Any) -> None:
        super().__init__()
        path = self.folder / "table.parquet"
        with close_on_failure(self):
            with boundary(InputError("Ibis cannot read the table", remedy=_REMEDY)):
                table.to_parquet(path)
                self._backend: Any = table.get_backend()
            self.set_foreign_table(path)

    def frame(self, release: WrittenTable) -> Any:
        """The release as an Ibis table of the same backend if DuckDB, else of a new DuckDB."""
        name = f"incrowd_release_{secrets.token_hex(8)}"
        with boundary(InputError("Ibis cannot store the release as a table", remedy=_REMEDY)):
            if self._backend.name == "duckdb":
                made = f"CREATE TEMP TABLE {name} AS SELECT * FROM {release.rows}"  # noqa: S608  ours
                self._backend.con.sql(made)
                return self._backend.table(name)
            path, folder = keep_file(self.folder / "release.parquet")
            backend = import_module("ibis").duckdb.connect()
            weakref.finalize(backend, id, folder)  # the folder goes when the backend does
            backend.con.sql(f"CREATE VIEW {name} AS SELECT * FROM {parquet_call(path)}")  # noqa: S608
            return backend.table(name)
