"""From values to codes: the only place that does it."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from incrowd.arrays import MISSING, Codes, Flags, Texts, Values
from incrowd.errors import InputError, boundary, count_of
from incrowd.table.cells import flag_marks
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.fold import find_distinct, first_occurrences
from incrowd.table.parse import FEW, MARKS, has_merging_numbers, kind_of, parse

AnySeries: TypeAlias = "pl.Series | nw.Series[Any]"

_SIGN = np.uint64(2**63)
_GLANCE = 100
_EXACT = 2.0**53
_NESTED = (pl.List, pl.Array, pl.Struct, pl.Object)
_PLAIN = (nw.String, nw.Int64, nw.Float64, nw.Boolean, nw.Categorical, nw.Datetime, nw.Date)
BYTES = "bytes"
"""What `sealed_content` calls cells of binary data."""


def encode(
    series: AnySeries,
    name: str,
    kind: Kind | None = None,
    *,
    infer: bool = False,
    missing_values: Sequence[str] = (),
) -> CodedColumn:
    """A column of a frame as codes: 0 for a missing value, 1, 2, … for the values in their order.

    Missing are null, NaN, NaT and None, texts listed in `missing_values` and, with `infer`, blank
    texts. `infer` says that the column was read from a text file: numbers and dates are then
    recognized, and `MARKS` among them are missing. If `kind` is None, they or the column's type
    tell it. Numbers and dates are in their order, everything else is text by code point: truth
    values too; a duration is a number of seconds, binary data is hexadecimal text. `InputError` if
    a value is not of the `kind`, if a number is infinite or has too many digits, if a date is
    before the year 1 or after 9999, or if cells are lists or structures.
    """
    with boundary(InputError(f"the column {name!r} cannot be read", remedy="convert it to text")):
        values = to_polars(series)
        if infer and kind in {None, Kind.NUMBER}:
            values = _read_whole_numbers(values, missing_values)
        coded = _encode_by_type(values, name)
        if coded.domain.kind is Kind.TEXT:
            coded = _without_texts(coded, missing_values, blank=infer)
            coded, found = _recognize_kind(coded) if infer else (coded, Kind.TEXT)
        else:
            found = coded.domain.kind
        return _as_kind(coded, kind or found)


def find_distinct_texts(values: pl.Series) -> tuple[Codes, Texts]:
    """The number, from 0, of each cell's text (none null), and the distinct texts, in no order."""
    dictionary = _as_categories(values)
    numbers = dictionary.to_physical().cast(pl.UInt32).to_numpy()
    where = np.full(int(numbers.max(initial=0)) + 1, -1)
    where[numbers] = np.arange(len(numbers))
    place = np.cumsum(where >= 0, dtype=np.int32) - np.int32(1)
    texts = dictionary.gather(where[where >= 0]).cast(pl.String)
    return place[numbers], np.array(texts.to_list(), dtype=object)


def align(column: CodedColumn, leaves: Domain) -> CodedColumn:
    """The column in the codes of a hierarchy's leaves; `InputError` if a value is none of them."""
    place = leaves_of(column.domain, leaves)
    _refuse_values_without_leaf(column, place)
    lookup = np.concatenate([[MISSING], place]).astype(np.int32)
    return CodedColumn(column.name, lookup[column.codes], leaves)


def as_missing(column: CodedColumn, listed: Sequence[str]) -> CodedColumn:
    """The column with these values read as missing, such as "99" the text 99 or the number 99."""
    if not listed:
        return column
    if column.domain.kind is Kind.TEXT:
        texts = pl.Series(column.domain.labels.tolist(), dtype=pl.String)
        gone = flag_marks(texts, listed)
        return _keep_values(column, ~gone.to_numpy()) if gone.any() else column
    place = leaves_of(Domain(Kind.TEXT, np.array(listed, dtype=object)), column.domain)
    kept = np.ones(len(column.domain), dtype=np.bool_)
    kept[place[place != MISSING] - 1] = False
    return column if kept.all() else _keep_values(column, kept)


