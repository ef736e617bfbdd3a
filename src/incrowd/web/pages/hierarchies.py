"""Hierarchies: how the values of each column become coarser, with counts at every level."""

from collections.abc import Sequence
from typing import Any

from nicegui import ui
from nicegui.element import Element

from incrowd.web import edits, jobs
from incrowd.web.facts import DraftFacts, HierarchyFacts, HistogramFacts, LevelFacts
from incrowd.web.pages import blocks, drawings, hierarchy_settings
from incrowd.web.pages.effect import Effect
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.project import FailedJobError
from incrowd.web.pages.suggestions import Suggestions
from incrowd.web.pages.tree_editor import TreeEditor
from incrowd.web.pages.tree_grid import level_words


async def show(frame: Frame) -> None:
    """Draw the page."""
    drafted = await frame.draft()
    if drafted is None:
        return
    names = edits.columns_of_role(frame.policy, "quasi")
    if not names:
        blocks.draw_note(
            ["No column is a quasi-identifier, so none becomes coarser. See Roles."], "warn"
        )
        frame.draw_next_button()
        return
    name = frame.project.column if frame.project.column in names else names[0]
    _draw_tabs(frame, names, name)
    await _ColumnView(frame, name, drafted).draw()


class _ColumnView:
    """One column as the page shows it; a change of its tree draws anew what depends on it."""

    def __init__(self, frame: Frame, name: str, drafted: DraftFacts) -> None:
        self._frame, self._name = frame, name
        with blocks.draw_box("side"):
            with blocks.draw_box("stack"):
                self._levels, self._work = blocks.draw_box("stack"), blocks.draw_box("stack")
            with blocks.draw_box("stack"):
                self._settings, offers = blocks.draw_box("stack"), blocks.draw_box("stack")
                self._effect = Effect(frame)
        with offers:
            self._offers = Suggestions(frame, name, drafted)
        frame.draw_next_button()

    async def draw(self) -> None:
        """Ask for the column's levels and suggestions, and draw them and its editors."""
        project = self._frame.project
        job = jobs.ShowHierarchy(project.table, self._frame.policy, self._name)
        shown: HierarchyFacts | None = None
        with self._levels:
            try:
                shown = await self._frame.await_answer(project.ask(job), "Counting the levels")
            except FailedJobError as error:
                self._frame.show_error(error)
        await self._draw_levels_and_settings(shown)
        with self._work:
            await self._draw_editors(shown)
        await self._effect.show_answer()
        await self._offers.show_answer()

    async def _draw_levels_and_settings(self, shown: HierarchyFacts | None) -> None:
        """Draw the settings anew, and the levels unless they are unknown (None)."""
        if shown is not None:
            self._levels.clear()
            with self._levels:
                _draw_levels(self._name, shown)
        self._settings.clear()
        with self._settings:
            await hierarchy_settings.show(self._frame, self._name)

    async def _draw_editors(self, shown: HierarchyFacts | None) -> None:
        """Draw what edits the hierarchy: cut points of numbers; a tree, or a button for one."""
        frame, name = self._frame, self._name
        kind = await frame.project.kind_of(name)
        if kind == "number":
            await _draw_cuts(frame, name)
        if kind == "text" or edits.hierarchy_of(frame.policy, name)["name"] == "tree":
            await self._draw_tree(shown)
            return
        with blocks.draw_bar() as bar:
            blocks.draw_plain_button(
                "Group values by hand", lambda: self._show_tree(bar, shown), "account_tree"
            )

    async def _show_tree(self, bar: Element, shown: HierarchyFacts | None) -> None:
        """Draw the tree in place of the row with the button that asks for it."""
        bar.delete()
        with self._work:
            await self._draw_tree(shown)

    async def _draw_tree(self, levels: HierarchyFacts | None) -> None:
        """Ask for the values and draw the editor of their tree, or say why there is none."""
        project = self._frame.project
        job = jobs.ShowTree(project.table, self._frame.policy, self._name)
        try:
            shown = await self._frame.await_answer(project.ask(job), "Listing the values")
        except FailedJobError as error:
            self._frame.show_error(error)
            return
        if shown.rows:
            TreeEditor(self._frame, self._name, self._redraw_after_edit).show(shown, levels)
        else:
            blocks.draw_text(
                "p", "No value has 5 records or more, so none is listed here.", "quiet"
            )

    async def _redraw_after_edit(self, levels: HierarchyFacts) -> None:
        """Draw anew what depends on the tree, which now has these levels."""
        await self._draw_levels_and_settings(levels)
        self._offers.draw()
        self._effect.ask()


