"""Tables larger than memory: read once, batch by batch.

Memory is that of one batch. What the file is, its first bytes say. Delimited text (plain, gzip or
zstd) is cut where a record ends, Parquet and Arrow are read a number of rows at a time.
"""

import gzip
import io
import os
import shutil
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import polars as pl

from incrowd.engines.private_folders import private_folder
from incrowd.errors import IncrowdError, InputError, PolicyError
from incrowd.io.atomic import number_of, reason, remedy_of
from incrowd.io.byte_limits import read_all
from incrowd.io.csv_chunks import csv_chunks, without_lines
from incrowd.io.decoding import decoder_of, head_of
from incrowd.io.header import is_headed
from incrowd.io.notation import (
    FoundNotations,
    NotationRequest,
    found_notations,
    suspected,
)
from incrowd.io.tables import Form, Format, is_tabbed
from incrowd.io.text import (
    DELIMITERS,
    end_of_lines,
    find_delimiter,
    first_records,
    known,
    lines_of_titles,
    read_records,
    refuse_binary,
    with_line_feeds,
)
from incrowd.io.titles import names_of, refuse_wide, start_notes
from incrowd.io.unpacked import CountingReader, Limited, zstd_opened
from incrowd.io.whole import HEAD, TableChoice, reader_of, refuse_choice

_PARQUET, _ARROW, _STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_HEAD = 2**17
_LINES, _WIDEST = 6, 2**26
_PIECE = 2**23
_CELLS = 2**21


@dataclass(frozen=True, eq=False)
class Batches:
    """A table that is read once: its columns, and its records in Polars frames."""

    names: tuple[str, ...]
    frames: Iterator[pl.DataFrame]
    text: bool
    """Whether all columns are text, so that numbers and dates are still to be found."""
    notes: list[str] = field(default_factory=list)
    """What you should know about the file; complete when all records are read."""
    form: Form = field(default_factory=Form)
    plain: bool = True
    """Whether numbers and dates of a text seem to be written as incrowd reads them."""

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """The frames, once."""
        return self.frames

    def __repr__(self) -> str:
        """Without values."""
        return f"Batches({len(self.names)} columns)"


@dataclass(frozen=True)
class Layout:
    """How to read a text file (None: detect it), and how much of any file at a time."""

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    columns: tuple[str, ...] | None = None
    expected: tuple[str, ...] = ()
    """Columns that the table should have: they help to find its header and its delimiter."""
    sheet: str | None = None
    """The sheet of a workbook."""
    skip: int | None = None
    """Lines above the header."""
    notation: NotationRequest | None = None
    """How numbers and dates are written; None leaves them as they are."""
    tabs: bool = False
    """Whether the file's ending means tabs between cells."""
    piece: int = _PIECE
    """Bytes of text that are read at a time."""
    rows: int | None = None
    """Rows of Parquet and Arrow that are read at a time."""

    def __post_init__(self) -> None:
        if self.delimiter is not None and self.delimiter not in DELIMITERS:
            raise PolicyError(
                f"{self.delimiter!r} is not a delimiter that can be read",
                remedy="use a comma, a semicolon, a tab, a bar or a space",
            )

    @property
    def choice(self) -> TableChoice:
        """Which table of the file to read."""
        return TableChoice(self.sheet, self.skip, self.header, self.expected)

    def rereading(self, delimiter: str) -> "Layout":
        """The layout of a file that was just written, whose cells are read as they are."""
        plain = replace(self, sheet=None, skip=0, notation=None)
        return replace(plain, delimiter=delimiter, encoding="utf-8", header=True)

    def only(self, columns: Sequence[str]) -> "Layout":
        """The same with the cells of all other columns as they are written."""
        if self.notation is None:
            return self
        return replace(self, notation=replace(self.notation, only=tuple(columns)))

    def chosen(self, names: Sequence[str]) -> list[str]:
        """The columns to read, of those that there are."""
        return list(names) if self.columns is None else known(self.columns, names)


@contextmanager
def batches(path: str | os.PathLike[str], layout: Layout | None = None) -> Iterator[Batches]:
    """The table in a file, or on standard input if `path` is "-", batch by batch."""
    with ExitStack() as stack:
        with _about(path):
            stream = _Peeked(stack.enter_context(_opened(path)))
            layout = replace(layout or Layout(), tabs=is_tabbed(path))
            found = _batches(path, stream, layout, stack)
        yield replace(found, frames=_named(path, found.frames))