def sealed_content(series: AnySeries) -> str:
    """Name what cannot be looked into in these cells (lists, bytes); empty if they are plain."""
    if isinstance(series, nw.Series) and series.dtype in _PLAIN:
        return ""
    with boundary(InputError("a column cannot be read", remedy="convert it to text")):
        dtype = to_polars(series).dtype
    if isinstance(dtype, _NESTED):
        return "lists or structures"
    return BYTES if isinstance(dtype, pl.Binary) else ""


def columns_without_codes(sealed: Mapping[str, str]) -> tuple[str, ...]:
    """Columns of lists and structures, which have no codes; `sealed` is by `sealed_content`."""
    return tuple(name for name, what in sealed.items() if what != BYTES)


def nested_error(name: str) -> InputError:
    """The error, to be raised by the caller, for a column of lists and structures."""
    return InputError(
        f"the column {name!r} holds lists or structures",
        remedy="unnest it into plain columns, or leave it out",
    )


def to_polars(series: AnySeries) -> pl.Series:
    """A series of any library as one of Polars; what has no type in common becomes text.

    It has no name: Polars would take one such as `^a$` for a pattern. `InputError` if this takes
    pyarrow, which is missing.
    """
    if isinstance(series, pl.Series):
        return series.alias("")
    lacks_arrow = False
    found = None
    try:
        found = series.to_polars()
    except ImportError:
        lacks_arrow = True
    except Exception:  # noqa: BLE001, S110  every library fails in its own way on mixed values
        pass
    if lacks_arrow:
        raise InputError("pyarrow is missing", remedy="install incrowd[pandas]")
    if found is not None and type(found.dtype).__name__ != "Extension":
        return found.alias("")
    cells = [None if cell is None or cell != cell else str(cell) for cell in series.to_list()]  # noqa: PLR0124  NaN alone differs from itself
    return pl.Series(cells, dtype=pl.String)


def _read_whole_numbers(values: pl.Series, missing: Sequence[str]) -> pl.Series:
    """A column of texts as int64 if some are plain whole numbers, others missing; else as it is."""
    if not isinstance(values.dtype, pl.String):
        return values
    for some in (values.head(_GLANCE), values):
        gone = some.is_in(list(missing)) | (some.str.strip_chars() == "")
        texts = some.set(gone.fill_null(value=False), None)
        numbers = texts.cast(pl.Int64, strict=False)
        alike = (numbers.cast(pl.String) == texts).all()
        if not alike or numbers.null_count() > texts.null_count():
            return values
    return values if numbers.null_count() == len(numbers) else numbers


def _encode_by_type(values: pl.Series, name: str) -> CodedColumn:
    """A column coded as its type says; `InputError` for lists and structures."""
    dtype = values.dtype
    if isinstance(dtype, _NESTED):
        raise nested_error(name)
    if dtype.is_float():
        return _encode_floats(values, name)
    if dtype.is_integer():
        return _encode_integers(values, name)
    for known, coder in _CODERS:
        if isinstance(dtype, known):
            return coder(values, name)
    return _encode_texts(values, name)


def _encode_integers(values: pl.Series, name: str) -> CodedColumn:
    """A column of integers coded as numbers; as text if one is beyond int64."""
    small = values.cast(pl.Int64, strict=False)
    if small.null_count() == values.null_count():
        return _encode_in_order(small, name, Kind.NUMBER, "int64")
    return _encode_texts(values, name)


