"""Evidence for the judges, made by hand: counted rows, and releases that somebody tampered with."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import polars as pl

import incrowd
from incrowd import pipeline
from incrowd.engines.base import RowPlan
from incrowd.engines.memory import MemoryEngine
from incrowd.engines.memory_release import MemoryStaged, MemoryWritten
from incrowd.release.load import LoadedTable
from incrowd.release.proof import prove
from incrowd.table.column import Missing
from incrowd.table.counted import CountedRows, count_rows
from incrowd.verify.covering import Keys
from incrowd.verify.crowds import NumberedCells, number_cells
from incrowd.verify.shown import ShownColumn
from incrowd.verify.verify import Reference, demand_accounted, demand_no_missing, demand_once


def counted(rows, unit=None, codes=None, classes=None):
    """Distinct rows with their records, as an engine says them."""
    return count_rows(rows, codes, unit, classes)


def each(rows, unit=None, codes=None, classes=None):
    """The same with a line for every record, in their order."""
    given = [column for column in (unit, classes, *(codes or {}).values()) if column is not None]
    size = rows.height if rows.columns else len(given[0])
    return CountedRows(rows, np.ones(size, dtype=np.int64), codes or {}, unit, classes)


def reference(column, coded, unit=None, maps=None):
    """How a column (cells, and the same as codes) is spread in the table."""
    rows = counted(column.alias("s").to_frame(), unit, {"s": coded.codes})
    return Reference.read(rows, "s", len(coded.domain), maps)


def shown_column(name, cells, codes, together=None):
    """What a column shows and held, record by record; `together` numbers what is shown beside."""
    cells = cells if isinstance(cells, NumberedCells) else number_cells(cells)
    beside = cells.codes if together is None else np.asarray(together, dtype=np.int64)
    records = np.ones(len(codes), dtype=np.int64)
    return ShownColumn(name, cells, np.asarray(codes, dtype=np.int32), records, beside)


@dataclass(frozen=True)
class Made:
    """A release between writing and proof."""

    table: LoadedTable
    plan: RowPlan
    staged: MemoryStaged
    written: MemoryWritten

    @property
    def rows(self):
        """The rows that are to leave."""
        return self.staged.rows

    def proof(self):
        """What is proved of it as it is."""
        return prove(self.table, self.plan, self.staged, self.written)

    def showing(self, rows):
        """The same release if these rows had been staged, and written as they are."""
        staged = replace(self.staged, frame=rows)
        return replace(self, staged=staged, written=MemoryWritten(staged.rows, staged.rows))

    def written_as(self, rows):
        """The same release if something else had been written than what was staged."""
        return replace(self, written=MemoryWritten(rows, rows))

    def asking(self, **changes):
        """The same release held against a changed policy."""
        policy = self.table.policy.model_copy(update=changes)
        return replace(self, table=replace(self.table, policy=policy))

    def leaving(self, *records):
        """The same release with other records of the table behind its rows."""
        return replace(self, staged=replace(self.staged, take=np.array(records, dtype=np.int64)))


def made(*given, **more):
    """What `anonymize` hands to the proof."""
    kept = []

    def proving(*evidence):
        kept.append(Made(*evidence))
        return prove(*evidence)

    honest, pipeline.prove = pipeline.prove, proving
    try:
        incrowd.anonymize(*given, **more)
    finally:
        pipeline.prove = honest
    return kept[0]


def keyed(numbers, records=None):
    """Rows by what they hold in columns that leave unchanged, one record each unless said."""
    number = np.array([*numbers], dtype=np.int64)
    return Keys(number, np.ones_like(number) if records is None else np.array(records))


def altered(before, after, take):
    """What an engine says of kept columns if `after` shows the records `take` of `before`."""
    plan = SimpleNamespace(kept_columns=tuple(before.columns))
    records = np.array(take, dtype=np.int64)
    nobody = np.zeros(before.height, dtype=np.int32)
    return MemoryStaged(MemoryEngine(before), plan, after, nobody, records).count_altered()


def accounted_for(quasi, records, policy):
    """Judge which records leave, by the codes of the table's quasi-identifying columns."""
    take = np.array(records, dtype=np.int64)
    names = [f"q{j}" for j in range(len(quasi))]
    kept = np.ones(len(quasi[0]), dtype=np.bool_)
    demand_once(int((np.bincount(take, minlength=1) > 1).sum()))
    if policy.missing is Missing.SUPPRESS:
        held = {name: codes[take] for name, codes in zip(names, quasi, strict=True)}
        demand_no_missing(counted(pl.DataFrame(), codes=held))
        kept = np.logical_and.reduce([codes != 0 for codes in quasi])
    demand_accounted(len(take), int(kept.sum()), policy.suppression)
