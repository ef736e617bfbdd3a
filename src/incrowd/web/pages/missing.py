"""Missing values: marks that mean that there is none, of every column and of single ones.

A mark of the draft is a guess: what it blanks out is counted beside it.
"""

from collections.abc import Mapping
from functools import partial

from nicegui import ui

from incrowd.web import edits, jobs
from incrowd.web.facts import DraftFacts
from incrowd.web.pages import blocks, fields
from incrowd.web.pages.frame import Frame
from incrowd.web.pages.project import FailedJobError
from incrowd.web.wording import page_sentence

_READ = {
    "own-value": "a value of its own",
    "matches-anything": "may be any value",
    "suppress": "its record is left out",
}
_LISTED = 30


class MissingValues:
    """The card of Roles about missing values."""

    def __init__(self, frame: Frame, drafted: DraftFacts) -> None:
        self._frame, self._drafted = frame, drafted
        self._counts: dict[str, ui.label] = {}
        with blocks.draw_card("Missing values"):
            blocks.draw_text(
                "p",
                "Empty cells are missing. Some tables write a mark in their place, such as -8 or "
                "n/a. Cells that hold a mark are read as empty, and leave as empty cells.",
            )
            self._draw_settings_of_all()
            self._draw_columns()

    def _draw_settings_of_all(self) -> None:
        """Draw the marks of every column, and what a missing quasi-identifier counts as."""
        policy = self._frame.policy
        now = str(edits.parse(policy).get("missing", "own-value"))
        with blocks.draw_bar():
            fields.draw_marks(
                "Marks in every column", edits.marks_of(policy), self._mark_setter(None)
            )
            label = "A missing quasi-identifier counts as"
            fields.draw_choice(_READ, label, now, self._put_reading)

    async def _put_reading(self, value: object) -> bool:
        """Set what a missing quasi-identifier counts as; return whether incrowd accepts it."""
        edit = partial(edits.with_setting, key="missing", value=value)
        return await self._frame.change(edit, redraw=True)

    def _mark_setter(self, column: str | None) -> fields.Put:
        """Make a function that sets marks of a column, now reviewed, or for None of all columns."""

        async def put(marks: list[str]) -> bool:
            accepted = await self._frame.change(
                lambda text: edits.with_marks(text, marks, column), redraw=True
            )
            if accepted and column is not None:
                self._frame.project.review([column])
                self._frame.note_drawn()
            return accepted

        return put

    def _draw_columns(self) -> None:
        """List the columns with marks of their own, and fields to give another column one."""
        every = edits.columns(self._frame.policy)
        marked = [name for name in every if edits.marks_of(self._frame.policy, name)]
        with blocks.draw_box("roles"):
            for name in marked[:_LISTED]:
                self._draw_column(name)
        if len(marked) > _LISTED:
            words = f"{len(marked) - _LISTED:,} more columns have marks: see the policy in Same as."
            blocks.draw_text("p", words, "quiet small")
        others = [name for name in every if name not in marked]
        if others:
            self._draw_other_columns(others)

    def _draw_column(self, name: str) -> None:
        """Draw the marks of a column, what they blank out, and why the draft has them."""
        with blocks.draw_box("role"):
            blocks.draw_text("span", name, "name")
            marks = edits.marks_of(self._frame.policy, name)
            fields.draw_marks(f"Marks in {name}", marks, self._mark_setter(name))
            with blocks.draw_box(""):
                self._counts[name] = ui.label("").classes("small")
                if why := self._drafted.marks.get(name):
                    blocks.draw_text(
                        "p", f"{page_sentence(why)} A guess of the draft.", "quiet small"
                    )

    def _draw_other_columns(self, others: list[str]) -> None:
        """Draw fields to give one of these columns its first mark."""

        async def add() -> None:
            if column.value is None or not str(mark.value or "").strip():
                ui.notify("Choose a column and write its mark.", position="bottom")
                return
            await self._mark_setter(str(column.value))([str(mark.value).strip()])

        with blocks.draw_bar():
            column = ui.select(others, label="Column with a mark of its own").props(
                "outlined dense"
            )
            mark = ui.input("Mark").props("outlined dense")
            blocks.draw_plain_button("Add the mark", add, "add")

    async def show_counts(self) -> None:
        """Ask how many cells are missing as the policy reads them; show it unless that fails."""
        if not self._counts:
            return
        project = self._frame.project
        job = jobs.CountMissing(project.table, self._frame.policy, tuple(self._counts))
        try:
            found: Mapping[str, int | None] = await project.ask(job)
        except FailedJobError:
            return
        for name, count in found.items():
            if not self._counts[name].is_deleted:
                self._counts[name].set_text(missing_words(count))


def missing_words(count: int | None) -> str:
    """A sentence on how many cells are read as missing; None means withheld.

    >>> missing_words(3809), missing_words(None)
    ('3,809 cells are read as missing.', 'Fewer than 5 cells are read as missing.')
    """
    many = "Fewer than 5" if count is None else blocks.count_text(count)
    return f"{many} cells are read as missing."
