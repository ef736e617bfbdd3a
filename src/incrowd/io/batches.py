"""Tables larger than memory: read once, batch by batch.

Memory is that of one batch. What the file is, its first bytes say. Delimited text (plain, gzip or
zstd) is cut where a record ends, Parquet and Arrow are read a number of rows at a time.
"""

import codecs
import gzip
import io
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import polars as pl

from incrowd.errors import IncrowdError, InputError, PolicyError
from incrowd.io.atomic import number_of, reason, remedy_of
from incrowd.io.csv_chunks import csv_chunks, with_last
from incrowd.io.header import is_headed
from incrowd.io.tables import Form, Format, is_tabbed
from incrowd.io.text import (
    DELIMITERS,
    decoded,
    find_delimiter,
    first_records,
    known,
    names_of,
    read_records,
    refuse_binary,
    refuse_wide,
    with_line_feeds,
)
from incrowd.io.unpacked import Counting, Limited, zstd_opened

_PARQUET, _ARROW, _STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_HEAD = 2**17
_LINES, _WIDEST = 6, 2**26
_PIECE = 2**23
_CELLS = 2**21


@dataclass(frozen=True, eq=False)
class Batches:
    """A table that is read once: its columns, and its records in frames of Polars."""

    names: tuple[str, ...]
    frames: Iterator[pl.DataFrame]
    text: bool
    """Whether all columns are text, so that numbers and dates are still to be found."""
    notes: list[str] = field(default_factory=list)
    """What its reader should know; complete when all records are read."""
    form: Form = field(default_factory=Form)

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """The frames, once."""
        return self.frames

    def __repr__(self) -> str:
        """Without values."""
        return f"Batches({len(self.names)} columns)"


@dataclass(frozen=True)
class Layout:
    """How to read a text file (what is None is found), and how much of any file at a time."""

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    columns: tuple[str, ...] | None = None
    expected: tuple[str, ...] = ()
    """Names that the table should have: they help to tell its header and its delimiter."""
    tabs: bool = False
    """Whether the file's ending promises tabs between cells."""
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
    packed = Counting(stream)
    if start.startswith(_GZIP):
        unpacked = stack.enter_context(gzip.GzipFile(fileobj=packed))
        return _text(_Peeked(Limited(unpacked, packed)), layout)
    if start.startswith(_ZSTD):
        return _text(_Peeked(Limited(stack.enter_context(_unzstd(packed)), packed)), layout)
    return _text(stream, layout)


class _Peeked(io.RawIOBase):
    """A stream of bytes whose start can be looked at before it is read."""

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
    """The file itself; what comes through a pipe is put on the disk first."""
    if str(path) != "-" and Path(path).is_file():
        return Path(path)
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="incrowd-"))
    place = Path(folder) / "table"
    with place.open("wb") as target:
        shutil.copyfileobj(stream, target)
    return place


def _unzstd(stream: Counting) -> AbstractContextManager[Any]:
    """What zstd holds, by whichever library can undo it piece by piece."""
    opened = zstd_opened(stream)
    if opened is None:
        raise InputError(
            "reading zstd needs PyArrow, which is not installed",
            remedy="install incrowd[arrow], or decompress the file first",
        )
    return opened


def _scanned(table: pl.LazyFrame, layout: Layout, form: Format) -> Batches:
    """A file of columns, some rows at a time."""
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
        return _scanned(pl.read_ipc_stream(stream.read()).lazy(), layout, "arrow")
    reader = import_module("pyarrow.ipc").open_stream(stream)
    chosen = layout.chosen(reader.schema.names)
    arrow = import_module("pyarrow")

    def frames() -> Iterator[pl.DataFrame]:
        for batch in reader:
            found = pl.from_arrow(arrow.Table.from_batches([batch]).select(chosen))
            yield found if isinstance(found, pl.DataFrame) else found.to_frame()

    return Batches(tuple(chosen), frames(), text=False, form=Form("arrow"))


