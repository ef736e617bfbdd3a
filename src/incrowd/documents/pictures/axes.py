"""Axes: grid, ticks, their texts, and lines that mark a limit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from incrowd.documents.lettering import SIZE, plain, shortened, told, width
from incrowd.documents.pictures.drawing import (
    EDGE,
    WIDTH,
    Area,
    Group,
    Path,
    Words,
    fitted,
    group,
    trace,
)
from incrowd.documents.pictures.scale import Scale

_SLANT = math.radians(40)
_SLANTED_ROOM = 120.0
_LEVEL_ROOM = 44.0
"""Texts up to this width are thinned out rather than turned."""


def gutter(scale: Scale) -> float:
    """The room that the texts of an upright axis take."""
    return EDGE + max(width(text) for text in scale.texts) + 8


def upright(scale: Scale, area: Area, name: str) -> tuple[Group, ...]:
    """Grid and texts of the axis that goes up; its name stands above it."""
    places = [area.bottom - area.height * scale.place(tick) for tick in scale.ticks]
    grid = "".join(trace("M", area.left, y, "H", area.right) for y in places)
    texts = [
        Words(area.left - 6, y + 4, text, "end")
        for y, text in zip(places, scale.texts, strict=True)
    ]
    if name:
        texts.append(fitted(EDGE, area.top - 12, name, WIDTH - 2 * EDGE))
    return (*group("grid", [Path(grid)]), *group("quiet", texts))


def level(scale: Scale, area: Area, name: str) -> tuple[Group, ...]:
    """Grid and texts of an axis of figures that goes to the right."""
    places = [area.left + area.width * scale.place(tick) for tick in scale.ticks]
    grid = "".join(trace("M", x, area.top, "V", area.bottom) for x in places)
    every = _every([width(text) + 10 for text in scale.texts], area.width / len(places))
    texts = [
        Words(x, area.bottom + 17, text, "middle")
        for x, text in list(zip(places, scale.texts, strict=True))[::every]
    ]
    return (*group("grid", [Path(grid)]), *group("quiet", texts + _below(area, name, 36)))


def base(scale: Scale, area: Area) -> tuple[Group, ...]:
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
    whole = [shortened(label, _SLANTED_ROOM) for label in labels]
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


def categories(found: Names, labels: Sequence[str], area: Area, name: str) -> tuple[Group, ...]:
    """The names of categories below their slots."""
    slot = area.width / len(labels)
    texts = [
        Words(
            area.left + (place + 0.5) * slot,
            area.bottom + (14 if found.turned else 17),
            found.texts[place],
            "end" if found.turned else "middle",
            "" if found.texts[place] == plain(labels[place]) else told(labels[place]),
            turned=found.turned,
        )
        for place in range(0, len(labels), found.every)
    ]
    return group("quiet", texts + _below(area, name, found.height + 14))


def limit(at: float, area: Area, *, across: bool) -> tuple[Group, ...]:
    """A dashed line that marks a limit: across the area at a height, or up at a place."""
    if across:
        return group("mark", [Path(trace("M", area.left, at, "H", area.right))])
    return group("mark", [Path(trace("M", at, area.top, "V", area.bottom))])


def _every(widths: Sequence[float], slot: float) -> int:
    return max(1, math.ceil(max(widths) / slot))


def _below(area: Area, name: str, down: float) -> list[Words]:
    middle = area.left + area.width / 2
    return [fitted(middle, area.bottom + down, name, area.width, "middle")] if name else []
