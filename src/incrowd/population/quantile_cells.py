"""Cells as numbers on a scale, and buckets of that scale as cells.

Numbers are compared as float64, dates and moments by their microseconds. Texts are read as numbers
or dates; blank ones, and marks such as NA, are missing, as null and NaN are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from incrowd.arrays import Flags, Floats
from incrowd.errors import InputError, boundary
from incrowd.hierarchy.labels import Bounds, write_bounds
from incrowd.population.quantiles import BucketDivision, Show
from incrowd.table.column import Domain, Kind
from incrowd.table.parse import MARKS, parse_dates, parse_numbers

_GLANCE = 1_000
_DAY = 86_400_000_000
_RANGES = "show ranges"
_TEXT = (pl.String, pl.Categorical, pl.Enum)


@dataclass(frozen=True, eq=False)
class Scaled:
    """The cells of a column as numbers: NaN for a missing or a wrong one."""

    values: Floats
    unfit: Flags | None = None
    """Which cells are neither missing nor of the kind; None if there are none."""
    infinite: bool = False
    """Whether the unfit cells are infinite numbers."""


def kind_of_cells(cells: pl.Series, name: str) -> Kind:
    """The kind of cells, by type or most of the first texts (number if none); else `InputError`."""
    if isinstance(cells.dtype, pl.Date | pl.Datetime):
        return Kind.DATE
    if cells.dtype.is_numeric() or isinstance(cells.dtype, pl.Null):
        return Kind.NUMBER
    if not isinstance(cells.dtype, _TEXT):
        raise InputError(
            f"the column {name!r} holds neither numbers nor dates",
            remedy="convert it, or keep it as it is",
        )
    some = cells.drop_nulls().head(_GLANCE)
    fitting = {
        kind: np.count_nonzero(~np.isnan(scale_cells(some, kind).values)) for kind in _SCALES
    }
    return max(_SCALES, key=lambda kind: fitting[kind])


def scale_cells(cells: pl.Series, kind: Kind) -> Scaled:
    """Read cells as numbers on this kind's scale, others as unfit; `InputError` if unreadable."""
    with boundary(InputError("cells cannot be read", remedy="convert the columns to numbers")):
        if isinstance(cells.dtype, _TEXT):
            return _scale_texts(cells.cast(pl.String), kind)
        fits = isinstance(cells.dtype, pl.Date | pl.Datetime) == (kind is Kind.DATE)
        if not fits and not isinstance(cells.dtype, pl.Null):
            return Scaled(np.full(len(cells), np.nan), cells.is_not_null().to_numpy())
        return _SCALES[kind](cells)


def _scale_numbers(cells: pl.Series) -> Scaled:
    """The numbers as float64; infinite ones are unfit."""
    values = cells.cast(pl.Float64).fill_null(np.nan).to_numpy()
    infinite = np.isinf(values)
    if not infinite.any():
        return Scaled(values)
    return Scaled(np.where(infinite, np.nan, values), infinite, infinite=True)


def _scale_dates(cells: pl.Series) -> Scaled:
    """Microseconds since 1970, time zones left out."""
    if isinstance(cells.dtype, pl.Datetime):
        cells = cells.dt.replace_time_zone(None)
    moments = cells.cast(pl.Datetime("us")).to_physical()
    return Scaled(moments.cast(pl.Float64).fill_null(np.nan).to_numpy())


_SCALES: dict[Kind, Callable[[pl.Series], Scaled]] = {
    Kind.NUMBER: _scale_numbers,
    Kind.DATE: _scale_dates,
}


def _scale_texts(texts: pl.Series, kind: Kind) -> Scaled:
    """Read texts as numbers or dates: those that Polars reads at once, then the irregular ones."""
    if kind is Kind.NUMBER:
        quick = texts.cast(pl.Float64, strict=False)
        values = quick.fill_null(np.nan).to_numpy()
        irregular = texts.is_not_null().to_numpy() & ~np.isfinite(values)
    else:
        quick = texts.str.to_date("%Y-%m-%d", strict=False)
        values = _scale_dates(quick).values
        irregular = texts.is_not_null().to_numpy() & np.isnan(values)
    if not irregular.any():
        return Scaled(values)
    values = values.copy()
    values[irregular], unfit = _parse_irregular_texts(texts.filter(pl.Series(irregular)), kind)
    if not unfit.any():
        return Scaled(values)
    wrong = np.zeros(len(texts), dtype=np.bool_)
    wrong[irregular] = unfit
    return Scaled(values, wrong)


def _parse_irregular_texts(texts: pl.Series, kind: Kind) -> tuple[Floats, Flags]:
    """Read texts that are no plain number, or no date such as 2024-12-31: (values, flags).

    They have spaces around them, another way to write a date, or a time of day; or they are blank,
    marks of missing values, or of another kind. Values are NaN for all that are not read; flags say
    which of these do not mean missing.
    """
    plain = texts.str.strip_chars()
    parsed = parse_numbers(plain) if kind is Kind.NUMBER else parse_dates(plain)
    found = parsed.values
    if found.dtype.kind == "M":
        found = found.astype("datetime64[us]").astype(np.int64)
    values = np.where(parsed.fits, found.astype(np.float64), np.nan)
    missing = plain.is_in(["", *MARKS]).to_numpy()
    return np.where(missing, np.nan, values), ~missing & ~parsed.fits


def cells_of_buckets(
    division: BucketDivision, kind: Kind, show: Show, cells: pl.Series
) -> pl.Series:
    """An empty cell, then each bucket's, as texts or as the type of `cells`.

    Ranges are texts, and so are medians of texts. `InputError` if medians do not fit the type.
    """
    labels: Sequence[str] | None = None
    if show == "range":
        labels = _range_labels(division, kind)
    elif isinstance(cells.dtype, (*_TEXT, pl.Null)):
        labels = _labels_of_values(division.medians, kind, division.values)
    if labels is not None:
        return pl.Series(cells.name, [None, *labels], dtype=pl.String)
    with boundary(InputError(f"the medians of {cells.name!r} cannot be shown", remedy=_RANGES)):
        return _cast_medians(division.medians, kind, cells)


def _cast_medians(medians: Floats, kind: Kind, cells: pl.Series) -> pl.Series:
    """An empty cell, then the medians, in the type of `cells`."""
    made = pl.Series(cells.name, medians, dtype=pl.Float64)
    if kind is Kind.DATE:
        made = made.cast(pl.Int64).cast(pl.Datetime("us"))
        zone = getattr(cells.dtype, "time_zone", None)
        made = made if zone is None else made.dt.replace_time_zone(zone, ambiguous="earliest")
    none = pl.Series(cells.name, [None], dtype=cells.dtype)
    return none.append(made.cast(cells.dtype))


def _range_labels(division: BucketDivision, kind: Kind) -> list[str]:
    """The label of each bucket's range; outer ends are open: extreme values are one person's."""
    if not len(division):
        return []
    cuts = _labels_of_values(division.cuts, kind, division.values)
    ends = [None, *cuts, None]
    return [write_bounds(Bounds(low, high)) for low, high in pairwise(ends)]


def _labels_of_values(values: Floats, kind: Kind, sample: Floats) -> Sequence[str]:
    """Write values as texts; dates without a time of day if no value of the `sample` has one."""
    if kind is Kind.NUMBER:
        return [str(label) for label in Domain(kind, values + 0.0).labels]
    whole = bool((sample % _DAY == 0).all())
    moments = values.astype(np.int64).astype("datetime64[us]")
    return [
        str(label) for label in Domain(kind, moments.astype("M8[D]" if whole else "M8[us]")).labels
    ]
