"""Scales: from figures to places, with ticks where people expect them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from incrowd.documents.lettering import figure

_MOST = 1e300
"""Figures beyond this are drawn at the end of the scale: differences stay finite."""
_LEAST = 1e-290
"""Spans below this are drawn as if all figures were equal."""


@dataclass(frozen=True)
class AxisScale:
    """A range of figures, `low` below `high`, with ticks at both ends and between them."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def position_of(self, value: float) -> float:
        """The position of a figure: 0 at the low end, 1 at the high end.

        Figures outside lie at the nearer end.
        """
        inside = min(max(value, self.low), self.high)
        return (inside - self.low) / (self.high - self.low)

    @property
    def texts(self) -> tuple[str, ...]:
        """The text of each tick."""
        return tuple(figure(tick) for tick in self.ticks)


def finite_figures(values: Iterable[float | None]) -> list[float]:
    """The finite figures, limited to `_MOST` on either side; None is left out."""
    known = (value for value in values if value is not None and math.isfinite(value))
    return [min(max(float(value), -_MOST), _MOST) for value in known]


def is_drawable(value: float | None) -> bool:
    """Whether the value is a finite number, not None."""
    return value is not None and math.isfinite(value)


def make_scale(values: Iterable[float | None], *, zero: bool = True, about: int = 5) -> AxisScale:
    """Make a scale with round ticks that spans all figures; with `zero`, zero too.

    There are about as many ticks as `about` says; ticks of whole figures are whole. Without a
    figure the scale goes from 0 to 1.

    >>> make_scale([3, 17]).ticks, make_scale([0.2, 0.9]).texts
    ((0.0, 5.0, 10.0, 15.0, 20.0), ('0', '0.2', '0.4', '0.6', '0.8', '1'))
    """
    known = finite_figures(values) or [0.0, 1.0]
    low, high = min(known), max(known)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low < max(_LEAST, 1e-9 * max(abs(low), abs(high))):
        low, high = _range_around(low, zero=zero)
    step = _round_step((high - low) / about)
    if all(value.is_integer() for value in known):
        step = max(step, 1.0)  # there is no half of a record
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    # Twelve digits: without the dust of binary fractions.
    ticks = tuple(float(f"{step * n:.12g}") for n in range(first, last + 1))
    return AxisScale(ticks[0], ticks[-1], ticks)


def _range_around(value: float, *, zero: bool) -> tuple[float, float]:
    """The ends of a scale for figures that all equal `value`; 0 and 1 with `zero` or for 0."""
    if zero or value == 0:
        return (0.0, 1.0)
    room = max(abs(value) / 10, _LEAST)
    return (value - room, value + room)


def _round_step(rough: float) -> float:
    """The least of 1, 2, 5 times a power of ten that is not below `rough`."""
    power = math.floor(math.log10(rough))
    ten: float = 10.0**power
    return next(n * ten for n in (1, 2, 5, 10) if n * ten >= rough * (1 - 1e-9))
