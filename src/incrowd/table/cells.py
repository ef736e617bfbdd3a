"""Cells as the text that they are compared by."""

import hashlib
from collections.abc import Sequence

import polars as pl


def text_of(column: pl.Series) -> pl.Series:
    """The cells of a column as text, null where missing; equal cells have equal texts."""
    dtype = column.dtype
    if isinstance(dtype, pl.Binary):
        return column.bin.encode("hex")
    if isinstance(dtype, pl.Duration):
        return (column.dt.total_microseconds() / 1e6).cast(pl.String)
    if isinstance(dtype, pl.Datetime):
        return column.dt.replace_time_zone(None).cast(pl.String).str.strip_suffix(".000000")
    if dtype.is_nested() or isinstance(dtype, pl.Object):
        cells = [None if cell is None else repr(cell) for cell in column.to_list()]
        return pl.Series(column.name, cells, dtype=pl.String)
    return column.cast(pl.String)


def readable(rows: pl.DataFrame, missing_values: Sequence[str], *, text: bool) -> pl.DataFrame:
    """The rows with every missing cell null: NaN, the texts listed and, in text files, blanks."""
    columns = [
        _readable(pl.nth(j), dtype, missing_values, text=text)
        for j, dtype in enumerate(rows.dtypes)
        if dtype.is_float() or isinstance(dtype, pl.String | pl.Categorical | pl.Enum)
    ]
    return rows.with_columns(columns) if columns else rows


def _readable(
    cells: pl.Expr, dtype: pl.DataType, missing_values: Sequence[str], *, text: bool
) -> pl.Expr:
    if dtype.is_float():
        return cells.fill_nan(None)
    cells = cells.cast(pl.String)
    gone = cells.is_in(list(missing_values)) if missing_values else pl.lit(value=False)
    if text:
        gone |= cells.str.strip_chars() == ""
    return pl.when(~gone.fill_null(value=False)).then(cells).name.keep()


def typed(rows: pl.DataFrame, like: pl.DataFrame) -> pl.DataFrame:
    """Rows of a text file in the types that they had.

    A column stays text if it does not fit, or if its type would not tell all of its texts apart.
    """
    types = like.schema
    return pl.DataFrame([_cast(column, types.get(column.name)) for column in rows.iter_columns()])


def _cast(column: pl.Series, dtype: pl.DataType | None) -> pl.Series:
    if dtype is None or column.dtype == dtype:
        return column
    try:
        if isinstance(dtype, pl.Date | pl.Datetime | pl.Time) and column.dtype == pl.String:
            fitting = column.str.strptime(dtype)
        else:
            fitting = column.cast(dtype)
    except pl.exceptions.PolarsError:
        return column
    return fitting if fitting.n_unique() == column.n_unique() else column


_NUMBER = r"^-?(0|[1-9]\d*)(\.\d*)?([eE][+-]?\d{1,2})?$"


_DIGITS = 15
"""A float64 keeps so many digits, whatever they are."""


def frame_digest(rows: pl.DataFrame) -> str:
    """SHA-256 of a frame: its column names and the text of its cells, in their order."""
    code = hashlib.sha256()
    for column in rows.iter_columns():
        text = text_of(column)
        name = column.name.encode()
        sizes = text.str.len_bytes().cast(pl.Int64).fill_null(-1)
        code.update(len(name).to_bytes(8, "little") + name + len(text).to_bytes(8, "little"))
        code.update(sizes.to_numpy().astype("<i8").tobytes())
        code.update((text.str.join("").item() or "").encode())
    return code.hexdigest()


def rows_digest(rows: pl.DataFrame, missing_values: Sequence[str] = ()) -> str:
    """SHA-256 of the rows of a release, whatever they are stored in.

    Column names and cells in their order. A number counts by its value (1, 1.0 and "1.00" are one),
    a moment at midnight as its day, a blank text as missing: so a file and the frame that was read
    from it have one digest.
    """
    code = hashlib.sha256()
    for column in readable(rows, missing_values, text=True).iter_columns():
        text, name = text_of(column).alias("text"), column.name.encode()
        few = text.n_unique() * 2 < len(text)
        plain = _plain(text.unique() if few else text)
        if few:
            plain = text.to_frame().join(
                plain, on="text", how="left", nulls_equal=True, maintain_order="left"
            )
        code.update(len(name).to_bytes(8, "little") + name + len(text).to_bytes(8, "little"))
        code.update((plain["number"].to_numpy() + 0.0).astype("<f8").tobytes())
        code.update(plain["size"].to_numpy().astype("<i8").tobytes())
        code.update((plain["rest"].str.join("").item() or "").encode())
    return code.hexdigest()


def _plain(text: pl.Series) -> pl.DataFrame:
    """Texts with the number that each stands for, or what else it says and how long that is."""
    plain = text.str.replace(r"^(\d{4}-\d\d-\d\d)T(\d\d:)", "${1} ${2}")
    plain = plain.str.replace(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\.0+$", "${1}")
    plain = plain.str.replace(r"^(\d{4}-\d\d-\d\d) 00:00:00$", "${1}")
    plain = plain.str.replace(r"^(\d\d:\d\d:\d\d)\.0+$", "${1}")
    plain = plain.str.replace("^True$", "true").str.replace("^False$", "false")
    numeric = plain.str.contains(_NUMBER) & (plain.str.count_matches(r"\d") <= _DIGITS)
    numeric = numeric.fill_null(value=False)
    numbers = plain.set(~numeric, None).cast(pl.Float64, strict=False).fill_null(0.0)
    rest = plain.set(numeric, "")
    sizes = rest.str.len_bytes().cast(pl.Int64).fill_null(-1) - 2 * numeric.cast(pl.Int64)
    return pl.DataFrame({"text": text, "number": numbers, "size": sizes, "rest": rest})
