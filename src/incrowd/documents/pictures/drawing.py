"""A drawing: marks at places, in groups that share a look. The template writes it as SVG."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from incrowd.documents.lettering import (
    SIZE,
    coordinate,
    one_line,
    shorten,
    text_width,
    tooltip_text,
)
from incrowd.documents.pictures.looks import LOOKS

WIDTH = 640.0
"""Every picture is this wide, in its own units; a page makes it fit."""
EDGE = 4.0
_LEGEND_ROW = 19.0
_TITLE_SIZE = 14.0

Anchor: TypeAlias = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Area:
    """Where the figures are drawn, in units of the picture from its left upper corner."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.top + self.height

    def x(self, share: float) -> float:
        """The horizontal place of a share of the width, from the left."""
        return self.left + self.width * share

    def y(self, share: float) -> float:
        """The vertical place of a share of the height, from below."""
        return self.bottom - self.height * share


@dataclass(frozen=True)
class Box:
    """A rectangle; (x, y) is its left upper corner."""

    shape: ClassVar[str] = "box"
    x: float
    y: float
    width: float
    height: float
    tooltip: str = ""
    opacity: float | None = None


@dataclass(frozen=True)
class Path:
    """Lines, as SVG writes them."""

    shape: ClassVar[str] = "path"
    d: str
    tooltip: str = ""
    opacity: float | None = None
    thin: bool = False
    units: Area | None = None
    """The area whose left upper corner is the origin, and whose size is the unit of all places."""


@dataclass(frozen=True)
class Dot:
    """A disc, or a diamond, around (x, y)."""

    shape: ClassVar[str] = "dot"
    x: float
    y: float
    tooltip: str = ""
    radius: float = 4.5
    diamond: bool = False


@dataclass(frozen=True)
class Words:
    """A text with its `anchor` at (x, y); `tooltip` is the whole of one that was shortened."""

    shape: ClassVar[str] = "words"
    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    tooltip: str = ""
    turned: bool = False
    size: float = SIZE
    strong: bool = False


Mark: TypeAlias = Box | Path | Dot | Words


@dataclass(frozen=True)
class MarkGroup:
    """Marks with one look."""

    look: str
    marks: tuple[Mark, ...]

    @property
    def attributes(self) -> dict[str, str]:
        """The SVG attributes of the group: its light colours, and an anchor other than `start`."""
        anchored = {} if self.anchor == "start" else {"text-anchor": self.anchor}
        return LOOKS[self.look].attributes | anchored

    @property
    def anchor(self) -> Anchor:
        """The anchor that most of its texts have: it is written once for all of them."""
        held = Counter(mark.anchor for mark in self.marks if isinstance(mark, Words))
        return held.most_common(1)[0][0] if held else "start"


@dataclass(frozen=True)
class Drawing:
    """All that an SVG shows."""

    title: str
    about: str
    height: float
    groups: tuple[MarkGroup, ...]
    width: float = WIDTH


@dataclass(frozen=True)
class Key:
    """An entry of the legend."""

    look: str
    name: str
    mark: Literal["box", "line", "dot", "diamond"] = "box"


def group_marks(look: str, marks: Iterable[Mark]) -> tuple[MarkGroup, ...]:
    """Put marks into a group with this look; no group if there are no marks."""
    found = tuple(marks)
    return (MarkGroup(look, found),) if found else ()


def fit_words(x: float, y: float, text: str, room: float, anchor: Anchor = "start") -> Words:
    """Make a text that fits its room; if it was shortened, the tooltip has all of it."""
    short = shorten(text, room)
    return Words(x, y, short, anchor, "" if short == one_line(text) else tooltip_text(text))


def draw_header(title: str, keys: Sequence[Key]) -> tuple[tuple[MarkGroup, ...], float]:
    """Draw title and legend; return them, and the y below them."""
    short = shorten(title, WIDTH - 2 * EDGE, _TITLE_SIZE)
    whole = "" if short == one_line(title) else tooltip_text(title)
    head = Words(EDGE, 24, short, tooltip=whole, size=_TITLE_SIZE, strong=True)
    groups, x, y = group_marks("ink", [head]), EDGE, 46.0
    if not keys:
        return groups, 36.0
    for key in keys:
        short = shorten(key.name, 260)
        room = 22 + text_width(short) + 16
        if x > EDGE and x + room > WIDTH - EDGE:
            x, y = EDGE, y + _LEGEND_ROW
        groups += group_marks(key.look, [_legend_mark(key, x, y)])
        groups += group_marks("ink", [fit_words(x + 19, y, key.name, 260)])
        x += room
    return groups, y + 10


def draw_nothing(title: str, about: str) -> Drawing:
    """Draw a picture that says that there are no figures."""
    groups, top = draw_header(title, ())
    text = Words(WIDTH / 2, top + 40, "no figures to show", "middle")
    return Drawing(title, about, top + 72, (*groups, *group_marks("quiet", [text])))


def svg_path(*parts: str | float) -> str:
    """Write the letters and places of a path as SVG does.

    >>> svg_path("M", 1, 2.25, "H", 10)
    'M1 2.2H10'
    """
    text = ""
    for part in parts:
        word = part if isinstance(part, str) else coordinate(part)
        text += f" {word}" if text and text[-1].isdigit() and not word[0].isalpha() else word
    return text


def _legend_mark(key: Key, x: float, y: float) -> Mark:
    """The mark of an entry of the legend; y is the base line of its name."""
    match key.mark:
        case "box":
            return Box(x, y - 10, 12, 12)
        case "line":
            return Path(svg_path("M", x, y - 4, "h14"))
        case "dot" | "diamond":
            return Dot(x + 6, y - 4, diamond=key.mark == "diamond")
