"""Ratios of column sets against Polars on the same columns, in one run.

One set of three columns against `pl.struct(...).n_unique()`, which counts the distinct values only,
and all sets of nine columns against one `group_by(...).len()` per set. Uses the Adult table beside
the project if it is there, a made-up one of the same shape otherwise. Run with
`python benchmarks/measures.py --rows 10000000`.
"""

import argparse
import gc
import gzip
import resource
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

from incrowd.identify.labelled import RecordGroups
from incrowd.identify.measures import all_ratios, ratios
from incrowd.identify.records import Records
from incrowd.table.fold import in_threads

ADULT = Path(__file__).parents[1] / ".." / "shared" / "data" / "arx" / "adult.csv.gz"
DOMAINS = (72, 41, 16, 14, 7, 7, 5, 2, 2)


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The best time of a few."""
    found = []
    for _ in range(times):
        gc.collect()
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def peak() -> float:
    """The most memory this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def records_of(codes: "np.ndarray[tuple[int, ...], np.dtype[np.int32]]") -> Records:
    names = tuple(f"c{j}" for j in range(len(codes)))
    return Records(names, np.ascontiguousarray(codes), np.ones(codes.shape[1], dtype=np.int64))


def made(rows: int, domains: Sequence[int], seed: int = 1) -> Records:
    """Skewed columns of these many values."""
    rng = np.random.default_rng(seed)
    return records_of(np.array([(d * rng.random(rows) ** 2).astype(np.int32) for d in domains]))


def adult() -> Records:
    """The nine columns, widest first as `DOMAINS` has them."""
    if not ADULT.exists():
        print("(the Adult table is not beside the project: a made-up one of its shape)")
        return made(30_162, DOMAINS)
    frame = pl.read_csv(gzip.decompress(ADULT.read_bytes()), separator=";", infer_schema=False)
    codes = np.array([frame[name].rank("dense").to_numpy() for name in frame.columns])
    return records_of(codes.astype(np.int32)[np.argsort(-codes.max(axis=1), kind="stable")])


def bootstrapped(records: Records, rows: int, seed: int = 1) -> Records:
    """Rows drawn with replacement, one cell in ten of the two widest columns moved a little."""
    rng = np.random.default_rng(seed)
    codes = records.codes[:, rng.integers(0, records.rows, rows)].copy()
    for j in range(2):
        moved = rng.random(rows) < 0.1
        shift = rng.integers(-3, 4, int(moved.sum()))
        codes[j, moved] = np.clip(codes[j, moved] + shift, 1, records.domains[j] - 1)
    return records_of(codes)


def frame_of(records: Records) -> pl.DataFrame:
    return pl.DataFrame(dict(zip(records.names, records.codes, strict=True)))


def one_set(records: Records) -> None:
    """One line: the ratios of all columns."""
    frame, everything = frame_of(records), range(records.width)
    ours = seconds(lambda: ratios(records, everything))
    memory = peak()
    theirs = seconds(lambda: frame.select(pl.struct(frame.columns).n_unique()), 2)
    shape = f"{records.rows:>11,} x {records.width:<2}"
    classes = ratios(records, everything).classes
    assert classes == frame.select(pl.struct(frame.columns).n_unique()).item()
    print(
        f"{shape} {classes:>10,} {ours:>9.4f} {theirs:>9.3f} {theirs / ours:>7.1f} {memory:>8,.0f}"
    )


def group_bys(frame: pl.DataFrame) -> int:
    """The distinct values of all sets, one group-by each."""
    sets = [c for size in range(1, frame.width + 1) for c in combinations(frame.columns, size)]
    return sum(frame.group_by(names).len().height for names in sets)


def every_set(records: Records, *, compare: bool) -> None:
    """One line: all sets of the columns."""
    ours = seconds(lambda: list(all_ratios(records)))
    memory = peak()
    found = list(all_ratios(records))
    line = f"{records.rows:>11,} x {records.width:<2} {len(found):>10,} {ours:>9.4f}"
    if compare:
        theirs = seconds(lambda: group_bys(frame_of(records)), 1)
        assert sum(r.classes for _, r in found) == group_bys(frame_of(records))
        line += f" {theirs:>9.3f} {theirs / ours:>7.1f}"
    print(line, *([] if compare else [" " * 16]), f"{memory:>8,.0f}")


def greedy_step(records: Records) -> None:
    """One line: every column added to the first."""
    others = range(1, records.width)
    frame = frame_of(records)
    groups = RecordGroups.by_columns(records, [0])
    tasks = [partial(groups.ratios_with, records, column) for column in others]
    ours = seconds(lambda: in_threads(tasks))
    theirs = seconds(
        lambda: [frame.group_by(frame.columns[0], frame.columns[j]).len() for j in others], 1
    )
    shape = f"{records.rows:>11,} x {records.width:<2} {len(others):>10,}"
    print(f"{shape} {ours:>9.4f} {theirs:>9.3f} {theirs / ours:>7.1f} {peak():>8,.0f}")


def main() -> None:
    """Print the ratios; 5 against `n_unique` is the least we accept, and 0.1 s for Adult."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    rows = parser.parse_known_args()[0].rows
    table = adult()
    list(all_ratios(table))
    ratios(table, range(9))
    print("one set           distinct    ours s  polars s   speed  peak MB so far")
    for domains in ((100, 50, 20), (100, 3000, 200), (30_000, 30_000, 200)):
        one_set(made(rows, domains))
    for share in (100, 10):
        one_set(made(rows // share, (100, 3000, 200)))
    for width in (1, 2, 6, 9):
        one_set(made(rows // 10, DOMAINS[:width]))
    print("all sets              sets    ours s  polars s   speed  peak MB so far")
    every_set(table, compare=True)
    for width in (7, 11):
        every_set(made(table.rows, (*DOMAINS, 3, 3)[:width]), compare=False)
    every_set(bootstrapped(table, 120_000), compare=False)
    every_set(bootstrapped(table, 1_200_000), compare=False)
    print("added one by one  candidates    ours s  polars s   speed  peak MB so far")
    greedy_step(bootstrapped(table, 1_200_000))


if __name__ == "__main__":
    main()
