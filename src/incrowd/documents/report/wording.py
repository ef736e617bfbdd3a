"""Figures in the words of a report."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Literal

from incrowd.documents.page import Block, Cell, FigureTable, Paragraphs
from incrowd.documents.pictures import Series
from incrowd.documents.words import number
from incrowd.withholding import FEW


def share_or_few(share: float | None, few: str = f"{FEW} records") -> str:
    """A share in percent as text; `few` if it is None: withheld, as few records are behind it.

    Only all is 100 %, and only nothing is 0 %.

    >>> [share_or_few(share) for share in (0.1234, 0.00004, 0.99999, 1.0, None)]
    ['12.3 %', 'below 0.1 %', 'above 99.9 %', '100 %', 'fewer than 5 records']
    """
    if share is None:
        return few
    if 0 < share < 0.001:
        return "below 0.1 %"
    if 0.999 < share < 1:
        return "above 99.9 %"
    return f"{number(round(100 * share, 1))} %"


def count_or_few(count: int | None) -> str:
    """A count of records as text; `fewer than 5` if it is None, that is, withheld."""
    return FEW if count is None else number(count)


def round_figures(row: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells of a row with its fractions in four decimals."""
    return tuple(round(cell, 4) if isinstance(cell, float) else cell for cell in row)


def paragraphs(*sentences: str, kind: Literal["plain", "quiet"] = "plain") -> tuple[Block, ...]:
    """Put sentences into a block, each a paragraph; no block if all are empty."""
    said = tuple(sentence for sentence in sentences if sentence)
    return (Paragraphs(said, kind),) if said else ()


quiet_paragraphs = partial(paragraphs, kind="quiet")
"""The same in a quiet colour, for what is only good to know."""


def before_after_series(
    before: tuple[float | None, ...] | None, after: tuple[float | None, ...]
) -> tuple[Series, ...]:
    """The bars of the release, after those of the original unless `before` is None."""
    release = Series("release", after)
    return (release,) if before is None else (Series("original", before), release)


def figure_table(
    head: Sequence[str], rows: Iterable[Sequence[Cell]], caption: str = ""
) -> FigureTable:
    """Make a table of figures from heads and rows of cells."""
    return FigureTable(tuple(head), tuple(map(tuple, rows)), caption)