def _text(stream: "_Peeked", layout: Layout) -> Batches:
    """A delimited text: its head says how to read it, then it is read record by record."""
    refuse_binary(stream.peek(4096), layout.encoding)
    notes: list[str] = []
    head = _peeked(stream)
    decode = _decoder(head, layout.encoding, notes)
    raw = _head_of(head, layout.encoding)
    start = with_line_feeds(raw).lstrip(b"\r\n")
    if not start.strip():
        raise InputError("it is empty", remedy="give a table with a header and records")
    delimiter = layout.delimiter or find_delimiter(start, layout.expected, tabs=layout.tabs)
    records = first_records(start, delimiter)
    header = is_headed(records, layout.expected) if layout.header is None else layout.header
    names = names_of(records[0], header=header)
    chosen = layout.chosen(names)
    pieces = decode(_read(stream, layout.piece))
    chunks = csv_chunks(pieces, delimiter, header=header, returns=b"\n" not in raw)

    def frames() -> Iterator[pl.DataFrame]:
        for chunk in chunks:
            found = read_records(chunk.text, delimiter, names, chunk.line, header=chunk.header)
            yield found.select(chosen)

    form = Form(delimiter=delimiter)
    return Batches(tuple(chosen), frames(), text=True, notes=notes, form=form)


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


def _head_of(head: bytes, encoding: str | None) -> bytes:
    """The start of the text in UTF-8; a letter that is cut off at its end is left out."""
    for cut in range(min(4, len(head))):
        try:
            text = decoded(head[: len(head) - cut], encoding)
        except InputError:
            continue
        if not text.guessed:
            return text.data
    return decoded(head, encoding).data


def _decoder(
    head: bytes, encoding: str | None, notes: list[str]
) -> Callable[[Iterator[bytes]], Iterator[bytes]]:
    """How to turn the pieces of a text into UTF-8."""
    marked = decoded(head[:4], None).encoding if head[:2] in {b"\xff\xfe", b"\xfe\xff"} else None
    named = encoding or marked
    if named is None:
        return lambda pieces: _guessed(pieces, notes)
    if encoding is not None:
        decoded(b"", encoding)
    return lambda pieces: _transcoded(pieces, named)


def _transcoded(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    name = codecs.lookup(encoding).name
    decoder = codecs.getincrementaldecoder("utf-8-sig" if name == "utf-8" else name)()
    before = 0
    for piece, last in with_last(pieces):
        try:
            text = decoder.decode(piece, last)
        except UnicodeError:
            text = None
        if text is None:
            raise InputError(
                f"the text is not {encoding}: a byte after byte {before:,} does not fit",
                remedy="name its encoding",
            )
        before += len(piece)
        yield text.encode()


def _guessed(pieces: Iterator[bytes], notes: list[str]) -> Iterator[bytes]:
    """UTF-8; or Latin-1, if the first byte that is not ASCII does not fit UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    plain, latin, before = True, False, 0
    for piece, last in with_last(pieces):
        pending = decoder.getstate()[0]
        if before and not pending and piece and piece.isascii():
            before += len(piece)
            yield piece
            continue
        try:
            text = piece.decode("latin-1") if latin else decoder.decode(piece, last)
        except UnicodeDecodeError as error:
            place = error.start
            text = None
        if text is None:
            whole = pending + piece
            if not plain or not whole[:place].isascii():
                number = before - len(pending) + place + 1
                raise InputError(
                    f"the text starts as UTF-8, but byte {number:,} is not",
                    remedy="name its encoding",
                )
            latin, text = True, whole.decode("latin-1")
            notes.append(
                "the text is not UTF-8 and was read as latin-1; name its encoding if that is wrong"
            )
        plain = plain and text.isascii()
        before += len(piece)
        yield text.encode()


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
    """Name the file in every error, and let no other library's words through."""
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
