"""Hierarchies: how the values of each column become coarser, with counts at every level."""

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from incrowd.web import edits, files, jobs
from incrowd.web.facts import HierarchyFacts, HistogramFacts, LevelFacts
from incrowd.web.pages import blocks, drawings
from incrowd.web.pages.effect import Effect
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.project import FailedJobError

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
    "file": "a file",
    "ordered": "an order made by hand",
}


async def show(frame: Frame) -> None:
    """Draw the page."""
    if not frame.has_table():
        return
    await frame.answer(frame.project.draft(), "Drafting a policy")
    frame.settled()
    names = edits.of_role(frame.policy, "quasi")
    if not names:
        blocks.note(
            ["No column is a quasi-identifier, so none becomes coarser. See Roles."], "warn"
        )
        frame.next_button()
        return
    name = frame.project.column if frame.project.column in names else names[0]
    _choice(frame, names, name)
    with blocks.box("side"):
        left = blocks.box("stack")
        with blocks.box("stack"):
            settings = blocks.box("stack")
            effect = Effect(frame)
    with left:
        await _column(frame, name)
    with settings:
        await _settings(frame, name)
    frame.next_button()
    await effect.answer()


def _choice(frame: Frame, names: Sequence[str], name: str) -> None:
    def chosen(event: Any) -> None:
        frame.project.column = str(event.value)
        frame.redraw()

    with ui.tabs().props("dense align=left no-caps outside-arrows") as tabs:
        places = {one: ui.tab(one) for one in names}
    tabs.set_value(places[name])
    tabs.on_value_change(chosen)
    blocks.named(tabs, "Quasi-identifying columns")


async def _column(frame: Frame, name: str) -> None:
    project = frame.project
    try:
        shown: HierarchyFacts = await frame.answer(
            project.ask(jobs.ShowHierarchy(project.table, project.session.policy, name)),
            "Counting the levels",
        )
    except FailedJobError as error:
        frame.in_place(error)
        return
    with blocks.card(f"Levels of {name}"):
        blocks.text(
            "p", "Level 0 is the value as it is. Labels of fewer than 5 records are hidden."
        )
        with blocks.box("levels").props("tabindex=0 role=region") as row:
            for level in shown.levels:
                _level(level, shown)
        blocks.named(row, f"Levels of {name}")
    kind = await project.kind_of(name)
    if kind == "number":
        await _cuts(frame, name)
    elif kind == "text":
        _groups(frame, name, shown)


def _level(level: LevelFacts, shown: HierarchyFacts) -> None:
    used = shown.lowest <= level.level <= shown.highest
    with blocks.box("level" if used else "level out"):
        blocks.text("h3", f"Level {level.level}")
        smallest = "fewer than 5" if level.smallest is None else blocks.whole(level.smallest)
        words = "1 label" if level.nodes == 1 else f"{blocks.whole(level.nodes)} labels"
        blocks.text("p", f"{words}; rarest: {smallest}", "quiet small")
        with ui.element("ul"):
            for one in level.labels[:8]:
                if one.label is not None:
                    with ui.element("li"):
                        blocks.text("span", one.label)
                        blocks.text(
                            "span",
                            "fewer than 5" if one.records is None else blocks.whole(one.records),
                        )


async def _cuts(frame: Frame, name: str) -> None:
    """A histogram to click on: a cut where an interval begins."""
    project = frame.project
    fine = edits.with_column(project.session.policy, name, {"hierarchy": "intervals"})
    shown: HistogramFacts = await project.ask(jobs.ShowHistogram(project.table, fine, name))
    edges, counts = bins_of(shown)
    cuts = edits.cuts_of(frame.policy, name)
    if len(edges) < 2:
        return

    async def cut(number: int) -> None:
        new = edits.with_cut(cuts, edges[number])
        spec = {"name": "intervals", "cuts": new} if new else "intervals"
        await frame.change(lambda t: edits.with_column(t, name, {"hierarchy": spec}), redraw=True)

    with blocks.card("Cut points"):
        blocks.text("p", "Click where an interval should begin. A second click takes the cut away.")
        drawings.bins(edges, counts, cuts, cut)
        if cuts:
            listed = ", ".join(f"{at:,g}" for at in cuts)
            blocks.text("p", f"Intervals begin at {listed}.", "quiet")


