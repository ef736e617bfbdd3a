"""Tables in DuckDB: counted, released and proved where they are, larger than memory if need be.

The relation is copied once, as Parquet, into a private folder: that is the snapshot, which nothing
changes between the passes, and which goes when the engine does. Distinct values and counted rows
come out of it; codes and labels go in as small tables that are joined, null-safe. No cell is ever
part of a statement, and columns are called c0, c1, … in it.
"""

import secrets
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts
from incrowd.engines.base import Can, RowPlan
from incrowd.engines.duckdb_release import DuckDBStaged
from incrowd.engines.memory import coded_texts
from incrowd.engines.sql import Coding, JoinedCodes, folded, if_any, parquet, place_of, quoted
from incrowd.errors import InputError, PolicyError, boundary, counted
from incrowd.recoding.column_cells import ByClass, ByValue, Cell, ClassNumber, Keep, Within
from incrowd.table.cells import readable
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.counted import CountedRows
from incrowd.table.encode import BYTES, encode
from incrowd.table.names import nearest
from incrowd.table.tally import Tally

_CHUNK = 2**20
"""Random numbers that are drawn at a time."""
_LISTS = ("LIST", "ARRAY", "STRUCT", "MAP", "UNION")
_FLOATS = ("FLOAT", "DOUBLE")


def is_relation(source: Any) -> bool:
    """Whether this is a relation of DuckDB, which is not loaded to find out."""
    return type(source).__module__.partition(".")[0] in {"duckdb", "_duckdb"}


class Database:
    """A database of our own in a private folder; errors of DuckDB, which quote cells, end here."""

    def __init__(self) -> None:
        with boundary(InputError("duckdb is missing", remedy="install incrowd[duckdb]")):
            import duckdb  # noqa: PLC0415  an extra
        self.folder = Path(tempfile.mkdtemp(prefix="incrowd-"))
        settings: Any = {"temp_directory": str(self.folder / "spill")}
        self._connection: Any = duckdb.connect(str(self.folder / "work.db"), config=settings)
        weakref.finalize(self, _removed, self._connection, self.folder)

    def run(self, statement: str) -> None:
        """Carry out a statement."""
        with boundary(InputError("DuckDB cannot process the table", remedy=_REMEDY)):
            self._connection.execute(statement)

    def rows(self, query: str) -> pl.DataFrame:
        """What a query answers: few rows, distinct or counted ones."""
        with boundary(InputError("DuckDB cannot count the table", remedy=_REMEDY)):
            return pl.DataFrame(self._connection.sql(query).pl())

    def number(self, query: str) -> int:
        """The one number that a query answers."""
        found = self.rows(query).item()
        return 0 if found is None else int(found)

    def types(self, query: str) -> list[tuple[str, str]]:
        """The names and types of the columns that a query has."""
        with boundary(InputError("DuckDB cannot read the table", remedy=_REMEDY)):
            found = self._connection.sql(query)
            return [(str(n), str(t)) for n, t in zip(found.columns, found.types, strict=True)]

    def put(self, name: str, frame: pl.DataFrame, *, more: bool = False) -> None:
        """A small table of ours, or more rows of one."""
        with boundary(InputError("DuckDB cannot take a table of codes", remedy=_REMEDY)):
            self._connection.register("given", frame.to_arrow())
            make = f"INSERT INTO {name}" if more else f"CREATE OR REPLACE TABLE {name} AS"
            self._connection.execute(f"{make} SELECT * FROM given")
            self._connection.unregister("given")


def _removed(connection: Any, folder: Path) -> None:
    connection.close()
    shutil.rmtree(folder, ignore_errors=True)


_REMEDY = "check the relation, or read the table into memory with .pl()"


@dataclass(frozen=True, eq=False)
class _Entries:
    """The distinct values of a column, and how many records hold each."""

    values: pl.Series
    records: Counts


