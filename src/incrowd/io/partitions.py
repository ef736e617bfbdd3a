"""Columns that are not in the files of a table, but in the names of their folders."""

from collections.abc import Collection, Mapping

import polars as pl

_WHOLE = r"^-?(0|[1-9]\d{0,17})$"
_DAY = r"^\d{4}-\d{2}-\d{2}$"


def with_keys(frame: pl.DataFrame, keys: Mapping[str, str | None]) -> pl.DataFrame:
    """A file's rows with its folders' `keys` as text columns, unless it has such columns itself."""
    return frame.with_columns(
        pl.lit(value, dtype=pl.String).alias(name)
        for name, value in keys.items()
        if name not in frame.columns
    )


def with_typed_keys(frame: pl.DataFrame, keys: Collection[str]) -> pl.DataFrame:
    """The rows of all files; a column of `keys` becomes integers or days if all its texts are."""
    names = [name for name in keys if frame.schema[name] == pl.String]
    return frame.with_columns(_with_type(frame[name]) for name in names)


def _with_type(column: pl.Series) -> pl.Series:
    """The column as integers or days if all of its texts are such, else as it is."""
    values = column.drop_nulls().unique()
    if len(values) and values.str.contains(_WHOLE).all():
        return column.cast(pl.Int64)
    if len(values) and values.str.contains(_DAY).all():
        days = column.str.to_date("%Y-%m-%d", strict=False)
        return days if days.null_count() == column.null_count() else column
    return column
