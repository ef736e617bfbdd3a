"""Cells as the text that they are compared by."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl


def text_of(column: pl.Series) -> pl.Series:
    """The cells of a column as text, unnamed, null where missing; equal cells have equal texts."""
    column = column.alias("")
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


def floats_as_integers(column: pl.Series) -> pl.Series:
    """A column of floats as integers if it holds some and all are whole; others as they are.

    Whole are those below 2^53 in size; NaN is missing, and null among integers.
    """
    if not column.dtype.is_float():
        return column
    plain = column.fill_nan(None)
    whole = (plain == plain.floor()) & (plain.abs() < _EXACT)
    return plain.cast(pl.Int64) if whole.all() and plain.null_count() < len(plain) else column


def select_columns(rows: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """These columns of a frame; a name such as `^a.*$` is a name and no pattern."""
    return pl.DataFrame([rows[name] for name in names])


def with_nulls(rows: pl.DataFrame, missing_values: Sequence[str], *, text: bool) -> pl.DataFrame:
    """Rows with missing cells null (NaN, texts listed, blanks if `text`), categories as texts."""
    columns = [
        _null_if_missing(pl.nth(j), dtype, missing_values, text=text)
        for j, dtype in enumerate(rows.dtypes)
        if dtype.is_float() or isinstance(dtype, pl.String | pl.Categorical | pl.Enum)
    ]
    return rows.with_columns(columns) if columns else rows


def _null_if_missing(
    cells: pl.Expr, dtype: pl.DataType, missing_values: Sequence[str], *, text: bool
) -> pl.Expr:
    """Cells with missing ones null, all but floats as plain texts; arguments as in `with_nulls`."""
    if dtype.is_float():
        return cells.fill_nan(None)
    cells = cells.cast(pl.String)
    gone = cells.is_in(list(missing_values)) if missing_values else pl.lit(value=False)
    if text:
        gone |= cells.str.strip_chars() == ""
    return pl.when(~gone.fill_null(value=False)).then(cells).name.keep()


def clear_own_marks(rows: pl.DataFrame, own: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """The rows with the values listed for their own column null, be they texts or numbers."""
    columns = [
        _clear_own_marks(rows[name], listed).alias(name)
        for name, listed in own.items()
        if name in rows.columns
    ]
    return rows.with_columns(columns) if columns else rows


def _clear_own_marks(column: pl.Series, listed: Sequence[str]) -> pl.Series:
    """The column with the values listed null, be they texts or numbers."""
    gone = flag_marks(text_of(column), listed)
    return column.set(gone, None) if gone.any() else column


def flag_marks(cells: pl.Series, listed: Sequence[str]) -> pl.Series:
    """Flags of texts that are listed or spell a listed number in another way; false for null."""
    gone = cells.is_in(list(listed))
    texts = pl.Series(list(listed), dtype=pl.String)
    numbers = texts.cast(pl.Float64, strict=False).drop_nulls().to_list()
    if numbers:
        plain = cells.set(cells.str.contains(_CODE_OF_ZERO), None)
        gone |= plain.cast(pl.Float64, strict=False).is_in(numbers)
    return gone.fill_null(value=False)


_CODE_OF_ZERO = r"^[+-]?0\d"
"""Texts such as 099, which are codes and no numbers."""
_EXACT = 2.0**53
"""From here on a float64 does not tell all whole numbers apart."""
_GLANCE = 2**14
"""Cells at the top of a column that tell whether its texts repeat."""


def as_enum(column: pl.Series) -> pl.Series:
    """A column of text as an `Enum`; as it is if its texts are too many for `with_enums`."""
    return with_enums(column.alias("text").to_frame())["text"].alias(column.name)


def with_enums(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with text columns as an `Enum` of their sorted texts, where texts repeat enough.

    Each text must occur four times on average, and twice among the first `_GLANCE` cells; other
    columns stay as they are.
    """
    columns = enumerate(rows.iter_columns())
    places = [j for j, c in columns if isinstance(c.dtype, pl.String) and _repeats(c)]
    if not places:
        return rows
    every = rows.select(pl.nth(j).drop_nulls().unique().sort().implode() for j in places)
    texts = zip(places, (column.item() for column in every.iter_columns()), strict=True)
    few = [pl.nth(j).cast(pl.Enum(known)) for j, known in texts if len(known) * 4 <= rows.height]
    return rows.with_columns(few) if few else rows


