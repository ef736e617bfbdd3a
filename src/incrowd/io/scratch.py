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

import numpy as np
import polars as pl

from incrowd.errors import InputError
from incrowd.io.faults import system_reason


class ScratchFile:
    """Temporary arrays, found by the offset of their bytes, in one file that grows."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.end = 0
        """The offset of what is stored next."""

    def put(self, data: Any) -> int:
        """Store an array or a memoryview, and return the offset of its first byte."""
        begin = self.end
        with _disk_boundary():
            self._file.seek(begin)
            self._file.write(data)
        self.end += data.nbytes
        return begin

    def get(self, begin: int, size: int, dtype: type[np.generic]) -> Any:
        """Read the array of this size and type whose bytes start at this offset."""
        array = np.empty(size, dtype=dtype)
        with _disk_boundary():
            self._file.seek(begin)
            if self._file.readinto(array) != array.nbytes:  # type: ignore[attr-defined]
                raise OSError
        return array


class ScratchFrames:
    """Temporary frames, numbered, in one file that grows."""

    def __init__(self, file: ScratchFile) -> None:
        self._file = file
        self._ends = [0]

    def __len__(self) -> int:
        """Number of frames."""
        return len(self._ends) - 1

    def put(self, frame: pl.DataFrame) -> int:
        """Store a frame and return its number."""
        packed = io.BytesIO()
        frame.write_ipc_stream(packed, compression="lz4")
        self._file.put(packed.getbuffer())
        self._ends.append(self._file.end)
        return len(self) - 1

    def get(self, number: int) -> pl.DataFrame:
        """Read the frame with this number."""
        begin, end = self._ends[number : number + 2]
        return pl.read_ipc_stream(io.BytesIO(self._file.get(begin, end - begin, np.uint8)))


@contextmanager
def scratch_frames(folder: str | os.PathLike[str] | None = None) -> Iterator[ScratchFrames]:
    """A block with a store of frames in a temporary file, in this folder if one is given."""
    with scratch_file(folder) as file:
        yield ScratchFrames(file)


@contextmanager
def scratch_file(folder: str | os.PathLike[str] | None = None) -> Iterator[ScratchFile]:
    """A block with a store of arrays in a temporary file, in this folder if one is given."""
    with ExitStack() as stack:
        with _disk_boundary():
            file = stack.enter_context(tempfile.TemporaryFile(prefix=".incrowd-", dir=folder))
        yield ScratchFile(file)


@contextmanager
def _disk_boundary() -> Iterator[None]:
    """A block in which an `OSError` becomes an `InputError` about temporary data."""
    try:
        yield
    except OSError as error:
        why = system_reason(error)
    else:
        return
    raise InputError(
        f"temporary data cannot be stored on disk: {why}",
        remedy="free some disk space, or write to another folder",
    )
