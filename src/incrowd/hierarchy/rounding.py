"""Round intervals: equally wide cells of numbers, and round steps of numbers and dates.

Numbers: intervals 1, 2, 4 or 5 times a power of ten wide, at multiples of their width. Dates: days,
5 and 10 days of a month, months, quarters, half-years, 1, 2, 5, 10, 20 and 50 years.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np

from incrowd.arrays import Counts, Floats, Values
from incrowd.errors import PolicyError
from incrowd.hierarchy.labels import DAY, Number, number_text
from incrowd.table.column import Domain, Kind

DateStep: TypeAlias = Literal[
    "day",
    "5 days",
    "10 days",
    "month",
    "quarter",
    "half-year",
    "year",
    "2 years",
    "5 years",
    "10 years",
    "20 years",
    "50 years",
]
"""How wide a round interval of dates is."""

Step: TypeAlias = float | DateStep
"""How wide a round interval is: a number, or a step of dates."""

Ends: TypeAlias = tuple[Floats, Floats]
"""Where intervals that hold values begin and end, ascending, as in `Domain.positions`."""

_MONTHS = {"month": 1, "quarter": 3, "half-year": 6, "year": 12, "2 years": 24, "5 years": 60}
_MONTHS |= {"10 years": 120, "20 years": 240, "50 years": 600}
_FACTORS = (1, 2, 4, 5)
_MOST_PLACES = 9
"""Numbers with more decimal places are taken for a continuum."""
_FINEST = 1e6
"""The finest intervals of a continuum are its range divided by this."""
_SAFE = 2.0**52
"""Whole numbers up to here are exact as floats."""


@dataclass(frozen=True)
class NumberGrid:
    """Cells of one width; cell 0 begins at the origin.

    Origin and width are the decimal numbers that their floats are written as.

    >>> NumberGrid(0.0, 0.1).bound(3)
    0.3
    """

    origin: float
    width: float

    @cached_property
    def _scaled(self) -> tuple[int, int, int]:
        """Origin and width as multiples of one decimal unit, and how many such units make 1."""
        places = max(_decimal_places(self.origin), _decimal_places(self.width))
        return (
            _scale_exactly(self.origin, places),
            _scale_exactly(self.width, places),
            int(10**places),
        )

    def bound(self, cell: int) -> Number:
        """Where a cell begins: whole numbers as int, others as the nearest float, or infinite."""
        origin, width, one = self._scaled
        exact = origin + cell * width
        if exact % one == 0 and abs(exact // one) < 10**19:
            return exact // one
        try:
            return exact / one
        except OverflowError:
            return float("inf") if exact > 0 else float("-inf")

    def cells(self, values: Values) -> Values:
        """The cell of each sorted value; Python's whole numbers if they are large: shape (n,)."""
        with np.errstate(over="ignore"):
            rough = (values.astype(np.float64) - self.origin) / self.width
        if len(rough) and not np.abs(rough[[0, -1]]).max() < _SAFE:
            return self._exact_cells(values)
        cell = np.floor(rough).astype(np.int64)
        cells, place = np.unique(cell, return_inverse=True)
        start = self._bounds_of(cells, values)[place]
        end = self._bounds_of(cells + 1, values)[place]
        under, over = np.less(values, start), np.greater_equal(values, end)
        return np.asarray(cell - under.astype(np.int64) + over.astype(np.int64))

    def _bounds_of(self, cells: Values, values: Values) -> Values:
        """Where each cell begins, as whole numbers if the values and all these bounds are."""
        bounds = [self.bound(cell) for cell in cells.tolist()]
        if values.dtype.kind == "i" and all(isinstance(bound, int) for bound in bounds):
            inside = all(-(2**63) <= bound < 2**63 for bound in bounds)
            return np.array(bounds, dtype=np.int64 if inside else object)
        return np.array(bounds, dtype=np.float64)

    def _exact_cells(self, values: Values) -> Values:
        """The cell of each value, computed with whole numbers of any size."""
        origin, width, one = self._scaled
        cells = np.empty(len(values), dtype=object)
        for i, value in enumerate(values.tolist()):
            over, under = value.as_integer_ratio()
            cell = (over * one - origin * under) // (width * under)
            cells[i] = cell - (value < self.bound(cell)) + (value >= self.bound(cell + 1))
        return cells


def nice_width(values: Values, cells: int = 20) -> float:
    """A width of the series 1, 2, 5, 10, … that cuts the range of sorted values into about so many.

    At least 1 for whole numbers; 1 if all values are equal.

    >>> nice_width(np.array([17, 90]))
    5.0
    """
    low, high = float(values[0]), float(values[-1])
    rough = high / cells - low / cells
    if values.dtype.kind == "i":
        rough = max(rough, 1.0)
    if rough <= 0.0:
        return 1.0
    exponent = int(np.floor(np.log10(rough)))
    steps = (float(f"{digit}e{exponent}") for digit in (1, 2, 5))
    return next((step for step in steps if step >= rough), float(f"1e{min(exponent + 1, 308)}"))


def _decimal_places(number: float) -> int:
    """How many decimal places a float has as it is written: 2 for 0.25, 7 for 1e-7."""
    digits, _, exponent = repr(number).partition("e")
    return max(0, len(digits.partition(".")[2].rstrip("0")) - int(exponent or 0))


