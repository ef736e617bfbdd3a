"""Cells as the text that they are compared by."""

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
    return rows.with_columns(
        _readable(column, missing_values, text=text) for column in rows.iter_columns()
    )


def _readable(column: pl.Series, missing_values: Sequence[str], *, text: bool) -> pl.Series:
    if column.dtype.is_float():
        return column.fill_nan(None)
    if not isinstance(column.dtype, pl.String | pl.Categorical | pl.Enum):
        return column
    cells = column.cast(pl.String)
    gone = cells.is_in(list(missing_values))
    if text:
        gone |= cells.str.strip_chars() == ""
    nothing = pl.Series([None], dtype=pl.String)
    return cells.zip_with(~gone.fill_null(value=False), nothing).alias(column.name)


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
