"""Bars side by side on one scale."""

from collections.abc import Iterator

from incrowd.documents.lettering import figure, text_width, tooltip_text
from incrowd.documents.pictures import axes
from incrowd.documents.pictures.drawing import (
    EDGE,
    WIDTH,
    Area,
    Box,
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
from incrowd.documents.pictures.scale import AxisScale, is_drawable, make_scale
from incrowd.documents.pictures.values import Bars, Series

MOST_LABELS = 400
"""Categories after these are not drawn, and the picture says so."""
_SINGLE = 120
"""More bars than this are drawn as one outline for each series."""
_TOLD = 60
"""Up to this many bars tell their figure to a pointer."""
_WRITTEN = 24
"""Up to this many bars have their figure written on them, if there is room."""
_HEIGHT = 220.0
_STUB = 9.0
"""Height of the dashed box that takes the place of a withheld figure."""


def draw_bars(picture: Bars) -> Drawing:
    """Draw bars as marks; categories after the first `MOST_LABELS` are left out."""
    labels = picture.labels[:MOST_LABELS]
    if not labels or not picture.series:
        return draw_nothing(picture.title, picture.about)
    groups, top = draw_header(picture.title, _legend_keys(picture))
    values = [value for series in picture.series for value in series.values[: len(labels)]]
    up = make_scale([*values, picture.mark if picture.mark_on == "y" else None])
    left = axes.gutter_width(up)
    named = axes.fit_names(labels, (WIDTH - EDGE - left) / len(labels), left)
    area = Area(named.left, top + 26, WIDTH - EDGE - named.left, _HEIGHT)
    x = picture.x
    if len(labels) < len(picture.labels):
        x = f"{x} (the first {MOST_LABELS} of {len(picture.labels):,})".strip()
    groups += axes.draw_vertical_axis(up, area, picture.y)
    groups += _draw_bars_or_outlines(picture, len(labels), up, area)
    groups += axes.draw_base_line(up, area) + axes.draw_categories(named, labels, area, x)
    count = len(labels)
    groups += axes.draw_limit(
        picture, lambda at: area.left + area.width * min(max(at, 0.0), count) / count, up, area
    )
    height = area.bottom + named.height + (24 if x else 6)
    return Drawing(picture.title, picture.about, height, groups)


def _legend_keys(picture: Bars) -> list[Key]:
    """The legend: series if there are several, the limit if it has a name, withheld figures."""
    keys = [Key(f"fill{n}", series.name) for n, series in enumerate(picture.series, start=1)]
    absent = any(not is_drawable(value) for series in picture.series for value in series.values)
    shown = keys if len(keys) > 1 else []
    limit = [Key("mark", picture.mark_name, "line")] if picture.mark_name else []
    return [*shown, *limit, *([Key("none", "withheld or not there")] if absent else [])]


def _draw_bars_or_outlines(
    picture: Bars, count: int, up: AxisScale, area: Area
) -> tuple[MarkGroup, ...]:
    """Draw the first `count` bars of each series; more than `_SINGLE` in all as outlines."""
    if count * len(picture.series) > _SINGLE:
        return tuple(
            part
            for n, series in enumerate(picture.series, start=1)
            for part in _draw_outline(n, series, count, up, area)
        )
    return _draw_boxes(picture, up, area)


def _draw_boxes(picture: Bars, up: AxisScale, area: Area) -> tuple[MarkGroup, ...]:
    """Draw a box per figure, dashed if withheld; write figures of 0 or more above if all fit."""
    found: tuple[MarkGroup, ...] = ()
    absent, written = [], []
    for n, series in enumerate(picture.series, start=1):
        known = []
        boxes = _boxes_of_series(picture, n - 1, up, area)
        for box, value in zip(boxes, series.values, strict=False):
            if value is None or not is_drawable(value):
                absent.append(box)
                continue
            known.append(box)
            if value >= 0:
                at = (box.x + box.width / 2, box.y - 4)
                written.append(Words(*at, figure(value), "middle", size=10))
        found += group_marks(f"fill{n}", known)
    slot = area.width / len(picture.labels) / len(picture.series)
    roomy = len(written) <= _WRITTEN and all(text_width(text.text, 10) < slot for text in written)
    return found + group_marks("none", absent) + group_marks("ink", written if roomy else [])


def _boxes_of_series(picture: Bars, place: int, up: AxisScale, area: Area) -> Iterator[Box]:
    """Yield the boxes of the series at `place` (from 0); a stub for each withheld figure."""
    series, many = picture.series[place], len(picture.series)
    slot = area.width / len(picture.labels)
    wide = min(slot * 0.8 / many, 46.0)
    zero = area.y(up.position_of(0))
    tells = len(picture.labels) * many <= _TOLD
    for n, (label, value) in enumerate(zip(picture.labels, series.values, strict=False)):
        x = area.left + (n + 0.5) * slot + (place - many / 2) * wide
        text = tooltip_text(f"{label}, {series.name}: {figure(value)}") if tells else ""
        if value is None or not is_drawable(value):
            yield Box(x + 0.5, zero - _STUB, max(wide - 1, 1), _STUB, text)
            continue
        y = area.y(up.position_of(value))
        yield Box(x, min(y, zero), max(wide - 0.6, 0.6), abs(y - zero), text)


def _draw_outline(
    n: int, series: Series, count: int, up: AxisScale, area: Area
) -> tuple[MarkGroup, ...]:
    """Draw the tops of the first `count` bars of series n (from 1) as one line.

    A withheld figure is a gap, with a dash at the bottom. Along x, the path counts in bars.
    """
    units = Area(area.left, 0, area.width / count, 1)
    known, absent, pen = [], [], False
    for place, value in enumerate(series.values[:count]):
        if value is None or not is_drawable(value):
            absent.append(svg_path("M", place, area.bottom - 2, "h1"))
            pen = False
            continue
        y = area.y(up.position_of(value))
        known.append(svg_path("V", y, "h1") if pen else svg_path("M", place, y, "h1"))
        pen = True
    drawn = [Path("".join(parts), thin=True, units=units) for parts in (known, absent)]
    line, gaps = ([path] if path.d else [] for path in drawn)
    return group_marks(f"line{n}", line) + group_marks("none", gaps)
