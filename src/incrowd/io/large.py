"""Tables that are larger than memory: files and folders of files.

A table is worked on in memory if it fits there, and out of memory with DuckDB if it does not. What
a table takes in memory is estimated beforehand from its size, and so is the disk that it takes.
"""

import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from incrowd.engines.base import Engine
from incrowd.engines.folders import names_several_files, parquet_files, written_keys
from incrowd.errors import InputError, LimitError, PolicyError, boundary
from incrowd.io.batches import open_batches
from incrowd.io.byte_limits import free_memory
from incrowd.io.faults import file_boundary
from incrowd.io.layout import Layout
from incrowd.io.notes import Note
from incrowd.io.tables import Form, Source, demand_parquet, demand_same_columns
from incrowd.io.target import write_in_pieces
from incrowd.io.titles import refuse_wide

CELL = 70
"""Bytes of memory that a cell takes while a table is released in memory, at most, by experience."""
_ON_DISK = 40
"""Bytes of disk that a cell takes while a table is released out of memory, by experience."""
_LEVELS, _PARTS = 0.8e-6, 1.5e-6
"""Seconds per cell with levels and with parts, on two cores (see `benchmarks/scale.py`)."""
_SHARE = 0.6
"""The share of the free memory that a table may take without being asked."""
_TEXT = 6
"""Bytes of a cell in a text file, about."""
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
LEAST = 2**28
"""Less memory than this is refused."""


def parse_memory(text: str) -> int:
    """The bytes that a text such as `2GB` stands for.

    `PolicyError` if it is no amount of memory, or less than `LEAST` bytes.

    >>> parse_memory("2GB"), parse_memory("1.5 GiB"), parse_memory("800m")
    (2000000000, 1610612736, 800000000)
    """
    plain = text.strip().upper()
    number = plain.rstrip("KMGTIB ")
    unit = plain[len(number) :].strip()
    try:
        size = int(float(number) * _UNITS[unit])
    except (ValueError, KeyError, OverflowError):
        size = -1
    if size < 0:
        raise PolicyError(f"{text!r} is not an amount of memory", remedy="write it like 2GB")
    if size < LEAST:
        raise PolicyError(
            f"{text!r} is too little memory", remedy=f"give at least {LEAST // 2**20}MiB"
        )
    return size


@dataclass(frozen=True)
class TableEstimate:
    """The size of a table, estimated before it is read."""

    cells: int
    """About how many cells it has."""
    rows: int | None = None
    """How many rows; None if that is not known before it is read."""

    @property
    def memory(self) -> int:
        """Bytes of memory that it takes to release the table in memory."""
        return CELL * self.cells

    @property
    def disk(self) -> int:
        """Bytes of disk that it takes to release the table out of memory."""
        return _ON_DISK * self.cells

    def describe(self, memory: float) -> str:
        """A note for the user: time and disk of work out of memory that may use `memory` bytes."""
        rows = "" if self.rows is None else f" of {self.rows:,} rows"
        return (
            f"this table{rows} is counted with DuckDB, out of memory: in memory it would take "
            f"about {_bytes_text(self.memory)}. A release takes about "
            f"{_time_text(_LEVELS * self.cells)} with levels, or {_time_text(_PARTS * self.cells)} "
            f"with local recoding in parts, {_bytes_text(memory)} of memory, and "
            f"{_bytes_text(self.disk)} of disk for a while"
        )


@dataclass(frozen=True, eq=False)
class LargeTable:
    """A table that is worked on out of memory."""

    engine: Engine
    source: Source
    """How it came: its layout, its columns and why it is worked on so; no rows."""


def open_large(source: Any, layout: Layout, memory: int | None = None) -> LargeTable | None:
    """Open a table to be worked on out of memory; None if it is to be read into memory instead.

    None for standard input, if there is no file or no DuckDB, and for what fits into memory unless
    it is a folder of partitions. `memory` is how many bytes may be used; None for a share of the
    free ones. `LimitError` if it takes more disk than is free, `InputError` for several files that
    are not all Parquet or have different columns, as in memory.
    """
    if str(source) == "-" or find_spec("duckdb") is None:
        return None
    files = _list_files(source)
    estimate = _estimate_files(files)
    most = free_memory() * _SHARE if memory is None else memory
    if not files or (estimate.memory <= most and not _has_partitions(Path(source), files)):
        return None
    _refuse_full_disk(estimate)
    found = _files_as_table(source, files)
    return _open_files(found, layout, memory, estimate.describe(most))


def estimate_size(source: Any) -> TableEstimate | None:
    """The estimated size of the table in a file or in several; None if there is no file.

    `InputError` for a folder or a pattern that names other things than Parquet files.
    """
    files = _list_files(source)
    return _estimate_files(files) if files else None


