"""The file that a release is written to, before it takes its place."""

import gzip
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, TypeAlias

import polars as pl

from incrowd.errors import InputError, PolicyError, boundary
from incrowd.io import files, tables
from incrowd.io.atomic import replacing, replacing_both
from incrowd.io.tables import Form, as_text

Write: TypeAlias = Callable[[pl.DataFrame], None]
"""Adds the rows of a frame to a file."""


def refuse_unwritable(form: Form) -> None:
    """Refuse a form that cannot be written in parts here."""
    if form.format != "csv" and find_spec("pyarrow") is None:
        raise PolicyError(
            "writing Parquet and Arrow in parts needs PyArrow, which is not installed",
            remedy="install incrowd[arrow], or name a .csv file",
        )


@contextmanager
def pieces(path: str | os.PathLike[str], form: Form) -> Iterator[Write]:
    """A file to add frames of one kind to; it is complete when the block ends.

    Add at least one frame, if only with its columns.
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
    """Hide other libraries' words; what the system says is passed on to whoever names the file."""
    failed: OSError | None = None
    with boundary(InputError("the columns cannot be written", remedy="use another format")):
        try:
            yield
        except OSError as error:
            failed = error
    if failed is not None:
        raise failed


AnyPath: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class TargetFile:
    """A file in the format that its name says, else in that of the table it is made of."""

    path: Path
    like: tables.Source
    """How the table came that the release is made of."""

    @property
    def form(self) -> tables.Form:
        """How the release is laid out."""
        return tables.form_of(self.path, self.like)

    @property
    def format(self) -> str:
        """`csv`, `parquet` or `arrow`."""
        return self.form.format

    def put(self, frame: Any) -> None:
        """Write a frame."""
        tables.write(frame, self.path, like=self.like)

    def get(self) -> pl.DataFrame:
        """Read it anew, cells as they are stored."""
        return tables.read(self.path, self.form.delimiter, "utf-8", header=True).frame

    def sha256(self) -> str:
        """Of its bytes."""
        return hashlib.sha256(files.content(self.path)).hexdigest()


@dataclass(frozen=True, eq=False)
class Place:
    """Where a release and its certificate are written until both are complete."""

    file: TargetFile | None
    """None if the release stays a frame."""
    paper: Path | None
    """Where the certificate is written; None if nowhere."""

    def certify(self, text: Callable[[], str]) -> None:
        """Write the certificate, if there is a place for it."""
        if self.paper is not None:
            files.write_text(self.paper, text())


@contextmanager
def placing(
    target: AnyPath | None, certificate: AnyPath | None, like: tables.Source
) -> Iterator[Place]:
    """Places for a release and its certificate, which go where they belong if the block ends well.

    Both together, or not at all; standard output ("-") gets the release at the end.
    """
    if target is None:
        yield Place(None, None)
    elif str(target) != "-" and certificate is not None:
        with replacing_both(target, certificate) as (place, paper):
            yield Place(TargetFile(place, like), paper)
    else:
        with TemporaryDirectory() as folder:
            place, paper = Path(folder) / "release", Path(folder) / "certificate"
            yield Place(TargetFile(place, like), paper)
            files.send(files.content(place))
            if certificate is not None:
                with replacing(certificate) as new:
                    files.write_bytes(new, files.content(paper))


def certificate_path(target: AnyPath | None, certificate: AnyPath | None) -> AnyPath | None:
    """Where the certificate goes: beside the release, unless said otherwise."""
    if certificate is not None or target is None or str(target) == "-":
        return certificate
    return f"{os.fspath(target)}.certificate.json"


def refuse_overwriting(
    source: AnyPath | None, target: AnyPath | None, certificate: AnyPath | None
) -> None:
    """Refuse to write over the table, or the certificate over either."""
    table = None if source is None or str(source) == "-" else source
    release = None if target is None or str(target) == "-" else target
    if table is not None and release is not None and files.same_file(table, release):
        raise PolicyError(
            "the release would overwrite the table it is made of", remedy="name another target"
        )
    taken = [path for path in (table, release) if path is not None]
    if certificate is not None and any(files.same_file(certificate, path) for path in taken):
        raise PolicyError(
            "the certificate would overwrite a table", remedy="name another file for it"
        )
