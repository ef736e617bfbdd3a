"""What all pages share: the header, the rail of steps, the drawer "Same as", and redrawing.

A page is drawn from the project. What the user changes on a page is shown there in place; what
another tab or an undo changes draws the page anew.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from nicegui import background_tasks, ui
from nicegui.element import Element

from incrowd.documents.pictures.looks import style_rules
from incrowd.errors import IncrowdError
from incrowd.web.facts import DraftFacts
from incrowd.web.jobs import WorldFiles
from incrowd.web.pages import blocks, standing, steps
from incrowd.web.pages.project import Project
from incrowd.web.pages.same_as_drawer import SameAs
from incrowd.web.pages.steps import Step
from incrowd.web.wording import page_sentence

_LOOKED_AT = 0.5
"""Seconds between two looks at what other tabs changed."""

Content = Callable[["Frame"], Awaitable[None]]
_Answer = TypeVar("_Answer")


def draw_page(project: Project, step: Step, content: Content, after: str = "") -> None:
    """Draw a page; `after` names the step from which somebody went on to it."""
    project.session.note_visit()
    project.passed |= {one for one in steps.STEPS if one.name == after}
    ui.add_head_html(f"<style>{_style_sheet()}</style>")
    ui.page_title(f"{step.name} · incrowd")
    Frame(project, step, content).draw()


def _style_sheet() -> str:
    theme = (Path(__file__).parent / "theme.css").read_text(encoding="utf-8")
    return f"{theme}\n{style_rules('body--dark').rstrip()}"


class Frame:
    """One page in one tab."""

    def __init__(self, project: Project, step: Step, content: Content) -> None:
        self.project = project
        self.step = step
        self._content = content
        self._seen = project.state
        self._task: asyncio.Task[None] | None = None
        self._watchers: list[Callable[[], Any]] = []
        self._body: Element

    @property
    def policy(self) -> str:
        """The policy as it is now."""
        return self.project.session.policy

    def draw(self) -> None:
        """Draw the page with header, steps and drawer, and keep looking for changes."""
        self._draw_header()
        self._draw_rail()
        self._same_as = SameAs(self.project)
        self._body = blocks.draw_box("stack page")
        ui.skip_link(target=self._body)
        self.redraw()
        ui.timer(_LOOKED_AT, self._refresh_or_redraw)
        ui.context.client.on_delete(self._stop_drawing)
        ui.keyboard(self._undo_or_redo, ignore=["input", "select", "textarea"])

    def redraw(self) -> None:
        """Draw the content and what is around it anew."""
        self._stop_drawing()
        self._seen = self.project.state
        self._body.clear()
        self._watchers.clear()
        self._set_busy(True)
        self.refresh_around()
        self._task = background_tasks.create(self._draw_content(), context=self._body)

    async def _draw_content(self) -> None:
        """Draw title and content; if that fails, say why and offer to try again."""
        try:
            blocks.draw_text("h1", self.step.name)
            blocks.draw_text("p", self.step.sentence, "lead")
            await self._content(self)
        except IncrowdError as error:
            self.show_error(error)
            with blocks.draw_bar():
                blocks.draw_plain_button("Try again", self.redraw, "refresh")
                if self.project.table_run.failed is not None:
                    blocks.draw_plain_button(
                        "Choose another table", self._leave_table, "folder_open"
                    )

    def _leave_table(self) -> None:
        self.project.open(None)
        ui.navigate.to(steps.TABLE.path)

    def _stop_drawing(self) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()

    def _refresh_or_redraw(self) -> None:
        """Draw the page anew if somebody changed something elsewhere; else call all watchers."""
        if not self._body.client.has_socket_connection:  # a tab that was left: nobody looks
            return
        if self.project.state != self._seen:
            self.redraw()
            return
        for watcher in tuple(self._watchers):
            watcher()
        drawn = self._task is None or self._task.done()
        self._set_busy(not drawn or self.project.session.worker.awaited)

    def _set_busy(self, busy: bool) -> None:
        """Tell screen readers, and whoever waits, whether the page is still changing."""
        words = str(busy).lower()
        if self._body.props.get("aria-busy") != words:
            self._body.props["aria-busy"] = words

    def watch(self, watcher: Callable[[], Any]) -> None:
        """Call this function twice a second until the content is drawn anew."""
        self._watchers.append(watcher)

    # What a page shows

    async def draft(self) -> DraftFacts | None:
        """Return the drafted policy; without a table say where to choose one, and return None."""
        if self.project.session.source is not None:
            draft = await self.await_answer(self.project.draft(), "Drafting a policy")
            self.note_drawn()
            return draft
        blocks.draw_note(["There is no table yet."])
        with blocks.draw_bar():
            blocks.draw_primary_button("Choose a table", lambda: ui.navigate.to(steps.TABLE.path))
        return None

    async def await_answer(self, asked: Awaitable[_Answer], words: str) -> _Answer:
        """Wait for an answer of the worker; until then the page says what it waits for."""
        with blocks.draw_box("bar").props("role=status") as waiting:
            ui.spinner(size="sm").props("aria-hidden=true")
            blocks.draw_text("span", f"{words} …", "quiet")
        try:
            return await asked
        finally:
            if not waiting.is_deleted:
                waiting.delete()

    def note_drawn(self) -> None:
        """Note that the page shows table and policy as they are now: it is not drawn anew."""
        self._seen = self.project.state
        self.refresh_around()

    @staticmethod
    def show_error(error: IncrowdError) -> None:
        """Say what is wrong where the answer would be, in the library's words."""
        blocks.draw_note((page_sentence(error.message), page_sentence(error.remedy)), "bad")

    # What the user does

    async def change(
        self, edit: Callable[[str], str], *, redraw: bool = False, world: WorldFiles | None = None
    ) -> bool:
        """Change policy and perhaps world; return whether incrowd accepts it, else say why."""
        accepted = False
        with self.saying_refusals():
            accepted = await self.project.change(edit, world)
        if not accepted:
            return False
        self.project.passed.add(self.step)
        if redraw:
            self.redraw()
        else:
            self._seen = self.project.state
            self.refresh_around()
        return True

    @contextmanager
    def saying_refusals(self) -> Iterator[None]:
        """Show an error of incrowd that is raised in here as a message, and go on."""
        try:
            yield
        except IncrowdError as error:
            self.notify_refusal(error)

    @staticmethod
    def notify_refusal(error: IncrowdError) -> None:
        """Show an error as a message that stays until it is closed."""
        words = f"{page_sentence(error.message)} {page_sentence(error.remedy)}"
        ui.notify(words, type="negative", timeout=0, close_button="Close", multi_line=True)

    def refresh_around(self) -> None:
        """Show the state of the steps, of undo and of the drawer as it is now."""
        self._draw_steps.refresh()
        self._draw_tools.refresh()
        self._same_as.refresh()

    def _undo(self) -> None:
        self.project.session.undo()
        self.redraw()

    def _redo(self) -> None:
        self.project.session.redo()
        self.redraw()

    def _undo_or_redo(self, pressed: Any) -> None:
        """Undo on Ctrl+Z and redo on Ctrl+Y, or with the command key."""
        if not (pressed.action.keydown and (pressed.modifiers.ctrl or pressed.modifiers.meta)):
            return
        if pressed.key == "z":
            self._undo()
        elif pressed.key == "y":
            self._redo()

    # Header and rail

    def _draw_header(self) -> None:
        with ui.header().classes("top"):
            menu = _tool_button("menu", "Show or hide the steps", self._toggle_rail)
            menu.classes("lt-md")
            ui.link("incrowd", "/").classes("brand")
            self._draw_tools()

    @ui.refreshable_method
    def _draw_tools(self) -> None:
        """Draw the name of the table and the buttons of the header."""
        session = self.project.session
        name = Path(session.source).name if session.source else "no table yet"
        blocks.draw_text("span", name, "file").props["title"] = name
        undo = _tool_button("undo", "Undo the last change (Ctrl+Z)", self._undo)
        undo.set_enabled(session.can_undo)
        redo = _tool_button("redo", "Redo (Ctrl+Y)", self._redo)
        redo.set_enabled(session.can_redo)
        _tool_button("code", "Same as: policy file, command, Python", self._toggle_same_as)
        dark = ui.dark_mode(self.project.dark)
        _tool_button("contrast", "Light, dark, or as the system", lambda: self._next_scheme(dark))
        _tool_button("help_outline", "What this page is for", self._open_help).classes("wide-only")

    def _next_scheme(self, dark: ui.dark_mode) -> None:
        """Go on to the next of: as the system, dark, light."""
        schemes: tuple[bool | None, ...] = (None, True, False)
        self.project.dark = schemes[(schemes.index(self.project.dark) + 1) % 3]
        dark.value = self.project.dark
        words = {None: "as the system", True: "dark", False: "light"}
        ui.notify(f"Colours: {words[self.project.dark]}", position="bottom")

    def _toggle_rail(self) -> None:
        self._left.toggle()

    def _toggle_same_as(self) -> None:
        self._same_as.toggle()

    def _draw_rail(self) -> None:
        self._left = ui.left_drawer(fixed=True).props("width=230 breakpoint=1023")
        with self._left, blocks.name_for_readers(blocks.draw_box("rail", "nav"), "Steps"):
            self._draw_steps()

    @ui.refreshable_method
    def _draw_steps(self) -> None:
        """Draw a link to each step, with how it stands."""
        with ui.element("ol"):
            for number, step in enumerate(steps.STEPS, start=1):
                state = standing.state_of(self.project, step)
                with blocks.draw_box(state, "li"), ui.link(target=step.path) as link:
                    if step is self.step:
                        link.props("aria-current=page")
                    mark = {"done": "✓", "attention": "!"}.get(state, str(number))
                    blocks.draw_text("span", mark, "dot").props("aria-hidden=true")
                    blocks.draw_text("span", step.name)
                    if words := standing.state_words(self.project, step):
                        blocks.draw_text("span", words, "state")

    def _open_help(self) -> None:
        with ui.dialog() as dialog, ui.card():
            blocks.draw_text("h2", f"{self.step.name}: {self.step.sentence}")
            for sentence in HELP:
                blocks.draw_text("p", sentence)
            blocks.draw_plain_button("Close", dialog.close)
        dialog.open()

    def draw_next_button(self, *, first: bool = True) -> None:
        """Draw the button to the next step: a primary one if `first`; none on the last page."""
        following = dict(pairwise(steps.STEPS)).get(self.step)
        if following is None:
            return
        with blocks.draw_box("next bar end"):
            # A link: it works while the page is being drawn anew, when buttons come and go.
            # Its address says which step was gone through.
            button = ui.button(f"Next: {following.name}", color=None)
            button.props["href"] = f"{following.path}?after={self.step.name}"
            button.props("unelevated color=primary" if first else "outline")


HELP = (
    "The steps on the left go from a table to a checked release. You can leave each and come back.",
    "Everything you do changes one policy file. “Same as” shows it, also as a command and Python.",
    "Undo is Ctrl+Z. Nothing leaves this computer. Cells are not shown unless you turn that on.",
)


def _tool_button(icon: str, label: str, go: Callable[[], Any]) -> ui.button:
    """Draw a button of the header with an icon; its label is read aloud and shown as a tip."""
    with ui.button(icon=icon, on_click=go, color=None).props("flat dense") as button:
        ui.tooltip(label)
    button.props["aria-label"] = label
    return button
