"""Delimited text: its encoding, its delimiter and its header."""

import codecs
import csv
import io
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.errors import InputError, PolicyError, boundary, count_of
from incrowd.io.header import is_headed
from incrowd.io.layout import DELIMITERS, Layout
from incrowd.io.notes import Note
from incrowd.io.titles import count_title_records, names_of, refuse_wide, start_notes
from incrowd.kernels.io import lines as lines_kernels

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
"""Bytes of a start that are looked at, at least."""
_LINES = 6
_WIDEST = 2**26
"""Bytes of a start that are looked at, at most."""
_SAMPLE = 100


@dataclass(frozen=True, eq=False)
class DecodedText:
    """A delimited text in UTF-8, and the encoding of its file."""

    data: bytes
    encoding: str
    guessed: bool = False


def refuse_binary(head: bytes, encoding: str | None = None) -> None:
    """Raise `InputError` for a ZIP archive, or bytes of 0 that are not of UTF-16 or UTF-32."""
    if head.startswith(_ZIP):
        raise InputError("it is a ZIP archive or a workbook", remedy="save it as CSV or Parquet")
    marked = head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff"))
    wide = (encoding or "").lower().replace("-", "").replace("_", "").startswith(_WIDE)
    if b"\x00" in head and not (marked or wide):
        raise InputError(
            "it is neither text nor Parquet nor Arrow",
            remedy="save it as CSV, or name its encoding if it is text",
        )


def decode(data: bytes, encoding: str | None) -> DecodedText:
    """The text in UTF-8, decoded as given or marked, else as UTF-8, Windows-1252 or Latin-1.

    `InputError` if a byte does not fit what is given or marked, `PolicyError` if that is unknown.
    """
    if encoding is not None:
        return DecodedText(_transcode(data, encoding), encoding)
    marked = marked_encoding(data)
    if marked is not None:
        return DecodedText(_transcode(data, marked), marked)
    if data.isascii():
        return DecodedText(data, "utf-8")
    for name in ("utf-8", "cp1252", "latin-1"):
        with suppress(UnicodeDecodeError):
            text = data.decode(name)
            return DecodedText(data if name == "utf-8" else text.encode(), name, name != "utf-8")
    raise InputError("the encoding cannot be found", remedy="name it with --encoding")


def marked_encoding(head: bytes) -> str | None:
    """The encoding that a mark at the start of a text names; None without a mark."""
    return next((name for mark, name in _MARKS if head.startswith(mark)), None)


def _transcode(data: bytes, encoding: str) -> bytes:
    """The text in UTF-8 from this encoding; `InputError` for a misfit, `PolicyError` if unknown."""
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
    """The delimiter that splits the first records most evenly; if none does, the first that counts.

    Of `DELIMITERS` those count that find the most `expected` names in the first line. Where the
    file's ending means `tabs`, another delimiter must split every record evenly: cells of a single
    column may hold commas. A space counts only if no other delimiter splits anything, and it
    splits all records evenly.
    """
    able = _best_delimiters(data, expected)
    found = {delimiter: _evenness(data, delimiter) for delimiter in able}
    space_even, space_fields = found.pop(" ", (0.0, 1))
    best = max(found, key=lambda delimiter: found[delimiter], default=" ")
    if tabs and "\t" in found and (found["\t"][1] > 1 or found[best][0] < 1.0):
        return "\t"
    if best == " " or found[best] > (0.0, 1):
        return best
    return " " if space_even == 1.0 and space_fields > 1 else next(iter(found))


def _evenness(data: bytes, delimiter: str) -> tuple[float, int]:
    """The share of first records with the commonest number of fields, and that number.

    (0.0, 1) if the share is below one half, or the number is 1.
    """
    sizes = Counter(len(record) for record in first_records(data, delimiter))
    fields, times = max(sizes.items(), key=lambda item: (item[1], item[0]), default=(1, 1))
    share = times / max(1, sizes.total())
    return (share, fields) if fields > 1 and share >= 0.5 else (0.0, 1)


def _best_delimiters(data: bytes, expected: Collection[str]) -> list[str]:
    """The delimiters that split most expected names off the first line; all if none is expected."""
    if not expected:
        return list(DELIMITERS)
    firsts = {d: next(iter(first_records(data, d)), []) for d in DELIMITERS}
    held = {d: len({*map(str.strip, first)} & {*expected}) for d, first in firsts.items()}
    return [delimiter for delimiter, number in held.items() if number == max(held.values())]


def first_records(data: bytes, delimiter: str) -> list[list[str]]:
    """The fields of about `_SAMPLE` first whole records, not blank; `InputError` if unreadable."""
    head = data[: head_size(data)]
    lines = io.StringIO(head.decode(errors="replace"), newline="")
    found: list[list[str]] = []
    with boundary(InputError("the first lines cannot be read")), _allow_cells(len(head)):
        for record in csv.reader(lines, delimiter=delimiter):
            if record:
                found.append(record)
            if len(found) > _SAMPLE:
                break
    return found[:-1] if len(data) > len(head) and len(found) > 1 else found


