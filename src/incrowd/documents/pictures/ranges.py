"""Estimates with their confidence intervals, one below the other."""

from incrowd.documents.lettering import figure, shorten, text_width, tooltip_text
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
    Words,
    draw_header,
    draw_nothing,
    fit_words,
    group_marks,
    svg_path,
)
from incrowd.documents.pictures.scale import AxisScale, is_drawable, make_scale
from incrowd.documents.pictures.values import EstimateBars, Figure

MOST_LABELS = 40
"""Estimates after these are not drawn, and the picture says so."""
_ROW = 26.0
_NAMES = 260.0


def draw_ranges(picture: EstimateBars) -> Drawing:
    """Draw the estimates as marks; those after the first `MOST_LABELS` are left out."""
    labels = picture.labels[:MOST_LABELS]
    if not labels:
        return draw_nothing(picture.title, picture.about)
    groups, top = draw_header(picture.title, _legend_keys(picture))
    figures = [*picture.low, *picture.value, *picture.high, *picture.baseline]
    across = make_scale(figures, about=6)
    left = EDGE + 10 + max(text_width(shorten(label, _NAMES)) for label in labels)
    area = Area(left, top + 8, WIDTH - EDGE - 16 - left, _ROW * len(labels))
    more = len(picture.labels) - len(labels)
    name = f"{picture.x} ({more:,} more are not drawn)".strip() if more else picture.x
    groups += axes.draw_horizontal_axis(across, area, name)
    for n, label in enumerate(labels):
        y = area.top + (n + 0.5) * _ROW
        groups += group_marks("ink", [fit_words(area.left - 10, y + 4, label, _NAMES, "end")])
        groups += _draw_estimate(picture, n, across, (area, y))
    return Drawing(picture.title, picture.about, area.bottom + (46 if name else 26), groups)


def _legend_keys(picture: EstimateBars) -> list[Key]:
    """The entries of the legend: the estimate, and the baseline if there is one."""
    keys = [Key("fill1", picture.value_name, "dot")]
    if any(is_drawable(value) for value in picture.baseline):
        keys.append(Key("fill2", picture.baseline_name, "diamond"))
    return keys


def _draw_estimate(
    picture: EstimateBars, n: int, across: AxisScale, place: tuple[Area, float]
) -> tuple[MarkGroup, ...]:
    """Draw row n at `place` (area, y): its interval, estimate (disc) and baseline (diamond)."""
    area, y = place
    low, value, high, base = (
        _figure_at(figures, n)
        for figures in (picture.low, picture.value, picture.high, picture.baseline)
    )
    groups: tuple[MarkGroup, ...] = ()
    if low is not None and high is not None:
        start, end = area.x(across.position_of(low)), area.x(across.position_of(high))
        line = svg_path("M", start, y, "H", end, "M", start, y - 5, "v10M", end, y - 5, "v10")
        tooltip = tooltip_text(f"{figure(low)} to {figure(high)}")
        groups += group_marks("line1", [Path(line, tooltip)])
    if base is not None:
        x = area.x(across.position_of(base))
        text = tooltip_text(f"{picture.labels[n]}, {picture.baseline_name}: {figure(base)}")
        groups += group_marks("fill2", [Dot(x, y, text, diamond=True)])
    if value is None:
        return groups + group_marks("quiet", [Words(area.left + 6, y + 4, "withheld or not there")])
    text = tooltip_text(f"{picture.labels[n]}: {figure(value)}")
    return groups + group_marks("fill1", [Dot(area.x(across.position_of(value)), y, text)])


def _figure_at(figures: tuple[Figure, ...], n: int) -> Figure:
    """The figure at place n; None if there is none that can be drawn."""
    return figures[n] if n < len(figures) and is_drawable(figures[n]) else None
