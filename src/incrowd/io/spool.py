"""Frames put aside on the disk, to be read again by whoever put them there."""

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO

import polars as pl

from incrowd.errors import InputError
from incrowd.io.atomic import reason


class Spool:
    """Frames by their numbers, in one file that grows."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._ends = [0]

    def __len__(self) -> int:
        """How many frames there are."""
        return len(self._ends) - 1

    def put(self, frame: pl.DataFrame) -> int:
        """Put a frame aside; its number."""
        packed = io.BytesIO()
        frame.write_ipc_stream(packed, compression="lz4")
        with told():
            self._file.seek(self._ends[-1])
            self._file.write(packed.getbuffer())
        self._ends.append(self._ends[-1] + packed.tell())
        return len(self) - 1

    def get(self, number: int) -> pl.DataFrame:
        """The frame of this number."""
        start, end = self._ends[number : number + 2]
        with told():
            self._file.seek(start)
            packed = self._file.read(end - start)
        return pl.read_ipc_stream(io.BytesIO(packed))

    def __repr__(self) -> str:
        """Without values."""
        return f"Spool({len(self)} frames)"


@contextmanager
def spool(folder: str | os.PathLike[str] | None = None) -> Iterator[Spool]:
    """A spool in this folder, or in the system's for temporary files."""
    with nameless(folder) as file:
        yield Spool(file)


@contextmanager
def nameless(folder: str | os.PathLike[str] | None = None) -> Iterator[IO[bytes]]:
    """A file in this folder, or in the system's for temporary files, to put something aside.

    It has no name where the system allows that, so that nobody else can open it and nothing is left
    of it when the process ends, however it ends.
    """
    with ExitStack() as stack:
        with told():
            file = stack.enter_context(tempfile.TemporaryFile(prefix=".incrowd-", dir=folder))
        yield file


@contextmanager
def told() -> Iterator[None]:
    """What the system refuses is told as what it means here."""
    try:
        yield
    except OSError as error:
        why = reason(error)
    else:
        return
    raise InputError(
        f"records cannot be put aside on the disk: {why}",
        remedy="make room, or name another folder",
    )