def bins_of(shown: HistogramFacts) -> tuple[list[float], list[int | None]]:
    """The lower ends of the bins, as numbers, and their counts."""
    found = {one.low: one.records for one in shown.bins if one.low is not None}
    edges = sorted(found)
    return edges, [found[edge] for edge in edges]


def _groups(frame: Frame, name: str, shown: HierarchyFacts) -> None:
    """Put values under a common name."""
    values = [one.label for one in shown.levels[0].labels if one.label is not None]
    if not values:
        return

    async def grouped() -> None:
        chosen, title = list(many.value or ()), str(group.value)
        await frame.change(lambda t: edits.with_group(t, name, chosen, title), redraw=True)

    with blocks.card("Groups"):
        blocks.text("p", "Choose values that belong together and name their group.")
        with blocks.bar():
            many = ui.select(values, multiple=True, label="Values").props(
                "outlined dense use-chips"
            )
            many.style("min-width: 14rem; flex: 1")
            group = ui.input("Name of the group").props("outlined dense")
            blocks.other("Make the group", grouped, "add")


async def _settings(frame: Frame, name: str) -> None:
    column = edits.columns(frame.policy)[name]
    kind = await frame.project.kind_of(name)
    now = str(edits.hierarchy_of(frame.policy, name)["name"])
    options = {key: _WORDS[key] for key in dict.fromkeys((*_KINDS[kind], now))}

    async def set_to(key: str, value: object) -> None:
        await frame.change(lambda text: edits.with_column(text, name, {key: value}), redraw=True)

    with blocks.card("How it becomes coarser"):
        chosen = ui.select(options, value=now, label="Hierarchy").props("outlined dense")
        chosen.on_value_change(lambda: set_to("hierarchy", chosen.value))
        lowest = ui.number("Lowest level shown", value=column.get("lowest", 0), min=0, format="%d")
        lowest.props("outlined dense").on(
            "change", lambda: set_to("lowest", int(lowest.value or 0))
        )
        highest = ui.number("Highest level shown", value=column.get("highest"), min=0, format="%d")
        highest.props("outlined dense clearable")
        highest.on("change", lambda: set_to("highest", _whole(highest.value)))
        weight = ui.number(
            "Weight: how much its loss matters", value=column.get("weight", 1), min=0.1
        )
        weight.props("outlined dense").on("change", lambda: set_to("weight", weight.value or None))
        _files(frame, name)


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _files(frame: Frame, name: str) -> None:
    """A hierarchy from a CSV file of the folder, and into one."""
    session = frame.project.session
    there = [one.name for one in files.listing(session.folder, "") if one.name.endswith(".csv")]

    async def imported() -> None:
        spec = {"name": "file", "path": str(chosen.value)}
        await frame.change(lambda t: edits.with_column(t, name, {"hierarchy": spec}), redraw=True)

    with ui.expansion("From or to a CSV file").props("dense"), blocks.box("stack"):
        chosen = ui.select(there, label="File of the folder").props("outlined dense")
        with blocks.bar():
            blocks.other("Import", imported, "upload_file")
            blocks.other("Export", lambda: _export(frame, name), "download")


async def _export(frame: Frame, name: str) -> None:
    project = frame.project
    job = jobs.ExportHierarchy(project.table, project.session.policy, name)
    try:
        text = await project.ask(job)
    except FailedJobError as error:
        frame.refused(error)
        return
    ui.download.content(text, f"{name}.hierarchy.csv")
