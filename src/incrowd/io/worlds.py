"""The tables that somebody may have beside a release, from frames or from files."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import polars as pl

from incrowd.engines.base import Engine
from incrowd.engines.fetch import FetchedColumns, stored_release
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import AnyHierarchy, Flat, Suggested
from incrowd.hierarchy.labels import TOP
from incrowd.io import files
from incrowd.io.hierarchies import resolve
from incrowd.io.reading import AnyPath, Reading, is_path, open_table, tuple_of
from incrowd.linkage.tables import AttackTables
from incrowd.linkage.world_tables import AttackerKnowledge, AttackTable
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Digest
from incrowd.release.load import WorldReference
from incrowd.table.column import Missing
from incrowd.verify.spellings import join_ends, split_columns


@dataclass(frozen=True)
class WorldNames:
    """What the columns of a world are called."""

    id: str | None = None
    """The column that tells its individuals apart; without one, every row is an individual."""
    rename: Mapping[str, str] | None = None
    """From the table's name of a column to the world's."""
    folder: AnyPath = "."
    """Where paths of hierarchies start."""


def world_of(
    engine: Engine, world: Any, policy: Policy, called: WorldNames
) -> WorldReference | None:
    """The world, with the policy's quasi-identifiers that it has; None if no world is given.

    `InputError` if it has none; `PolicyError` for "-", or for names `called` without a world.
    """
    if not (given := tuple_of(world)):
        _refuse_unused(called)
        return None
    if any(is_path(one) and str(one) == "-" for one in given):
        raise PolicyError("the world cannot come from standard input", remedy="name a file")
    names = (*policy.columns, *(called.rename or {}).values(), *filter(None, [called.id]))
    reading = Reading(expected=names)
    knowledge = knowledge_of(policy, {}, called.folder)
    knowledge = replace(knowledge, world_id=called.id, rename=called.rename or {})
    with ExitStack() as stack:
        parts = tuple(open_attack_table("world", one, stack, reading) for one in given)
        tables = AttackTables(AttackTable("table", engine), {}, knowledge, parts)
        found = tables.world_tables.build_world(_shared_quasi(tables, policy))
        trees, notes = tables.hierarchies(found.columns), tables.world_tables.notes
    return WorldReference(found, tuple(map(_digest_of, given)), trees, notes)


def open_attack_table(
    name: str, source: Any, stack: ExitStack, reading: Reading | None = None
) -> AttackTable:
    """Open a table that messages call `name`; `stack` closes it.

    Attacks bring what they need of it into memory.
    """
    return as_attack_table(name, stack.enter_context(open_table(source, reading)).engine)


def as_attack_table(name: str, engine: Engine) -> AttackTable:
    """The engine's table under this name, able to code its columns record by record."""
    here = engine if isinstance(engine, MemoryEngine) else FetchedColumns(engine)
    return AttackTable(name, here, engine.text)


def with_label_columns(table: AttackTable, known: Iterable[str]) -> AttackTable:
    """The table; two columns of ends that it has for a `known` name become one column of labels."""
    split = split_columns(dict.fromkeys(known), table.names)
    engine = table.engine
    if isinstance(engine, FetchedColumns) and split:
        engine = engine.memory_engine(table.names)
    if not split or not isinstance(engine, MemoryEngine):
        return table
    rows = pl.DataFrame([engine.series(name).alias(name) for name in table.names])
    labels = join_ends(rows, dict.fromkeys(split, TOP))
    return replace(table, engine=MemoryEngine(labels, text=table.text))


def knowledge_of(
    policy: Policy | None, hierarchies: Mapping[str, AnyHierarchy], folder: AnyPath
) -> AttackerKnowledge:
    """What an attacker may know of columns by this policy; without one, these hierarchies alone."""
    found = AttackerKnowledge(hierarchy=partial(_builder_of, policy, hierarchies, folder))
    if policy is None:
        return found
    # Rows with a missing value were left out if the policy suppresses them.
    suppressed = policy.missing is Missing.SUPPRESS
    return replace(
        found,
        quasi=policy.quasi,
        declared=policy.sensitive,
        kinds={name: column.kind for name, column in policy.columns.items()},
        missing=Missing.OWN_VALUE if suppressed else policy.missing,
        marks=policy.marks,
        one_each=policy.unit is None,
    )


def _builder_of(
    policy: Policy | None, hierarchies: Mapping[str, AnyHierarchy], folder: AnyPath, name: str
) -> AnyHierarchy | None:
    """A column's given builder, else the policy's but `Flat` or `Suggested`; None without one."""
    column = None if policy is None else policy.columns.get(name)
    kind = None if column is None else column.kind
    if name in hierarchies:
        return resolve(hierarchies[name], folder, kind)
    spec = None if column is None else column.hierarchy
    if spec is None or isinstance(spec, Suggested | Flat):
        return None
    return resolve(spec, folder, kind)


def _digest_of(source: Any) -> Digest:
    """The digest of the bytes of a file, or of the cells or rows of another table."""
    if is_path(source):
        return Digest(of="file", sha256=files.sha256(source))
    with open_table(source) as there:
        of, sha256 = stored_release(there.engine).digest()
    return Digest(of=of, sha256=sha256)


def _refuse_unused(called: WorldNames) -> None:
    """Raise `PolicyError` if columns of a world are named, as no world is given."""
    if called.id is not None or called.rename:
        raise PolicyError(
            "an id column or new names are given, but no world",
            remedy="give the world too (--world FILE)",
        )


def _shared_quasi(tables: AttackTables, policy: Policy) -> tuple[str, ...]:
    """The quasi-identifying columns that the world has, too; `InputError` if it has none."""
    shared = set(tables.shared_columns("world"))
    names = tuple(name for name in policy.quasi if name in shared)
    if not names:
        raise InputError(
            f"the world has none of the quasi-identifying columns ({', '.join(policy.quasi)})",
            remedy="say what it calls them, such as --rename zip=zipcode",
        )
    return names
