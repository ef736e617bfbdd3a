"""Files that are read as a whole: workbooks, statistics files and JSON lines.

Their first bytes say what they are. The libraries that read some of them are extras.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import polars as pl

from incrowd.io.layout import Layout
from incrowd.io.notes import Note

WholeFormat: TypeAlias = Literal["csv", "xlsx", "jsonl"]
"""What a release of such a file is written as, unless its name says otherwise."""


@dataclass(frozen=True, eq=False, repr=False)
class WholeTable:
    """A table that was read as a whole."""

    frame: pl.DataFrame
    format: WholeFormat
    notes: tuple[Note, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    """What its columns mean, where the file says so."""


Reader: TypeAlias = Callable[[bytes, Layout], WholeTable]

HEAD = 512
"""Bytes at the start of a file that say what it is."""


def reader_of(head: bytes) -> Reader | None:
    """The function that reads a file with this start; None if it is a text, Parquet or Arrow."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
        from incrowd.io import sheets  # noqa: PLC0415  few tables are workbooks

        return sheets.read
    if _is_json(head):
        from incrowd.io import json_lines  # noqa: PLC0415  as above

        return json_lines.read
    if any(known(head) for known in _STATISTICS):
        from incrowd.io import stat_files  # noqa: PLC0415  as above

        return stat_files.read
    return None


def _is_json(head: bytes) -> bool:
    """Whether a file starts as JSON: an object, or a list of objects."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    inside = start[1:].lstrip() if start[:1] in {b"{", b"["} else b"?"
    return (start[:1] == b"{" and inside[:1] in {b'"', b"}"}) or inside[:1] == b"{"


_STATISTICS: tuple[Callable[[bytes], bool], ...] = (
    lambda head: head.startswith((b"$FL2@(#)", b"$FL3@(#)")),
    lambda head: head.startswith((b"<stata_dta>", b"<stata_dta")),
    lambda head: head[:1] in {b"\x71", b"\x72", b"\x73"} and head[1:4] in {b"\1\1\0", b"\2\1\0"},
    lambda head: head.startswith(b"HEADER RECORD*******LIB"),
    lambda head: head[12:28] == b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c",
    lambda head: b"SPSS PORT FILE" in head[40:512],
)
"""SPSS (.sav, .zsav), Stata new and old, SAS transport and SAS itself, SPSS portable."""
