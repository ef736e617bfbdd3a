"""Delimited text in parts of whole records."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from incrowd.errors import InputError
from incrowd.kernels.io import records

_LONGEST = 2**26
_NEWLINE = 10


@dataclass(frozen=True, eq=False)
class Body:
    """Some whole records of a text in UTF-8."""

    text: bytes
    line: int
    """The number of its first line in the file."""
    lines: int
    """How many line feeds it has."""
    header: bool = False
    """Whether its first record names the columns."""

    def __repr__(self) -> str:
        """Without values."""
        return f"Body({len(self.text)} bytes)"


def bodies(
    pieces: Iterator[bytes], delimiter: str, *, header: bool, returns: bool
) -> Iterator[Body]:
    """The text cut where records end; lines end with `returns` if there are no line feeds."""
    rest, line = b"", 1
    for piece, last in with_last(pieces):
        rest += piece.replace(b"\r", b"\n") if returns else piece
        end = len(rest) if last else _last_end(rest, delimiter)
        body = rest[:end].lstrip(b"\r\n")
        line += rest.count(b"\n", 0, end - len(body))
        lines = _lines(body)
        _refuse_endless(len(rest) - end, line + lines)
        if body:
            yield Body(body, line, lines, header)
            header = False
        line += lines
        rest = rest[end:]


def with_last(pieces: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """The pieces, and an empty one that is the last."""
    for piece in pieces:
        yield piece, False
    yield b"", True


def _lines(text: bytes) -> int:
    """How many line feeds there are; `bytes.count` takes several times as long."""
    data: Any = np.frombuffer(text, dtype=np.uint8)
    return int(np.count_nonzero(data == _NEWLINE))


def _last_end(text: bytes, delimiter: str) -> int:
    """Where the last whole record of the text ends."""
    if b'"' not in text:
        return text.rfind(b"\n") + 1

    data: Any = np.frombuffer(text, dtype=np.uint8)
    return records.last_end(data, ord(delimiter))


def _refuse_endless(size: int, line: int) -> None:
    if size > _LONGEST:
        raise InputError(
            f"the record of line {line:,} has no end", remedy="close its quotes, or cut the file"
        )