def _batches(
    path: str | os.PathLike[str], stream: "_Peeked", layout: Layout, stack: ExitStack
) -> Batches:
    start = stream.peek(8)
    if start.startswith(_PARQUET):
        return _scanned(pl.scan_parquet(_seekable(path, stream, stack)), layout, "parquet")
    if start.startswith(_ARROW):
        return _scanned(pl.scan_ipc(_seekable(path, stream, stack)), layout, "arrow")
    if start.startswith(_STREAM):
        return _streamed(stream, layout)
    packed = CountingReader(stream)
    if start.startswith(_GZIP):
        unpacked = stack.enter_context(gzip.GzipFile(fileobj=packed))
        return _unpacked(_Peeked(Limited(unpacked, packed)), layout)
    if start.startswith(_ZSTD):
        return _unpacked(_Peeked(Limited(stack.enter_context(_unzstd(packed)), packed)), layout)
    return _unpacked(stream, layout)


def _unpacked(stream: "_Peeked", layout: Layout) -> Batches:
    """A text, or a file that is read as a whole."""
    reader = reader_of(stream.peek(HEAD))
    if reader is None:
        return _text(stream, layout)
    found = reader(read_all(stream), layout.choice)
    refuse_wide(found.frame.width)
    if not found.frame.height:
        raise InputError("it has no records", remedy="give a table with at least one record")
    notes = [words for _, _, words in found.notes]
    table = _scanned(found.frame.lazy(), layout, found.format)
    frames = _rewritten(table.frames, layout, "", notes, text=False)
    return replace(table, frames=frames, notes=notes)


def _rewritten(
    frames: Iterator[pl.DataFrame], layout: Layout, delimiter: str, notes: list[str], *, text: bool
) -> Iterator[pl.DataFrame]:
    """The frames with numbers and dates as incrowd reads them; the first tells how they come."""
    ways: FoundNotations | None = None
    for frame in frames:
        if layout.notation is None:
            yield frame
            continue
        if ways is None:
            ways = found_notations(frame, layout.notation, delimiter, text=text)
            notes += [words for _, _, words in ways.notes()]
        yield ways.rewritten(frame, text=text)


class _Peeked(io.RawIOBase):
    """A stream of bytes whose start can be peeked at."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._ahead = b""

    def peek(self, size: int) -> bytes:
        """The next bytes, which are still to be read."""
        while len(self._ahead) < size:
            more = self._stream.read(size - len(self._ahead))
            if not more:
                break
            self._ahead += more
        return self._ahead[:size]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._ahead[: len(buffer)] or self._stream.read(len(buffer)) or b""
        self._ahead = self._ahead[len(found) :]
        buffer[: len(found)] = found
        return len(found)


def _opened(path: str | os.PathLike[str]) -> AbstractContextManager[IO[bytes]]:
    if str(path) == "-":
        return _kept_open(sys.stdin.buffer)
    if Path(path).is_dir():
        raise InputError("it is a folder", remedy="name a file in it")
    return Path(path).open("rb")


@contextmanager
def _kept_open(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    yield stream


def _seekable(path: str | os.PathLike[str], stream: "_Peeked", stack: ExitStack) -> Path:
    """The file itself; what comes through a pipe is stored on disk first."""
    if str(path) != "-" and Path(path).is_file():
        return Path(path)
    place = stack.enter_context(private_folder()) / "table"
    with place.open("wb") as target:
        shutil.copyfileobj(stream, target)
    return place


def _unzstd(stream: CountingReader) -> AbstractContextManager[Any]:
    """Decompressed zstd, by a library that can do it in parts."""
    opened = zstd_opened(stream)
    if opened is None:
        raise InputError(
            "reading zstd needs PyArrow, which is not installed",
            remedy="install incrowd[arrow], or decompress the file first",
        )
    return opened


def _scanned(table: pl.LazyFrame, layout: Layout, form: Format) -> Batches:
    """A Parquet or Arrow file, some rows at a time."""
    every = table.collect_schema().names()
    refuse_wide(len(every))
    chosen = layout.chosen(every)
    table = table.select(chosen)
    rows = layout.rows or max(1, _CELLS // max(1, len(chosen)))

    def frames() -> Iterator[pl.DataFrame]:
        start = 0
        while (frame := table.slice(start, rows).collect()).height:
            yield frame
            start += rows

    return Batches(tuple(chosen), frames(), text=False, form=Form(form))


def _streamed(stream: "_Peeked", layout: Layout) -> Batches:
    """Arrow's stream format: as its batches come with PyArrow, else as a whole."""
    if find_spec("pyarrow") is None:
        return _scanned(pl.read_ipc_stream(read_all(stream)).lazy(), layout, "arrow")
    reader = import_module("pyarrow.ipc").open_stream(stream)
    chosen = layout.chosen(reader.schema.names)
    arrow = import_module("pyarrow")

    def frames() -> Iterator[pl.DataFrame]:
        for batch in reader:
            found = pl.from_arrow(arrow.Table.from_batches([batch]).select(chosen))
            yield found if isinstance(found, pl.DataFrame) else found.to_frame()

    return Batches(tuple(chosen), frames(), text=False, form=Form("arrow"))


