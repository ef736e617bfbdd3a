"""The file that a release is written to, before it takes its place."""

import gzip
import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, TypeAlias

import polars as pl

from incrowd.engines.addresses import address_of, is_address
from incrowd.engines.base import NewTable
from incrowd.engines.private_folders import private_folder
from incrowd.errors import InputError, PolicyError, boundary
from incrowd.io import files, sheet_writing, tables
from incrowd.io.atomic import AnyPath, replace_at_end, replace_both_at_end, replace_with_last_step
from incrowd.io.batches import open_batches
from incrowd.io.layout import stored_text
from incrowd.io.tables import Form
from incrowd.io.text_writing import as_text, write_lines, write_text

Write: TypeAlias = Callable[[pl.DataFrame], None]
"""Adds the rows of a frame to a file."""


def refuse_unwritable(form: Form) -> None:
    """Raise `PolicyError` if PyArrow is missing, and the form is Parquet or Arrow."""
    if form.format in {"parquet", "arrow"} and find_spec("pyarrow") is None:
        raise PolicyError(
            "writing Parquet and Arrow in parts needs PyArrow, which is not installed",
            remedy="install incrowd[arrow], or name a .csv file",
        )


@contextmanager
def write_in_pieces(path: str | os.PathLike[str], form: Form) -> Iterator[Write]:
    """A block with a function that appends frames of one kind to a file, complete at its end.

    Add at least one frame, if only with columns; `PolicyError` if PyArrow is needed but missing.
    """
    refuse_unwritable(form)
    with Path(path).open("wb") as file:
        if form.format in {"csv", "jsonl"}:
            yield from _append_text(file, form)
        elif form.format == "xlsx":
            yield from _collect_sheet(file)
        else:
            yield from _append_columns(file, form)


def _append_text(file: IO[bytes], form: Form) -> Iterator[Write]:
    """Yield a function that appends frames to a text; only the first writes a header."""
    begun = False

    def write(frame: pl.DataFrame) -> None:
        nonlocal begun
        begun, header, delimiter = True, not begun, form.delimiter
        with _boundary():
            if form.format == "jsonl":
                write_lines(frame, file, form.compression)
                return
            if form.compression == "gzip":
                table = as_text(frame)
                packed.write(table.write_csv(separator=delimiter, include_header=header).encode())
            else:
                write_text(frame, file, delimiter, form.compression, header=header)

    if form.compression != "gzip" or form.format == "jsonl":
        yield write
        return
    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        yield write


def _collect_sheet(file: IO[bytes]) -> Iterator[Write]:
    """Yield a function that collects frames of a sheet, or raises `LimitError`; then write them."""
    frames: list[pl.DataFrame] = []
    rows = 0

    def write(frame: pl.DataFrame) -> None:
        nonlocal rows
        rows += frame.height
        sheet_writing.refuse_large(rows, frame.width)
        frames.append(frame)

    yield write
    if frames:
        with _boundary():
            sheet_writing.write(pl.concat(frames, how="vertical_relaxed"), file)


def _append_columns(file: IO[bytes], form: Form) -> Iterator[Write]:
    """Yield a function that appends frames to a Parquet or Arrow file."""
    writer: Any = None

    def write(frame: pl.DataFrame) -> None:
        nonlocal writer
        with _boundary():
            plain = frame.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
            table = plain.to_arrow(compat_level=pl.CompatLevel.oldest())
            writer = writer or _open_writer(file, form, table.schema)
            writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()


def _open_writer(file: IO[bytes], form: Form, schema: Any) -> Any:
    """The writer of PyArrow for this form, of frames with this schema."""
    if form.format == "parquet":
        return import_module("pyarrow.parquet").ParquetWriter(file, schema)
    return import_module("pyarrow.ipc").new_file(file, schema)


@contextmanager
def _boundary() -> Iterator[None]:
    """A block whose errors become an `InputError`; those of the system (`OSError`) pass."""
    failed: OSError | None = None
    with boundary(InputError("the columns cannot be written", remedy="use another format")):
        try:
            yield
        except OSError as error:
            failed = error
    if failed is not None:
        raise failed


