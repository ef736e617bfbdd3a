"""Records of a table elsewhere, brought into memory: for what needs them one by one.

Counts are taken where the rows are. A few things cannot do with counts: to write every row with
other cells, to link record to record, to keep the order of the rows. They get the columns that they
need, if these are few enough cells.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from incrowd.engines import sql_engine
from incrowd.engines.base import Digested, Engine, Written
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.memory_release import MemoryWritten
from incrowd.errors import InputError, LimitError, boundary
from incrowd.table.cells import frame_digest, rows_digest
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.counted import CountedRows

MOST_CELLS = 50_000_000
"""Cells that are brought into memory at most."""


def fetch_into_memory(engine: Engine, names: Sequence[str] | None = None) -> MemoryEngine:
    """The table in memory, with at least these columns; `LimitError` above `MOST_CELLS` cells."""
    if isinstance(engine, MemoryEngine):
        return engine
    columns = engine.names if names is None else tuple(dict.fromkeys(names))
    refuse_many_cells(engine.records, len(columns))
    parts = list(engine.batches(columns))
    with boundary(InputError("the records cannot be put together in memory")):
        rows = pl.concat(parts, how="vertical_relaxed")
    return MemoryEngine(rows, text=engine.text)


def refuse_many_cells(records: int, columns: int) -> None:
    """Raise `LimitError` if so many records and columns have more than `MOST_CELLS` cells."""
    if records * columns > MOST_CELLS:
        raise LimitError(
            f"this needs the records themselves, and {records:,} records with {columns:,} columns "
            f"are more than {MOST_CELLS:,} cells",
            remedy="select fewer columns or a sample of the records, or write a Parquet file",
        )


@dataclass(frozen=True, eq=False, repr=False)
class FetchedColumns:
    """A table elsewhere, each of whose columns is brought into memory when it is asked for."""

    engine: Engine
    _held: dict[str, pl.Series] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the table's columns."""
        return self.engine.names

    @property
    def records(self) -> int:
        """Number of records."""
        return self.engine.records

    def memory_engine(self, names: Sequence[str]) -> MemoryEngine:
        """An engine with these columns, fetched if need be; `LimitError` above `MOST_CELLS`."""
        wanted = [name for name in dict.fromkeys(names) if name not in self._held]
        refuse_many_cells(self.records, len(self._held) + len(wanted))
        if wanted:
            rows = fetch_into_memory(self.engine, wanted).rows
            self._held.update({name: rows[name] for name in wanted})
        return MemoryEngine(
            pl.DataFrame([self._held[name] for name in names]), text=self.engine.text
        )

    def codes(
        self,
        names: Sequence[str],
        kinds: Mapping[str, Kind] | None = None,
        missing_values: Sequence[str] = (),
    ) -> dict[str, CodedColumn]:
        """Columns as codes by name, one code per record; fetched if they were not before."""
        return self.memory_engine(names).codes(names, kinds, missing_values)


@dataclass(frozen=True, eq=False, repr=False)
class StoredRelease(Written):
    """A finished release that lives elsewhere: counted there, digested column by column."""

    engine: Engine

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        return self.engine.names

    @property
    def records(self) -> int:
        """Number of records."""
        return self.engine.records

    def counts(self, columns: Sequence[str]) -> CountedRows:
        """The distinct rows of these columns, and how many records have each."""
        return self.engine.counts(columns)

    def digest(self) -> tuple[Digested, str]:
        """The word `frame`, and the SHA-256 of the cells, in the order of the table."""
        return "frame", frame_digest(self._columns())

    def rows_digest(self, missing_values: Sequence[str]) -> str:
        """SHA-256 of the rows, the same in every file format."""
        return rows_digest(self._columns(), missing_values)

    def count_differences(self, staged: Any, missing_values: Sequence[str], *, blank: bool) -> int:
        """Always raise `NotImplementedError`: nothing was staged to compare the release with."""
        raise NotImplementedError

    def _columns(self) -> Iterator[pl.Series]:
        """The columns one after the other, each fetched when it is its turn."""
        for name in self.names:
            yield fetch_into_memory(self.engine, [name]).rows[name]


def stored_release(engine: Engine, of: Digested | None = None) -> Written:
    """The engine's table as a finished release; `of` is what its certified digest is of, if any."""
    if isinstance(engine, MemoryEngine):
        return MemoryWritten(engine.rows, engine.rows)
    counted = engine.as_release(of) if isinstance(engine, sql_engine.SqlEngine) else None
    return StoredRelease(engine) if counted is None else counted
