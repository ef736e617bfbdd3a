"""Delimited text: its encoding, its delimiter and its header."""

import codecs
import csv
import io
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.errors import InputError, PolicyError, boundary, counted
from incrowd.io.header import is_headed
from incrowd.io.titles import names_of, refuse_wide, title_lines
from incrowd.kernels.io import lines as lines_kernels
from incrowd.table.cells import select_columns

DELIMITERS = (",", ";", "\t", "|", " ")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ZIP = b"PK\x03\x04"
_WIDE = ("utf16", "utf32")
"""Encodings in which line ends and delimiters hold a byte of zero."""
_HEAD = 2**16
_LINES = 6
_WIDEST = 2**26
_SAMPLE = 100


@dataclass(frozen=True, eq=False)
class Text:
    """A delimited text in UTF-8, and the encoding of its file."""

    data: bytes
    encoding: str
    guessed: bool = False
    """Whether the encoding is only a guess."""


def refuse_binary(head: bytes, encoding: str | None = None) -> None:
    """Refuse what is no text; only texts in UTF-16 and UTF-32 hold bytes of 0."""
    if head.startswith(_ZIP):
        raise InputError("it is a ZIP archive or a workbook", remedy="save it as CSV or Parquet")
    marked = head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff"))
    wide = (encoding or "").lower().replace("-", "").replace("_", "").startswith(_WIDE)
    if b"\x00" in head and not (marked or wide):
        raise InputError(
            "it is neither text nor Parquet nor Arrow",
            remedy="save it as CSV, or name its encoding if it is text",
        )


def decoded(data: bytes, encoding: str | None) -> Text:
    """The text in UTF-8; its encoding is as given, as marked, UTF-8 or that of Windows."""
    if encoding is not None:
        return Text(_transcoded(data, encoding), encoding)
    for mark, name in _MARKS:
        if data.startswith(mark):
            return Text(_transcoded(data, name), name)
    if _is_utf8(data):
        return Text(data, "utf-8")
    for name in ("cp1252", "latin-1"):
        try:
            return Text(data.decode(name).encode(), name, guessed=True)
        except UnicodeDecodeError:
            continue
    raise InputError("the encoding cannot be found", remedy="name it with --encoding")


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _transcoded(data: bytes, encoding: str) -> bytes:
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        name = ""
    if not name:
        raise PolicyError(f"unknown encoding {encoding!r}", remedy="try utf-8 or cp1252")
    if name == "utf-8" and data.isascii():
        return data
    if data and name.replace("-", "").startswith(_WIDE) and b"\0" not in data:
        raise InputError(
            f"the text is not {encoding}: its characters have only one byte",
            remedy="name its encoding",
        )
    place = -1
    try:
        return data.decode("utf-8-sig" if name == "utf-8" else name).encode()
    except UnicodeError as error:
        place = getattr(error, "start", 0)
    line = data.count(b"\n", 0, place) + 1
    raise InputError(
        f"the text is not {encoding}: byte {place + 1:,} (line {line:,}) does not fit",
        remedy="name its encoding",
    )


def find_delimiter(data: bytes, expected: Collection[str] = (), *, tabs: bool = False) -> str:
    """The delimiter that splits the first records most evenly; a comma if none does.

    Only delimiters that find most of the `expected` names in the first line count. Where the
    file's ending promises `tabs`, another delimiter must split every record: cells of a single
    column may hold commas. A space counts only if no other delimiter splits anything, and it
    splits all records evenly.
    """
    able = _able(data, expected)
    found = {delimiter: _evenness(data, delimiter) for delimiter in able}
    space_even, space_fields = found.pop(" ", (0.0, 1))
    best = max(found, key=lambda delimiter: found[delimiter], default=" ")
    if tabs and "\t" in found and (found["\t"][1] > 1 or found[best][0] < 1.0):
        return "\t"
    if best == " " or found[best] > (0.0, 1):
        return best
    return " " if space_even == 1.0 and space_fields > 1 else next(iter(found))


