"""What engines that speak SQL share: names in statements, codes that are joined, counted lines."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Floats
from incrowd.engines.base import RowPlan
from incrowd.table.column import CodedColumn
from incrowd.table.fold import fold
from incrowd.table.tally import Tally


@dataclass(frozen=True)
class Coding:
    """A table of values and codes, and the column that it is joined to."""

    table: str
    cell: str


@dataclass(frozen=True)
class JoinedCodes:
    """Rows with the codes of some of their columns."""

    rows: str
    codings: Mapping[str, Coding]

    @property
    def text(self) -> str:
        """What stands after FROM."""
        joins = (
            f"JOIN {coding.table} ON {coding.table}.value IS NOT DISTINCT FROM "
            f"{self.rows}.{coding.cell}"
            for coding in self.codings.values()
        )
        return " ".join([self.rows, *joins])

    def code(self, name: str) -> str:
        """The code of a column."""
        return f"{self.codings[name].table}.code"

    def where(self, complete: Iterable[str]) -> str:
        """Only rows that lack none of these."""
        known = " AND ".join(f"{self.code(name)} <> 0" for name in complete)
        return f"WHERE {known}" if known else ""


def folded(lines: pl.DataFrame, quasi: Sequence[Codes], sensitive: Sequence[Codes]) -> Tally:
    """The tally of counted lines, which say whose they are where people have several records."""
    records = lines["records"].to_numpy().astype(np.int64)
    weights: Floats | None = None
    if lines["weight"].null_count() < len(lines):
        weights = lines["weight"].to_numpy().astype(np.float64)
    unit = lines["u"].to_numpy().astype(np.int32) if "u" in lines.columns else None
    return fold(quasi, sensitive, unit, weights, records=records)


def if_any(column: CodedColumn | None) -> tuple[CodedColumn, ...]:
    """The column, if there is one."""
    return () if column is None else (column,)


def place_of(plan: RowPlan, name: str) -> int:
    """The place of a coded column of the plan."""
    return next(j for j, column in enumerate(plan.coded) if column.name == name)


def quoted(name: str) -> str:
    """The name of a column in a statement."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(path: Path) -> str:
    """A path in a statement."""
    return "'" + str(path).replace("'", "''") + "'"


def parquet(path: Path, more: str = "") -> str:
    """The rows of a Parquet file."""
    return f"read_parquet({', '.join(filter(None, [text_literal(path), more]))})"
