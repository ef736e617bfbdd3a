"""Spark: tables that are spread over many machines.

A data frame is computed anew in every action, and drawn anew when a task is repeated. So it is
computed once, into Parquet files in a private folder: that is the snapshot, with the row numbers
that everything random is drawn from. Tables of ours are Parquet files in the same folder, never
literals: plans, which Spark shows and logs, hold no cell and no secret. Statements run in a session
of our own, which shares the application with that of the data frame, but neither views nor
settings.
"""

import re
import secrets
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from incrowd.engines.base import Can, Digested, NewTable, PartJob, Target
from incrowd.engines.fetch import MOST_CELLS
from incrowd.engines.folders import parquet_files, sha256
from incrowd.engines.limits import shortage_boundary
from incrowd.engines.memory import refuse_repeated_names
from incrowd.engines.private_folders import PrivateFolder
from incrowd.engines.spark_logs import silence_logs
from incrowd.engines.spark_refusals import raise_refusals, store_refusals
from incrowd.engines.sql import (
    Cells,
    Database,
    SqlColumn,
    WrittenTable,
    close_on_failure,
    digest_of,
)
from incrowd.engines.sql_engine import SqlEngine
from incrowd.errors import InputError, PolicyError, boundary, guard_each
from incrowd.watch import Watch

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

SCRATCH = "spark.incrowd.scratch"
"""The setting that names the folder for our files: all executors must reach it under the same path,
and write to it as the same user. On one machine (master `local`) a temporary folder does."""
_BATCH = 2**17
"""Rows that are read at a time."""
_REMEDY = "check that df.count() works, or read the table into memory with df.toPandas()"
_LARGER = f"free some, set {SCRATCH} to a folder of a larger disk, or spark.local.dir"
_SETTINGS = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.ansi.doubleQuotedIdentifiers": "false",
    "spark.sql.caseSensitive": "true",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.writeLegacyFormat": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.variable.substitute": "false",
}
"""What statements, and other readers of our Parquet files, depend on."""
_KEPT = ("spark.sql.adaptive.", "spark.sql.autoBroadcast", "spark.sql.files.max", "spark.sql.shuf")
"""How settings begin that our session takes from the data frame's: they make things fast."""


def accepts(source: Any) -> bool:
    """Whether this is a data frame of Spark; Spark is not loaded to find out."""
    kinds = ((kind.__module__, kind.__name__) for kind in type(source).__mro__)
    return ("pyspark.sql.dataframe", "DataFrame") in kinds


def engine_of(frame: Any) -> SqlEngine:
    """The engine of a copy of a data frame's rows; `PolicyError` if it is of Spark Connect."""
    if type(frame).__module__.startswith("pyspark.sql.connect"):
        raise PolicyError(
            "incrowd cannot reach the files of a Spark Connect server",
            remedy="use a classic session, or read the table into memory with df.toPandas()",
        )
    return SqlEngine(Spark(frame), frozenset({Can.FOLDER}))