def _evenness(data: bytes, delimiter: str) -> tuple[float, int]:
    """The share of records with the most common number of fields, and that number.

    Nothing is shared if that is less than half, or if the number is one.
    """
    sizes = Counter(len(record) for record in first_records(data, delimiter))
    fields, times = max(sizes.items(), key=lambda item: (item[1], item[0]), default=(1, 1))
    share = times / max(1, sizes.total())
    return (share, fields) if fields > 1 and share >= 0.5 else (0.0, 1)


def _able(data: bytes, expected: Collection[str]) -> list[str]:
    """The delimiters by which most of the expected names stand in the first line."""
    if not expected:
        return list(DELIMITERS)
    held = {d: len({*map(str.strip, _first(data, d))} & {*expected}) for d in DELIMITERS}
    return [delimiter for delimiter, number in held.items() if number == max(held.values())]


def _first(data: bytes, delimiter: str) -> list[str]:
    return next(iter(first_records(data, delimiter)), [])


def first_records(data: bytes, delimiter: str) -> list[list[str]]:
    """The first records, split; blank lines are none."""
    head = data[: head_size(data)]
    lines = io.StringIO(head.decode(errors="replace"), newline="")
    found: list[list[str]] = []
    with boundary(InputError("the first lines cannot be read")), _cells_of(len(head)):
        for record in csv.reader(lines, delimiter=delimiter):
            if record:
                found.append(record)
            if len(found) > _SAMPLE:
                break
    return found[:-1] if len(data) > len(head) and len(found) > 1 else found


@contextmanager
def _cells_of(size: int) -> Iterator[None]:
    """Allow cells of so many letters: Python's reader has a limit for all who use it."""
    limit = csv.field_size_limit(size + 1)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def head_size(data: bytes) -> int:
    """How many bytes of a text to look at: some lines, however wide the table is."""
    end = 0
    for _ in range(_LINES):
        end = data.find(b"\n", end) + 1
        if not end:
            return min(len(data), _WIDEST)
    return min(len(data), max(_HEAD, end), _WIDEST)


@dataclass(frozen=True, eq=False)
class ReadText:
    """The records of a delimited text, and what was done to its start."""

    frame: pl.DataFrame
    header: bool
    first: tuple[str, ...]
    """The cells of the first line that is no title."""
    skipped: int
    """Lines of titles that were found above it."""


@dataclass(frozen=True)
class TextLayout:
    """How a text is laid out; None means: find out."""

    delimiter: str
    header: bool | None = None
    skip: int | None = None
    """Lines to skip at its start."""
    expected: Collection[str] = ()
    columns: Sequence[str] | None = None


def read_text(data: bytes, layout: TextLayout) -> ReadText:
    """The records of a delimited text, every cell as the text it is."""
    data = with_line_feeds(data)
    body, first_line, skipped = _without_titles(data, layout)
    records = first_records(body, layout.delimiter)
    if not records:
        raise InputError("the file is empty", remedy="give a table with a header and records")
    refuse_wide(len(records[0]))
    header = is_headed(records, layout.expected) if layout.header is None else layout.header
    names = names_of(records[0], header=header)
    frame = read_records(body, layout.delimiter, names, first_line, header=header)
    if layout.columns is not None:
        frame = select_columns(frame, known(layout.columns, names))
    return ReadText(frame, header, tuple(records[0]), skipped)


def _without_titles(data: bytes, layout: TextLayout) -> tuple[bytes, int, int]:
    """The text from its first record on, the number of that line, and the titles found."""
    start = end_of_lines(data, layout.skip or 0)
    body = data[start:] if start else data
    body = body.lstrip(b"\r\n") if body[:1] in {b"\r", b"\n"} else body
    titles = lines_of_titles(body, layout.delimiter) if layout.skip is None else 0
    body = body[end_of_lines(body, titles) :] if titles else body
    return body, 1 + data.count(b"\n", 0, len(data) - len(body)), titles


