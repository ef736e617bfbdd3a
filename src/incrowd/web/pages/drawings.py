"""Pictures that answer to a click or the keyboard: the risk-utility plane and the histogram.

They are drawn as the other pictures are, with names escaped; each place that can be chosen has a
number, which is all that the browser sends back.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import hypot
from typing import Any, TypeAlias

from nicegui import ui

from incrowd.web.pages import blocks

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _EDGE = 720, 400, 62, 48, 16
_FLOOR = _HEIGHT - _BOTTOM
_NEAR = 16
"""Points within this distance are so close that one hides another from clicks."""
_KEYED = (
    "(e) => { if (e.key !== 'Enter' && e.key !== ' ') return; "
    "const p = e.target.closest('[data-n]'); if (p) { e.preventDefault(); "
    "emit(Number(p.dataset.n)); } }"
)


_Pair: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Spot:
    """A point of the plane: risk to the right, loss upwards."""

    name: str
    risk: float
    loss: float
    series: int
    """Which of four colours and shapes it has."""
    chosen: bool = False
    pinned: bool = False
    best: bool = False
    """Whether no point at another place has at most its risk and its loss."""
    bound: bool = False
    """Drawn hollow: its loss is only a bound."""


def draw_plane(spots: Sequence[Spot], choose: Callable[[int], Any]) -> ui.html:
    """Draw the risk-utility plane; `choose` is called with the index of a spot."""
    return _draw_clickable(plane_svg(spots), choose).classes("plane incrowd")


def plane_svg(spots: Sequence[Spot]) -> str:
    """The risk-utility plane as SVG: nearer to the lower left corner is better."""
    ends = _ends_of_axes(spots)
    body = [*_axis_elements(*ends), *_frontier_line(spots, ends)]
    order = sorted(range(len(spots)), key=lambda n: (spots[n].chosen, spots[n].pinned))
    places = [_plane_position((one.risk, one.loss), ends) for one in spots]
    body += [_spot_element(n, spots[n], *places[n]) for n in order]
    return _wrap_svg("Releases by risk and information loss", "".join(body), _HEIGHT)


def spots_covering(spots: Sequence[Spot], number: int) -> list[int]:
    """The indices of the spots so close to spot `number` that they overlap, its own included."""
    ends = _ends_of_axes(spots)
    places = [_plane_position((one.risk, one.loss), ends) for one in spots]
    x, y = places[number]
    return [n for n, (a, b) in enumerate(places) if hypot(a - x, b - y) <= _NEAR]


def draw_histogram(
    edges: Sequence[float],
    counts: Sequence[int | None],
    cuts: Iterable[float],
    choose: Callable[[int], Any],
) -> ui.html:
    """Draw `histogram_svg`; `choose` is called with the index of the edge that is clicked."""
    return _draw_clickable(histogram_svg(edges, counts, cuts), choose).classes("bins incrowd")


def histogram_svg(
    edges: Sequence[float], counts: Sequence[int | None], cuts: Iterable[float]
) -> str:
    """A histogram as SVG; `edges` are the lower ends of the bars, `counts` their records.

    A count of None is withheld, and drawn as a low bar of another look. A cut is drawn at each edge
    that is in `cuts`.
    """
    cut_at = set(cuts)
    step = (_WIDTH - 2 * _EDGE) / max(len(counts), 1)
    most = max([count or 0 for count in counts] + [1])
    parts = [_bar_element(i, count, most, step) for i, count in enumerate(counts)]
    for number, edge in enumerate(edges):
        x = _EDGE + number * step
        if edge in cut_at:
            parts.append(f'<line class="cut" x1="{x:.1f}" y1="8" x2="{x:.1f}" y2="182"/>')
        parts.append(_edge_element(number, edge, x, step, edge in cut_at))
        if number % max(1, len(edges) // 8) == 0:
            parts.append(f'<text x="{x:.1f}" y="198" text-anchor="middle">{edge:,.6g}</text>')
    return _wrap_svg("Records by value, and cut points", "".join(parts), 206)


def _draw_clickable(markup: str, choose: Callable[[int], Any]) -> ui.html:
    """Draw an SVG; a click, Enter or space on a numbered place calls `choose` with the number."""
    made = blocks.draw_svg(markup)
    made.on("click", lambda event: choose(int(event.args)), js_handler=blocks.CHOSEN)
    made.on("keydown", lambda event: choose(int(event.args)), js_handler=_KEYED)
    return made


def _wrap_svg(label: str, body: str, height: int) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="group" aria-label="{escape(label)}" '
        f'xmlns="http://www.w3.org/2000/svg">{body}</svg>'
    )


def _round_ceiling(values: Sequence[float]) -> float:
    """The least round number (0.02 to 1) that no value exceeds; above 1 the largest value."""
    most = max([*values, 0.01])
    return next(
        (step for step in (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0) if most <= step), most
    )


def _ends_of_axes(spots: Sequence[Spot]) -> _Pair:
    """The risk at the right edge of the plane, and the loss at its upper edge."""
    return _round_ceiling([one.risk for one in spots]), _round_ceiling([one.loss for one in spots])


def _plane_position(risk_and_loss: _Pair, ends: _Pair) -> _Pair:
    """Where a risk and a loss are in the SVG of the plane, from the left and from the top."""
    (risk, loss), (most_risk, most_loss) = risk_and_loss, ends
    x = _LEFT + risk / most_risk * (_WIDTH - _LEFT - _EDGE)
    return x, _HEIGHT - _BOTTOM - loss / most_loss * (_HEIGHT - _BOTTOM - _EDGE)


def _axis_elements(most_risk: float, most_loss: float) -> Iterable[str]:
    """Yield the grid of the plane, its numbers and what its axes mean."""
    for part in range(5):
        x, y = _plane_position((part / 4, part / 4), (1.0, 1.0))
        yield f'<line class="axis" x1="{x:.1f}" y1="{_EDGE}" x2="{x:.1f}" y2="{_FLOOR}"/>'
        yield f'<line class="axis" x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _EDGE}" y2="{y:.1f}"/>'
        yield _text_element(f"{most_risk * part / 4:.3g}", x, _FLOOR + 18)
        yield _text_element(f"{most_loss * part / 4:.3g}", _LEFT - 8, y + 4, "end")
    middle = (_LEFT + _WIDTH - _EDGE) / 2
    yield _text_element("highest risk (of the person who is easiest to find)", middle, _HEIGHT - 8)
    turned = f'transform="translate(14 {(_FLOOR + _EDGE) / 2}) rotate(-90)"'
    yield f'<text {turned} text-anchor="middle">information loss</text>'


def _text_element(words: str, x: float, y: float, anchor: str = "middle") -> str:
    """A text at a place of the plane; it is not escaped."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def _frontier_line(spots: Sequence[Spot], ends: _Pair) -> Iterable[str]:
    """Yield the line through the `best` spots; nothing if there is only one."""
    best = sorted((spot.risk, spot.loss) for spot in spots if spot.best)
    if len(best) > 1:
        places = (_plane_position(one, ends) for one in best)
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        yield f'<polyline points="{points}" class="ic-none" fill="none"/>'


