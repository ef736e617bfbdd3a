"""Tables written as text: delimited, or JSON lines."""

import gzip
from typing import IO, Literal, TypeAlias

import polars as pl

Compression: TypeAlias = Literal["gzip", "zstd"]


def as_text(table: pl.DataFrame) -> pl.DataFrame:
    """The table as a text shows it: NaN is missing, and a missing cell is empty.

    In one column missing cells become empty texts, written in quotes: a blank line is no record.
    """
    table = table.with_columns(pl.col(pl.Float32, pl.Float64).fill_nan(None))
    if table.width == 1:
        table = table.with_columns(pl.all().cast(pl.String).fill_null(""))
    return table


def write_lines(table: pl.DataFrame, target: IO[bytes], compression: Compression | None) -> None:
    """Write the table as JSON lines, compressed unless `compression` is None."""
    if compression is None:
        target.write(table.write_ndjson().encode())
    elif compression == "gzip":
        with gzip.GzipFile("", "wb", fileobj=target, mtime=0) as packed:
            packed.write(table.write_ndjson().encode())
    else:
        table.write_ndjson(target, compression="zstd", check_extension=False)


def write_text(
    table: pl.DataFrame,
    target: IO[bytes],
    delimiter: str,
    compression: Compression | None,
    *,
    header: bool = True,
) -> None:
    """Write the table as delimited text in UTF-8, below the names of its columns if `header`."""
    table = as_text(table)
    if compression == "gzip":
        with gzip.GzipFile("", "wb", fileobj=target, mtime=0) as packed:
            packed.write(table.write_csv(separator=delimiter, include_header=header).encode())
    else:
        table.write_csv(
            target,
            separator=delimiter,
            include_header=header,
            compression=compression or "uncompressed",
            check_extension=False,
        )
