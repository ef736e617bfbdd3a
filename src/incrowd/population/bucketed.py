"""Columns that show quantiles: what became of them, and how far that may be trusted."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from incrowd.table.column import Kind

Show: TypeAlias = Literal["median", "range"]
"""What a bucket shows: its middle value, or from where to where it reaches."""


@dataclass(frozen=True)
class BucketedColumn:
    """One column, each of whose cells shows its bucket."""

    name: str
    kind: Kind
    buckets: int
    """Buckets that are shown; missing values are not one of them."""
    smallest: int
    """The fewest records that show the same, counted on the rows that left; 0 if nothing did."""
    merged: int
    """Buckets that held too few records and were joined with a neighbour."""
    missing: int
    """Records without a value."""
    emptied: int
    """Records whose value is left out too, because too few records had none."""
    error: float
    """The normalized squared error of the cells that are shown (Lodha-Thomas Section 5.2), 0..1:
    1 if all showed their mean, 0 if all were exact."""


@dataclass(frozen=True)
class RankPromise:
    """What quantiles by a sample promise of ranks (Lodha-Thomas Section 4.1.3)."""

    exact: bool
    """By all records: nothing is left to chance."""
    sample: int
    """Records that were looked at to place the cuts."""
    epsilon: float | None = None
    """How far the rank of one cut may be off, as a share of the table; None if exact."""
    delta: float | None = None
    """How likely it is, at most, that it is off further; None if exact."""
    simultaneous: float | None = None
    """How far any cut of any column may be off, with the same probability; None if exact."""


@dataclass(frozen=True, eq=False)
class Bucketed:
    """A table whose columns show quantiles, counted again on the rows that leave."""

    frame: Any
    """The rows that leave; None if they were only written to a file."""
    columns: tuple[BucketedColumn, ...]
    kept: tuple[str, ...]
    """Columns that leave as they are."""
    withheld: tuple[str, ...]
    """Columns that stay behind."""
    records: int
    k: int
    """What was asked of each column."""
    show: Show
    promise: RankPromise
    notes: tuple[str, ...]
    seconds: float

    @property
    def smallest(self) -> int:
        """The fewest records that show the same in any one column."""
        return min(column.smallest for column in self.columns)

    def __repr__(self) -> str:
        """Without values."""
        names = ", ".join(column.name for column in self.columns)
        return f"Bucketed({names}: {self.records:,} records, at least {self.smallest:,} alike)"