def _draw_tabs(frame: Frame, names: Sequence[str], name: str) -> None:
    """Draw a tab for each column; choosing one shows its hierarchy."""

    def choose(event: Any) -> None:
        frame.project.column = str(event.value)
        frame.redraw()

    with ui.tabs().props("dense align=left no-caps outside-arrows") as tabs:
        places = {one: ui.tab(one) for one in names}
    tabs.set_value(places[name])
    tabs.on_value_change(choose)
    blocks.name_for_readers(tabs, "Quasi-identifying columns")


def _draw_levels(name: str, shown: HierarchyFacts) -> None:
    """Draw the card with the levels of a column side by side."""
    with blocks.draw_card(f"Levels of {name}"):
        blocks.draw_text(
            "p", "Level 0 is the value as it is. Labels of fewer than 5 records are hidden."
        )
        with blocks.draw_box("levels").props("tabindex=0 role=region") as row:
            for level in shown.levels:
                _draw_level(level, shown)
        blocks.name_for_readers(row, f"Levels of {name}")


def _draw_level(level: LevelFacts, shown: HierarchyFacts) -> None:
    """Draw a level with its most frequent labels; one that the policy rules out looks different."""
    used = shown.lowest <= level.level <= shown.highest
    with blocks.draw_box("level" if used else "level out"):
        blocks.draw_text("h3", f"Level {level.level}")
        blocks.draw_text("p", level_words(level.nodes, level.smallest), "quiet small")
        with ui.element("ul"):
            for one in level.labels[:8]:
                if one.label is not None:
                    with ui.element("li"):
                        blocks.draw_text("span", one.label)
                        blocks.draw_text("span", blocks.count_text(one.records))


async def _draw_cuts(frame: Frame, name: str) -> None:
    """Draw a histogram where clicks say where intervals begin; nothing for fewer than 2 bins."""
    project = frame.project
    fine = edits.with_column(project.session.policy, name, {"hierarchy": "intervals"})
    shown = await project.ask(jobs.ShowHistogram(project.table, fine, name))
    edges, counts = edges_and_counts(shown)
    cuts = edits.cuts_of(frame.policy, name)
    if len(edges) < 2:
        return

    async def cut(number: int) -> None:
        new = edits.with_cut_toggled(cuts, edges[number])
        spec = {"name": "intervals", "cuts": new} if new else "intervals"
        await frame.change(lambda t: edits.with_column(t, name, {"hierarchy": spec}), redraw=True)

    with blocks.draw_card("Cut points"):
        blocks.draw_text(
            "p", "Click where an interval should begin. A second click takes the cut away."
        )
        drawings.draw_histogram(edges, counts, cuts, cut)
        if cuts:
            listed = ", ".join(f"{at:,g}" for at in cuts)
            blocks.draw_text("p", f"Intervals begin at {listed}.", "quiet")


def edges_and_counts(shown: HistogramFacts) -> tuple[list[float], list[int | None]]:
    """The lower ends of bins that have one, ascending, and their records (None if withheld)."""
    found = {one.low: one.records for one in shown.bins if one.low is not None}
    edges = sorted(found)
    return edges, [found[edge] for edge in edges]
