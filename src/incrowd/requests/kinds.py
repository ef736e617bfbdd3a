"""Kinds of options: what a value is, in Python and on the command line, and its limits."""

import math
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

from incrowd.errors import PolicyError

Form: TypeAlias = Literal[
    "plain", "table", "repeated", "columns", "sets", "names", "numbers", "words", "steps"
]
"""How the command line takes a value: as it is, as its argument, as often as it is repeated, as
columns with commas between them, as a list of column sets, as COLUMN=OTHER, or by column as a
number, as a word, or as a step of numbers or dates."""


@dataclass(frozen=True)
class OptionKind:
    """What a value is: its word in help texts, its type on the command line, its limits."""

    metavar: str | None
    type: type = str
    form: Form = "plain"
    least: float = -math.inf
    most: float = math.inf
    remedy: str = "give 1, for example"
    example: str = "age=10"
    """What follows the flag, for a form that takes values by column."""

    def refuse_wrong(self, name: str, value: Any) -> None:
        """For a plain number refuse other types, NaN, and values out of its limits; None passes."""
        if value is None or self.type not in {int, float} or self.form != "plain":
            return
        number = Integral if self.type is int else Real
        if isinstance(value, bool) or not isinstance(value, number):
            words = "a whole number" if self.type is int else "a number"
            raise PolicyError(f"{name} must be {words}", remedy=self.remedy)
        if not self.least <= float(value) <= self.most:
            raise PolicyError(f"{name} must be {self._limits}", remedy=self.remedy)

    @property
    def _limits(self) -> str:
        """The limits of a number, in words."""
        if math.isinf(self.most):
            return "a number" if math.isinf(self.least) else f"{self.least:g} or more"
        return f"from {self.least:g} to {self.most:g}"


@dataclass(frozen=True)
class Group:
    """The title under which help and forms show an option."""

    title: str


@dataclass(frozen=True)
class Flags:
    """How the command line spells an option that is not called as its field is."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)


@dataclass(frozen=True)
class Parts:
    """Marks a field whose value has options of its own: they take its place on the command line."""

    options: type
    without: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    """The options that take its place; all if none are named."""

    def has(self, name: str) -> bool:
        """Whether the option of this name is one of the parts."""
        return name not in self.without and (not self.only or name in self.only)


TABLE = OptionKind("FILE", form="table")
FILE = OptionKind("FILE")
FILES = OptionKind("FILE", form="repeated")
COLUMN = OptionKind("COLUMN")
COLUMNS = OptionKind("COLUMNS", form="columns")
SETS = OptionKind("COLUMNS", form="sets")
OTHER_NAMES = OptionKind("COLUMN=OTHER", form="names", example="zip=zipcode")
WEIGHTS = OptionKind("COLUMN=WEIGHT", form="numbers", example="zip=2")
PEOPLE = OptionKind("PEOPLE")
SWITCH = OptionKind(None, bool)
NUMBER = OptionKind("N", int)
COUNT = replace(NUMBER, least=0)
SIZE = replace(NUMBER, least=1)
YEAR = OptionKind("YEAR", int, remedy="write 2026, for example")
SHARE = OptionKind("SHARE", float, least=0, most=1, remedy="give 0.1, for example")
PART = OptionKind("SHARE", float)
"""A share whose limits are told where it is used."""
CHANCE = replace(SHARE, metavar="CHANCE")
EXPOSED = replace(SHARE, remedy="give a share: 0.2 is one in five")

IN_COLUMNS = Group("Columns")
HOLD = Group("What must hold")
COARSER = Group("How values get coarser")
SEARCHING = Group("How to search")
WORLDS = Group("Worlds")
WRITING = Group("Writing")
READING = Group("Reading")
