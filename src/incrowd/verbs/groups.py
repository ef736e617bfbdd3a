"""Which sets of columns single out small groups of people: k-quasi-identifiers (Bettini)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import MISSING
from incrowd.engines.base import Engine
from incrowd.errors import InputError, PolicyError
from incrowd.identify.outcome import Group, Groups
from incrowd.io import files
from incrowd.io.reading import Reading, enough_memory, opened
from incrowd.linkage.identify import minimal_k_qis
from incrowd.linkage.world import World, assumptions
from incrowd.table.column import CodedColumn
from incrowd.table.encode import columns_without_codes
from incrowd.table.marks import MissingMarks
from incrowd.table.names import choose_columns, unique_names
from incrowd.verbs.tables import all_nested, codes_of, columns_to_look_at, is_batches
from incrowd.watch import NestedWatch, Watch

if TYPE_CHECKING:
    from incrowd.io.files import AnyPolicy
    from incrowd.policy.policy import Policy


@dataclass(frozen=True)
class GroupOptions:
    """What `groups` looks for. Checked before anything is read."""

    k: int
    columns: tuple[str, ...] | None = None
    """The columns to look at; None for all."""
    world_id: str | None = None
    """The column that tells individuals apart; each row is one if None."""
    max_size: int | None = None
    """The most columns of a set."""
    time_limit: float | None = 60.0

    def __post_init__(self) -> None:
        columns = None if self.columns is None else unique_names(self.columns)
        object.__setattr__(self, "columns", columns)
        if self.max_size is not None and self.max_size < 1:
            raise PolicyError("a set has at least one column", remedy="give a size of 1 or more")

    @property
    def named(self) -> tuple[str, ...]:
        """All columns that are named."""
        return (*(self.columns or ()), *(() if self.world_id is None else (self.world_id,)))


def groups(  # noqa: PLR0913  the table, and one keyword per option
    source: Any,
    k: int,
    columns: str | Sequence[str] | None = None,
    *,
    world_id: str | None = None,
    max_size: int | None = None,
    time_limit: float | None = 60.0,
    policy: AnyPolicy | None = None,
    reading: Reading | None = None,
    watch: Watch | None = None,
) -> Groups:
    """Find the minimal sets of columns whose values single out groups of at most `k` people.

    These are the k-quasi-identifiers of a world (Bettini Definition 5) that is this table alone.
    The table is a frame, a path or a table elsewhere (see `incrowd.api`). `world_id` is the column
    that tells individuals apart; without it each row is one, or each unit of the `policy`. By a
    policy, or its file, columns are read as it says, and those that leave are looked at if none are
    named.
    """
    asked = None if policy is None else files.policy_of(policy)
    if asked is not None and world_id is None:
        world_id = asked.unit
    options = GroupOptions(k, columns_to_look_at(columns, asked), world_id, max_size, time_limit)
    return groups_with(source, options, policy=asked, reading=reading, watch=watch)


def groups_with(
    source: Any,
    options: GroupOptions,
    *,
    policy: Policy | None = None,
    reading: Reading | None = None,
    watch: Watch | None = None,
) -> Groups:
    """`groups` with all options in one value."""
    watch = watch or Watch()
    if is_batches(source):
        raise PolicyError(
            "groups need all records at once, and batches pass once",
            remedy="put them together in one frame",
        )
    watch.tell("coding the columns", 0.0)
    with enough_memory(), opened(source, reading, options.named) as found_table:
        engine = found_table.engine
        notes = [str(note) for note in found_table.like.notes]
        names = _columns(engine, options, notes)
        ids = _ids(engine, options.world_id, policy)
        world = _world(engine, codes_of(engine, names, policy), ids, options.k)
        within = NestedWatch(watch, options.time_limit)
        found = minimal_k_qis(world, options.k, max_size=options.max_size, watch=within)
        people, unnamed = _people(engine, ids)
        return Groups(
            k=options.k,
            people=people,
            sets=tuple(map(Group, found.sets, found.smallest)),
            partial=not found.complete,
            notes=(*notes, *assumptions(engine.records, unnamed)),
            seconds=watch.elapsed,
        )


def _columns(engine: Engine, options: GroupOptions, notes: list[str]) -> list[str]:
    """The columns to look at; those of lists and structures are left out unless they are named."""
    every = choose_columns(engine.names, options.columns)
    nested = [name for name in columns_without_codes(engine.sealed) if name not in options.named]
    left = [name for name in every if name in nested]
    if left:
        notes.append(f"columns of lists or structures are left out: {', '.join(left)}")
    if len(left) == len(every):
        raise all_nested()
    names = [name for name in every if name not in nested and name != options.world_id]
    if not names or not engine.records:
        raise InputError(
            "the table has no records" if names else "the table has no column but the id",
            remedy="give at least one",
        )
    return names


def _ids(engine: Engine, name: str | None, policy: Policy | None) -> CodedColumn | None:
    """Who each record is about; None if each is a person."""
    if name is None:
        return None
    marks = MissingMarks() if policy is None else policy.marks
    return marks.clear(engine.unit(name, marks.within(name)), name)


def _world(
    engine: Engine, columns: Mapping[str, CodedColumn], ids: CodedColumn | None, k: int
) -> World:
    """The table as a world; of more than k + 1 equal rows of different people it needs no more.

    Groups of at most k people are as large as they are, others are larger than k.
    """
    lines = engine.counts((), list(columns.values()), ids)
    alone = np.minimum(lines.records, max(k, 1) + 1)
    times = alone if lines.unit is None else np.where(lines.unit == MISSING, alone, 1)
    coded = {
        name: CodedColumn(name, np.repeat(lines.codes[name], times), column.domain)
        for name, column in columns.items()
    }
    return World(coded, None if lines.unit is None else np.repeat(lines.unit, times))


def _people(engine: Engine, ids: CodedColumn | None) -> tuple[int, int | None]:
    """How many people there are, and how many rows without an id; None if there are no ids."""
    if ids is None:
        return engine.records, None
    there = engine.frequency(ids)
    return int(there[0] + np.count_nonzero(there[1:])), int(there[0])
