"""Roles: what each column is, why, and which columns identify together."""

from collections.abc import Sequence

from nicegui import background_tasks, ui
from nicegui.element import Element

from incrowd.web import edits, jobs
from incrowd.web.facts import DraftFacts, FoundSets
from incrowd.web.pages import blocks
from incrowd.web.pages.board import RoleBoard
from incrowd.web.pages.effect import Effect
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.missing import MissingValues
from incrowd.web.pages.project import FailedJobError
from incrowd.web.wording import list_names_shortly, page_sentence

_ROLES = {
    "quasi": ("quasi-identifier", "Others may know it, such as a birth date. It becomes coarser."),
    "sensitive": (
        "sensitive",
        "Nobody should learn it about a person. It stays, mixed within each class.",
    ),
    "identifier": ("identifier", "It names the person. It does not leave."),
    "keep": ("keep as it is", "None of these, and people need it."),
    "drop": ("drop", "Nobody needs it. It does not leave."),
    "unit": ("person (unit)", "It says which records belong to one person. It does not leave."),
    "weight": ("weight", "A sampling weight. It stays as it is."),
}
"""What the page calls each role, and what it means."""
ROLES = {role: name for role, (name, _) in _ROLES.items()}


async def show(frame: Frame) -> None:
    """Draw the page."""
    drafted = await frame.draft()
    if drafted is None:
        return
    with blocks.draw_box("side"):
        with blocks.draw_box("stack"):
            review = blocks.draw_box("stack")
            board = blocks.draw_card("Board")
            columns = blocks.draw_card("Columns")
            missing = MissingValues(frame, drafted)
            _draw_meanings()
        with blocks.draw_box("stack"):
            effect = Effect(frame)
            found = blocks.draw_card("Columns that identify together")
    roles = _Roles(frame, effect)
    with review:
        roles.draw_summary()
    with board:
        roles.draw_board()
    with columns, blocks.draw_box("roles"):
        for name in edits.columns(frame.policy):
            roles.draw_line(name, drafted)
    frame.draw_next_button()
    await effect.show_answer()
    await missing.show_counts()
    with found:
        place = blocks.draw_box("stack")
    await _show_sets(frame, place)


def roles_of(text: str) -> dict[str, str]:
    """The role of each column of a policy, by the column's name."""
    return {name: str(column["role"]) for name, column in edits.columns(text).items()}


class _Roles:
    """The roles as a board and as a list; both show the policy, whichever was used."""

    def __init__(self, frame: Frame, effect: Effect) -> None:
        self._frame, self._effect = frame, effect
        self._selects: dict[str, ui.select] = {}
        self._confirms: dict[str, Element] = {}
        """By column: what asks somebody to look at it, until somebody has."""
        self._board: RoleBoard

    @ui.refreshable_method
    def draw_summary(self) -> None:
        """Draw which columns still need a look, and a button that confirms all; else nothing."""
        names = self._frame.project.unreviewed
        if not names:
            return
        words = "1 column needs" if len(names) == 1 else f"{len(names):,} columns need"
        with blocks.draw_note([f"{words} your eye: {list_names_shortly(names)}."], "warn"):
            blocks.draw_text("p", "Change what is wrong, and confirm what is right.")
            with blocks.draw_bar():
                blocks.draw_plain_button(
                    "All of them are right", lambda: self._confirm(names), "done_all"
                )

    def _confirm(self, names: Sequence[str]) -> None:
        """Note that somebody has reviewed these columns, and ask about them no longer."""
        self._frame.project.review(names)
        for name in names:
            if name in self._confirms:
                self._confirms.pop(name).delete()
        self.draw_summary.refresh()
        self._frame.note_drawn()

    def draw_board(self) -> None:
        """Draw the board of roles."""
        self._board = RoleBoard(ROLES, self._put)
        self._board.draw(roles_of(self._frame.policy))

    def draw_line(self, name: str, drafted: DraftFacts) -> None:
        """Draw the line of a column: its role to choose, and the reason for the drafted one."""
        with blocks.draw_box("role"):
            with blocks.draw_box("bar"):
                blocks.draw_text("span", name, "name")
                if name in self._frame.project.unreviewed:
                    with blocks.draw_box("bar") as self._confirms[name]:
                        blocks.draw_tag("review", "warn")
                        button = blocks.draw_plain_button("Confirm", lambda: self._confirm([name]))
                        blocks.name_for_readers(button.props("dense"), f"Confirm {name}")
            role = roles_of(self._frame.policy)[name]
            select = ui.select(ROLES, value=role).props("dense outlined options-dense")
            select.on_value_change(lambda: self._put(name, str(select.value)))
            blocks.name_for_readers(select, f"Role of {name}")
            blocks.draw_text("span", drafted.reasons.get(name, ""), "reason quiet small")
        self._selects[name] = select

    async def _put(self, name: str, role: str) -> None:
        """Give a column this role, if incrowd accepts that; board and lines show what holds."""
        if roles_of(self._frame.policy)[name] == role:
            return
        if await self._frame.change(lambda text: edits.with_role(text, name, role)):
            self._confirm([name])
            self._effect.ask()
        self._show_roles()

    def _show_roles(self) -> None:
        now = roles_of(self._frame.policy)
        for name, select in self._selects.items():
            select.set_value(now[name])
        self._board.draw(now)


def _draw_meanings() -> None:
    with ui.expansion("What the roles mean").classes("card"), blocks.draw_box("stack", "dl"):
        for word, meaning in _ROLES.values():
            with blocks.draw_box(""):
                blocks.draw_text("dt", word).style("font-weight: 650")
                blocks.draw_text("dd", meaning).style("margin: 0")


async def _show_sets(frame: Frame, place: Element) -> None:
    """Find the sets and show them in `place`, or why that failed with a button to look again."""
    place.clear()
    with place:
        ui.spinner().props("aria-label=working")
    run = frame.project.sets_run.start(jobs.FindSets(frame.project.table))
    try:
        found = await run.wait_for_answer()
    except FailedJobError as error:
        place.clear()
        with place:
            blocks.draw_text("p", page_sentence(error.message), "quiet")
            blocks.draw_plain_button(
                "Look again", lambda: background_tasks.create(_show_sets(frame, place))
            )
        return
    place.clear()
    with place:
        _draw_sets(found)


def _draw_sets(found: FoundSets) -> None:
    """Draw a table of the first 12 sets and how much each tells apart."""
    if not found.sets:
        blocks.draw_text("p", "No few columns tell most records apart.")
        return
    share = blocks.percent(found.ratio)
    blocks.draw_text("p", f"Each of these sets tells at least {share} of the records apart:")
    add = blocks.draw_table(("Columns", "Told apart"), "Sets of columns", numeric=(1,))
    for one in found.sets[:12]:
        add(" + ".join(one.columns), blocks.percent(one.distinct))
    if len(found.sets) > 12:
        blocks.draw_text("p", f"and {len(found.sets) - 12} more", "quiet small")
    if found.sampled:
        blocks.draw_text("p", page_sentence(found.promise), "quiet small")
