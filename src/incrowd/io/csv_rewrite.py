"""Records of a delimited text rewritten byte for byte: only the ends of cells are looked for.

Cells that stay are copied as they are written, quotes and all. Cells that show something else get
the bytes of what they show. A text with a quote or a carriage return in an odd place is refused
here: `open_batches` reads it, or says what is wrong with it (docs/decisions/0019).
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts
from incrowd.io.csv_chunks import CsvChunk, PlainText
from incrowd.io.scratch import ScratchFile
from incrowd.kernels.io import splice as splice_kernels
from incrowd.table.fold import threads

Put: TypeAlias = Callable[[Any], object]
"""Adds bytes to a file."""


class OtherRecordsError(Exception):
    """A pass over a table found other records than the first, or ones not written plainly."""


@dataclass(frozen=True, eq=False, repr=False)
class CsvRows:
    """Records as they are written."""

    text: Any
    """Their bytes: shape (bytes,), uint8."""
    ends: Counts
    """The end of each record: shape (records,)."""

    def __len__(self) -> int:
        """Number of records."""
        return len(self.ends)

    def part(self, start: int, stop: int) -> "CsvRows":
        """The records from number `start` to before `stop`, as a view of the same bytes."""
        low = int(self.ends[start - 1]) if start else 0
        high = int(self.ends[stop - 1]) if stop else 0
        return CsvRows(self.text[low:high], self.ends[start:stop] - low)

    def text_in(self, order: Counts) -> Any:
        """The bytes of these records in another order, given as all their numbers, from 0."""
        made = np.empty_like(self.text)
        splice_kernels.gather_records(self.text, self.ends, order, made)
        return made


def join_rows(parts: Sequence[CsvRows]) -> CsvRows:
    """The records of all parts, one after the other."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.text) for part in parts)])
    ends = [part.ends + start for part, start in zip(parts, starts[:-1], strict=True)]
    return CsvRows(np.concatenate([part.text for part in parts]), np.concatenate(ends))


@dataclass(frozen=True, eq=False, repr=False)
class CsvRecords:
    """Whole records of a text, and where their cells end."""

    text: Any
    """Their bytes: shape (bytes,), uint8."""
    stops: Any
    """The end of each cell: shape (records * width,), int32."""
    width: int
    """Cells of a record."""

    @classmethod
    def of(cls, chunk: CsvChunk, delimiter: str, width: int) -> "CsvRecords | None":
        """The records of a chunk; None if `find_stops` refuses it, or one has not `width` cells."""
        data = chunk.text if chunk.text.endswith(b"\n") else chunk.text + b"\n"
        text: Any = np.frombuffer(data, dtype=np.uint8)
        plain = b'"' not in data and b"\r" not in data
        stops: Any = np.empty((chunk.lines + 1) * width + splice_kernels.SPARE, dtype=np.int32)
        found = splice_kernels.find_stops(text, ord(delimiter), plain, stops)
        if found < 0 or not splice_kernels.are_records(text, stops[:found], width):
            return None
        return cls(text, stops[:found], width)

    def __len__(self) -> int:
        """Number of records, including the header if the chunk has it."""
        return len(self.stops) // self.width


@dataclass(frozen=True, eq=False)
class Rewriting:
    """For each column of a text: copy its cells, replace them by other bytes, or leave them out."""

    runs: Codes
    """Columns that leave, as `_column_runs` lists them: shape (runs, 3)."""
    faces: Any
    """The bytes of all replacements, one after the other: shape (bytes,), uint8."""
    bounds: Counts
    """Where in `faces` each replacement begins: shape (replaced columns, most codes + 1)."""
    header: Codes
    """Per replaced column, the code that shows its name: shape (replaced columns,)."""

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        leaving: Sequence[str],
        looks: Sequence[pl.Series],
        delimiter: str,
    ) -> "Rewriting":
        """The plan for a text with columns `names` that writes those in `leaving`.

        A column named like a series in `looks` shows its cell c where the code is c.
        """
        written = [_cell_texts(cells, delimiter, alone=len(leaving) == 1) for cells in looks]
        most = max(map(len, written), default=0)
        sizes = [[*map(len, faces), *[0] * (most - len(faces))] for faces in written]
        ends = np.cumsum(np.array(sizes, dtype=np.int64)).reshape(len(looks), most)
        bounds = np.column_stack([np.append(0, ends[:-1, -1]), ends])
        data = b"".join(face for faces in written for face in faces)
        return cls(
            _column_runs(names, leaving, [cells.name for cells in looks]),
            np.frombuffer(data + b"\n", dtype=np.uint8),
            bounds,
            np.array([len(cells) for cells in looks], dtype=np.int32),
        )

    @property
    def most_growth(self) -> int:
        """The most bytes by which a record can become longer."""
        return int(np.diff(self.bounds).max(axis=1).sum()) + len(self.bounds) + 1

    def rewrite_records(self, cut: CsvRecords, codes: Codes) -> CsvRows:
        """Rewrite records by codes: shape (replaced columns, records); a header has codes, too."""
        number = len(cut)
        made = np.empty(len(cut.text) + number * self.most_growth, dtype=np.uint8)
        ends = np.empty(number, dtype=np.int64)
        splice_kernels.splice_records(
            cut.text, cut.stops, self.runs, codes, self.faces, self.bounds, made, ends
        )
        return CsvRows(made[: ends[-1] if number else 0], ends)


