"""Who of a world is in the table, and who of the table is in the world: ids decide."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Codes, Flags
from incrowd.linkage.links import Linked, link
from incrowd.table.column import CodedColumn
from incrowd.table.fold import fold

if TYPE_CHECKING:
    from incrowd.linkage.tables import AttackTables


@dataclass(frozen=True, eq=False)
class Membership:
    """Which people of a world are in the table, and which people of the table are in the world.

    Ids of the original or of the truth say it. Ids that are all spelled otherwise than in the world
    say nothing, and no ids at all say nothing either: then the values of the original tell who may
    be there at most.
    """

    tables: "AttackTables"

    @property
    def listed(self) -> float | None:
        """The share of the released people who are in the world; None if nothing says it.

        By the ids of the original, else as `AttackerKnowledge.listed` has it. If records were left
        out, the most that it can be: as if nobody on the list was left out.
        """
        named, records = self._ids_in_world, self.tables.release.engine.records
        if named is None:
            return self.tables.knowledge.listed
        return min(float((named > 0).sum()) / max(records, 1), 1.0)

    @property
    def listed_at_most(self) -> bool:
        """Whether `listed` is a bound: the ids are those of more people than were released."""
        named, records = self._ids_in_world, self.tables.release.engine.records
        return named is not None and bool(0 < (named > 0).sum() < len(named) != records)

    @property
    def known(self) -> bool:
        """Whether ids say who of the world is in the table."""
        return self._ids_in_world is not None or self.tables.linked_world.truth is not None

    @cached_property
    def inside(self) -> Flags | None:
        """By number of an individual: whether this person is in the table; nobody has number 0.

        If it is not `known`, whether the person may be: a record of the original has the person's
        values. None if nothing shows even that.
        """
        if not self.known:
            return self._inside_by_values if self._common_columns else None
        inside = np.zeros(self._number_bound, dtype=np.bool_)
        for ids in (self._ids_in_world, self.tables.linked_world.truth):
            if ids is not None:
                inside[ids] = True
        inside[0] = False
        return inside

    @property
    def gated(self) -> bool:
        """Whether limits apply to what is claimed of people of the world.

        They do if it is known who is in the table, or if the world may hold the whole table: then
        the worst case counts.
        """
        return self.known or (self.inside is not None and not self._linked_records.inconsistent)

    @property
    def prior(self) -> float:
        """The share of the world's people who are in the table; the most it can be if unknown."""
        people = max(self.tables.linked_world.world.people, 1)
        some = np.inf if self.inside is None else float(self.inside.sum())
        most = some if self.known else min(some, self.tables.release.engine.records)
        return min(most / people, 1.0)

    @property
    def notes(self) -> Iterable[str]:
        """A note if no id of the original is in the world, or more are in another spelling."""
        if self._ids is None or not len(self._ids):
            return
        listed, alike = int((self._ids > 0).sum()), self._found_in_any_spelling
        if alike > listed:
            yield (
                f"{listed:,} of {len(self._ids):,} ids of the original are in the world as they "
                f"are written, and {alike:,} apart from case, leading zeros, spaces and signs: "
                "spell ids alike"
                + ("" if listed else "; who of the table is in the world counts as unknown")
            )
        elif not listed:
            yield "no id of the original is in the world: nobody of the table is on the list"

    @property
    def _number_bound(self) -> int:
        """One more than the largest number of an individual of the world."""
        return int(self.tables.linked_world.world.person.max(initial=0)) + 1

    @property
    def _ids_in_world(self) -> Codes | None:
        """As `_ids`; None, too, if ids of the world occur, but all of them in another spelling."""
        if self._ids is None or (not (self._ids > 0).any() and self._found_in_any_spelling):
            return None
        return self._ids

    @cached_property
    def _ids(self) -> Codes | None:
        """The individual of each record of the original, by id; 0 if unknown, None without ids."""
        column = self._id_column
        return None if column is None else self.tables.world_tables.numbers_of_ids(column)

    @cached_property
    def _id_column(self) -> CodedColumn | None:
        """The ids of the original; None if it has none, or if there is no world."""
        knowledge, original = self.tables.knowledge, self.tables.others.get("original")
        if knowledge.world_id is None or original is None or not self.tables.worlds:
            return None
        if knowledge.world_id not in original.names:
            return None
        return original.code_labels(knowledge.world_id, knowledge)

    @cached_property
    def _found_in_any_spelling(self) -> int:
        """How many records of the original have an id of the world, in the same spelling or not."""
        column = self._id_column
        if column is None:
            return 0
        there = {plain_spelling(one) for one in self.tables.world_tables.individual_by_id}
        held = Counter(column.codes.tolist())
        labels = enumerate(column.domain.labels.tolist(), start=1)
        return sum(held[code] for code, one in labels if plain_spelling(one) in there)

    @cached_property
    def _inside_by_values(self) -> Flags:
        """By number of an individual: whether a record of the original has the person's values."""
        linked = self._linked_records
        _, person = linked.candidates_of(np.arange(len(linked.candidates)))
        return np.bincount(person, minlength=self._number_bound) > 0

    @property
    def _common_columns(self) -> list[str]:
        """The columns that somebody with the world knows and the original has."""
        shared = self.tables.shared_columns("original")
        return [name for name in self.tables.linked_world.names if name in shared]

    @cached_property
    def _linked_records(self) -> Linked:
        """The distinct records of the original, linked with the world by their values."""
        linked_world, names = self.tables.linked_world, self._common_columns
        columns = [self.tables.released_column(name, "original") for name in names]
        tally = fold([column.codes for column in columns], ())
        shown = {
            column.name: CodedColumn(column.name, line, column.domain)
            for column, line in zip(columns, tally.quasi, strict=True)
        }
        world, missing = linked_world.world, linked_world.missing
        return link(shown, world, on=names, missing=missing)


def plain_spelling(label: str) -> str:
    """An id as it is compared: without case, leading zeros, spaces, signs and a decimal zero.

    >>> plain_spelling(" 00-17.0"), plain_spelling("P 017"), plain_spelling("0")
    ('17', 'p017', '0')
    """
    letters = re.sub(r"[\W_]", "", re.sub(r"\.0+$", "", label.strip())).casefold()
    return letters.lstrip("0") or letters[:1]