def _encode_floats(values: pl.Series, name: str) -> CodedColumn:
    """A column of floats coded as numbers, NaN as missing; infinite ones are refused."""
    infinite = values.is_infinite().fill_null(value=False)
    if infinite.any():
        raise InputError(
            f"the column {name!r} holds {count_of(int(infinite.sum()), 'infinite value')}"
            f" (first at row {infinite.to_numpy().argmax() + 1})",
            remedy="replace them by numbers, or leave them empty",
        )
    present = (values.is_not_null() & values.is_not_nan()).fill_null(value=False).to_numpy()
    cells = values.fill_null(0.0).to_numpy()
    cells = (cells if present.all() else cells[present]).astype(np.float64) + 0.0
    if bool((np.abs(cells) < _EXACT).all()) and bool((cells == np.trunc(cells)).all()):
        return _encode_whole_numbers(cells.astype(np.int64), present, name, Kind.NUMBER)
    bits = cells.view(np.uint64)
    keys = np.where(bits & _SIGN, ~bits, bits | _SIGN)
    found, place = find_distinct(keys, 2**64)
    numbers = np.where(found & _SIGN, found ^ _SIGN, ~found).view(np.float64)
    if isinstance(values.dtype, pl.Float32):
        numbers = np.array([float(str(number)) for number in numbers.astype(np.float32)])
    return CodedColumn(name, _codes_of_records(place, present), Domain(Kind.NUMBER, numbers))


def _encode_dates(values: pl.Series, name: str) -> CodedColumn:
    """A column of dates coded as days, or as microseconds if one has a time of day.

    Times are those on the wall of their time zone. Text if one has a fraction of a microsecond;
    years outside 1 to 9999 are refused.
    """
    if isinstance(values.dtype, pl.Datetime):
        if values.dtype.time_unit == "ns" and (values.to_physical() % 1000 != 0).any():
            return _encode_texts(values, name)
        moments = values.dt.replace_time_zone(None).dt.cast_time_unit("us")
        _refuse_far_dates(moments, name)
        days = moments.cast(pl.Date)
        if not (moments == days.cast(pl.Datetime("us"))).all():
            return _encode_in_order(moments.to_physical(), name, Kind.DATE, "datetime64[us]")
        values = days
    _refuse_far_dates(values, name)
    return _encode_in_order(values.to_physical().cast(pl.Int64), name, Kind.DATE, "datetime64[D]")


def _refuse_far_dates(dates: pl.Series, name: str) -> None:
    """Refuse dates outside the years 1 to 9999."""
    far = ~dates.dt.year().is_between(1, 9999).fill_null(value=True)
    if far.any():
        beyond = count_of(int(far.sum()), "date")
        raise InputError(
            f"the column {name!r} holds {beyond} outside the years 1 to 9999"
            f" (first at row {far.to_numpy().argmax() + 1})",
            remedy="correct them, or leave them empty",
        )


def _encode_decimals(values: pl.Series, name: str) -> CodedColumn:
    """A column of decimals coded as numbers; as text if different ones are the same float64."""
    floats = values.cast(pl.Float64)
    if floats.n_unique() < values.n_unique():
        return _encode_texts(values, name)
    return _encode_floats(floats, name)


def _encode_durations(values: pl.Series, name: str) -> CodedColumn:
    """A column of durations coded as numbers of seconds."""
    units = {"ms": 1e3, "us": 1e6, "ns": 1e9}
    dtype = values.dtype
    seconds = values.to_physical().cast(pl.Float64) / units[getattr(dtype, "time_unit", "us")]
    return _encode_floats(seconds, name)


def _encode_booleans(values: pl.Series, name: str) -> CodedColumn:
    """A column of truth values coded as the texts false and true."""
    coded = _encode_in_order(values.cast(pl.Int64), name, Kind.NUMBER, "int64")
    labels = np.array(["false", "true"], dtype=object)[coded.domain.values.astype(np.int64)]
    return CodedColumn(name, coded.codes, Domain(Kind.TEXT, labels))


