"""Delimited text in chunks of whole records, and plain text files that Polars reads as we do.

`PlainText` reads some columns of a file with Polars alone, without a look at the others. That is
faster than `open_batches`, which checks every record. Use it for a file that was checked before
(one that was just written) or will be (one whose records are then rewritten).
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from incrowd.errors import InputError, boundary, guard_each
from incrowd.io.decoding import decoder_of, mark_last
from incrowd.io.tables import Form
from incrowd.kernels.io import lines as line_kernels

PIECE = 2**21
"""Bytes of a plain text that are read at a time."""
_LONGEST = 2**26
"""Bytes that one record may have at most."""
_NEWLINE = 10


@dataclass(frozen=True, eq=False, repr=False)
class CsvChunk:
    """Some whole records of a text in UTF-8."""

    text: bytes
    line: int
    """The number of its first line in the file."""
    lines: int
    """Number of line feeds."""
    header: bool = False
    """Whether its first record holds the column names."""


def csv_chunks(
    pieces: Iterator[bytes], delimiter: str, *, header: bool, returns: bool, line: int = 1
) -> Iterator[CsvChunk]:
    r"""Cut a text, whose first line has number `line`, into chunks of whole records.

    With `header` its first record holds the column names, with `returns` lines end with \r alone.
    Blank lines before a chunk are left out. `InputError` if a record does not end within `_LONGEST`
    bytes.
    """
    rest = b""
    for piece, last in mark_last(pieces):
        rest += piece.replace(b"\r", b"\n") if returns else piece
        end = len(rest) if last else _end_of_last_record(rest, delimiter)
        text = rest[:end].lstrip(b"\r\n")
        line += rest.count(b"\n", 0, end - len(text))
        lines = _count_line_feeds(text)
        _refuse_endless(len(rest) - end, line + lines)
        if text:
            yield CsvChunk(text, line, lines, header)
            header = False
        line += lines
        rest = rest[end:]


def drop_first_lines(pieces: Iterator[bytes], lines: int, *, returns: bool) -> Iterator[bytes]:
    r"""The pieces of a text without its first `lines` lines; with `returns` these end with \r."""
    mark = b"\r" if returns else b"\n"
    for piece in pieces:
        while lines and (end := piece.find(mark)) >= 0:
            piece = piece[end + 1 :]  # noqa: PLW2901  what is left of it
            lines -= 1
        if not lines and piece:
            yield piece


def _count_line_feeds(text: bytes) -> int:
    """Number of line feeds in a text; `bytes.count` takes several times as long."""
    data: Any = np.frombuffer(text, dtype=np.uint8)
    return int(np.count_nonzero(data == _NEWLINE))


def _end_of_last_record(text: bytes, delimiter: str) -> int:
    """The number of bytes up to the end of the last whole record; 0 if there is none."""
    if b'"' not in text:
        return text.rfind(b"\n") + 1
    data: Any = np.frombuffer(text, dtype=np.uint8)
    return line_kernels.last_record_end(data, ord(delimiter))


def _refuse_endless(size: int, line: int) -> None:
    """Raise `InputError` if a record on this line has more than `_LONGEST` bytes without an end."""
    if size > _LONGEST:
        raise InputError(
            f"the record on line {line:,} does not end", remedy="close its quotes, or cut the file"
        )


@dataclass(frozen=True)
class PlainText:
    """A delimited text file in UTF-8 with a header."""

    path: Path
    delimiter: str
    names: tuple[str, ...]
    piece: int = PIECE
    """Bytes that `read_chunks` reads at a time."""

    def read_columns(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """These columns as text, in frames, in the order of the records."""
        with _boundary():
            places = [self.names.index(name) for name in names]
            table = _scan(self.path, self.delimiter).select(pl.nth(places))
            frames = iter(table.collect_batches(maintain_order=True))
        yield from guard_each(frames, _boundary)

    def count_cells(self, name: str) -> pl.DataFrame:
        """The distinct cells of a column (`shown`) and how often each occurs (`size`)."""
        with _boundary():
            place = self.names.index(name)
            cells = _scan(self.path, self.delimiter).select(shown=pl.nth(place))
            sizes = cells.group_by("shown").agg(size=pl.len().cast(pl.Int64))
            return sizes.collect(engine="streaming")

    def read_chunks(self) -> Iterator[CsvChunk]:
        """The header, then all records, byte for byte in chunks; `InputError` if not UTF-8."""
        pieces = decoder_of(b"", "utf-8", [])(_read_pieces(self.path, self.piece))
        yield from csv_chunks(pieces, self.delimiter, header=True, returns=False)

    @property
    def size(self) -> int:
        """Size of the file in bytes."""
        return self.path.stat().st_size


def as_plain_text(
    path: str | os.PathLike[str], form: Form, names: Sequence[str]
) -> PlainText | None:
    """The file as a plain text; None if packed, no CSV, or if Polars reads other `names`."""
    if form.format != "csv" or form.compression is not None:
        return None
    try:
        with _boundary():
            found = _scan(path, form.delimiter).collect_schema().names()
    except InputError:
        return None
    return PlainText(Path(path), form.delimiter, tuple(names)) if found == list(names) else None


def _read_pieces(path: Path, size: int) -> Iterator[bytes]:
    """The bytes of a file, at most `size` of them at a time."""
    with ExitStack() as stack:
        with _boundary():
            file = stack.enter_context(path.open("rb", buffering=0))
        yield from guard_each(iter(partial(file.read, size), b""), _boundary)


def _scan(path: str | os.PathLike[str], delimiter: str) -> pl.LazyFrame:
    """The file as a lazy frame of texts."""
    return pl.scan_csv(Path(path), separator=delimiter, infer_schema=False, glob=False)


def _boundary() -> AbstractContextManager[None]:
    """A block in which errors of Polars become an `InputError` that quotes no cell."""
    return boundary(InputError("the file cannot be read", remedy="check its quotes and encoding"))
