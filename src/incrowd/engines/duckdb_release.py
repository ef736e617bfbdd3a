"""Releases in DuckDB: staged in a private table, written as Parquet, counted from the file."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from incrowd.engines.base import RowPlan, Target
from incrowd.engines.sql import parquet, place_of, quoted, text_literal
from incrowd.errors import PolicyError
from incrowd.table.column import CodedColumn
from incrowd.table.counted import CountedRows

if TYPE_CHECKING:
    from incrowd.engines.duckdb import Database, DuckDBEngine


@dataclass(frozen=True, eq=False)
class DuckDBStaged:
    """Staged rows: what leaves, in a private table, next to the original records."""

    engine: "DuckDBEngine"
    plan: RowPlan

    def __repr__(self) -> str:
        """Without values."""
        return f"DuckDBStaged({self.records} records)"

    @property
    def _db(self) -> "Database":
        return self.engine.database

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        return tuple(self.plan.cells)

    @cached_property
    def records(self) -> int:
        """Number of released records."""
        return self._db.number("SELECT count(*) FROM staged")

    @property
    def frame(self) -> Any:
        """The rows as a table of the connection that the relation came from.

        None if they were written to a file: they are not copied into the connection besides.
        """
        return self.engine.frame(self._written) if self._written.exists() else None

    @property
    def _written(self) -> Path:
        return self._db.folder / "release.parquet"

    @property
    def repeated(self) -> int:
        """Records that appear in the release more than once."""
        return self._db.number(
            "SELECT count(*) FROM (SELECT row FROM staged GROUP BY row HAVING count(*) > 1)"
        )

    def counts(
        self,
        columns: Sequence[str],
        held: Sequence[CodedColumn] = (),
        *,
        unit: bool = False,
        classes: bool = False,
        weight: str | None = None,
    ) -> CountedRows:
        """Distinct rows of shown cells and original codes, by person or class."""
        return self.engine.counted(
            [self._shown(name) for name in columns],
            columns,
            {column.name: f"k{place_of(self.plan, column.name)}" for column in held},
            "staged" if weight is None else "staged JOIN source USING (row)",
            unit="u" if unit else None,
            classes="class" if classes else None,
            weight=None if weight is None else self.engine.weights(weight),
        )

    def held(self, columns: Sequence[str]) -> CountedRows:
        """Distinct original rows of these columns, by class."""
        return self.engine.counted(
            [self.engine.cell(name) for name in columns],
            columns,
            {},
            "(SELECT source.*, class FROM staged JOIN source USING (row))",
            classes="class",
        )

    def replaced(self, column: str) -> CountedRows:
        """Distinct pairs of one column: the original cell (first), the shown cell."""
        return self.engine.counted(
            [self.engine.cell(column), self._shown(column)],
            ("held", "shown"),
            {},
            "(SELECT * FROM staged JOIN source USING (row))",
        )

    def altered(self) -> dict[str, int]:
        """By unchanged column: cells that differ from their record."""
        kept = self.plan.kept
        if not kept:
            return {}
        wrong = ", ".join(
            f"count(*) FILTER ({self._shown(name)} IS DISTINCT FROM {self.engine.cell(name)})"
            for name in kept
        )
        found = self._db.rows(f"SELECT {wrong} FROM staged JOIN source USING (row)")
        return dict(zip(kept, found.row(0), strict=True))

    def write(self, target: Target | None = None) -> "DuckDBWritten":
        """Write the rows as Parquet, in their new order, and read them back."""
        if target is not None and target.format != "parquet":
            raise PolicyError(
                "incrowd releases a DuckDB relation as a Parquet file",
                remedy="name a .parquet file, or read the table into memory with .pl()",
            )
        path = self._written if target is None else target.path
        shown = ", ".join(f"{self._shown(name)} AS {quoted(name)}" for name in self.names)
        query = f"SELECT {shown} FROM staged ORDER BY pos"
        self._db.run(f"COPY ({query}) TO {text_literal(path)} (FORMAT parquet)")
        return DuckDBWritten(self, path, target)

    def _shown(self, name: str) -> str:
        return f"s{self.names.index(name)}"


@dataclass(frozen=True, eq=False)
class DuckDBWritten:
    """The written release, read back."""

    staged: DuckDBStaged
    path: Path
    target: Target | None = None

    def __repr__(self) -> str:
        """Without values."""
        return f"DuckDBWritten({self.records} records)"

    @property
    def _db(self) -> "Database":
        return self.staged.engine.database

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        return tuple(name for name, _ in self._db.types(f"SELECT * FROM {parquet(self.path)}"))

    @cached_property
    def records(self) -> int:
        """Number of records."""
        return self._db.number(f"SELECT count(*) FROM {parquet(self.path)}")

    def counts(self, columns: Sequence[str]) -> CountedRows:
        """The distinct rows of these columns, and their records."""
        return self.staged.engine.counted(
            [quoted(name) for name in columns], columns, {}, parquet(self.path)
        )

    def digest(self) -> tuple[Literal["file", "frame"], str]:
        """The bytes of the file, and their SHA-256."""
        if self.target is not None:
            return "file", self.target.sha256()
        with self.path.open("rb") as file:
            return "file", hashlib.file_digest(file, "sha256").hexdigest()

    def rows_digest(self, missing_values: Sequence[str]) -> None:
        """None: rows of a relation have no order, so they have no digest."""

    def differing(
        self,
        staged: DuckDBStaged,
        missing_values: Sequence[str],  # noqa: ARG002  Parquet keeps missing cells as they are
        *,
        blank: bool,  # noqa: ARG002  the same
    ) -> int:
        """Rows that differ from the staged ones, with duplicates (EXCEPT ALL both ways)."""
        if self.names != staged.names:
            return max(self.records, staged.records)
        mine = f"SELECT {', '.join(map(quoted, self.names))} FROM {parquet(self.path)}"
        theirs = f"SELECT {', '.join(f's{j}' for j in range(len(self.names)))} FROM staged"
        return sum(
            self._db.number(f"SELECT count(*) FROM (({first}) EXCEPT ALL ({other}))")
            for first, other in ((mine, theirs), (theirs, mine))
        )
