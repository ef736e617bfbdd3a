"""Table: choose a file, and see what its columns hold, without any of its cells."""

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
from incrowd.web.wording import sentence


async def show(frame: Frame) -> None:
    """Draw the page."""
    if frame.project.session.source is None:
        _choose(frame)
        return
    try:
        facts = await frame.answer(frame.project.look(), "Reading the table")
    except FailedJobError as error:
        _unread(frame, error)
        return
    frame.note_drawn()
    _head(frame, facts)
    _columns(facts)
    reading_form.show(frame)
    await _cells(frame)
    frame.next_button()


def _unread(frame: Frame, error: FailedJobError) -> None:
    """Say why the file cannot be read, and lead on: read it otherwise, or choose another."""
    frame.refresh_around()
    name = Path(frame.project.session.source or "").name
    blocks.text("h2", f"{name} cannot be used")
    frame.in_place(error)
    with blocks.bar():
        blocks.other("Try again", lambda: _again_looked(frame), "refresh")
    reading_form.show(frame, opened=True)
    _choose(frame)


def _again_looked(frame: Frame) -> None:
    frame.project.table_run.forget()
    frame.redraw()


def _head(frame: Frame, facts: OpenedTable) -> None:
    with blocks.box("between"):
        blocks.text(
            "h2", f"{count_of(facts.records, 'record')}, {count_of(len(facts.columns), 'column')}"
        )
        with blocks.bar():
            blocks.other("Another table", lambda: _forget(frame), "folder_open")
    if frame.project.session.passing:
        blocks.note(_passing(frame))
    for words in facts.notes:
        blocks.note([sentence(words)])


def _passing(frame: Frame) -> tuple[str, ...]:
    """What becomes of a copy, and of what is made of it."""
    session = frame.project.session
    return (
        "This is a private copy. It is deleted when incrowd ui ends or you choose another table.",
        f"The release goes into the folder {session.folder.name or '/'}, and stays.",
    )


def _forget(frame: Frame) -> None:
    frame.project.close()
    frame.redraw()


def _columns(facts: OpenedTable) -> None:
    head = ("Column", "Type", "Different values", "Share of records", "Missing")
    add = blocks.table(head, "Columns of the table", numeric=(2, 3, 4))
    for column in facts.columns:
        add(
            column.name,
            column.kind,
            blocks.whole(column.distinct),
            _share_of(column),
            _missing(column, facts),
        )
    blocks.text(
        "p",
        "A share near 100 % means that the column alone tells people apart. Cells are not shown.",
        "quiet small",
    )


def _missing(column: ColumnFacts, facts: OpenedTable) -> str:
    if column.missing is None:
        return blocks.whole(None)
    return blocks.percent(column.missing / facts.records) if facts.records else ""


def _share_of(column: ColumnFacts) -> Callable[[], None]:
    return lambda: blocks.share(column.distinct_share)


async def _cells(frame: Frame) -> None:
    """The switch for raw cells, and the first rows if it is on: for this session only."""

    def switch_cells() -> None:
        frame.project.raw_cells = bool(switch.value)
        frame.redraw()

    with blocks.card("Cells"):
        switch = ui.switch(
            "Show the first rows on this screen, in this session only",
            value=frame.project.raw_cells,
            on_change=switch_cells,
        )
        if not frame.project.raw_cells:
            return
        rows = await frame.answer(
            frame.project.ask(jobs.ShowRows(frame.project.table)),
            "Reading the first rows",
        )
        add = blocks.table(tuple(rows.columns), "First rows of the table")
        for row in rows.rows:
            add(*row)


def _choose(frame: Frame, relative: str = "") -> None:
    """The files of the folder, and the made-up hospital for those who only look."""
    session = frame.project.session
    place = blocks.box("stack")
    with place, blocks.card(f"Files in {Path(session.folder).name or '/'}"):
        listed = files.listing(session.folder, relative)
        entries = [entry for entry in listed if entry.folder or entry.table]
        if relative:
            up = str(Path(relative).parent)
            _entry("arrow_upward", "..", lambda: _again(frame, place, "" if up == "." else up))
        if not entries:
            blocks.text("p", "There is no table here. Hand one over from elsewhere.")
        for entry in entries:
            icon = "folder" if entry.folder else "table_chart"
            _entry(icon, entry.name, partial(_pick, frame, place, entry))
    with place, blocks.card("A table from elsewhere"):
        FileDrop("table", "Choose a file", lambda: _handed_over(frame))
        blocks.text(
            "p",
            "The browser hands over a copy. It stays on this computer, where only you can read it, "
            "and is deleted when incrowd ui ends.",
            "quiet small",
        )
    with place, blocks.card("No table at hand?"):
        blocks.text("p", "Try it on a made-up hospital: its patients do not exist.")
        with blocks.bar():
            blocks.primary("Use the made-up hospital", lambda: _demo(frame))


def _entry(icon: str, name: str, go: Callable[[], None]) -> None:
    with ui.button(on_click=go, color=None).props("flat align=left no-caps").classes("entry"):
        ui.icon(icon).props("aria-hidden=true")
        blocks.text("span", name)


def _again(frame: Frame, place: ui.element, relative: str) -> None:
    with frame.saying_refusals():
        files.listing(frame.project.session.folder, relative)
        place.clear()
        with place:
            _choose(frame, relative)


def _pick(frame: Frame, place: ui.element, entry: files.FolderEntry) -> None:
    if entry.folder:
        _again(frame, place, entry.relative)
        return
    frame.project.open(files.within(frame.project.session.folder, entry.relative))
    frame.redraw()


def _handed_over(frame: Frame) -> None:
    if (path := frame.project.session.uploads.take("table")) is not None:
        frame.project.open(path)
        frame.redraw()


async def _demo(frame: Frame) -> None:
    path = frame.project.session.private / same_as.DEMO
    frame.project.open(await frame.project.ask(jobs.WriteHospital(str(path))))
    frame.redraw()
