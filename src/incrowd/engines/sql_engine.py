"""Tables in a database: counted, released and proved where they are.

Distinct values and counted rows come out of the database; codes and labels go in as small tables
that are joined, null-safe. `Database` is the seam to DuckDB, PostgreSQL and Spark.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from incrowd.engines.base import Can, Digested, PartJob, RowPlan
from incrowd.engines.sql import Database, WrittenTable, counting_query, place_of
from incrowd.engines.sql_counting import SqlCounting
from incrowd.engines.sql_release import SqlStaged, SqlWritten
from incrowd.engines.sql_staging import Staging
from incrowd.table.column import CodedColumn
from incrowd.table.counted import CountedRows
from incrowd.watch import Watch


class SqlEngine(SqlCounting):
    """A table in a database."""

    def __init__(self, database: Database, can: frozenset[Can] = frozenset()) -> None:
        super().__init__(database)
        self.name, self.memory = database.name, database.memory
        self.can = can | frozenset({Can.PARTS} if database.parts else ())

    def stage(self, plan: RowPlan, draw: np.random.Generator) -> SqlStaged:
        """Make the rows that are to leave, with class and person, in a table of ours."""
        place, order, within = (draw.bytes(16).hex() for _ in range(3))
        self.database.take_snapshot()
        staging = Staging(self, plan)
        staging.assign_classes(place)
        staging.stage_rows(order, within)
        return SqlStaged(self, plan, order)

    def part_counts(
        self, plan: RowPlan, part: str, sensitive: Sequence[CodedColumn] = ()
    ) -> CountedRows:
        """Count records per part (an expression over codes k0, k1, …) and per sensitive code."""
        codes = {"part": part}
        codes |= {column.name: f"k{place_of(plan, column.name)}" for column in sensitive}
        return self.count_distinct([], [], codes, f"({Staging(self, plan).coded_rows}) coded")

    def stage_parts(  # noqa: PLR0913, PLR0917  what, in which parts, by whom, and how
        self,
        plan: RowPlan,
        part: str,
        job: PartJob,
        draw: np.random.Generator,
        watch: Watch,
        kept: Path | None = None,
    ) -> SqlStaged:
        """Stage what a job makes of parts, as `PartEngine` says; people stay in one part."""
        order = draw.bytes(16).hex()
        self.database.take_snapshot()
        if plan.unit is not None:
            person = "CASE WHEN u = 0 THEN -1 - row ELSE u END"
            part = f"min({part}) OVER (PARTITION BY {person})"
        staging = Staging(self, plan)
        query = f"SELECT coded.*, {part} AS part FROM ({staging.coded_rows}) coded"
        self.database.apply("assigned", query, job, watch, kept)
        staging.stage_rows(order, "", by_job=True)
        return SqlStaged(self, plan, order)

    def class_cells(self, columns: int) -> pl.DataFrame:
        """The distinct rows of low0, high0, level0, low1, … that a job staged, and counts `n`."""
        ends = [f"{name}{j}" for j in range(columns) for name in ("low", "high", "level")]
        return self.database.rows(counting_query([(end, end) for end in ends], "assigned"))

    def as_release(self, of: Digested | None = None) -> SqlWritten | None:
        """The table as a release; None if digested as a frame. `of`: the kind that is certified."""
        digest = self.database.digest(of)
        if digest is None:
            return None
        quote = self.database.quote
        cells = ", ".join(f"{self.cell(name)} AS {quote(name)}" for name in self.names)
        rows = f"(SELECT {cells} FROM source) stored"
        return SqlWritten(self, WrittenTable(rows, self.database.columns, digest))

    def close(self) -> None:
        """Give back what the database holds open."""
        self.database.close()
