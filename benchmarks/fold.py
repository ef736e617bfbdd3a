"""Frame to tally (coding and folding) against Polars' `group_by(...).len()`, in one run.

Run with `python benchmarks/fold.py --rows 10000000`.
"""

import argparse
import gc
import resource
import time
from collections.abc import Callable

import numpy as np
import polars as pl

from incrowd.engines.memory import MemoryEngine
from incrowd.table.fold import fold


def table(rows: int, seed: int = 1) -> pl.DataFrame:
    """People as a census has them: skewed whole numbers, categories and texts, gaps in one."""
    rng = np.random.default_rng(seed)

    def skewed(values: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        return (values * rng.random(rows) ** 3).astype(np.int64)

    def texts(prefix: str, values: int) -> pl.Series:
        return pl.Series([f"{prefix} {i:05d}" for i in range(values)]).gather(skewed(values))

    return pl.DataFrame(
        {
            "age": np.clip(rng.normal(45, 18, rows), 0, 99).astype(np.int64),
            "sex": pl.Series(["female", "male"]).gather(rng.integers(0, 2, rows)),
            "zip": texts("9", 300),
            "race": texts("group", 6).cast(pl.Categorical),
            "education": skewed(16).astype(np.int32),
            "occupation": texts("occupation", 40),
            "married": pl.Series(rng.random(rows) < 0.55).set(pl.Series(skewed(50) == 49), None),
            "diagnosis": texts("code", 100),
        }
    )


def seconds(work: Callable[[], object], times: int = 2) -> float:
    """The best time of a few."""
    found = []
    for _ in range(times):
        gc.collect()
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def tally(frame: pl.DataFrame) -> int:
    """The distinct rows of the frame, through incrowd."""
    coded = MemoryEngine(frame).codes(frame.columns)
    columns = [column.codes for column in coded.values()]
    return fold(columns[:-1], columns[-1:]).rows


def peak() -> float:
    """The most memory this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def line(frame: pl.DataFrame) -> None:
    """Measure one frame and print its line."""
    ours = seconds(lambda: tally(frame))
    memory = peak()
    theirs = seconds(lambda: frame.group_by(frame.columns).len())
    shape = f"{frame.height:>11,} x {frame.width}  {tally(frame):>10,}"
    print(f"{shape}  {ours:>8.3f}  {theirs:>8.3f}  {theirs / ours:>5.2f}  {memory:>8,.0f}")


def main() -> None:
    """Print the growth with rows, then with columns; a speed of 0.5 is the least we accept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    rows = parser.parse_known_args()[0].rows
    tally(table(100_000))
    print("    records x cols        rows    ours s  polars s  speed   peak MB so far")
    for share in (100, 10, 1):
        line(table(max(1, rows // share)))
    whole = table(rows)
    for columns in (2, 4, 6):
        line(whole.select(whole.columns[:columns]))


if __name__ == "__main__":
    main()
