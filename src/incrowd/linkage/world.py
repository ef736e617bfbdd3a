"""The external tables that somebody may hold (Bettini Sections 2 and 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags
from incrowd.errors import InputError, PolicyError, counted
from incrowd.table.column import CodedColumn


@dataclass(frozen=True, eq=False)
class World:
    """Who has which public values: a finite, closed world as a relation (Bettini Section 3).

    `columns` are its public columns under the names that the release gives them, whatever their
    own are; `individual` says whose row each is, as the codes of an id column. A row without an id
    is somebody of their own, and so is every row of a world without ids. One individual may have
    several rows (Section 7): wherever people are counted, everybody counts once.
    """

    columns: Mapping[str, CodedColumn]
    individual: Codes | None = None

    def __post_init__(self) -> None:
        """Refuse a world without columns, and columns of different lengths."""
        if not self.columns:
            raise InputError("the world has no columns", remedy="give it at least one")
        lines = [column.codes for column in self.columns.values()]
        ids = [] if self.individual is None else [self.individual]
        if len({len(line) for line in (*lines, *ids)}) > 1:
            raise InputError("the columns of the world differ in length")
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))

    @property
    def names(self) -> tuple[str, ...]:
        """The public columns: Attr[W] without the id."""
        return tuple(self.columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())).codes)

    @property
    def unnamed(self) -> int:
        """Rows without an id in a world that has ids."""
        return 0 if self.individual is None else int((self.individual == MISSING).sum())

    @cached_property
    def person(self) -> Codes:
        """Whose row each is: the code of the id, and numbers above all codes where there is none.

        0 is nobody. Without ids, row r is individual r + 1.
        """
        if self.individual is None:
            return np.arange(1, self.rows + 1, dtype=np.int32)
        person = np.ascontiguousarray(self.individual, dtype=np.int32)
        if self.unnamed:
            person = person.copy()
            first = int(person.max(initial=0)) + 1
            person[person == MISSING] = np.arange(first, first + self.unnamed, dtype=np.int32)
        return person

    @cached_property
    def rows_of(self) -> Counts:
        """How many rows each individual has, by their number."""
        return np.bincount(self.person, minlength=1).astype(np.int64)

    @cached_property
    def people(self) -> int:
        """Number of individuals."""
        return self.rows if self.individual is None else int((self.rows_of > 0).sum())

    @property
    def everybody_once(self) -> bool:
        """Whether every individual has one row."""
        return self.people == self.rows

    @cached_property
    def alone(self) -> Flags:
        """Per row: whether its individual has no other."""
        if self.everybody_once:
            return np.ones(self.rows, dtype=np.bool_)
        alone: Flags = self.rows_of[self.person] == 1
        return alone

    def held(self, name: str) -> Counts:
        """How many rows have each code of a column, missing first; counted once."""
        if name not in self._held:
            column = self.columns[name]
            counts = np.bincount(column.codes, minlength=len(column.domain) + 1)
            self._held[name] = counts.astype(np.int64)
        return self._held[name]

    @cached_property
    def _held(self) -> dict[str, Counts]:
        return {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What is taken for granted about who is who, in words."""
        if self.individual is None:
            return (
                f"the world has no ids: each of its {counted(self.rows, 'row')} is an individual",
            )
        if self.unnamed:
            told = f"{self.unnamed:,} of {self.rows:,} rows of the world have no id"
            return (f"{told}: each is taken for an individual of its own",)
        return ()

    def select(self, names: Sequence[str]) -> "World":
        """The world that knows these columns only."""
        unknown = [name for name in names if name not in self.columns]
        if unknown or not names:
            raise PolicyError(
                f"the world has no column {unknown[0]!r}" if unknown else "no columns are named",
                remedy="name some of: " + ", ".join(self.names),
            )
        return World({name: self.columns[name] for name in names}, self.individual)

    def renamed(self, names: Mapping[str, str]) -> "World":
        """The same world under other names: from the world's name to the release's."""
        unknown = [name for name in names if name not in self.columns]
        if unknown:
            raise PolicyError(
                f"the world has no column {unknown[0]!r} to rename",
                remedy="it has: " + ", ".join(self.names),
            )
        columns = {names.get(name, name): column for name, column in self.columns.items()}
        if len(columns) < len(self.columns):
            raise PolicyError("two columns of the world would have one name")
        return World(columns, self.individual)

    def __repr__(self) -> str:
        """Without values."""
        return f"World({', '.join(self.names)}; {self.rows} rows)"
