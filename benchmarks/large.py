"""Stages and memory of large releases, against Polars' read, group-by and write in one run.

Run with `python benchmarks/large.py`, for ten million rows with `--rows 10000000` (half of them are
measured, too). Each release is made by a process of its own, so that its peak of memory is its own.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks._timed import once

QUASI = ("age", "sex", "zip", "edu", "race", "hours")
STAGES = ("read", "search", "release", "verify", "write")

_RUN = """
import json, resource, sys
import incrowd
policy = incrowd.quick({names!r}, quasi={quasi!r}, k=10, sensitive="ill")
release = incrowd.anonymize({file!r}, policy, {out!r}, seed=1)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({{"seconds": dict(release.seconds), "peak": peak}}))
"""


@dataclass(frozen=True)
class Line:
    """What a table of so many rows took."""

    rows: int
    seconds: dict[str, float]
    """By stage."""
    peak: float
    """Bytes."""
    polars: dict[str, float]
    """Seconds of Polars' read, group-by and write of the same file."""

    @property
    def total(self) -> float:
        """Seconds of all stages."""
        return sum(self.seconds.values())


def table(rows: int) -> pl.DataFrame:
    """Whole numbers in seven columns; nearly all rows differ."""
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "age": rng.integers(0, 90, rows),
            "sex": rng.integers(0, 2, rows),
            "zip": rng.integers(10000, 10500, rows),
            "edu": rng.integers(1, 17, rows),
            "race": rng.integers(1, 7, rows),
            "hours": np.minimum(99, rng.poisson(38, rows)),
            "ill": rng.integers(1, 30, rows),
        }
    )


def measured(rows: int, folder: Path) -> Line:
    """One table of so many rows, released and, beside it, read, grouped and written by Polars."""
    file, out = folder / "table.parquet", folder / "release.parquet"
    table(rows).write_parquet(file)
    found = _released(file, out)
    reading, frame = once(lambda: pl.read_parquet(out))
    grouping, _ = once(lambda: frame.group_by(QUASI).len())
    writing, _ = once(lambda: frame.write_parquet(folder / "again.parquet"))
    by_polars = {"read": reading, "group": grouping, "write": writing}
    return Line(rows, found["seconds"], found["peak"], by_polars)


def _released(file: Path, out: Path) -> Any:
    code = _RUN.format(names=[*QUASI, "ill"], quasi=list(QUASI), file=str(file), out=str(out))
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def shown(line: Line) -> str:
    """A line of the report."""
    stages = " ".join(f"{line.seconds.get(stage, 0.0):>8.2f}" for stage in STAGES)
    group = line.seconds["verify"] / line.polars["group"]
    theirs = " ".join(f"{seconds:>7.2f}" for seconds in line.polars.values())
    head = f"{line.rows:>11,} {stages} {line.total:>8.2f} {line.peak / 1e9:>8.2f}"
    return f"{head}  {theirs}  {group:>12.1f}"


def main() -> None:
    """Print stages, memory, what Polars takes, and how both grow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    rows = parser.parse_known_args()[0].rows
    stages = " ".join(f"{stage:>8}" for stage in STAGES)
    head = f"{'rows':>11} {stages} {'seconds':>8} {'peak GB':>8}"
    print(f"{head}  Polars: read, group, write  verify/group")
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        measured(min(rows, 20_000), Path(folder))
        for number in (rows // 2, rows):
            lines.append(measured(number, Path(folder)))
            print(shown(lines[-1]), flush=True)
    half, whole = lines
    print(f"twice the rows: {whole.total / half.total:.2f} x the seconds", end=", ")
    print(f"{whole.peak / half.peak:.2f} x the memory")


if __name__ == "__main__":
    main()
