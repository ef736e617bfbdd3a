"""A field of colour for every pair of a row and a column."""

from collections.abc import Iterator
from dataclasses import replace

from incrowd.documents.lettering import SIZE, figure, shorten, text_width, tooltip_text
from incrowd.documents.pictures import axes
from incrowd.documents.pictures.drawing import (
    EDGE,
    WIDTH,
    Area,
    Box,
    Drawing,
    MarkGroup,
    Path,
    Words,
    draw_header,
    draw_nothing,
    fit_words,
    group_marks,
    svg_path,
)
from incrowd.documents.pictures.scale import is_drawable
from incrowd.documents.pictures.values import HeatMap

MOST = 30
"""Rows and columns after these are not drawn, and the picture says so."""
_SHADES = 10
_STRONGEST = 0.9
_TOLD = 110
"""Up to this many cells tell their figure to a pointer; more are drawn as runs of one shade."""
_NAMES = 150.0


def draw_heat_map(picture: HeatMap) -> Drawing:
    """Draw the cells as marks; rows and columns after the first `MOST` are left out."""
    is_cut = len(picture.rows) > MOST or len(picture.columns) > MOST
    picture = _first_cells(picture)
    rows, columns = picture.rows, picture.columns
    if not rows or not columns:
        return draw_nothing(picture.title, picture.about)
    groups, top = draw_header(picture.title, ())
    legend, top = _draw_legend(picture, top, is_cut=is_cut)
    least = EDGE + 8 + max(text_width(shorten(name, _NAMES)) for name in rows)
    side = min((WIDTH - EDGE - least) / len(columns), 56.0)
    named = axes.fit_names(columns, side, least)
    side = min((WIDTH - EDGE - named.left) / len(columns), 56.0)
    high = min(max(side, 15.0), 30.0)
    area = Area(named.left, top + 6, side * len(columns), high * len(rows))
    few = len(rows) * len(columns) <= _TOLD
    groups += legend + (_draw_boxes if few else _draw_runs)(picture, area)
    groups += group_marks("quiet", _row_names(picture, area))
    groups += axes.draw_categories(named, columns, area, "")
    return Drawing(picture.title, picture.about, area.bottom + named.height + 8, groups)


def _first_cells(picture: HeatMap) -> HeatMap:
    """The picture with its first `MOST` rows and columns alone."""
    values = tuple(row[:MOST] for row in picture.values[:MOST])
    return replace(picture, rows=picture.rows[:MOST], columns=picture.columns[:MOST], values=values)


def _row_names(picture: HeatMap, area: Area) -> Iterator[Words]:
    """Yield the name of each row, at its left."""
    high = area.height / len(picture.rows)
    for n, name in enumerate(picture.rows):
        yield fit_words(area.left - 8, area.top + (n + 0.5) * high + 4, name, _NAMES, "end")


def _shade_of(picture: HeatMap, value: float) -> int:
    """The strength of a figure's colour, 0 to `_SHADES`; with two colours from -`_SHADES`.

    Figures beyond the ends of the scale have the strength of the nearer end.
    """
    if picture.least < 0:
        most = max(abs(picture.least), abs(picture.most))
        return round(min(max(value / most, -1.0), 1.0) * _SHADES)
    room = (picture.most - picture.least) or 1.0
    return round(min(max((value - picture.least) / room, 0.0), 1.0) * _SHADES)


def _placed_figures(picture: HeatMap) -> Iterator[tuple[int, int, float | None]]:
    """Yield row, column and figure of the cells; None if withheld."""
    for row, values in enumerate(picture.values):
        for column, value in enumerate(values):
            yield row, column, value if is_drawable(value) else None


