"""Records of a delimited text rewritten byte by byte: nothing is read but where cells begin.

Cells that stay are copied as they are written. Cells that show something else get the bytes of
what they show. A text in which a quote or a return stands where it should not is left to others.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts
from incrowd.io.bodies import Body
from incrowd.kernels.io import splice as splice_kernels

Put: TypeAlias = Callable[[Any], None]
"""Add bytes to a file."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Records as they are written."""

    text: Any
    """Their bytes, an array."""
    ends: Counts
    """Where each ends."""

    def __len__(self) -> int:
        """How many there are."""
        return len(self.ends)

    def __repr__(self) -> str:
        """Without values."""
        return f"Rows({len(self)} records)"

    def part(self, start: int, stop: int) -> "Rows":
        """The records from one up to another."""
        low = int(self.ends[start - 1]) if start else 0
        high = int(self.ends[stop - 1]) if stop else 0
        return Rows(self.text[low:high], self.ends[start:stop] - low)

    def text_in(self, order: Counts) -> Any:
        """The bytes of the same records in this order."""
        made = np.empty_like(self.text)
        splice_kernels.gather(self.text, self.ends, order, made)
        return made

    def ordered(self, order: Counts) -> "Rows":
        """The same records in this order."""
        return Rows(self.text_in(order), np.cumsum(np.diff(self.ends, prepend=0)[order]))


def joined(parts: Sequence[Rows]) -> Rows:
    """The records of all parts."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.text) for part in parts)])
    ends = [part.ends + start for part, start in zip(parts, starts[:-1], strict=True)]
    return Rows(np.concatenate([part.text for part in parts]), np.concatenate(ends))


@dataclass(frozen=True, eq=False)
class Cut:
    """Whole records of a text, and where their cells end."""

    text: Any
    """Their bytes, an array."""
    stops: Any
    width: int

    @classmethod
    def of(cls, body: Body, delimiter: str, width: int) -> "Cut | None":
        """The records of so many cells each; None if they are odd."""
        data = _closed(body.text)
        text: Any = np.frombuffer(data, dtype=np.uint8)
        plain = b'"' not in data and b"\r" not in data
        stops: Any = np.empty((body.lines + 1) * width + splice_kernels.SPARE, dtype=np.int32)
        found = splice_kernels.find_stops(text, ord(delimiter), plain, stops)
        if found < 0 or not splice_kernels.are_records(text, stops[:found], width):
            return None
        return cls(text, stops[:found], width)

    def __len__(self) -> int:
        """How many there are, the header too."""
        return len(self.stops) // self.width

    def __repr__(self) -> str:
        """Without values."""
        return f"Cut({len(self)} records)"


@dataclass(frozen=True, eq=False)
class Rewriting:
    """What becomes of the cells of a text."""

    runs: Codes
    """Columns that leave, as the kernel `splice` takes them."""
    faces: Any
    """The bytes of all that is shown, an array."""
    bounds: Counts
    """Where in them the faces of each shown column begin."""
    header: Codes
    """The code of each shown column that shows its name."""

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        leaving: Sequence[str],
        looks: Sequence[pl.Series],
        delimiter: str,
    ) -> "Rewriting":
        """Columns that leave: of those in `looks` code c shows cell c of theirs."""
        written = [_written(cells, delimiter, alone=len(leaving) == 1) for cells in looks]
        most = max(map(len, written), default=0)
        sizes = [[*map(len, faces), *[0] * (most - len(faces))] for faces in written]
        ends = np.cumsum(np.array(sizes, dtype=np.int64)).reshape(len(looks), most)
        bounds = np.column_stack([np.append(0, ends[:-1, -1]), ends])
        data = b"".join(face for faces in written for face in faces)
        return cls(
            _runs(names, leaving, [cells.name for cells in looks]),
            np.frombuffer(data + b"\n", dtype=np.uint8),
            bounds,
            np.array([len(cells) for cells in looks], dtype=np.int32),
        )

    @property
    def longest(self) -> int:
        """How many bytes a record can become longer by what is shown."""
        return int(np.diff(self.bounds).max(axis=1).sum()) + len(self.bounds) + 1

    def rows(self, cut: Cut, codes: Codes) -> Rows:
        """The records with what these codes show, the header too."""
        number = len(cut)
        made = np.empty(len(cut.text) + number * self.longest, dtype=np.uint8)
        ends = np.empty(number, dtype=np.int64)
        splice_kernels.splice(
            cut.text, cut.stops, self.runs, codes, self.faces, self.bounds, made, ends
        )
        return Rows(made[: ends[-1] if number else 0], ends)


def _runs(names: Sequence[str], leaving: Sequence[str], shown: Sequence[str]) -> Codes:
    """Columns that stay side by side are one run: they are copied at once."""
    runs: list[list[int]] = []
    for column, name in enumerate(names):
        if name in shown:
            runs.append([column, column, shown.index(name)])
        elif name in leaving and runs and runs[-1][1:] == [column - 1, splice_kernels.KEPT]:
            runs[-1][1] = column
        elif name in leaving:
            runs.append([column, column, splice_kernels.KEPT])
    return np.array(runs, dtype=np.int32)


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Put]:
    """A file that takes bytes, empty at first."""
    with Path(path).open("wb") as file:

        def put(data: Any) -> None:
            file.write(data)

        yield put


def _closed(text: bytes) -> bytes:
    return text if text.endswith(b"\n") else text + b"\n"


def _written(cells: pl.Series, delimiter: str, *, alone: bool) -> list[bytes]:
    """The cells, and then the column's name, as Polars writes them into a text.

    In a table of one column an empty cell is a quoted one: a blank line were no record.
    """
    faces = _lines(cells.cast(pl.String), delimiter).split(f"{delimiter}0\n".encode())
    name = _lines(pl.Series([cells.name]), delimiter)[: -len(delimiter) - 2]
    found = [*faces[:-1], name]
    return [face or b'""' for face in found] if alone else found


def _lines(cells: pl.Series, delimiter: str) -> bytes:
    """The cells as the first of two columns, the second of which is always 0."""
    table = pl.DataFrame({"shown": cells, "end": pl.repeat(0, len(cells), eager=True)})
    return table.write_csv(separator=delimiter, include_header=False).encode()
