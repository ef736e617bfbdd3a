"""Axes: grid, ticks, their texts, and lines that mark a limit."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from incrowd.documents.lettering import SIZE, one_line, shorten, text_width, tooltip_text
from incrowd.documents.pictures.drawing import (
    EDGE,
    WIDTH,
    Area,
    MarkGroup,
    Path,
    Words,
    fit_words,
    group_marks,
    svg_path,
)
from incrowd.documents.pictures.scale import AxisScale, is_drawable
from incrowd.documents.pictures.values import WithLimit

_SLANT = math.radians(40)
_SLANTED_ROOM = 120.0
_LEVEL_ROOM = 44.0
"""Texts up to this width are thinned out rather than turned."""


def gutter_width(scale: AxisScale) -> float:
    """The width at the left edge that the tick texts of a vertical axis take."""
    return EDGE + max(text_width(text) for text in scale.texts) + 8


def draw_vertical_axis(scale: AxisScale, area: Area, name: str) -> tuple[MarkGroup, ...]:
    """Draw grid and tick texts of a vertical axis; its name stands above it."""
    places = [area.y(scale.place(tick)) for tick in scale.ticks]
    grid = "".join(svg_path("M", area.left, y, "H", area.right) for y in places)
    texts = [
        Words(area.left - 6, y + 4, text, "end")
        for y, text in zip(places, scale.texts, strict=True)
    ]
    if name:
        texts.append(fit_words(EDGE, area.top - 12, name, WIDTH - 2 * EDGE))
    return (*group_marks("grid", [Path(grid)]), *group_marks("quiet", texts))


def draw_horizontal_axis(scale: AxisScale, area: Area, name: str) -> tuple[MarkGroup, ...]:
    """Draw grid and tick texts of a horizontal axis of figures; its name stands below it."""
    places = [area.x(scale.place(tick)) for tick in scale.ticks]
    grid = "".join(svg_path("M", x, area.top, "V", area.bottom) for x in places)
    every = _name_step([text_width(text) + 10 for text in scale.texts], area.width / len(places))
    texts = [
        Words(x, area.bottom + 17, text, "middle")
        for x, text in list(zip(places, scale.texts, strict=True))[::every]
    ]
    return (
        *group_marks("grid", [Path(grid)]),
        *group_marks("quiet", texts + _axis_name(area, name, 36)),
    )


def draw_base_line(scale: AxisScale, area: Area) -> tuple[MarkGroup, ...]:
    """Draw the line of zero, or of the low end if zero is not on the scale."""
    line = svg_path("M", area.left, area.y(scale.place(0)), "H", area.right)
    return group_marks("axis", [Path(line)])


@dataclass(frozen=True)
class Names:
    """How the names of categories are written below their slots."""

    turned: bool
    every: int
    texts: tuple[str, ...]
    height: float
    left: float
    """The least left edge of the area: turned texts reach out to the left."""


def fit_names(labels: Sequence[str], slot: float, left: float) -> Names:
    """Fit the names of categories: horizontal if there is room, else thinned out or slanted.

    Short names are thinned out, longer ones slanted. `slot` is the width for each name, `left` the
    left edge of the area if names need no more room.
    """
    whole = [shorten(label, _SLANTED_ROOM) for label in labels]
    widths = [text_width(text) for text in whole]
    if max(widths) <= max(slot - 6, _LEVEL_ROOM):
        return Names(False, _name_step([wide + 8 for wide in widths], slot), tuple(whole), 22, left)
    every = max(1, math.ceil(21 / slot))
    reach = [
        wide * math.cos(_SLANT) - (place + 0.5) * slot + EDGE + SIZE
        for place, wide in enumerate(widths)
    ]
    down = max(widths) * math.sin(_SLANT) + SIZE + 8
    return Names(True, every, tuple(whole), down, max(left, *reach[::every], 0))


def draw_categories(
    found: Names, labels: Sequence[str], area: Area, name: str
) -> tuple[MarkGroup, ...]:
    """Draw the names of categories below their slots."""
    slot = area.width / len(labels)
    texts = [
        Words(
            area.left + (place + 0.5) * slot,
            area.bottom + (14 if found.turned else 17),
            found.texts[place],
            "end" if found.turned else "middle",
            "" if found.texts[place] == one_line(labels[place]) else tooltip_text(labels[place]),
            turned=found.turned,
        )
        for place in range(0, len(labels), found.every)
    ]
    return group_marks("quiet", texts + _axis_name(area, name, found.height + 14))


def draw_limit(
    picture: WithLimit, place: Callable[[float], float], up: AxisScale, area: Area
) -> tuple[MarkGroup, ...]:
    """Draw a dashed line at the limit, if any: across, or upright at its `place` on the x axis."""
    mark = picture.mark
    if mark is None or not is_drawable(mark):
        return ()
    if picture.mark_on == "x":
        line = svg_path("M", place(mark), area.top, "V", area.bottom)
    else:
        line = svg_path("M", area.left, area.y(up.place(mark)), "H", area.right)
    return group_marks("mark", [Path(line)])


def _name_step(widths: Sequence[float], slot: float) -> int:
    """The least n for which a name at every n-th slot has room."""
    return max(1, math.ceil(max(widths) / slot))


def _axis_name(area: Area, name: str, down: float) -> list[Words]:
    """The name of a horizontal axis, `down` below the area; none if it is empty."""
    middle = area.left + area.width / 2
    return [fit_words(middle, area.bottom + down, name, area.width, "middle")] if name else []
