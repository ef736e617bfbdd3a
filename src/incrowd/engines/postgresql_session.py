"""One transaction of PostgreSQL: connect, settle, read, write, end.

Errors of the driver quote cells, and may quote credentials: none of them leaves this module.
"""

import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, suppress
from functools import partial
from importlib import import_module
from typing import Any

import polars as pl

from incrowd.engines.postgresql_columns import frame_of, sendable_frame
from incrowd.engines.sql import quote
from incrowd.errors import InputError, boundary, guard_each

READING = "REPEATABLE READ, READ ONLY"
WRITING = "REPEATABLE READ, READ WRITE"
_SETTINGS = {
    "client_encoding": "UTF8",
    "client_min_messages": "error",
    "standard_conforming_strings": "on",
    "DateStyle": "ISO",
    "TimeZone": "UTC",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
    "lc_monetary": "C",
}
"""How cells are written as text, whatever the role prefers; no notices go to the terminal."""
_REMEDY = "check that the server is there, and that your role may do this"


class Transaction:
    """A connection with one transaction, which is taken back unless it is committed."""

    def __init__(self, server: str, mode: str, snapshot: str | None = None) -> None:
        """Connect, and begin: `mode` is the kind of transaction, `snapshot` one to share."""
        with boundary(InputError("the PostgreSQL driver is missing", remedy=_INSTALL)):
            dbapi: Any = import_module("adbc_driver_postgresql.dbapi")
        with _server_boundary("incrowd cannot connect to PostgreSQL", _CONNECT, connected=False):
            self._connection: Any = dbapi.connect(server)
        self._end = weakref.finalize(self, _end_connection, self._connection)
        with ExitStack() as failed:
            failed.callback(self.close)
            self._begin(mode, snapshot)
            failed.pop_all()

    def _begin(self, mode: str, snapshot: str | None) -> None:
        """Begin the transaction with our settings, in the given snapshot of another one if any."""
        begun = "PostgreSQL cannot begin a transaction"
        remedy = _TEMPORARY if mode == WRITING else _REMEDY
        self.run(f"SET TRANSACTION ISOLATION LEVEL {mode}", begun, remedy)
        if snapshot is not None:
            self.run(f"SET TRANSACTION SNAPSHOT '{snapshot}'", begun, remedy)
        for name, value in _SETTINGS.items():
            self.run(f"SET LOCAL {name} = '{value}'")

    def run(
        self,
        statement: str,
        failure: str = "PostgreSQL cannot process the table",
        remedy: str = _REMEDY,
    ) -> None:
        """Carry out a statement; `failure` and `remedy` are the words of its error."""
        with _server_boundary(failure, remedy), self._connection.cursor() as cursor:
            cursor.execute(statement)

    def rows(self, query: str) -> pl.DataFrame:
        """The answer to a query."""
        with _server_boundary("PostgreSQL cannot count the table"):
            with self._connection.cursor() as cursor:
                cursor.execute(query)
                table = cursor.fetch_arrow_table()
            return frame_of(table)

    def batches(self, query: str) -> Iterator[pl.DataFrame]:
        """The answer to a query in frames of limited size; run no other query before the last."""
        guard = partial(_server_boundary, "PostgreSQL cannot read the table")
        with guard():
            cursor = self._connection.cursor()
        try:
            with guard():
                cursor.execute(query)
                reader = cursor.fetch_record_batch()
            yield from guard_each(map(_frame_of_batch, reader), guard)
        finally:
            with guard():
                cursor.close()

    def single_value(self, query: str) -> Any:
        """The value that a query answers, which must be one row of one column."""
        return self.rows(query).item()

    def put(self, name: str, frame: pl.DataFrame) -> None:
        """Store a frame as a temporary table of this name, in place of one that is there."""
        sent, numbers = sendable_frame(frame)
        self.drop(name)
        with _server_boundary("PostgreSQL cannot take a table of codes", _TEMPORARY):
            table = sent.to_arrow(compat_level=pl.CompatLevel.oldest())
            with self._connection.cursor() as cursor:
                cursor.adbc_ingest(name, table, mode="create", temporary=True)
        for column, kind in numbers.items():
            cell = quote(column)
            number = f"ALTER COLUMN {cell} TYPE {kind} USING CAST({cell} AS {kind})"
            self.run(f"ALTER TABLE pg_temp.{name} {number}")
        self.run(f"ANALYZE pg_temp.{name}")

    def make(self, name: str, query: str) -> None:
        """Store a query's answer as a temporary table, in place of one with this name."""
        self.drop(name)
        self.run(
            f"CREATE TEMPORARY TABLE {name} AS {query}",
            "PostgreSQL cannot stage the release in temporary tables",
            _TEMPORARY,
        )
        self.run(f"ANALYZE pg_temp.{name}")

    def drop(self, name: str) -> None:
        """Remove the temporary table of this name, if there is one."""
        self.run(f"DROP TABLE IF EXISTS pg_temp.{name}")

    def commit(self) -> None:
        """End the transaction and keep what it did."""
        with _server_boundary("PostgreSQL did not commit the release"):
            self._connection.commit()

    def close(self) -> None:
        """Close the connection; what was not committed is undone."""
        self._end()


_INSTALL = "install incrowd[postgresql]"
_CONNECT = "check the address, your password and that the server is there"
_TEMPORARY = (
    "use a role that may create temporary tables (GRANT TEMPORARY ON DATABASE), on a server that "
    "is not a standby"
)
_LOST = (
    "the connection was lost",
    "check that the server still runs and can be reached, then run this again",
)
_KNOWN = {
    "57014": (
        "the server ended the statement, by its statement_timeout or by hand",
        "raise statement_timeout, or add options=-c%20statement_timeout%3D0 to the address",
    ),
    "55P03": (
        "another session holds a lock on the table",
        "run this again when it is done, or raise lock_timeout for your role",
    ),
    "53": (
        "the server has too little disk space, memory or connections left",
        "free some, or ask who runs it",
    ),
    "57P": _LOST,
    "08": _LOST,
}
"""By the first characters of a SQLSTATE: what happened, and what helps."""
_IO = 10
"""The driver's status where it has no answer from the server."""


def _server_boundary(
    failure: str, remedy: str = _REMEDY, *, connected: bool = True
) -> AbstractContextManager[None]:
    """A block whose errors become an `InputError`: `failure`, and why if the server's code tells.

    With `connected` an error without a code means that the connection was lost.
    """

    def explain(error: BaseException) -> InputError | None:
        """The error with the reason; None if the server's code does not tell one."""
        state = getattr(error, "sqlstate", None) or ""
        found = [_KNOWN[state[:length]] for length in (5, 3, 2) if state[:length] in _KNOWN]
        if connected and not state and getattr(error, "status_code", None) == _IO:
            found = [_LOST]
        return InputError(f"{failure}: {found[0][0]}", remedy=found[0][1]) if found else None

    return boundary(InputError(failure, remedy=remedy), explain)


def _frame_of_batch(batch: Any) -> pl.DataFrame:
    from pyarrow import Table  # noqa: PLC0415  an extra

    return frame_of(Table.from_batches([batch]))


def _end_connection(connection: Any) -> None:
    """Close the connection; one that is broken cannot be closed, and need not be."""
    with suppress(Exception):
        connection.close()
