"""The grid of a tree: a row for each value, a column for each level, everything to be chosen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui
from nicegui.element import Element

from incrowd.errors import count_of
from incrowd.web.facts import HierarchyFacts, TreeFacts
from incrowd.web.pages import blocks
from incrowd.web.trees import Row

Place = tuple[int, str]
"""A level, and a value or label of it."""
_OVER = "(e) => { if (e.target.closest('td [data-n]')) e.preventDefault(); }"
_DROPPED = (
    "(e) => { e.preventDefault(); const p = e.target.closest('td [data-n]'); "
    "const n = e.dataTransfer.getData('text/plain'); "
    "if (p && /^[0-9]+$/.test(n)) emit([Number(n), Number(p.dataset.n)]); }"
)
WITHHELD = "withheld"


@dataclass(frozen=True)
class Cell:
    """A value or a label, its records (None: withheld), and over how many rows it stands."""

    level: int
    label: str
    records: int | None
    rows: int = 1


def rows_of(shown: TreeFacts) -> list[list[Cell]]:
    """The cells to draw in each row: a label is in the first of the rows that it stands over."""
    paths = {row[0]: row for row in shown.rows}
    records = {one.label: one.records for one in shown.values if one.label is not None}
    rows = _sort_side_by_side([paths[label] for label in records])
    runs = _row_counts(rows)
    return [
        [
            Cell(0, row[0], records[row[0]]),
            *(
                Cell(level, row[level], shown.nodes[level].get(row[level]), runs[number, level])
                for level in range(1, len(row) - 1)
                if (number, level) in runs
            ),
        ]
        for number, row in enumerate(rows)
    ]


def _sort_side_by_side(rows: Sequence[Row]) -> list[Row]:
    """Sort rows so that those of one label are together; labels come as their first rows do."""
    order = {
        place: n
        for n, place in enumerate(dict.fromkeys(p for r in rows for p in _path_from_top(r)))
    }
    return sorted(rows, key=lambda row: [order[place] for place in _path_from_top(row)])


def _path_from_top(row: Row) -> list[Place]:
    """The labels of a row from the top down to the value, each with its level."""
    return [(level, row[level]) for level in range(len(row) - 1, -1, -1)]


def _row_counts(rows: Sequence[Row]) -> dict[tuple[int, int], int]:
    """How many rows each label stands over, by the row in which it begins and its level."""
    found: dict[tuple[int, int], int] = {}
    for level in range(1, len(rows[0]) - 1 if rows else 0):
        begin = 0
        for number in range(len(rows)):
            if rows[number][level] != rows[begin][level]:
                begin = number
            found[begin, level] = number - begin + 1
    return found


class TreeGrid:
    """The grid as a table; `choose` gets the place clicked, `drop` where a drag began and ended."""

    def __init__(
        self, column: str, choose: Callable[[Place], Any], drop: Callable[[Place, Place], Any]
    ) -> None:
        self._column, self._choose, self._drop = column, choose, drop
        self._buttons: dict[Place, Element] = {}
        self._body = blocks.draw_box("stack")

    def draw(self, shown: TreeFacts, levels: HierarchyFacts | None) -> None:
        """Draw these rows, with the counts of each level if they are known."""
        self._buttons = {}
        self._body.clear()
        with self._body, blocks.draw_box("wide tree").props("tabindex=0 role=region") as scroll:
            with blocks.draw_box("grid", "table") as table:
                height = len(shown.rows[0]) - 1 if shown.rows else 1
                _draw_head(height, levels)
                with ui.element("tbody"):
                    for cells in rows_of(shown):
                        with ui.element("tr"):
                            self._draw_row(cells)
                    if shown.few:
                        self._draw_hidden_row(shown, height)
            self._listen_to_clicks_and_drags(table)
        blocks.name_for_readers(scroll, f"Values of {self._column} and their labels")

    def _listen_to_clicks_and_drags(self, table: Element) -> None:
        table.on("click", self._choose_at, js_handler=blocks.CHOSEN)
        table.on("dragstart", js_handler=blocks.DRAGGED)
        table.on("dragover", js_handler=_OVER)
        table.on("drop", self._drop_at, js_handler=_DROPPED)

    def _draw_row(self, cells: Sequence[Cell]) -> None:
        """Draw the value of a row, its records, and the labels that begin in the row."""
        first, *others = cells
        with blocks.draw_box("", "th").props("scope=row"):
            self._draw_button(first)
        blocks.draw_text("td", _count_words(first.records), "number")
        for cell in others:
            with ui.element("td") as place:
                place.props["rowspan"] = cell.rows
                self._draw_button(cell)
                blocks.draw_text("span", _count_words(cell.records), "quiet small count")

    def _draw_hidden_row(self, shown: TreeFacts, height: int) -> None:
        """Draw one row for all values of fewer than 5 records."""
        values = count_of(shown.few, "value")
        with blocks.draw_box("few", "tr"):
            blocks.draw_text("th", f"values of fewer than 5 records: {values}").props("scope=row")
            blocks.draw_text("td", WITHHELD, "number")
            for level in range(1, height):
                with ui.element("td"):
                    if shown.by_hand and (level, shown.other) not in self._buttons:
                        self._draw_button(Cell(level, shown.other, None))
                    else:
                        words = shown.other if shown.by_hand else "as the hierarchy says"
                        blocks.draw_text("span", words, "quiet")

    def _draw_button(self, cell: Cell) -> None:
        place = cell.level, cell.label
        made = blocks.draw_text("button", cell.label, "choice")
        made.props("type=button aria-pressed=false draggable=true")
        made.props["data-n"] = len(self._buttons)
        what = "value" if cell.level == 0 else f"label of level {cell.level}"
        made.props["aria-label"] = f"{cell.label}, {what}"
        self._buttons[place] = made

    def _choose_at(self, event: Any) -> None:
        """Choose the place that was clicked on; the browser sends its number."""
        if (place := self._place_of(event.args)) is not None:
            self._choose(place)

    async def _drop_at(self, event: Any) -> None:
        """Drop one place on another; the browser sends the numbers of both."""
        dragged, onto = map(self._place_of, event.args)
        if dragged is not None and onto is not None:
            await self._drop(dragged, onto)

    def _place_of(self, number: int) -> Place | None:
        """The place that the browser names by this number; None if the grid lacks it by now."""
        places = list(self._buttons)
        return places[number] if 0 <= number < len(places) else None

    def mark_chosen(self, chosen: set[Place]) -> None:
        """Show these places, and no others, as chosen."""
        for place, button in self._buttons.items():
            words = str(place in chosen).lower()
            if button.props.get("aria-pressed") != words:
                button.props["aria-pressed"] = words


def _draw_head(height: int, levels: HierarchyFacts | None) -> None:
    """Draw the head for the levels below `height`, the top, with their counts if known."""
    with ui.element("thead"), ui.element("tr"):
        blocks.draw_text("th", "Value").props("scope=col")
        blocks.draw_text("th", "Records", "number").props("scope=col")
        for level in range(1, height):
            with blocks.draw_box("", "th").props("scope=col"):
                blocks.draw_text("div", f"Level {level}")
                if levels is not None and level < len(levels.levels):
                    found = levels.levels[level]
                    blocks.draw_text("div", level_words(found.nodes, found.smallest), "small")


def level_words(nodes: int, smallest: int | None) -> str:
    """How many labels a level has, and how many records the rarest; None means withheld.

    >>> level_words(6, 40), level_words(1, None)
    ('6 labels; rarest: 40', '1 label; rarest: fewer than 5')
    """
    return f"{count_of(nodes, 'label')}; rarest: {blocks.count_text(smallest)}"


def _count_words(records: int | None) -> str:
    return WITHHELD if records is None else blocks.count_text(records)
