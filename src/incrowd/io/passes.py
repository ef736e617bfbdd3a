"""Tables that are read more than once, batch by batch, however large they are.

A file is opened again, and refused if it changed meanwhile. What comes only once (standard input, a
pipe, an iterator of frames) is stored on disk as it passes, and no more of it than the columns that
are asked for.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from incrowd.engines.stamps import Stamp
from incrowd.engines.stream import columns_of_batch
from incrowd.errors import InputError, other_rows_error
from incrowd.io import layout as layouts
from incrowd.io.batches import open_batches
from incrowd.io.csv_chunks import PIECE, PlainText, as_plain_text
from incrowd.io.layout import Layout, stored_text
from incrowd.io.reading import AnyPath, Reading, rows_of
from incrowd.io.scratch import ScratchFrames, scratch_frames
from incrowd.io.tables import Form
from incrowd.table.cells import select_columns

ColumnChoice: TypeAlias = Callable[[Sequence[str]], Sequence[str]]
"""Chooses the wanted columns among those of a table; raises `PolicyError` for unknown ones."""

Frames: TypeAlias = Callable[[Sequence[str]], Iterator[pl.DataFrame]]
"""The records of a table with these columns, as often as they are asked for."""


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
    """The stamp of the file that is opened again; None if there is no file."""

    def refuse_changed(self) -> None:
        """Raise `NotMetError` if the file changed after it was opened; `frames` do so, too."""
        if self.stamp is not None:
            self.stamp.refuse_changed()


@contextmanager
def open_rereadable(
    source: AnyPath | Iterable[Any], choice: ColumnChoice, reading: Reading, folder: Path | None
) -> Iterator[RereadableTable]:
    """A block with the table in a file, on standard input ("-") or in frames, for many passes.

    What must be stored goes into this folder, or into the system's temporary one. `choice` picks
    the columns that are wanted, and refuses unknown ones. `InputError` if there is no frame at all.
    """
    if not isinstance(source, str | os.PathLike):
        with scratch_frames(folder) as scratch:
            yield _rereadable_frames(source, choice, scratch)
    elif str(source) == "-" or not Path(source).is_file():
        with open_batches(source, reading.layout) as found, scratch_frames(folder) as scratch:
            frames = _kept_frames(found, choice(found.names), scratch)
            yield RereadableTable(found.names, frames, form=found.form, notes=found.notes)
    else:
        yield _rereadable_file(source, choice, reading.layout)


def _rereadable_file(source: AnyPath, choice: ColumnChoice, layout: Layout) -> RereadableTable:
    """The table in a file, which is read anew in each pass; `NotMetError` once it has changed."""
    notes: list[str] = []
    stamp = Stamp.of(source)

    def frames(names: Sequence[str]) -> Iterator[pl.DataFrame]:
        with open_batches(source, replace(layout, columns=tuple(names))) as found:
            yield from found
            notes[:] = found.notes
        stamp.refuse_changed()

    with open_batches(source, layout) as first:
        choice(first.names)
        names, form = first.names, first.form
        plain = first.plain and not layout.skip
    guessed = layout.encoding is None and layout.header is not False and plain
    text = as_plain_text(source, form, names) if guessed else None
    if text is not None:
        text = replace(text, piece=min(layout.piece, PIECE))
    return RereadableTable(
        names, lambda wanted: _read_ahead(frames(wanted)), text, form, notes, stamp
    )


def _read_ahead(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The frames, each of which is read by a thread while the one before is worked on."""
    rest = iter(frames)
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, rest, None)
        while (frame := coming.result()) is not None:
            coming = reader.submit(next, rest, None)
            yield frame


def _rereadable_frames(
    source: Iterable[Any], choice: ColumnChoice, scratch: ScratchFrames
) -> RereadableTable:
    """The table in frames that come once, stored in the first pass; `InputError` without one."""
    rest = iter(source)
    first = next(rest, None)
    if first is None:
        raise no_batches_error()
    frame = rows_of(first)
    names = tuple(frame.columns)
    frames = chain([frame], map(rows_of, rest))
    return RereadableTable(names, _kept_frames(frames, choice(names), scratch))


def _kept_frames(
    frames: Iterable[pl.DataFrame], kept: Sequence[str], scratch: ScratchFrames
) -> Frames:
    """A function that gives the frames anew in each pass; the first pass stores columns `kept`."""
    stored = False

    def read(names: Sequence[str]) -> Iterator[pl.DataFrame]:
        nonlocal stored
        if stored:
            for number in range(len(scratch)):
                yield select_columns(scratch.get(number), names)
            return
        stored = True
        for number, frame in enumerate(frames, start=1):
            wanted = columns_of_batch(frame, kept, number)
            scratch.put(wanted)
            yield select_columns(wanted, names)

    return read


def no_batches_error() -> InputError:
    """The error, to be raised by the caller, for a source without even a first frame."""
    return InputError("there are no batches", remedy="give at least one, with its columns")


def written_rows(
    path: AnyPath, form: Form, names: Sequence[str], piece: int = layouts.PIECE
) -> Iterator[pl.DataFrame]:
    """The rows of a file just written, `piece` bytes at a time; `NotMetError` for other `names`."""
    with open_batches(path, replace(stored_text(form.delimiter), piece=piece)) as table:
        if table.names != tuple(names):
            raise other_rows_error()
        yield from table


CELLS = 2**20
"""Cells that are held at a time."""
_BITS = 64


def shuffle(
    frames: Iterable[pl.DataFrame], cells: int, seed: int | None, aside: ScratchFrames
) -> Iterator[pl.DataFrame]:
    """The rows of frames with about `cells` cells in all, in a random order.

    Each row draws a number, and rows leave in the order of their numbers. Rows are stored in
    `aside` by ranges of numbers, and each range is then sorted. Numbers are drawn in the order of
    the rows, so the same seed gives the same order however the rows are divided into frames.
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
    """Store rows, with their numbers `drawn` as last column, in a frame for each range of numbers.

    `places` has a list for each range, a power of two of them: it gets the number of the frame.
    """
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
