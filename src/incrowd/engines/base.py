"""The seam to the place where the rows live.

An engine is one snapshot of a table. Three things cross the seam: distinct values, distinct rows
with counts, and a plan of what becomes of each record. The rows themselves stay: they are staged,
written and counted anew where they are. No engine parses, formats or sorts a cell; how values
become codes is decided once, from distinct values, in `table.encode`.

    codes, tally ─▶ (search) ─▶ RowPlan ─▶ stage ─▶ Staged ─▶ write ─▶ Written
                                             └ counts, originals ┘        └ counts, differing
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.recoding.column_cells import Cell, Keep
from incrowd.recoding.recoding import Pieces
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.counted import CountedRows
from incrowd.table.tally import Tally
from incrowd.watch import Watch


class Can(StrEnum):
    """Abilities of an engine beyond the contract."""

    ORDER = "order"
    """Rows have an order, and the release can keep it."""
    PARTS = "parts"
    """Work can be done on parts of the rows, one by one or side by side."""
    FOLDER = "folder"
    """A release is a folder of files, which are written side by side."""


Digested: TypeAlias = Literal["file", "frame", "table"]
"""What a digest is of: bytes of a file, cells of a frame, rows of a table in whatever order."""


Clearing: TypeAlias = Callable[[pl.DataFrame], pl.DataFrame]
"""Makes cells null that mean missing to whoever reads a release."""


@dataclass(frozen=True)
class NewTable:
    """A table that a release becomes, in the database of the table that it is made of."""

    schema: str
    name: str

    @property
    def title(self) -> str:
        """Its title in messages."""
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True, eq=False, repr=False)
class RowPlan:
    """The class of each record, and the cells of each column that leaves."""

    coded: tuple[CodedColumn, ...]
    """The columns of the tally, quasi-identifying ones first."""
    quasi: int
    """How many of them are quasi-identifying."""
    tally: Tally
    """The distinct coded rows that `pieces` are of."""
    pieces: Pieces
    """Which records are in which class; class -1 is left out. Which of the equal records of a row
    go into which of its pieces is drawn."""
    cells: Mapping[str, Cell]
    """By column that leaves, in this order; columns of the table that are not here do not."""
    complete: bool = False
    """Whether records that lack a quasi-identifying value are left out (they are in no row)."""
    keep_order: bool = False
    """Whether records leave in the order of the table."""
    unit: CodedColumn | None = None
    """Which records belong to one person."""
    steady: bool = False
    """Whether equal values of a column show the same in every class."""

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that leave as they are."""
        return tuple(name for name, cell in self.cells.items() if isinstance(cell, Keep))


class PartJob(Protocol):
    """The work on the records of one part: a function of the part and of nothing else.

    The engine hands over `row`, `u` and the codes k0, k1, … of the plan's columns, one line per
    record, and gets a line per record that leaves: these columns, `class`, and s0, s1, … for each
    column that shows something by class.
    """

    @property
    def adds(self) -> Mapping[str, pl.DataType]:
        """The columns that it adds, in their order: whole numbers and texts."""

    def __call__(self, part: int, rows: pl.DataFrame) -> pl.DataFrame:
        """The records of a part that leave, with what they show."""


