"""Kinds of cells that a released column may show, by value, class or record."""

from dataclasses import dataclass
from typing import TypeAlias

from incrowd.arrays import Codes, Texts
from incrowd.table.column import CodedColumn


@dataclass(frozen=True, eq=False)
class Keep:
    """The column leaves as it is."""


@dataclass(frozen=True, eq=False)
class ByValue:
    """A value shows the same label in every row: levels, cuts, pseudonyms."""

    column: CodedColumn
    """The codes of the column's entries, as the engine coded them."""
    labels: Texts
    """What code c shows at `labels[c]`; None is missing."""
    original: bool = False
    """Whether every label is the value itself, so that the column keeps its type."""


@dataclass(frozen=True, eq=False)
class ByClass:
    """A class shows a label, the same for all its records: spans, sets, representatives."""

    labels: Texts
    """What class c shows at `labels[c]`; None is missing."""
    original: bool = False
    """Whether every label is the original value of its records: the column keeps its type."""
    value: tuple[CodedColumn, Codes] | None = None
    """The column and, by class, the code whose original value is shown; None if labels are."""
    typed: bool = False
    """Whether labels are numbers or dates, not texts: a column of such is made."""


@dataclass(frozen=True, eq=False)
class Within:
    """Cells are permuted among the records of a class; all such columns move together."""


@dataclass(frozen=True, eq=False)
class ClassNumber:
    """A column that is added: each record's class as 1, 2, …, in order of first appearance."""


Cell: TypeAlias = Keep | ByValue | ByClass | Within | ClassNumber
