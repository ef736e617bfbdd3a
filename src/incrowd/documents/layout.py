"""Lines and tables for a terminal. Column names may hold anything, so every text is made safe."""

from collections.abc import Iterable
from itertools import pairwise

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from incrowd.documents.words import printable

GOOD, BAD, QUIET = "green", "bold red", "dim"
SHOWN = 20
"""Rows of a long list that a terminal shows; --json has all of them."""


def line(text: str, style: str = "") -> Text:
    """A text without characters that steer a terminal."""
    return Text(printable(text), style=style)


def lines(texts: Iterable[str], style: str = "") -> list[RenderableType]:
    """A line for each text."""
    return [line(text, style) for text in texts]


def table(*heads: str) -> Table:
    """An empty table with these heads; without a head row if all of them are empty."""
    made = Table(box=None, pad_edge=False, show_header=any(heads), padding=(0, 2, 0, 0))
    for head in heads:
        made.add_column(head, header_style="bold", overflow="fold")
    return made


def spaced(first: RenderableType, *others: RenderableType) -> Group:
    """The parts below each other, with an empty line around tables."""
    shown = [first]
    for before, part in pairwise((first, *others)):
        room = isinstance(before, Table) or isinstance(part, Table)
        shown += [Text(), part] if room else [part]
    return Group(*shown)


def hidden(count: int) -> list[RenderableType]:
    """What a terminal leaves out of a long list."""
    return [line(f"and {count:,} more; --json lists them", QUIET)] if count > 0 else []
