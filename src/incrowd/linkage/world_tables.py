"""The tables of an attack, what an attacker knows of them, and the tables of a world."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Protocol

import numpy as np

from incrowd.arrays import Codes
from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy
from incrowd.linkage.attack_data import LIMIT
from incrowd.linkage.world import World, join_by_id
from incrowd.table.column import CodedColumn, Domain, Kind, Missing
from incrowd.table.encode import as_missing
from incrowd.table.marks import CodingTable, MissingMarks
from incrowd.table.parse import MARKS


class CodableColumns(CodingTable, Protocol):
    """A table that codes its columns: an engine."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""

    @property
    def records(self) -> int:
        """The number of records."""


@dataclass(frozen=True, eq=False)
class AttackTable:
    """One table of an attack, and what messages call it."""

    name: str
    engine: CodableColumns
    text: bool = False
    """Whether it comes from a text file, so that labels must be read as text."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its columns."""
        return self.engine.names

    def require_column(self, name: str) -> str:
        """Return the name if the table has a column of it; `PolicyError` if it has none."""
        if name not in self.names:
            raise PolicyError(
                f"the {self.name} has no column {name!r}", remedy="it has: " + ", ".join(self.names)
            )
        return name

    def code_values(self, called: str, knowledge: "AttackerKnowledge", name: str) -> CodedColumn:
        """Code a column by its values; `called` is its name here, `name` that in the release."""
        return knowledge.marks.code_column(self.engine, name, knowledge.kinds.get(name), called)

    def code_labels(
        self, called: str, knowledge: "AttackerKnowledge", name: str | None = None
    ) -> CodedColumn:
        """Code a column by the text that it shows, under the release's name for it.

        In a text file, a column of numbers or dates has further marks of missing values.
        """
        kind = Kind.TEXT if self.text else None
        marks, own = knowledge.marks, name or called
        shown = marks.code_column(self.engine, own, kind, self.require_column(called))
        if not self.text or MARKS.isdisjoint(shown.domain.labels.tolist()):
            return shown
        values = marks.code_column(self.engine, own, None, called)
        return shown if values.domain.kind is Kind.TEXT else as_missing(shown, tuple(MARKS))


@dataclass(frozen=True, kw_only=True)
class AttackerKnowledge:
    """What an attacker knows, and what the tables call it."""

    world_id: str | None = None
    """The column that tells individuals apart in the world, the truth and the original."""
    knows: Sequence[str] = ()
    """The columns that the attacker knows; none named: see `AttackTables.known_columns`."""
    quasi: Sequence[str] = ()
    """The quasi-identifiers of the policy."""
    sensitive: Sequence[str] = ()
    """The sensitive columns that are asked for."""
    declared: Sequence[str] = ()
    """The sensitive columns of the policy; they count if none is asked for."""
    rename: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """From the release's name of a column to that of the other tables."""
    truth_key: str | None = None
    """A column of release and truth that says which rows belong together."""
    kinds: Mapping[str, Kind | None] = field(default_factory=lambda: MappingProxyType({}))
    """What the policy says the values of a column are."""
    hierarchy: Callable[[str], AnyHierarchy | None] = lambda _: None
    """What builds the hierarchy of a column."""
    missing: Missing = Missing.OWN_VALUE
    marks: MissingMarks = field(default_factory=MissingMarks)
    """What means missing, by the release's names of columns."""
    one_each: bool = True
    """Whether every released row is about a different person."""
    listed: float | None = None
    """The share of the released people who are in the world, if the tables do not show it."""
    limit: float = LIMIT
    """A chance above this counts as found or learned."""

    def name_in(self, name: str, names: Sequence[str]) -> str:
        """The name of a release column in a table of these columns: its new name if it is there."""
        called = self.rename.get(name, name)
        return called if called in names else name


@dataclass(frozen=True, eq=False)
class WorldTables:
    """The tables that make a world, with columns under the release's names."""

    parts: tuple[AttackTable, ...]
    knowledge: AttackerKnowledge

    def __post_init__(self) -> None:
        if self.knowledge.world_id is not None:
            for part in self.parts:
                part.require_column(self.knowledge.world_id)
        elif len(self.parts) > 1:
            raise PolicyError(
                "several tables of a world need an id column that joins them",
                remedy="name the id column that all of them have (--world-id)",
            )

    def build_world(self, names: Sequence[str]) -> World:
        """Build the world of these columns; the tables that have some of them are joined by id."""
        parts = [self._columns(part, names) for part in self.parts]
        if self.knowledge.world_id is None:
            return World(parts[0])
        return join_by_id([(held, ids) for held, ids in zip(parts, self._ids, strict=True) if held])

    @property
    def individual_by_id(self) -> dict[str, int]:
        """By id: the number of its individual in any world of these tables, which must have ids."""
        labels = self._ids[0].domain.labels.tolist()
        return {label: code for code, label in enumerate(labels, start=1)}

    def numbers_of_ids(self, ids: CodedColumn) -> Codes:
        """The number of the individual with each of these ids; 0 for ids that these tables lack."""
        number = self.individual_by_id
        code = [0, *(number.get(label, 0) for label in ids.domain.labels.tolist())]
        return np.array(code, dtype=np.int32)[ids.codes]

    @property
    def notes(self) -> tuple[str, ...]:
        """A note, if some individuals are not in all tables: how many, and what that means."""
        if len(self.parts) < 2:
            return ()
        tables = np.bincount(np.concatenate([np.unique(one.codes) for one in self._ids]))[1:]
        some = int(((tables > 0) & (tables < len(self.parts))).sum())
        text = f"{some:,} of {np.count_nonzero(tables):,} individuals are not in all tables of the"
        return (f"{text} world: what these do not say counts as missing",) if some else ()

    def _columns(self, part: AttackTable, names: Sequence[str]) -> dict[str, CodedColumn]:
        """The columns among these that one table has, coded, by the release's name."""
        held = {name: self.knowledge.name_in(name, part.names) for name in names}
        return {
            name: part.code_values(called, self.knowledge, name)
            for name, called in held.items()
            if called in part.names
        }

    @cached_property
    def _ids(self) -> list[CodedColumn]:
        """The ids of each table, all coded by one domain."""
        world_id = str(self.knowledge.world_id)
        ids = [part.code_labels(world_id, self.knowledge) for part in self.parts]
        return ids if len(ids) == 1 else _recode_by_labels(ids)


def _recode_by_labels(columns: Sequence[CodedColumn]) -> list[CodedColumn]:
    """Code columns anew by one domain of all their labels, which are in no order."""
    code: dict[str, int] = {}
    every = [column.domain.labels.tolist() for column in columns]
    spots = [[0, *(code.setdefault(label, len(code) + 1) for label in one)] for one in every]
    domain = Domain(Kind.TEXT, np.array(list(code), dtype=object))
    return [
        CodedColumn(column.name, np.array(spot, dtype=np.int32)[column.codes], domain)
        for column, spot in zip(columns, spots, strict=True)
    ]
