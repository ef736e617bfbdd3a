"""Settings of a column's hierarchy: its kind, its levels, its weight, and files."""

from nicegui import ui

from incrowd.web import edits, files, jobs
from incrowd.web.pages import blocks, fields
from incrowd.web.pages.frame import Frame

_KINDS = {
    "number": ("auto", "intervals", "flat"),
    "date": ("auto", "dates", "flat"),
    "text": ("auto", "prefix", "regions", "zip-codes", "flat"),
}
_WORDS = {
    "auto": "suggested from the values",
    "intervals": "intervals",
    "dates": "months, quarters, years",
    "prefix": "first characters",
    "regions": "regions of the world",
    "zip-codes": "ZIP codes",
    "flat": "all or nothing",
    "tree": "groups made by hand",
    "codes": "groups of a published list",
    "file": "a file",
    "ordered": "an order made by hand",
}


async def show(frame: Frame, name: str) -> None:
    """Draw the card with the settings of a column's hierarchy."""
    column = edits.columns(frame.policy)[name]
    kind = await frame.project.kind_of(name)
    now = str(edits.hierarchy_of(frame.policy, name)["name"])
    options = {key: _WORDS[key] for key in dict.fromkeys((*_KINDS[kind], now))}

    def put(key: str) -> fields.Put:
        """A function that changes this setting of the column."""
        return lambda value: frame.change(
            lambda text: edits.with_column(text, name, {key: _whole_if_possible(value)}),
            redraw=True,
        )

    with blocks.draw_card("How it becomes coarser"):
        fields.draw_choice(options, "Hierarchy", now, put("hierarchy"))
        fields.draw_number("Lowest level shown", column.get("lowest", 0), put("lowest"))
        highest = column.get("highest")
        fields.draw_number("Highest level shown", highest, put("highest"), clearable=True)
        weight = column.get("weight", 1)
        fields.draw_number("Weight: how much its loss matters", weight, put("weight"))
        _draw_files(frame, name)


def _whole_if_possible(value: object) -> object:
    """The value; a number without a fraction as a whole one, which policies ask for."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _draw_files(frame: Frame, name: str) -> None:
    """Draw the fold that imports the hierarchy from a CSV file or exports it."""
    session = frame.project.session
    there = [one.name for one in files.list_folder(session.folder, "") if one.name.endswith(".csv")]

    async def import_file() -> None:
        if chosen.value is None:
            ui.notify("Choose a file first.", position="bottom")
            return
        spec = {"name": "file", "path": str(chosen.value)}
        await frame.change(lambda t: edits.with_column(t, name, {"hierarchy": spec}), redraw=True)

    with ui.expansion("From or to a CSV file").props("dense"), blocks.draw_box("stack"):
        chosen = ui.select(there, label="File of the folder").props("outlined dense")
        with blocks.draw_bar():
            blocks.draw_plain_button("Import", import_file, "upload_file")
            blocks.draw_plain_button("Export", lambda: _export(frame, name), "download")


async def _export(frame: Frame, name: str) -> None:
    project = frame.project
    job = jobs.ExportHierarchy(project.table, project.session.policy, name)
    with frame.saying_refusals():
        ui.download.content(await project.ask(job), f"{name}.hierarchy.csv")