def _encode_texts(values: pl.Series, name: str) -> CodedColumn:
    """A column of texts coded in the order of code points; null is missing."""
    dictionary = _as_categories(values)
    numbers = dictionary.to_physical().cast(pl.UInt32)
    missing = int(numbers.drop_nulls().to_numpy().max(initial=0)) + 1
    found, place = find_distinct(numbers.fill_null(missing).to_numpy(), missing + 1)
    filled = found < missing
    texts = dictionary.gather(first_occurrences(place, len(found))[filled]).cast(pl.String)
    order = texts.arg_sort().to_numpy()
    lookup = np.zeros(len(found), dtype=np.int32)
    lookup[np.flatnonzero(filled)[order]] = np.arange(1, len(order) + 1, dtype=np.int32)
    labels = np.array(texts.gather(order).to_list(), dtype=object)
    return CodedColumn(name, lookup[place], Domain(Kind.TEXT, labels))


def _as_categories(values: pl.Series) -> pl.Series:
    """The column as categories: those it has, or new ones of its own, so that numbers are small."""
    if isinstance(values.dtype, pl.Categorical | pl.Enum):
        return values
    if isinstance(values.dtype, pl.Binary):
        values = values.bin.encode("hex")
    own = getattr(pl, "Categories", None)
    dtype = pl.Categorical() if own is None else pl.Categorical(own.random())
    return values.cast(pl.String).cast(dtype)


def _encode_in_order(values: pl.Series, name: str, kind: Kind, dtype: str) -> CodedColumn:
    """A column of int64 (null: missing) coded by value; the domain is of this kind and dtype."""
    present = values.is_not_null().to_numpy()
    cells = values.drop_nulls().to_numpy()
    coded = _encode_whole_numbers(cells, present, name, kind)
    return CodedColumn(name, coded.codes, Domain(kind, coded.domain.values.view(dtype)))


def _encode_whole_numbers(
    cells: np.ndarray[Any, np.dtype[np.int64]], present: Flags, name: str, kind: Kind
) -> CodedColumn:
    """A column coded by value, of integers `cells` that the `present` records hold."""
    low, high = (int(cells.min()), int(cells.max())) if len(cells) else (0, 0)
    keys = cells.view(np.uint64) - np.uint64(low % 2**64)
    found, place = find_distinct(keys, high - low + 1)
    values = (found + np.uint64(low % 2**64)).view(np.int64)
    return CodedColumn(name, _codes_of_records(place, present), Domain(kind, values))


def _codes_of_records(place: Codes, present: Flags) -> Codes:
    """The codes of all records, from the places of the values that the `present` ones hold."""
    if len(place) == len(present):
        return place + np.int32(1)
    codes = np.zeros(len(present), dtype=np.int32)
    codes[present] = place + np.int32(1)
    return codes


def _without_texts(column: CodedColumn, missing: Sequence[str], *, blank: bool) -> CodedColumn:
    """The column with these texts, and blank ones if `blank`, read as missing."""
    if not missing and not blank:
        return column
    texts = pl.Series(column.domain.labels.tolist(), dtype=pl.String)
    gone = texts.is_in(list(missing))
    if blank:
        gone |= texts.str.strip_chars() == ""
    return _keep_values(column, ~gone.to_numpy()) if gone.any() else column


def _recognize_kind(column: CodedColumn) -> tuple[CodedColumn, Kind]:
    """The column and its kind; marks of missing values among numbers or dates become missing.

    Fewer than `FEW` different values next to a mark are taken as text: 1, 2 and N may be codes.
    """
    kind = kind_of(column.domain.labels)
    plain = np.array([label not in MARKS for label in column.domain.labels], dtype=np.bool_)
    if kind is not Kind.TEXT or plain.all() or plain.sum() < FEW:
        return column, kind
    kind = kind_of(column.domain.labels[plain])
    return (column, kind) if kind is Kind.TEXT else (_keep_values(column, plain), kind)


def _keep_values(column: CodedColumn, kept: Flags) -> CodedColumn:
    """The column with the values that are flagged; the others are missing."""
    lookup = np.concatenate([[MISSING], np.cumsum(kept) * kept]).astype(np.int32)
    domain = Domain(column.domain.kind, column.domain.values[kept])
    return CodedColumn(column.name, lookup[column.codes], domain)


