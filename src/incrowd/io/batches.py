"""Tables larger than memory: read once, batch by batch.

Memory is that of one batch. What the file is, its first bytes say. Delimited text (plain, gzip or
zstd) is cut where a record ends, Parquet and Arrow are read a number of rows at a time.
"""

import gzip
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import polars as pl

from incrowd.engines.private_folders import private_folder
from incrowd.errors import InputError, guard_each
from incrowd.io.byte_limits import read_all
from incrowd.io.csv_chunks import csv_chunks, drop_first_lines
from incrowd.io.decoding import decode_head, decoder_of
from incrowd.io.faults import file_boundary
from incrowd.io.layout import Layout
from incrowd.io.notation import FoundNotations, find_notations, may_be_rewritten
from incrowd.io.tables import GZIP, ZSTD, Form, Format, is_tabbed
from incrowd.io.text import find_text_start, read_records, refuse_binary, with_line_feeds
from incrowd.io.titles import refuse_wide
from incrowd.io.unpacked import ByteStream, CountingReader, LimitedReader, open_zstd
from incrowd.io.whole import HEAD, reader_of

_PARQUET, _ARROW, _STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
_HEAD = 2**17
_LINES, _WIDEST = 6, 2**26
"""Lines that the start of a text holds at least, and bytes that it has at most."""
_CELLS = 2**21
"""Cells that are read at a time, about."""


@dataclass(frozen=True, eq=False)
class Batches:
    """A table that is read once: its columns, and its records in Polars frames."""

    names: tuple[str, ...]
    frames: Iterator[pl.DataFrame]
    text: bool
    """Whether all columns are text, so that numbers and dates are still to be found."""
    notes: list[str] = field(default_factory=list)
    """Notes about the file; complete when all records are read."""
    form: Form = field(default_factory=Form)
    plain: bool = True
    """Whether numbers and dates of a text seem to be written as incrowd reads them."""

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """The frames; they can be read once."""
        return self.frames

    def __repr__(self) -> str:
        """The number of columns, without any value."""
        return f"Batches({len(self.names)} columns)"


@contextmanager
def open_batches(path: str | os.PathLike[str], layout: Layout | None = None) -> Iterator[Batches]:
    """A block with the table in a file, or on standard input ("-"), to be read batch by batch."""
    with ExitStack() as stack:
        with file_boundary(path):
            stream = _PeekableStream(stack.enter_context(_open_bytes(path)))
            layout = replace(layout or Layout(), tabs=is_tabbed(path))
            found = _open_stream(path, stream, layout, stack)
        yield replace(found, frames=guard_each(found.frames, partial(file_boundary, path)))


def _open_stream(
    path: str | os.PathLike[str], stream: "_PeekableStream", layout: Layout, stack: ExitStack
) -> Batches:
    """The table in this stream, by its first bytes; `stack` closes what is opened for it."""
    start = stream.peek(8)
    if start.startswith(_PARQUET):
        return _batches_by_rows(
            pl.scan_parquet(_seekable_path(path, stream, stack), glob=False), layout, "parquet"
        )
    if start.startswith(_ARROW):
        return _batches_by_rows(
            pl.scan_ipc(_seekable_path(path, stream, stack), glob=False), layout, "arrow"
        )
    if start.startswith(_STREAM):
        return _batches_of_arrow(stream, layout)
    packed = CountingReader(stream)
    if start.startswith(GZIP):
        unpacked = stack.enter_context(gzip.GzipFile(fileobj=packed))
        return _read_unpacked(_PeekableStream(LimitedReader(unpacked, packed)), layout)
    if start.startswith(ZSTD):
        return _read_unpacked(
            _PeekableStream(LimitedReader(stack.enter_context(_unpack_zstd(packed)), packed)),
            layout,
        )
    return _read_unpacked(stream, layout)


def _read_unpacked(stream: "_PeekableStream", layout: Layout) -> Batches:
    """The table in an unpacked stream: a text, or a file read whole (`InputError` without rows)."""
    reader = reader_of(stream.peek(HEAD))
    if reader is None:
        return _read_text(stream, layout)
    found = reader(read_all(stream), layout)
    refuse_wide(found.frame.width)
    if not found.frame.height:
        raise InputError("it has no records", remedy="give a table with at least one record")
    notes = [*map(str, found.notes)]
    table = _batches_by_rows(found.frame.lazy(), layout, found.format)
    frames = _rewrite_frames(table.frames, layout, "", notes, text=False)
    return replace(table, frames=frames, notes=notes)


def _rewrite_frames(
    frames: Iterator[pl.DataFrame], layout: Layout, delimiter: str, notes: list[str], *, text: bool
) -> Iterator[pl.DataFrame]:
    """The frames with numbers and dates as incrowd writes them, if the layout has a notation.

    How they are written is found in the first frame and noted in `notes`; `InputError` if a later
    frame differs. Cells of a text file (`text`) stay texts; others become numbers and dates.
    """
    ways: FoundNotations | None = None
    for frame in frames:
        if layout.notation is None:
            yield frame
            continue
        if ways is None:
            ways = find_notations(frame, layout.notation, delimiter, text=text)
            notes += map(str, ways.notes())
        yield ways.rewrite(frame, text=text)