def _spot_element(number: int, spot: Spot, x: float, y: float) -> str:
    """The point with this number as a group that can be chosen, its middle at (x, y)."""
    name = escape(spot.name)
    hollow = ' fill-opacity="0.15" stroke="currentColor" stroke-dasharray="3 2"'
    look = f'class="ic-fill{spot.series % 4 + 1}"{hollow if spot.bound else ""}'
    place = f'cx="{x:.1f}" cy="{y:.1f}"'
    ring = f'<circle class="ring" {place} r="14"/>' if spot.chosen else ""
    pin = _text_element("★", x, y - 14) if spot.pinned else ""
    return (
        f'<g class="point" data-n="{number}" tabindex="0" role="button" aria-label="{name}" '
        f'aria-pressed="{str(spot.chosen).lower()}"><title>{name}</title>'
        f'<circle {place} r="16" fill="transparent"/>'
        f"{_shape_element(spot.series % 4, x, y, look)}{ring}{pin}</g>"
    )


def _shape_element(series: int, x: float, y: float, look: str) -> str:
    """The shape of a series, 0 to 3: disc, square, triangle or diamond."""
    if series == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" {look}/>'
    if series == 1:
        return f'<rect x="{x - 6:.1f}" y="{y - 6:.1f}" width="12" height="12" {look}/>'
    if series == 2:
        return f'<path d="M{x:.1f} {y - 8:.1f}l8 14h-16z" {look}/>'
    return f'<path d="M{x:.1f} {y - 9:.1f}l9 9l-9 9l-9 -9z" {look}/>'


def _bar_element(number: int, count: int | None, most: int, step: float) -> str:
    """The bar with this number, `step` wide; `most` is the highest count, None a withheld one."""
    x, height = _EDGE + number * step, 4.0 if count is None else count / most * 170
    return (
        f'<rect class="{"few" if count is None else "bin"}" x="{x + 1:.1f}" y="{182 - height:.1f}" '
        f'width="{max(step - 2, 1):.1f}" height="{height:.1f}"/>'
    )


def _edge_element(number: int, edge: float, x: float, step: float, cut: bool) -> str:
    """The invisible place, `step` wide, around an edge at `x`: a click adds or removes a cut."""
    label = f"{'Take away the cut' if cut else 'Cut'} at {edge:,.6g}"
    return (
        f'<rect class="place" data-n="{number}" tabindex="0" role="button" '
        f'aria-pressed="{str(cut).lower()}" aria-label="{label}" x="{x - step / 2:.1f}" y="4" '
        f'width="{step:.1f}" height="180"><title>{label}</title></rect>'
    )