def _repeats(column: pl.Series) -> bool:
    """Whether each text among the first `_GLANCE` cells occurs twice in them, on average."""
    return column.head(_GLANCE).n_unique() * 2 <= min(len(column), _GLANCE)


def enum_texts(column: pl.Series) -> pl.Series:
    """The texts of a column that is an `Enum`, in the order of its numbers."""
    dtype = column.dtype
    assert isinstance(dtype, pl.Enum)  # noqa: S101  only such columns have one
    return dtype.categories


def clear_marks(rows: pl.DataFrame, missing_values: Sequence[str], *, text: bool) -> pl.DataFrame:
    """The rows with every missing cell null, as `with_nulls` gives, but an `Enum` stays one."""
    return pl.DataFrame(
        [
            _clear_dictionary(column, missing_values, text=text)
            if isinstance(column.dtype, pl.Enum)
            else with_nulls(column.to_frame(), missing_values, text=text).to_series()
            for column in rows.iter_columns()
        ]
    )


def _clear_dictionary(column: pl.Series, missing_values: Sequence[str], *, text: bool) -> pl.Series:
    """An `Enum` column with those cells null whose texts mean missing."""
    texts = enum_texts(column).alias("text")
    gone = with_nulls(texts.to_frame(), missing_values, text=text)["text"].is_null()
    if not gone.any():
        return column
    number = column.to_physical()
    place = pl.Series(gone).arg_true()
    return column.set(number.is_in(place.cast(number.dtype)).fill_null(value=False), None)


def restore_types(rows: pl.DataFrame, like: pl.DataFrame) -> pl.DataFrame:
    """Rows of a text file in the types of `like`, where these fit and tell all texts apart."""
    types = like.schema
    cast = [_cast_if_fitting(column, types.get(column.name)) for column in rows.iter_columns()]
    return pl.DataFrame(cast)


def _cast_if_fitting(column: pl.Series, dtype: pl.DataType | None) -> pl.Series:
    """The column in this type; if it does not fit, as it is, but an `Enum` as plain text.

    It fits if every cell can be read in the type, and different cells stay different. A column is
    as it is, too, if no type is given, or if it is an `Enum` and the type is text.
    """
    listed = isinstance(column.dtype, pl.Enum)
    if dtype is None or column.dtype == dtype or (listed and isinstance(dtype, pl.String)):
        return column
    if listed:
        column = column.cast(pl.String)
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
"""A float64 keeps this many digits, whatever they are."""


def frame_digest(columns: Iterable[pl.Series]) -> str:
    """SHA-256 of a frame, of names and cells as text; its columns may come one by one."""
    code = hashlib.sha256()
    for column in columns:
        text = text_of(column)
        name = column.name.encode()
        sizes = text.str.len_bytes().cast(pl.Int64).fill_null(-1)
        code.update(len(name).to_bytes(8, "little") + name + len(text).to_bytes(8, "little"))
        code.update(sizes.to_numpy().astype("<i8").tobytes())
        code.update((text.str.join("").item() or "").encode())
    return code.hexdigest()


