"""What a notebook shows of a result: a sentence, a picture and a table."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from incrowd.documents.page import Block, FigureTable, Paragraphs, PictureBlock
from incrowd.documents.pictures import Picture
from incrowd.documents.words import SHOWN

if TYPE_CHECKING:
    from incrowd.verify.verdict import Verdict

MOST_DRAWN = 30
"""Entries of a long list that a picture shows."""


@dataclass(frozen=True)
class ResultView:
    """A result as a notebook shows it; its main table whole, as programs get it."""

    headline: Paragraphs
    picture: Picture
    table: FigureTable
    document: Callable[[], dict[str, Any]]
    notes: tuple[str, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks that a notebook shows: sentence, picture and table."""
        rows = self.table.rows[:SHOWN]
        shown = FigureTable(self.table.head, rows, self.table.caption)
        more = len(self.table.rows) - len(rows)
        rest = [f"{more:,} more rows are in to_frame()."] if more else []
        notes = (*rest, *self.notes)
        quiet = (Paragraphs(notes, "quiet"),) if notes else ()
        return (self.headline, PictureBlock(self.picture), shown, *quiet)


def good_or_bad_news(text: str, *, when: bool = True) -> Paragraphs:
    """Make a paragraph that is marked as good news if `when` holds, else as bad news."""
    return Paragraphs((text,), "good" if when else "bad")


def models_table(models: "Iterable[Verdict]") -> FigureTable:
    """Make a table of what each model asks for, and what the rows reach."""
    rows = tuple(
        (model.name, model.column or "", model.asked, model.reached, "yes" if model.ok else "no")
        for model in models
    )
    return FigureTable(("model", "column", "asked", "reached", "met"), rows, "What was promised")
