"""JSON lines: one flat object in each line."""

import io

import polars as pl

from incrowd.errors import InputError, boundary
from incrowd.io.layout import Layout
from incrowd.io.whole import WholeTable

_DAY = r"^\d{4}-\d{2}-\d{2}$"


def read(data: bytes, layout: Layout) -> WholeTable:
    """The table in JSON lines; a key that an object lacks is missing.

    JSON has no dates: texts such as 2024-12-31 become dates if all of a column are. Integers beyond
    64 bits become text. `InputError` for a JSON array, lines that are no objects, mixed kinds of
    values, nested values, and a sheet or lines to skip in the layout.
    """
    layout.refuse_choice("JSON lines")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.lstrip().startswith(b"["):
        raise InputError(
            "it is a JSON array, not JSON lines", remedy="write one object in each line"
        )
    with boundary(
        InputError(
            "not every line is a JSON object with values of one kind",
            remedy="write one flat object in each line, without mixing numbers and truth values",
        )
    ):
        frame = pl.read_ndjson(io.BytesIO(data), infer_schema_length=None)
    _refuse_nested(frame)
    return WholeTable(frame.with_columns(_with_plain_types(column) for column in frame), "jsonl")


def _refuse_nested(frame: pl.DataFrame) -> None:
    """Raise `InputError` if some fields hold objects or lists."""
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    if nested:
        listed = ", ".join(repr(_nested_name(name, frame.schema[name])) for name in nested[:3])
        raise InputError(
            f"these fields hold objects or lists, which are not cells: {listed}",
            remedy="flatten them into plain fields",
        )


def _nested_name(name: str, dtype: pl.DataType) -> str:
    """The name of a field, and that of the first field in it if it holds an object."""
    inner = dtype.fields if isinstance(dtype, pl.Struct) else []
    return f"{name}.{inner[0].name}" if inner else name


def _with_plain_types(column: pl.Series) -> pl.Series:
    """The column as dates if all its texts are days; integers beyond 64 bits become text."""
    if isinstance(column.dtype, pl.Int128):
        return column.cast(pl.String)
    if not isinstance(column.dtype, pl.String) or not column.head(100).str.contains(_DAY).all():
        return column
    days = column.str.to_date("%Y-%m-%d", strict=False)
    same = days.null_count() == column.null_count() < len(column)
    return days if same and column.str.contains(_DAY).all() else column