def rows_digest(columns: Iterable[pl.Series], missing_values: Sequence[str] = ()) -> str:
    """SHA-256 of the rows of a release, whatever they are stored in; columns may come one by one.

    Column names and cells in their order. A number counts by its value (1, 1.0 and "1.00" are one),
    a moment at midnight as its day, a text that is blank or in `missing_values` as missing: so a
    file and the frame that was read from it have one digest.
    """
    code = hashlib.sha256()
    for column in columns:
        plain, place = _comparable_cells(column, missing_values)
        name = column.name.encode()
        code.update(len(name).to_bytes(8, "little") + name + len(column).to_bytes(8, "little"))
        number = (plain["number"].to_numpy() + 0.0).astype("<f8")
        size, rest = plain["size"].to_numpy().astype("<i8"), plain["rest"]
        if place is not None:
            numbers = place.to_numpy()
            number, size, rest = number[numbers], size[numbers], rest.gather(place)
        code.update(np.ascontiguousarray(number).data)
        code.update(np.ascontiguousarray(size).data)
        code.update((rest.str.join("").item() or "").encode())
    return code.hexdigest()


def hash_cells(column: pl.Series) -> pl.Series:
    """A hash of each cell as `rows_digest` compares it; null where it is missing.

    Cells that the digest of rows takes for equal have equal numbers, in every file and engine.

    >>> hash_cells(pl.Series([0.0, -0.0, 1.0])).n_unique()
    2
    >>> hash_cells(pl.Series(["1", "1.00", "1e0", "one", " "])).drop_nulls().n_unique()
    2
    """
    plain, place = _comparable_cells(column, ())
    said = plain.select(pl.col("number") + 0.0, "size", "rest")
    keys = said.hash_rows().set(plain["text"].is_null(), None)
    return keys if place is None else keys.gather(place)


def _comparable_cells(
    column: pl.Series, missing_values: Sequence[str]
) -> tuple[pl.DataFrame, pl.Series | None]:
    """The `_comparison_columns` of the texts of a column, and each cell's line in them.

    None instead of lines if there is a line for each cell, in order: most of them differ. Cells of
    text that are among `missing_values` are null.
    """
    if column.dtype.is_integer():
        texts, place = _texts_of_numbers(column)
    else:
        texts, place = _distinct_texts(column)
    listed = missing_values if isinstance(column.dtype, _TEXTS) else ()
    cells = with_nulls(texts.alias("text").to_frame(), listed, text=True)
    return _comparison_columns(cells["text"]), place


_TEXTS = (pl.String, pl.Categorical, pl.Enum)

_NARROW = 2**16
"""Whole numbers whose range is below this are looked up in a list of all numbers in it."""


def _texts_of_numbers(column: pl.Series) -> tuple[pl.Series, pl.Series | None]:
    """Whole numbers as texts, and each cell's place among them.

    The texts are all numbers from the least to the largest, and null; as `_distinct_texts` if that
    is more than `_NARROW` numbers, if a number is beyond int64, or if there is none.
    """
    column = column.alias("")
    low, high = column.min(), column.max()
    if not isinstance(low, int) or not isinstance(high, int) or high - low >= _NARROW:
        return _distinct_texts(column)
    if high >= 2**63:
        return _distinct_texts(column)
    texts = pl.Series([*map(str, range(low, high + 1)), None], dtype=pl.String)
    return texts, (column.cast(pl.Int64) - low).fill_null(len(texts) - 1)


def _distinct_texts(column: pl.Series) -> tuple[pl.Series, pl.Series | None]:
    """The distinct texts (of an Enum all), null last, and each cell's place; all, None if many."""
    column = column.alias("")
    if not isinstance(column.dtype, pl.Enum):
        column = as_enum(text_of(column.fill_nan(None) if column.dtype.is_float() else column))
    if not isinstance(column.dtype, pl.Enum):
        return column, None
    texts = enum_texts(column).extend_constant(None, 1)
    return texts, column.to_physical().cast(pl.UInt32).fill_null(len(texts) - 1)


def _comparison_columns(text: pl.Series) -> pl.DataFrame:
    """The columns that texts are compared by, a line each: `text`, `number`, `size` and `rest`.

    `text` is as it came. A number of at most 15 digits has its value, size -2 and an empty `rest`.
    Any other text has number 0, its length in bytes, and itself as `rest`, dates and truth values
    in one spelling. Null has number 0, size -1 and null as `rest`.
    """
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
