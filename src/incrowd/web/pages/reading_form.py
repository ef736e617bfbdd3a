"""How the file is read: what incrowd finds out by itself, and what somebody knows better."""

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from incrowd.requests.reading import ReadingOptions
from incrowd.requests.request import Option, options_of
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame
from incrowd.web.wording import FIELDS

_FIRST_LINE = {None: "found by incrowd", True: "names of the columns", False: "data"}


def show(frame: Frame, *, opened: bool = False) -> None:
    """Draw the form on how the file is read; incrowd finds out what is left empty."""
    now = frame.project.session.reading
    with (
        ui.expansion("How the file is read", value=opened).classes("card"),
        blocks.draw_box("stack"),
    ):
        blocks.draw_text("p", "What you leave empty is found from the file itself.", "quiet")
        options = [option for option in options_of(ReadingOptions) if option.name != "memory"]
        with blocks.draw_bar():
            fields = {one.name: _draw_field(one, getattr(now, one.name)) for one in options}

        def read() -> None:
            values = {name: _option_value(name, field.value) for name, field in fields.items()}
            frame.project.open(frame.project.table.source, ReadingOptions(**values))
            frame.redraw()

        with blocks.draw_bar():
            blocks.draw_plain_button("Read it so", read, "refresh")


def _draw_field(option: Option, value: Any) -> Any:
    """Draw the field of an option of reading, and return it."""
    label = FIELDS.get(option.flags[0], "")
    made: Any
    if option.kind.type is bool:
        made = ui.select(_FIRST_LINE, value=value, label="First line")
    elif option.kind.type is int:
        made = ui.number(label, value=value, min=0, format="%d")
    else:
        words = value if isinstance(value, str) else ", ".join(value or ())
        made = ui.input(label, value=words)
    if option.name == "date_formats":
        made.props["placeholder"] = "%d/%m/%Y, or birth=%d/%m/%Y"
    return made.props("outlined dense").tooltip(option.says)


def _option_value(name: str, value: Any) -> Any:
    """The value of an option from what its field holds; None if the field is empty."""
    if name == "date_formats":
        parts: Sequence[str] = [part.strip() for part in str(value or "").split(",")]
        return tuple(part for part in parts if part) or None
    return int(value) if isinstance(value, float) else None if value == "" else value