def _text(stream: "_Peeked", layout: Layout) -> Batches:
    """A delimited text: its start says how to read it, then it is read chunk by chunk."""
    refuse_binary(stream.peek(4096), layout.encoding)
    notes: list[str] = []
    head = _peeked(stream)
    decode = decoder_of(head, layout.encoding, notes)
    raw = head_of(head, layout.encoding)
    lines = with_line_feeds(raw)
    start = lines[end_of_lines(lines, layout.skip or 0) :].lstrip(b"\r\n")
    if not start.strip():
        raise InputError("it is empty", remedy="give a table with a header and records")
    if layout.sheet is not None:
        refuse_choice(replace(layout.choice, skip=None), "a text")
    delimiter = layout.delimiter or find_delimiter(start, layout.expected, tabs=layout.tabs)
    titles = lines_of_titles(start, delimiter) if layout.skip is None else 0
    records = first_records(start[end_of_lines(start, titles) :], delimiter)
    header = is_headed(records, layout.expected) if layout.header is None else layout.header
    names = names_of(records[0], header=header)
    notes += [words for _, _, words in start_notes(titles, records[0] if header else ())]
    chosen = layout.chosen(names)
    above = titles + lines.count(b"\n", 0, len(lines) - len(start)) if titles else layout.skip or 0
    returns = b"\n" not in raw
    pieces = without_lines(decode(_read(stream, layout.piece)), above, returns=returns)
    chunks = csv_chunks(pieces, delimiter, header=header, returns=returns, line=above + 1)

    def frames() -> Iterator[pl.DataFrame]:
        for chunk in chunks:
            found = read_records(chunk.text, delimiter, names, chunk.line, header=chunk.header)
            yield found.select(chosen)

    rewritten = _rewritten(frames(), layout, delimiter, notes, text=True)
    plain = not suspected(records, layout.notation)
    form = Form(delimiter=delimiter)
    return Batches(tuple(chosen), rewritten, text=True, notes=notes, form=form, plain=plain)


def _peeked(stream: "_Peeked") -> bytes:
    """The start of a text: some lines of it, however wide the table is."""
    size = _HEAD
    head = stream.peek(size)
    while len(head) == size and size < _WIDEST and head.count(b"\n") < _LINES:
        size *= 2
        head = stream.peek(size)
    return head


def _read(stream: "_Peeked", size: int) -> Iterator[bytes]:
    while piece := stream.read(size):
        yield piece


def _named(path: str | os.PathLike[str], frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The frames; every error names the file."""
    while True:
        with _about(path):
            frame = next(frames, None)
        if frame is None:
            return
        yield frame


@contextmanager
def _about(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file in every error, and hide other libraries' words, which may quote cells."""
    name = "standard input" if str(path) == "-" else repr(str(path))
    found: IncrowdError
    try:
        yield
    except IncrowdError as error:
        found = type(error)(f"{name} cannot be read: {error.message}", remedy=error.remedy)
    except MemoryError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        found = InputError(f"{name} cannot be read: {reason(error)}", remedy=remedy_of(error))
        if not number_of(error):
            found = InputError(
                f"{name} cannot be read: its compression is damaged", remedy="compress it anew"
            )
    except Exception:  # noqa: BLE001  every library has its own exception tree
        found = InputError(
            f"{name} cannot be read: its content does not fit the format",
            remedy="use another format",
        )
    else:
        return
    try:
        raise found from None
    finally:
        found.__context__ = None
