"""The cells at the ends of a label, written as labels: somebody of the class lies in each.

`[17, 25]` shows the first and the last value of a class, so that somebody is 17 and somebody 25; a
set shows values that somebody holds. A half-open interval such as `[20, 30)` or `≥ 100000` joins
cells of a grid. Where these meet can be read off the ends of all other labels of the column: of
what lies between two neighbouring ones, at least one cell is somebody's.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from incrowd.hierarchy.labels import (
    Bounds,
    parse_date,
    parse_number,
    read_any_bounds,
    read_set,
    write_bounds,
)

Cut = tuple[int, float]
"""A place on the scale of numbers (0) or of days (1)."""


@dataclass(frozen=True, eq=False)
class EndCells:
    """The cells at the ends of the labels of one column."""

    labels: Sequence[str]
    """All labels of the column."""
    _bounds: dict[str, Bounds | None] = field(default_factory=dict, repr=False)

    def of(self, label: str) -> tuple[str, ...]:
        """The cells at the ends of a label, each once; none of a label that shows no ends."""
        members = read_set(label)
        if members is not None:
            return tuple(dict.fromkeys(members)) if len(members) > 1 else ()
        bounds = self._read(label)
        if bounds is None:
            return ()
        found = (self._low(bounds), self._high(bounds))
        cells = dict.fromkeys(cell for cell in found if cell is not None)
        return tuple(cell for cell in cells if cell != label)

    def _read(self, label: str) -> Bounds | None:
        if label not in self._bounds:  # a month such as 1965-03 is no interval of numbers
            self._bounds[label] = None if parse_date(label) is not None else read_any_bounds(label)
        return self._bounds[label]

    def _low(self, bounds: Bounds) -> str | None:
        """The cell that begins where the label does."""
        if _closed(bounds):
            return bounds.low
        inner = self._inner(bounds)
        return inner and write_bounds(Bounds(bounds.low, inner[0], bounds.low_inside))

    def _high(self, bounds: Bounds) -> str | None:
        """The cell that ends where the label does."""
        if _closed(bounds):
            return bounds.high
        inner = self._inner(bounds)
        return inner and write_bounds(Bounds(inner[1], bounds.high, high_inside=bounds.high_inside))

    def _inner(self, bounds: Bounds) -> tuple[str, str] | None:
        """The first and the last place inside a label where cells of the column meet."""
        low, high = _place(bounds.low), _place(bounds.high)
        scales = {place[0] for place in (low, high) if place is not None}
        if len(scales) != 1:
            return None
        places, texts = self._cuts[scales.pop()]
        first = 0 if low is None else bisect_right(places, low[1])
        last = (len(places) if high is None else bisect_left(places, high[1])) - 1
        return (texts[first], texts[last]) if first <= last else None

    @cached_property
    def _cuts(self) -> tuple[tuple[list[float], list[str]], ...]:
        """By scale: where half-open intervals of the column begin and end, in order."""
        cuts: tuple[dict[float, str], ...] = ({}, {})
        for label in self.labels:
            bounds = self._read(label)
            if bounds is None or _closed(bounds):
                continue
            for end in (bounds.low, bounds.high):
                place = _place(end)
                if place is not None and end is not None:
                    cuts[place[0]].setdefault(place[1], end)
        ordered = [sorted(found) for found in cuts]
        texts = [[found[p] for p in order] for found, order in zip(cuts, ordered, strict=True)]
        return (ordered[0], texts[0]), (ordered[1], texts[1])


def _closed(bounds: Bounds) -> bool:
    """Whether both ends are values that the label stands for."""
    return None not in {bounds.low, bounds.high} and bounds.low_inside and bounds.high_inside


def _place(end: str | None) -> Cut | None:
    """Where an end lies, None if it is neither a number nor a date."""
    number = None if end is None else parse_number(end)
    if number is not None:
        return 0, float(number)
    date = None if end is None else parse_date(end)
    return None if date is None else (1, float(date.astype("datetime64[us]").astype("int64")))
