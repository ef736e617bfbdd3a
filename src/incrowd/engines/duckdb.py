"""DuckDB: tables larger than memory, on one machine.

The snapshot is a copy of the table, as Parquet, in a private folder that goes with the engine. A
database of our own works on it, and writes there what does not fit into memory.
"""

import secrets
import shutil
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from incrowd.engines.addresses import REMOTE, STORED
from incrowd.engines.base import NewTable, PartJob, Target
from incrowd.engines.duckdb_files import digest_of_release, put_together
from incrowd.engines.duckdb_parts import PartWork
from incrowd.engines.limits import FOLDER, mebibytes, resident_bytes, shortage_boundary
from incrowd.engines.private_folders import PrivateFolder
from incrowd.engines.sql import (
    Cells,
    Database,
    SqlColumn,
    WrittenTable,
    close_on_failure,
    parquet_call,
    quote,
    text_literal,
    with_types,
)
from incrowd.engines.sql_engine import SqlEngine
from incrowd.engines.stamps import Stamp
from incrowd.errors import InputError, PolicyError, boundary, guard_each
from incrowd.watch import Watch

_SHARE = 0.6
"""The largest share of the memory limit that is DuckDB's own; the rest is for codes and parts."""
_LEAST = 384 * 2**20
"""Bytes that DuckDB has at least, whatever else the process holds; its share limits them."""
_TIGHT = 0.85
"""DuckDB holds somewhat more than it counts."""
_STEP = 0.05
"""What DuckDB may use is set anew if it changes by more than this share."""
_SILENT = "SET enable_progress_bar = false"
"""DuckDB shows its progress on standard output otherwise."""
_BATCH = 2**17
"""Rows that are read at a time."""
_FLOATS = ("FLOAT", "DOUBLE")
_CELLS: dict[str, Cells] = {"BLOB": "bytes", "VARCHAR": "text", **dict.fromkeys(_FLOATS, "float")}
_LISTS = ("LIST", "ARRAY", "STRUCT", "MAP", "UNION")
_REMEDY = "check the relation, or read the table into memory with .pl()"


_boundary = partial(shortage_boundary, remedy=_REMEDY)


def accepts(source: Any) -> bool:
    """Whether this is a relation of DuckDB, `duckdb:FILE::TABLE` or an address of Parquet files."""
    if isinstance(source, str):
        return source.startswith((STORED, *REMOTE))
    return type(source).__module__.partition(".")[0] in {"duckdb", "_duckdb"}


def engine_of(source: Any) -> SqlEngine:
    """The engine of the rows of a relation or at an address; it works on a copy of them."""
    if not isinstance(source, str):
        return SqlEngine(DuckDB.of(source))
    return SqlEngine(
        _copy_of_table(source) if source.startswith(STORED) else _copy_of_files(source)
    )


def _copy_of_table(source: str) -> "DuckDB":
    """A copy of the named table; `PolicyError` if none is named, `InputError` if unreadable."""
    file, _, table = source.removeprefix(STORED).partition("::")
    if not file or not table:
        raise PolicyError(
            "a table in a file of DuckDB is written duckdb:FILE::TABLE",
            remedy="name the file and the table",
        )
    if not Path(file).is_file():
        raise InputError(f"there is no file {file!r}", remedy="check the path")
    found = DuckDB()
    with close_on_failure(found):
        found.copy_stored(Path(file), table)
    return found


def _copy_of_files(source: str) -> "DuckDB":
    """A copy of Parquet files in some cloud; `InputError` if DuckDB is not set up for them."""
    kind = source.partition("://")[0]
    problem = InputError(
        f"DuckDB cannot read {kind}:// here: its extension or your credentials are not set up",
        remedy="set them up as DuckDB's documentation says, or copy the files here first",
    )
    found = DuckDB()
    with close_on_failure(found), boundary(problem):
        found.copy_remote(source)
    return found


