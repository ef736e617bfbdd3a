"""Releases in memory: staged in a frame, written to a file or not at all, counted again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts
from incrowd.engines.base import Clearing, Digested, NewTable, RowPlan, Target, Written
from incrowd.errors import InputError, PolicyError, boundary
from incrowd.table.cells import (
    clear_marks,
    enum_texts,
    frame_digest,
    restore_types,
    rows_digest,
    select_columns,
    text_of,
    with_enums,
)
from incrowd.table.column import CodedColumn
from incrowd.table.counted import CountedRows, count_rows
from incrowd.table.encode import to_polars

if TYPE_CHECKING:
    from incrowd.engines.memory import MemoryEngine


def polars_of(frame: "nw.DataFrame[Any]") -> pl.DataFrame:
    """The same table as a frame of Polars; itself if it is one."""
    native = nw.to_native(frame)
    if isinstance(native, pl.DataFrame):
        return native
    with boundary(InputError("the frame cannot be read")):
        columns = [to_polars(frame[name]).alias(name) for name in frame.columns]
        return pl.DataFrame(columns)


@dataclass(frozen=True, eq=False, repr=False)
class MemoryStaged:
    """Staged rows: what leaves, in a frame, next to the original records."""

    engine: "MemoryEngine"
    plan: RowPlan
    frame: Any
    classes: Codes
    """The class of each record of the table, -1 for one that is left out."""
    take: Counts
    """The record of each row."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        return tuple(self.rows.columns)

    @property
    def records(self) -> int:
        """Number of released records."""
        return len(self.take)

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The frame as one of Polars."""
        return polars_of(nw.from_native(self.frame, eager_only=True))

    @cached_property
    def dictionary_rows(self) -> pl.DataFrame:
        """The staged rows with texts that repeat as Enums, which are counted fast."""
        return with_enums(self.rows)

    @property
    def repeated_records(self) -> int:
        """Number of records of the table that the release holds more than once."""
        return int((np.bincount(self.take, minlength=1) > 1).sum())

    def counts(
        self,
        columns: Sequence[str],
        held: Sequence[CodedColumn] = (),
        *,
        unit: bool = False,
        classes: bool = False,
        weight: str | None = None,
    ) -> CountedRows:
        """Count distinct rows of shown cells and held codes, as `Staged.counts` says."""
        person = self.plan.unit if unit else None
        return count_rows(
            select_columns(self.dictionary_rows, columns),
            {column.name: column.codes[self.take] for column in held},
            None if person is None else person.codes[self.take],
            self.classes[self.take] if classes else None,
            None if weight is None else self.engine.weights(weight)[self.take],
        )

    def blocks(
        self,
        columns: Sequence[str],
        held: Sequence[CodedColumn],
        clear: Clearing,  # noqa: ARG002  there is one block
    ) -> Iterator[CountedRows]:
        """The distinct rows of shown cells and held codes, as `counts` gives, in one block."""
        yield self.counts(columns, held)

    def count_originals(self, columns: Sequence[str]) -> CountedRows:
        """The distinct rows of the original cells in these columns, told apart by class."""
        cells = select_columns(self.engine.rows, columns)[self.take]
        return count_rows(cells, classes=self.classes[self.take])

    def cell_pairs(self, column: str) -> CountedRows:
        """The distinct pairs of original (first) and shown cell of a column, and their records."""
        held = self.engine.rows[column][self.take].alias("held")
        return count_rows(pl.DataFrame([held, self.rows[column].alias("shown")]))

    def count_altered(self) -> dict[str, int]:
        """By column that leaves as it is, how many cells differ from those of their records."""
        before = self.engine.rows
        return {
            name: _count_unequal(before[name].gather(self.take), self.rows[name])
            for name in self.plan.kept_columns
        }

    def write(self, target: Target | NewTable | None = None) -> "MemoryWritten":
        """Write rows and read them anew, or keep them if None; `PolicyError` for a table."""
        if isinstance(target, NewTable):
            raise PolicyError(
                "rows in memory are released to a file or a frame", remedy="name a file"
            )
        if target is None:
            return MemoryWritten(self.rows, self.rows)
        target.put(self.frame)
        stored = with_enums(target.get())
        return MemoryWritten(stored, restore_types(stored, self.rows), target)


@dataclass(frozen=True, eq=False, repr=False)
class MemoryWritten(Written):
    """The written release, read back."""

    stored: pl.DataFrame
    """The cells as they are stored: texts if the file is one; repeated texts are Enums."""
    rows: pl.DataFrame
    """The same cells in the types of the staged rows."""
    target: Target | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        return tuple(self.rows.columns)

    @property
    def records(self) -> int:
        """Number of records."""
        return self.rows.height

    def counts(self, columns: Sequence[str]) -> CountedRows:
        """The distinct rows of these columns, and how many records each has."""
        return count_rows(select_columns(self.dictionary_rows, columns))

    @cached_property
    def dictionary_rows(self) -> pl.DataFrame:
        """The rows with texts that repeat as Enums, which are counted fast."""
        return with_enums(self.rows)

    def digest(self) -> tuple[Digested, str]:
        """What the SHA-256 is of (`file`: its bytes; `frame`: its cells), and the SHA-256."""
        if self.target is None:
            return "frame", frame_digest(self.stored)
        return "file", self.target.sha256()

    def rows_digest(self, missing_values: Sequence[str]) -> str:
        """SHA-256 of the rows, the same in every file format."""
        return rows_digest(self.stored, missing_values)

    def count_differences(
        self, staged: MemoryStaged, missing_values: Sequence[str], *, blank: bool
    ) -> int:
        """Number of cells that differ from the staged rows, in the column where most do.

        The larger number of rows if the two numbers, or the columns, differ; missing cells
        count as `Written` says.
        """
        if self.rows is staged.rows:
            return 0
        if self.names != staged.names or self.records != staged.records:
            return max(self.records, staged.records)
        kept, wrong = set(staged.plan.kept_columns), 0
        for name in self.names:
            before = staged.dictionary_rows[name].to_frame()
            after = self.dictionary_rows[name].to_frame()
            if name not in kept:
                before = clear_marks(before, missing_values, text=blank)
                after = clear_marks(after, missing_values, text=blank)
            wrong = max(wrong, _count_unequal(before.to_series(), after.to_series()))
        return wrong


def _count_unequal(one: pl.Series, other: pl.Series) -> int:
    """Number of cells that differ between two columns; NaN is missing, as in a text file."""
    one, other = (c.fill_nan(None) if c.dtype.is_float() else c for c in (one, other))
    if one.dtype == other.dtype and one.equals(other, null_equal=True):
        return 0
    if isinstance(one.dtype, pl.Enum) and isinstance(other.dtype, pl.Enum):
        return _count_unequal_enums(one, other)
    texts = text_of(one), text_of(other)
    if texts[0].equals(texts[1], null_equal=True):
        return 0
    return int((~texts[0].eq_missing(texts[1])).sum())


def _count_unequal_enums(one: pl.Series, other: pl.Series) -> int:
    """Number of cells that differ between two Enums; compares numbers of labels, not texts."""
    place = {text: i for i, text in enumerate(enum_texts(one).to_list())}
    nowhere, size = len(place), len(place) + 1
    theirs = [place.get(text, size) for text in enum_texts(other).to_list()]
    lookup = np.array([*theirs, nowhere], dtype=np.int64)
    left = one.to_physical().cast(pl.Int64).fill_null(nowhere).to_numpy()
    right = other.to_physical().cast(pl.Int64).fill_null(len(theirs)).to_numpy()
    return int((left != lookup[right]).sum())
