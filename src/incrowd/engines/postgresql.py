"""PostgreSQL 13 or later: tables and views, counted, released and proved in the database.

A source is the address of a table (`addresses`). Whoever may SELECT from it can do everything but
release it, on a standby too: one read-only transaction of isolation level REPEATABLE READ is the
snapshot, so nothing that others do to the table meanwhile is seen. Counts come out of the database;
cells are coded here.

A release needs temporary tables. It runs in a second transaction that shares the snapshot of the
first (`pg_export_snapshot`), copies the table into a temporary one and works there. A view or a
foreign table may answer otherwise each time: what was counted of it before is counted anew in the
copy, and refused if it differs. The release becomes a new table of the same database in that
transaction: others see it when it is proved and certified (`WrittenTable.publish`), or never.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from incrowd.engines.addresses import Address, is_address
from incrowd.engines.base import Digested, Engine, NewTable, PartJob, Target
from incrowd.engines.postgresql_columns import ALIAS, CATALOG, Carried, Stored
from incrowd.engines.postgresql_session import READING, WRITING, Transaction
from incrowd.engines.sql import (
    Database,
    SqlColumn,
    WrittenTable,
    close_on_failure,
    digest_of,
    quote,
    text_literal,
    with_types,
)
from incrowd.engines.sql_engine import SqlEngine
from incrowd.errors import InputError, PolicyError, boundary
from incrowd.table.cells import frame_digest
from incrowd.watch import Watch

_STEADY = ("r", "m")
"""Kinds of tables that are the same for everybody who shares a snapshot."""

_PATH = "SET LOCAL search_path = pg_temp, pg_catalog"
"""Tables of ours are found first; whatever is not PostgreSQL's own is named with its schema."""


def accepts(source: Any) -> bool:
    """Whether this is the address of a table in PostgreSQL."""
    return is_address(source)


def engine_of(source: str) -> SqlEngine:
    """The engine of the rows of the table at this address; it opens a connection."""
    return SqlEngine(PostgreSQL(Address.of(source)))


def target_of(target: str, engine: Engine) -> NewTable:
    """The table that a release becomes; `PolicyError` if in another database, or if it exists."""
    address = Address.of(target)
    database = engine.database if isinstance(engine, SqlEngine) else None
    if not isinstance(database, PostgreSQL) or address.database != database.address.database:
        raise PolicyError(
            f"the release cannot become the {address.title}: the table that it is made of is not "
            "in the same database",
            remedy="name a file, or the address of the source with another table",
        )
    new = NewTable(address.schema or database.schema, address.table)
    database.refuse_existing(new)
    return new


class _Relation(NamedTuple):
    """A table or a view, as the catalog of the database describes it."""

    oid: int
    schema: str
    name: str
    sort: str
    """The letter of its kind (`relkind`): r for tables, v for views and so on."""
    parent: bool
    """Whether other tables are parts of it."""

    @property
    def rows(self) -> str:
        """The table under the alias of our statements, as it stands behind FROM."""
        return f"{quote(self.schema)}.{quote(self.name)} {ALIAS}"

    @property
    def steady(self) -> bool:
        """Whether its rows are the same for everybody who shares a snapshot."""
        return self.sort in _STEADY and not self.parent

    @property
    def row(self) -> str:
        """An expression for a number that tells records apart: their place in the table.

        Records of a view are numbered in the order of their texts. Equal ones may exchange their
        numbers from query to query, which nobody can notice.
        """
        if not self.steady:
            return f'row_number() OVER (ORDER BY ROW({ALIAS}.*)::text COLLATE "C")'
        place = f"{ALIAS}.ctid::text::point"
        return f"(({place})[0]::bigint * 65536 + ({place})[1]::bigint)"


class _ReadAnew(NamedTuple):
    """A table that was written, read anew: cells as they travel, under their own names."""

    relation: _Relation
    carried: tuple[Carried, ...]

    @property
    def columns(self) -> tuple[SqlColumn, ...]:
        """The columns as statements know them."""
        return tuple(one.column for one in self.carried)

    @property
    def query(self) -> str:
        """The query that reads the table's cells as they travel, under their own names."""
        cells = (f"{one.expression} AS {quote(one.stored.name)}" for one in self.carried)
        return f"SELECT {', '.join(cells)} FROM {self.relation.rows}"

    @property
    def rows(self) -> str:
        """The query in brackets, as it stands behind FROM."""
        return f"({self.query}) released"


