"""A small set of columns that tells almost all pairs of records apart, sampled and not.

Run with `python -m benchmarks.minimum`. The table is Covertype (581,012 records, 54 columns) where
../shared/data has it, a made-up one of the same size elsewhere. Asked for is a (0.001,
0.01)-separation key. The reference is the greedy search of Motwani-Xu Section 2.2 on all records,
with a `group_by` of Polars for each column that it tries.
"""

import gzip
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from incrowd.identify.measures import ratios
from incrowd.identify.minimum import greedy_key, key_of_sample, separation_key_of
from incrowd.identify.records import Measure, Records
from incrowd.identify.sampling import (
    sample_pairs,
    sample_rows,
    separation_pairs,
    separation_tuples,
)

COVTYPE = Path(__file__).resolve().parents[2] / "shared/data/covtype/covtype.csv.gz"
EPSILON, DELTA = 0.001, 0.01


def table() -> Records:
    """Covertype without its class, or columns like its own."""
    if COVTYPE.exists():
        with gzip.open(COVTYPE) as file:
            frame = pl.read_csv(file.read())
        numbers = frame.to_numpy().T[:54]
        codes = (numbers - numbers.min(axis=1, keepdims=True) + 1).astype(np.int32)
        names = frame.columns[:54]
    else:
        print("../shared/data is absent: a made-up table")
        rng = np.random.default_rng(1)
        sizes = [2000, 360, 66, 551, 700, 5785, 207, 185, 255, 5827] + [2] * 44
        codes = np.array([rng.integers(1, size + 1, 581_012) for size in sizes], dtype=np.int32)
        names = [f"c{j}" for j in range(54)]
    return Records(tuple(names), np.ascontiguousarray(codes), np.ones(codes.shape[1], np.int64))


def with_polars(frame: pl.DataFrame) -> list[str]:
    """The greedy search on all records."""
    pairs = len(frame) * (len(frame) - 1)
    chosen: list[str] = []
    together = 1.0
    while together > EPSILON:
        left = {name: _together(frame, [*chosen, name]) for name in frame.columns}
        chosen.append(min(left, key=lambda name: left[name]))
        together = left[chosen[-1]] / pairs
    return chosen


def _together(frame: pl.DataFrame, names: list[str]) -> int:
    size = pl.col("len").cast(pl.Int64)
    return int(frame.group_by(names).len().select((size * (size - 1)).sum()).item())


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> None:
    records = table()
    small = Records(
        records.names, np.ascontiguousarray(records.codes[:, :100]), records.counts[:100]
    )
    rng = np.random.default_rng(1)
    separation_key_of(sample_pairs(small, 50, rng), small.names, EPSILON, DELTA)
    greedy_key(small, 0.9, Measure.SEPARATION)
    frame = pl.DataFrame(dict(zip(records.names, records.codes, strict=True)))
    reference, chosen = timed(lambda: with_polars(frame))
    print(f"Polars, all records: {reference:8.3f} s | {len(chosen)} columns")

    def show(name: str, seconds: float, columns: tuple[int, ...], drawing: float = 0.0) -> None:
        reached = ratios(records, columns).separation_ratio
        line = f"{name}: {seconds:8.3f} s, drawing {drawing:.3f} s | {len(columns)} columns, "
        print(f"{line}separation {reached:.6f} | {reference / (seconds + drawing):7.1f} x")

    size = separation_pairs(records.width, EPSILON, DELTA)
    drawing, pairs = timed(lambda: sample_pairs(records, size, rng))
    seconds, found = timed(lambda: separation_key_of(pairs, records.names, EPSILON, DELTA))
    show(f"{size:,} pairs", seconds, found.columns, drawing)
    assert seconds < 1
    size = separation_tuples(records.width, EPSILON, DELTA)
    drawing, rows = timed(lambda: sample_rows(records, size, rng))
    seconds, found = timed(lambda: key_of_sample(rows, EPSILON, DELTA))
    show(f"{size:,} records", seconds, found.columns, drawing)
    seconds, found = timed(lambda: greedy_key(records, 1 - EPSILON, Measure.SEPARATION))
    show("greedy, all records", seconds, found.columns)
    seconds, found = timed(lambda: greedy_key(records))
    print(f"greedy key, all records (nothing to compare with): {seconds:8.3f} s")


if __name__ == "__main__":
    main()