@contextmanager
def _allow_cells(size: int) -> Iterator[None]:
    """A block in which Python's CSV reader, whose limit is global, takes cells of this size."""
    limit = csv.field_size_limit(size + 1)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def head_size(data: bytes) -> int:
    """Bytes of a text to look at: its first `_LINES` lines, but from `_HEAD` to `_WIDEST` bytes."""
    end = 0
    for _ in range(_LINES):
        end = data.find(b"\n", end) + 1
        if not end:
            return min(len(data), _WIDEST)
    return min(len(data), max(_HEAD, end), _WIDEST)


@dataclass(frozen=True, eq=False)
class TextStart:
    """What the start of a text says about it."""

    delimiter: str
    header: bool
    records: list[list[str]]
    titles: int
    """Lines of titles above them."""
    begin: int
    """The number of bytes before the first record."""
    line: int
    """The number of the line, from 1, in which the first record begins."""

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return names_of(self.records[0], header=self.header)

    def notes(self) -> Iterator[Note]:
        """Notes on what was done to the start of the text."""
        return start_notes(self.titles, self.records[0] if self.header else ())


def find_text_start(text: bytes, layout: Layout) -> TextStart:
    """Find out how to read a text, whose lines end with line feeds; its start is enough.

    `InputError` if it is empty, has too many columns, or may or may not begin with a header;
    `PolicyError` if it has fewer lines than are skipped.
    """
    layout.refuse_choice("a text", skips=True)
    body = text[end_of_lines(text, layout.skip or 0) :]
    body = body.lstrip(b"\r\n") if body[:1] in {b"\r", b"\n"} else body
    if not body or body.isspace():
        raise InputError("it is empty", remedy="give a table with a header and records")
    delimiter = layout.delimiter or find_delimiter(body, layout.expected, tabs=layout.tabs)
    titles = count_title_lines(body, delimiter) if layout.skip is None else 0
    body = body[end_of_lines(body, titles) :] if titles else body
    records = first_records(body, delimiter)
    refuse_wide(len(records[0]))
    header = is_headed(records, layout.expected) if layout.header is None else layout.header
    begin = len(text) - len(body)
    line = 1 + text.count(b"\n", 0, begin)
    return TextStart(delimiter, header, records, titles, begin, line)


def count_title_lines(start: bytes, delimiter: str) -> int:
    """Number of lines at the start of a text that are titles, or blank lines below them."""
    titles = count_title_records(first_records(start, delimiter))
    if not titles:
        return 0
    head = io.StringIO(start[: head_size(start)].decode(errors="replace"), newline="")
    reader = csv.reader(head, delimiter=delimiter)
    with _allow_cells(len(start)):
        filled = 0
        while filled < titles:
            filled += bool(next(reader))
        before = reader.line_num
        while not next(reader):
            before = reader.line_num
    return before


def end_of_lines(data: bytes, lines: int) -> int:
    """Number of bytes up to the end of the first `lines` lines; `PolicyError` for fewer lines."""
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
    """The whole records of a delimited text as a frame; the first is skipped if `header`.

    `first_line` is the number of the first of these lines in the file, for messages. `InputError`
    for records of different lengths, and for open quotes.
    """
    blank = _find_blank_lines(body, delimiter, len(names), first_line)
    frame = _parse(body, delimiter, header=header)
    frame.columns = list(names)
    if len(blank):
        lines = np.ones(len(frame) + header, dtype=np.bool_)
        lines[blank[blank < len(lines)]] = False
        frame = frame.filter(pl.Series(lines[int(header) :]))
    return frame


def with_line_feeds(data: bytes) -> bytes:
    """The text with line feeds in place of carriage returns, if it has no line feed."""
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def _parse(data: bytes, delimiter: str, *, header: bool) -> pl.DataFrame:
    """The records, read by Polars or else one by one; `InputError` if not well-formed CSV."""
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
        return _parse_slowly(data, delimiter, header=header)


def _parse_slowly(data: bytes, delimiter: str, *, header: bool) -> pl.DataFrame:
    """The records as a frame, read one by one; empty cells are missing."""
    with _allow_cells(len(data)):
        lines = io.StringIO(data.decode(), newline="")
        records = list(csv.reader(lines, delimiter=delimiter, strict=True))[int(header) :]
    width = max(map(len, records), default=0)
    filled = [[cell or None for cell in record] or [None] * width for record in records]
    return pl.DataFrame(filled, schema=[(str(j), pl.String) for j in range(width)], orient="row")


def _find_blank_lines(data: bytes, delimiter: str, fields: int, first_line: int) -> Counts:
    """The places of blank lines in the sequence of these and of records (a header, too), from 0.

    `InputError` for records with another number of `fields`, and for a quote that stays open.
    """
    found = np.zeros(5, dtype=np.int64)
    blank = np.zeros(0, dtype=np.int64)
    text: Any = np.frombuffer(data, dtype=np.uint8)
    lines_kernels.survey_records(text, ord(delimiter), fields, blank, found)
    if found[4]:
        raise InputError(
            f"a quote that opens in line {found[4] + first_line - 1:,} is never closed",
            remedy="close it",
        )
    if found[2]:
        raise InputError(
            f"{count_of(found[2], 'row has', 'rows have')} a different number of fields than the "
            f"first line (first at line {found[3] + first_line - 1:,})",
            remedy="correct them, or give the delimiter",
        )
    if found[1]:
        blank = np.zeros(found[1], dtype=np.int64)
        lines_kernels.survey_records(
            text, ord(delimiter), fields, blank, np.zeros(5, dtype=np.int64)
        )
    return blank
