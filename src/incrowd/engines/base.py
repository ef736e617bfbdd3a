"""The seam to the place where the rows live.

An engine is one snapshot of a table. Three things cross the seam: distinct values, distinct rows
with counts, and a plan of what becomes of each record. The rows themselves stay: they are staged,
written and counted anew where they are. No engine parses, formats or sorts a cell; how values
become codes is decided once, from distinct values, in `table.encode`.

    codes, tally ─▶ (search) ─▶ RowPlan ─▶ stage ─▶ Staged ─▶ write ─▶ Written
                                             └ counts, originals ┘        └ counts, differences
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
        """How messages call the table: `schema.name`."""
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
    """Which records are in which class (-1: left out); among equal records that is drawn."""
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
    def kept_columns(self) -> tuple[str, ...]:
        """The names of the columns that leave as they are."""
        return tuple(name for name, cell in self.cells.items() if isinstance(cell, Keep))


class PartJob(Protocol):
    """The work on the records of one part: a function of the part and of nothing else.

    The engine hands over `row`, `u` and the codes k0, k1, … of the plan's columns, one line per
    record, and gets a line per record that leaves: these columns, `class`, and s0, s1, … for each
    column that shows something by class.
    """

    @property
    def adds(self) -> Mapping[str, pl.DataType]:
        """The columns that the job adds to the records, in order, with types: integer or text."""

    def __call__(self, part: int, rows: pl.DataFrame) -> pl.DataFrame:
        """The records of a part that leave, with the columns that the job adds."""


class Countable(Protocol):
    """Rows that can be counted."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""

    @property
    def records(self) -> int:
        """Number of records."""

    def counts(self, columns: Sequence[str]) -> CountedRows:
        """The distinct rows of these columns, cells as stored, and how many records have each."""


class Engine(Countable, Protocol):
    """One snapshot of a table: read to be coded and counted, then to be released."""

    @property
    def name(self) -> str:
        """Its name in a certificate."""

    @property
    def can(self) -> frozenset[Can]:
        """Which abilities beyond the contract it has."""

    @property
    def text(self) -> bool:
        """Whether all cells are text, so that numbers and dates are still to be found."""

    @property
    def sealed(self) -> Mapping[str, str]:
        """The columns whose cells incrowd cannot look into, with what they hold (lists, bytes)."""

    def codes(
        self,
        names: Sequence[str],
        kinds: Mapping[str, Kind] | None = None,
        missing_values: Sequence[str] = (),
    ) -> dict[str, CodedColumn]:
        """Columns as codes, by name, one code per record (in memory) or distinct value (elsewhere).

        `kinds` says how to read some columns; cells that are among `missing_values` are missing.
        `InputError` for a column of lists or structures, and for cells that are not of the kind.
        """

    def unit_codes(self, name: str, missing_values: Sequence[str] = ()) -> CodedColumn:
        """The column of people as codes, equal for records of one person, 0 where it is missing."""

    def text_codes(self, name: str, missing_values: Sequence[str] = ()) -> CodedColumn:
        """A column coded by the text of its cells, also where these are numbers or dates."""

    def frequency(self, column: CodedColumn) -> Counts:
        """Records per code of a column: shape (values + 1,), entry 0 counts the missing."""

    def counts(
        self,
        columns: Sequence[str] = (),
        coded: Sequence[CodedColumn] = (),
        unit: CodedColumn | None = None,
        complete: Sequence[CodedColumn] = (),
    ) -> CountedRows:
        """Count the distinct rows of these columns, codes (`coded`) and people (`unit`).

        Records that lack a value of one of the columns `complete` are left out.
        """

    def sample(
        self, columns: Sequence[str], records: int, unit: CodedColumn | None = None
    ) -> pl.DataFrame:
        """At most this many records, always the same; with `unit` only one of each known person."""

    def coded_sample(self, coded: Sequence[CodedColumn], records: int) -> dict[str, CodedColumn]:
        """These columns with the codes of at most this many records, drawn with a fixed seed."""

    def class_sizes(self, columns: Sequence[str]) -> tuple[Counts, Counts]:
        """Each size of a class of records equal in these columns, and how many classes have it.

        Sizes ascend. Cells are compared as they are stored; missing is a value, and NaN is missing.
        """

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """The records with these columns in one order, whatever they are; in at least one part."""

    def tally(
        self,
        quasi: Sequence[CodedColumn],
        sensitive: Sequence[CodedColumn],
        unit: CodedColumn | None = None,
        weight: str | None = None,
        *,
        complete: bool = False,
    ) -> Tally:
        """Fold the records into distinct coded rows with their counts.

        `weight` names a column. With `complete` records that lack a quasi-identifier are left out.
        """

    def stage(self, plan: RowPlan, draw: np.random.Generator) -> "Staged":
        """Stage the rows of a plan beside their original records; `draw` gives all randomness."""

    def close(self) -> None:
        """Give back what is held open; a release that was not published is removed."""


