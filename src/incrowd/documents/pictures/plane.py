"""The risk-utility plane: releases, the original and the frontier."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from incrowd.documents.lettering import SIZE, figure, one_line, shorten, text_width, tooltip_text
from incrowd.documents.pictures import axes
from incrowd.documents.pictures.drawing import (
    EDGE,
    WIDTH,
    Anchor,
    Area,
    Dot,
    Drawing,
    Key,
    MarkGroup,
    Path,
    Words,
    draw_header,
    draw_nothing,
    group_marks,
    svg_path,
)
from incrowd.documents.pictures.scale import is_drawable, make_scale
from incrowd.documents.pictures.values import Plane, PlanePoint

_HEIGHT = 300.0
_Box: TypeAlias = tuple[float, float, float, float]
"""The left, upper, right and lower edge of a rectangle."""
_SMALL = {"frontier", "alternative"}
_LOOKS = {"frontier": "3", "alternative": "4", "release": "1", "original": "2"}
_TOLD = 120
"""Up to this many points tell their name to a pointer."""
_MOST = 400
"""Points after these are not drawn, and the picture says so."""


class _LabelPlace(NamedTuple):
    """Where a name may stand: where its text is held, at which end, and the room that it takes."""

    x: float
    y: float
    anchor: Anchor
    box: _Box


def draw_plane(picture: Plane) -> Drawing:
    """Draw the finite points as marks; of more than `_MOST` the first."""
    known = [point for point in picture.points if is_drawable(point.x) and is_drawable(point.y)]
    points = known[:_MOST]
    if not points:
        return draw_nothing(picture.title, picture.about)
    kinds = [kind for kind in _LOOKS if any(point.kind == kind for point in points)]
    keys = [
        Key(f"fill{_LOOKS[kind]}", kind, "diamond" if kind == "original" else "dot")
        for kind in kinds
    ]
    groups, top = draw_header(picture.title, keys)
    across = make_scale([point.x for point in points], about=7)
    up = make_scale([point.y for point in points])
    left = axes.gutter_width(up)
    area = Area(left, top + 26, WIDTH - EDGE - 14 - left, _HEIGHT)
    more = len(known) - len(points)
    name = f"{picture.x} ({more:,} more points are not drawn)".strip() if more else picture.x
    groups += axes.draw_horizontal_axis(across, area, name) + axes.draw_vertical_axis(
        up, area, picture.y
    )
    places = {id(p): (area.x(across.position_of(p.x)), area.y(up.position_of(p.y))) for p in points}
    groups += axes.draw_base_line(up, area) + _draw_points(points, kinds, places)
    return Drawing(picture.title, picture.about, area.bottom + (46 if name else 26), groups)


def _draw_points(
    points: Sequence[PlanePoint], kinds: Sequence[str], places: dict[int, tuple[float, float]]
) -> tuple[MarkGroup, ...]:
    """Draw points by kind over the frontier's line, and names; `places`: (x, y) by `id(point)`."""
    frontier = sorted(places[id(point)] for point in points if point.kind == "frontier")
    groups = _draw_frontier(frontier)
    for kind in kinds:
        dots = [
            Dot(
                *places[id(point)],
                tooltip_text(f"{point.name}: {figure(point.x)}, {figure(point.y)}")
                if len(points) <= _TOLD
                else "",
                radius=3.5 if kind in _SMALL else 5.5,
                diamond=kind == "original",
            )
            for point in points
            if point.kind == kind
        ]
        groups += group_marks(f"fill{_LOOKS[kind]}", dots)
    return groups + group_marks("ink", _fit_labels(points, places))


def _draw_frontier(places: Sequence[tuple[float, float]]) -> tuple[MarkGroup, ...]:
    """Draw the line through these places; nothing for fewer than two."""
    line = "L".join(svg_path(x, y) for x, y in places)
    return group_marks("line3", [Path(f"M{line}")] if len(places) > 1 else [])


def _fit_labels(
    points: Sequence[PlanePoint], places: dict[int, tuple[float, float]]
) -> list[Words]:
    """Place names of releases and original where it is free; `places`: (x, y) by `id(point)`."""
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in places.values()]
    found = []
    for point in points:
        if point.kind in _SMALL:
            continue
        x, y = places[id(point)]
        text = shorten(point.name, 150)
        for place in _label_places(x, y, text):
            left, _, right, _ = place.box
            if left > EDGE and right < WIDTH and not any(_do_overlap(place.box, o) for o in taken):
                whole = "" if text == one_line(point.name) else tooltip_text(point.name)
                found.append(Words(place.x, place.y, text, place.anchor, whole))
                taken.append(place.box)
                break
    return found


def _label_places(x: float, y: float, text: str) -> list[_LabelPlace]:
    """Where a name may stand around its point, best first."""
    wide = text_width(text)
    right, left = x + 9, x - 9
    middle, half = y + 4, wide / 2
    places: list[tuple[float, float, Anchor, _Box]] = [
        (right, middle, "start", (right, middle - SIZE, right + wide, middle + 3)),
        (left, middle, "end", (left - wide, middle - SIZE, left, middle + 3)),
        (x, y - 10, "middle", (x - half, y - 10 - SIZE, x + half, y - 7)),
        (x, y + 22, "middle", (x - half, y + 22 - SIZE, x + half, y + 25)),
        (right, y - 10, "start", (right, y - 10 - SIZE, right + wide, y - 7)),
        (left, y + 22, "end", (left - wide, y + 22 - SIZE, left, y + 25)),
        (right, y + 22, "start", (right, y + 22 - SIZE, right + wide, y + 25)),
    ]
    return [_LabelPlace(*place) for place in places]


def _do_overlap(one: _Box, other: _Box) -> bool:
    """Whether two rectangles share more than an edge."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
