"""Equally wide cells on the number line, with exact bounds."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Values
from incrowd.hierarchy.labels import Number

_SAFE = 2.0**52
"""Cell numbers up to here are exact as floats."""


@dataclass(frozen=True)
class Grid:
    """Cells of one width; cell 0 begins at the origin.

    Origin and width are the decimal numbers that their floats are written as.

    >>> Grid(0.0, 0.1).bound(3)
    0.3
    """

    origin: float
    width: float

    @cached_property
    def _scaled(self) -> tuple[int, int, int]:
        """Origin and width as whole numbers of the same fraction, and how many make one."""
        places = max(_places(self.origin), _places(self.width))
        return _times(self.origin, places), _times(self.width, places), int(10**places)

    def bound(self, cell: int) -> Number:
        """Where a cell begins: whole numbers as int, others as the nearest float."""
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
        start = self._bounds(cells, values)[place]
        end = self._bounds(cells + 1, values)[place]
        under, over = np.less(values, start), np.greater_equal(values, end)
        return np.asarray(cell - under.astype(np.int64) + over.astype(np.int64))

    def _bounds(self, cells: Values, values: Values) -> Values:
        bounds = [self.bound(cell) for cell in cells.tolist()]
        if values.dtype.kind == "i" and all(isinstance(bound, int) for bound in bounds):
            inside = all(-(2**63) <= bound < 2**63 for bound in bounds)
            return np.array(bounds, dtype=np.int64 if inside else object)
        return np.array(bounds, dtype=np.float64)

    def _exact_cells(self, values: Values) -> Values:
        origin, width, one = self._scaled
        cells = np.empty(len(values), dtype=object)
        for i, value in enumerate(values.tolist()):
            over, under = value.as_integer_ratio()
            cell = (over * one - origin * under) // (width * under)
            cells[i] = cell - (value < self.bound(cell)) + (value >= self.bound(cell + 1))
        return cells


def nice_width(values: Values, cells: int = 20) -> float:
    """A width of the series 1, 2, 5, 10, … that cuts the range into about this many cells.

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


def _places(number: float) -> int:
    """How many decimal places the number is written with."""
    digits, _, exponent = repr(number).partition("e")
    return max(0, len(digits.partition(".")[2].rstrip("0")) - int(exponent or 0))


def _times(number: float, places: int) -> int:
    """The number times a power of ten, exactly."""
    digits, _, exponent = repr(number).partition("e")
    whole, _, part = digits.partition(".")
    shift = places + int(exponent or 0) - len(part)
    exact = int(whole + part)
    return exact * int(10**shift) if shift >= 0 else exact // int(10**-shift)