class DuckDBEngine:
    """A relation of DuckDB."""

    name = "duckdb"
    can: frozenset[Can] = frozenset()
    text = False

    def __init__(self, relation: Any) -> None:
        self._relation = relation
        self._db = Database()
        path = self._db.folder / "table.parquet"
        with boundary(InputError("DuckDB cannot read the relation", remedy=_REMEDY)):
            relation.write_parquet(str(path))
        self._path = path
        self._types = dict(self._db.types(f"SELECT * FROM {parquet(path)}"))
        columns = ", ".join(f"{quoted(name)} AS c{j}" for j, name in enumerate(self._types))
        self._db.run(
            f"CREATE VIEW source AS SELECT {columns}, file_row_number AS row "
            f"FROM {parquet(path, 'file_row_number = true')}"
        )
        self._entries: dict[str, _Entries] = {}

    def __repr__(self) -> str:
        """Without values."""
        return f"DuckDBEngine({self.records} records, {len(self.names)} columns)"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        return tuple(self._types)

    @cached_property
    def records(self) -> int:
        """Number of records."""
        return self._db.number("SELECT count(*) FROM source")

    @property
    def sealed(self) -> Mapping[str, str]:
        """By column: what its cells hold that no program can see into (lists, bytes)."""
        found = {}
        for name, kind in self._types.items():
            if kind.startswith(_LISTS) or kind.endswith("]"):
                found[name] = "lists or structures"
            elif kind == "BLOB":
                found[name] = BYTES
        return found

    def codes(
        self,
        names: Sequence[str],
        kinds: Mapping[str, Kind] | None = None,
        missing_values: Sequence[str] = (),
    ) -> dict[str, CodedColumn]:
        """Columns as codes, one per distinct value."""
        given = kinds or {}
        return {
            name: encode(
                self._held(name).values, name, given.get(name), missing_values=missing_values
            )
            for name in names
        }

    def unit(self, name: str, missing_values: Sequence[str] = ()) -> CodedColumn:
        """Which records belong to one person; code 0 for a record that says nothing."""
        return self.codes([name], None, missing_values)[name]

    def texts(self, name: str, missing_values: Sequence[str] = ()) -> CodedColumn:
        """A column coded by the text of its values."""
        values = self._held(name).values.to_frame()
        return coded_texts(readable(values, missing_values, text=False)[name], name)

    def frequency(self, column: CodedColumn) -> Counts:
        """Records per code of a column: shape (values + 1,), entry 0 counts the missing."""
        size = len(column.domain) + 1
        records = self._held(column.name).records
        return np.bincount(column.codes, weights=records, minlength=size).astype(np.int64)

    def counts(
        self,
        columns: Sequence[str] = (),
        coded: Sequence[CodedColumn] = (),
        unit: CodedColumn | None = None,
        complete: Sequence[CodedColumn] = (),
    ) -> CountedRows:
        """The distinct rows of these columns, of these codes and of whom they belong to."""
        given = {column.name: column for column in (*coded, *complete, *if_any(unit))}
        joined = JoinedCodes(
            "source", {name: self.coding(column) for name, column in given.items()}
        )
        return self.counted(
            [self.cell(name) for name in columns],
            columns,
            {column.name: joined.code(column.name) for column in coded},
            f"{joined.text} {joined.where(column.name for column in complete)}",
            unit=None if unit is None else joined.code(unit.name),
        )

    def sample(
        self, columns: Sequence[str], records: int, unit: CodedColumn | None = None
    ) -> pl.DataFrame:
        """So many records at most, by the hash of their number; one of each person."""
        joined = JoinedCodes("source", {c.name: self.coding(c) for c in if_any(unit)})
        person = "row" if unit is None else f"CASE WHEN {joined.code(unit.name)} = 0 THEN -1 - row "
        if unit is not None:
            person += f"ELSE {joined.code(unit.name)} END"
        shown = ", ".join(f"{self.cell(name)} AS {quoted(name)}" for name in columns)
        first = f"SELECT min(row) AS row FROM {joined.text} GROUP BY {person}"
        return self._db.rows(
            f"SELECT {shown} FROM source SEMI JOIN ({first}) USING (row) "
            f"ORDER BY hash(row), row LIMIT {records}"
        )

    def tally(
        self,
        quasi: Sequence[CodedColumn],
        sensitive: Sequence[CodedColumn],
        unit: CodedColumn | None = None,
        weight: str | None = None,
        *,
        complete: bool = False,
    ) -> Tally:
        """The distinct coded rows; with `complete` of records that lack no quasi-identifier."""
        every = (*quasi, *sensitive)
        joined = JoinedCodes("source", {c.name: self.coding(c) for c in (*every, *if_any(unit))})
        keys = [f"{joined.code(column.name)} AS k{j}" for j, column in enumerate(every)]
        if unit is not None:
            keys.append(f"{joined.code(unit.name)} AS u")
        where = joined.where(column.name for column in (quasi if complete else ()))
        lines = self._db.rows(
            f"SELECT {', '.join([*keys, 'count(*) AS records', self._weight(weight)])} "
            f"FROM {joined.text} {where} GROUP BY ALL"
        )
        codes = [lines[f"k{j}"].to_numpy().astype(np.int32) for j in range(len(every))]
        return folded(lines, codes[: len(quasi)], codes[len(quasi) :])

    def stage(self, plan: RowPlan, draw: np.random.Generator) -> DuckDBStaged:
        """The rows that are to leave, in a table of our own, with their class and unit."""
        self._draw(draw)
        self._assign(plan)
        self._show(plan)
        return DuckDBStaged(self, plan)

    def cell(self, name: str) -> str:
        """What a column of the table is called here."""
        if name not in self._types:
            raise PolicyError(
                f"the table has no column {name!r}", remedy=nearest(name, self.names, listed=True)
            )
        return f"c{self.names.index(name)}"

    def is_float(self, name: str) -> bool:
        """Whether a column holds floating-point numbers."""
        return self._types.get(name) in _FLOATS

    def coding(self, column: CodedColumn) -> Coding:
        """A table of the column's values with their codes, to be joined."""
        entries, name = self._held(column.name), f"m{self.names.index(column.name)}"
        codes = pl.Series("code", column.codes)
        self._db.put(name, pl.DataFrame([entries.values.alias("value"), codes]))
        return Coding(name, self.cell(column.name))

    @property
    def database(self) -> Database:
        """Where everything is."""
        return self._db

    def frame(self, path: Path) -> Any:
        """The rows of a Parquet file as a table of the connection that the relation came from."""
        name = f"incrowd_release_{secrets.token_hex(8)}"
        with boundary(InputError("DuckDB cannot store the release as a table", remedy=_REMEDY)):
            self._relation.query(
                "given", f"CREATE TEMP TABLE {name} AS SELECT * FROM {parquet(path)}"
            )
            return self._relation.query("given", f"SELECT * FROM {name}")

    def weights(self, name: str) -> str:
        """The cells of a column of sampling weights, refused if they are none."""
        cell = self.cell(name)
        wrong = self._db.number(
            f"SELECT count(*) FROM source WHERE {cell} IS NULL OR NOT ({cell}::DOUBLE >= 0) "
            f"OR isnan({cell}::DOUBLE)"
        )
        if wrong:
            held = counted(wrong, "value that is", "values that are")
            raise InputError(
                f"the weight column {name!r} holds {held} missing or negative",
                remedy="give every record a weight of 0 or more",
            )
        return f"{cell}::DOUBLE"

    def _weight(self, name: str | None) -> str:
        return "NULL::DOUBLE AS weight" if name is None else f"sum({self.weights(name)}) AS weight"

    def _held(self, name: str) -> _Entries:
        if name not in self._entries:
            cell = self.cell(name)
            found = self._db.rows(
                f"SELECT {cell} AS value, count(*) AS records FROM source GROUP BY ALL ORDER BY ALL"
            )
            values = found["value"].alias(name)
            self._entries[name] = _Entries(values, found["records"].to_numpy().astype(np.int64))
        return self._entries[name]

    def counted(  # noqa: PLR0913  cells, codes, and where they are
        self,
        cells: Sequence[str],
        names: Sequence[str],
        codes: Mapping[str, str],
        of: str,
        *,
        unit: str | None = None,
        classes: str | None = None,
        weight: str | None = None,
    ) -> CountedRows:
        """Distinct cells and codes of these rows; 0.0 and -0.0 are told apart, as readers can."""
        keys = [f"{cell} AS s{j}" for j, cell in enumerate(cells)]
        keys += [f"signbit({c}) AS z{j}" for j, c in enumerate(cells) if self._zeros(c, of)]
        keys += [f"{code} AS k{j}" for j, code in enumerate(codes.values())]
        keys += [f"{said} AS {key}" for key, said in (("u", unit), ("class", classes)) if said]
        sums = [] if weight is None else [f"sum({weight}) AS weight"]
        shown = ", ".join([*keys, "count(*) AS n", *sums])
        found = self._db.rows(f"SELECT {shown} FROM {of} GROUP BY ALL ORDER BY ALL")

        def numbers(key: str) -> Codes:
            return found[key].to_numpy().astype(np.int32)

        return CountedRows(
            pl.DataFrame([found[f"s{j}"].alias(name) for j, name in enumerate(names)]),
            found["n"].to_numpy().astype(np.int64),
            {name: numbers(f"k{j}") for j, name in enumerate(codes)},
            None if unit is None else numbers("u"),
            None if classes is None else numbers("class"),
            None if weight is None else found["weight"].to_numpy().astype(np.float64),
        )

    def _zeros(self, cell: str, of: str) -> bool:
        """Whether a column may hold two kinds of zero."""
        return self._db.types(f"SELECT {cell} AS x FROM {of}")[0][1] in _FLOATS

    def _draw(self, draw: np.random.Generator) -> None:
        """Three random numbers for each record: its place among equals, in order, in its class."""
        self._db.run("CREATE OR REPLACE TABLE draws (row BIGINT, a UBIGINT, b UBIGINT, c UBIGINT)")
        for start in range(0, self.records, _CHUNK):
            rows = np.arange(start, min(start + _CHUNK, self.records), dtype=np.int64)
            drawn = draw.integers(0, 2**64, size=(3, len(rows)), dtype=np.uint64)
            frame = pl.DataFrame({"row": rows, "a": drawn[0], "b": drawn[1], "c": drawn[2]})
            self._db.put("draws", frame, more=True)

    def _assign(self, plan: RowPlan) -> None:
        """The class of each record that leaves: which of equal ones go where was drawn."""
        tally, pieces = plan.tally, plan.pieces
        order = np.argsort(pieces.row, kind="stable")
        row, count = pieces.row[order], pieces.count[order]
        upto = np.cumsum(count)
        start = np.concatenate([[0], np.cumsum(tally.counts)])[row]
        self._db.put(
            "pieces",
            pl.DataFrame(
                {
                    "tally_row": row,
                    "first": upto - count - start,
                    "last": upto - start,
                    "class": pieces.class_of[order],
                }
            ),
        )
        codes = np.concatenate([tally.quasi, tally.sensitive])
        keys = {f"k{j}": line for j, line in enumerate(codes)}
        self._db.put("tally_rows", pl.DataFrame({"tally_row": np.arange(tally.rows), **keys}))
        joined = JoinedCodes(
            "source", {c.name: self.coding(c) for c in (*plan.coded, *if_any(plan.unit))}
        )
        shown = [f"{joined.code(column.name)} AS k{j}" for j, column in enumerate(plan.coded)]
        shown.append("0 AS u" if plan.unit is None else f"{joined.code(plan.unit.name)} AS u")
        same = " AND ".join(f"coded.k{j} = tally_rows.k{j}" for j in range(len(plan.coded)))
        self._db.run(
            f"CREATE OR REPLACE TABLE assigned AS WITH coded AS (SELECT row, {', '.join(shown)} "
            f"FROM {joined.text}), placed AS (SELECT coded.*, tally_row, row_number() OVER "
            f"(PARTITION BY tally_row ORDER BY a, row) - 1 AS place FROM coded "
            f"JOIN tally_rows ON {same} JOIN draws USING (row)) "
            "SELECT placed.* EXCLUDE (place, tally_row), class, "
            "row_number() OVER (ORDER BY b, row) AS pos FROM placed "
            "JOIN pieces USING (tally_row) JOIN draws USING (row) "
            "WHERE place >= first AND place < last AND class >= 0"
        )

    def _show(self, plan: RowPlan) -> None:
        """Make the table of what leaves; its columns are called s0, s1 and so on."""
        tables, shown = [], []
        for j, (name, cell) in enumerate(plan.cells.items()):
            text, joins = self._cell(j, name, cell, plan)
            shown.append(f"{text} AS s{j}")
            tables.append(joins)
        if any(isinstance(cell, Within) for cell in plan.cells.values()):
            self._db.run(
                "CREATE OR REPLACE TABLE moved AS WITH ranked AS (SELECT row, class, "
                "row_number() OVER (PARTITION BY class ORDER BY row) AS here, "
                "row_number() OVER (PARTITION BY class ORDER BY c, row) AS there "
                "FROM assigned JOIN draws USING (row)) SELECT mine.row, theirs.row AS other "
                "FROM ranked mine JOIN ranked theirs "
                "ON mine.class = theirs.class AND mine.here = theirs.there"
            )
            tables.insert(
                0, "JOIN moved ON moved.row = assigned.row JOIN source theirs ON theirs.row = other"
            )
        keys = ", ".join(f"assigned.k{j}" for j in range(len(plan.coded)))
        self._db.run(
            f"CREATE OR REPLACE TABLE staged AS SELECT assigned.row, pos, assigned.class, "
            f"assigned.u, {keys}, {', '.join(shown)} FROM assigned "
            f"JOIN source ON source.row = assigned.row {' '.join(tables)}"
        )

    def _cell(  # noqa: PLR0911  one answer per kind of cell
        self, j: int, name: str, cell: Cell, plan: RowPlan
    ) -> tuple[str, str]:
        """What a column shows, and what must be joined for it."""
        match cell:
            case Keep():
                return f"source.{self.cell(name)}", ""
            case Within():
                return f"theirs.{self.cell(name)}", ""
            case ClassNumber():
                numbers = (
                    "(SELECT class, row_number() OVER (ORDER BY min(pos)) AS number "
                    f"FROM assigned GROUP BY class) t{j}"
                )
                return f"t{j}.number", f"JOIN {numbers} ON t{j}.class = assigned.class"
            case ByValue(column, labels):
                coding = self.coding(column)
                texts = pl.Series("label", labels.tolist(), dtype=pl.String)
                codes = pl.Series("code", np.arange(len(labels), dtype=np.int32))
                self._db.put(f"label{j}", pl.DataFrame([codes, texts]))
                value = f"source.{coding.cell}"
                return f"t{j}.label", (
                    f"JOIN {coding.table} v{j} ON v{j}.value IS NOT DISTINCT FROM {value} "
                    f"JOIN label{j} t{j} ON t{j}.code = v{j}.code"
                )
            case ByClass(original=True):
                return self._original(j, name, plan, f"assigned.k{place_of(plan, name)}")
            case ByClass(value=(_, codes)):
                every = np.arange(len(codes), dtype=np.int32)
                self._db.put(f"chosen{j}", pl.DataFrame({"class": every, "code": codes}))
                text, joins = self._original(j, name, plan, f"w{j}.code")
                return text, f"JOIN chosen{j} w{j} ON w{j}.class = assigned.class {joins}"
            case ByClass(labels, typed=typed):
                shown = labels.tolist()
                texts = pl.Series("label", shown, dtype=None if typed else pl.String)
                classes = pl.Series("class", np.arange(len(labels), dtype=np.int32))
                self._db.put(f"label{j}", pl.DataFrame([classes, texts]))
                return f"t{j}.label", f"JOIN label{j} t{j} ON t{j}.class = assigned.class"
            case _:
                raise PolicyError(
                    f"DuckDB cannot show the column {name!r} this way",
                    remedy="read the table into memory with .pl()",
                )

    def _original(self, j: int, name: str, plan: RowPlan, code: str) -> tuple[str, str]:
        """The original value of a code, written in one way wherever it stands."""
        column = next(column for column in plan.coded if column.name == name)
        entries = self._held(name)
        first = np.unique(column.codes, return_index=True)[1]
        values = entries.values.gather(first)
        codes = pl.Series("code", column.codes[first])
        gone = pl.Series((column.codes[first] == 0).tolist(), dtype=pl.Boolean)
        nothing = pl.Series([None], dtype=values.dtype)
        shown = values.zip_with(~gone, nothing).alias("value")
        self._db.put(f"value{j}", pl.DataFrame([codes, shown]))
        return f"t{j}.value", f"JOIN value{j} t{j} ON t{j}.code = {code}"
