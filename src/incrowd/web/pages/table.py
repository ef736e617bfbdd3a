"""Table: choose a file, and see what its columns hold; cells only if the user asks for them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from nicegui import ui

from incrowd.errors import count_of
from incrowd.web import files, jobs, same_as
from incrowd.web.facts import ColumnFacts, OpenedTable
from incrowd.web.pages import blocks, reading_form
from incrowd.web.pages.file_drop import FileDrop
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.project import FailedJobError
from incrowd.web.wording import page_sentence


async def show(frame: Frame) -> None:
    """Draw the page."""
    if frame.project.session.source is None:
        _draw_choice(frame)
        return
    try:
        facts = await frame.await_answer(frame.project.look_at_table(), "Reading the table")
    except FailedJobError as error:
        _draw_unread(frame, error)
        return
    frame.note_drawn()
    _draw_head(frame, facts)
    _draw_columns(facts, cells=frame.project.raw_cells)
    reading_form.show(frame)
    await _draw_cells(frame)
    frame.draw_next_button()


def _draw_unread(frame: Frame, error: FailedJobError) -> None:
    """Draw why the table cannot be read, and what to do: try again, read otherwise, choose."""
    frame.refresh_around()
    name = Path(frame.project.session.source or "").name
    blocks.draw_text("h2", f"{name} cannot be used")
    frame.show_error(error)
    with blocks.draw_bar():
        blocks.draw_plain_button("Try again", lambda: _look_again(frame), "refresh")
    reading_form.show(frame, opened=True)
    _draw_choice(frame)


def _look_again(frame: Frame) -> None:
    frame.project.table_run.forget()
    frame.redraw()


def _draw_head(frame: Frame, facts: OpenedTable) -> None:
    """Draw the size of the table, and what was noted when it was read."""
    with blocks.draw_box("between"):
        blocks.draw_text(
            "h2", f"{count_of(facts.records, 'record')}, {count_of(len(facts.columns), 'column')}"
        )
        with blocks.draw_bar():
            blocks.draw_plain_button("Another table", lambda: _close_table(frame), "folder_open")
    session = frame.project.session
    if session.is_copy:
        left = "It is deleted when incrowd ui ends or you choose another table."
        stays = f"The release goes into the folder {session.folder.name or '/'}, and stays."
        blocks.draw_note((f"This is a private copy. {left}", stays))
    for words in facts.notes:
        blocks.draw_note([page_sentence(words)])


def _close_table(frame: Frame) -> None:
    frame.project.open(None)
    frame.redraw()


def _draw_columns(facts: OpenedTable, *, cells: bool) -> None:
    """Draw a table of the columns; `cells` says whether the page also shows the first rows."""
    head = ("Column", "Type", "Different values", "Share of records", "Missing")
    add = blocks.draw_table(head, "Columns of the table", numeric=(2, 3, 4))
    for column in facts.columns:
        add(
            column.name,
            column.kind,
            blocks.count_text(column.distinct),
            lambda column=column: blocks.draw_share(column.distinct_share),
            _missing_share(column, facts),
        )
    words = "A share near 100 % means that the column alone tells people apart."
    blocks.draw_text("p", words if cells else f"{words} Cells are not shown.", "quiet small")


def _missing_share(column: ColumnFacts, facts: OpenedTable) -> str:
    """The percentage of the records without a value; withheld if few, empty without records."""
    if column.missing is None:
        return blocks.count_text(None)
    return blocks.percent(column.missing / facts.records) if facts.records else ""


async def _draw_cells(frame: Frame) -> None:
    """Draw the switch that shows the first rows, and the rows while it is on."""

    def switch_cells() -> None:
        frame.project.raw_cells = bool(switch.value)
        frame.redraw()

    with blocks.draw_card("Cells"):
        switch = ui.switch(
            "Show the first rows on this screen, in this session only",
            value=frame.project.raw_cells,
            on_change=switch_cells,
        )
        if not frame.project.raw_cells:
            return
        rows = await frame.await_answer(
            frame.project.ask(jobs.ShowRows(frame.project.table)), "Reading the first rows"
        )
        add = blocks.draw_table(tuple(rows.columns), "First rows of the table")
        for row in rows.rows:
            add(*row)


def _draw_choice(frame: Frame, relative: str = "") -> None:
    """Draw the ways to choose a table; its files are those of `relative` in the chosen folder."""
    session = frame.project.session
    place = blocks.draw_box("stack")
    with place, blocks.draw_card(f"Files in {Path(session.folder).name or '/'}"):
        listed = files.list_folder(session.folder, relative)
        entries = [entry for entry in listed if entry.folder or entry.table]
        if relative:
            up = str(Path(relative).parent)
            _draw_entry(
                "arrow_upward", "..", lambda: _draw_folder(frame, place, "" if up == "." else up)
            )
        if not entries:
            blocks.draw_text("p", "There is no table here. Hand one over from elsewhere.")
        for entry in entries:
            icon = "folder" if entry.folder else "table_chart"
            _draw_entry(icon, entry.name, partial(_open_entry, frame, place, entry))
    with place, blocks.draw_card("A table from elsewhere"):
        FileDrop("table", "Choose a file", lambda: _open_upload(frame))
        blocks.draw_text(
            "p",
            "The browser hands over a copy. It stays on this computer, where only you can read it, "
            "and is deleted when incrowd ui ends.",
            "quiet small",
        )
    with place, blocks.draw_card("No table at hand?"):
        blocks.draw_text("p", "Try it on a made-up hospital: its patients do not exist.")
        with blocks.draw_bar():
            blocks.draw_primary_button("Use the made-up hospital", lambda: _open_hospital(frame))


def _draw_entry(icon: str, name: str, go: Callable[[], None]) -> None:
    with ui.button(on_click=go, color=None).props("flat align=left no-caps").classes("entry"):
        ui.icon(icon).props("aria-hidden=true")
        blocks.draw_text("span", name)


def _draw_folder(frame: Frame, place: ui.element, relative: str) -> None:
    """Draw the choice in `place` anew for another folder; if that cannot be read, say why."""
    with frame.saying_refusals():
        files.list_folder(frame.project.session.folder, relative)
        place.clear()
        with place:
            _draw_choice(frame, relative)


def _open_entry(frame: Frame, place: ui.element, entry: files.FolderEntry) -> None:
    """Show the folder that was chosen in `place`, or open the file as the table."""
    if entry.folder:
        _draw_folder(frame, place, entry.relative)
        return
    frame.project.open(files.path_within(frame.project.session.folder, entry.relative))
    frame.redraw()


def _open_upload(frame: Frame) -> None:
    if (path := frame.project.session.uploads.take("table")) is not None:
        frame.project.open(path)
        frame.redraw()


async def _open_hospital(frame: Frame) -> None:
    path = frame.project.session.private / same_as.DEMO
    frame.project.open(await frame.project.ask(jobs.WriteHospital(str(path))))
    frame.redraw()
