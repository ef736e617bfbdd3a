"""Distinct rows with the number of records that hold each: all that an engine says of its rows.

Counts cross the seam to an engine, rows do not. Verification is given such counts and nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts, Floats


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Distinct rows of a table, or of a release, and how many records hold each.

    Two entries may still be equal as text: their records add up.
    """

    cells: pl.DataFrame
    """The cells as they are stored, one line per distinct row."""
    records: Counts
    """Records per line: shape (lines,)."""
    codes: Mapping[str, Codes] = field(default_factory=dict)
    """By column: the code of what the record held before it was recoded, 0 for missing."""
    unit: Codes | None = None
    """Whose records they are, 0 for a record that belongs to nobody else; None if not asked."""
    classes: Codes | None = None
    """The class that the records were put into; None if not asked."""
    weights: Floats | None = None
    """The sum of the records' sampling weights; None if not asked."""

    def __repr__(self) -> str:
        """Without values."""
        return f"CountedRows({len(self.records)} distinct rows, {int(self.records.sum())} records)"

    def with_cells(self, cells: pl.DataFrame) -> "CountedRows":
        """The same rows with other cells, line by line."""
        return replace(self, cells=cells)

    def one_by_one(self) -> "CountedRows":
        """With a line for each record that belongs to nobody else: each of them is a person."""
        if self.unit is None:
            return self
        times = np.where(self.unit == 0, self.records, 1)
        if (times == 1).all():
            return self
        line = np.repeat(np.arange(len(times)), times)
        return CountedRows(
            self.cells[line] if self.cells.columns else self.cells,
            np.where(self.unit == 0, 1, self.records)[line],
            {name: codes[line] for name, codes in self.codes.items()},
            self.unit[line],
            None if self.classes is None else self.classes[line],
            None if self.weights is None else (self.weights / times)[line],
        )


def counted_codes(name: str, codes: Codes, records: Counts) -> CountedRows:
    """Codes of one column that were counted already; the cells themselves are not at hand."""
    return CountedRows(pl.DataFrame(), records, {name: codes})


def count_rows(
    cells: pl.DataFrame,
    codes: Mapping[str, Codes] | None = None,
    unit: Codes | None = None,
    classes: Codes | None = None,
    weights: Floats | None = None,
) -> CountedRows:
    """The distinct rows of a frame in memory, told apart by cells and by what is given beside.

    With a unit they come in the order of their first records.
    """
    beside = {f"code {name}": column for name, column in (codes or {}).items()}
    beside |= {} if unit is None else {"unit": unit}
    beside |= {} if classes is None else {"classes": classes}
    plain = [grouped(column) for column in cells.iter_columns()]
    keys = [column.alias(f"cell {j}") for j, column in enumerate(plain)]
    keys += [column for j, cell in enumerate(plain) for column in _signs(cell, j)]
    keys += [pl.Series(name, column) for name, column in beside.items()]
    if not keys:
        return CountedRows(cells[:1], np.array([cells.height], dtype=np.int64))
    ordered = unit is not None
    found = pl.DataFrame(keys)
    sums = [] if weights is None else [pl.col("weights")]
    if weights is not None:
        found = found.with_columns(pl.Series("weights", weights))
    found = found.group_by(pl.exclude("weights"), maintain_order=ordered).agg(
        pl.len().alias("records"), *sums
    )
    shown = [found[f"cell {j}"].alias(name) for j, name in enumerate(cells.columns)]
    return CountedRows(
        pl.DataFrame(shown),
        found["records"].to_numpy().astype(np.int64),
        {name: found[f"code {name}"].to_numpy() for name in codes or {}},
        None if unit is None else found["unit"].to_numpy(),
        None if classes is None else found["classes"].to_numpy(),
        None if weights is None else _sums(found["weights"]),
    )


def _sums(lists: pl.Series) -> Floats:
    """The sum of each list, its numbers added one after the other."""
    lengths = lists.list.len().to_numpy()
    place = np.repeat(np.arange(len(lengths)), lengths)
    numbers = lists.explode().to_numpy()
    return np.bincount(place, weights=numbers, minlength=len(lengths)).astype(np.float64)


def grouped(column: pl.Series) -> pl.Series:
    """The column as something that can be grouped: lists, structures and objects as their text."""
    if column.dtype.is_nested() or isinstance(column.dtype, pl.Object):
        cells = [None if cell is None else repr(cell) for cell in column.to_list()]
        return pl.Series(column.name, cells, dtype=pl.String)
    return column


def _signs(column: pl.Series, j: int) -> Sequence[pl.Series]:
    """What tells 0.0 from -0.0, which a reader of the release can, and a grouping does not."""
    if not column.dtype.is_float():
        return ()
    zeros = (column == 0).fill_null(value=False)
    if not zeros.any():
        return ()
    negative = np.signbit(column.fill_null(0.0).to_numpy()) & zeros.to_numpy()
    return (pl.Series(f"sign {j}", negative),) if negative.any() else ()
