"""Pictures of aggregated figures, which need no network to be made or seen: the seam to Altair."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.documents.json import pick
from incrowd.documents.templates import ScriptSafe
from incrowd.documents.words import printable_text
from incrowd.errors import InputError
from incrowd.search.lattice.frontier import Explored, NodeState
from incrowd.search.literature.accuracy.frontier import Frontier

Chart: TypeAlias = Any
"""A chart of Altair, which is loaded only when something is drawn."""
Kind: TypeAlias = Literal["svg", "png", "html"]

_STATES = {
    NodeState.RELEASABLE: ("can be released", "#2a7f62"),
    NodeState.FAILING: ("fails a model", "#c2410c"),
    NodeState.COSTLY: ("ruled out by its loss", "#9ca3af"),
}
"""Words and colour of a node in each state."""
_MOST_NODES = 3_000
"""Of more nodes than this only the ones of least loss and the optimum are drawn."""
_MOST_LINES = 400
"""Lines between neighbours are drawn up to this many nodes."""
_WIDTH = 640


def lattice_chart(explored: Explored, loss: str) -> Chart:
    """Draw the nodes that a search counted, a line per number of steps, the optimum ringed.

    In each line the nodes of least loss stand in the middle. Minimal generalizations, where all are
    known, have a square around them. `loss` is a name, for the title. `InputError` without Altair.
    """
    alt = _import_extra("altair")
    which = _nodes_to_draw(explored)
    place = _places_in_line(explored, which)
    points = [_point_figures(explored, int(i), float(x)) for i, x in zip(which, place, strict=True)]
    axes = {
        "x": alt.X("x:Q", axis=None),
        "y": alt.Y("y:Q", title="steps up the hierarchies", axis=alt.Axis(tickMinStep=1)),
    }
    base = alt.Chart(alt.Data(values=points)).encode(**axes)
    names, hues = zip(*(_STATES[state] for state in NodeState), strict=True)
    colours = alt.Scale(domain=list(names), range=list(hues))
    nodes = base.mark_circle(size=60, opacity=0.8).encode(
        color=alt.Color("state:N", scale=colours, title=None),
        tooltip=["levels:N", "k:Q", "suppressed:Q", "loss:Q", "state:N"],
    )
    best = base.transform_filter("datum.optimum").mark_point(
        size=220, strokeWidth=2.5, color="#111827"
    )
    minimal = base.transform_filter("datum.minimal").mark_square(
        size=130, filled=False, strokeWidth=1.5, color="#111827"
    )
    layers = [*_draw_steps(alt, explored, which, place, axes), nodes, best]
    layers += [] if explored.minimal is None else [minimal]
    return alt.layer(*layers).properties(
        width=_WIDTH, height=360, title=_title(explored, len(which), loss)
    )


def frontier_chart(curve: Frontier) -> Chart:
    """Draw the most privacy for each largest loss as a stair; `InputError` without Altair."""
    alt = _import_extra("altair")
    title = "k" if curve.privacy == "k" else printable_text(f"l of {curve.column}")
    points = [
        pick(point, "max_loss k l loss classes") | {"loss": round(point.loss, 6)}
        for point in curve.points
    ]
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X("max_loss:Q", title="the most that a class may lose"),
        y=alt.Y(f"{curve.privacy}:Q", title=title),
        tooltip=["max_loss:Q", "k:Q", "l:Q", "loss:Q", "classes:Q"],
    )
    # aria is off: Vega-Lite would put the title into an expression and not escape its backslashes
    _, hue = _STATES[NodeState.RELEASABLE]
    stair = base.mark_line(interpolate="step-after", color=hue, aria=False)
    dots = base.mark_circle(size=60, color=hue, aria=False)
    return alt.layer(stair, dots).properties(
        width=_WIDTH, height=360, title="privacy for every largest loss of a class"
    )


def render_chart(chart: Chart, kind: Kind) -> bytes:
    """Render a chart as SVG, PNG or HTML with tooltips; `InputError` if a library is missing."""
    if kind == "html":
        return str(chart.to_html(inline=True, json_kwds={"cls": ScriptSafe})).encode()
    convert: Any = _import_extra("vl_convert")
    text = chart.to_json()
    if kind == "svg":
        return str(convert.vegalite_to_svg(text)).encode()
    return bytes(convert.vegalite_to_png(text, scale=2))


def refuse_undrawable() -> None:
    """Raise `InputError` if the libraries that draw pictures are not installed."""
    if any(find_spec(name) is None for name in ("altair", "vl_convert")):
        raise _undrawable_error()


def _import_extra(name: str) -> Any:
    """Import a library of the extra `charts`; `InputError` if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise _undrawable_error() from None


