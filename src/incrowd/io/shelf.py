"""Arrays put aside on the disk as they are, to be read again by whoever put them there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from incrowd.io.spool import nameless, told


class Shelf:
    """Arrays by the places of their bytes, in one file that grows."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._end = 0

    def put(self, array: Any) -> int:
        """Put an array aside; the place of its first byte."""
        place = self._end
        with told():
            self._file.seek(place)
            self._file.write(array)
        self._end += array.nbytes
        return place

    def fill(self, array: Any, place: int) -> None:
        """Fill an array with the bytes from this place on."""
        with told():
            self._file.seek(place)
            found = self._file.readinto(array)
            if found != array.nbytes:
                raise OSError

    def __repr__(self) -> str:
        """Without values."""
        return f"Shelf({self._end} bytes)"


@contextmanager
def shelf(folder: str | os.PathLike[str] | None = None) -> Iterator[Shelf]:
    """A shelf in this folder, or in the system's for temporary files."""
    with nameless(folder) as file:
        yield Shelf(file)
