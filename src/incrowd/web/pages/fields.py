"""Fields of a form that show the value in force: a value that is refused does not stay in them."""

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from incrowd.web.pages import blocks

Put = Callable[[Any], Awaitable[bool]]
"""Takes a value, and says whether it holds from now on."""


def draw_number(label: str, value: float | None, put: Put, **options: Any) -> ui.number:
    """Draw a number field; the old number returns if `put` refuses or a needed one is missing."""
    clearable = bool(options.pop("clearable", False))
    made = ui.number(label, value=value, **options).props("outlined dense")
    if clearable:
        made.props("clearable")

    async def change() -> None:
        asked = made.value
        if asked == value or (asked is None and not clearable) or not await put(asked):
            _restore_value(made, asked, value)

    made.on("change", change)
    if clearable:
        made.on("clear", change)
    return made


def draw_choice(options: Any, label: str, value: Any, put: Put) -> ui.select:
    """Draw a field to choose from; `put` is called with what is chosen, and may refuse it."""
    made = ui.select(options, value=value, label=label).props("outlined dense")

    async def change() -> None:
        asked = made.value
        if asked != value and not await put(asked):
            _restore_value(made, asked, value)

    made.on_value_change(change)
    return made


def draw_marks(label: str, values: list[str], put: Put) -> ui.input_chips:
    """Draw a field for several short texts: Enter adds one, a click on its cross removes it."""
    made = ui.input_chips(label, value=values, new_value_mode="add-unique")
    made.props("outlined dense")
    blocks.name_for_readers(made, label)

    async def change() -> None:
        asked = made.value or []
        chosen = [text.strip() for text in asked]
        if chosen != values and not await put([text for text in chosen if text]):
            _restore_value(made, asked, values)

    made.on_value_change(change)
    return made


def _restore_value(made: Any, asked: object, value: object) -> None:
    """Show the value in force again, unless something newer than `asked` was asked meanwhile."""
    if made.is_deleted or (made.value or asked) != asked:
        return
    made.set_value(value)
    made.update()  # the browser may hold another text
