"""What pages are made of: headings, notes, figures, tables and pictures with the right tags.

Texts go to the browser as texts. Only `draw_svg` sends markup, and it takes our own SVG, in which
every name is escaped.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement
from nicegui.events import GenericEventArguments

from incrowd.errors import whole_percent
from incrowd.withholding import FEW

Tone = Literal["", "good", "bad", "warn"]
CHOSEN = "(e) => { const p = e.target.closest('[data-n]'); if (p) emit(Number(p.dataset.n)); }"
"""What the browser does on a click: it sends the number of the place."""
DRAGGED = (
    "(e) => { const p = e.target.closest('[data-n]'); if (!p) return; "
    "e.dataTransfer.effectAllowed = 'move'; e.dataTransfer.setData('text/plain', p.dataset.n); }"
)
"""What the browser does when something is dragged: it carries the number along."""


def draw_text(tag: str, words: str, classes: str = "") -> TextElement:
    """Draw an element of this tag with a text in it, and return it."""
    return TextElement(tag=tag, text=words).classes(classes)


def draw_box(classes: str, tag: str = "div") -> Element:
    """Draw an empty element for others to be put into, and return it."""
    return ui.element(tag).classes(classes)


def draw_card(heading: str) -> Element:
    """Draw a card, a place with a border and a heading; return it to be filled."""
    with draw_box("card", "section") as made:
        draw_text("h2", heading)
    return name_for_readers(made, heading)


def draw_note(sentences: Iterable[str], tone: Tone = "") -> Element:
    """Draw sentences that stand out, without empty ones; a bad note is read aloud at once."""
    with draw_box(f"note {tone}").props(f"role={'alert' if tone == 'bad' else 'status'}") as made:
        for sentence in sentences:
            if sentence:
                draw_text("p", sentence)
    return made


def draw_tag(words: str, tone: Tone = "") -> TextElement:
    """Draw a tag: a word or two in a frame."""
    return draw_text("span", words, f"tag {tone}")


def draw_figures(values: Iterable[tuple[str, str, Tone]]) -> None:
    """Draw numbers, each with what it means below it and its tone."""
    with draw_box("figures"):
        for number, meaning, tone in values:
            with draw_box("figure"):
                draw_text("div", number, f"number {tone}")
                draw_text("div", meaning, "what")


def draw_table(
    head: Sequence[str], label: str, *, numeric: Iterable[int] = ()
) -> Callable[..., None]:
    """Draw a table with its head; call what is returned with the cells of each row.

    The columns with numbers in `numeric` are aligned to the right. A cell is a text, or a function
    that fills the cell.
    """
    right = frozenset(numeric)
    with draw_box("wide").props("tabindex=0 role=region") as scroll, draw_box("grid", "table"):
        with ui.element("thead"), ui.element("tr"):
            for number, words in enumerate(head):
                draw_text("th", words, "number" if number in right else "").props("scope=col")
        body = ui.element("tbody")
    scroll.props["aria-label"] = label

    def add(*cells: str | Callable[[], Any]) -> None:
        """Add a row with these cells, the first of them its head."""
        with body, ui.element("tr"):
            for number, cell in enumerate(cells):
                _add_cell(cell, "th" if number == 0 else "td", "number" if number in right else "")

    return add


def _add_cell(cell: str | Callable[[], Any], tag_name: str, classes: str) -> None:
    """Draw a cell of a table: a text, or what a function draws in it."""
    scope = {"scope": "row"} if tag_name == "th" else {}
    if not callable(cell):
        draw_text(tag_name, cell, classes).props.update(scope)
        return
    with draw_box(classes, tag_name) as made:
        made.props.update(scope)
        cell()


def draw_share(value: float) -> None:
    """Draw a share 0..1 as a percentage and a small bar."""
    draw_text("span", percent(value))
    with draw_box("share", "span").props("aria-hidden=true"):
        ui.element("span").style(f"width: {min(max(value, 0.0), 1.0) * 100:.1f}%")


def percent(value: float) -> str:
    """A share 0..1 as a percentage: a small one keeps its digits.

    >>> percent(0.2), percent(0.0312), percent(0.0004), percent(1), percent(0.9996)
    ('20 %', '3.1 %', '0.04 %', '100 %', 'over 99 %')
    """
    hundred = value * 100
    if hundred >= 10:
        return whole_percent(value)
    if 0 < hundred < 0.01:
        return "under 0.01 %"
    digits = 0 if hundred == 0 else (1 if hundred >= 1 else 2)
    return f"{hundred:.{digits}f} %"


def count_text(value: float | None) -> str:
    """A number of people or records, with commas; None means withheld.

    >>> count_text(1234567), count_text(None)
    ('1,234,567', 'fewer than 5')
    """
    return FEW if value is None else f"{value:,.0f}"


def draw_svg(markup: str) -> ui.html:
    """Draw our own SVG or markup, in which all names are escaped; it is not sanitized again."""
    return ui.html(markup, sanitize=False)


def draw_primary_button(words: str, go: Callable[..., Any]) -> ui.button:
    """Draw the one button of a page that says what comes next."""
    return ui.button(words, on_click=go).props("unelevated color=primary").classes("primary")


def draw_plain_button(words: str, go: Callable[..., Any], icon: str | None = None) -> ui.button:
    """Draw a button beside the primary one."""
    return ui.button(words, on_click=go, icon=icon, color=None).props("outline")


@dataclass(frozen=True)
class SliderScale:
    """What a slider can be set to, and how its value reads."""

    low: float
    high: float
    step: float
    words: Callable[[float], str]


def draw_slider(
    label: str, scale: SliderScale, value: float, moved: Callable[[float], Awaitable[bool]]
) -> Callable[[Callable[[float], Any]], None]:
    """Draw the browser's own slider: all keys work, and screen readers know it.

    `moved` is called when it comes to rest, and returns whether the value holds: if not, the slider
    goes back. Call what `draw_slider` returns with a function, and that is called with each value
    while the slider moves.
    """
    followers: list[Callable[[float], Any]] = []
    in_force = latest = value
    with draw_box("slider"):
        made = ui.element("input").props("type=range")
        shown = draw_text("output", scale.words(value))
    given = {"min": scale.low, "max": scale.high, "step": scale.step, "value": value}
    made.props.update(given | {"aria-label": label, "aria-valuetext": scale.words(value)})

    def show(now: float) -> None:
        shown.set_text(scale.words(now))
        # The browser shows what the server says: a value that is not told jumps back.
        made.props.update({"value": now, "aria-valuetext": scale.words(now)})
        for follower in followers:
            follower(now)

    async def rest(event: GenericEventArguments) -> None:
        nonlocal in_force, latest
        latest = asked = float(event.args)
        if await moved(asked):
            in_force = asked
        elif latest == asked and not made.is_deleted:  # else a newer value took its place
            show(in_force)

    made.on("input", lambda event: show(float(event.args)), js_handler=_VALUE, throttle=0.05)
    made.on("change", rest, js_handler=_VALUE)
    return followers.append


_VALUE = "(event) => emit(event.target.value)"


def name_for_readers(element: Element, words: str) -> Element:
    """Give an element a name for screen readers, and return it."""
    element.props["aria-label"] = words
    return element


def draw_bar(classes: str = "") -> AbstractContextManager[Any]:
    """Draw a row for buttons and tags that wraps; enter it to fill it."""
    return draw_box(f"bar {classes}")