def _draw_boxes(picture: HeatMap, area: Area) -> tuple[MarkGroup, ...]:
    """Draw a box for each cell, with its figure in it if there is room for all."""
    side = area.width / len(picture.columns)
    high = area.height / len(picture.rows)
    found: dict[str, list[Box]] = {"more": [], "less": [], "none": []}
    texts = []
    for row, column, value in _placed_figures(picture):
        x, y = area.left + column * side, area.top + row * high
        text = tooltip_text(f"{picture.rows[row]}, {picture.columns[column]}: {figure(value)}")
        look, opacity = _cell_look(picture, value)
        found[look].append(Box(x + 1, y + 1, side - 2, high - 2, text, opacity))
        if value is not None:
            short = f"{value:.2f}" if abs(value) < 10 else figure(value)
            texts.append(Words(x + side / 2, y + high / 2 + 3.5, short, "middle", size=10))
    roomy = all(text_width(text.text, 10) < side - 2 for text in texts)
    shown = tuple(part for look, boxes in found.items() for part in group_marks(look, boxes))
    return shown + group_marks("ink", texts if roomy else [])


def _cell_look(picture: HeatMap, value: float | None) -> tuple[str, float | None]:
    """Return the look and the opacity of a cell; None has the look of a withheld one."""
    if value is None:
        return "none", None
    shade = _shade_of(picture, value)
    return ("less" if shade < 0 else "more"), _shade_opacity(shade)


def _shade_opacity(shade: int) -> float:
    """The opacity of a shade, of either sign."""
    return round(_STRONGEST * abs(shade) / _SHADES, 2)


def _draw_runs(picture: HeatMap, area: Area) -> tuple[MarkGroup, ...]:
    """Draw the cells of each shade as one path, which counts in cells: the SVG stays small."""
    side = area.width / len(picture.columns)
    high = area.height / len(picture.rows)
    units = Area(area.left, area.top + high / 2, side, high)
    shades: dict[tuple[str, float | None], list[str]] = {}
    for row, column, value in _placed_figures(picture):
        cell = f"M{column}.3 {row}h.4" if value is None else f"M{column} {row}h.94"
        shades.setdefault(_cell_look(picture, value), []).append(cell)
    runs = {
        look: [
            Path("".join(cells), opacity=opacity, units=units)
            for (found, opacity), cells in sorted(shades.items(), key=str)
            if found == look
        ]
        for look in ("more", "less", "none")
    }
    return tuple(part for look, paths in runs.items() for part in group_marks(f"run-{look}", paths))


def _draw_legend(
    picture: HeatMap, top: float, *, is_cut: bool
) -> tuple[tuple[MarkGroup, ...], float]:
    """Draw the legend of shades and withheld figures below `top`; return it, and the y below it."""
    low = -_SHADES if picture.least < 0 else 0
    ends = (picture.least, picture.most)
    if low:
        most = max(abs(picture.least), abs(picture.most))
        ends = (-most, most)
    y, x = top + 10, EDGE + text_width(figure(ends[0])) + 6
    shades = range(low, _SHADES + 1, 2)
    texts = [Words(EDGE, y, figure(ends[0])), Words(x + 14 * len(shades) + 6, y, figure(ends[1]))]
    after = texts[1].x + text_width(texts[1].text) + 20
    groups: tuple[MarkGroup, ...] = ()
    for place, shade in enumerate(shades):
        box = Box(x + 14 * place, y - 10, 14, 12, opacity=_shade_opacity(shade))
        groups += group_marks("less" if shade < 0 else "more", [box])
    if any(value is None for _, _, value in _placed_figures(picture)):
        groups += group_marks("none", [_withheld_mark(picture, after, y)])
        texts.append(Words(after + 19, y, "withheld or not there"))
    if is_cut:
        texts.append(Words(WIDTH - EDGE, y, f"the first {MOST} are drawn", "end"))
    return groups + group_marks("quiet", texts), y + SIZE


def _withheld_mark(picture: HeatMap, x: float, y: float) -> Box | Path:
    """The mark of the legend for withheld figures, in the look that the cells have."""
    if len(picture.rows) * len(picture.columns) <= _TOLD:
        return Box(x, y - 10, 12, 12)
    return Path(svg_path("M", x + 2, y - 4, "h8"))
