"""Which sets of columns single out small groups of people: k-quasi-identifiers (Bettini)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import MISSING
from incrowd.engines.base import Engine
from incrowd.errors import InputError, PolicyError
from incrowd.identify.outcome import Groups, SmallGroup
from incrowd.io import files
from incrowd.io.reading import Opened, enough_memory, open_table
from incrowd.linkage.identify import minimal_k_qis
from incrowd.linkage.world import World, assumptions
from incrowd.policy.coding import code_columns
from incrowd.requests.discover import GroupsRequest
from incrowd.requests.request import verb
from incrowd.table.column import CodedColumn
from incrowd.table.marks import MissingMarks
from incrowd.table.names import choose_columns
from incrowd.verbs.tables import EngineTable, columns_to_look_at, is_batches
from incrowd.watch import NestedWatch, Watch

if TYPE_CHECKING:
    from incrowd.policy.policy import Policy


@verb(GroupsRequest)
def groups(asked: GroupsRequest) -> Groups:
    """Find the minimal sets of columns whose values single out groups of at most `k` people.

    These are the k-quasi-identifiers of a world (Bettini Definition 5) that is this table alone.
    The table is a frame, a path or a table elsewhere (see `incrowd.api`). By a policy, or its file,
    columns are read as it says, its units are people, and the columns that leave are looked at if
    none are named.
    """
    asked = _fill_in_policy(asked)
    source, policy = asked.source, asked.policy
    watch = asked.watch or Watch()
    if is_batches(source):
        raise PolicyError(
            "groups need all records at once, and batches pass once",
            remedy="put them together in one frame",
        )
    watch.tell("coding the columns", 0.0)
    with enough_memory(), open_table(source, asked.reading, _named_columns(asked)) as table:
        engine = table.engine
        seen = _table_to_look_at(table, asked)
        names = [name for name in seen.names if name != asked.world_id]
        if not names or not engine.records:
            raise InputError(
                "the table has no records" if names else "the table has no column but the id",
                remedy="give at least one",
            )
        ids = _code_ids(engine, asked.world_id, policy)
        world = _world_of_table(engine, code_columns(engine, policy, names), ids, asked.k)
        within = NestedWatch(watch, asked.time_limit)
        found = minimal_k_qis(world, asked.k, max_size=asked.max_size, watch=within)
        people, unnamed = _count_people_and_idless(engine, ids)
        return Groups(
            k=asked.k,
            people=people,
            sets=tuple(map(SmallGroup, found.sets, found.smallest)),
            partial=not found.complete,
            notes=(*seen.notes, *assumptions(engine.records, unnamed)),
            seconds=watch.elapsed,
        )


def _fill_in_policy(asked: GroupsRequest) -> GroupsRequest:
    """Fill in from the policy what the request leaves open; `PolicyError` for a size below 1."""
    if asked.max_size is not None and asked.max_size < 1:
        raise PolicyError("a set has at least one column", remedy="give a size of 1 or more")
    policy = None if asked.policy is None else files.policy_of(asked.policy)
    return replace(
        asked,
        policy=policy,
        columns=columns_to_look_at(asked.columns, policy),
        world_id=asked.world_id or (None if policy is None else policy.unit),
    )


def _named_columns(asked: GroupsRequest) -> tuple[str, ...]:
    """The columns that the request names, with the column of ids if there is one."""
    return (*(asked.columns or ()), *(() if asked.world_id is None else (asked.world_id,)))


def _table_to_look_at(table: Opened, asked: GroupsRequest) -> EngineTable:
    """The table with the columns to look at: without lists and structures unless they are named."""
    names = choose_columns(table.engine.names, asked.columns)
    every = EngineTable(table.engine, names, tuple(map(str, table.origin.notes)))
    return every.without_nested(_named_columns(asked))


def _code_ids(engine: Engine, name: str | None, policy: Policy | None) -> CodedColumn | None:
    """Code the column that tells people apart; None if each record is a person."""
    if name is None:
        return None
    marks = MissingMarks() if policy is None else policy.marks
    return marks.clear_own_marks(engine.unit_codes(name, marks.marks_of_column(name)), name)


def _world_of_table(
    engine: Engine, columns: Mapping[str, CodedColumn], ids: CodedColumn | None, k: int
) -> World:
    """Make the table a world; of equal rows without an id it has at most k + 1.

    Groups of at most k people keep their size; others stay larger than k. Equal rows with the same
    id are one row.
    """
    lines = engine.counts((), list(columns.values()), ids)
    alone = np.minimum(lines.records, max(k, 1) + 1)
    times = alone if lines.unit is None else np.where(lines.unit == MISSING, alone, 1)
    coded = {
        name: CodedColumn(name, np.repeat(lines.codes[name], times), column.domain)
        for name, column in columns.items()
    }
    return World(coded, None if lines.unit is None else np.repeat(lines.unit, times))


def _count_people_and_idless(engine: Engine, ids: CodedColumn | None) -> tuple[int, int | None]:
    """Count people, and the rows without an id (each a person); these are None if `ids` is."""
    if ids is None:
        return engine.records, None
    there = engine.frequency(ids)
    return int(there[0] + np.count_nonzero(there[1:])), int(there[0])
