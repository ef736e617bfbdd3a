"""Pages: blocks of figures and sentences as one HTML file that needs nothing else.

A page loads nothing and runs nothing that was not written here: its policy (CSP) names its style
sheet and its script, if it has one, by their hashes. Whatever is put into it is escaped.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from operator import attrgetter
from typing import Any, ClassVar, Literal, TypeAlias

from incrowd.documents.interactive import chart_script
from incrowd.documents.pictures import Picture, svg
from incrowd.documents.pictures.looks import style_rules
from incrowd.documents.templates import render

Cell: TypeAlias = str | float | int | None
"""A cell of a table of figures; None is shown as withheld or not there."""
Columns: TypeAlias = Mapping[str, str | Callable[[Any], Cell]]
"""By head: the field of an item that a column shows, or what makes its cells."""


@dataclass(frozen=True)
class FigureTable:
    """Figures in rows; columns of numbers are aligned to the right."""

    block: ClassVar[str] = "table"
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""

    @classmethod
    def of(cls, items: Iterable[Any], columns: Columns, caption: str = "") -> "FigureTable":
        """Make a table with a row for each item; `columns` says by head what a cell shows."""
        cells = [attrgetter(of) if isinstance(of, str) else of for of in columns.values()]
        return cls(tuple(columns), tuple(tuple(c(item) for c in cells) for item in items), caption)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """For each column, whether it holds a number, and nothing else but None."""
        columns = [[row[n] for row in self.rows if n < len(row)] for n in range(len(self.head))]
        return tuple(_are_numbers(column) for column in columns)


@dataclass(frozen=True)
class Paragraphs:
    """Sentences, each a paragraph; a command is shown as it is typed."""

    block: ClassVar[str] = "text"
    sentences: tuple[str, ...]
    kind: Literal["plain", "good", "bad", "quiet", "command"] = "plain"


@dataclass(frozen=True)
class PictureBlock:
    """A picture with its sentence below, and its figures as a table that can be unfolded."""

    block: ClassVar[str] = "figure"
    picture: Picture
    table: FigureTable | None = None

    @property
    def svg_text(self) -> str:
        """The picture as an SVG element."""
        return svg(self.picture)


@dataclass(frozen=True)
class Interactive:
    """A chart of Vega-Lite that answers a pointer; without scripts the figure is shown."""

    block: ClassVar[str] = "interactive"
    spec: Mapping[str, Any]
    fallback: PictureBlock


@dataclass(frozen=True)
class Folded:
    """Blocks that are unfolded when somebody asks for them."""

    block: ClassVar[str] = "folded"
    summary: str
    blocks: "tuple[Block, ...]"


Block: TypeAlias = FigureTable | Paragraphs | PictureBlock | Interactive | Folded


@dataclass(frozen=True)
class Section:
    """A part of a page with a heading that links can point to."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Page:
    """A whole page: the verdict first, then its sections, then how it was made."""

    title: str
    verdict: Paragraphs
    sections: tuple[Section, ...]
    made: str = ""


def page_html(page: Page) -> str:
    """Write the page as one HTML file."""
    blocks = [block for section in page.sections for block in section.blocks]
    sheet = style_rules() + render("page.css")
    code = chart_script() if _has_chart(blocks) else ""
    return render(
        "page.html", page=page, sheet=sheet, script=code, policy=_content_policy(sheet, code)
    )


def fragment_html(blocks: Iterable[Block]) -> str:
    """Write blocks for a notebook as one HTML element with its style sheet."""
    sheet = style_rules() + render("blocks.css")
    return render("fragment.html", items=tuple(blocks), sheet=sheet)


def _content_policy(sheet: str, code: str) -> str:
    """The rule that lets a browser use this style sheet and run this script alone, if not empty."""
    runs = f"; script-src {_digest(code)}" if code else ""
    return (
        f"default-src 'none'; style-src {_digest(sheet)}{runs}; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    """The hash of a text as a content policy names it."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _has_chart(blocks: Iterable[Block]) -> bool:
    """Whether one of the blocks, or of those folded in them, is an interactive chart."""
    return any(
        isinstance(block, Interactive) or (isinstance(block, Folded) and _has_chart(block.blocks))
        for block in blocks
    )


def _are_numbers(cells: Sequence[Cell]) -> bool:
    """Whether all cells but None are numbers, and there is one."""
    known = [cell for cell in cells if cell is not None]
    return bool(known) and not any(isinstance(cell, str) for cell in known)
