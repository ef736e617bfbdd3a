"""What all that can be asked for begins with: a frame, or a file that is read."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import narwhals.stable.v2 as nw
import polars as pl

from incrowd.engines import duckdb as duckdb_engine
from incrowd.engines.base import Engine
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, LimitError, boundary
from incrowd.io import tables
from incrowd.io.batches import Layout
from incrowd.table.encode import to_polars

AnyPath: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class Reading:
    """How to read a text file; what is None is found."""

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    expected: tuple[str, ...] = ()
    """Names of columns that the table should have: they help to tell its header."""

    def read(self, path: AnyPath) -> tables.Source:
        """The table in this file."""
        return tables.read(
            path, self.delimiter, self.encoding, header=self.header, expected=self.expected
        )

    @property
    def layout(self) -> Layout:
        """The same for a file that is read batch by batch."""
        return Layout(self.delimiter, self.encoding, self.header, expected=self.expected)

    def expecting(self, names: Iterable[str]) -> Self:
        """The same for a table that should have columns of these names too."""
        return replace(self, expected=(*self.expected, *names))


@dataclass(frozen=True, eq=False)
class Opened:
    """A table that was opened: the engine that holds it, and how it came."""

    engine: Engine
    like: tables.Source
    """How it came; its frame is empty if the rows live elsewhere."""


def is_path(source: Any) -> bool:
    """Whether this names a file, and is not a table itself."""
    return isinstance(source, str | os.PathLike)


def opened(source: Any, reading: Reading | None = None, expected: Iterable[str] = ()) -> Opened:
    """The table in a frame, in a file, on standard input ("-") or in a DuckDB relation.

    `expected` are names that it should have: they help to tell the header of a text file.
    """
    if is_path(source):
        read = (reading or Reading()).expecting(expected).read(source)
        return Opened(MemoryEngine(read.frame, text=read.text), read)
    nowhere = tables.Source(pl.DataFrame(), text=False)
    if duckdb_engine.is_relation(source):
        return Opened(duckdb_engine.DuckDBEngine(source), replace(nowhere, format="parquet"))
    return Opened(MemoryEngine(collected(source)), nowhere)


def rows_of(frame: Any) -> pl.DataFrame:
    """Any frame as one of Polars, for counting."""
    frame = collected(frame)
    if isinstance(frame, pl.DataFrame):
        return frame
    MemoryEngine(frame)  # it says what is wrong with what is no frame
    with boundary(InputError("the frame cannot be read")):
        narrow = nw.from_native(frame, eager_only=True)
        return pl.DataFrame([to_polars(narrow[name]).alias(name) for name in narrow.columns])


def collected(frame: Any) -> Any:
    """A lazy frame computed once: its rows might come in another order the second time."""
    with boundary(InputError("the frame cannot be computed")):
        return frame.collect() if isinstance(frame, pl.LazyFrame) else frame


def each_of(given: Any) -> tuple[Any, ...]:
    """The tables of a world, be they none, one or several."""
    if given is None:
        return ()
    return tuple(given) if isinstance(given, list | tuple) else (given,)


@contextmanager
def enough_memory(remedy: str = "release it in parts") -> Iterator[None]:
    """Say it in our words if the table does not fit into memory."""
    try:
        yield
    except MemoryError:
        pass
    else:
        return
    raise LimitError("the table does not fit into memory", remedy=remedy)
