"""Two columns in place of one column of labels: the smallest and largest value a cell may be.

`[20, 30)` of whole numbers is 20 and 29, `≥ 90` is 90 and an empty cell; both cells are empty where
nothing is shown, be it missing or suppressed.
"""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from incrowd.hierarchy.labels import write_ends
from incrowd.table.cells import text_of


def end_names(name: str) -> tuple[str, str]:
    """What the two columns of a column are called."""
    return f"{name}_low", f"{name}_high"


def split_columns(quasi: Iterable[str], names: Sequence[str]) -> tuple[str, ...]:
    """The columns that stand as two among columns of these names."""
    there = set(names)
    return tuple(name for name in quasi if name not in there and {*end_names(name)} <= there)


def joined(rows: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    """The rows with one column of labels in place of the two columns of each of these.

    Each has a label for cells that show nothing.
    """
    for name, nothing in columns.items():
        low, high = (text_of(rows[end]) for end in end_names(name))
        cells = pl.DataFrame({"low": low, "high": high})
        known = cells.unique()
        labels = [write_ends(low, high, nothing) for low, high in known.iter_rows()]
        known = known.with_columns(pl.Series("label", labels, dtype=pl.String))
        found = cells.join(
            known, on=["low", "high"], how="left", nulls_equal=True, maintain_order="left"
        )
        rows = rows.drop(end_names(name)).with_columns(found["label"].alias(name))
    return rows