def _as_kind(column: CodedColumn, kind: Kind) -> CodedColumn:
    """The column with its labels read as values of this kind; refused if one is not."""
    if column.domain.kind is kind:
        return column
    parsed = parse(column.domain.labels, kind)
    _refuse_values_of_other_kind(column, kind, parsed.fits)
    _refuse_merging_numbers(column, kind)
    values, place = np.unique(parsed.values, return_inverse=True)
    lookup = np.concatenate([[MISSING], place.ravel() + 1]).astype(np.int32)
    return CodedColumn(column.name, lookup[column.codes], Domain(kind, values))


def _refuse_values_of_other_kind(column: CodedColumn, kind: Kind, fits: Flags) -> None:
    """Refuse a column with values that are not of this kind; `fits` flags those that are."""
    if fits.all():
        return
    unfit = np.concatenate([[False], ~fits])[column.codes]
    raise InputError(
        f"the column {column.name!r} holds "
        f"{count_of(int(unfit.sum()), 'value that is', 'values that are')} no {kind.value}"
        f" (first at row {unfit.argmax() + 1})",
        remedy="correct them, list them in missing_values, or give the column another kind",
    )


def _refuse_merging_numbers(column: CodedColumn, kind: Kind) -> None:
    """Refuse numbers of so many digits that different ones would be one float64."""
    if kind is Kind.NUMBER and has_merging_numbers(column.domain.labels):
        raise InputError(
            f"the column {column.name!r} holds numbers with too many digits to tell apart",
            remedy='give it the kind "text"',
        )


def _refuse_values_without_leaf(column: CodedColumn, place: Codes) -> None:
    """Refuse a column if some value that occurs is no leaf (place 0) of its hierarchy."""
    unknown = np.concatenate([[False], place == MISSING])
    held = unknown[column.codes]
    if held.any():
        lacking = len(np.unique(column.codes[held]))
        raise InputError(
            f"the hierarchy of {column.name!r} lacks {lacking:,} of its values"
            f" (first at row {held.argmax() + 1})",
            remedy="add them, or use a hierarchy that is built from the data",
        )


def leaves_of(domain: Domain, leaves: Domain) -> Codes:
    """The leaf of each value of a domain, 0 where there is none.

    Values of equal kinds match by value, others by their text or, if one side is numbers or dates,
    by what the text stands for.
    """
    kinds = {domain.kind, leaves.kind}
    if kinds in ({Kind.NUMBER}, {Kind.DATE}):
        return _look_up(domain.values, leaves.values, np.ones(len(leaves), dtype=np.bool_))
    place = _look_up_texts(domain.labels, leaves.labels)
    for kind in kinds - {Kind.TEXT}:
        mine, theirs = parse(domain.labels, kind), parse(leaves.labels, kind)
        found = _look_up(mine.values, theirs.values, theirs.fits) * mine.fits
        place = np.where(place == MISSING, found, place)
    return place.astype(np.int32)


def _look_up_texts(texts: Texts, known: Texts) -> Codes:
    """The place, from 1, of each text among the known ones, 0 where there is none."""
    code = {text: i for i, text in enumerate(known.tolist(), start=1)}
    return np.array([code.get(text, MISSING) for text in texts.tolist()], dtype=np.int32)


def _look_up(values: Values, known: Values, usable: Flags) -> Codes:
    """The place, from 1, of each value among the usable known ones, 0 where there is none."""
    codes = np.flatnonzero(usable)
    order = codes[np.argsort(known[codes], kind="stable")]
    if not len(order):
        return np.zeros(len(values), dtype=np.int32)
    spot = np.minimum(np.searchsorted(known[order], values), len(order) - 1)
    return np.where(known[order][spot] == values, order[spot] + 1, MISSING).astype(np.int32)


_CODERS = (
    (pl.Date, _encode_dates),
    (pl.Datetime, _encode_dates),
    (pl.Decimal, _encode_decimals),
    (pl.Duration, _encode_durations),
    (pl.Boolean, _encode_booleans),
)
