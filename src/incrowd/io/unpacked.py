"""Decompressed gzip and zstd, within limits.

A few kilobytes can unpack to terabytes. What unpacks to more than a hundred times its size, and to
more than 2 GB, is refused, and so is what is unpacked into memory and takes a quarter of it.
"""

import gzip
import io
import os
import sys
import zlib
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import polars as pl

from incrowd.errors import InputError, LimitError, PolicyError, boundary
from incrowd.io.byte_limits import most_bytes_at_once, too_many_bytes_error

VARIABLE = "INCROWD_MAX_UNPACKED"
_ALWAYS = 2 * 10**9
_FACTOR = 100
_PIECE = 2**20
_UNUSED: dict[str, Any] = {"separator": "\x1e", "eol_char": "\x1f"}
"""Characters that no text uses: with them as delimiter and line end a whole text is one cell."""
_ZSTD_FRAME, _ZSTD_SKIPPED = 0xFD2FB528, 0x184D2A50
"""How frames begin; the last half byte of the second, which a decoder skips, is any."""
_ZSTD_REPEATED, _ZSTD_PACKED, _ZSTD_BLOCK = 1, 2, 2**17
"""Kinds of blocks (0 is plain), and the most bytes in one that is packed."""


class ByteStream(io.RawIOBase):
    """A stream to read, whose bytes come from `take`."""

    def take(self, size: int) -> bytes:
        """Read the next bytes, at most this many; none at the end."""
        raise NotImplementedError

    def readable(self) -> bool:
        """True: the stream can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with the next bytes; return their number, 0 at the end."""
        data = self.take(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class CountingReader(ByteStream):
    """A stream of packed bytes that counts what was read."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.read_so_far = 0

    def take(self, size: int) -> bytes:
        """Read the next bytes of the packed stream, and count them."""
        data: bytes = self._stream.read(size) or b""
        self.read_so_far += len(data)
        return data


class LimitedReader(ByteStream):
    """A stream of unpacked bytes that raises `LimitError` when there are too many."""

    def __init__(self, unpacked: Any, packed: CountingReader, at_once: int | None = None) -> None:
        """`at_once` is the most bytes if memory will hold all; a limit of the user goes first."""
        self._unpacked = unpacked
        self._packed = packed
        self._given = 0
        self._most = _most_allowed()
        self._at_once = at_once if self._most is None else None

    def take(self, size: int) -> bytes:
        """Read the next unpacked bytes; `LimitError` once there are too many."""
        data: bytes = self._unpacked.read(size) or b""
        self._given += len(data)
        most = self._most or _usual_limit(self._packed.read_so_far)
        if self._at_once is not None and self._at_once < min(self._given, most):
            raise too_many_bytes_error(self._at_once)
        if self._given > most:
            raise LimitError(
                f"it unpacks to more than {most / 10**6:,.0f} MB, from "
                f"{self._packed.read_so_far / 10**6:,.1f} MB",
                remedy=f"if that is right, allow more bytes: {VARIABLE}=20000000000",
            )
        return data


def most_unpacked_bytes(packed: int, memory: int | None = None) -> int:
    """The most bytes that so many packed ones may unpack to in memory; the user's limit if set."""
    return _most_allowed() or min(_usual_limit(packed), most_bytes_at_once(memory))


def _usual_limit(packed: int) -> int:
    """The most bytes that so many packed bytes may unpack to, unless the user allows others."""
    return max(_ALWAYS, _FACTOR * packed)


def _read_whole(stream: ByteStream) -> bytes:
    """All bytes of a stream, read piece by piece, so that too many are noticed in time."""
    return b"".join(iter(partial(stream.read, _PIECE), b""))


def gunzip(data: bytes, memory: int | None = None) -> bytes:
    """The bytes unpacked from gzip; `memory` is how many may be used, what is free if None.

    `InputError` if they are damaged, `LimitError` if they are too many.
    """
    broken = InputError("its gzip compression is damaged", remedy="compress it anew")
    packed = CountingReader(io.BytesIO(data))
    try:
        with gzip.GzipFile(fileobj=packed) as unpacked:
            return _read_whole(LimitedReader(unpacked, packed, most_bytes_at_once(memory)))
    except (OSError, EOFError, zlib.error):
        pass
    raise broken


def open_zstd(packed: CountingReader) -> AbstractContextManager[Any] | None:
    """The stream unpacked from zstd, as a block; None if no library can do it in parts."""
    if sys.version_info >= (3, 14):
        opened: AbstractContextManager[Any] = import_module("compression.zstd").open(packed)
        return opened
    if find_spec("pyarrow") is None:
        return None
    return nullcontext(import_module("pyarrow").CompressedInputStream(packed, "zstd"))


def unzstd(data: bytes, memory: int | None = None) -> bytes:
    """The bytes unpacked from zstd, refused as by `gunzip`; without a library only UTF-8 text."""
    packed = CountingReader(io.BytesIO(data))
    opened = open_zstd(packed)
    if opened is None:
        return _unzstd_at_once(data, most_unpacked_bytes(len(data), memory))
    with (
        boundary(InputError("its zstd compression is damaged", remedy="compress it anew")),
        opened as unpacked,
    ):
        return _read_whole(LimitedReader(unpacked, packed, most_bytes_at_once(memory)))


def _unzstd_at_once(data: bytes, most: int) -> bytes:
    """The bytes unpacked from zstd by Polars, which reads the whole text as one cell.

    `InputError` if it is damaged or no text in UTF-8; `LimitError` if it may be more than `most`.
    """
    with boundary(
        InputError("its zstd compression holds no text in UTF-8", remedy="decompress it first")
    ):
        if _most_in_zstd(data) > most:
            raise LimitError(
                f"it may unpack to more than {most / 10**6:,.0f} MB",
                remedy="install incrowd[arrow], which unpacks it in parts, or decompress it first",
            )
        options: dict[str, Any] = {"has_header": False, "infer_schema": False, "quote_char": None}
        return str(pl.read_csv(data, **_UNUSED, **options).item()).encode()


def _most_in_zstd(data: bytes) -> int:
    """The most bytes that frames of zstd (RFC 8878) may hold, by the headers of their blocks.

    `ValueError` or `IndexError` if they are damaged. What a frame says of its own size may be wrong
    and is not used: a packed block has up to `_ZSTD_BLOCK` bytes, others say how many they have.
    """
    size = place = 0
    while place < len(data):
        magic, place = int.from_bytes(data[place : place + 4], "little"), place + 4
        if magic & ~0xF == _ZSTD_SKIPPED:
            place += 4 + int.from_bytes(data[place : place + 4], "little")
            continue
        if magic != _ZSTD_FRAME:
            raise ValueError
        flags, last = data[place], 0
        single = flags >> 5 & 1
        place += 2 - single + (0, 1, 2, 4)[flags & 3] + (single, 2, 4, 8)[flags >> 6]
        while not last:
            header = data[place] | data[place + 1] << 8 | data[place + 2] << 16
            last, kind, length = header & 1, header >> 1 & 3, header >> 3
            size += length if kind < _ZSTD_PACKED else _ZSTD_BLOCK
            place += 3 + (1 if kind == _ZSTD_REPEATED else length)
        place += 4 * (flags >> 2 & 1)
    return size


def _most_allowed() -> int | None:
    """The most bytes that `INCROWD_MAX_UNPACKED` allows, if set; `PolicyError` if it is faulty."""
    said = os.environ.get(VARIABLE, "")
    if not said:
        return None
    if not said.isdecimal() or not int(said):
        raise PolicyError(
            f"{VARIABLE} must be a whole number of bytes", remedy="for example 20000000000"
        )
    return int(said)
