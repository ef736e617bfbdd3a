"""Colours of pictures: one table that gives an SVG its own, and a page both light and dark ones.

Each look is a class. The element carries the light colours as attributes, so that a picture shows
itself anywhere; a page's style sheet overrides them by class, so that it needs no style attribute.
The series have the hues of Okabe and Ito (Color Universal Design, 2008), which people with any
colour vision tell apart, shifted until each has a contrast of 3 or more on its surface.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class Paint:
    """What is coloured (`fill` or `stroke`), in which colours, and what is the same on both."""

    paints: str
    light: str
    dark: str
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def attributes(self) -> dict[str, str]:
        """The SVG attributes of an element that no style sheet reaches: it is light."""
        stroked = {"fill": "none"} if self.paints == "stroke" else {}
        return {**stroked, self.paints: self.light, **self.more}


SERIES = (
    ("#0072b2", "#56b4e9"),
    ("#c75300", "#f0a030"),
    ("#00835f", "#2cc79c"),
    ("#a1477c", "#e29ac4"),
)
_DASHES = {"stroke-dasharray": "5 3", "stroke-width": "1.5"}
_SERIES = {
    f"{kind}{number}": Paint(paints, light, dark, {"stroke-width": "2"} if kind == "line" else {})
    for kind, paints in (("fill", "fill"), ("line", "stroke"))
    for number, (light, dark) in enumerate(SERIES, start=1)
}
LOOKS: Mapping[str, Paint] = MappingProxyType(
    {
        "surface": Paint("fill", "#ffffff", "#15181c"),
        "ink": Paint("fill", "#1b1f24", "#e8eaed"),
        "quiet": Paint("fill", "#57606a", "#a9b1ba"),
        "grid": Paint("stroke", "#e3e6ea", "#2c3138"),
        "axis": Paint("stroke", "#8b939c", "#7d8590"),
        "none": Paint("stroke", "#737b84", "#8d96a0", {"stroke-dasharray": "2 2"}),
        "mark": Paint("stroke", "#b3261e", "#ff8a80", _DASHES),
        "more": Paint("fill", "#4a9fd8", "#2a74b0"),
        "less": Paint("fill", "#e69f00", "#a65f00"),
        "run-more": Paint("stroke", "#4a9fd8", "#2a74b0", {"stroke-width": ".92"}),
        "run-less": Paint("stroke", "#e69f00", "#a65f00", {"stroke-width": ".92"}),
        "run-none": Paint("stroke", "#737b84", "#8d96a0", {"stroke-width": ".1"}),
        **_SERIES,
    }
)


def style_rules(dark_class: str = "") -> str:
    """CSS with a class for each look; dark on dark screens or, if given, within `dark_class`."""
    rules = "".join(f".ic-{name}{{{look.paints}:var(--ic-{name})}}" for name, look in LOOKS.items())
    light = "".join(f"--ic-{name}:{look.light};" for name, look in LOOKS.items())
    dark = "".join(f"--ic-{name}:{look.dark};" for name, look in LOOKS.items())
    when_dark = f"@media screen and (prefers-color-scheme:dark){{.incrowd{{{dark}}}}}"
    if dark_class:
        when_dark = f".{dark_class} .incrowd{{{dark}}}"
    return f".incrowd{{{light}}}\n{when_dark}\n{rules}\n"
