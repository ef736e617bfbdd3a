"""Delimited texts that Polars and we read alike: some columns at once, or records byte by byte.

Columns are read by Polars alone and without a look at the others, which is quicker than `batches`,
which checks every record: for what was checked already, as a file that was just written, or for
what will be, as a file whose records are then rewritten.
"""

import codecs
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from incrowd.errors import InputError, boundary
from incrowd.io.bodies import Body, bodies, with_last
from incrowd.io.tables import Form

PIECE = 2**21


@dataclass(frozen=True)
class PlainText:
    """A delimited text in UTF-8 with a header."""

    path: Path
    delimiter: str
    names: tuple[str, ...]
    """All its columns."""
    piece: int = PIECE
    """Bytes that are read at a time where records are read."""

    def columns(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """These columns as texts, batch by batch in their order."""
        with _boundary():
            table = _scanned(self.path, self.delimiter).select(names)
            frames = iter(table.collect_batches(maintain_order=True))
        while True:
            with _boundary():
                frame = next(frames, None)
            if frame is None:
                return
            yield frame

    def counts(self, name: str) -> pl.DataFrame:
        """How many cells of a column (`size`) show the same (`shown`)."""
        with _boundary():
            cells = _scanned(self.path, self.delimiter).select(shown=name)
            sizes = cells.group_by("shown").agg(size=pl.len().cast(pl.Int64))
            return sizes.collect(engine="streaming")

    def bodies(self) -> Iterator[Body]:
        """Its records as they are written; refused if they turn out to be in another encoding."""
        pieces = _checked(_pieces(self.path, self.piece))
        yield from bodies(pieces, self.delimiter, header=True, returns=False)

    @property
    def size(self) -> int:
        """Its bytes."""
        return self.path.stat().st_size


def plain_text(path: str | os.PathLike[str], form: Form, names: Sequence[str]) -> PlainText | None:
    """The text in this file, if Polars finds these columns in this order in it."""
    if form.format != "csv" or form.compression is not None:
        return None
    try:
        with _boundary():
            found = _scanned(path, form.delimiter).collect_schema().names()
    except InputError:
        return None
    return PlainText(Path(path), form.delimiter, tuple(names)) if found == list(names) else None


def _pieces(path: Path, size: int) -> Iterator[bytes]:
    """The bytes of a file, so many at a time."""
    with ExitStack() as stack:
        with _boundary():
            file = stack.enter_context(path.open("rb", buffering=0))
        piece = b"first"
        while piece:
            with _boundary():
                piece = file.read(size)
            yield piece


def _checked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces of a text in UTF-8, without its mark."""
    check = codecs.getincrementaldecoder("utf-8")()
    first = True
    for piece, last in with_last(pieces):
        if check.getstate()[0] or last or not piece.isascii():
            with _boundary():
                check.decode(piece, last)
        yield piece.removeprefix(codecs.BOM_UTF8) if first else piece
        first = False


def _scanned(path: str | os.PathLike[str], delimiter: str) -> pl.LazyFrame:
    return pl.scan_csv(Path(path), separator=delimiter, infer_schema=False)


@contextmanager
def _boundary() -> Iterator[None]:
    with boundary(InputError("the file cannot be read", remedy="check its quotes and encoding")):
        yield
