"""Tables as verbs take them: in memory, passing once, or elsewhere.

A path is read whole if it fits; standard input, iterators of frames and large files pass batch by
batch. What is read more than once is in `io.passes`.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from incrowd.arrays import Counts
from incrowd.engines import elsewhere
from incrowd.engines.base import Engine
from incrowd.engines.fetch import fetch_into_memory
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.stream import records_of
from incrowd.errors import InputError, PolicyError
from incrowd.identify.records import Records
from incrowd.io.batches import open_batches
from incrowd.io.passes import no_batches_error
from incrowd.io.reading import AnyPath, Opened, Reading, is_path
from incrowd.policy.coding import code_columns
from incrowd.table.cells import select_columns
from incrowd.table.column import CodedColumn, Role
from incrowd.table.encode import columns_without_codes
from incrowd.table.names import choose_columns, unique_names

if TYPE_CHECKING:
    from incrowd.policy.policy import Policy

IN_BATCHES = "give it in batches, or through standard input"
"""What to do if a table does not fit into memory."""
FEW_RECORDS = 100_000
"""A table elsewhere with no more records is brought into memory."""
LARGE = 2**28
"""Bytes above which a file is sampled in one pass, unless exactness is asked for."""
_PACKED = (".gz", ".zst", ".parquet", ".pq", ".arrow", ".feather", ".ipc")
_UNPACKED = 4
"""Packed files are taken for so many times their size."""


@dataclass(frozen=True, eq=False)
class EngineTable:
    """A table that an engine holds."""

    engine: Engine
    names: tuple[str, ...]
    """The columns to look at."""
    notes: tuple[str, ...] = ()
    policy: "Policy | None" = None
    """How columns are read."""

    def without_nested(self, named: Sequence[str]) -> Self:
        """The table without unnamed lists and structures; `InputError` if no column is left."""
        nested = {*columns_without_codes(self.engine.sealed)} - {*named}
        names = tuple(name for name in self.names if name not in nested)
        if names == self.names:
            return self
        if not names:
            raise all_nested_error()
        left = ", ".join(name for name in self.names if name in nested)
        note = f"columns of lists or structures are left out: {left}"
        return replace(self, names=names, notes=(*self.notes, note))


@dataclass(frozen=True, eq=False)
class TableInMemory(EngineTable):
    """A table in memory, or the sample that was kept of one."""

    engine: MemoryEngine

    def codes(self, names: Sequence[str]) -> dict[str, CodedColumn]:
        """Code these columns, in this order."""
        return code_columns(self.engine, self.policy, names)

    def code_records(self) -> Records:
        """Code all columns to look at: a row for each record."""
        return records_of(self.codes(self.names))


@dataclass(frozen=True, eq=False)
class PassingTable:
    """A table whose frames can be read only once, one after the other: it passes once."""

    frames: Iterable[Any]
    names: tuple[str, ...]
    text: bool
    notes: Sequence[str] = ()
    """Complete when all records have passed."""
    policy: "Policy | None" = None


@dataclass(frozen=True, eq=False)
class TableElsewhere(EngineTable):
    """A table outside of memory, such as in a database, that is counted where it is."""

    def sizes(self, names: Sequence[str]) -> tuple[Counts, Counts]:
        """Sizes of classes of records equal in these columns, and how many classes have each."""
        if self.policy is None:
            return self.engine.class_sizes(names)
        columns = code_columns(self.engine, self.policy, names)
        records = self.engine.counts((), list(columns.values())).records
        sizes, classes = np.unique(records, return_counts=True)
        return sizes, classes

    def as_passing(self) -> PassingTable:
        """The same table as one that passes once."""
        return PassingTable(
            self.engine.batches(self.names), self.names, self.engine.text, self.notes, self.policy
        )


def columns_to_look_at(
    columns: str | Sequence[str] | None, policy: "Policy | None"
) -> tuple[str, ...] | None:
    """The columns that are named, or those that the policy lets leave; None for all."""
    if columns is not None:
        return unique_names(columns)
    if policy is None:
        return None
    stays = {Role.IDENTIFIER, Role.DROP, Role.UNIT}
    return tuple(name for name, column in policy.columns.items() if column.role not in stays)


@contextmanager
def open_to_count(
    source: Any,
    columns: Sequence[str] | None,
    reading: Reading | None,
    *,
    whole: bool,
    policy: "Policy | None" = None,
) -> Iterator[TableInMemory | PassingTable | TableElsewhere]:
    """Open a frame, file, standard input ("-"), table elsewhere, or frames, to be counted.

    Standard input, iterators and large files pass once, and large tables elsewhere stay there. A
    file too large for the memory that `reading` names is a table elsewhere: DuckDB holds it. With
    `whole` all is read into memory, but an `Opened` table; `PolicyError` for frames that pass once.
    """
    with ExitStack() as stack:
        table = _open_source(source, columns, reading or Reading(), stack, whole=whole)
        yield replace(table, policy=policy)


def _open_source(
    source: Any, columns: Sequence[str] | None, reading: Reading, stack: ExitStack, *, whole: bool
) -> TableInMemory | PassingTable | TableElsewhere:
    """Open a source as the kind of table that it is; `stack` closes what is opened."""
    if isinstance(source, Opened):
        if isinstance(source.engine, MemoryEngine):
            return _table_in_memory(source.engine, columns, source.origin.notes)
        names, notes = choose_columns(source.names, columns), tuple(map(str, source.origin.notes))
        return TableElsewhere(source.engine, names, notes)
    if (engine := elsewhere.engine_of(source)) is not None:
        stack.callback(engine.close)
        return _table_elsewhere(engine, columns, whole=whole)
    if is_path(source):
        return _open_file(source, columns, reading, stack, whole=whole)
    if is_batches(source):
        return _passing_frames(source, columns, whole=whole)
    return _table_in_memory(MemoryEngine(source), columns)


def _open_file(
    path: AnyPath, columns: Sequence[str] | None, reading: Reading, stack: ExitStack, *, whole: bool
) -> TableInMemory | PassingTable | TableElsewhere:
    """Open a file in memory, to pass once, or in an engine, by its size; `stack` closes it."""
    if reading.memory is not None and (large := reading.open_large(path)):
        stack.callback(large.engine.close)
        return _table_elsewhere(large.engine, columns, large.source.notes, whole=whole)
    reading = reading.with_expected(columns or ())
    if not whole and passes_once(path):
        passing = stack.enter_context(open_batches(path, reading.layout))
        names = choose_columns(passing.names, columns)
        frames = (select_columns(frame, names) for frame in passing)
        return PassingTable(frames, names, passing.text, passing.notes)
    read = reading.read(path)
    return _table_in_memory(MemoryEngine(read.frame, text=read.text), columns, read.notes)


def _table_in_memory(
    engine: MemoryEngine, columns: Sequence[str] | None, notes: Iterable[Any] = ()
) -> TableInMemory:
    """Make a table of these columns, or all, of what is in memory."""
    return TableInMemory(engine, choose_columns(engine.names, columns), tuple(map(str, notes)))


def _table_elsewhere(
    engine: Engine, columns: Sequence[str] | None, notes: Iterable[Any] = (), *, whole: bool
) -> TableInMemory | TableElsewhere:
    """Bring a table elsewhere into memory if the `whole` is asked for, or if it is small.

    `notes` say why it is out of memory: a table that is brought into memory does not get them.
    """
    names = choose_columns(engine.names, columns)
    if whole or engine.records <= FEW_RECORDS:
        return TableInMemory(fetch_into_memory(engine, names), names)
    return TableElsewhere(engine, names, tuple(map(str, notes)))


def is_batches(source: Any) -> bool:
    """Whether these are frames that come one after the other, not one frame."""
    return isinstance(source, list | tuple) or hasattr(source, "__next__")


def passes_once(path: AnyPath) -> bool:
    """Whether the file is a stream, or too large to be read whole: it is then read in one pass."""
    if str(path) == "-":
        return True
    place = Path(path)
    if not place.is_file():
        return place.exists() and not place.is_dir()
    factor = _UNPACKED if place.suffix.lower() in _PACKED else 1
    return place.stat().st_size * factor > LARGE


def _passing_frames(
    frames: Iterable[Any], columns: Sequence[str] | None, *, whole: bool
) -> PassingTable:
    """Make a table of frames; `PolicyError` if `whole` is asked for, `InputError` without any."""
    if whole:
        raise PolicyError(
            "an exact answer needs all records at once, and batches pass once",
            remedy="put them together in one frame, or do not ask for an exact answer",
        )
    rest = iter(frames)
    first = next(rest, None)
    if first is None:
        raise no_batches_error()
    names = choose_columns(MemoryEngine(first).names, columns)
    return PassingTable(chain([first], rest), names, text=False)


def all_nested_error() -> InputError:
    """The error if no column holds plain values."""
    return InputError(
        "every column holds lists or structures", remedy="unnest them into plain columns"
    )