def _column_runs(names: Sequence[str], leaving: Sequence[str], shown: Sequence[str]) -> Codes:
    """The runs of columns that leave, each as its first column, its last, and what it shows.

    Shape (runs, 3), columns from 0. The third number is the place of a replaced column among
    the `shown` ones; it is `KEPT` for a run of neighbours that are copied in one go.
    """
    runs: list[list[int]] = []
    for column, name in enumerate(names):
        if name in shown:
            runs.append([column, column, shown.index(name)])
        elif name in leaving and runs and runs[-1][1:] == [column - 1, splice_kernels.KEPT]:
            runs[-1][1] = column
        elif name in leaving:
            runs.append([column, column, splice_kernels.KEPT])
    return np.array(runs, dtype=np.int32)


def rewrite(text: PlainText, how: Rewriting, codes: Iterable[Codes]) -> Iterator[CsvRows]:
    """Yield the header, then the records with the cells that their codes stand for, in parts.

    `codes` come in any parts of shape (replaced columns, some records). Raises `OtherRecordsError`
    if `CsvRecords.of` refuses a chunk, or if there are more or fewer records than codes.
    """
    take = _CodeQueue(codes)

    def tasks() -> Iterator[Callable[[], CsvRows]]:
        codes = how.header[:, np.newaxis]
        for records in _cut_records(text):
            codes = np.hstack([codes, take(len(records) - codes.shape[1])])
            yield partial(how.rewrite_records, records, codes)
            codes = codes[:, :0]

    for number, rows in enumerate(_run_in_pipeline(tasks())):
        if not number:
            yield rows.part(0, 1)
        yield rows.part(1, len(rows)) if not number else rows
    take.refuse_more()


def _cut_records(text: PlainText) -> Iterator[CsvRecords]:
    """The records of the text by chunks; `OtherRecordsError` if `CsvRecords.of` refuses one."""
    for chunk in text.read_chunks():
        records = CsvRecords.of(chunk, text.delimiter, len(text.names))
        if records is None:
            raise OtherRecordsError
        yield records


class _CodeQueue:
    """Codes that arrive in some parts and are taken in others."""

    def __init__(self, parts: Iterable[Codes]) -> None:
        self._parts = iter(parts)
        self._rest: Codes | None = None

    def __call__(self, number: int) -> Codes:
        """Take the codes of the next `number` records; `OtherRecordsError` if there are fewer."""
        held = [] if self._rest is None else [self._rest]
        while sum(part.shape[1] for part in held) < number or not held:
            part = next(self._parts, None)
            if part is None:
                raise OtherRecordsError
            held.append(part)
        rest = held[0] if len(held) == 1 else np.concatenate(held, axis=1)
        self._rest = rest[:, number:]
        return np.ascontiguousarray(rest[:, :number])

    def refuse_more(self) -> None:
        """Raise `OtherRecordsError` if there are codes that no record took."""
        rest = [] if self._rest is None else [self._rest]
        if any(part.shape[1] for part in chain(rest, self._parts)):
            raise OtherRecordsError


def _run_in_pipeline(tasks: Iterable[Callable[[], CsvRows]]) -> Iterator[CsvRows]:
    """The results of the tasks in their order, while later tasks already run in other threads."""
    waiting: list[Future[CsvRows]] = []
    with ThreadPoolExecutor(threads()) as pool:
        for task in tasks:
            waiting.append(pool.submit(task))
            if len(waiting) > threads():
                yield waiting.pop(0).result()
        while waiting:
            yield waiting.pop(0).result()


@contextmanager
def open_new_file(path: str | os.PathLike[str]) -> Iterator[Put]:
    """A block with an empty file at this path, whatever it held: a function that appends bytes."""
    with Path(path).open("wb") as file:
        yield file.write


def _cell_texts(cells: pl.Series, delimiter: str, *, alone: bool) -> list[bytes]:
    """The bytes of cells, then of the column's name, as Polars writes them.

    If the column is `alone` in its file, an empty one is `""`: a blank line is no record.
    """
    faces = _write_cells(cells.cast(pl.String), delimiter).split(f"{delimiter}0\n".encode())
    name = _write_cells(pl.Series([cells.name]), delimiter)[: -len(delimiter) - 2]
    found = [*faces[:-1], name]
    return [face or b'""' for face in found] if alone else found