class Countable(Protocol):
    """Rows that can be counted."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""

    @property
    def records(self) -> int:
        """Number of records."""

    def counts(self, columns: Sequence[str]) -> CountedRows:
        """The distinct rows of these columns, as they are stored, and their records."""


class Engine(Countable, Protocol):
    """One snapshot of a table: read to be coded and counted, then to be released."""

    @property
    def name(self) -> str:
        """Its name in a certificate."""

    @property
    def can(self) -> frozenset[Can]:
        """Its abilities beyond the contract."""

    @property
    def text(self) -> bool:
        """Whether all cells are text, so that numbers and dates are still to be found."""

    @property
    def sealed(self) -> Mapping[str, str]:
        """By column: what its cells hold that no program can see into (lists, bytes)."""

    def codes(
        self,
        names: Sequence[str],
        kinds: Mapping[str, Kind] | None = None,
        missing_values: Sequence[str] = (),
    ) -> dict[str, CodedColumn]:
        """Columns as codes, one per entry: a record in memory, a distinct value elsewhere."""

    def unit(self, name: str, missing_values: Sequence[str] = ()) -> CodedColumn:
        """Which records belong to one person; code 0 for a record that says nothing."""

    def texts(self, name: str, missing_values: Sequence[str] = ()) -> CodedColumn:
        """A column coded by the text of its cells, whatever they are."""

    def frequency(self, column: CodedColumn) -> Counts:
        """Records per code of a column: shape (values + 1,), entry 0 counts the missing."""

    def counts(
        self,
        columns: Sequence[str] = (),
        coded: Sequence[CodedColumn] = (),
        unit: CodedColumn | None = None,
        complete: Sequence[CodedColumn] = (),
    ) -> CountedRows:
        """The distinct rows of these columns, of these codes and of whom they belong to.

        Only records that lack none of `complete`.
        """

    def sample(
        self, columns: Sequence[str], records: int, unit: CodedColumn | None = None
    ) -> pl.DataFrame:
        """So many records at most, drawn with a fixed seed; one of each person."""

    def coded_sample(self, coded: Sequence[CodedColumn], records: int) -> dict[str, CodedColumn]:
        """The same for codes: one per drawn record."""

    def sizes(self, columns: Sequence[str]) -> tuple[Counts, Counts]:
        """The sizes of classes of records that are equal in these columns, and their numbers.

        Each size, ascending, and how many classes have it. Cells are compared as they are stored;
        missing is a value, and NaN is missing.
        """

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """The records with these columns, part by part, in one order whatever the columns.

        There is at least one part, if only with the columns.
        """

    def tally(
        self,
        quasi: Sequence[CodedColumn],
        sensitive: Sequence[CodedColumn],
        unit: CodedColumn | None = None,
        weight: str | None = None,
        *,
        complete: bool = False,
    ) -> Tally:
        """The distinct coded rows; with `complete` of records that lack no quasi-identifier."""

    def stage(self, plan: RowPlan, draw: np.random.Generator) -> "Staged":
        """The rows that are to leave, private still, beside what their records held."""

    def close(self) -> None:
        """Give back what is held open; a release that was not published is taken back."""


@runtime_checkable
class PartEngine(Engine, Protocol):
    """An engine that can work on parts of its rows, if it `can` do `Can.PARTS`."""

    @property
    def memory(self) -> int | None:
        """Bytes of memory that all work may use; None if nobody set a limit."""

    def tally_of_sample(
        self,
        quasi: Sequence[CodedColumn],
        sensitive: Sequence[CodedColumn],
        records: int,
        *,
        complete: bool = False,
    ) -> Tally:
        """The tally of a sample; with `complete` of records that lack no quasi-identifier."""

    def part_counts(
        self, plan: RowPlan, part: str, sensitive: Sequence[CodedColumn] = ()
    ) -> CountedRows:
        """Records per part, which an expression over the codes k0, k1, … tells, and their codes."""

    def stage_parts(  # noqa: PLR0913, PLR0917  what, in which parts, by whom, and how
        self,
        plan: RowPlan,
        part: str,
        job: PartJob,
        draw: np.random.Generator,
        watch: Watch,
        kept: Path | None = None,
    ) -> "Staged":
        """The rows that are to leave, after a job has worked on each part of them.

        Parts that are done are `kept` in a folder, if that is given, and not done again.
        """

    def class_cells(self, columns: int) -> pl.DataFrame:
        """Distinct cells low0, high0, level0, low1, … that a job staged, and their records `n`."""


class Staged(Countable, Protocol):
    """Rows that are to leave, not published yet; with them what their records held."""

    @property
    def frame(self) -> Any:
        """The rows, in the kind of table that came in."""

    @property
    def repeated(self) -> int:
        """Records of the table that leave more than once."""

    def counts(
        self,
        columns: Sequence[str],
        held: Sequence[CodedColumn] = (),
        *,
        unit: bool = False,
        classes: bool = False,
        weight: str | None = None,
    ) -> CountedRows:
        """The distinct rows of what leaves, of the codes their records held, by person or class.

        With a `weight` column of the table the sums of its cells come along.
        """

    def blocks(
        self, columns: Sequence[str], held: Sequence[CodedColumn], clear: Clearing
    ) -> Iterator[CountedRows]:
        """The same of what leaves and of codes, block by block, if they are many.

        Rows that show the same in these columns, read by `clear`, are in one block. There is at
        least one block.
        """

    def originals(self, columns: Sequence[str]) -> CountedRows:
        """The distinct rows of what the records held in these columns, by class."""

    def cell_pairs(self, column: str) -> CountedRows:
        """Distinct pairs of cells of one column: what the record held (first), what it shows."""

    def count_altered(self) -> Mapping[str, int]:
        """By column that leaves as it is: cells that do not show what their record held."""

    def write(self, target: "Target | NewTable | None" = None) -> "Written":
        """Write the rows to their target and read them anew; without one they stay a table."""


class Target(Protocol):
    """A file beside the one that the release will be; what opens files is above the engines.

    An empty folder for an engine that writes a release in parts (`Can.FOLDER`).
    """

    @property
    def path(self) -> Path:
        """Its path."""

    @property
    def format(self) -> str:
        """`csv`, `parquet` or `arrow`."""

    def put(self, frame: Any) -> None:
        """Write a frame."""

    def get(self) -> pl.DataFrame:
        """Read it anew, cells as they are stored."""

    def parts(self) -> AbstractContextManager[Callable[[pl.DataFrame], None]]:
        """The file, to add frames of one kind to; it is complete when the block ends."""

    def batches(self) -> Iterator[pl.DataFrame]:
        """Read it anew frame by frame, cells as they are stored."""

    def sha256(self) -> str:
        """Of its bytes."""


class Written(Countable, Protocol):
    """The release as it was written, read anew."""

    def blocks(
        self,
        columns: Sequence[str],
        key: int,  # noqa: ARG002  there is one block
        clear: Clearing,  # noqa: ARG002  the same
    ) -> Iterator[CountedRows]:
        """The distinct rows of these columns, block by block, if they are many.

        Rows that show the same in the first `key` columns, read by `clear`, are in one block. There
        is at least one block.
        """
        yield self.counts(columns)

    def values(self, column: str) -> Iterator[CountedRows]:
        """The distinct cells of a column, each in one of several batches."""
        yield self.counts((column,))

    def digest(self) -> tuple[Digested, str]:
        """The kind of the digest, and the SHA-256."""

    def publish(self) -> None:
        """Let others see it, where writing alone does not: it is proved and certified."""
        return

    def rows_digest(
        self,
        missing_values: Sequence[str],  # noqa: ARG002  a default
    ) -> str | None:
        """SHA-256 of the rows whatever they are stored in; None if they have no order."""
        return None

    def differing(self, staged: Any, missing_values: Sequence[str], *, blank: bool) -> int:
        """Rows that are not the staged ones, whichever way.

        Missing cells are equal however they are written, but for columns that leave as they are.
        """
