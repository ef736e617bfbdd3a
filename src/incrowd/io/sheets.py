"""Workbooks (.xlsx, .xlsm): the values of one sheet. Formulas and macros are never run.

A workbook is a ZIP archive of XML parts. fastexcel reads the cells; what it does not say (hidden
rows, merged cells, formulas, error values, titles above the header) is counted in the sheet's part.
"""

import io
import logging
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias
from xml.etree import ElementTree as ET

import polars as pl

from incrowd.errors import InputError, LimitError, PolicyError, boundary, count_of
from incrowd.io.header import Header, is_headed, judge
from incrowd.io.layout import Layout
from incrowd.io.notes import Note
from incrowd.io.titles import names_of, refuse_wide, start_notes
from incrowd.io.unpacked import most_unpacked_bytes
from incrowd.io.whole import WholeTable
from incrowd.table.cells import floats_as_integers, text_of

_OLE = b"\xd0\xcf\x11\xe0"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_BOOK, _RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_PIECE, _OVERLAP = 2**22, 64
_PART = 2**24
"""Bytes of a list of sheets, at most."""
_HEAD = 2**17
_COUNTED = {
    "errors": (b't="e"',),
    "formulas": (b"<f>", b"<f ", b"<f/>"),
    "empty": (b"</f></c>", b"</f><v></v>", b"</f><v/>", b"</f><v />"),
    "merged": (b"<mergeCell ",),
    "hidden": (b'hidden="1"', b'hidden="true"'),
}
_FIRST = {"formulas": b"<f", "empty": b"<f", "hidden": b"hidden="}
"""What must be in a piece before its marks are counted."""
_SAID = {
    "formulas": ("cell holds a formula", "cells hold formulas", ": the stored values are read"),
    "empty": (
        "formula has",
        "formulas have",
        " no stored value, which is missing: save the workbook in a spreadsheet program",
    ),
    "errors": ("cell holds an error", "cells hold errors", ": read as missing"),
    "merged": (
        "range of cells is merged",
        "ranges of cells are merged",
        ": the first cell has the value, the others are missing",
    ),
    "hidden": ("row or column is hidden", "rows or columns are hidden", ": read, too"),
}
"""What a note says of what is counted: one, many, and what was done."""
_ROW = re.compile(rb"<row\b([^>]*)>(.*?)</row>", re.DOTALL)
_NUMBER = re.compile(rb'\br="(\d+)"')
_CELL = re.compile(rb"<c\b[^>]*?(?:/>|>(.*?)</c>)", re.DOTALL)
_MIDNIGHT = r"^(\d{4}-\d\d-\d\d) 00:00:00$"
_RENAMED = re.compile(r"(.*)_\d+")
_RECORDS = 100


def read(data: bytes, layout: Layout) -> WholeTable:
    """The table in the sheet of a workbook that is asked for, else the first visible with cells.

    `InputError` if the file is no .xlsx, has a password, is damaged or has no such sheet with
    cells; `LimitError` if it unpacks to too much; `PolicyError` if fastexcel is missing, or the
    sheet that is asked for.
    """
    _refuse_locked_or_old(data)
    if find_spec("fastexcel") is None:
        raise PolicyError(
            "reading Excel files needs fastexcel, which is not installed",
            remedy="install incrowd[excel]",
        )
    damaged = InputError("it is a damaged workbook or ZIP archive", remedy="save it anew")
    with boundary(damaged), zipfile.ZipFile(io.BytesIO(data)) as archive:
        _refuse_other_archives(archive)
        sheets = _list_sheets(archive)
        sheet, rows = _choose_sheet(archive, sheets, layout)
        notes = [*_notes_on_book(archive, sheets, sheet, layout)]
        logging.getLogger("fastexcel").setLevel(logging.ERROR)  # it tells of empty columns
        with ThreadPoolExecutor(1) as aside:  # fastexcel takes most of the time, and not the GIL
            counting = aside.submit(_count_marks, archive, sheet.part)
            cells = _SheetReader(import_module("fastexcel").read_excel(data), sheet.place)
            frame, more = _read_table(cells, rows, layout)
        return WholeTable(frame, "xlsx", (*notes, *more, *_notes_on_marks(counting.result())))