def lines_of_titles(start: bytes, delimiter: str) -> int:
    """How many lines at the start of a text are titles, and blank lines below them."""
    titles = title_lines(first_records(start, delimiter))
    if not titles:
        return 0
    head = io.StringIO(start[: head_size(start)].decode(errors="replace"), newline="")
    reader = csv.reader(head, delimiter=delimiter)
    with _cells_of(len(start)):
        filled = 0
        while filled < titles:
            filled += bool(next(reader))
        before = reader.line_num
        while not next(reader):
            before = reader.line_num
    return before


def end_of_lines(data: bytes, lines: int) -> int:
    """Where the first lines of a text end."""
    end = 0
    for _ in range(lines):
        place = data.find(b"\n", end)
        if place < 0:
            raise PolicyError(
                f"the file has no {lines + 1:,} lines", remedy="skip fewer of them with --skip"
            )
        end = place + 1
    return end


def read_records(
    body: bytes, delimiter: str, names: Sequence[str], first_line: int, *, header: bool
) -> pl.DataFrame:
    """Whole records of a delimited text; the first is skipped if it is the `header`.

    `first_line` is the number of the first of these lines in the file, for messages.
    """
    blank = _checked(body, delimiter, len(names), first_line)
    frame = _parsed(body, delimiter, header=header)
    frame.columns = list(names)
    if len(blank):
        lines = np.ones(len(frame) + header, dtype=np.bool_)
        lines[blank[blank < len(lines)]] = False
        frame = frame.filter(pl.Series(lines[int(header) :]))
    return frame


def known(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """These columns, all of which must be among the names."""
    for name in columns:
        if name not in names:
            raise PolicyError(f"there is no column {name!r}", remedy="name a column of the header")
    return list(columns)


def with_line_feeds(data: bytes) -> bytes:
    """The text with its lines ended by line feeds, if they were ended by returns alone."""
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def _parsed(data: bytes, delimiter: str, *, header: bool) -> pl.DataFrame:
    """The records, read by Polars or, if a quote within a cell stops it, one by one."""
    try:
        return pl.read_csv(data, separator=delimiter, has_header=header, infer_schema=False)
    except pl.exceptions.PolarsError:
        pass
    with boundary(
        InputError(
            "the file is not well-formed CSV",
            remedy="check its quotes, or give the delimiter and the encoding",
        )
    ):
        return _parsed_slowly(data, delimiter, header=header)


def _parsed_slowly(data: bytes, delimiter: str, *, header: bool) -> pl.DataFrame:
    with _cells_of(len(data)):
        lines = io.StringIO(data.decode(), newline="")
        records = list(csv.reader(lines, delimiter=delimiter, strict=True))[int(header) :]
    width = max(map(len, records), default=0)
    filled = [[cell or None for cell in record] or [None] * width for record in records]
    return pl.DataFrame(filled, schema=[(str(j), pl.String) for j in range(width)], orient="row")


def _checked(data: bytes, delimiter: str, fields: int, first_line: int) -> Counts:
    """The blank lines; records with more or fewer fields than the first are refused."""
    found = np.zeros(5, dtype=np.int64)
    blank = np.zeros(0, dtype=np.int64)
    text: Any = np.frombuffer(data, dtype=np.uint8)
    lines_kernels.survey(text, ord(delimiter), fields, blank, found)
    if found[4]:
        raise InputError(
            f"a quote that opens in line {found[4] + first_line - 1:,} is never closed",
            remedy="close it",
        )
    if found[2]:
        raise InputError(
            f"{counted(found[2], 'row has', 'rows have')} a different number of fields than the "
            f"first line (first at line {found[3] + first_line - 1:,})",
            remedy="correct them, or give the delimiter",
        )
    if found[1]:
        blank = np.zeros(found[1], dtype=np.int64)
        lines_kernels.survey(text, ord(delimiter), fields, blank, np.zeros(5, dtype=np.int64))
    return blank
