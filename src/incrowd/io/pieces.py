"""Tables larger than memory: written once, piece by piece.

Memory is that of one piece. Text is written by Polars (also gzip and zstd), Parquet and Arrow by
PyArrow. Nothing leaves but the cells: categories leave as the texts they show.
"""

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, TypeAlias

import polars as pl

from incrowd.errors import InputError, PolicyError, boundary
from incrowd.io.tables import Form, as_text

Write: TypeAlias = Callable[[pl.DataFrame], None]
"""Add the rows of a frame to a file."""


def refuse_unwritable(form: Form) -> None:
    """Refuse a form that cannot be written piece by piece here."""
    if form.format != "csv" and find_spec("pyarrow") is None:
        raise PolicyError(
            "writing Parquet and Arrow in parts needs PyArrow, which is not installed",
            remedy="install incrowd[arrow], or name a .csv file",
        )


@contextmanager
def pieces(path: str | os.PathLike[str], form: Form) -> Iterator[Write]:
    """A file that takes frames of one kind, which are complete when the block ends.

    No frame, no table: at least one must come, if only with its columns.
    """
    refuse_unwritable(form)
    with Path(path).open("wb") as file:
        if form.format == "csv":
            yield from _text(file, form)
        else:
            yield from _columns(file, form)


def _text(file: IO[bytes], form: Form) -> Iterator[Write]:
    begun = False

    def write(frame: pl.DataFrame) -> None:
        nonlocal begun
        begun, header, delimiter = True, not begun, form.delimiter
        with _boundary():
            table = as_text(frame)
            if form.compression == "gzip":
                packed.write(table.write_csv(separator=delimiter, include_header=header).encode())
            else:
                table.write_csv(
                    file,
                    separator=delimiter,
                    include_header=header,
                    compression=form.compression or "uncompressed",
                    check_extension=False,
                )

    if form.compression != "gzip":
        yield write
        return
    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        yield write


def _columns(file: IO[bytes], form: Form) -> Iterator[Write]:
    writer: Any = None

    def write(frame: pl.DataFrame) -> None:
        nonlocal writer
        with _boundary():
            plain = frame.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
            table = plain.to_arrow(compat_level=pl.CompatLevel.oldest())
            writer = writer or _opened(file, form, table.schema)
            writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()


def _opened(file: IO[bytes], form: Form, schema: Any) -> Any:
    if form.format == "parquet":
        return import_module("pyarrow.parquet").ParquetWriter(file, schema)
    return import_module("pyarrow.ipc").new_file(file, schema)


@contextmanager
def _boundary() -> Iterator[None]:
    """Keep other libraries' words back; what the system says is for whoever names the file."""
    failed: OSError | None = None
    with boundary(InputError("the columns cannot be written", remedy="use another format")):
        try:
            yield
        except OSError as error:
            failed = error
    if failed is not None:
        raise failed