class PostgreSQL(Database):
    """A table of PostgreSQL in one snapshot."""

    name = "postgresql"
    parts = False

    def __init__(self, address: Address) -> None:
        self.address = address
        self.joins = False
        self._session = Transaction(address.server, READING)
        self._seen: dict[str, tuple[int, int]] = {}
        with close_on_failure(self):
            self.schema = str(
                self._session.single_value("SELECT coalesce(current_schema(), '') AS s")
            )
            self._relation = self._require_relation(address)
            self._session.run(_PATH)
            self._columns = self._describe_columns(self._relation, {})
        self.columns = tuple(one.column for one in self._columns)

    def rows(self, query: str) -> pl.DataFrame:
        """The answer to a query, noted for a view not copied yet, to compare the copy with."""
        found = self._session.rows(self._with_source(query))
        if not self.joins and not self._relation.steady:
            self._seen[query] = _fingerprint(found)
        return found

    def batches(self, query: str) -> Iterator[pl.DataFrame]:
        """The answer to a query in frames of limited size; run no other query before the last."""
        return self._session.batches(self._with_source(query))

    def put(self, name: str, frame: pl.DataFrame) -> None:
        """Store a frame as a table of ours with this name, in place of one that is there."""
        self._session.put(name, frame)

    def add(self, name: str, frame: pl.DataFrame) -> None:
        """Append these rows to a table of ours that `put` made."""
        self._session.put("added", frame)
        self._session.run(f"INSERT INTO {name} SELECT * FROM added")

    def drop(self, name: str) -> None:
        """Remove a table of ours."""
        self._session.drop(name)

    def make(self, name: str, query: str) -> None:
        """Store a query's answer as a table of ours, in place of one with this name."""
        self._session.make(name, query)

    def take_snapshot(self) -> None:
        """Copy the rows into a temporary table, once; `InputError` if a view then differs."""
        if self.joins:
            return
        reading = self._session
        token = str(reading.single_value("SELECT pg_export_snapshot() AS s"))
        self._session = Transaction(self.address.server, WRITING, token)
        reading.close()
        self._session.run(_PATH)
        self._session.make("source", self._source_query)
        self.joins = True
        for query, before in self._seen.items():
            if _fingerprint(self._session.rows(query)) != before:
                raise InputError(
                    f"the {self.address.title} changed while incrowd read it",
                    remedy="copy it into a table, and release that",
                )

    def apply(
        self, name: str, query: str, job: PartJob, watch: Watch, kept: Path | None = None
    ) -> None:
        """Always raises `NotImplementedError`: parts of rows do not leave the server."""
        raise NotImplementedError

    def equality(self, one: str, other: str) -> str:
        """An expression, to join tables by, that is true if two cells are equal or both missing."""
        return f"ARRAY[{one}] = ARRAY[{other}]"

    def random_number(self, secret: str, row: str) -> str:
        """An expression for a random-looking whole number, made of a secret and a row's number."""
        return f"('x' || left(md5(concat('{secret}:', {row})), 16))::bit(64)::bigint"

    def negative_zero_test(self, cell: str) -> str:
        """An expression that is true if a floating-point cell is -0.0."""
        return f"({cell} = 0 AND CAST({cell} AS text) = '-0')"

    def write(self, query: str, target: Target | NewTable | None) -> WrittenTable:
        """Write rows to a new table, a file (read anew into a table) or else a temporary table."""
        if isinstance(target, NewTable):
            return self._create_table(query, target)
        self.make("released", query)
        written = self._read_anew("pg_temp", "released")
        self._frame = self._session.rows(f"{written.query} ORDER BY {ALIAS}.ctid")
        if target is None:
            return WrittenTable(written.rows, written.columns, ("frame", frame_digest(self._frame)))
        target.put(self._frame)
        with boundary(InputError("the release cannot be read anew", remedy="name another file")):
            read = with_types(target.get(), dict(self._frame.schema))
        self.put("filed", read)
        return WrittenTable("filed", written.columns, ("file", target.sha256()))

    def frame(self, release: WrittenTable) -> pl.DataFrame:  # noqa: ARG002  there is one
        """The release as a frame of Polars, in memory: it must fit there."""
        return self._frame

    def close(self) -> None:
        """End the transaction; a release that was not published is gone."""
        self._session.close()

    def digest(self, of: Digested | None = None) -> tuple[Digested, str]:  # noqa: ARG002  one kind
        """The word `table`, and the SHA-256 of the table's rows, whatever their order."""
        return "table", self._digest(self._relation, self._columns)

    def refuse_existing(self, new: NewTable) -> None:
        """Raise `PolicyError` if the target exists: a release never replaces a table."""
        if self._relation_named(new.schema, new.name) is not None:
            raise PolicyError(
                f"there is a table {new.title} already", remedy="drop it, or name another table"
            )

    @property
    def _source_query(self) -> str:
        """The query that reads the table, its columns called c0, c1, … and `row`."""
        cells = ", ".join(f"{one.expression} AS c{j}" for j, one in enumerate(self._columns))
        return f"SELECT {cells}, {self._relation.row} AS row FROM {self._relation.rows}"

    def _with_source(self, query: str) -> str:
        """The query with the table defined as `source` in it, unless the snapshot was copied."""
        if self.joins:
            return query
        return f"WITH source AS NOT MATERIALIZED ({self._source_query}) {query}"

    def _create_table(self, query: str, new: NewTable) -> WrittenTable:
        """Create a new table with these rows, which others see once the release is published.

        `PolicyError` if it exists, `InputError` if it cannot be created.
        """
        self.refuse_existing(new)
        place = f"{quote(new.schema)}.{quote(new.name)}"
        self._session.run(
            f"CREATE TABLE {place} AS {query}",
            f"PostgreSQL cannot create the table {new.title}",
            "use a role that may create tables in this schema, name another table if somebody made "
            "this one meanwhile, and check that the server is there",
        )
        written = self._read_anew(new.schema, new.name)
        digest = self._digest(written.relation, written.carried)
        return WrittenTable(
            written.rows, written.columns, ("table", digest), lambda: self._publish(new)
        )

    def _publish(self, new: NewTable) -> None:
        """Commit; if the connection breaks, look for the table; `InputError` unless it is found."""
        try:
            self._session.commit()
        except InputError as error:
            lost = error
        else:
            return
        self._session.close()
        try:
            self._session = Transaction(self.address.server, READING)
            there = self._relation_named(new.schema, new.name) is not None
        except InputError:
            lost = InputError(
                "the connection to PostgreSQL broke while the release was committed, and incrowd "
                f"cannot find out whether there is a table {new.title} now",
                remedy="if there is, drop it: it has no certificate; then run this again",
            )
            there = False
        if not there:
            raise lost

    def _read_anew(self, schema: str, table: str) -> "_ReadAnew":
        """A written table, to be read anew; columns of the source travel as they did from there."""
        relation = self._relation_named(schema, table)
        assert relation is not None  # noqa: S101  it was written
        known = {(one.stored.name, one.stored.kind): one.facts for one in self._columns}
        return _ReadAnew(relation, self._describe_columns(relation, known))

    def _relation_named(self, schema: str | None, table: str) -> _Relation | None:
        """The catalog's entry of the table of this name; None if there is none."""
        name = quote(table) if not schema else f"{quote(schema)}.{quote(table)}"
        found = self._session.rows(
            "SELECT c.oid::int8 AS oid, nspname::text AS schema, relname::text AS name, "
            "relkind::text AS sort, relhassubclass AS parent FROM pg_catalog.pg_class c "
            "JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace "
            f"WHERE c.oid = to_regclass({text_literal(name)})"
        )
        return None if found.is_empty() else _Relation(*found.row(0))

    def _require_relation(self, address: Address) -> _Relation:
        """The catalog's entry of the table at an address; `InputError` if there is none."""
        found = self._relation_named(address.schema, address.table)
        if found is None:
            raise InputError(
                f"PostgreSQL has no table {address.name}, or you may not use its schema",
                remedy="check the name (upper and lower case count), and say schema.name",
            )
        return found

    def _describe_columns(
        self, relation: _Relation, known: Mapping[tuple[str, str], Mapping[str, Any]]
    ) -> tuple[Carried, ...]:
        """A table's columns, as they travel, from a survey of their cells.

        `known` holds surveys by name and type of columns, which are not surveyed again.
        `InputError` if the table has no columns.
        """
        found = self._session.rows(CATALOG.format(table=relation.oid))
        stored = [Stored(*row) for row in found.iter_rows()]
        if not stored:
            raise InputError(f"the {self.address.title} has no columns")
        asked = {
            f"{fact}{j}": aggregate
            for j, one in enumerate(stored)
            for fact, aggregate in one.survey_aggregates.items()
            if (one.name, one.kind) not in known
        }
        facts = {}
        if asked:
            survey = ", ".join(f"{aggregate} AS {name}" for name, aggregate in asked.items())
            facts = self._session.rows(f"SELECT {survey} FROM {relation.rows}").row(0, named=True)
        return tuple(
            Carried(
                one,
                known.get((one.name, one.kind))
                or {f: facts[f"{f}{j}"] for f in one.survey_aggregates},
            )
            for j, one in enumerate(stored)
        )

    def _digest(self, relation: _Relation, columns: Sequence[Carried]) -> str:
        """SHA-256 of the names of the columns and of the rows, independent of the order of rows.

        A row is the text of its cells, each behind its length. Digests are sorted in groups of
        those that begin alike, so that the database never holds all of them in one value.
        """
        cells = [column.stored.digest_text for column in columns]
        row = " || ".join(f"coalesce(length({cell}) || ':' || {cell}, '-')" for cell in cells)
        hashed = f"SELECT sha256(convert_to({row}, 'UTF8')) AS h FROM {relation.rows}"
        group = "get_byte(h, 0)"
        found = self._session.rows(
            f"SELECT {group} AS place, sha256(string_agg(h, ''::bytea ORDER BY h)) AS h "
            f"FROM ({hashed}) hashed GROUP BY {group} ORDER BY {group}"
        )
        names = (column.stored.name for column in columns)
        return digest_of(names, b"".join(found["h"].to_list()))


def _fingerprint(found: pl.DataFrame) -> tuple[int, int]:
    """Number of rows and sum of their hashes: equal for equal answers, in any order of rows."""
    plain = found.with_columns(pl.col(pl.Decimal).cast(pl.String))
    hashes = plain.hash_rows(seed=1) if plain.width else pl.Series(dtype=pl.UInt64)
    return found.height, int(np.sum(hashes.to_numpy(), dtype=np.uint64))
