"""Tables as verbs take them: in memory, passing once, or read more than once.

A path is read whole if it fits; standard input, iterators of frames and large files pass batch by
batch. Whoever needs a second pass over them asks for a `RereadableTable`: a file is opened again,
and refused if it changed meanwhile; what comes only once (standard input, a pipe, an iterator) is
stored on disk as it passes, and no more of it than the columns that are asked for.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.engines import elsewhere
from incrowd.engines.base import Engine
from incrowd.engines.fetch import in_memory
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.stamps import Stamp
from incrowd.engines.stream import records_of
from incrowd.errors import InputError, PolicyError
from incrowd.identify.records import Records
from incrowd.io.batches import Layout, batches
from incrowd.io.csv_chunks import PIECE, PlainText, plain_text
from incrowd.io.reading import AnyPath, Opened, Reading, is_path, rows_of
from incrowd.io.scratch import ScratchFrames, scratch_frames
from incrowd.io.tables import Form
from incrowd.table.cells import select_columns
from incrowd.table.column import CodedColumn, Role
from incrowd.table.encode import columns_without_codes
from incrowd.table.names import choose_columns, unique_names

if TYPE_CHECKING:
    from incrowd.policy.policy import Policy

CELLS = 2**20
"""Cells that are held at a time."""


_BITS = 64


def shuffled(
    frames: Iterable[pl.DataFrame], cells: int, seed: int | None, aside: ScratchFrames
) -> Iterator[pl.DataFrame]:
    """The rows of frames with about so many cells, every order of them equally likely.

    Each row draws a number, and rows leave in the order of their numbers: by ranges of them, which
    are put aside as the rows go by and are then sorted one by one. Numbers come in the order of the
    rows, so the same seed gives the same order whatever the frames are.
    """
    rng = np.random.default_rng(None if seed is None else [seed, 2])
    ranges = 1 << (max(0, cells - 1) // CELLS).bit_length()
    places: list[list[int]] = [[] for _ in range(ranges)]
    for frame in frames:
        _put_aside(frame, rng.bit_generator.random_raw(frame.height), places, aside)
    for numbers in places:
        if numbers:
            rows = pl.concat([aside.get(number) for number in numbers])
            yield rows.sort(rows.columns[-1], maintain_order=True)[:, :-1]


def _put_aside(
    frame: pl.DataFrame, drawn: np.ndarray, places: Sequence[list[int]], aside: ScratchFrames
) -> None:
    """Put the rows of one frame with their numbers into the ranges these lie in."""
    name = "#" * (1 + max(map(len, frame.columns)))
    rows = frame.with_columns(pl.Series(name, drawn, dtype=pl.UInt64)).sort(
        name, maintain_order=True
    )
    shift = _BITS - (len(places).bit_length() - 1)
    which = (rows[name].to_numpy() // 2 ** (shift - 1) // 2).astype(np.int64)
    starts = np.searchsorted(which, np.arange(len(places) + 1))
    for numbers, start, end in zip(places, starts[:-1], starts[1:], strict=True):
        if end > start:
            numbers.append(aside.put(rows[int(start) : int(end)]))


IN_BATCHES = "give it in batches, or through standard input"
"""What to do if a table does not fit into memory."""


FEW_RECORDS = 100_000
"""A table elsewhere with no more records is brought into memory."""


LARGE = 2**28
"""Bytes above which a file is sampled in one pass, unless exactness is asked for."""


_PACKED = (".gz", ".zst", ".parquet", ".pq", ".arrow", ".feather", ".ipc")


_UNPACKED = 4
"""Packed files are taken for so many times their size."""


Held = TypeVar("Held", "TableInMemory", "TableElsewhere")


ColumnChoice: TypeAlias = Callable[[Sequence[str]], Sequence[str]]
"""The columns that are asked for, of those of a table; unknown ones are refused."""


Frames: TypeAlias = Callable[[Sequence[str]], Iterator[pl.DataFrame]]
"""The records of a table with these columns, as often as they are asked for."""


@dataclass(frozen=True, eq=False)
class TableInMemory:
    """A table in memory, or the sample that was kept of one."""

    engine: MemoryEngine
    names: tuple[str, ...]
    """The columns to look at."""
    notes: tuple[str, ...] = ()
    policy: "Policy | None" = None
    """How columns are read."""

    def codes(self, names: Sequence[str]) -> dict[str, CodedColumn]:
        """Columns as codes, in this order."""
        return codes_of(self.engine, names, self.policy)

    def records(self) -> Records:
        """Its columns as codes, a row for each record."""
        return records_of(self.codes(self.names))

    def without_nested(self, named: Sequence[str]) -> "TableInMemory":
        """The table without columns of lists and structures, unless they are named."""
        return _without_nested(self, self.engine.uncoded, named)


@dataclass(frozen=True, eq=False)
class PassingTable:
    """A table that passes once."""

    frames: Iterable[Any]
    names: tuple[str, ...]
    text: bool
    notes: Sequence[str] = ()
    """Complete when all records have passed."""
    policy: "Policy | None" = None
    """How columns are read."""


@dataclass(frozen=True, eq=False)
class RereadableTable:
    """A table that can be read more than once, batch by batch, from first to last record."""

    names: tuple[str, ...]
    """All its columns."""
    frames: Frames
    text: PlainText | None = None
    """The table as a plain text, which reads faster as nothing is checked; None if it is none."""
    form: Form = field(default_factory=Form)
    notes: Sequence[str] = ()
    """Complete when all records have passed."""
    stamp: Stamp | None = None
    """Of the file that is opened again; None if there is none."""

    def refuse_changed(self) -> None:
        """Refuse a file that changed since it was opened first; `frames` do so at their end."""
        if self.stamp is not None:
            self.stamp.refuse_changed()


@dataclass(frozen=True, eq=False)
class TableElsewhere:
    """A table that is too large to be brought into memory, and can be counted where it is."""

    engine: Engine
    names: tuple[str, ...]
    """The columns to look at."""
    notes: tuple[str, ...] = ()
    policy: "Policy | None" = None
    """How columns are read."""

    def sizes(self, names: Sequence[str]) -> tuple[Counts, Counts]:
        """Each size of a class of records that are equal in these columns, and how many have it."""
        if self.policy is None:
            return self.engine.sizes(names)
        columns = codes_of(self.engine, names, self.policy)
        records = self.engine.counts((), list(columns.values())).records
        sizes, classes = np.unique(records, return_counts=True)
        return sizes, classes

    def without_nested(self, named: Sequence[str]) -> "TableElsewhere":
        """The table without columns of lists and structures, unless they are named."""
        return _without_nested(self, columns_without_codes(self.engine.sealed), named)

    def passing(self) -> PassingTable:
        """The same as a table that passes once."""
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


def codes_of(
    engine: Engine, names: Sequence[str], policy: "Policy | None"
) -> dict[str, CodedColumn]:
    """Columns as codes, in this order, read as the policy says if there is one."""
    if policy is None:
        return engine.codes(names)
    from incrowd.policy.coding import code_columns  # noqa: PLC0415  policies take long to load

    return code_columns(engine, policy, names)


@contextmanager
def opened(
    source: Any,
    columns: Sequence[str] | None,
    reading: Reading | None,
    *,
    whole: bool,
    policy: "Policy | None" = None,
) -> Iterator[TableInMemory | PassingTable | TableElsewhere]:
    """The table in a frame, in a file, on standard input ("-"), elsewhere, or in frames.

    Standard input, iterators and large files pass once, and large tables elsewhere stay where they
    are, unless `whole` asks for all of it. Columns are read as the policy says if there is one.
    """
    with _opened(source, columns, reading or Reading(), whole=whole) as table:
        yield replace(table, policy=policy)


@contextmanager
def _opened(
    source: Any, columns: Sequence[str] | None, reading: Reading, *, whole: bool
) -> Iterator[TableInMemory | PassingTable | TableElsewhere]:
    if isinstance(source, Opened):
        names, notes = choose_columns(source.names, columns), tuple(map(str, source.like.notes))
        if isinstance(source.engine, MemoryEngine):
            yield TableInMemory(source.engine, names, notes)
        else:
            yield TableElsewhere(source.engine, names, notes)
    elif (engine := elsewhere.engine_of(source)) is not None:
        with closing(engine):
            yield _elsewhere(engine, columns, whole=whole)
    elif reading.memory is not None and is_path(source) and (found := reading.large(source)):
        yield _elsewhere(found.engine, columns, whole=whole)
    elif is_path(source):
        if not whole and passes_once(source):
            with _passing_file(source, columns, reading) as table:
                yield table
            return
        read = reading.expecting(columns or ()).read(source)
        engine = MemoryEngine(read.frame, text=read.text)
        notes = tuple(str(note) for note in read.notes)
        yield TableInMemory(engine, choose_columns(engine.names, columns), notes)
    elif is_batches(source):
        yield _passing_frames(source, columns, whole=whole)
    else:
        engine = MemoryEngine(source)
        yield TableInMemory(engine, choose_columns(engine.names, columns))


def _elsewhere(
    engine: Engine, columns: Sequence[str] | None, *, whole: bool
) -> TableInMemory | TableElsewhere:
    """In memory if that is asked for, or if it is small."""
    names = choose_columns(engine.names, columns)
    if whole or engine.records <= FEW_RECORDS:
        return TableInMemory(in_memory(engine, names), names)
    return TableElsewhere(engine, names)


def is_batches(source: Any) -> bool:
    """Whether these are frames that come one after the other, not one frame."""
    return isinstance(source, list | tuple) or hasattr(source, "__next__")


def passes_once(path: AnyPath) -> bool:
    """Whether the file is read in one pass."""
    if str(path) == "-":
        return True
    place = Path(path)
    if not place.is_file():
        return place.exists() and not place.is_dir()
    factor = _UNPACKED if place.suffix.lower() in _PACKED else 1
    return place.stat().st_size * factor > LARGE


@contextmanager
def _passing_file(
    path: AnyPath, columns: Sequence[str] | None, reading: Reading
) -> Iterator[PassingTable]:
    with batches(path, reading.expecting(columns or ()).layout) as found:
        names = choose_columns(found.names, columns)
        frames = (select_columns(frame, names) for frame in found)
        yield PassingTable(frames, names, found.text, found.notes)


def _passing_frames(
    frames: Iterable[Any], columns: Sequence[str] | None, *, whole: bool
) -> PassingTable:
    if whole:
        raise PolicyError(
            "an exact answer needs all records at once, and batches pass once",
            remedy="put them together in one frame, or do not ask for an exact answer",
        )
    rest = iter(frames)
    first = next(rest, None)
    if first is None:
        raise _no_batches()
    names = choose_columns(MemoryEngine(first).names, columns)
    return PassingTable(chain([first], rest), names, text=False)


@contextmanager
def rereadable(
    source: AnyPath | Iterable[Any], choice: ColumnChoice, layout: Layout, folder: Path | None
) -> Iterator[RereadableTable]:
    """The table in a file, on standard input ("-") or in frames, for more than one pass.

    What must be stored goes into this folder, or into the system's temporary one.
    """
    if not isinstance(source, str | os.PathLike):
        with scratch_frames(folder) as scratch:
            yield _rereadable_frames(source, choice, scratch)
    elif str(source) == "-" or not Path(source).is_file():
        with batches(source, layout) as found, scratch_frames(folder) as scratch:
            kept = _KeptBatches(found, choice(found.names), scratch)
            yield RereadableTable(found.names, kept.frames, form=found.form, notes=found.notes)
    else:
        yield _rereadable_file(source, choice, layout)


def _rereadable_file(source: AnyPath, choice: ColumnChoice, layout: Layout) -> RereadableTable:
    notes: list[str] = []
    stamp = Stamp.of(source)

    def frames(names: Sequence[str]) -> Iterator[pl.DataFrame]:
        with batches(source, replace(layout, columns=tuple(names))) as found:
            yield from found
            notes[:] = found.notes
        stamp.refuse_changed()

    with batches(source, layout) as first:
        choice(first.names)
        names, form = first.names, first.form
        plain = first.plain and not layout.skip
    guessed = layout.encoding is None and layout.header is not False and plain
    text = plain_text(source, form, names) if guessed else None
    if text is not None:
        text = replace(text, piece=min(layout.piece, PIECE))
    return RereadableTable(
        names, lambda wanted: _read_ahead(frames(wanted)), text, form, notes, stamp
    )


def _read_ahead(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The frames; the next one is read while you work on the one before."""
    rest = iter(frames)
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, rest, None)
        while (frame := coming.result()) is not None:
            coming = reader.submit(next, rest, None)
            yield frame


