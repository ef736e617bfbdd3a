"""Scratch space on disk: unnamed temporary files for frames and for arrays.

Only the process that wrote them can read them again. They have no name where the system allows it,
so nobody else can open them and nothing is left of them when the process ends, however it ends.
"""

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any

import polars as pl

from incrowd.errors import InputError
from incrowd.io.atomic import reason


class ScratchFrames:
    """Temporary frames, numbered, in one file that grows."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._ends = [0]

    def __len__(self) -> int:
        """Number of frames."""
        return len(self._ends) - 1

    def put(self, frame: pl.DataFrame) -> int:
        """Store a frame and return its number."""
        packed = io.BytesIO()
        frame.write_ipc_stream(packed, compression="lz4")
        with _disk_errors():
            self._file.seek(self._ends[-1])
            self._file.write(packed.getbuffer())
        self._ends.append(self._ends[-1] + packed.tell())
        return len(self) - 1

    def get(self, number: int) -> pl.DataFrame:
        """The frame with this number."""
        start, end = self._ends[number : number + 2]
        with _disk_errors():
            self._file.seek(start)
            packed = self._file.read(end - start)
        return pl.read_ipc_stream(io.BytesIO(packed))

    def __repr__(self) -> str:
        """Without values."""
        return f"ScratchFrames({len(self)} frames)"


class ScratchFile:
    """Temporary arrays, found by the offset of their bytes, in one file that grows."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._end = 0

    def put(self, array: Any) -> int:
        """Store an array and return the offset of its first byte."""
        place = self._end
        with _disk_errors():
            self._file.seek(place)
            self._file.write(array)
        self._end += array.nbytes
        return place

    def fill(self, array: Any, place: int) -> None:
        """Fill an array with the bytes from this offset on."""
        with _disk_errors():
            self._file.seek(place)
            found = self._file.readinto(array)
            if found != array.nbytes:
                raise OSError

    def __repr__(self) -> str:
        """Without values."""
        return f"ScratchFile({self._end} bytes)"


@contextmanager
def scratch_frames(folder: str | os.PathLike[str] | None = None) -> Iterator[ScratchFrames]:
    """Temporary frames in this folder, or in the system's temporary one."""
    with _unnamed(folder) as file:
        yield ScratchFrames(file)


@contextmanager
def scratch_file(folder: str | os.PathLike[str] | None = None) -> Iterator[ScratchFile]:
    """Temporary arrays in this folder, or in the system's temporary one."""
    with _unnamed(folder) as file:
        yield ScratchFile(file)


@contextmanager
def _unnamed(folder: str | os.PathLike[str] | None) -> Iterator[IO[bytes]]:
    with ExitStack() as stack:
        with _disk_errors():
            file = stack.enter_context(tempfile.TemporaryFile(prefix=".incrowd-", dir=folder))
        yield file


@contextmanager
def _disk_errors() -> Iterator[None]:
    """Say what a refusal by the system means here."""
    try:
        yield
    except OSError as error:
        why = reason(error)
    else:
        return
    raise InputError(
        f"temporary data cannot be stored on disk: {why}",
        remedy="free some disk space, or write to another folder",
    )