def _estimate_files(paths: Sequence[Path]) -> TableEstimate:
    """The estimated size of the table in these files, one or several."""
    every = [_parquet_size(path) for path in paths]
    known = [size for size in every if size is not None]
    cells = sum(rows * columns for rows, columns in known)
    texts = (path.stat().st_size for path, size in zip(paths, every, strict=True) if size is None)
    rows = sum(rows for rows, _ in known) if len(known) == len(every) else None
    return TableEstimate(cells + sum(size // _TEXT for size in texts), rows)


def _has_partitions(path: Path, files: Iterable[Path]) -> bool:
    """Whether these files of a folder are in folders in it, such as day=1/part.parquet."""
    return path.is_dir() and any(file.parent != path for file in files)


def _list_files(source: Any) -> Sequence[Path]:
    """The file, or the files of a folder or a pattern; empty for a path that names no file.

    `InputError`, as in memory, if a folder or pattern has no file or others than Parquet files.
    """
    if not names_several_files(source):
        return [path] if (path := Path(source)).is_file() else []
    with file_boundary(source):
        return parquet_files(source)


@dataclass(frozen=True, eq=False)
class _TableFiles:
    """The files of one table: one of any format, or several Parquet files."""

    files: Sequence[Path]
    columns: Mapping[str, str] = field(default_factory=dict)
    """Of several files: their columns and the keys of folders, each with the name it has there."""
    keys: bool = False
    """Whether names of folders such as `day=1` add columns."""


def _files_as_table(source: Any, files: Sequence[Path]) -> _TableFiles:
    """The table in the files that a source names; `InputError`, as in memory, if they do not fit.

    They do not if several are not all Parquet, or differ in their columns, or if these are too many
    in Parquet files; columns of other files are counted when they are read.
    """
    with file_boundary(source):
        own = [pl.scan_parquet(f, glob=False).collect_schema() for f in files if _is_parquet(f)]
        refuse_wide(max(map(len, own), default=0))
        if not names_several_files(source):
            return _TableFiles(files)
        demand_parquet(len(own) == len(files))
        keys = [written_keys(file, source) for file in files]
        demand_same_columns((*one.items(), *more) for one, more in zip(own, keys, strict=True))
    stored = {name: name for name in own[0]}
    added = {name: has for name, has in keys[0].items() if name not in stored}
    return _TableFiles(files, stored | added, bool(added))


def _is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet files do."""
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _parquet_size(path: Path) -> tuple[int, int] | None:
    """Rows and columns of a Parquet file, without reading its cells; None for other files."""
    if not _is_parquet(path):
        return None
    with boundary(InputError(f"{str(path)!r} cannot be read", remedy="is it whole?")):
        scan = pl.scan_parquet(path, glob=False)
        return int(scan.select(pl.len()).collect().item()), len(scan.collect_schema())


def _open_files(table: _TableFiles, layout: Layout, memory: int | None, note: str) -> LargeTable:
    """The table of Parquet files, or of one other file copied to Parquet, in a new database."""
    from incrowd.engines.duckdb import DuckDB  # noqa: PLC0415  an extra
    from incrowd.engines.sql import close_on_failure  # noqa: PLC0415  beside it
    from incrowd.engines.sql_engine import SqlEngine  # noqa: PLC0415  beside it

    database, form = DuckDB(memory=memory), Form("parquet")
    with close_on_failure(database):
        first, *others = table.files
        if others or table.keys:
            database.copy_files([*map(str, table.files)], table.columns, keys=table.keys)
        elif _is_parquet(first):
            database.set_foreign_table(first.resolve())
        else:
            copy = database.folder / "table.parquet"
            form, database.text = _copy_as_parquet(first, layout, copy)
            database.set_table(copy)
    names = [column.name for column in database.columns]
    rows = pl.DataFrame(schema=dict.fromkeys(names, pl.String if database.text else pl.Null))
    notes = (Note("large", 1, note),)
    source = Source(
        rows, database.text, form.format, form.delimiter, "utf-8", form.compression, notes
    )
    return LargeTable(SqlEngine(database), source)


def _copy_as_parquet(path: Path, layout: Layout, place: Path) -> tuple[Form, bool]:
    """Copy a file to Parquet, batch by batch; return its form, and whether cells are text."""
    with open_batches(path, layout) as table, write_in_pieces(place, Form("parquet")) as write:
        if table.text:
            write(pl.DataFrame(schema=dict.fromkeys(table.names, pl.String)))
        for frame in table:
            write(frame)
        return table.form, table.text


def _refuse_full_disk(estimate: TableEstimate) -> None:
    """Raise `LimitError` if the table takes more disk for temporary files than is free."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if estimate.disk > free:
        raise LimitError(
            f"this table needs about {_bytes_text(estimate.disk)} of disk for a while, and "
            f"{_bytes_text(free)} are free",
            remedy="free some, or set TMPDIR to a larger disk",
        )


def _time_text(seconds: float) -> str:
    """Seconds in words.

    >>> _time_text(40), _time_text(300), _time_text(9000)
    ('a minute', '5 minutes', '2.5 hours')
    """
    minutes = seconds / 60
    if minutes < 1.5:
        return "a minute"
    return f"{minutes:.0f} minutes" if minutes < 100 else f"{minutes / 60:.1f} hours"


def _bytes_text(size: float) -> str:
    """A number of bytes in words, such as `12 MB`."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
