"""How the file is read: what incrowd finds out by itself, and what somebody knows better."""

from typing import Any

from nicegui import ui

from incrowd.web import jobs
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame
from incrowd.web.wording import FIELDS

_TEXTS = ("delimiter", "encoding", "sheet", "decimal", "thousands")
_FIRST_LINE = {None: "found by incrowd", True: "names of the columns", False: "data"}


def show(frame: Frame, *, opened: bool = False) -> None:
    """Draw the form; what is empty is found by incrowd."""
    now = frame.project.session.reading
    with ui.expansion("How the file is read", value=opened).classes("card"), blocks.box("stack"):
        blocks.text("p", "What you leave empty is found from the file itself.", "quiet")
        with blocks.bar():
            texts = {key: _text(key, getattr(now, key)) for key in _TEXTS}
            skip = ui.number(FIELDS["--skip"], value=now.skip, min=0, format="%d")
            skip.props("outlined dense")
            header = ui.select(_FIRST_LINE, value=now.header, label="First line")
            header.props("outlined dense")
            dates = ui.input(FIELDS["--date-format"], value=", ".join(now.date_format))
            dates.props("outlined dense").props["placeholder"] = "%d/%m/%Y, or birth=%d/%m/%Y"

        def read() -> None:
            given: dict[str, Any] = {key: one.value or None for key, one in texts.items()}
            given["skip"] = None if skip.value is None else int(skip.value)
            given["header"] = header.value
            formats = (part.strip() for part in str(dates.value or "").split(","))
            given["date_format"] = tuple(part for part in formats if part)
            frame.project.read_as(jobs.ReadingChoice(**given))
            frame.redraw()

        with blocks.bar():
            blocks.other("Read it so", read, "refresh")


def _text(key: str, value: str | None) -> ui.input:
    return ui.input(FIELDS[f"--{key}"], value=value or "").props("outlined dense")
