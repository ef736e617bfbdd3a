"""Tables that are read more than once, from the first record to the last, batch by batch.

A file is opened again, and refused if it changed meanwhile. What comes once (standard input, a
pipe, an iterator of frames) is put aside on the disk as it goes by, and no more of it than the
columns that are asked for.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from incrowd.errors import InputError
from incrowd.io.batches import Layout, batches
from incrowd.io.columns import PIECE, PlainText, plain_text
from incrowd.io.spool import Spool, spool
from incrowd.io.stamp import Stamp
from incrowd.io.tables import Form
from incrowd.verbs.reading import AnyPath, rows_of

Choice: TypeAlias = Callable[[Sequence[str]], Sequence[str]]
"""Which of a table's columns are asked for; unknown ones are refused."""


Frames: TypeAlias = Callable[[Sequence[str]], Iterator[pl.DataFrame]]
"""The records of a table with these of the columns that were asked for."""


@dataclass(frozen=True, eq=False)
class Twice:
    """A table that can be read more than once."""

    names: tuple[str, ...]
    """All its columns."""
    frames: Frames
    text: PlainText | None = None
    """The same as a text that can be read without a check of all columns; None if it cannot."""
    form: Form = field(default_factory=Form)
    notes: Sequence[str] = ()
    """Complete when the table has gone by."""
    stamp: Stamp | None = None
    """Of the file that is opened again; None if there is none."""

    def demand_same(self) -> None:
        """Refuse a file that is not the one that was opened first; `frames` do so at their end."""
        if self.stamp is not None:
            self.stamp.demand()


@contextmanager
def twice(
    source: AnyPath | Iterable[Any], choice: Choice, layout: Layout, folder: Path | None
) -> Iterator[Twice]:
    """The table in a file, on standard input ("-") or in frames that come one after the other.

    What must be put aside is in this folder, or in the system's for temporary files.
    """
    if not isinstance(source, str | os.PathLike):
        with spool(folder) as aside:
            yield _of_frames(source, choice, aside)
    elif str(source) == "-" or not Path(source).is_file():
        with batches(source, layout) as found, spool(folder) as aside:
            kept = _Kept(found, choice(found.names), aside)
            yield Twice(found.names, kept.frames, form=found.form, notes=found.notes)
    else:
        yield _of_file(source, choice, layout)


def ahead(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The frames, the next one of which is made while the one before is worked on."""
    rest = iter(frames)
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, rest, None)
        while (frame := coming.result()) is not None:
            coming = reader.submit(next, rest, None)
            yield frame


def _of_file(source: AnyPath, choice: Choice, layout: Layout) -> Twice:
    notes: list[str] = []
    stamp = Stamp.of(source)

    def frames(names: Sequence[str]) -> Iterator[pl.DataFrame]:
        with batches(source, replace(layout, columns=tuple(names))) as found:
            yield from found
            notes[:] = found.notes
        stamp.demand()

    with batches(source, layout) as first:
        choice(first.names)
        names, form = first.names, first.form
    guessed = layout.encoding is None and layout.header is not False
    text = plain_text(source, form, names) if guessed else None
    if text is not None:
        text = replace(text, piece=min(layout.piece, PIECE))
    return Twice(names, lambda wanted: ahead(frames(wanted)), text, form, notes, stamp)


def _of_frames(source: Iterable[Any], choice: Choice, aside: Spool) -> Twice:
    rest = iter(source)
    first = next(rest, None)
    if first is None:
        raise InputError("there are no batches", remedy="give at least one, with its columns")
    frame = rows_of(first)
    names = tuple(frame.columns)
    kept = _Kept(chain([frame], map(rows_of, rest)), choice(names), aside)
    return Twice(names, kept.frames)


class _Kept:
    """Frames that come once: the first time they are put aside."""

    def __init__(self, frames: Iterable[pl.DataFrame], names: Sequence[str], aside: Spool) -> None:
        self._frames = frames
        self._names = list(names)
        self._aside = aside
        self._read = False

    def frames(self, names: Sequence[str]) -> Iterator[pl.DataFrame]:
        """The records with these columns."""
        if self._read:
            for number in range(len(self._aside)):
                yield self._aside.get(number).select(names)
            return
        self._read = True
        for number, frame in enumerate(self._frames, start=1):
            if not set(self._names) <= set(frame.columns):
                raise InputError(
                    f"batch {number:,} has other columns than the first: some are missing",
                    remedy="give batches of one table",
                )
            wanted = frame.select(self._names)
            self._aside.put(wanted)
            yield wanted.select(names)
