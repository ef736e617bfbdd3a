"""The card of Promise about worlds: tables that an attacker may hold, and what they change."""

from functools import partial
from pathlib import Path

from nicegui import ui

from incrowd.errors import join_words
from incrowd.web import edits, files, jobs
from incrowd.web.facts import WorldFacts
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.project import FailedJobError
from incrowd.web.session import PageSession
from incrowd.web.wording import page_sentence

_WHAT = """\
A world is a table with names that an attacker may hold: a register of voters, say. Two models \
count its people.
k-map: each line fits at least k people of the world. Somebody who is alone in your table hides \
among them, as long as the attacker does not know who is in the table.
delta-presence: of the people of the world whom a line fits, at most a share delta is in your \
table. So nobody who reads labels alone can be surer than that who is in it.
Both are counted by containment: which values a label stands for. Somebody who knows how the \
release was searched may tell more in small worlds, so worlds of fewer than 40 people are refused \
unless all tables that could be drawn from them were searched."""
_COUNTED = {
    edits.OF_TABLE: f"people of the table ({edits.OF_TABLE})",
    edits.OF_WORLD: f"people of the world ({edits.OF_WORLD})",
}


async def draw_card(frame: Frame) -> None:
    """Draw the card about worlds; it is open if there is a world."""
    world = frame.project.session.world
    title = "Does the attacker hold another table (a world)?"
    with ui.expansion(title, value=bool(world.files)).classes("card"), blocks.draw_box("stack"):
        for words in _WHAT.splitlines():
            blocks.draw_text("p", words)
        if not world.files:
            await _WorldForm(frame).draw()
            return
        await _draw_world(frame, world)
        _draw_change(frame)


def _draw_change(frame: Frame) -> None:
    """Draw a fold with the form for another world, which is filled when it is opened."""

    async def open_form() -> None:
        if not place.default_slot.children:
            with place:
                await _WorldForm(frame).draw()

    with ui.expansion("Change the world", on_value_change=open_form).props("dense"):
        place = blocks.draw_box("stack")


async def _draw_world(frame: Frame, world: jobs.WorldFiles) -> None:
    """Draw who is in the world, whose people k counts, and a button to do without it."""
    project = frame.project
    try:
        found = await project.ask(jobs.LookAtWorld(project.table, frame.policy, world))
    except FailedJobError as error:
        frame.show_error(error)
    else:
        blocks.draw_note((*world_sentences(world, found), *map(page_sentence, found.notes)))
    counted = edits.k_model(frame.policy)

    async def choose() -> None:
        name = str(people.value)
        if name != counted and not await frame.change(
            lambda text: edits.with_k_model(text, name), redraw=True
        ):
            people.set_value(counted)

    blocks.draw_text("h3", "What k counts")
    people = ui.radio(_COUNTED, value=counted, on_change=choose)
    blocks.name_for_readers(people, "What k counts")
    with blocks.draw_bar():
        # One undo brings all of it back.
        remove = partial(frame.change, edits.without_world, redraw=True, world=jobs.NO_WORLD)
        blocks.draw_plain_button("Do without the world", remove, "delete")


def world_sentences(world: jobs.WorldFiles, found: WorldFacts) -> tuple[str, ...]:
    """Sentences on the people of a world, and the columns that it has and lacks."""
    names = join_words([Path(file).name for file in world.files])
    people = blocks.count_text(found.people)
    shares = f"{names}: {people} people. It shares {join_words(found.shared)} with your table."
    if not found.lacking:
        return (shares,)
    lacking = join_words(found.lacking)
    return (shares, f"It does not hold {lacking}: whoever has it alone does not know that.")


class _WorldForm:
    """The form that chooses the files of a world and the names of its columns."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._session = frame.project.session
        self._world = self._session.world

    async def draw(self) -> None:
        """Draw the choice of files, and what follows from it."""
        there = tables_by_path(self._session)
        if not there:
            blocks.draw_text("p", f"Put it into the folder {self._session.folder.name}.", "quiet")
            return
        chosen = [file for file in self._world.files if file in there]
        self._files = ui.select(there, value=chosen, multiple=True, label="Tables of the world")
        self._files.props("outlined dense use-chips")
        self._files.on_value_change(self._draw_columns)
        self._names = blocks.draw_box("stack")
        await self._draw_columns()

    async def _draw_columns(self) -> None:
        """Read the chosen files and ask what their columns mean; nothing without files."""
        chosen = tuple(self._files.value or ())
        if not chosen:
            self._names.clear()
            return
        run = self._frame.project.start(jobs.ListWorldColumns(self._frame.policy, chosen))
        await run.wait_for_end()
        if self._names.is_deleted or chosen != tuple(self._files.value or ()):
            return
        self._names.clear()
        with self._names:
            if run.error is not None:
                self._frame.show_error(run.error)
            elif run.value is not None:
                self._draw_questions(run.value)

    def _draw_questions(self, columns: tuple[tuple[str, ...], ...]) -> None:
        """Draw fields for what tells people apart, and for names that differ; `columns` by file."""
        common = [name for name in columns[0] if all(name in one for one in columns)]
        every = list(dict.fromkeys(name for one in columns for name in one))
        known = self._world.world_id
        words = "Column that tells its people apart"
        self._id = _draw_select(common, words if len(columns) > 1 else f"{words} (optional)", known)
        quasi = edits.columns_of_role(self._frame.policy, "quasi")
        lacking = [name for name in quasi if name not in every]
        if lacking:
            blocks.draw_text("p", "It may have other names for these columns (optional):", "quiet")
        called = dict(self._world.rename)
        self._called = {
            name: _draw_select(every, f"The world's name of {name}", called.get(name))
            for name in lacking
        }
        with blocks.draw_bar():
            blocks.draw_plain_button("Use this world", self._use_world, "public")

    async def _use_world(self) -> None:
        """Take the world of this form, if it can be read and incrowd accepts it."""
        frame, project = self._frame, self._frame.project
        called = ((name, str(one.value)) for name, one in self._called.items() if one.value)
        world = jobs.WorldFiles(tuple(self._files.value), self._id.value or None, tuple(called))
        with frame.saying_refusals():
            await project.ask(jobs.LookAtWorld(project.table, frame.policy, world))
            await frame.change(lambda text: text, redraw=True, world=world)


def tables_by_path(session: PageSession) -> dict[str, str]:
    """The names by path of the folder's tables, without the session's own table and release."""
    listed = [one for one in files.list_folder(session.folder) if one.table]
    found = {str(files.path_within(session.folder, one.relative)): one.name for one in listed}
    mine = {str(Path(path).resolve()) for path in (session.source, session.target) if path}
    return {path: name for path, name in found.items() if path not in mine}


def _draw_select(names: list[str], label: str, value: str | None) -> ui.select:
    """Draw an optional choice of a column; a value that is no choice is dropped."""
    kept = value if value in names else None
    return ui.select(names, value=kept, label=label, clearable=True).props("outlined dense")
