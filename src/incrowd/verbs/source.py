"""Tables to look at: whole in memory, or going by once."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from incrowd.engines.memory import MemoryEngine
from incrowd.engines.stream import coded
from incrowd.errors import InputError, LimitError, PolicyError
from incrowd.identify.records import Records
from incrowd.io.batches import batches
from incrowd.table.names import nearest
from incrowd.verbs.reading import AnyPath, Reading

LARGE = 2**28
"""Bytes of a file above which it is sampled in one pass unless exactness is asked for."""
_PACKED = (".gz", ".zst", ".parquet", ".pq", ".arrow", ".feather", ".ipc")
_UNPACKED = 4


@dataclass(frozen=True, eq=False)
class Held:
    """A table in memory, or the sample that was kept of one."""

    engine: MemoryEngine
    names: tuple[str, ...]
    """The columns to look at."""
    notes: tuple[str, ...] = ()

    def records(self) -> Records:
        """Its columns as codes."""
        return coded(self.engine, self.names)

    def without_sealed(self, named: Sequence[str]) -> "Held":
        """The table without columns of lists and structures, unless they are named."""
        gone = [name for name in self.engine.uncoded if name not in named]
        names = tuple(name for name in self.names if name not in gone)
        if names == self.names:
            return self
        if not names:
            raise InputError(
                "every column holds lists or structures", remedy="unnest them into plain columns"
            )
        left = ", ".join(name for name in self.names if name in gone)
        note = f"left out, as they hold lists or structures: {left}"
        return replace(self, names=names, notes=(*self.notes, note))


@dataclass(frozen=True, eq=False)
class Passing:
    """A table that goes by once."""

    frames: Iterable[Any]
    names: tuple[str, ...]
    text: bool
    notes: Sequence[str] = ()
    """Complete when all has gone by."""


@contextmanager
def opened(
    data: Any, columns: Sequence[str] | None, reading: Reading | None, *, whole: bool
) -> Iterator[Held | Passing]:
    """The table in a frame, in a file, on standard input ("-") or in an iterator of frames.

    Standard input, iterators and large files go by once, unless `whole` asks for all of it.
    """
    reading = reading or Reading()
    if isinstance(data, str | os.PathLike):
        if not whole and goes_by(data, reading):
            with _passing_file(data, columns, reading) as table:
                yield table
            return
        read = reading.expecting(columns or ()).read(data)
        engine = MemoryEngine(read.frame, text=read.text)
        notes = tuple(str(note) for note in read.notes)
        yield Held(engine, chosen(engine.names, columns), notes)
    elif is_stream(data):
        yield _passing_frames(data, columns, whole=whole)
    else:
        engine = MemoryEngine(data)
        yield Held(engine, chosen(engine.names, columns))


def chosen(names: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
    """The columns to look at, all unless named; unknown and repeated ones are refused."""
    if columns is None:
        columns = names
    for name in columns:
        if name not in names:
            raise PolicyError(f"the table has no column {name!r}", remedy=nearest(name, names))
    if not columns:
        raise PolicyError("no column is named", remedy="name at least one")
    return tuple(dict.fromkeys(columns))


def goes_by(path: AnyPath, reading: Reading) -> bool:
    """Whether the file is read once; what was read already is not."""
    if type(reading) is not Reading:
        return False
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
) -> Iterator[Passing]:
    asked = None if columns is None else tuple(dict.fromkeys(columns))
    with batches(path, reading.expecting(asked or ()).layout) as found:
        names = chosen(found.names, asked)
        frames = (frame.select(names) for frame in found)
        yield Passing(frames, names, found.text, found.notes)


def is_stream(data: Any) -> bool:
    """Whether these are batches that go by, not one frame."""
    if isinstance(data, list | tuple):
        return True
    return hasattr(data, "__next__")


def _passing_frames(
    frames: Iterable[Any], columns: Sequence[str] | None, *, whole: bool
) -> Passing:
    if whole:
        raise PolicyError(
            "batches go by once, and exactness needs all records at once",
            remedy="put them together in one frame, or do not ask for exactness",
        )
    rest = iter(frames)
    first = next(rest, None)
    if first is None:
        raise InputError("there are no batches", remedy="give at least one, with its columns")
    names = chosen(MemoryEngine(first).names, columns)
    return Passing(chain([first], rest), names, text=False)


@contextmanager
def enough_memory() -> Iterator[None]:
    """Say it in our words if there is not."""
    try:
        yield
    except MemoryError:
        pass
    else:
        return
    raise LimitError(
        "the table does not fit into memory",
        remedy="give it batch by batch, or through standard input",
    )