_Rows: TypeAlias = list[tuple[int, list[str]]]
"""Some rows: the number of each, from 0, and for each of its cells "x" if filled, else ""."""


def _refuse_locked_or_old(data: bytes) -> None:
    """Raise `InputError` for a workbook with a password, or one of Excel before 2007."""
    if not data.startswith(_OLE):
        return
    if _ENCRYPTED in data:
        raise InputError(
            "the workbook is protected with a password", remedy="save it without the password"
        )
    raise InputError("it is a workbook of Excel 97-2003 (.xls)", remedy="save it as .xlsx")


def _refuse_other_archives(archive: zipfile.ZipFile) -> None:
    """Raise `InputError` for archives other than workbooks, `LimitError` if one is too large."""
    names = archive.namelist()
    if _BOOK not in names:
        kind = "a ZIP archive"
        if "content.xml" in names:
            kind = "an OpenDocument file"
        elif "xl/workbook.bin" in names:
            kind = "a binary workbook (.xlsb)"
        raise InputError(f"it is {kind}, not a table", remedy="save it as .xlsx, CSV or Parquet")
    size = sum(part.file_size for part in archive.infolist())
    most = most_unpacked_bytes(sum(part.compress_size for part in archive.infolist()))
    if size > most:
        raise LimitError(
            f"it unpacks to more than {most / 10**6:,.0f} MB",
            remedy="save it with fewer rows, or as Parquet",
        )


@dataclass(frozen=True)
class _Sheet:
    """A sheet of a workbook, and where it is."""

    place: int
    """Its number in the workbook, from 0."""
    name: str
    part: str
    """The path of its part in the archive."""
    visible: bool


def _list_sheets(archive: zipfile.ZipFile) -> list[_Sheet]:
    """The sheets of a workbook in their order, with the part of the archive that holds each."""
    targets = {
        part.get("Id", ""): part.get("Target", "") for part in _parse(archive, _RELATIONS).iter()
    }
    found: list[_Sheet] = []
    for sheet in _parse(archive, _BOOK).iter():
        if sheet.tag.rpartition("}")[2] == "sheet":
            ident = next((v for k, v in sheet.attrib.items() if k.endswith("}id")), "")
            target = targets.get(ident, "")
            part = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
            visible = sheet.get("state", "visible") == "visible"
            found.append(_Sheet(len(found), sheet.get("name", ""), part, visible))
    return found


def _parse(archive: zipfile.ZipFile, name: str) -> ET.Element:
    """The XML of a part of the archive; `InputError` if it has a document type."""
    with archive.open(name) as part:
        text = part.read(_PART)
    if b"<!DOCTYPE" in text:
        raise InputError("the workbook is damaged", remedy="save it anew")
    return ET.fromstring(text)  # noqa: S314  no document type, so no entities


def _choose_sheet(
    archive: zipfile.ZipFile, sheets: Sequence[_Sheet], layout: Layout
) -> tuple[_Sheet, "_Rows"]:
    """The sheet to read, and its first rows; `InputError` if it has no cells.

    It is the one asked for (`PolicyError` if it is not there), else the first visible with cells.
    """
    if layout.sheet is not None:
        named = [sheet for sheet in sheets if sheet.name == layout.sheet]
        if not named:
            listed = ", ".join(repr(sheet.name) for sheet in sheets[:5])
            raise PolicyError(
                f"the workbook has no sheet {layout.sheet!r}", remedy=f"name one of its: {listed}"
            )
        sheets = named
    visible = [sheet for sheet in sheets if sheet.visible or layout.sheet is not None]
    for sheet in visible:
        head = _read_head(archive, sheet.part)
        if b"<c " in head or b"<c>" in head:
            return sheet, list(_mark_filled_cells(head[:_HEAD]))
    raise InputError("it has no visible sheet with cells", remedy="name a sheet with --sheet")


