"""Parquet files of DuckDB's and of others: put together, digested."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import polars as pl

from incrowd.engines.fetch import MOST_CELLS
from incrowd.engines.folders import sha256
from incrowd.errors import InputError, boundary
from incrowd.table.cells import frame_digest


def put_together(path: Path, frames: Iterable[pl.DataFrame]) -> None:
    """Write frames of equal types, Enums as text, to one Parquet file; none without a frame."""
    import pyarrow.parquet as arrow  # noqa: PLC0415  an extra

    writer: Any = None
    try:
        for frame in frames:
            table = frame.with_columns(pl.col(pl.Enum).cast(pl.String)).to_arrow()
            writer = writer or arrow.ParquetWriter(path, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def digest_of_release(path: Path) -> tuple[Literal["file", "frame"], str]:
    """What the digest of a released Parquet file is of, and the digest itself.

    It is of the cells (`frame`), column by column, as whoever checks the released table digests
    them; of the bytes (`file`) if there are more than `MOST_CELLS` cells.
    """
    with boundary(InputError("the release cannot be read anew")):
        rows = pl.scan_parquet(path, glob=False)
        width = len(rows.collect_schema())
        if int(rows.select(pl.len()).collect().item()) * width > MOST_CELLS:
            return "file", sha256(path)
        columns = (pl.read_parquet(path, columns=[j], glob=False).to_series() for j in range(width))
        return "frame", frame_digest(columns)
