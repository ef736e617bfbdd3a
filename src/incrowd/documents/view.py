"""What a notebook shows of a result: a sentence, a picture and a table."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from incrowd.documents.page import Block, Figure, Table, Text
from incrowd.documents.pictures import Picture
from incrowd.documents.words import SHOWN

if TYPE_CHECKING:
    from incrowd.verify.verdict import Verdict

MOST_DRAWN = 30
"""Entries of a long list that a picture shows."""


@dataclass(frozen=True)
class View:
    """A result as a notebook shows it; its main table whole, as programs get it."""

    headline: Text
    picture: Picture
    table: Table
    document: Callable[[], dict[str, Any]]
    notes: tuple[str, ...] = ()
    more: tuple[Block, ...] = ()
    """What else a notebook shows, below the table."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks that a notebook shows."""
        rows = self.table.rows[:SHOWN]
        shown = Table(self.table.head, rows, self.table.caption)
        more = len(self.table.rows) - len(rows)
        rest = [f"{more:,} more rows are in to_frame()."] if more else []
        notes = (*rest, *self.notes)
        quiet = (Text(notes, "quiet"),) if notes else ()
        return (self.headline, Figure(self.picture), shown, *self.more, *quiet)


def good(text: str, *, when: bool = True) -> Text:
    """A sentence that is good news, or bad news."""
    return Text((text,), "good" if when else "bad")


def models_table(models: "Iterable[Verdict]") -> Table:
    """What each model asks for, and what the rows reach."""
    rows = tuple(
        (model.name, model.column or "", model.asked, model.reached, "yes" if model.ok else "no")
        for model in models
    )
    return Table(("model", "column", "asked", "reached", "met"), rows, "What was promised")