@runtime_checkable
class PartEngine(Engine, Protocol):
    """An engine that can work on parts of its rows, if `Can.PARTS` is among its abilities."""

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
        """The tally of drawn records; with `complete` of those that lack no quasi-identifier."""

    def part_counts(
        self, plan: RowPlan, part: str, sensitive: Sequence[CodedColumn] = ()
    ) -> CountedRows:
        """Count records per part (an expression over codes k0, k1, …) and per sensitive code.

        The code of a row under the name `part` is the number of its part.
        """

    def stage_parts(  # noqa: PLR0913, PLR0917  what, in which parts, by whom, and how
        self,
        plan: RowPlan,
        part: str,
        job: PartJob,
        draw: np.random.Generator,
        watch: Watch,
        kept: Path | None = None,
    ) -> "Staged":
        """Let a job work on each part of the records, and stage the rows that it makes.

        `part` is an expression that tells the part of a record. Parts that are done are kept in the
        folder `kept`, if that is given, and are not worked on again.
        """

    def class_cells(self, columns: int) -> pl.DataFrame:
        """The distinct low0, high0, level0, low1, … of so many staged columns, with counts `n`."""


class Staged(Countable, Protocol):
    """Rows that are to leave, not published yet, beside the records that they are made of."""

    @property
    def frame(self) -> Any:
        """The rows, in the kind of table that came in."""

    @property
    def repeated_records(self) -> int:
        """Number of records of the table that leave more than once."""

    def counts(
        self,
        columns: Sequence[str],
        held: Sequence[CodedColumn] = (),
        *,
        unit: bool = False,
        classes: bool = False,
        weight: str | None = None,
    ) -> CountedRows:
        """Count the distinct rows of shown cells and of the codes that their records held (`held`).

        Rows are told apart by person with `unit` and by class with `classes`; with a `weight`
        column of the table the sums of its cells come along.
        """

    def blocks(
        self, columns: Sequence[str], held: Sequence[CodedColumn], clear: Clearing
    ) -> Iterator[CountedRows]:
        """The distinct rows of shown cells and held codes, as in `counts`, but block by block.

        Rows that show the same once `clear` has read them are in one block; there is at least one.
        """

    def count_originals(self, columns: Sequence[str]) -> CountedRows:
        """The distinct rows of the original cells in these columns, told apart by class."""

    def cell_pairs(self, column: str) -> CountedRows:
        """The distinct pairs of original (first) and shown cell of a column, and their records."""

    def count_altered(self) -> Mapping[str, int]:
        """By column that leaves as it is, how many cells differ from those of their records."""

    def write(self, target: "Target | NewTable | None" = None) -> "Written":
        """Write the rows to their target, else to a table of ours; return them read anew.

        `PolicyError` if the engine cannot write such a target.
        """


class Target(Protocol):
    """A file, or an empty folder (`Can.FOLDER`), beside the release-to-be; opened from above."""

    @property
    def path(self) -> Path:
        """Where the file is."""

    @property
    def format(self) -> str:
        """The file's format: `csv`, `parquet` or `arrow`."""

    def put(self, frame: Any) -> None:
        """Write a frame as the whole file."""

    def get(self) -> pl.DataFrame:
        """Read the file anew as one frame, cells as they are stored."""

    def parts(self) -> AbstractContextManager[Callable[[pl.DataFrame], None]]:
        """A block with a function that appends frames; at its end the file is complete."""

    def batches(self) -> Iterator[pl.DataFrame]:
        """Read the file anew, frame by frame, cells as they are stored."""

    def sha256(self) -> str:
        """SHA-256 of the file's bytes."""


class Written(Countable, Protocol):
    """The release as it was written, read anew."""

    def blocks(
        self,
        columns: Sequence[str],
        key: int,  # noqa: ARG002  there is one block
        clear: Clearing,  # noqa: ARG002  the same
    ) -> Iterator[CountedRows]:
        """The distinct rows of these columns, in one block or, if they are many, in several.

        Rows that show the same in the first `key` columns, read by `clear`, are in one block.
        """
        yield self.counts(columns)

    def values(self, column: str) -> Iterator[CountedRows]:
        """The distinct cells of a column, each in one batch, and how many records have each."""
        yield self.counts((column,))

    def digest(self) -> tuple[Digested, str]:
        """What the SHA-256 is of (file, frame or table), and the SHA-256 itself."""

    def publish(self) -> None:
        """Let others see the certified release; nothing to do where writing alone shows it."""
        return

    def rows_digest(
        self,
        missing_values: Sequence[str],  # noqa: ARG002  a default
    ) -> str | None:
        """SHA-256 of the rows, texts in `missing_values` as missing; None if they have no order."""
        return None

    def count_differences(self, staged: Any, missing_values: Sequence[str], *, blank: bool) -> int:
        """0 if the rows are the staged ones, else how many rows, or cells of one column, differ.

        Missing cells are equal however they are written, but for columns that leave as they are;
        `blank` says that empty text is missing, too.
        """
