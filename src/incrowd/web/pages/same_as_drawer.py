"""The drawer "Same as": what the page does, as a policy file, a command and Python."""

from collections.abc import Callable

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from incrowd.web import same_as
from incrowd.web.pages import blocks
from incrowd.web.pages.project import Project
from incrowd.web.session import PageSession

_TEXTS: tuple[tuple[str, Callable[[PageSession], str], str], ...] = (
    ("Policy", same_as.policy_text, ""),
    ("Command", same_as.shell_command, "wrap"),
    ("Python", same_as.python_program, ""),
)
"""The name of each tab, the function that makes its text, and the style of the text."""
_NOTHING = "Open a table first."


class SameAs:
    """The drawer of one tab."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._drawer = ui.right_drawer(value=False, fixed=True).props("width=430")
        blocks.name_for_readers(self._drawer, "Same as")
        with self._drawer:
            self._draw()

    def toggle(self) -> None:
        """Show or hide the drawer."""
        self._drawer.toggle()

    def refresh(self) -> None:
        """Show the texts as they are now."""
        for name, words, _ in _TEXTS:
            self._shown[name].set_text(self._text_now(words))
        self._show_copy_note()

    def _show_copy_note(self) -> None:
        """Show the note on a table that is a copy and is deleted in the end; hide it for others."""
        words = same_as.copy_note(self._project.session)
        self._first.set_text(words)
        self._first.set_visibility(bool(words))

    def _text_now(self, words: Callable[[PageSession], str]) -> str:
        """The text that `words` makes of the session; without table or policy, what to do first."""
        session = self._project.session
        return words(session) if session.source and session.policy else _NOTHING

    def _draw(self) -> None:
        """Draw the note, a tab for each text, and the button to download all of them."""
        with blocks.draw_box("between"):
            blocks.draw_text("h2", "Same as")
            close = ui.button(icon="close", on_click=self._drawer.hide, color=None)
            blocks.name_for_readers(close.props("flat dense"), "Close")
        blocks.draw_text("p", "Whatever you do here is one of these. All make the same release.")
        self._first = blocks.draw_text("p", "", "note warn")
        self._show_copy_note()
        with ui.tabs().props("dense align=left no-caps") as tabs:
            places = {name: ui.tab(name) for name, _, _ in _TEXTS}
        with ui.tab_panels(tabs, value=places["Policy"]).props("animated=false"):
            self._shown = {
                name: self._draw_panel(places[name], self._text_now(words), classes)
                for name, words, classes in _TEXTS
            }
        blocks.draw_plain_button("Download session", self._download, "download")
        blocks.draw_text("p", "A folder that reruns it: policy, command, Python.", "quiet small")

    @staticmethod
    def _draw_panel(tab: ui.tab, words: str, classes: str) -> TextElement:
        """Draw a text on its tab, with a button that copies it; return the text's element."""
        with ui.tab_panel(tab).classes("same-as"):
            code = blocks.draw_text("pre", words, f"code {classes}").props("tabindex=0 role=region")
            blocks.name_for_readers(code, str(tab.props["name"]))
            blocks.draw_plain_button("Copy", lambda: ui.clipboard.write(code.text), "content_copy")
        return code

    def _download(self) -> None:
        ui.download.content(same_as.zip_archive(self._project.session), "incrowd-session.zip")
