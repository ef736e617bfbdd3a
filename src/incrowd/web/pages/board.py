"""The board of roles, to put cards of columns into places. The browser sends numbers alone."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from incrowd.web.pages import blocks

_OVER = (
    "(e) => { const p = e.target.closest('[data-place]'); if (!p) return; e.preventDefault(); "
    "e.currentTarget.querySelectorAll('.over').forEach(o => o !== p && o.classList.remove('over'));"
    " p.classList.add('over'); }"
)
_LEFT = (
    "(e) => { if (e.currentTarget.contains(e.relatedTarget)) return; "
    "e.currentTarget.querySelectorAll('.over').forEach(o => o.classList.remove('over')); }"
)
_DROPPED = (
    "(e) => { e.preventDefault(); "
    "e.currentTarget.querySelectorAll('.over').forEach(o => o.classList.remove('over')); "
    "const p = e.target.closest('[data-place]'); const n = e.dataTransfer.getData('text/plain'); "
    "if (p && /^[0-9]+$/.test(n)) emit([Number(n), Number(p.dataset.place)]); }"
)
_CLICKED = (
    "(e) => { const c = e.target.closest('[data-n]'); if (c) { emit([Number(c.dataset.n), -1]); "
    "return; } const p = e.target.closest('[data-place]'); "
    "if (p) emit([-1, Number(p.dataset.place)]); }"
)

Put = Callable[[str, str], Awaitable[None]]


class RoleBoard:
    """A place for each role; `put` is called with a column and the role that it should have."""

    def __init__(self, roles: Mapping[str, str], put: Put) -> None:
        self._roles, self._put = roles, put
        self._columns: dict[str, str] = {}
        self._chosen: str | None = None
        self._state = blocks.draw_text("p", "", "quiet small").props("role=status")
        self._body = blocks.draw_box("board")
        self._body.on("dragstart", js_handler=blocks.DRAGGED)
        self._body.on("dragover", js_handler=_OVER)
        self._body.on("dragleave", js_handler=_LEFT)
        self._body.on("drop", self._drop, js_handler=_DROPPED)
        self._body.on("click", self._click, js_handler=_CLICKED)

    def draw(self, columns: Mapping[str, str]) -> None:
        """Show each column in the place of its role; `columns` has the roles by column."""
        self._columns, self._chosen = dict(columns), None
        self._body.clear()
        with self._body:
            for number, role in enumerate(self._roles):
                self._draw_place(number, role)
        self._say_state()

    def _draw_place(self, number: int, role: str) -> None:
        """Draw the place of the role of this number, with the cards of its columns."""
        held = [name for name, its in self._columns.items() if its == role]
        with blocks.draw_box("place") as place:
            place.props["data-place"] = number
            head = blocks.draw_text("button", self._roles[role], "put").props("type=button")
            blocks.name_for_readers(head, f"{self._roles[role]}: put the chosen column here")
            with ui.element("ul"):
                for name in held:
                    with ui.element("li"):
                        self._draw_card(name)

    def _draw_card(self, name: str) -> None:
        card = blocks.draw_text("button", name, "choice").props("type=button draggable=true")
        chosen = str(name == self._chosen).lower()
        number = list(self._columns).index(name)
        role = self._roles[self._columns[name]]
        card.props.update({"data-n": number, "aria-pressed": chosen})
        blocks.name_for_readers(card, f"{name}, {role}")

    def _say_state(self) -> None:
        words = "Drag a column into a place, or click on the column and then on the place."
        if self._chosen is not None:
            words = f"{self._chosen} is chosen. Click on the place where it belongs."
        self._state.set_text(words)

    def _choose(self, name: str) -> None:
        """Choose the card of this column, or choose it no longer if it was chosen."""
        self._chosen = None if self._chosen == name else name
        for card in self._body.descendants():
            if "data-n" in card.props:
                pressed = list(self._columns)[card.props["data-n"]] == self._chosen
                card.props["aria-pressed"] = str(pressed).lower()
        self._say_state()

    async def _click(self, event: Any) -> None:
        """Choose the card that was clicked on, or put the chosen one into the place."""
        column, place = event.args  # one of both is -1
        if place < 0:
            self._choose(list(self._columns)[column])
        elif self._chosen is not None:
            await self._put_into(self._chosen, place)

    async def _drop(self, event: Any) -> None:
        """Put the card that was dragged into the place; the browser sends the numbers of both."""
        column, place = event.args
        if 0 <= column < len(self._columns):
            await self._put_into(list(self._columns)[column], place)

    async def _put_into(self, name: str, place: int) -> None:
        """Give the column the role of the place of this number, unless it has that already."""
        role = list(self._roles)[place]
        if role != self._columns[name]:
            await self._put(name, role)
            self._focus_card(name)

    def _focus_card(self, name: str) -> None:
        """Keep the focus on the card of this column, in its new place."""
        number = list(self._columns).index(name)
        card = next(c for c in self._body.descendants() if c.props.get("data-n") == number)
        with self._body:
            ui.run_javascript(
                f"requestAnimationFrame(() => document.getElementById('{card.html_id}')?.focus())"
            )
