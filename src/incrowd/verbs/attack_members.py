"""Who of a world is in the table, and how many of the table are in the world."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.linkage.links import Linked, link
from incrowd.table.column import CodedColumn
from incrowd.table.fold import fold

if TYPE_CHECKING:
    from incrowd.verbs.attack_asked import Table
    from incrowd.verbs.attack_tables import Tables


@dataclass(frozen=True, eq=False)
class Members:
    """The people of a world and those of the table, held against each other."""

    tables: "Tables"

    @property
    def listed(self) -> float | None:
        """The share of the table's people who are in the world; None if nothing shows it."""
        if self.tables.asked.listed is not None:
            return self.tables.asked.listed
        named = self._named
        return None if named is None else float((named > 0).sum()) / max(len(named), 1)

    @cached_property
    def present(self) -> Floats | None:
        """By number of an individual: how likely they are in the table; None if nothing shows it.

        By ids where the original or the truth has them. Otherwise by the values of the original: of
        the individuals who have those of a record, each is equally likely that person.
        """
        named, truth = self._named, self.tables.facing.truth
        if named is None and truth is None:
            return self._by_values if self._common else None
        present = np.zeros(self._individuals)
        for ids in (named, truth):
            if ids is not None:
                present[ids] = 1.0
        present[0] = 0.0
        return present

    @property
    def sure(self) -> bool:
        """Whether it is known who is in the table, or at least nobody of it lacks in the world."""
        return self.present is not None and (self._by_id or self._everybody_fits)

    @property
    def prior(self) -> float:
        """The share of the world's people who are in the table; the most it can be if unknown."""
        people = max(self.tables.facing.world.people, 1)
        inside = self.tables.release.engine.records if self.present is None else self.present.sum()
        return min(float(inside) / people, 1.0)

    @property
    def _by_id(self) -> bool:
        return self._named is not None or self.tables.facing.truth is not None

    @property
    def _individuals(self) -> int:
        return int(self.tables.facing.world.person.max(initial=0)) + 1

    @property
    def strangers(self) -> bool:
        """Whether the original has ids, and none of them is in the world."""
        return self._ids is not None and not (self._ids > 0).any()

    @property
    def _named(self) -> Codes | None:
        """The individual of each record of the original by its id, 0 if the world lacks it.

        None if no id is in the world: they may be spelled differently, and nothing is known then.
        """
        return None if self.strangers else self._ids

    @cached_property
    def _ids(self) -> Codes | None:
        asked, original = self.tables.asked, self.tables.others.get("original")
        if asked.id is None or original is None or asked.id not in original.names:
            return None
        ids = original.labels(asked.id, asked.missing_values)
        return self.tables.holdings.numbers(ids)

    @cached_property
    def _by_values(self) -> Floats:
        """How likely each individual is in the table, if a record is anybody's with its values."""
        linked, records = self._records
        start, person = linked.candidates_of(np.arange(len(linked.candidates)))
        weight = np.repeat(records / np.maximum(linked.candidates, 1), np.diff(start))
        found = np.bincount(person, weights=weight, minlength=self._individuals)
        return np.minimum(found, 1.0)

    @property
    def _common(self) -> list[str]:
        """The columns that somebody with the world knows and the original has."""
        shared = self.tables.shared("original")
        return [name for name in self.tables.facing.names if name in shared]

    @property
    def _everybody_fits(self) -> bool:
        return not self._records[0].inconsistent

    @cached_property
    def _records(self) -> tuple[Linked, Counts]:
        """The different records of the original, linked with the world, and how many of each."""
        tables = self.tables
        facing, original = tables.facing, tables.others["original"]
        names = self._common
        columns = [_as_text(tables, original, name) for name in names]
        tally = fold([column.codes for column in columns], ())
        shown = {
            column.name: CodedColumn(column.name, line, column.domain)
            for column, line in zip(columns, tally.quasi, strict=True)
        }
        return link(shown, facing.world, on=names, missing=facing.missing), tally.counts


def _as_text(tables: "Tables", original: "Table", name: str) -> CodedColumn:
    column = original.labels(tables.called(name, "original"), tables.asked.missing_values)
    return CodedColumn(name, column.codes, column.domain)