def _scale_exactly(number: float, places: int) -> int:
    """The number times ten to the power of `places`, exact."""
    digits, _, exponent = repr(number).partition("e")
    whole, _, part = digits.partition(".")
    shift = places + int(exponent or 0) - len(part)
    exact = int(whole + part)
    return exact * int(10**shift) if shift >= 0 else exact // int(10**-shift)


def round_intervals(domain: Domain, values: Values, step: Step | None) -> Iterator[Ends]:
    """The round intervals that hold some of the sorted values, one scale after the other.

    The finest scale comes first; with a declared step there is just one. Places are
    those of `Domain.positions`. `PolicyError` if the step is not of the column's kind.
    """
    if domain.kind is Kind.DATE:
        days = values.astype("datetime64[D]")
        steps = get_args(DateStep) if step is None else (_date_step(step),)
        yield from (_date_intervals(days, one) for one in steps)
    elif step is not None:
        yield _grid_ends(values, _number_step(step))
    else:
        yield from _number_intervals(values)


def decimal_unit(values: Values) -> float | None:
    """The largest of 1, 0.1, …, 1e-9 that all values are multiples of; None if none is known."""
    if values.dtype.kind == "i":
        return 1.0
    line = values.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        for places in range(_MOST_PLACES + 1):
            whole = np.rint(line * 10.0**places)
            if np.abs(whole).max() >= _SAFE:
                return None
            if (whole / 10.0**places == line).all():
                return 10.0**-places
    return None


def _number_intervals(values: Values) -> Iterator[Ends]:
    """Yield intervals of all round widths, from the values' own unit to their range."""
    line = values.astype(np.float64)
    extent = float(line[-1] - line[0])
    unit = decimal_unit(values)
    finest = extent / _FINEST if unit is None else unit
    exponent = int(np.floor(np.log10(finest))) if finest > 0 else 0
    while True:
        for factor in _FACTORS:
            width = float(f"{factor}e{exponent}")
            yield _equal_intervals(line, factor, exponent)
            if width > extent:
                return
        exponent += 1


def _equal_intervals(line: Floats, factor: int, exponent: int) -> Ends:
    """The intervals of width factor · 10^exponent that hold values; ends are the nearest floats."""
    cells = np.unique(np.floor(line / float(f"{factor}e{exponent}")))
    scale = 10.0 ** abs(exponent)
    ends = [(cells + side) * factor for side in (0, 1)]
    low, high = (end / scale if exponent < 0 else end * scale for end in ends)
    return low, high


def _grid_ends(values: Values, width: float) -> Ends:
    """Where the cells of this width that hold values begin and end."""
    grid = NumberGrid(0.0, width)
    cells = sorted(set(grid.cells(values).tolist()))
    low, high = ([float(grid.bound(cell + side)) for cell in cells] for side in (0, 1))
    return np.array(low), np.array(high)


def _date_intervals(days: Values, step: DateStep) -> Ends:
    """The intervals of one step that hold some of the days, in microseconds."""
    months = days.astype("datetime64[M]")
    if step in _MONTHS:
        length = _MONTHS[step]
        start = np.unique((months.astype(np.int64) + 12 * 1970) // length) * length - 12 * 1970
        return _moments(start), _moments(start + length)
    width = {"day": 1, "5 days": 5, "10 days": 10}[step]
    return _month_parts(days, months, width)


def _month_parts(days: Values, months: Values, width: int) -> Ends:
    """The parts of months, `width` days wide, that hold values; the last ends with its month."""
    first = months.astype("datetime64[D]").astype(np.int64)
    part = (days.astype(np.int64) - first) // width
    last = {1: 30, 5: 5, 10: 2}[width]
    start = first + np.minimum(part, last) * width
    end = np.where(
        part >= last, (months + 1).astype("datetime64[D]").astype(np.int64), start + width
    )
    start, place = np.unique(start, return_index=True)
    return start * DAY, end[place] * DAY


def _moments(months: Counts) -> Floats:
    """Months, counted from 1970, as microseconds."""
    moments = months.astype("datetime64[M]").astype("datetime64[us]")
    return moments.astype(np.int64).astype(np.float64)


def text_of(place: float, domain: Domain, *, point: bool = False) -> str:
    """How a place on a column's scale is written: dates as short as they can be.

    With `point` the moment itself is meant, not the day, month or year that begins with it.
    """
    if domain.kind is Kind.NUMBER:
        return number_text(place)
    moment = np.datetime64(int(place), "us")
    units: tuple[Literal["Y", "M", "D"], ...] = ("Y", "M", "D")
    for unit in () if point else units:
        if moment.astype(f"datetime64[{unit}]") == moment:
            return str(moment.astype(f"datetime64[{unit}]"))
    return str(moment).removesuffix(".000000").replace("T", " ")


def _date_step(step: Step) -> DateStep:
    """The step as a step of dates; `PolicyError` if it is none."""
    known: dict[str, DateStep] = {name: name for name in get_args(DateStep)}
    if step not in known:
        raise PolicyError(
            "the grid of a column of dates must be a step of dates",
            remedy=f"choose one of {', '.join(known)}",
        )
    return known[str(step)]


def _number_step(step: Step) -> float:
    """The step as a number; `PolicyError` if it is none."""
    if isinstance(step, str):
        raise PolicyError(
            "the grid of a column of numbers must be a number", remedy="write grid = 5, for example"
        )
    return float(step)