def _write_cells(cells: pl.Series, delimiter: str) -> bytes:
    """The cells as Polars writes them in the first of two columns; the second is always 0."""
    table = pl.DataFrame({"shown": cells, "end": pl.repeat(0, len(cells), eager=True)})
    return table.write_csv(separator=delimiter, include_header=False).encode()


BYTES = 3 * 2**23
"""Bytes of records that are kept in memory at a time."""
_BITS = 64
_MOST_RANGES = 2**16
_PART = 2**14
"""Bytes of a range that are stored at a time, about."""
_Keyed: TypeAlias = tuple[CsvRows, np.ndarray]
"""Records, and the random number of each: shape (records,)."""


def shuffled_text(
    parts: Iterable[CsvRows], size: int, seed: int | None, scratch: ScratchFile
) -> Iterator[Any]:
    """The bytes of all records in a random order; `size` is the most bytes that they have in all.

    Records draw the same numbers as in `passes.shuffle`, and leave in the same order. They are
    stored on disk, by ranges of their numbers, only if they do not fit into memory.
    """
    rng = np.random.default_rng(None if seed is None else [seed, 2])
    ranges = min(_MOST_RANGES, 1 << (max(0, size - 1) // BYTES).bit_length())
    keyed = ((rows, rng.bit_generator.random_raw(len(rows))) for rows in parts)
    if ranges == 1:
        held = [_join_keyed(list(keyed))]
    for rows, drawn in held if ranges == 1 else _split_into_ranges(keyed, ranges, scratch):
        yield rows.text_in(np.argsort(drawn))


def _split_into_ranges(
    keyed: Iterable[_Keyed], ranges: int, scratch: ScratchFile
) -> Iterator[_Keyed]:
    """Yield the records of each range of drawn numbers, in turn, by way of the scratch file.

    The numbers have 64 bits, and `ranges` is a power of two from 2 to `_MOST_RANGES`.
    """
    shift = np.uint64(_BITS - (ranges.bit_length() - 1))
    groups = [
        _StoredGroup.of(rows, drawn, (drawn >> shift).astype(np.uint16), ranges, scratch)
        for rows, drawn in _join_into_groups(keyed, min(BYTES, ranges * _PART))
    ]
    for number in range(ranges):
        yield _join_keyed([group.read_range(number, scratch) for group in groups])


def _join_into_groups(keyed: Iterable[_Keyed], least: int) -> Iterator[_Keyed]:
    """Join the records into groups of at least `least` bytes; the last may have fewer."""
    held: list[_Keyed] = []
    for one in keyed:
        held.append(one)
        if sum(len(rows.text) for rows, _ in held) >= least:
            yield _join_keyed(held)
            held.clear()
    if held:
        yield _join_keyed(held)


def _join_keyed(held: list[_Keyed]) -> _Keyed:
    """All records, one after the other, with their numbers."""
    return join_rows([rows for rows, _ in held]), np.concatenate([drawn for _, drawn in held])


@dataclass(frozen=True, eq=False)
class _StoredGroup:
    """Records in the scratch file that were stored together, range by range."""

    text: int
    """Where the bytes of the records begin in the scratch file."""
    sizes: int
    """Where the sizes of the records begin."""
    numbers: int
    """Where the numbers that they drew begin."""
    firsts: Counts
    """The first record of each range, then the number of records: shape (ranges + 1,)."""
    starts: Counts
    """The first byte of each range, then the number of bytes: shape (ranges + 1,)."""

    @classmethod
    def of(
        cls, rows: CsvRows, drawn: np.ndarray, which: np.ndarray, ranges: int, scratch: ScratchFile
    ) -> "_StoredGroup":
        """Store records by range (`which` is that of each), with their sizes and drawn numbers."""
        order = np.argsort(which, kind="stable")
        firsts = np.append(0, np.cumsum(np.bincount(which, minlength=ranges)))
        sizes = np.diff(rows.ends, prepend=0)[order]
        starts = np.append(0, np.cumsum(sizes))[firsts]
        text, numbers = rows.text_in(order), drawn[order]
        return cls(scratch.put(text), scratch.put(sizes), scratch.put(numbers), firsts, starts)

    def read_range(self, number: int, scratch: ScratchFile) -> _Keyed:
        """Read the records of one range, with the numbers that they drew, from the scratch file."""
        first, after = self.firsts[number : number + 2].tolist()
        start, stop = self.starts[number : number + 2].tolist()
        text = scratch.get(self.text + start, stop - start, np.uint8)
        sizes = scratch.get(self.sizes + 8 * first, after - first, np.int64)
        drawn = scratch.get(self.numbers + 8 * first, after - first, np.uint64)
        return CsvRows(text, np.cumsum(sizes)), drawn