class Spark(Database):
    """A session of our own with a private folder; errors of Spark, which quote cells, end here."""

    name = "spark"

    def __init__(self, frame: Any) -> None:
        self._home = frame.sparkSession
        self._made: dict[str, Path] = {}
        self._secrets: dict[str, str] = {}
        self._parent = _shared_folder(self._home)
        self._private = _make_private_folder(self._parent)
        self.folder = self._private.path
        self._end = self._private.remove
        with close_on_failure(self), self._spark_boundary("read the data frame"):
            self.session = _new_session(self._home)
            self.columns = self._copy_rows(frame)

    def _copy_rows(self, frame: Any) -> tuple[SqlColumn, ...]:
        """Store the rows as `source`; return the columns. `InputError` for streams."""
        refuse_repeated_names(frame.columns)
        if frame.isStreaming:
            raise InputError("a stream has no end", remedy="store it, and release what you stored")
        path, fields = self.folder / "table.parquet", frame.schema.fields
        named = frame.toDF(*(f"c{j}" for j in range(len(fields))))
        void = {f"c{j}" for j, field in enumerate(fields) if field.dataType.typeName() == "void"}
        cells = (
            f"CAST({cell} AS STRING) AS {cell}" if cell in void else cell for cell in named.columns
        )
        numbered = named.selectExpr(*cells, "monotonically_increasing_id() AS row")
        numbered.write.parquet(_uri(path))
        self._create_view("source", path, _plain_type(numbered.schema))
        return _sql_columns(frame.schema)

    def rows(self, query: str) -> pl.DataFrame:
        """The answer to a query: few rows, distinct or counted ones."""
        with self._spark_boundary("count the table"):
            return pl.DataFrame(pl.from_arrow(self.session.sql(query).toArrow()))

    def batches(self, query: str) -> Iterator[pl.DataFrame]:
        """The answer to a query in frames of limited size, from files that Spark writes."""
        folder = self._new_path("batches")
        try:
            with self._spark_boundary("read the table"):
                self.session.sql(query).write.parquet(_uri(folder))
            for file in parquet_files(folder):
                yield from _read_batches(file)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def put(self, name: str, frame: pl.DataFrame) -> None:
        """Store a frame as a table of ours with this name, in place of one that is there."""
        path = self._new_path(name)
        with self._spark_boundary("take a table of codes"):
            path.mkdir()
            _write_part_file(frame, path)
            self._replace(name, path, None)

    def add(self, name: str, frame: pl.DataFrame) -> None:
        """Append these rows, as one more file, to a table of ours that `put` made."""
        with self._spark_boundary("take a table of codes"):
            _write_part_file(frame, self._made[name])
            self._create_view(name, self._made[name], None)

    def drop(self, name: str) -> None:
        """Remove a table of ours."""
        with self._spark_boundary("forget a table"):
            self.session.catalog.dropTempView(name)
            shutil.rmtree(self._made.pop(name), ignore_errors=True)

    def make(self, name: str, query: str) -> None:
        """Store a query's answer as a table of ours, in place of one with this name."""
        path = self._new_path(name)
        with self._spark_boundary("process the table"):
            found = self.session.sql(query)
            found.write.parquet(_uri(path))
            self._replace(name, path, found.schema)

    def apply(
        self,
        name: str,
        query: str,
        job: PartJob,
        watch: Watch,
        kept: Path | None = None,  # noqa: ARG002  Spark repeats tasks that fail by itself
    ) -> None:
        """Store what a job makes of each part, on executors, as a table of ours.

        incrowd must be installed there. A task that is repeated makes the same rows of its part.
        Errors of incrowd on an executor are raised here as they are.
        """
        watch.tell("searching parts on Spark", 0.0)
        path, refusals = self._new_path(name), self._new_path("refused")
        with self._spark_boundary("search the parts of the table"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions that PySpark has not been tried with
            found = self.session.sql(query)
            schema = _job_schema(found.schema, job.adds)
            work = lambda key, table: _work_on_part(job, key, table, refusals)  # noqa: E731  Spark counts
            made = found.groupBy("part").applyInArrow(work, schema)
            with raise_refusals(refusals):
                made.write.parquet(_uri(path))
            self._replace(name, path, schema)

    def quote(self, name: str) -> str:
        """The name of a column in a statement."""
        return "`" + name.replace("`", "``") + "`"

    def digest(self, of: Digested | None = None) -> tuple[Digested, str] | None:
        """The word `table`, and the SHA-256 of the rows, whatever their order.

        None, so that cells are digested as a frame, if a column is nested, or if `of` is `frame` or
        `file` and there are at most `MOST_CELLS` records.
        """
        if of in {"frame", "file"}:
            records = int(self.rows("SELECT count(*) AS n FROM source").item())
            if records <= MOST_CELLS:
                return None
        named = {column.name: f"c{j}" for j, column in enumerate(self.columns)}
        return self._digest("source", self.columns, named)

    def _digest(
        self, rows: str, columns: Sequence[SqlColumn], named: Mapping[str, str]
    ) -> tuple[Digested, str] | None:
        """As `digest`, of the table `rows`; `named` says what each column is called there.

        None if there are nested cells, since different ones may have the same text. A row is the
        text of its cells, each behind its length. Digests of rows are sorted in groups of those
        that begin alike.
        """
        if any(column.cells == "nested" for column in columns):
            return None
        cells = [
            f"{'hex' if column.cells == 'bytes' else 'string'}({named[column.name]})"
            for column in columns
        ]
        row = ", ".join(f"coalesce(concat(length({cell}), ':', {cell}), '-')" for cell in cells)
        hashed = f"SELECT sha2(concat({row}), 256) AS h FROM {rows}"
        found = self.rows(
            "SELECT substr(h, 1, 3) AS place, sha2(array_join(sort_array(collect_list(h)), ''), "
            f"256) AS h FROM ({hashed}) hashed GROUP BY substr(h, 1, 3) ORDER BY place"
        )
        names = (column.name for column in columns)
        return "table", digest_of(names, "".join(found["h"]).encode())

    def close(self) -> None:
        """Remove the private folder, with the copy of the table in it."""
        self._end()

    def random_number(self, secret: str, row: str) -> str:
        """A random-looking number's expression; the secret is in a table since plans are logged."""
        if secret not in self._secrets:
            name = f"secret{len(self._secrets)}"
            self.put(name, pl.DataFrame({"secret": [secret]}))
            self._secrets[secret] = name
        said = f"concat((SELECT secret FROM {self._secrets[secret]}), ':', {row})"
        return f"CAST(conv(substr(sha2({said}, 256), 1, 15), 16, 10) AS BIGINT)"

    def negative_zero_test(self, cell: str) -> str:
        """An expression that is true if a floating-point cell is -0.0."""
        return f"({cell} = 0 AND CAST({cell} AS STRING) = '-0.0')"

    def write(self, query: str, target: Target | NewTable | None) -> WrittenTable:
        """Write a query's rows as a folder of Parquet files, in their order from file to file.

        `PolicyError` for another target, `InputError` for columns that Spark cannot write.
        """
        if isinstance(target, NewTable) or (target is not None and target.format != "parquet"):
            raise PolicyError(
                "incrowd releases a Spark data frame as a folder of Parquet files",
                remedy="name a .parquet folder, or read the table into memory with df.toPandas()",
            )
        path = self._make_lasting_folder() if target is None else target.path
        with self._spark_boundary("write the release"):
            found = self.session.sql(query)
            _refuse_unwritable(found.schema)
            found.write.mode("append").parquet(_uri(path))
            _tidy_folder(path)
            self._create_view("released", path, None)
            columns = _sql_columns(self.session.table("released").schema)
        named = {column.name: self.quote(column.name) for column in columns}
        digest = None if target is not None else self._digest("released", columns, named)
        return WrittenTable("released", columns, digest or ("file", sha256(path)))

    def frame(self, release: WrittenTable) -> Any:
        """The release as a data frame of the session that the table came from."""
        with self._spark_boundary("read the release"):
            return self._home.read.parquet(_escaped_uri(self._made[release.rows]))

    def _make_lasting_folder(self) -> Path:
        """Make a folder for a release that stays a data frame; it goes with the user's session."""
        folder = _make_private_folder(self._parent)
        weakref.finalize(self._home, id, folder)  # it lives as long
        return folder.path

    def _new_path(self, name: str) -> Path:
        """A path in the private folder that is not taken, with this name in it."""
        return self.folder / f"{name}-{secrets.token_hex(4)}.parquet"

    def _replace(self, name: str, path: Path, schema: "StructType | None") -> None:
        """Make a table's name refer to other files, and remove the files that it referred to."""
        before = self._made.get(name)
        self._create_view(name, path, schema)
        if before is not None:
            shutil.rmtree(before, ignore_errors=True)

    def _create_view(self, name: str, path: Path, schema: "StructType | None") -> None:
        """Make a table's name refer to these files; without a schema, it is read from them."""
        reader = self.session.read if schema is None else self.session.read.schema(schema)
        reader.parquet(_escaped_uri(path)).createOrReplaceTempView(name)
        self._made[name] = path

    @contextmanager
    def _spark_boundary(self, what: str) -> Iterator[None]:
        """A block without logs of Spark, whose errors become ours: Spark cannot `what`."""
        words = f"Spark cannot {what}", _REMEDY, _LARGER
        # The inner one asks Java what happened, which must not be logged; the outer one is for a
        # Java that is gone.
        with shortage_boundary(*words), silence_logs(self._home), shortage_boundary(*words):
            yield


def _write_part_file(frame: pl.DataFrame, folder: Path) -> None:
    """Add a Parquet file with these rows to a folder."""
    plain = frame.with_columns(pl.col(pl.Null).cast(pl.Int64))
    plain.write_parquet(folder / f"part-{secrets.token_hex(4)}.parquet")


def _work_on_part(job: PartJob, key: tuple[Any, ...], table: Any, refusals: Path) -> Any:
    """What a job makes of a part, on an executor; errors of ours are stored in `refusals`."""
    with (
        store_refusals(refusals),
        shortage_boundary("a part of the table cannot be searched", "", _LARGER),
    ):
        rows = pl.DataFrame(pl.from_arrow(table)).drop("part").sort("row")
        made = job(key[0].as_py(), rows)
        return _with_spark_texts(made.select(*rows.columns, *job.adds).to_arrow())


def _with_spark_texts(table: Any) -> Any:
    """The Arrow table with each text column in the text type that Spark knows."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    wide = {pa.large_string(), pa.string_view()}
    fields = [
        field.with_type(pa.string()) if field.type in wide else field for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def _job_schema(schema: "StructType", adds: Mapping[str, pl.DataType]) -> "StructType":
    """The schema of the rows that a job makes: that of its input without `part`, and `adds`."""
    from pyspark.sql import types  # noqa: PLC0415  an extra

    known = {
        pl.Int64(): types.LongType,
        pl.Int32(): types.IntegerType,
        pl.String(): types.StringType,
    }
    fields = [field for field in schema.fields if field.name != "part"]
    fields += [types.StructField(name, known[kind]()) for name, kind in adds.items()]
    return types.StructType(fields)


def _new_session(home: Any) -> Any:
    """A session of the application with its own views, our `_SETTINGS` and the user's `_KEPT`."""
    session = home.newSession()
    for name, value in home.conf.getAll.items():
        if name.startswith(_KEPT):
            session.conf.set(name, value)
    for name, value in _SETTINGS.items():
        session.conf.set(name, value)
    return session


def _shared_folder(home: Any) -> Path:
    """The folder for private folders, which all executors reach; `PolicyError` if none is known."""
    with boundary(InputError("Spark cannot read its settings", remedy=_REMEDY)):
        named, master = home.conf.get(SCRATCH, None), home.conf.get("spark.master", "")
    if named is not None and "://" not in named.removeprefix("file://"):
        return Path(named.removeprefix("file://"))
    if named is not None:
        raise PolicyError(
            f"{SCRATCH} names no folder of a shared file system",
            remedy="set it to a path that all executors reach, such as a network drive",
        )
    if not master.startswith("local"):
        raise PolicyError(
            "incrowd does not know a folder that all executors of this Spark application reach",
            remedy=f"set {SCRATCH} to one",
        )
    return Path(tempfile.gettempdir())


def _make_private_folder(parent: Path) -> PrivateFolder:
    """Make a private folder in this one; `InputError` if that cannot be written to."""
    problem = InputError(
        "incrowd cannot make a folder for its files", remedy=f"set {SCRATCH} to a writable folder"
    )
    with boundary(problem):
        return PrivateFolder(parent)


def _uri(path: Path) -> str:
    """A path as an address of the local file system: Spark's default may be another."""
    return f"file://{path}"


def _escaped_uri(path: Path) -> str:
    """A path as an address that Spark reads, with the characters of patterns escaped."""
    return "".join(f"\\{c}" if c in "\\*?[]{}" else c for c in _uri(path))


def _tidy_folder(folder: Path) -> None:
    """Remove all but the rows' files from a folder, and name these by their order."""
    for file in sorted(folder.iterdir()):
        if file.name.startswith(("_", ".")):
            file.unlink()
    for number, file in enumerate(parquet_files(folder)):
        file.rename(folder / f"part-{number:05}.parquet")


def _read_batches(file: Path) -> Iterator[pl.DataFrame]:
    """The rows of a Parquet file in frames of at most `_BATCH` rows."""
    import pyarrow.parquet as pq  # noqa: PLC0415  an extra

    def frames() -> Iterator[pl.DataFrame]:
        for batch in pq.ParquetFile(file).iter_batches(_BATCH):
            yield pl.DataFrame(pl.from_arrow(batch))

    problem = InputError("Spark's files cannot be read", remedy=_REMEDY)
    yield from guard_each(frames(), partial(boundary, problem))


def _refuse_unwritable(schema: "StructType") -> None:
    """Refuse columns of maps or variants, which Spark cannot compare, and names with `${`."""
    maps = [f.name for f in schema.fields if _MAPS.search(f.dataType.simpleString())]
    if maps:
        raise InputError(
            f"Spark cannot compare the maps or variants of {', '.join(map(repr, maps))}",
            remedy="drop the column, or turn it into a list with map_entries or into text",
        )
    if any("${" in name for name in schema.names):  # Hadoop puts a setting in its place
        raise InputError("Spark cannot write columns with ${ in their name", remedy="rename them")


_MAPS = re.compile(r"\b(map<|variant\b)")


_NUMBERS = ("boolean", "byte", "decimal", "integer", "long", "short")
_MOMENTS = ("date", "timestamp", "timestamp_ntz")
_CELLS: dict[str, Cells] = {
    "binary": "bytes",
    "double": "float",
    "float": "float",
    "string": "text",
    "void": "text",
    **dict.fromkeys((*_NUMBERS, *_MOMENTS), "other"),
}
"""What cells are by Spark's name for their type; no statement looks into those of others."""


def _sql_columns(schema: "StructType") -> tuple[SqlColumn, ...]:
    """The columns of a schema, with the kind of their cells."""
    kinds = ((field.name, field.dataType.typeName().partition("(")[0]) for field in schema.fields)
    return tuple(SqlColumn(name, _CELLS.get(kind, "nested")) for name, kind in kinds)


def _plain_type(kind: Any) -> Any:
    """The type with plain texts, in place of nulls too, and no comments, which may list values."""
    from pyspark.sql import types  # noqa: PLC0415  an extra

    match kind:
        case types.StructType():
            fields = [types.StructField(f.name, _plain_type(f.dataType)) for f in kind.fields]
            return types.StructType(fields)
        case types.ArrayType():
            return types.ArrayType(_plain_type(kind.elementType))
        case types.MapType():
            return types.MapType(_plain_type(kind.keyType), _plain_type(kind.valueType))
        case types.StringType() | types.NullType():
            return types.StringType()
        case _:
            return kind
