"""The tables of a world: one, or several that are joined by the id of their individuals."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes
from incrowd.errors import PolicyError
from incrowd.linkage.united import united
from incrowd.linkage.world import World
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.verbs.attack_asked import Asked, Table


@dataclass(frozen=True, eq=False)
class Holdings:
    """The tables with names that somebody may hold, under the release's names."""

    parts: tuple[Table, ...]
    asked: Asked

    def __post_init__(self) -> None:
        """Refuse several tables that nothing joins, and an id that one of them lacks."""
        if self.asked.id is not None:
            for part in self.parts:
                part.column(self.asked.id)
        elif len(self.parts) > 1:
            raise PolicyError(
                "several tables of a world are joined by the id of their individuals",
                remedy="name the id column that all of them have (--id)",
            )

    def world(self, names: Sequence[str]) -> World:
        """The world that knows these columns, as the release calls them."""
        parts = [self._columns(part, names) for part in self.parts]
        if self.asked.id is None:
            return World(parts[0])
        told = [(held, ids) for held, ids in zip(parts, self._ids, strict=True) if held]
        return united(told)

    @property
    def people(self) -> dict[str, int]:
        """The number of each individual in every world of these tables, by id."""
        labels = self._ids[0].domain.labels.tolist()
        return {label: code for code, label in enumerate(labels, start=1)}

    def numbers(self, ids: CodedColumn) -> Codes:
        """The individual of each id, 0 for those that these tables lack."""
        number = self.people
        code = [0, *(number.get(label, 0) for label in ids.domain.labels.tolist())]
        return np.array(code, dtype=np.int32)[ids.codes]

    @property
    def notes(self) -> tuple[str, ...]:
        """What is taken for granted about individuals of whom some tables say nothing."""
        if len(self.parts) < 2:
            return ()
        tables = np.bincount(np.concatenate([np.unique(one.codes) for one in self._ids]))[1:]
        some = int(((tables > 0) & (tables < len(self.parts))).sum())
        told = f"{some:,} of {np.count_nonzero(tables):,} individuals are not in all tables of the"
        return (f"{told} world: what is not known of them is a missing value",) if some else ()

    def _columns(self, part: Table, names: Sequence[str]) -> dict[str, CodedColumn]:
        """Those of the columns that one table has."""
        held = {name: self.asked.called(name, part.names) for name in names}
        return {
            name: part.values(called, self.asked, name)
            for name, called in held.items()
            if called in part.names
        }

    @cached_property
    def _ids(self) -> list[CodedColumn]:
        """The ids of each table, all in codes of one domain."""
        ids = [part.labels(str(self.asked.id), self.asked.missing_values) for part in self.parts]
        return ids if len(ids) == 1 else _in_one_domain(ids)


def _in_one_domain(columns: Sequence[CodedColumn]) -> list[CodedColumn]:
    """The same columns, coded alike; what a code stands for is in no order."""
    code: dict[str, int] = {}
    every = [column.domain.labels.tolist() for column in columns]
    spots = [[0, *(code.setdefault(label, len(code) + 1) for label in one)] for one in every]
    domain = Domain(Kind.TEXT, np.array(list(code), dtype=object))
    return [
        CodedColumn(column.name, np.array(spot, dtype=np.int32)[column.codes], domain)
        for column, spot in zip(columns, spots, strict=True)
    ]
