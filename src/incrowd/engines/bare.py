"""Frames with nothing in them but their cells.

A frame may carry what none of its cells shows: metadata, an index, categories of records that stay
behind, and buffers. Arrow's views of text are such a buffer: rows taken from a column still hold
the texts of all its rows, in their old order, and so would every file that is made of them.
"""

import io
from collections.abc import Callable, Iterable
from typing import Any

import polars as pl


def bare_polars(columns: Iterable[pl.Series]) -> pl.DataFrame:
    """A Polars frame of these columns, without unused labels or buffers of text that others share.

    Columns that hold text or bytes are copied to buffers of their own. Enums lose unused labels;
    Enums within lists and structures become text. All other columns are taken as they are.
    """
    trimmed = (_with_used_categories(column) for column in columns)
    own = [_copy_texts(column) if _has_views(column.dtype) else column for column in trimmed]
    return pl.DataFrame(own)


def bare_pandas(columns: Iterable[Any]) -> Any:
    """A pandas frame of bare columns with a new index; those that are given may lose attributes."""
    import pandas as pd  # noqa: PLC0415  whoever hands in its frame has it

    found = {column.name: _bare_column(column.reset_index(drop=True)) for column in columns}
    made = pd.DataFrame(found, columns=pd.Index(list(found)))
    made.attrs = {}
    return made


def bare_arrow(columns: Iterable[tuple[str, Any]]) -> Any:
    """A PyArrow table of these named columns, without metadata or unused labels of dictionaries."""
    import pyarrow as pa  # noqa: PLC0415  whoever hands in its table has it

    return pa.table({name: _bare_array(column) for name, column in columns})


def _copy_texts(column: pl.Series) -> pl.Series:
    """A copy of the column in new buffers that hold its own cells alone, one after the other."""
    buffer = io.BytesIO()
    column.to_frame().write_ipc(buffer, compat_level=pl.CompatLevel.oldest())
    buffer.seek(0)
    return pl.read_ipc(buffer).to_series()


def _has_views(dtype: pl.DataType) -> bool:
    """Whether a type is or contains text or bytes, which Polars may keep as views of a buffer."""
    return any(isinstance(part, pl.String | pl.Binary) for part in _types_within(dtype))


def _types_within(dtype: pl.DataType) -> list[pl.DataType]:
    """The type and all types within it, those of lists and structures too."""
    if isinstance(dtype, pl.List | pl.Array):
        return [dtype, *_types_within(_instance_of(dtype.inner))]
    if isinstance(dtype, pl.Struct):
        return [
            dtype,
            *(part for field in dtype.fields for part in _types_within(_instance_of(field.dtype))),
        ]
    return [dtype]


def _instance_of(dtype: Any) -> pl.DataType:
    """The type as an instance: types within others may be given by their class alone."""
    made: pl.DataType = dtype() if isinstance(dtype, type) else dtype
    return made


def _with_used_categories(column: pl.Series) -> pl.Series:
    """The column without unused labels of an Enum; Enums in lists and structures become text."""
    if isinstance(column.dtype, pl.Enum):
        shown = set(column.alias("").unique().to_list())
        used = [label for label in column.dtype.categories.to_list() if label in shown]
        return column.cast(pl.String).cast(pl.Enum(used))
    if any(isinstance(part, pl.Enum) for part in _types_within(column.dtype)):
        return column.cast(_without_enums(column.dtype))
    return column


def _without_enums(dtype: pl.DataType) -> pl.DataType:
    """The type with text in place of every Enum, also within lists and structures."""
    if isinstance(dtype, pl.Enum):
        return pl.String()
    if isinstance(dtype, pl.List):
        return pl.List(_without_enums(_instance_of(dtype.inner)))
    if isinstance(dtype, pl.Array):
        return pl.Array(_without_enums(_instance_of(dtype.inner)), dtype.size)
    if isinstance(dtype, pl.Struct):
        fields = [pl.Field(f.name, _without_enums(_instance_of(f.dtype))) for f in dtype.fields]
        return pl.Struct(fields)
    return dtype


def _bare_column(column: Any) -> Any:
    """Return a pandas column without attributes, and with only categories that some cell shows.

    Categories without an order of their own are sorted, since theirs may be that in which the
    records once stood. The column that is given may lose its attributes.
    """
    if hasattr(column.dtype, "categories"):
        column = column.cat.remove_unused_categories()
        if not column.cat.ordered:
            column = column.cat.reorder_categories(_sort_categories(column.cat.categories.tolist()))
    elif hasattr(column.dtype, "pyarrow_dtype"):
        column = _bare_arrow_column(column)
    column.attrs = {}
    return column


def _sort_categories(categories: list[Any]) -> list[Any]:
    """The categories sorted by value, or by type and text if their values cannot be compared."""
    try:
        return sorted(categories)
    except TypeError:
        return sorted(categories, key=lambda category: (type(category).__name__, str(category)))


def _bare_arrow_column(column: Any) -> Any:
    """A pandas column of an Arrow type, made anew of the array that `_bare_array` returns."""
    import pandas as pd  # noqa: PLC0415  whoever hands in its frame has it

    array = _bare_array(column.array.__arrow_array__())
    return pd.Series(pd.arrays.ArrowExtensionArray(array), name=column.name)


def _bare_array(column: Any) -> Any:
    """An Arrow column without metadata in its type; a dictionary lists only what its cells show."""
    import pyarrow as pa  # noqa: PLC0415  whoever hands in its table has it

    if pa.types.is_dictionary(column.type):
        plain = column.cast(column.type.value_type)
        return plain.dictionary_encode().cast(column.type)
    bare = _bare_type(column.type)
    same = bare.equals(column.type, check_metadata=True)
    return column if same else column.cast(bare)


def _bare_type(dtype: Any) -> Any:
    """The type without metadata; a dictionary within lists and structures becomes its values."""
    import pyarrow as pa  # noqa: PLC0415  whoever hands in its table has it

    def bare(field: Any) -> Any:
        return field.remove_metadata().with_type(_bare_type(field.type))

    if pa.types.is_dictionary(dtype):
        return _bare_type(dtype.value_type)
    if pa.types.is_struct(dtype):
        return pa.struct([bare(dtype.field(i)) for i in range(dtype.num_fields)])
    lists: tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...] = (
        (pa.types.is_list, pa.list_),
        (pa.types.is_large_list, pa.large_list),
        (pa.types.is_fixed_size_list, lambda field: pa.list_(field, dtype.list_size)),
    )
    for is_this, make in lists:
        if is_this(dtype):
            return make(bare(dtype.value_field))
    return dtype