class DuckDB(Database):
    """A database of our own in a private folder; errors of DuckDB, which quote cells, end here.

    It has no table at first: `of` copies one. `relation` tells whose connection gets a release.
    """

    name = "duckdb"

    def __init__(self, relation: Any = None, memory: int | None = None) -> None:
        with boundary(InputError("duckdb is missing", remedy="install incrowd[duckdb]")):
            import duckdb  # noqa: PLC0415  an extra
        with shortage_boundary("incrowd cannot make a folder for its files", FOLDER):
            private = PrivateFolder()
        self.folder = private.path
        settings: Any = {
            "temp_directory": str(self.folder / "spill"),
            "preserve_insertion_order": False,
        }
        self.memory = memory
        self._granted = 0.0 if memory is None else _SHARE * memory
        if memory is not None:
            settings["memory_limit"] = mebibytes(self._granted)
        self._watched: tuple[Stamp, ...] = ()
        self._relation = relation
        with shortage_boundary("incrowd cannot make a database for its tables", FOLDER):
            self._connection: Any = duckdb.connect(str(self.folder / "work.db"), config=settings)
            self._connection.execute(_SILENT)
        self.columns: tuple[SqlColumn, ...] = ()
        self._end = weakref.finalize(self, _remove_all, self._connection, private)

    @classmethod
    def of(cls, relation: Any) -> "DuckDB":
        """A database whose table is a copy of this relation."""
        made = cls(relation)
        with close_on_failure(made):
            made.copy(relation)
        return made

    def copy(self, relation: Any) -> None:
        """Copy a relation of DuckDB into this database as its table."""
        path = self.folder / "table.parquet"
        with _boundary("DuckDB cannot read the relation"):
            relation.write_parquet(str(path))
        self.set_table(path)

    def copy_files(
        self, files: Sequence[str], names: Mapping[str, str], *, keys: bool = False
    ) -> None:
        """Copy columns of Parquet files, and of their folders if `keys` is true, as our table.

        `names` has the names that they get, each with the one that they have.
        """
        chosen = ", ".join(f"{quote(has)} AS {quote(gets)}" for gets, has in names.items())
        self._copy_query(f"SELECT {chosen} FROM {parquet_call(files, keys=keys)}")

    def copy_remote(self, address: str) -> None:
        """Copy the rows of Parquet files in some cloud as our table; errors of DuckDB pass."""
        path = self.folder / "table.parquet"
        query = f"SELECT * FROM read_parquet({text_literal(address)})"
        self._connection.execute(f"COPY ({query}) TO {text_literal(path)} (FORMAT parquet)")
        self.set_table(path)

    def copy_stored(self, file: Path, table: str) -> None:
        """Copy a table of a DuckDB file, which is only read; `InputError` if it cannot be."""
        problem = InputError(
            f"DuckDB cannot read a table {table!r} in the file {str(file)!r}",
            remedy="check that it is a file of DuckDB, and the name of the table",
        )
        with boundary(problem):
            self._connection.execute(f"ATTACH {text_literal(file)} AS given (READ_ONLY)")
            query = f"SELECT * FROM given.{'.'.join(map(quote, table.split('.')))}"
            self._connection.execute(f"{query} LIMIT 0")
        self._copy_query(query)
        self.run("DETACH given")

    def _copy_query(self, query: str) -> None:
        """Store what a query answers as Parquet, and make it the table."""
        path = self.folder / "table.parquet"
        self.run(f"COPY ({query}) TO {text_literal(path)} (FORMAT parquet)")
        self.set_table(path)

    def set_table(self, path: Path, names: Sequence[str] | None = None) -> None:
        """Make the view `source` of a Parquet file of ours; `names` rename its columns if given."""
        stored = self._columns_of(parquet_call(path))
        called = [column.name for column in stored] if names is None else names
        pairs = zip(called, stored, strict=True)
        self.columns = tuple(SqlColumn(name, column.cells) for name, column in pairs)
        named = ", ".join(f"{quote(column.name)} AS c{j}" for j, column in enumerate(stored))
        self.run(
            f"CREATE VIEW source AS SELECT {named}, file_row_number AS row "
            f"FROM {parquet_call(path, 'file_row_number = true')}"
        )

    def set_foreign_table(self, path: Path, names: Sequence[str] | None = None) -> None:
        """Make the view `source` of another program's Parquet file, as `set_table` of one of ours.

        Statistics in Parquet files leave out NaN, and DuckDB would conclude that there is none. The
        file must not change before the release is written.
        """
        self._watched = (Stamp.of(path),)
        self.set_table(path, names)
        if any(column.cells == "float" for column in self.columns):
            self.run("SET disabled_optimizers = 'statistics_propagation'")

    def run(self, statement: str) -> None:
        """Carry out a statement."""
        self._adjust_memory_limit()
        with _boundary("DuckDB cannot process the table"):
            self._connection.execute(statement)

    def _adjust_memory_limit(self, *, least: bool = False) -> None:
        """Set DuckDB's memory limit to what the rest of the process leaves of the engine's limit.

        With `least` DuckDB gets the smallest limit, so that it gives back its cache of files before
        other work begins. Does nothing without a limit, if the process's memory is not known, or if
        the new limit would be about the same (`_STEP`).
        """
        held = resident_bytes()
        if self.memory is None or held is None:
            return
        with _boundary("DuckDB cannot tell its memory"):
            query = "SELECT sum(memory_usage_bytes) AS n FROM duckdb_memory()"
            own = int(self._connection.sql(query).pl().item() or 0)
            most = _SHARE * self.memory
            left = 0 if least else _TIGHT * (self.memory - (held - own))
            wanted = max(min(most, left), min(most, _LEAST))
            if abs(wanted - self._granted) > _STEP * self._granted:
                self._connection.execute(f"SET memory_limit = '{mebibytes(wanted)}'")
                self._granted = wanted

    def rows(self, query: str) -> pl.DataFrame:
        """The answer to a query: few rows, distinct or counted ones."""
        self._adjust_memory_limit()
        with _boundary("DuckDB cannot count the table"):
            return pl.DataFrame(self._connection.sql(query).pl())

    def _open_cursor(self) -> Any:
        """A second connection to the same database, for queries beside those of others."""
        with _boundary("DuckDB cannot read the table"):
            cursor = self._connection.cursor()
            cursor.execute(_SILENT)
            return cursor

    def cursor_rows(self, query: str) -> pl.DataFrame:
        """The answer to a query; any thread may ask, since it uses a connection of its own."""
        with _boundary("DuckDB cannot read the table"):
            return pl.DataFrame(self._open_cursor().sql(query).pl())

    def batches(self, query: str) -> Iterator[pl.DataFrame]:
        """The answer to a query in frames of limited size."""
        cursor = self._open_cursor()
        with _boundary("DuckDB cannot read the table"):
            found = cursor.sql(query)
            read = getattr(found, "to_arrow_reader", None) or found.fetch_arrow_reader
            frames = (pl.DataFrame(pl.from_arrow(batch)) for batch in read(_BATCH))
        yield from guard_each(frames, partial(_boundary, "DuckDB cannot read the table"))

    def put(self, name: str, frame: pl.DataFrame) -> None:
        """Store a frame as a table of ours with this name, in place of one that is there."""
        self._run_on_frame(frame, f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM given")

    def add(self, name: str, frame: pl.DataFrame) -> None:
        """Append these rows to a table of ours that `put` made."""
        self._run_on_frame(frame, f"INSERT INTO {name} SELECT * FROM given")

    def _run_on_frame(self, frame: pl.DataFrame, statement: str) -> None:
        """Run a statement that reads this frame under the name `given`."""
        with _boundary("DuckDB cannot take a table of codes"):
            self._connection.register("given", frame.to_arrow())
            self._connection.execute(statement)
            self._connection.unregister("given")

    def drop(self, name: str) -> None:
        """Remove a table of ours."""
        self.run(f"DROP TABLE {name}")

    def make(self, name: str, query: str) -> None:
        """Store a query's answer as a table of ours, in place of one with this name."""
        self.run(f"CREATE OR REPLACE TABLE {name} AS {query}")

    def apply(
        self, name: str, query: str, job: PartJob, watch: Watch, kept: Path | None = None
    ) -> None:
        """Store what a job makes of parts, in threads, as a view of files (in `kept` if given)."""
        before, after = self._make_empty_folder("before"), kept or self._make_empty_folder("after")
        self.run(f"COPY ({query}) TO {text_literal(before)} (FORMAT parquet, PARTITION_BY (part))")
        self._adjust_memory_limit(least=True)
        files = PartWork(self, job, before, after).run(watch) or [
            self._write_empty_part(query, job, after)
        ]
        self.run(f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM {parquet_call(files)}")

    def _write_empty_part(self, query: str, job: PartJob, after: Path) -> str:
        """Write a file with the columns that the job makes and no record; return its path."""
        none = self.rows(f"SELECT * EXCLUDE (part) FROM ({query}) LIMIT 0")
        added = [pl.Series(name, [], dtype=kind) for name, kind in job.adds.items()]
        with shortage_boundary("incrowd cannot store a part of the release", FOLDER):
            none.with_columns(added).write_parquet(after / "none.parquet")
        return str(after / "none.parquet")

    def _make_empty_folder(self, name: str) -> Path:
        """Make an empty folder of ours, in place of one that is there, and return it."""
        folder = self.folder / name
        with shortage_boundary("incrowd cannot make a folder for its files", FOLDER):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        return folder

    def random_number(self, secret: str, row: str) -> str:
        """An expression for a random-looking whole number, made of a secret and a row's number."""
        return f"md5_number_lower(concat('{secret}:', {row}))"

    def negative_zero_test(self, cell: str) -> str:
        """An expression that is true if a floating-point cell is -0.0."""
        return f"({cell} = 0 AND signbit({cell}))"

    def write(self, query: str, target: Target | NewTable | None) -> WrittenTable:
        """Write a query's rows to the target, as Parquet to a file of ours if that is None.

        `PolicyError` for a table as the target, `InputError` if the source changed meanwhile.
        """
        if isinstance(target, NewTable):
            raise PolicyError(
                "incrowd releases a table of DuckDB as a file",
                remedy="name a .parquet or .csv file",
            )
        if target is not None and target.format != "parquet":
            path = self._write_in_batches(query, target)
        else:
            path = self.folder / "release.parquet" if target is None else target.path
            self.run(f"COPY ({query}) TO {text_literal(path)} (FORMAT parquet)")
        if any(one.is_changed for one in self._watched):
            raise InputError(
                "the table changed while incrowd worked on it, so nothing was released",
                remedy="run it again when nothing writes to the table",
            )
        digest = digest_of_release(path) if target is None else ("file", target.sha256())
        return WrittenTable(parquet_call(path), self._columns_of(parquet_call(path)), digest)

    def _write_in_batches(self, query: str, target: Target) -> Path:
        """Write rows in batches, read the file anew; return the path of a Parquet copy of it."""
        types: dict[str, pl.DataType] = {}
        with target.parts() as write:
            for frame in self.batches(query):
                types = dict(frame.schema)
                write(frame)
        path = self.folder / "written.parquet"
        with shortage_boundary("the release cannot be read anew", "name another file"):
            put_together(path, (with_types(frame, types) for frame in target.batches()))
        return path

    def frame(self, release: WrittenTable) -> Any:
        """The release as a table of the connection that the relation came from."""
        name = f"incrowd_release_{secrets.token_hex(8)}"
        with _boundary("DuckDB cannot store the release as a table"):
            self._relation.query(
                "given", f"CREATE TEMP TABLE {name} AS SELECT * FROM {release.rows}"
            )
            return self._relation.query("given", f"SELECT * FROM {name}")

    def close(self) -> None:
        """Remove the private folder, with the copy of the table in it."""
        self._end()

    def _columns_of(self, rows: str) -> tuple[SqlColumn, ...]:
        """The columns of the rows that this text, as it stands behind FROM, reads."""
        with boundary(InputError("DuckDB cannot read the table", remedy=_REMEDY)):
            found = self._connection.sql(f"SELECT * FROM {rows}")
            pairs = zip(found.columns, found.types, strict=True)
            return tuple(SqlColumn(str(name), _kind_of_cells(str(kind))) for name, kind in pairs)


def _kind_of_cells(kind: str) -> Cells:
    """The kind of cells of a type, by DuckDB's name for it; `other` for types without a rule."""
    if kind.startswith(_LISTS) or kind.endswith("]"):
        return "nested"
    return _CELLS.get(kind, "other")


def _remove_all(connection: Any, folder: PrivateFolder) -> None:
    """Close the connection, if that can be done, and remove the folder."""
    with suppress(Exception):  # an interrupted call may still hold it; the folder goes all the same
        connection.close()
    folder.remove()
