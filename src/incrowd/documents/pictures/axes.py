"""Axes: grid, ticks, their texts, and lines that mark a limit."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from incrowd.documents.lettering import SIZE, plain, pointer_text, shorten, width
from incrowd.documents.pictures.drawing import (
    EDGE,
    WIDTH,
    Area,
    MarkGroup,
    Path,
    Words,
    fit_words,
    group,
    trace,
)
from incrowd.documents.pictures.scale import AxisScale, drawable
from incrowd.documents.pictures.values import Bars, Curve

_SLANT = math.radians(40)
_SLANTED_ROOM = 120.0
_LEVEL_ROOM = 44.0
"""Texts up to this width are thinned out rather than turned."""


def gutter(scale: AxisScale) -> float:
    """The room that the texts of an upright axis take."""
    return EDGE + max(width(text) for text in scale.texts) + 8


def upright(scale: AxisScale, area: Area, name: str) -> tuple[MarkGroup, ...]:
    """Grid and texts of the axis that goes up; its name stands above it."""
    places = [area.bottom - area.height * scale.place(tick) for tick in scale.ticks]
    grid = "".join(trace("M", area.left, y, "H", area.right) for y in places)
    texts = [
        Words(area.left - 6, y + 4, text, "end")
        for y, text in zip(places, scale.texts, strict=True)
    ]
    if name:
        texts.append(fit_words(EDGE, area.top - 12, name, WIDTH - 2 * EDGE))
    return (*group("grid", [Path(grid)]), *group("quiet", texts))


def level(scale: AxisScale, area: Area, name: str) -> tuple[MarkGroup, ...]:
    """Grid and texts of an axis of figures that goes to the right."""
    places = [area.left + area.width * scale.place(tick) for tick in scale.ticks]
    grid = "".join(trace("M", x, area.top, "V", area.bottom) for x in places)
    every = _every([width(text) + 10 for text in scale.texts], area.width / len(places))
    texts = [
        Words(x, area.bottom + 17, text, "middle")
        for x, text in list(zip(places, scale.texts, strict=True))[::every]
    ]
    return (*group("grid", [Path(grid)]), *group("quiet", texts + _below(area, name, 36)))


def base(scale: AxisScale, area: Area) -> tuple[MarkGroup, ...]:
    """The line of zero, or of the low end if zero is not on the scale."""
    y = area.bottom - area.height * scale.place(0)
    return group("axis", [Path(trace("M", area.left, y, "H", area.right))])


@dataclass(frozen=True)
class Names:
    """How the names of categories are written below their slots."""

    turned: bool
    every: int
    texts: tuple[str, ...]
    height: float
    left: float
    """The least left edge of the area: turned texts reach out to the left."""


def names(labels: Sequence[str], slot: float, left: float) -> Names:
    """Level if there is room, else thinned out if short, else turned."""
    whole = [shorten(label, _SLANTED_ROOM) for label in labels]
    widths = [width(text) for text in whole]
    if max(widths) <= max(slot - 6, _LEVEL_ROOM):
        return Names(False, _every([wide + 8 for wide in widths], slot), tuple(whole), 22, left)
    every = max(1, math.ceil(21 / slot))
    reach = [
        wide * math.cos(_SLANT) - (place + 0.5) * slot + EDGE + SIZE
        for place, wide in enumerate(widths)
    ]
    down = max(widths) * math.sin(_SLANT) + SIZE + 8
    return Names(True, every, tuple(whole), down, max(left, *reach[::every], 0))


def categories(found: Names, labels: Sequence[str], area: Area, name: str) -> tuple[MarkGroup, ...]:
    """The names of categories below their slots."""
    slot = area.width / len(labels)
    texts = [
        Words(
            area.left + (place + 0.5) * slot,
            area.bottom + (14 if found.turned else 17),
            found.texts[place],
            "end" if found.turned else "middle",
            "" if found.texts[place] == plain(labels[place]) else pointer_text(labels[place]),
            turned=found.turned,
        )
        for place in range(0, len(labels), found.every)
    ]
    return group("quiet", texts + _below(area, name, found.height + 14))


def limit(
    picture: Bars | Curve, place: Callable[[float], float], up: AxisScale, area: Area
) -> tuple[MarkGroup, ...]:
    """A dashed line at the limit of a picture: across the area, or up at its place on x."""
    mark = picture.mark
    if mark is None or not drawable(mark):
        return ()
    if picture.mark_on == "x":
        line = trace("M", place(mark), area.top, "V", area.bottom)
    else:
        line = trace("M", area.left, area.bottom - area.height * up.place(mark), "H", area.right)
    return group("mark", [Path(line)])


def _every(widths: Sequence[float], slot: float) -> int:
    return max(1, math.ceil(max(widths) / slot))


def _below(area: Area, name: str, down: float) -> list[Words]:
    middle = area.left + area.width / 2
    return [fit_words(middle, area.bottom + down, name, area.width, "middle")] if name else []
