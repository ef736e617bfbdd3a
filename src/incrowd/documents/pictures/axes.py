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
    """The width left of the area: the tick texts of its vertical axis with their margins."""
    return EDGE + max(text_width(text) for text in scale.texts) + 8


def draw_vertical_axis(scale: AxisScale, area: Area, name: str) -> tuple[MarkGroup, ...]:
    """Draw grid and tick texts of a vertical axis; its name, if not empty, stands above it."""
    places = [area.y(scale.position_of(tick)) for tick in scale.ticks]
    grid = "".join(svg_path("M", area.left, y, "H", area.right) for y in places)
    texts = [
        Words(area.left - 6, y + 4, text, "end")
        for y, text in zip(places, scale.texts, strict=True)
    ]
    if name:
        texts.append(fit_words(EDGE, area.top - 12, name, WIDTH - 2 * EDGE))
    return (*group_marks("grid", [Path(grid)]), *group_marks("quiet", texts))


def draw_horizontal_axis(scale: AxisScale, area: Area, name: str) -> tuple[MarkGroup, ...]:
    """Draw grid, tick texts (every n-th if not all fit) and name, if any, of a horizontal axis."""
    places = [area.x(scale.position_of(tick)) for tick in scale.ticks]
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
    """Draw the line of zero, or of the end nearer to it if zero is not on the scale."""
    line = svg_path("M", area.left, area.y(scale.position_of(0)), "H", area.right)
    return group_marks("axis", [Path(line)])


@dataclass(frozen=True)
class Names:
    """How the names of categories are written below their slots, slanted if `turned`."""

    turned: bool
    every: int
    """A name is written at every so many slots, from the first on."""
    texts: tuple[str, ...]
    height: float
    """The room that they take below the area."""
    left: float
    """The least left edge of the area: turned texts reach out to the left."""


def fit_names(labels: Sequence[str], slot: float, left: float) -> Names:
    """Fit the names of categories, at least one, below their slots: horizontal, else slanted.

    They are slanted if one is wider than `_LEVEL_ROOM` and has no room in `slot`, the width for
    each. If not all have room, every n-th is written. `left` is the least left edge of the area.
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
    """Draw the names of categories as `found` says; below them `name`, that of the axis."""
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
    picture: WithLimit, x_of: Callable[[float], float], up: AxisScale, area: Area
) -> tuple[MarkGroup, ...]:
    """Draw a dashed line at the limit, if any: across, or upright if it is on the x axis.

    `x_of` is where the picture has a figure of the x axis; `up` is the vertical scale.
    """
    mark = picture.mark
    if mark is None or not is_drawable(mark):
        return ()
    if picture.mark_on == "x":
        line = svg_path("M", x_of(mark), area.top, "V", area.bottom)
    else:
        line = svg_path("M", area.left, area.y(up.position_of(mark)), "H", area.right)
    return group_marks("mark", [Path(line)])


def _name_step(widths: Sequence[float], slot: float) -> int:
    """The least n for which a name at every n-th slot has room."""
    return max(1, math.ceil(max(widths) / slot))


def _axis_name(area: Area, name: str, down: float) -> list[Words]:
    """The name of a horizontal axis, `down` below the area; none if it is empty."""
    middle = area.left + area.width / 2
    return [fit_words(middle, area.bottom + down, name, area.width, "middle")] if name else []
