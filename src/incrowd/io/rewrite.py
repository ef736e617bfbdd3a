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
        from incrowd.kernels.splice import gather  # noqa: PLC0415  numba only when it is needed

        made = np.empty_like(self.text)
        gather(self.text, self.ends, order, made)
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
class Rewriting:
    """What becomes of the cells of a text."""

    delimiter: str
    use: Codes
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
        from incrowd.kernels.splice import KEPT, LEFT_OUT  # noqa: PLC0415  numba only when needed

        place = {cells.name: j for j, cells in enumerate(looks)}
        use = [place.get(name, KEPT) if name in leaving else LEFT_OUT for name in names]
        written = [_written(cells, delimiter, alone=len(leaving) == 1) for cells in looks]
        most = max(map(len, written), default=0)
        sizes = [[*map(len, faces), *[0] * (most - len(faces))] for faces in written]
        ends = np.cumsum(np.array(sizes, dtype=np.int64)).reshape(len(looks), most)
        bounds = np.column_stack([np.append(0, ends[:-1, -1]), ends])
        data = b"".join(face for faces in written for face in faces)
        return cls(
            delimiter,
            np.array(use, dtype=np.int32),
            np.frombuffer(data + b"\n", dtype=np.uint8),
            bounds,
            np.array([len(cells) for cells in looks], dtype=np.int32),
        )

    def rows(self, body: Body, codes: Codes) -> Rows | None:
        """The records with what these codes show, the header too; None if they are odd."""
        from incrowd.kernels.splice import splice  # noqa: PLC0415  numba only when it is needed

        text: Any = np.frombuffer(_closed(body.text), dtype=np.uint8)
        longest = int(np.diff(self.bounds).max(axis=1).sum())
        number = codes.shape[1]
        made = np.empty(len(text) + number * (longest + len(self.bounds) + 1), dtype=np.uint8)
        ends = np.empty(number, dtype=np.int64)
        given = (ord(self.delimiter), self.use, codes, self.faces, self.bounds)
        if not splice(text, *given, made, ends):
            return None
        return Rows(made[: ends[-1] if number else 0], ends)


def records_in(body: Body, delimiter: str) -> int:
    """How many records a body has, the header too; blank lines may be counted."""
    if b'"' not in body.text:
        return body.lines + (not body.text.endswith(b"\n"))
    from incrowd.kernels.lines import survey  # noqa: PLC0415  numba only when it is needed

    found = np.zeros(5, dtype=np.int64)
    text: Any = np.frombuffer(body.text, dtype=np.uint8)
    survey(text, ord(delimiter), 1, np.zeros(0, dtype=np.int64), found)
    return int(found[0])


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