def _read_head(archive: zipfile.ZipFile, part: str) -> bytes:
    """The first `_PIECE` bytes of a part of the archive; no bytes if there is no such part."""
    if part not in archive.namelist():
        return b""
    with archive.open(part) as stream:
        return stream.read(_PIECE)


def _count_marks(archive: zipfile.ZipFile, part: str) -> dict[str, int]:
    """Count the marks of each kind in `_COUNTED`, such as formulas, in a part of the archive."""
    counts, before = dict.fromkeys(_COUNTED, 0), b""
    with archive.open(part) as stream:
        while piece := stream.read(_PIECE):
            there = {mark: _count_mark(before, piece, mark) > 0 for mark in {*_FIRST.values()}}
            for name, marks in _COUNTED.items():
                if there.get(_FIRST.get(name, b""), True):
                    counts[name] += sum(_count_mark(before, piece, mark) for mark in marks)
            before = piece[-_OVERLAP:]
    return counts


def _notes_on_marks(counts: Mapping[str, int]) -> Iterator[Note]:
    """Notes on what `_count_marks` found."""
    for name, (one, many, words) in _SAID.items():
        if number := counts[name]:
            yield Note(f"{name}_cells", number, f"{count_of(number, one, many)}{words}")


def _count_mark(before: bytes, piece: bytes, mark: bytes) -> int:
    """How often a mark is in this piece, or began in the bytes before and ends in this piece."""
    return piece.count(mark) + (before[1 - len(mark) :] + piece[: len(mark) - 1]).count(mark)


def _mark_filled_cells(head: bytes) -> Iterator[tuple[int, list[str]]]:
    """The rows at a part's start: number, from 0, and for each cell "x" if filled, else ""."""
    number = -1
    for row in _ROW.finditer(head):
        named = _NUMBER.search(row[1])
        number = int(named[1]) - 1 if named else number + 1
        cells = _CELL.findall(row[2])
        yield number, ["x" if b"<v" in cell or b"<t" in cell else "" for cell in cells]


def _notes_on_book(
    archive: zipfile.ZipFile, sheets: Sequence[_Sheet], sheet: _Sheet, layout: Layout
) -> Iterator[Note]:
    """A note if the workbook holds macros, and one if `sheet` was chosen among several."""
    if "xl/vbaProject.bin" in archive.namelist():
        words = "the workbook holds macros: incrowd neither runs nor writes them"
        yield Note("macros", 1, words)
    if layout.sheet is None and len(sheets) > 1:
        words = f"read the sheet {sheet.name!r}, one of {len(sheets)}; --sheet names another"
        yield Note("sheets", len(sheets), words)


@dataclass(frozen=True, eq=False)
class _SheetReader:
    """The cells of one sheet, by fastexcel."""

    book: Any
    place: int

    def load_below(self, header: int) -> Any:
        """Load the sheet below the row with this number (from 0), which is its header."""
        return self.book.load_sheet(self.place, header_row=header, schema_sample_rows=None)

    def read_from_row(self, row: int) -> pl.DataFrame:
        """Read the cells from the row with this number on; no row is a header."""
        above = {"header_row": None, "skip_rows": row, "schema_sample_rows": None}
        found: pl.DataFrame = self.book.load_sheet(self.place, **above).to_polars()
        return found

    def read_row_as_texts(self, row: int) -> list[str]:
        """Read the cells of the row with this number as texts; a missing one is empty text."""
        one = {"header_row": None, "skip_rows": row, "n_rows": 1, "dtypes": "string"}
        cells = self.book.load_sheet(self.place, **one).to_polars()
        return ["" if cell is None else cell for cell in cells.row(0)]


