"""What gzip and zstd hold, as long as it does not grow beyond all measure.

A few kilobytes can unpack to terabytes. What unpacks to more than a hundred times its size, and to
more than 2 GB, is refused.
"""

import gzip
import io
import os
import sys
import zlib
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from incrowd.errors import InputError, LimitError, PolicyError

VARIABLE = "INCROWD_MAX_UNPACKED"
"""The variable that says how many bytes a file may unpack to."""
_ALWAYS = 2 * 10**9
_FACTOR = 100
_PIECE = 2**20


class Counting(io.RawIOBase):
    """A stream of packed bytes that counts them."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.read_so_far = 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer from the stream."""
        found = self._stream.read(len(buffer)) or b""
        buffer[: len(found)] = found
        self.read_so_far += len(found)
        return len(found)


class Limited(io.RawIOBase):
    """A stream of unpacked bytes that refuses to go on when they are too many."""

    def __init__(self, unpacked: Any, packed: Counting) -> None:
        self._unpacked = unpacked
        self._packed = packed
        self._given = 0
        self._most = _asked()

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what comes out."""
        found = self._unpacked.read(len(buffer)) or b""
        buffer[: len(found)] = found
        self._given += len(found)
        most = self._most or max(_ALWAYS, _FACTOR * self._packed.read_so_far)
        if self._given > most:
            raise LimitError(
                f"it unpacks to more than {most / 10**6:,.0f} MB, from "
                f"{self._packed.read_so_far / 10**6:,.1f} MB",
                remedy=f"if that is right, allow more bytes: {VARIABLE}=20000000000",
            )
        return len(found)


def whole(stream: io.RawIOBase) -> bytes:
    """All bytes of a stream."""
    parts = []
    while part := stream.read(_PIECE):
        parts.append(part)
    return b"".join(parts)


def gunzipped(data: bytes) -> bytes:
    """What gzip holds."""
    broken = InputError("its gzip compression is damaged", remedy="compress it anew")
    packed = Counting(io.BytesIO(data))
    try:
        with gzip.GzipFile(fileobj=packed) as unpacked:
            return whole(Limited(unpacked, packed))
    except (OSError, EOFError, zlib.error):
        pass
    raise broken


def zstd_opened(packed: Counting) -> AbstractContextManager[Any] | None:
    """What zstd holds, by a library that undoes it piece by piece; None if there is none."""
    if sys.version_info >= (3, 14):
        opened: AbstractContextManager[Any] = import_module("compression.zstd").open(packed)
        return opened
    if find_spec("pyarrow") is None:
        return None
    return nullcontext(import_module("pyarrow").CompressedInputStream(packed, "zstd"))


def _asked() -> int | None:
    """How many bytes the user allows; None if nothing is said."""
    said = os.environ.get(VARIABLE, "")
    if not said:
        return None
    if not said.isdecimal() or not int(said):
        raise PolicyError(
            f"{VARIABLE} must be a whole number of bytes", remedy="for example 20000000000"
        )
    return int(said)
