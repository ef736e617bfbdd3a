"""Lazy frames of Polars, computed once and never held whole.

A lazy frame is streamed into a Parquet file in the private folder of a DuckDB database. A release
without a target is a lazy frame over such a file, which lives as long as any frame made of it. What
is small, or of types that DuckDB lacks or changes, is worked on in memory; without DuckDB all is.
"""

import os
import shutil
from collections.abc import Iterator
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from incrowd.engines.base import Can, Engine, NewTable, RowPlan, Target
from incrowd.engines.duckdb import DuckDB
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.memory_release import MemoryStaged, MemoryWritten
from incrowd.engines.private_folders import PrivateFolder
from incrowd.engines.sql import WrittenTable, close_on_failure
from incrowd.engines.sql_engine import SqlEngine
from incrowd.errors import InputError, boundary

FEW_RECORDS = 100_000
"""A lazy frame with no more records is worked on in memory."""

_INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
_SAME = (*_INTEGERS, pl.Boolean, pl.Date, pl.Decimal, pl.Float32, pl.Float64, pl.String)
"""Types whose cells are the same in Polars, Parquet and DuckDB."""


def accepts(source: Any) -> bool:
    """Whether this is a lazy frame of Polars."""
    return isinstance(source, pl.LazyFrame)


def engine_of(frame: pl.LazyFrame) -> Engine:
    """The engine of a lazy frame's rows, which are computed now.

    They stay in memory if they are few, if DuckDB is missing or if a column's type would change.
    """
    with boundary(InputError("the frame cannot be computed")):
        schema = frame.collect_schema()
    if find_spec("duckdb") is None or not all(_keeps_type(dtype) for dtype in schema.dtypes()):
        with boundary(InputError("the frame cannot be computed")):
            return CollectedEngine(frame.collect())
    database = _LazyDuckDB()
    with close_on_failure(database):
        rows = database.store_unless_few(frame, schema.names())
    if rows is not None:
        database.close()
        return CollectedEngine(rows)
    return SqlEngine(database, frozenset({Can.ORDER}))


def convert_like(source: pl.LazyFrame, rows: pl.DataFrame) -> pl.LazyFrame:  # noqa: ARG001  one kind
    """These rows as a lazy frame."""
    return rows.lazy()


def _keeps_type(dtype: pl.DataType) -> bool:
    """Whether cells of this type come back from DuckDB in the same type."""
    if isinstance(dtype, pl.Datetime):
        return dtype.time_zone is None and dtype.time_unit == "us"
    return isinstance(dtype, _SAME)


class CollectedEngine(MemoryEngine):
    """A lazy frame in memory; its release is a lazy frame."""

    def stage(self, plan: RowPlan, draw: np.random.Generator) -> "_LazyStaged":
        """Stage the rows of a release as `MemoryEngine.stage` does, with a lazy frame of them."""
        staged = super().stage(plan, draw)
        return _LazyStaged(self, plan, staged.frame.lazy(), staged.classes, staged.take)


class _LazyStaged(MemoryStaged):
    """Staged rows that leave as a lazy frame."""

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The rows of the lazy frame, computed once."""
        return pl.DataFrame(self.frame.collect())

    def write(self, target: Target | NewTable | None = None) -> MemoryWritten:
        """Write the rows to their target; return them read anew, without a target as they are."""
        eager = MemoryStaged(self.engine, self.plan, self.rows, self.classes, self.take)
        written = eager.write(target)
        return written if target is not None else MemoryWritten(self.rows, self.rows)


class _LazyDuckDB(DuckDB):
    """A database that holds the rows of a lazy frame."""

    def store_unless_few(self, frame: pl.LazyFrame, names: list[str]) -> pl.DataFrame | None:
        """Make a lazy frame's rows the table, or return them if they are at most `FEW_RECORDS`."""
        path = self.folder / "table.parquet"
        numbered = frame.select(pl.nth(j).alias(f"c{j}") for j in range(len(names)))
        with boundary(InputError("the frame cannot be computed")):
            numbered.sink_parquet(path)
            records = _count_rows(path) if names else 0
            if records <= FEW_RECORDS:
                rows = pl.read_parquet(path, glob=False)
                return pl.DataFrame([rows[f"c{j}"].alias(name) for j, name in enumerate(names)])
        self.set_foreign_table(path, names)
        return None

    def frame(self, release: WrittenTable) -> pl.LazyFrame:  # noqa: ARG002  there is one
        """The release as a lazy frame over a file that is kept for it."""
        return scan_kept_file(self.folder / "release.parquet")


def _count_rows(path: Path) -> int:
    """How many rows a Parquet file has."""
    return int(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())


def keep_file(path: Path) -> tuple[Path, PrivateFolder]:
    """Link, or copy, a file into a new private folder; return its new path and the folder."""
    folder = PrivateFolder()
    place = folder.path / path.name
    try:
        os.link(path, place)
    except OSError:
        shutil.copyfile(path, place)
    return place, folder


def scan_kept_file(path: Path) -> pl.LazyFrame:
    """A lazy frame over the rows of a Parquet file, which is kept for it.

    The plan of a lazy frame, and of every one that is made of it, refers to the function that reads
    the file, and that to the folder. A scan of the path would not: the file could go too early.
    """
    from polars.io.plugins import register_io_source  # noqa: PLC0415  few need it

    place, folder = keep_file(path)

    def read(
        columns: list[str] | None, predicate: pl.Expr | None, records: int | None, _: int | None
    ) -> Iterator[pl.DataFrame]:
        """Yield the rows that a plan of Polars asks for."""
        rows = pl.scan_parquet(folder.path / place.name, glob=False)
        if predicate is not None:
            rows = rows.filter(predicate)
        if records is not None:
            rows = rows.head(records)
        if columns is not None:
            rows = rows.select(pl.nth(names.index(name)) for name in columns)
        yield from rows.collect_batches()

    with boundary(InputError("Polars cannot read the release")):
        schema = pl.scan_parquet(place, glob=False).collect_schema()
        names = schema.names()
        return register_io_source(read, schema=schema)