@dataclass(frozen=True, eq=False)
class TargetFile:
    """A file in the format that its name says, else in that of the table it is made of."""

    path: Path
    like: tables.Source
    """How the original table was read."""

    @property
    def form(self) -> tables.Form:
        """How the release is laid out in the file."""
        return tables.form_of(self.path, self.like)

    @property
    def format(self) -> str:
        """The file's format: `csv`, `parquet`, `arrow`, `xlsx` or `jsonl`."""
        return self.form.format

    def put(self, frame: Any) -> None:
        """Write a frame as the whole file."""
        tables.write(frame, self.path, like=self.like)

    def get(self) -> pl.DataFrame:
        """Read the file anew as one frame, cells as they are stored."""
        return tables.read(self.path, stored_text(self.form.delimiter)).frame

    def parts(self) -> AbstractContextManager[Write]:
        """A block with a function that appends frames; at its end the file is complete."""
        return write_in_pieces(self.path, self.form)

    def batches(self) -> Iterator[pl.DataFrame]:
        """Read the file anew, frame by frame, cells as they are stored."""
        with open_batches(self.path, stored_text(self.form.delimiter)) as table:
            yield from table

    def sha256(self) -> str:
        """SHA-256 of the file's bytes."""
        return files.sha256(self.path)


@dataclass(frozen=True, eq=False)
class Place:
    """Where a release and its certificate are written until both are complete."""

    file: TargetFile | NewTable | None
    """None if the release stays a frame."""
    certificate: Path | None
    """Where the certificate is written; None if nowhere."""
    steps: list[Callable[[], None]] = field(default_factory=list)
    """Steps that publish the release once its certificate is in its place."""

    def certify(self, text: Callable[[], str]) -> None:
        """Write the certificate that `text` makes, if there is a place for it."""
        if self.certificate is not None:
            files.write_text(self.certificate, text())

    def publish_with(self, publish: Callable[[], None]) -> None:
        """Add a step that publishes the release, where a file in its place is not enough."""
        self.steps.append(publish)

    def publish(self) -> None:
        """Do all steps that publish the release."""
        for publish in self.steps:
            publish()


@contextmanager
def open_places(
    target: AnyPath | None,
    certificate: AnyPath | None,
    like: tables.Source,
    *,
    table: NewTable | None = None,
    parts: bool = False,
) -> Iterator[Place]:
    """A block with places for a release and its certificate, which get their names at its end.

    Both get them together if the block ends well, or neither does. For "-", or without a
    certificate, the release goes to standard output. The certificate of a `table` is there when
    others first see it. A release in `parts` is a folder, empty at first. No target: both None.
    """
    if table is not None and certificate is not None:
        with replace_with_last_step(certificate) as (paper, place_it):
            found = Place(table, paper)
            yield found
            place_it(found.publish)
    elif target is None:
        yield Place(None, None)
    elif str(target) != "-" and certificate is not None:
        with replace_both_at_end(target, certificate, parts=parts) as (place, paper):
            yield Place(TargetFile(place, like), paper)
    else:
        with private_folder() as folder:
            place, paper = folder / "release", folder / "certificate"
            yield Place(TargetFile(place, like), paper)
            files.copy_to_stdout(place)
            if certificate is not None:
                with replace_at_end(certificate) as new:
                    files.write_bytes(new, files.read_document(paper))


def refuse_no_folder(target: AnyPath | None) -> None:
    """Refuse a target for a new folder: `PolicyError` for "-", `InputError` if it exists."""
    if target is None:
        return
    if str(target) == "-":
        raise PolicyError(
            "incrowd releases this table as a folder of files, not to standard output",
            remedy="name a folder",
        )
    files.refuse_existing_paths(target)


def certificate_path(target: AnyPath | None, certificate: AnyPath | None) -> AnyPath | None:
    """Where the certificate goes: beside the release, unless said otherwise; None if nowhere.

    That of a table in a database goes to the current folder, under the name of the table.
    """
    if certificate is not None or target is None or str(target) == "-":
        return certificate
    table = address_of(target)
    name = os.fspath(target) if table is None else re.sub(r"[^\w.-]", "_", table.name)
    return f"{name}.certificate.json"


def _is_file(path: AnyPath) -> bool:
    """Whether this names a file, not standard input or output, nor a table in a database."""
    return str(path) != "-" and not is_address(path)


def refuse_overwriting(
    source: AnyPath | None, target: AnyPath | None, certificate: AnyPath | None
) -> None:
    """Raise `PolicyError` if a release would overwrite its table, or a certificate one of them."""
    table = source if source is not None and _is_file(source) else None
    release = target if target is not None and _is_file(target) else None
    if table is not None and release is not None and files.same_file(table, release):
        raise PolicyError(
            "the release would overwrite the table it is made of", remedy="name another target"
        )
    taken = [path for path in (table, release) if path is not None]
    if certificate is not None and any(files.same_file(certificate, path) for path in taken):
        raise PolicyError(
            "the certificate would overwrite a table", remedy="name another file for it"
        )