class _PeekableStream(ByteStream):
    """A stream of bytes whose start can be peeked at."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._ahead = b""

    def peek(self, size: int) -> bytes:
        """The next bytes, at most this many, which stay to be read."""
        while len(self._ahead) < size:
            more = self._stream.read(size - len(self._ahead))
            if not more:
                break
            self._ahead += more
        return self._ahead[:size]

    def take(self, size: int) -> bytes:
        """Read the next bytes, at most this many; none at the end."""
        data: bytes = self._ahead[:size] or self._stream.read(size) or b""
        self._ahead = self._ahead[len(data) :]
        return data


def _open_bytes(path: str | os.PathLike[str]) -> AbstractContextManager[IO[bytes]]:
    """A block with a file's bytes; "-" is standard input, left open; `InputError` for a folder."""
    if str(path) == "-":
        return nullcontext(sys.stdin.buffer)
    if Path(path).is_dir():
        raise InputError("it is a folder", remedy="name a file in it")
    return Path(path).open("rb")


def _seekable_path(
    path: str | os.PathLike[str], stream: "_PeekableStream", stack: ExitStack
) -> Path:
    """The path of the file; what comes through a pipe is first stored in a private folder."""
    if str(path) != "-" and Path(path).is_file():
        return Path(path)
    place = stack.enter_context(private_folder()) / "table"
    with place.open("wb") as target:
        shutil.copyfileobj(stream, target)
    return place


def _unpack_zstd(stream: CountingReader) -> AbstractContextManager[Any]:
    """The stream unpacked from zstd, as a block; `InputError` without a library that can do it."""
    opened = open_zstd(stream)
    if opened is None:
        raise InputError(
            "reading zstd needs PyArrow, which is not installed",
            remedy="install incrowd[arrow], or decompress the file first",
        )
    return opened


def _batches_by_rows(table: pl.LazyFrame, layout: Layout, form: Format) -> Batches:
    """A table of Polars in frames of the layout's number of rows, else of about `_CELLS` cells."""
    every = table.collect_schema().names()
    refuse_wide(len(every))
    chosen = layout.choose(every)
    table = table.select(chosen)
    rows = layout.rows or max(1, _CELLS // max(1, len(chosen)))

    def frames() -> Iterator[pl.DataFrame]:
        start = 0
        while (frame := table.slice(start, rows).collect()).height:
            yield frame
            start += rows

    return Batches(tuple(chosen), frames(), text=False, form=Form(form))


def _batches_of_arrow(stream: "_PeekableStream", layout: Layout) -> Batches:
    """A stream in Arrow's format, in its own batches; in batches by rows if PyArrow is missing."""
    if find_spec("pyarrow") is None:
        return _batches_by_rows(pl.read_ipc_stream(read_all(stream)).lazy(), layout, "arrow")
    reader = import_module("pyarrow.ipc").open_stream(stream)
    refuse_wide(len(reader.schema.names))
    chosen = layout.choose(reader.schema.names)
    arrow = import_module("pyarrow")

    def frames() -> Iterator[pl.DataFrame]:
        for batch in reader:
            found = pl.from_arrow(arrow.Table.from_batches([batch]).select(chosen))
            yield found if isinstance(found, pl.DataFrame) else found.to_frame()

    return Batches(tuple(chosen), frames(), text=False, form=Form("arrow"))


def _read_text(stream: "_PeekableStream", layout: Layout) -> Batches:
    """A delimited text: its start tells how to read it, then it is read chunk by chunk."""
    refuse_binary(stream.peek(4096), layout.encoding)
    notes: list[str] = []
    head = _peek_lines(stream)
    to_utf8 = decoder_of(head, layout.encoding, notes)
    raw = decode_head(head, layout.encoding)
    start = find_text_start(with_line_feeds(raw), layout)
    names, delimiter, returns = start.names, start.delimiter, b"\n" not in raw
    notes += map(str, start.notes())
    chosen = layout.choose(names)
    pieces = to_utf8(iter(partial(stream.read, layout.piece), b""))
    pieces = drop_first_lines(pieces, start.line - 1, returns=returns)
    chunks = csv_chunks(pieces, delimiter, header=start.header, returns=returns, line=start.line)

    def frames() -> Iterator[pl.DataFrame]:
        for chunk in chunks:
            frame = read_records(chunk.text, delimiter, names, chunk.line, header=chunk.header)
            yield frame.select(chosen)

    rewritten = _rewrite_frames(frames(), layout, delimiter, notes, text=True)
    plain = not may_be_rewritten(start.records, layout.notation)
    form = Form(delimiter=delimiter)
    return Batches(tuple(chosen), rewritten, text=True, notes=notes, form=form, plain=plain)


def _peek_lines(stream: "_PeekableStream") -> bytes:
    """The start of a text, left to be read: `_LINES` lines or more, up to `_WIDEST` bytes."""
    size = _HEAD
    head = stream.peek(size)
    while len(head) == size and size < _WIDEST and head.count(b"\n") < _LINES:
        size *= 2
        head = stream.peek(size)
    return head
