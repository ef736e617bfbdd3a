"""Workbooks written as values alone: this writer has no way to write a formula, a link or a macro.

The XML of all rows is put together by Polars, column by column. Numbers keep all 17 digits, and
equal tables give equal bytes: nothing in the archive has a date.
"""

import zipfile
from typing import IO

import polars as pl

from incrowd.errors import InputError, LimitError
from incrowd.table.cells import text_of

MOST_ROWS = 1_048_576
"""Rows of a sheet, with the header."""
MOST_COLUMNS = 16_384
_LONGEST = 32_767
"""Letters of a cell."""
_EXACT = 2**53
_DECIMAL_DIGITS = 15
"""Digits of a decimal number that a sheet keeps."""
_FIRST_DAY = pl.date(1900, 3, 1)
"""Before it a sheet counts a day that never was."""
_DAY_ZERO = pl.date(1899, 12, 30)
_MICROSECONDS = 86_400_000_000
_SLICE = 2**16
_ESCAPED = r"_(x[0-9A-Fa-f]{4}_)"

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_START = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType='
    '"application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="release" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><numFmts count="2">'
    '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss.000"/></numFmts>'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    "</styleSheet>",
}
_DAY_STYLE, _TIME_STYLE = 1, 2


def refuse_large(rows: int, columns: int) -> None:
    """Raise `LimitError` if a table of so many rows and columns does not fit into a sheet."""
    if rows >= MOST_ROWS or columns > MOST_COLUMNS:
        raise LimitError(
            f"a sheet holds at most {MOST_ROWS - 1:,} records and {MOST_COLUMNS:,} columns, and "
            f"there are {rows:,} and {columns:,}",
            remedy="write a .csv or .parquet file",
        )


def write(frame: pl.DataFrame, target: IO[bytes]) -> None:
    """Write a table as the one sheet of a workbook; `LimitError` or `InputError` if too large."""
    refuse_large(frame.height, frame.width)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _PARTS.items():
            archive.writestr(_archive_entry(name), _START + text)
        with archive.open(
            _archive_entry("xl/worksheets/sheet1.xml"), "w", force_zip64=True
        ) as sheet:
            sheet.write(f'{_START}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            sheet.write(_header_xml(frame.columns))
            _write_rows(frame, sheet)
            sheet.write(b"</sheetData></worksheet>")


def _archive_entry(name: str) -> zipfile.ZipInfo:
    """The entry of a part of the archive, with no date that would tell when it was written."""
    part = zipfile.ZipInfo(name)
    part.compress_type = zipfile.ZIP_DEFLATED
    part.external_attr = 0o600 << 16
    return part


def _header_xml(names: list[str]) -> bytes:
    """The XML of the row of column names."""
    cells = pl.DataFrame({"name": names}).select(_text_xml(pl.col("name"), "")).to_series()
    return f"<row>{''.join(cells)}</row>".encode()


def _write_rows(frame: pl.DataFrame, sheet: IO[bytes]) -> None:
    """Write the XML of all records; `InputError` if a text is too long for a cell."""
    columns = [
        _as_sheet_column(column).alias(f"{j}") for j, column in enumerate(frame.iter_columns())
    ]
    ready = pl.DataFrame(columns)
    cells = [_cell_xml(j, dtype) for j, dtype in enumerate(ready.dtypes)]
    row = pl.concat_str([pl.lit("<row>"), *cells, pl.lit("</row>")])
    for part in ready.iter_slices(_SLICE):
        sheet.write((part.select(row.str.join("")).item() or "").encode())


def _as_sheet_column(column: pl.Series) -> pl.Series:
    """The column, NaN missing, if a sheet holds it exactly; else text, `InputError` if too long."""
    dtype = column.dtype
    if isinstance(dtype, pl.Date):
        held = (column >= pl.select(_FIRST_DAY).item()).all()
    elif isinstance(dtype, pl.Datetime):
        whole = (column.dt.cast_time_unit("us").to_physical() % 1000 == 0).all()
        recent = (column.dt.date() >= pl.select(_FIRST_DAY).item()).all()
        held = dtype.time_zone is None and dtype.time_unit != "ns" and whole and recent
    elif dtype.is_float():
        column = column.fill_nan(None)
        held = column.is_finite().all()
    elif dtype.is_integer():
        held = column.is_between(-_EXACT, _EXACT).all()
    elif isinstance(dtype, pl.Decimal):
        held = (dtype.precision or 38) <= _DECIMAL_DIGITS
    else:
        held = isinstance(dtype, pl.Boolean)
    return column if held else _refuse_long(text_of(column)).alias(column.name)


def _refuse_long(texts: pl.Series) -> pl.Series:
    """Return the texts; `InputError` if one has more than `_LONGEST` letters."""
    long = int((texts.str.len_chars() > _LONGEST).sum())
    if long:
        raise InputError(
            f"the column {texts.name!r} holds texts of more than {_LONGEST:,} letters, which a "
            "sheet cannot hold",
            remedy="write a .csv or .parquet file",
        )
    return texts


def _cell_xml(place: int, dtype: pl.DataType) -> pl.Expr:
    """An expression for the XML of the cells in the column at `place`; `<c/>` where missing."""
    value, style = pl.nth(place), ""
    if isinstance(dtype, pl.String):
        return _text_xml(value, "<c/>")
    if isinstance(dtype, pl.Boolean):
        value, style = value.cast(pl.Int8), ' t="b"'
    elif isinstance(dtype, pl.Date):
        value, style = (value - _DAY_ZERO).dt.total_days(), f' s="{_DAY_STYLE}"'
    elif isinstance(dtype, pl.Datetime):
        since = value.dt.cast_time_unit("us") - _DAY_ZERO.cast(pl.Datetime("us"))
        value, style = since.dt.total_microseconds() / _MICROSECONDS, f' s="{_TIME_STYLE}"'
    written = pl.concat_str([pl.lit(f"<c{style}><v>"), value.cast(pl.String), pl.lit("</v></c>")])
    return written.fill_null("<c/>")


def _text_xml(value: pl.Expr, missing: str) -> pl.Expr:
    """An expression for the XML of texts, with letters escaped; `missing` stands for null."""
    safe = value.str.replace_all(_ESCAPED, "_x005F_${1}")
    for letter in [*range(9), *range(11, 32)]:
        safe = safe.str.replace_all(chr(letter), f"_x{letter:04X}_", literal=True)
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        safe = safe.str.replace_all(letter, entity, literal=True)
    start, end = '<c t="inlineStr"><is><t xml:space="preserve">', "</t></is></c>"
    return pl.concat_str([pl.lit(start), safe, pl.lit(end)]).fill_null(missing)
