"""Equally wide cells on the number line, with exact bounds."""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property

import numpy as np

from incrowd.arrays import Values
from incrowd.hierarchy.labels import Number

_SAFE = 2.0**52
"""Cell numbers up to here are exact as floats."""


@dataclass(frozen=True)
class Grid:
    """Cells of one width; cell 0 begins at the origin.

    >>> Grid(0.0, 0.1).bound(3)
    0.3
    """

    origin: float
    width: float

    @cached_property
    def _start(self) -> Decimal:
        return Decimal(repr(self.origin))

    @cached_property
    def _step(self) -> Decimal:
        return Decimal(repr(self.width))

    @cached_property
    def _whole(self) -> tuple[int, int] | None:
        """Origin and width, if both are whole numbers."""
        whole = self.origin.is_integer() and self.width.is_integer()
        return (int(self.origin), int(self.width)) if whole else None

    def bound(self, cell: int) -> Number:
        """Where a cell begins: the nearest float of the exact decimal, whole ones as int."""
        if self._whole is not None:
            begin = self._whole[0] + cell * self._whole[1]
            return begin if abs(begin) < 2**63 else float(begin)
        with localcontext() as context:
            context.prec = 400
            exact = self._start + cell * self._step
            if exact == exact.to_integral_value() and abs(exact) < 2**63:
                return int(exact)
            return float(exact)

    def cells(self, values: Values) -> Values:
        """The cell of each sorted value, as Python's whole numbers: shape (n,)."""
        with np.errstate(over="ignore"):
            rough = (values.astype(np.float64) - self.origin) / self.width
        if len(rough) and not np.abs(rough[[0, -1]]).max() < _SAFE:
            return self._exact_cells(values)
        cell = np.floor(rough).astype(np.int64)
        cells, place = np.unique(cell, return_inverse=True)
        start = self._bounds(cells, values)[place]
        end = self._bounds(cells + 1, values)[place]
        return cell - (values < start) + (values >= end)

    def _bounds(self, cells: Values, values: Values) -> Values:
        bounds = [self.bound(cell) for cell in cells.tolist()]
        if values.dtype.kind == "i" and all(isinstance(bound, int) for bound in bounds):
            return np.array([min(max(b, -(2**63)), 2**63 - 1) for b in bounds], dtype=np.int64)
        return np.array(bounds, dtype=np.float64)

    def _exact_cells(self, values: Values) -> Values:
        with localcontext() as context:
            context.prec = 800
            found = [
                int(((Decimal(value) - self._start) / self._step).to_integral_value("ROUND_FLOOR"))
                for value in values.tolist()
            ]
        cells = np.empty(len(values), dtype=object)
        for i, (cell, value) in enumerate(zip(found, values.tolist(), strict=True)):
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