def _undrawable_error() -> InputError:
    """The error if what draws pictures is not installed."""
    return InputError(
        "pictures need libraries that are not installed",
        remedy="install incrowd[charts], or ask for JSON or CSV",
    )


def _title(explored: Explored, shown: int, loss: str) -> str:
    """Say how many nodes were counted and how many `shown`, and what ring and squares mean."""
    part = "" if shown == explored.counted else f", {shown:,} of them drawn"
    squares = "" if explored.minimal is None else "; squares are minimal generalizations"
    return (
        f"{explored.counted:,} of {explored.lattice:,} nodes counted{part}; "
        f"the ringed one has the least {loss}{squares}"
    )


def _nodes_to_draw(explored: Explored) -> Counts:
    """The indices of the nodes to draw: all; of very many those of least loss and the optimum."""
    every = np.arange(len(explored))
    if len(every) <= _MOST_NODES:
        return every
    order = np.argsort(np.where(np.isnan(explored.loss), np.inf, explored.loss), kind="stable")
    return np.unique(np.append(order[:_MOST_NODES], explored.best))


def _places_in_line(explored: Explored, which: Counts) -> Codes:
    """The place of each node of `which` in its line: 0, 1, -1, 2, -2, … by rising loss.

    A line holds the nodes with the same sum of levels; an unknown loss comes last.
    """
    steps = explored.levels[which].sum(axis=1)
    loss = np.where(np.isnan(explored.loss[which]), np.inf, explored.loss[which])
    order = np.lexsort((loss, steps))
    rank = np.empty(len(which), dtype=np.int64)
    first = np.searchsorted(steps[order], steps[order])
    rank[order] = np.arange(len(which)) - first
    return np.where(rank % 2 == 1, (rank + 1) // 2, -(rank // 2)).astype(np.int32)


def _point_figures(explored: Explored, i: int, place: float) -> dict[str, Any]:
    """The figures of node i, at x `place`, as the chart takes them; what is not known is None."""
    loss, suppressed = float(explored.loss[i]), int(explored.suppressed[i])
    levels = zip(explored.columns, explored.levels[i].tolist(), strict=True)
    return {
        "levels": printable_text(", ".join(f"{name} {level}" for name, level in levels)),
        "x": place,
        "y": int(explored.levels[i].sum()),
        "k": int(explored.k[i]),
        "suppressed": suppressed if suppressed >= 0 else None,
        "loss": None if np.isnan(loss) else round(loss, 6),
        "state": _STATES[NodeState(int(explored.state[i]))][0],
        "optimum": i == explored.best,
        **({} if explored.minimal is None else {"minimal": bool(explored.minimal[i])}),
    }


def _draw_steps(
    alt: Any, explored: Explored, which: Counts, place: Codes, axes: dict[str, Any]
) -> list[Chart]:
    """Draw lines between nodes of `which`, at x `place`, one step apart; none if nodes are many."""
    if len(which) > _MOST_LINES:
        return []
    levels = explored.levels[which]
    steps = levels.sum(axis=1)
    apart = levels[:, None, :] - levels[None, :, :]
    up = np.argwhere((apart >= 0).all(axis=2) & (apart.sum(axis=2) == 1))
    ends = [
        {
            "x": float(place[low]),
            "y": int(steps[low]),
            "x2": float(place[high]),
            "y2": int(steps[high]),
        }
        for high, low in up.tolist()
    ]
    if not ends:
        return []
    chart = alt.Chart(alt.Data(values=ends)).mark_rule(color="#d1d5db", strokeWidth=0.7)
    return [chart.encode(**axes, x2="x2:Q", y2="y2:Q")]
