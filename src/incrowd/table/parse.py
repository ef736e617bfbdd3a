"""Texts that are numbers or dates."""

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import polars as pl

from incrowd.arrays import Flags, Texts, Values
from incrowd.table.column import Kind

MARKS = frozenset(
    ("?", "-", ".", "N", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None")
)
"""Texts that mean missing in a column of a text file that otherwise holds numbers or dates."""
FEW = 3
"""A column of fewer numbers next to a mark is taken as text: 1, 2 and N may be codes."""

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$"
_WHOLE = r"^[+-]?\d+$"
_LOOKS_LIKE_A_NAME = r"^(\+|[+-]?0\d)"
_DATES = (
    (r"^\d{4}-\d{2}-\d{2}$", "%Y-%m-%d"),
    (r"^\d{4}/\d{2}/\d{2}$", "%Y/%m/%d"),
    (r"^\d{1,2}\.\d{1,2}\.\d{4}$", "%d.%m.%Y"),
)
_TIMES = (
    (r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}$", "%Y-%m-%d %H:%M"),
    (r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}$", "%Y-%m-%d %H:%M:%S"),
    (r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}\.\d{1,6}$", "%Y-%m-%d %H:%M:%S%.f"),
)
_EXACT = 2.0**53
_GLANCE = 100
"""This many texts are tested before all of them."""
_DIGITS = 17
"""A float64 is written with at most this many digits."""


@dataclass(frozen=True, eq=False)
class Parsed:
    """What texts stand for: `values[i]` where `fits[i]`, anything elsewhere."""

    values: Values
    fits: Flags


def parse(texts: Texts, kind: Kind) -> Parsed:
    """Read texts as values of a kind; spaces around numbers and dates do not count."""
    if kind is Kind.TEXT:
        return Parsed(texts, np.ones(len(texts), dtype=np.bool_))
    series = pl.Series(texts.tolist(), dtype=pl.String).str.strip_chars()
    return parse_numbers(series) if kind is Kind.NUMBER else parse_dates(series)


def parse_numbers(texts: pl.Series) -> Parsed:
    """Read finite numbers: int64 if all that fit are integers of that size, else float64."""
    plain = texts.str.contains(_NUMBER)
    whole = texts.set(~plain, None).str.strip_prefix("+")
    if texts.filter(plain).str.contains(_WHOLE).all():
        integers = whole.cast(pl.Int64, strict=False)
        if integers.null_count() == whole.null_count():
            return Parsed(integers.fill_null(0).to_numpy(), plain.to_numpy())
    floats = whole.cast(pl.Float64, strict=False)
    fits = plain & floats.is_finite().fill_null(value=False)
    return Parsed(floats.fill_null(0.0).to_numpy() + 0.0, fits.to_numpy())


def parse_dates(texts: pl.Series) -> Parsed:
    """Read texts as dates: days if none has a time of day, microseconds otherwise.

    Taken are 2024-12-31, 2024/12/31, 31.12.2024 and 2024-12-31 with 23:59, 23:59:59 or
    23:59:59.999999 after a space or a T: forms that can be read in one way only.
    """
    days = _first_fit(texts, _DATES, pl.Date())
    spaced = texts.str.replace("T", " ", literal=True)
    moments = _first_fit(spaced, _TIMES, pl.Datetime("us"))
    if moments.null_count() == len(moments):
        return _as_parsed(days, "datetime64[D]")
    return _as_parsed(moments.zip_with(moments.is_not_null(), days.cast(moments.dtype)), "M8[us]")


def _first_fit(
    texts: pl.Series, forms: tuple[tuple[str, str], ...], dtype: pl.Date | pl.Datetime
) -> pl.Series:
    """Each text read by the first form whose pattern it has; null if none fits."""
    dates = pl.Series([None] * len(texts), dtype=dtype)
    for pattern, form in forms:
        here = texts.str.contains(pattern)
        if here.any():
            parsed = texts.set(~here, None).str.strptime(dtype, form, strict=False)
            dates = dates.zip_with(dates.is_not_null(), parsed)
    return dates


def _as_parsed(values: pl.Series, dtype: str) -> Parsed:
    """Dates of Polars as `Parsed` in this type of numpy; null and years below 1 do not fit."""
    fits = values.is_not_null() & (values.dt.year() >= 1).fill_null(value=False)
    numbers = values.to_physical().fill_null(0).to_numpy().astype(np.int64)
    return Parsed(numbers.view(dtype), fits.to_numpy())


def kind_of(texts: Texts) -> Kind:
    """The kind that all of these texts have: numbers, dates or else text, also if there are none.

    Codes that only look like numbers are text: a leading zero (ZIP codes), a leading plus sign
    (telephone numbers), more digits than a float64 keeps (account numbers).
    """
    if not len(texts) or not any(letter.isdigit() for letter in texts[0]):
        return Kind.TEXT
    kind = _kind_of_all(texts[:_GLANCE])
    return kind if kind is Kind.TEXT or len(texts) <= _GLANCE else _kind_of_all(texts)


def _kind_of_all(texts: Texts) -> Kind:
    """As `kind_of`, by looking at every text."""
    series = pl.Series(texts.tolist(), dtype=pl.String).str.strip_chars()
    if series.str.contains(_NUMBER).all():
        return Kind.NUMBER if _is_quantity(series) else Kind.TEXT
    return Kind.DATE if bool(parse_dates(series).fits.all()) else Kind.TEXT


def has_merging_numbers(texts: Texts) -> bool:
    """Whether texts of different numbers, 2^53 or beyond in size, would be one float64."""
    series = pl.Series(texts.tolist(), dtype=pl.String).str.strip_chars()
    parsed = parse_numbers(series)
    if parsed.values.dtype.kind != "f":
        return False
    large = parsed.fits & (np.abs(parsed.values) >= _EXACT)
    exact = {Decimal(text) for text in series.filter(pl.Series(large)).to_list()}
    return len(np.unique(parsed.values[large])) < len(exact)


def _is_quantity(texts: pl.Series) -> bool:
    """Whether texts that look like numbers are numbers, and no codes: see `kind_of`."""
    if texts.str.contains(_LOOKS_LIKE_A_NAME).any():
        return False
    parsed = parse_numbers(texts)
    if parsed.values.dtype.kind == "i":
        return True
    digits = texts.str.replace(r"[eE].*$", "").str.replace(r"^-?[0.]+", "").str.count_matches(r"\d")
    if not parsed.fits.all() or not (digits <= _DIGITS).all():
        return False
    return not has_merging_numbers(texts.to_numpy())