def _rereadable_frames(
    source: Iterable[Any], choice: ColumnChoice, scratch: ScratchFrames
) -> RereadableTable:
    rest = iter(source)
    first = next(rest, None)
    if first is None:
        raise _no_batches()
    frame = rows_of(first)
    names = tuple(frame.columns)
    kept = _KeptBatches(chain([frame], map(rows_of, rest)), choice(names), scratch)
    return RereadableTable(names, kept.frames)


class _KeptBatches:
    """Frames that come once: the first pass stores them on disk."""

    def __init__(
        self, frames: Iterable[pl.DataFrame], names: Sequence[str], scratch: ScratchFrames
    ) -> None:
        self._frames = frames
        self._names = list(names)
        self._scratch = scratch
        self._read = False

    def frames(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """The records with these columns."""
        if self._read:
            for number in range(len(self._scratch)):
                yield select_columns(self._scratch.get(number), names)
            return
        self._read = True
        for number, frame in enumerate(self._frames, start=1):
            if not set(self._names) <= set(frame.columns):
                raise InputError(
                    f"batch {number:,} lacks columns that the first batch has",
                    remedy="give batches of one table",
                )
            wanted = select_columns(frame, self._names)
            self._scratch.put(wanted)
            yield select_columns(wanted, names)


def _without_nested(table: Held, nested: Sequence[str], named: Sequence[str]) -> Held:
    nested = [name for name in nested if name not in named]
    names = tuple(name for name in table.names if name not in nested)
    if names == table.names:
        return table
    if not names:
        raise all_nested()
    left = ", ".join(name for name in table.names if name in nested)
    note = f"columns of lists or structures are left out: {left}"
    return replace(table, names=names, notes=(*table.notes, note))


def all_nested() -> InputError:
    """No column holds plain values."""
    return InputError(
        "every column holds lists or structures", remedy="unnest them into plain columns"
    )


def _no_batches() -> InputError:
    return InputError("there are no batches", remedy="give at least one, with its columns")
