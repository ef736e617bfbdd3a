"""Groups made by hand: choose values or labels, put them under another label, see what counts."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from incrowd.errors import PolicyError
from incrowd.web import edits, jobs, trees
from incrowd.web.facts import HierarchyFacts, TreeFacts
from incrowd.web.pages import blocks
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.tree_grid import Place, TreeGrid
from incrowd.web.trees import TreeRows

_NEW = ""
"""Stands for a label that is not there yet."""


class TreeEditor:
    """The card in which a column's tree is changed; `after` draws what depends on it."""

    def __init__(
        self, frame: Frame, column: str, after: Callable[[HierarchyFacts], Awaitable[None]]
    ) -> None:
        self._frame, self._column, self._after = frame, column, after
        self._chosen: set[Place] = set()
        self._shown: TreeFacts
        self._one_by_one = asyncio.Lock()
        with blocks.draw_card(f"Groups of {column}"):
            blocks.draw_text(
                "p",
                "Choose values, or a label with all below it. Then put them under a label of the "
                "next level, or rename the label.",
            )
            self._draw_bars()
            self._notes = blocks.draw_box("stack")
            self._grid = TreeGrid(column, self._toggle, self._put_dragged)

    def _draw_bars(self) -> None:
        """Draw the buttons and fields that change the tree."""
        self._state = blocks.draw_text("p", "").props("role=status")
        with blocks.draw_bar():
            self._under = ui.select({_NEW: "a new label"}, value=_NEW, label="Put under")
            self._under.props("outlined dense").classes("pick")
            self._name = ui.input("Name of the label").props("outlined dense")
            blocks.draw_plain_button("Put there", self._put_chosen, "subdirectory_arrow_right")
            blocks.draw_plain_button("Rename", self._rename_chosen, "edit")
        with blocks.draw_bar():
            self._level = ui.select({0: "Values"}, value=0, label="Level")
            self._level.props("outlined dense").classes("pick")
            add = partial(self._change_at_level, trees.with_level)
            blocks.draw_plain_button("Add a level above it", add, "add")
            remove = partial(self._change_at_level, trees.without_level)
            blocks.draw_plain_button("Take it away", remove, "remove")
            clear = partial(self._change_tree, trees.without_groups)
            blocks.draw_plain_button("Start without groups", clear, "restart_alt")

    # What is shown

    def show(self, shown: TreeFacts, levels: HierarchyFacts | None) -> None:
        """Show these values with nothing chosen, and the counts of the levels if they are known."""
        self._shown = shown
        self._chosen.clear()
        self._grid.draw(shown, levels)
        self._notes.clear()
        with self._notes:
            for words in grid_sentences(shown):
                blocks.draw_text("p", words, "quiet small")
        names = {h: f"Level {h}" if h else "Values" for h in range(self._tree.top)}
        now = self._level.value if self._level.value in names else 0
        self._level.set_options(names, value=now)
        self._show_state()

    @property
    def _tree(self) -> TreeRows:
        return TreeRows(self._shown.rows, self._shown.other)

    @property
    def _chosen_level(self) -> int:
        """The level of what is chosen; 0 if nothing is."""
        return next(iter(self._chosen))[0] if self._chosen else 0

    def _toggle(self, place: Place) -> None:
        """Choose this value or label, or choose it no longer; drop what is of another level."""
        self._chosen = {one for one in self._chosen if one[0] == place[0]} ^ {place}
        self._grid.mark_chosen(self._chosen)
        self._show_state()

    def _show_state(self) -> None:
        """Say how much is chosen, and offer the labels that it can be put under."""
        level, count = self._chosen_level, len(self._chosen)
        self._state.set_text(chosen_words(level, count))
        tree = self._tree
        names = tree.labels(level + 1) if level + 1 < tree.top else ()
        options = {_NEW: "a new label"} | {name: name for name in names}
        now = self._under.value if self._under.value in options else _NEW
        self._under.set_options(options, value=now)

    # What the user does

    async def _put_chosen(self) -> None:
        """Put what is chosen under the label that is picked, or else under the name written."""
        level, chosen = self._chosen_level, [label for _, label in self._chosen]
        label = str(self._under.value or self._name.value or "")
        await self._change_tree(lambda tree: trees.put_under(tree, level, chosen, label))

    async def _put_dragged(self, dragged: Place, onto: Place) -> None:
        """Put what was dragged, and all else that is chosen with it, under a label."""
        places = self._chosen if dragged in self._chosen else {dragged}
        level, chosen = dragged[0], [label for _, label in places]
        if onto[0] != level + 1:
            words = "this label is not of the next level"
            self._frame.notify_refusal(
                PolicyError(words, remedy=f"drop it on one of level {level + 1}")
            )
            return
        await self._change_tree(lambda tree: trees.put_under(tree, level, chosen, onto[1]))

    async def _rename_chosen(self) -> None:
        """Give the chosen label the name written; refused unless exactly one is chosen."""
        level, chosen = self._chosen_level, [label for _, label in self._chosen]
        old, new = chosen[0] if len(chosen) == 1 else "", str(self._name.value or "")
        await self._change_tree(lambda tree: trees.rename(tree, level, old, new))

    async def _change_at_level(self, edit: Callable[[TreeRows, int], TreeRows]) -> None:
        """Change the tree by a function that also takes the level in the field."""
        level = int(self._level.value or 0)
        await self._change_tree(lambda tree: edit(tree, level))

    async def _change_tree(self, edit: Callable[[TreeRows], TreeRows]) -> None:
        """Change the tree if the worker can build it, else say why; the bars keep the focus."""
        async with self._one_by_one:
            project, name = self._frame.project, self._column
            with self._frame.saying_refusals():
                tree = edit(self._tree)
                text = edits.with_tree(self._frame.policy, name, tree)
                shown = await project.ask(jobs.ShowTree(project.table, text, name))
                levels = await project.ask(jobs.ShowHierarchy(project.table, text, name))
                if await self._frame.change(lambda old: edits.with_tree(old, name, tree)):
                    self._name.set_value("")
                    self.show(shown, levels)
                    await self._after(levels)


def chosen_words(level: int, count: int) -> str:
    """What is chosen, in words: `count` values, or labels of a `level` above 0.

    >>> chosen_words(0, 3), chosen_words(1, 1), chosen_words(0, 0)
    ('3 values chosen', '1 label of level 1 chosen', 'Nothing chosen yet')
    """
    many = "s" if count > 1 else ""
    what = f"label{many} of level {level}" if level else f"value{many}"
    return f"{count} {what} chosen" if count else "Nothing chosen yet"


def grid_sentences(shown: TreeFacts) -> list[str]:
    """Sentences on what the grid leaves out, and what becomes of it."""
    found = []
    if shown.few and not shown.by_hand:
        found.append(
            f"Your first change makes a tree of it: values of fewer than 5 records then go under "
            f"“{shown.other}”."
        )
    if shown.placed:
        found.append(
            f"{blocks.count_text(shown.placed)} of the values of fewer than 5 records have a place "
            "in your own policy or file and keep it."
        )
    if shown.more:
        found.append(
            f"These are the {len(shown.values)} most frequent values; "
            f"{blocks.count_text(shown.more)} more keep the labels that they have. A CSV file can "
            "hold them all."
        )
    if shown.rest:
        found.append(
            f"{blocks.count_text(shown.rest)} more values have no row in a tree: they go under "
            f"“{shown.other}”."
        )
    return found