def _read_table(
    cells: _SheetReader, rows: _Rows, layout: Layout
) -> tuple[pl.DataFrame, list[Note]]:
    """The table of a sheet, and notes on what was done to its start."""
    start, titles = _find_start(rows, layout)
    if layout.header is False:
        return _nameless_table(cells, start), []
    sheet = cells.load_below(start)
    frame, first = sheet.to_polars(), _read_header(cells, sheet, start)
    refuse_wide(frame.width)
    if layout.header is None:
        records = [first, *_records_as_texts(frame.head(_RECORDS))]
        if judge(records, layout.expected) is Header.DATA:
            words = "the first row looks like data, so the columns are called column_1, column_2, …"
            note = Note("no_header", 1, f"{words}; --header if it names them")
            return _nameless_table(cells, start), [note]
        is_headed(records, layout.expected)
    pairs = zip(first, frame.iter_columns(), strict=True)
    there = [bool(name.strip()) or column.null_count() < len(column) for name, column in pairs]
    frame, first = frame[:, there], [name for name, kept in zip(first, there, strict=True) if kept]
    frame.columns = names_of(first, header=True)
    return _clean_frame(frame), [*start_notes(titles, first)]


def _find_start(rows: _Rows, layout: Layout) -> tuple[int, int]:
    """The number (from 0) of the row in which the table starts, and how many titles are above it.

    Titles are rows with one filled cell above the first row with several, if that has at least half
    as many as the row with most. None are looked for with lines to skip or without a header.
    """
    there = [(number, sum(map(bool, row))) for number, row in rows if any(row)]
    first = there[0][0] if there else 0
    if layout.skip is not None or layout.header is False:
        return max(layout.skip or 0, first), 0
    widest = max((filled for _, filled in there), default=0)
    for titles, (number, filled) in enumerate(there):
        if filled > 1:
            return (number, titles) if filled * 2 >= widest else (first, 0)
    return first, 0


def _read_header(cells: _SheetReader, sheet: Any, start: int) -> list[str]:
    """The header's cells, in row `start`, without fastexcel's new names; empty for no name."""
    columns = sheet.available_columns()
    names = [str(column.name) for column in columns]
    bases = {name for name in names if (found := _RENAMED.fullmatch(name)) and found[1] in names}
    if bases:
        return cells.read_row_as_texts(start)
    made = [column.column_name_from == "generated" for column in columns]
    return ["" if generated else name for name, generated in zip(names, made, strict=True)]


def _nameless_table(cells: _SheetReader, start: int) -> pl.DataFrame:
    """The table from this row on, with columns called column_1, column_2 and so on."""
    frame = cells.read_from_row(start)
    refuse_wide(frame.width)
    frame.columns = names_of([""] * frame.width, header=False)
    return _clean_frame(frame)


def _records_as_texts(frame: pl.DataFrame) -> Iterator[list[str]]:
    """The cells of each record as texts; a missing one is empty text."""
    texts = pl.DataFrame(
        [text_of(column).fill_null("").alias(column.name) for column in frame.iter_columns()]
    )
    yield from map(list, texts.iter_rows())


def _clean_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame without empty rows, with whole numbers as integers and days as dates."""
    cleaned = pl.DataFrame([_plain_column(column) for column in frame.iter_columns()])
    if not frame.width or any(not column.null_count() for column in cleaned.iter_columns()):
        return cleaned
    return cleaned.filter(~pl.all_horizontal(pl.all().is_null()))


def _plain_column(column: pl.Series) -> pl.Series:
    """The column with whole numbers as integers, moments (or their texts) at midnight as days."""
    dtype = column.dtype
    if isinstance(dtype, pl.Datetime):
        days = column.dt.date()
        return days if (column == days.cast(dtype)).all() else column.dt.cast_time_unit("us")
    if isinstance(dtype, pl.String) and column.str.ends_with(" 00:00:00").any():
        return column.str.replace(_MIDNIGHT, "${1}")
    return floats_as_integers(column)
