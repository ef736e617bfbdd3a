"""The file that a release is written to, before it takes its place."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import polars as pl

from incrowd.errors import PolicyError
from incrowd.io import files, tables
from incrowd.io.atomic import replacing
from incrowd.io.pair import replacing_both

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

    def certify(self, text: str) -> None:
        """Write the certificate."""
        if self.paper is not None:
            files.write_text(self.paper, text)


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
