"""What lies open in the worker: one table, and its rows as counted for a few policies."""

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from incrowd.arrays import Counts
from incrowd.engines.base import Engine
from incrowd.errors import InputError, boundary
from incrowd.io.hierarchies import builders_of
from incrowd.io.reading import Opened, Reading, open_table
from incrowd.io.worlds import WorldNames, world_of
from incrowd.models.model import counts_world_people
from incrowd.partition.classes import classes_of
from incrowd.policy.policy import Policy
from incrowd.problem import Problem
from incrowd.release.load import (
    CountedTable,
    LoadedTable,
    WorldReference,
    count_table,
    world_of_labels,
)
from incrowd.search.lattice.full_domain import node_classes
from incrowd.web.jobs import NO_WORLD, TableFile, WorldFiles

KEPT = 4
"""Counted tables that are kept, so that going back to a former policy is quick, too."""


class Tell(Protocol):
    """A function by which a job says what it does and which share is done, 0..1.

    `value` is a part of the answer. The call raises, and so ends the job, if it was cancelled.
    """

    def __call__(self, what: str, share: float, value: Any = None) -> None: ...  # noqa: D102


@dataclass(frozen=True, eq=False)
class Sizes:
    """For each class, how many records and how many people it has."""

    records: Counts
    people: Counts


@dataclass(frozen=True, eq=False)
class LoadedQuestion:
    """The table loaded by a policy, and its classes as it is."""

    counted: CountedTable
    loaded: LoadedTable
    before: Sizes


@dataclass(frozen=True, eq=False)
class _Open:
    """The table that lies open; `stamp` is that of its file when it was opened."""

    table: TableFile
    stamp: tuple[int, int]
    opened: Opened


class WorkerState:
    """Keeps what was opened and counted, so that the next question is quick."""

    def __init__(self) -> None:
        self._open: _Open | None = None
        self._kept: OrderedDict[str, tuple[CountedTable, Sizes]] = OrderedDict()
        self._world: tuple[str, WorldReference] | None = None
        """The world that was read last, after its `_world_key`."""

    def open_engine(self, table: TableFile) -> Engine:
        """Open the table if it is not open, and return the engine that holds its rows."""
        return self.open(table).engine

    def load_question(
        self, table: TableFile, policy: Policy, world: WorldFiles = NO_WORLD
    ) -> LoadedQuestion:
        """Load the table by a policy, from what was counted before if that is enough.

        The world is read only if a model asks about it: a release is the same without it, too.
        """
        engine = self.open_engine(table)
        asked = any(map(counts_world_people, policy.models))
        against = self.read_world(table, policy, world) if asked else None
        labels = world_of_labels(policy, against)
        key = counting_key(policy) if labels is None else _world_key(policy, world)
        if key in self._kept:
            counted, before = self._kept[key]
            loaded = counted.load_by(policy, against)
        else:
            counted = count_table(engine, policy, builders_of(policy, table.folder), labels)
            loaded = counted.load_by(policy, against)
            before = _sizes_before(loaded.compiled.problem)
            self._kept[key] = counted, before
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return LoadedQuestion(counted, loaded, before)

    def read_world(
        self, table: TableFile, policy: Policy, world: WorldFiles
    ) -> WorldReference | None:
        """The world, read in the table's columns and kept for next time; None without files."""
        engine, key = self.open_engine(table), _world_key(policy, world)
        if self._world is not None and self._world[0] == key:
            return self._world[1]
        self._world = None
        called = WorldNames(world.world_id, dict(world.rename), table.folder)
        found = world_of(engine, world.files, policy, called)
        self._world = None if found is None else (key, found)
        return found

    def open(self, table: TableFile) -> Opened:
        """Open the table, or return it if it is open and its file is unchanged."""
        stamp = _file_stamp(table.source)
        held = self._open
        if held is None or held.table != table or held.stamp != stamp:
            self.close()
            found = open_table(table.source, reading_of(table))
            held = self._open = _Open(table, stamp, found)
        return held.opened

    def close(self) -> None:
        """Close the table, and forget all that was counted."""
        self._kept.clear()
        self._world = None
        if self._open is not None:
            self._open.opened.engine.close()
        self._open = None


def reading_of(table: TableFile) -> Reading:
    """How to read the table, as the command would from the same options."""
    return Reading(**vars(table.reading))


def counting_key(policy: Policy) -> str:
    """What the counts of a table depend on, as a text: equal for policies with the same counts.

    Models, limits of columns, search and loss do not change it, except for which columns the loss
    counts.
    """
    free = {"weight": 1.0, "lowest": 0, "highest": None, "widest": None, "grid": None}
    accepted = {"derived": "refuse", "alone": "refuse"}
    columns = {
        name: column.model_copy(update=free | accepted).model_dump_json()
        for name, column in policy.columns.items()
    }
    return repr((columns, policy.missing.value, policy.missing_values, policy.counted))


def _world_key(policy: Policy, world: WorldFiles) -> str:
    """A text that is equal as long as the world, and what is counted with it, stays the same."""
    return repr((counting_key(policy), world, [_file_stamp(file) for file in world.files]))


def _sizes_before(problem: Problem) -> Sizes:
    """The sizes of the classes of the table before anything is generalized."""
    tally = problem.tally
    class_of, number = node_classes(problem, [0] * len(problem.columns))
    if tally.has_units:
        found = classes_of(tally, class_of, number, problem.sensitive)
        return Sizes(found.records, found.people)
    records = np.bincount(class_of, weights=tally.counts, minlength=number).astype(np.int64)
    return Sizes(records, records)


def _file_stamp(source: str) -> tuple[int, int]:
    """Time of change (in ns) and size of a file, to see a change; `InputError` if it is missing."""
    missing = InputError(f"the file {source!r} does not exist", remedy="choose another file")
    with boundary(missing):
        found = Path(source).stat()
    return found.st_mtime_ns, found.st_size
