"""Lines and stairs between two axes of figures."""

from collections.abc import Sequence
from dataclasses import replace

from incrowd.documents.lettering import figure, tooltip_text
from incrowd.documents.pictures import axes
from incrowd.documents.pictures.drawing import (
    EDGE,
    WIDTH,
    Area,
    Dot,
    Drawing,
    Key,
    MarkGroup,
    Path,
    draw_header,
    draw_nothing,
    group_marks,
    svg_path,
)
from incrowd.documents.pictures.scale import is_drawable, make_scale
from incrowd.documents.pictures.values import Curve, CurveLine

_HEIGHT = 240.0
_DOTS = 40
"""Up to this many points of all lines are drawn as dots, too."""
_STRIPS = 240
"""Upright strips of the area, shared by all lines: a long line keeps a few points in each."""


def draw_curve(picture: Curve) -> Drawing:
    """Draw the lines as marks; points that are not finite are left out."""
    lines = [
        replace(line, points=tuple(p for p in line.points if all(map(is_drawable, p))))
        for line in picture.series
    ]
    points = [point for line in lines for point in line.points]
    if not points:
        return draw_nothing(picture.title, picture.about)
    keys = [Key(f"line{n}", line.name, "line") for n, line in enumerate(lines, start=1)]
    limit = [Key("mark", picture.mark_name, "line")] if picture.mark_name else []
    groups, top = draw_header(picture.title, [*(keys if len(keys) > 1 else ()), *limit])
    on_x, on_y = (picture.mark if picture.mark_on == axis else None for axis in "xy")
    across = make_scale([*(x for x, _ in points), on_x], zero=False, about=7)
    up = make_scale([*(y for _, y in points), on_y])
    left = axes.gutter_width(up)
    area = Area(left, top + 26, WIDTH - EDGE - 14 - left, _HEIGHT)
    groups += axes.draw_horizontal_axis(across, area, picture.x) + axes.draw_vertical_axis(
        up, area, picture.y
    )
    for n, line in enumerate(lines, start=1):
        placed = [
            (area.x(across.position_of(x)), area.y(up.position_of(y))) for x, y in line.points
        ]
        groups += _draw_line(n, line, _thin_out(placed, area, _STRIPS // len(lines)))
        groups += group_marks(f"fill{n}", _draw_dots(line, placed) if len(points) <= _DOTS else [])
    groups += axes.draw_base_line(up, area)
    groups += axes.draw_limit(picture, lambda at: area.x(across.position_of(at)), up, area)
    return Drawing(picture.title, picture.about, area.bottom + (46 if picture.x else 26), groups)


def _draw_line(
    n: int, line: CurveLine, placed: Sequence[tuple[float, float]]
) -> tuple[MarkGroup, ...]:
    """Draw line n (from 1) through these places, as stairs if it has steps; nothing for none."""
    if not placed:
        return ()
    (x, y), *others = placed
    parts = [svg_path("M", x, y)]
    for x, y in others:
        parts.append(svg_path("H", x, "V", y) if line.step else svg_path("L", x, y))
    return group_marks(
        f"line{n}", [Path("".join(parts), tooltip_text(line.name), thin=len(placed) > _STRIPS)]
    )


def _draw_dots(line: CurveLine, placed: Sequence[tuple[float, float]]) -> list[Dot]:
    """Make a dot at the place of each point of the line; its tooltip has the point's figures."""
    return [
        Dot(x, y, tooltip_text(f"{line.name}: {figure(a)}, {figure(b)}"), radius=3.5)
        for (x, y), (a, b) in zip(placed, line.points, strict=True)
    ]


def _thin_out(
    placed: Sequence[tuple[float, float]], area: Area, strips: int
) -> list[tuple[float, float]]:
    """Keep the first, lowest, highest and last of the points that follow each other in a strip.

    The area has so many upright `strips`. All points are kept if they are at most two a strip.
    """
    if len(placed) <= 2 * strips:
        return list(placed)
    runs: list[list[int]] = []
    before = None
    for place, (x, _) in enumerate(placed):
        strip = int((x - area.left) / area.width * strips)
        if strip != before:
            runs.append([])
        runs[-1].append(place)
        before = strip
    kept: set[int] = set()
    for run in runs:
        kept |= {run[0], run[-1]}
        kept |= {min(run, key=lambda i: placed[i][1]), max(run, key=lambda i: placed[i][1])}
    return [placed[place] for place in sorted(kept)]
