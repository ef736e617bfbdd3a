"""The risk-utility plane as a chart that answers a pointer, if the extra `charts` is installed.

Vega would make functions of texts, which a strict page forbids: its interpreter is used instead.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from incrowd.documents.lettering import one_line
from incrowd.documents.pictures import Plane
from incrowd.documents.pictures.looks import LOOKS
from incrowd.documents.pictures.scale import is_drawable

_KINDS = {"release": "fill1", "original": "fill2", "frontier": "fill3", "alternative": "fill4"}
_AXIS = {"labelFontSize": 12, "titleFontSize": 12, "tickCount": 6, "labelOverlap": "greedy"}
_SNIPPET = """
for (const box of document.querySelectorAll(".ic-interactive")) {
  const spec = JSON.parse(box.querySelector("script").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const colours = spec.usermeta[dark ? "dark" : "light"];
  spec.config = colours.config;
  for (const layer of spec.layer)
    if (layer.encoding.color) layer.encoding.color.scale.range = colours.range;
  const place = box.querySelector(".ic-live");
  box.classList.add("ic-lives");
  vegaEmbed(place, spec, {
    ast: true, actions: false, defaultStyle: false, renderer: "svg",
    tooltip: { disableDefaultStyle: true },
  }).catch(() => box.classList.remove("ic-lives"));
}
"""


def is_available() -> bool:
    """Whether the libraries that make an interactive chart are installed."""
    return all(find_spec(name) is not None for name in ("altair", "vl_convert"))


@cache
def chart_script() -> str:
    """Vega, Vega-Lite and the lines that start them, as one script; needs `is_available`."""
    convert: Any = import_module("vl_convert")
    text: str = convert.javascript_bundle(_SNIPPET)
    # JavaScript knows \x3c inside of its strings; elsewhere no script says "</script".
    return text.replace("\r", "").replace("</script", "\\x3c/script")


def plane_spec(plane: Plane) -> dict[str, Any]:
    """The plane for Vega-Lite: points with names, the frontier joined; needs `is_available`."""
    alt: Any = import_module("altair")
    points = [
        {"name": one_line(point.name), "x": point.x, "y": point.y, "kind": point.kind}
        for point in plane.points
        if is_drawable(point.x) and is_drawable(point.y)
    ]
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X("x:Q", title=one_line(plane.x)), y=alt.Y("y:Q", title=one_line(plane.y))
    )
    kinds = [kind for kind in _KINDS if any(point["kind"] == kind for point in points)]
    hues = alt.Scale(domain=kinds, range=[LOOKS[_KINDS[kind]].light for kind in kinds])
    marks = ["diamond" if kind == "original" else "circle" for kind in kinds]
    shapes = alt.Scale(domain=kinds, range=marks)
    # aria is off: Vega-Lite would put titles into an expression and not escape their backslashes
    line = (
        base.transform_filter("datum.kind == 'frontier'")
        .mark_line(color="#8b939c", strokeWidth=1.5, aria=False)
        .encode(order="x:Q")
    )
    dots = base.mark_point(filled=True, size=90, opacity=1, aria=False).encode(
        color=alt.Color("kind:N", scale=hues, title=None),
        shape=alt.Shape("kind:N", scale=shapes, title=None),
        tooltip=[
            "name:N",
            alt.Tooltip("x:Q", title=one_line(plane.x)),
            alt.Tooltip("y:Q", title=one_line(plane.y)),
        ],
    )
    layers = [line, dots] if "frontier" in kinds else [dots]
    chart = alt.layer(*layers).properties(
        width="container", height=320, title=one_line(plane.title)
    )
    made: dict[str, Any] = chart.to_dict()
    made["usermeta"] = {scheme: _colours(scheme, kinds) for scheme in ("light", "dark")}
    return made


def _colours(scheme: str, kinds: Sequence[str]) -> dict[str, Any]:
    """The colours of axes, texts and points on a light or a dark surface (`scheme`)."""
    hue = {name: getattr(look, scheme) for name, look in LOOKS.items()}
    texts = {"labelColor": hue["quiet"], "titleColor": hue["ink"]}
    lines = {"domainColor": hue["axis"], "gridColor": hue["grid"], "tickColor": hue["axis"]}
    return {
        "range": [hue[_KINDS[kind]] for kind in kinds],
        "config": {
            "background": hue["surface"],
            "font": "system-ui, sans-serif",
            "axis": {**texts, **lines, **_AXIS},
            "legend": {**texts, "orient": "top", "labelFontSize": 12},
            "title": {"color": hue["ink"], "anchor": "start", "fontSize": 14},
            "view": {"stroke": None},
        },
    }
