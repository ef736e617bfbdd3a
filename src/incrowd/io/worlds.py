"""The tables that somebody may have beside a release, from frames or from files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from incrowd.engines.base import Engine
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InputError, PolicyError
from incrowd.hierarchy import AnyHierarchy, Flat, Suggested
from incrowd.hierarchy.labels import TOP
from incrowd.io import files
from incrowd.io.hierarchies import resolve
from incrowd.io.reading import AnyPath, Reading, collected, each_of, is_path, rows_of
from incrowd.linkage.tables import AttackTables
from incrowd.linkage.world_tables import AttackerKnowledge, AttackTable
from incrowd.policy.policy import Policy
from incrowd.release.certificate import Digest, digest_of_bytes, digest_of_frame
from incrowd.release.load import WorldReference
from incrowd.table.column import Missing
from incrowd.verify.spellings import joined, split_columns


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
    """The world in frames or files, in the quasi-identifying columns that the table shares."""
    if not (given := each_of(world)):
        _refuse_unused(called)
        return None
    if not isinstance(engine, MemoryEngine):
        raise PolicyError(
            "a world is compared with a table in memory only",
            remedy="read the table into memory, with .pl() for a DuckDB relation",
        )
    if any(is_path(one) and str(one) == "-" for one in given):
        raise PolicyError("the world cannot come from standard input", remedy="name a file")
    names = (*policy.columns, *(called.rename or {}).values(), *filter(None, [called.id]))
    parts = tuple(table_of("world", one, Reading(expected=names)) for one in given)
    knowledge = knowledge_of(policy, {}, called.folder)
    knowledge = replace(knowledge, world_id=called.id, rename=called.rename or {})
    tables = AttackTables(AttackTable("table", engine), {}, knowledge, parts)
    found = tables.world_tables.world(_shared(tables, policy))
    digests = tuple(_digest(one) for one in given)
    return WorldReference(
        found, digests, tables.hierarchies(found.columns), tables.world_tables.notes
    )


def table_of(name: str, source: Any, reading: Reading) -> AttackTable:
    """The table in a file or a frame; messages call it by this name."""
    if not is_path(source):
        return AttackTable(name, MemoryEngine(collected(source)))
    read = reading.read(source)
    return AttackTable(name, MemoryEngine(read.frame, text=read.text), read.text)


def labelled(table: AttackTable, known: Iterable[str]) -> AttackTable:
    """The table with one column of labels for each known column that is two columns of ends."""
    split = split_columns(dict.fromkeys(known), table.names)
    engine = table.engine
    if not split or not isinstance(engine, MemoryEngine):
        return table
    rows = pl.DataFrame([engine.series(name).alias(name) for name in table.names])
    labels = joined(rows, dict.fromkeys(split, TOP))
    return replace(table, engine=MemoryEngine(labels, text=table.text))


def knowledge_of(
    policy: Policy | None, hierarchies: Mapping[str, AnyHierarchy], folder: AnyPath
) -> AttackerKnowledge:
    """What a policy says about the columns that an attacker may know."""
    found = AttackerKnowledge(hierarchy=partial(_hierarchy, policy, hierarchies, folder))
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
        missing_values=policy.missing_values,
        one_each=policy.unit is None,
    )


def _hierarchy(
    policy: Policy | None, hierarchies: Mapping[str, AnyHierarchy], folder: AnyPath, name: str
) -> AnyHierarchy | None:
    """What builds the hierarchy of a column, if that is given."""
    if name in hierarchies:
        return resolve(hierarchies[name], Path(folder))
    column = None if policy is None else policy.columns.get(name)
    spec = None if column is None else column.hierarchy
    if spec is None or isinstance(spec, Suggested | Flat):
        return None
    return resolve(spec, Path(folder))


def _digest(source: Any) -> Digest:
    if is_path(source):
        return digest_of_bytes(files.content(source))
    return digest_of_frame(rows_of(source))


def _refuse_unused(called: WorldNames) -> None:
    if called.id is not None or called.rename:
        raise PolicyError(
            "an id column or new names are given, but no world",
            remedy="give the world too (--world FILE)",
        )


def _shared(tables: AttackTables, policy: Policy) -> tuple[str, ...]:
    shared = set(tables.shared("world"))
    names = tuple(name for name in policy.quasi if name in shared)
    if not names:
        raise InputError(
            f"the world has none of the quasi-identifying columns ({', '.join(policy.quasi)})",
            remedy="say what it calls them, such as --rename zip=zipcode",
        )
    return names
