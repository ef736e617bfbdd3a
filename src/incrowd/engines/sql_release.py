"""Releases in a database: staged in a table of ours, written, counted from what was written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from incrowd.engines.base import Clearing, Digested, NewTable, RowPlan, Target, Written
from incrowd.engines.sql import Cells, SqlColumn, WrittenTable, place_of, without_nan
from incrowd.engines.sql_blocks import BlockQuery, count_in_blocks
from incrowd.recoding.column_cells import ByClass, ByValue, Cell, ClassNumber
from incrowd.table.column import CodedColumn
from incrowd.table.counted import CountedRows

if TYPE_CHECKING:
    from incrowd.engines.sql_engine import SqlEngine


@dataclass(frozen=True, eq=False, repr=False)
class SqlStaged:
    """Staged rows: what leaves, in a private table, next to the original records."""

    engine: "SqlEngine"
    plan: RowPlan
    secret: str
    """The secret that the order of the rows is drawn from."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        return tuple(self.plan.cells)

    @cached_property
    def records(self) -> int:
        """Number of released records."""
        return self.engine.query_number("SELECT count(*) AS n FROM staged")

    @property
    def frame(self) -> Any:
        """The rows in the kind of table that came in, if written without a target; else None."""
        written: SqlWritten | None = self.__dict__.get("written")
        if written is None or written.target is not None:
            return None
        return self.engine.database.frame(written.release)

    @property
    def repeated_records(self) -> int:
        """Number of records of the table that the release holds more than once."""
        return self.engine.query_number(
            "SELECT count(*) AS n FROM (SELECT row FROM staged GROUP BY row "
            "HAVING count(*) > 1) twice"
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
        """Count distinct rows of shown cells and held codes, as `Staged.counts` says."""
        of, worth = "staged", None
        if weight is not None:
            weighing = self.engine.put_weights(weight)
            worth = f"{weighing.table}.code"
            of = f"staged JOIN source ON source.row = staged.row {weighing.join}"
        return self.engine.count_distinct(
            [self.shown_column(name) for name in columns],
            columns,
            {column.name: f"k{place_of(self.plan, column.name)}" for column in held},
            of,
            unit="u" if unit else None,
            classes="class" if classes else None,
            weight=worth,
        )

    def blocks(
        self, columns: Sequence[str], held: Sequence[CodedColumn], clear: Clearing
    ) -> Iterator[CountedRows]:
        """The distinct rows of shown cells and held codes, as in `counts`, but block by block."""
        codes = {
            column.name: (f"k{place_of(self.plan, column.name)}", len(column.domain) + 1)
            for column in held
        }
        cells = {name: self.shown_column(name) for name in columns}
        return count_in_blocks(self.engine, BlockQuery(cells, codes, "staged", len(columns), clear))

    def count_originals(self, columns: Sequence[str]) -> CountedRows:
        """The distinct rows of the original cells in these columns, told apart by class."""
        return self.engine.count_distinct(
            [self.engine.column(name) for name in columns], columns, {}, _BESIDE, classes="class"
        )

    def cell_pairs(self, column: str) -> CountedRows:
        """The distinct pairs of original (first) and shown cell of a column, and their records."""
        pair = [self.engine.column(column), self.shown_column(column)]
        return self.engine.count_distinct(pair, ("held", "shown"), {}, _BESIDE)

    def count_altered(self) -> dict[str, int]:
        """By column that leaves as it is, how many cells differ from those of their records."""
        kept = self.plan.kept_columns
        if not kept:
            return {}
        wrong = ", ".join(
            f"count(CASE WHEN {self.shown_column(name).name} "
            f"IS DISTINCT FROM {self.engine.cell(name)} THEN 1 END) AS n{j}"
            for j, name in enumerate(kept)
        )
        found = self.engine.database.rows(f"SELECT {wrong} FROM {_BESIDE}")
        return dict(zip(kept, found.row(0), strict=True))

    def write(self, target: Target | NewTable | None = None) -> "SqlWritten":
        """Write the rows in a drawn order, or in the table's if kept; return them read anew."""
        shown = ", ".join(
            f"{self.shown_column(name).release_expression} AS {self.engine.database.quote(name)}"
            for name in self.names
        )
        drawn = f"{self.engine.database.random_number(self.secret, 'row')}, row"
        order = "row" if self.plan.keep_order else drawn
        query = f"SELECT {shown} FROM staged ORDER BY {order}"
        release = self.engine.database.write(query, target)
        written = SqlWritten(self.engine, release, target)
        self.__dict__["written"] = written
        return written

    def shown_column(self, name: str) -> SqlColumn:
        """A column that leaves, renamed to s0, s1, … as statements call it."""
        place = f"s{self.names.index(name)}"
        cells = _shown_cells(self.plan.cells[name])
        if cells is None:
            return self.engine.column(name)._replace(name=place)
        return SqlColumn(place, cells)


def _shown_cells(cell: Cell) -> Cells | None:
    """The kind of cells that a column shows; None if they are of the kind that the table has."""
    match cell:
        case ByValue() | ByClass(original=False, value=None, typed=False):
            return "text"
        case ByClass(labels, typed=True):
            return "float" if any(isinstance(label, float) for label in labels) else "other"
        case ClassNumber():
            return "other"
        case _:
            return None


_BESIDE = "staged JOIN source ON source.row = staged.row"


@dataclass(frozen=True, eq=False, repr=False)
class SqlWritten(Written):
    """The written release, read back."""

    engine: "SqlEngine"
    release: WrittenTable
    target: Target | NewTable | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        return tuple(column.name for column in self.release.columns)

    @cached_property
    def records(self) -> int:
        """Number of records."""
        return self.engine.query_number(f"SELECT count(*) AS n FROM {self.release.rows}")

    def counts(self, columns: Sequence[str]) -> CountedRows:
        """The distinct rows of these columns, and how many records each has."""
        spelled = [self._written_column(name) for name in columns]
        return self.engine.count_distinct(spelled, columns, {}, self.release.rows)

    def blocks(self, columns: Sequence[str], key: int, clear: Clearing) -> Iterator[CountedRows]:
        """The distinct rows of these columns in blocks, by the first `key` columns."""
        cells = {name: self._written_column(name) for name in columns}
        return count_in_blocks(self.engine, BlockQuery(cells, {}, self.release.rows, key, clear))

    def values(self, column: str) -> Iterator[CountedRows]:
        """The distinct cells of a column and how many records have each, batch by batch."""
        return self.engine.count_cells(self._written_column(column), column, self.release.rows)

    def _written_column(self, name: str) -> SqlColumn:
        """The column of the release with this name, renamed to what statements call it."""
        cells = {column.name: column.cells for column in self.release.columns}
        return SqlColumn(self.engine.database.quote(name), cells[name])

    def digest(self) -> tuple[Digested, str]:
        """What the SHA-256 is of (file, frame or table), and the SHA-256 itself."""
        return self.release.digest

    def publish(self) -> None:
        """Let others see the release, where writing alone does not."""
        self.release.publish()

    def count_differences(
        self,
        staged: SqlStaged,
        missing_values: Sequence[str],  # noqa: ARG002  missing cells are written as such
        *,
        blank: bool,  # noqa: ARG002  the same
    ) -> int:
        """Number of rows that one side lacks, with copies; the larger total if columns differ."""
        if self.names != staged.names:
            return max(self.records, staged.records)
        quote = self.engine.database.quote
        mine = [one._replace(name=quote(one.name)) for one in self.release.columns]
        theirs = [staged.shown_column(name) for name in self.names]
        sides = [
            f"SELECT {self._comparable_cells(mine)}, 1 AS sign FROM {self.release.rows}",
            f"SELECT {self._comparable_cells(theirs)}, -1 AS sign FROM staged",
        ]
        every = ", ".join(f"{letter}{j}" for j in range(len(self.names)) for letter in "sz")
        return self.engine.query_number(
            f"SELECT sum(abs(n)) AS n FROM (SELECT sum(sign) AS n FROM ({' UNION ALL '.join(sides)}"
            f") sides GROUP BY {every} HAVING sum(sign) <> 0) uneven"
        )

    def _comparable_cells(self, columns: Sequence[SqlColumn]) -> str:
        """Expressions to compare rows by: cells s0, … (NaN as NULL), and z0, …, true for -0.0."""
        negative = self.engine.database.negative_zero_test
        signs = (
            f"coalesce({negative(column.name)}, false)" if column.cells == "float" else "false"
            for column in columns
        )
        return ", ".join(
            f"{without_nan(column)} AS s{j}, {sign} AS z{j}"
            for j, (column, sign) in enumerate(zip(columns, signs, strict=True))
        )
