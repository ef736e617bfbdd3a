"""Open a table once: a frame, a file, a table elsewhere, or one that is open already."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import polars as pl

from incrowd.engines import elsewhere
from incrowd.engines.addresses import refuse_addresses
from incrowd.engines.base import Engine
from incrowd.engines.fetch import fetch_into_memory
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, LimitError, boundary
from incrowd.io import large, tables
from incrowd.io.large import LargeTable
from incrowd.io.layout import PIECE, Layout
from incrowd.io.notation import NotationRequest, parse_date_formats
from incrowd.requests.reading import ReadingOptions
from incrowd.watch import Watch

AnyPath: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True, kw_only=True)
class Reading(ReadingOptions):
    """How to read a file; what is None is found out."""

    expected: tuple[str, ...] = ()
    """Names of columns that the table should have: they help to tell its header."""
    kept: tuple[str, ...] | None = ()
    """Columns whose numbers and dates stay as they are written; None for all."""
    only: tuple[str, ...] | None = None
    """Columns whose numbers and dates are looked at; None for all."""
    piece: int = PIECE
    """Bytes of a text that are read at a time, if it is read piece by piece."""

    def __post_init__(self) -> None:
        """Raise `PolicyError` for a faulty amount of memory, mark of numbers or format of dates."""
        _ = self.bytes, self.notation

    @property
    def bytes(self) -> int | None:
        """Bytes of memory that may be used; None if the user sets no limit."""
        return large.parse_memory(self.memory) if isinstance(self.memory, str) else self.memory

    @property
    def notation(self) -> NotationRequest | None:
        """How numbers and dates are written, as far as known; None leaves them as they are."""
        given = self.date_formats or {}
        formats = given if isinstance(given, str | Mapping) else parse_date_formats(given)
        asked = NotationRequest(self.decimal, self.thousands, formats, self.kept or (), self.only)
        return None if self.kept is None else asked

    def read(self, path: AnyPath) -> tables.Source:
        """Read the table in this file into memory; `PolicyError` if it is an address."""
        refuse_addresses(path)
        return tables.read(path, self.layout)

    def open_large(self, path: AnyPath) -> LargeTable | None:
        """Open a file out of memory, None if `read` should do it; `PolicyError` for an address."""
        refuse_addresses(path)
        return large.open_large(path, self.layout, self.bytes)

    def open(self, path: AnyPath) -> "Opened":
        """Open the table in this file, out of memory if `open_large` does so, else in memory."""
        found = self.open_large(path)
        if found is None:
            read = self.read(path)
            return Opened(MemoryEngine(read.frame, text=read.text), read, path)
        return Opened(found.engine, found.source, path)

    @property
    def layout(self) -> Layout:
        """These options as the functions that read files take them."""
        return Layout(
            self.delimiter,
            self.encoding,
            self.header,
            expected=self.expected,
            sheet=self.sheet,
            skip=self.skip,
            notation=self.notation,
            memory=self.bytes,
            piece=self.piece,
        )

    def with_expected(self, names: Iterable[str]) -> Self:
        """The same options for a table that should also have columns of these names."""
        return replace(self, expected=(*self.expected, *names))

    def with_kept(self, names: Iterable[str] | None) -> Self:
        """The same options, with these columns left as written, too; all columns if None."""
        if names is None or self.kept is None:
            return replace(self, kept=None)
        return replace(self, kept=(*self.kept, *names))


@dataclass(frozen=True, eq=False)
class Opened:
    """A table that was opened: the engine that holds it, and how it came.

    Verbs take it in place of a table. As a context manager it closes its engine at the end, which a
    traceback would keep alive with a transaction of its database.
    """

    engine: Engine
    origin: tables.Source
    """How it was read (format, notes, text flag); its frame is empty if rows live elsewhere."""
    path: AnyPath | None = None
    """The file that it was read from, or "-"; None if it was a frame or lives elsewhere."""
    lent: bool = False
    """Whether another owner closes the engine, so that the end of this context does not."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.lent:
            self.engine.close()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(self.engine.names)

    @property
    def in_memory(self) -> bool:
        """Whether all its rows are in memory."""
        return isinstance(self.engine, MemoryEngine)

    def lend(self) -> Self:
        """The same table for somebody else, whose block does not close it."""
        return replace(self, lent=True)


def is_path(source: Any) -> bool:
    """Whether this names a file, or is "-" (standard input), and no table or address of one."""
    return isinstance(source, str | os.PathLike) and not elsewhere.is_elsewhere(source)


def path_of(source: Any) -> AnyPath | None:
    """The path or "-" that a source is read from; None for a frame or a table elsewhere."""
    if isinstance(source, Opened):
        return source.path
    return source if is_path(source) else None


def file_of(source: Any) -> AnyPath | None:
    """The path of the file that a source is read from; None for all else, also standard input."""
    path = path_of(source)
    return None if path is None or str(path) == "-" else path


def open_table(
    source: Any,
    reading: Reading | None = None,
    expected: Iterable[str] = (),
    kept: Iterable[str] = (),
    watch: Watch | None = None,
) -> Opened:
    """Open the table in a frame, file, database or other place; "-" is standard input.

    `expected` are names that it should have: they help to tell the header of a text file. `kept`
    are columns that leave as they are written. Notes about the file go to the `watch`. A table that
    is open already is lent: its owner closes it.
    """
    if isinstance(source, Opened):
        return source.lend()
    engine = elsewhere.engine_of(source)
    nowhere = tables.Source(pl.DataFrame(), text=False)
    if engine is not None:
        return Opened(engine, replace(nowhere, format="parquet"))
    if not is_path(source):
        return Opened(MemoryEngine(compute_frame(source)), nowhere)
    found = (reading or Reading()).with_expected(expected).with_kept(kept).open(source)
    if watch is not None:
        watch.note(map(str, found.origin.notes))
    return found


def rows_of(frame: Any) -> pl.DataFrame:
    """Any table as a frame of Polars; `InputError` if it is none, `LimitError` if too large."""
    frame = compute_frame(frame)
    if isinstance(frame, pl.DataFrame):
        return frame
    if (engine := elsewhere.engine_of(frame)) is not None:
        with closing(engine):
            return fetch_into_memory(engine).rows
    return MemoryEngine(frame).rows


def compute_frame(frame: Any) -> Any:
    """The frame, computed if it is lazy: a second time its rows might come in another order."""
    with boundary(InputError("the frame cannot be computed")):
        return frame.collect() if isinstance(frame, pl.LazyFrame) else frame


def tuple_of(given: Any) -> tuple[Any, ...]:
    """What is given, as a tuple: empty for None, the entries of a list or tuple, else one entry."""
    if given is None:
        return ()
    return tuple(given) if isinstance(given, list | tuple) else (given,)


@contextmanager
def enough_memory(remedy: str = "release it in parts") -> Iterator[None]:
    """A block in which a `MemoryError` becomes a `LimitError` with this remedy."""
    try:
        yield
    except MemoryError:
        pass
    else:
        return
    raise LimitError("the table does not fit into memory", remedy=remedy)
