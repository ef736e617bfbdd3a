"""What a report and a comparison of a large table add to the time of `anonymize`.

Run with `python -m benchmarks.report --rows 1000000`. The table is made up: six quasi-identifiers
and a sensitive column. `anonymize --report` reports on the release that it has just made, from the
table that it has read; `report` reads the release and its original from files and checks the
release first; `compare` reads both, too. Each should take at most 30 % of what `anonymize` takes.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import incrowd
from incrowd.io.reading import open_table

QUASI = {"sex": 2, "age": 74, "race": 5, "marital": 7, "education": 16, "region": 50}
WARM = 2_000
LIMIT = 0.3


def table(rows: int, seed: int = 1) -> pl.DataFrame:
    """Skewed columns, small values more frequent; all but two are words."""
    rng = np.random.default_rng(seed)
    columns = {
        name: (1 + values * rng.random(rows) ** 2).astype(np.int32)
        for name, values in {**QUASI, "illness": 30}.items()
    }
    words = [name for name in columns if name not in {"age", "education"}]
    named = [pl.format("{} {}", pl.lit(name), pl.col(name)).alias(name) for name in words]
    return pl.DataFrame(columns).with_columns(named)


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds on the clock, and of the processor: others may use the machine, too."""
    start, used = time.perf_counter(), time.process_time()
    done = work()
    return time.perf_counter() - start, time.process_time() - used, done


def run(rows: int, *, told: bool) -> None:
    """One line each: seconds, and the share of what anonymize takes."""
    table(rows).write_csv("people.csv")
    names = [*QUASI, "illness"]
    policy = incrowd.quick(names, quasi=[*QUASI], sensitive="illness", k=5)
    whole, busy, release = timed(
        lambda: incrowd.anonymize("people.csv", policy, "release.csv", seed=1)
    )
    read = open_table("people.csv")
    paper = "release.csv.certificate.json"
    work = {
        "anonymize --report": lambda: incrowd.report(release, "made.html", original=read),
        "report": lambda: incrowd.report(
            "release.csv", "report.html", policy, paper, original="people.csv"
        ),
        "compare": lambda: incrowd.compare(
            "people.csv", "release.csv", policy=policy, models=False
        ),
    }
    if told:
        print(f"{rows:>12,} records x {len(names)}: anonymize {whole:6.1f} s, {busy:.1f} CPU")
    for name, one in work.items():
        seconds, used, _ = timed(one)
        if told:
            over = "" if seconds <= LIMIT * whole else "  MORE THAN 30 %"
            line = f"{'':>12}  {name:<19} {seconds:6.1f} s, {seconds / whole:6.1%} more{over}"
            print(f"{line} | {used:.1f} CPU, {used / busy:6.1%} more", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    arguments, _ = parser.parse_known_args()
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            run(WARM, told=False)
            run(arguments.rows, told=True)
        finally:
            os.chdir(before)


if __name__ == "__main__":
    main()
