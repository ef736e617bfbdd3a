"""Tables beyond memory: counted, released and proved with DuckDB and Spark, memory and growth.

    python -m benchmarks.scale [--table repeating|distinct] [--only WORDS] [ROWS …]

For each number of rows (1, 5 and 20 million if not given; 50 million take half an hour) a Parquet
file is made, and processes of their own work on it: DuckDB groups it by all columns, incrowd counts
its distinct rows with DuckDB, releases it with levels and by local recoding in parts; up to 5
million rows local recoding in memory, and in parts on Spark (local[2], without the start of its
session), are there to compare with. incrowd is held to 1.5 GB. Two tables: one of people, whose
rows repeat, and one in which nearly all rows differ. Each line has seconds, microseconds per row,
the peak of memory of the process (on Spark that of the driver's Python), and the loss; the first
line says how many rows are distinct, the last how much longer a row takes than in the smallest
table.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

QUASI = ("age", "sex", "zip", "edu", "race", "hours")
DEFAULT = (1_000_000, 5_000_000, 20_000_000)
MEMORY = 1_500_000_000
_IN_MEMORY = 5_000_000
_CHUNK = 1_000_000

_HEAD = """
import json, resource, time
from pathlib import Path
QUASI, FILE, OUT, MEMORY = {quasi!r}, {file!r}, {out!r}, {memory!r}
def told(seconds, **more):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({{"seconds": seconds, "peak": peak, **more}}))
"""
_GROUP = """
import duckdb
names = ", ".join((*QUASI, "ill"))
connection = duckdb.connect(config={"memory_limit": "900MB"})
connection.execute("SET enable_progress_bar = false")
start = time.perf_counter()
table = f"read_parquet('{FILE}')"
rows = connection.sql(f"SELECT {names}, count(*) AS n FROM {table} GROUP BY ALL").pl()
told(time.perf_counter() - start, distinct=len(rows))
"""
_TALLY = """
from incrowd.engines.duckdb import DuckDB
from incrowd.engines.sql_engine import SqlEngine
database = DuckDB(memory=MEMORY)
database.set_foreign_table(Path(FILE))
engine = SqlEngine(database)
coded = engine.codes((*QUASI, "ill"))
engine.join_codes(tuple(coded.values()))
start = time.perf_counter()
tally = engine.tally([coded[name] for name in QUASI], [coded["ill"]])
told(time.perf_counter() - start, distinct=tally.rows)
"""
_RELEASE = """
import incrowd
from incrowd.io import large
if {memory} is not None:
    large.CELL = 10**9
policy = incrowd.quick((*QUASI, "ill"), quasi=QUASI, k=10, sensitive="ill", search="{search}")
start = time.perf_counter()
reading = incrowd.api.Reading(memory={memory})
release = incrowd.anonymize(FILE, policy, OUT, seed=1, reading=reading)
told(time.perf_counter() - start, loss=release.loss["gcp"], stages=dict(release.seconds))
"""
_SPARK = """
import os, sys, warnings
import incrowd
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
given = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
given |= {"spark.driver.host": "127.0.0.1", "spark.driver.memory": "3g"}
builder = SparkSession.builder.master("local[2]")
for name, value in given.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.range(1).count()
policy = incrowd.quick((*QUASI, "ill"), quasi=QUASI, k=10, sensitive="ill", search="crowd")
incrowd.release.parts.part_release_of.__defaults__ = (0,)
start = time.perf_counter()
release = incrowd.anonymize(spark.read.parquet(FILE), policy, OUT + ".folder", seed=1)
told(time.perf_counter() - start, loss=release.loss["gcp"], stages=dict(release.seconds))
"""


def distinct_rows(rng: np.random.Generator, rows: int) -> dict[str, Any]:
    """Whole numbers, evenly spread: nearly all rows differ."""
    return {
        "age": rng.integers(0, 90, rows),
        "sex": rng.integers(0, 2, rows),
        "zip": rng.integers(10000, 10500, rows),
        "edu": rng.integers(1, 17, rows),
        "race": rng.integers(0, 5, rows),
        "hours": rng.integers(1, 99, rows),
        "ill": rng.integers(0, 12, rows),
    }


def repeating_rows(rng: np.random.Generator, rows: int) -> dict[str, Any]:
    """Rows of people: most live in few places, work 25 hours, and have one of a few illnesses."""

    def few(shares: Any) -> Any:
        share = np.asarray(shares, dtype=float)
        return rng.choice(len(share), rows, p=share / share.sum())

    return {
        "age": rng.integers(0, 90, rows),
        "sex": rng.integers(0, 2, rows),
        "zip": 10000 + few(1 / np.arange(1, 181)),
        "edu": 1 + few([2, 4, 8, 30, 14, 22, 20]),
        "race": few([70, 13, 8, 6, 3]),
        "hours": 5 + 5 * few([2, 4, 6, 8, 70, 5, 5]),
        "ill": few(1 / np.arange(1, 13)),
    }


TABLES = {"repeating": repeating_rows, "distinct": distinct_rows}


def made(path: Path, rows: int, table: str = "distinct") -> None:
    """A table of so many rows in seven columns."""
    import pyarrow.parquet as arrow  # noqa: PLC0415  an extra

    writer = None
    for start in range(0, rows, _CHUNK):
        cells = TABLES[table](np.random.default_rng(start), min(_CHUNK, rows - start))
        frame = pl.DataFrame(cells).to_arrow()
        writer = writer or arrow.ParquetWriter(path, frame.schema)
        writer.write_table(frame)
    assert writer is not None
    writer.close()


def main(sizes: tuple[int, ...] = (), tables: tuple[str, ...] = (*TABLES,), only: str = "") -> None:
    """Print a line for each thing that is done with each table."""
    print(f"{'':34}{'rows':>12}{'seconds':>10}{'us/row':>8}{'peak GB':>9}{'loss':>9}", flush=True)
    for table in tables:
        print(f"table: {table}", flush=True)
        first: dict[str, float] = {}
        for rows in sizes or DEFAULT:
            with tempfile.TemporaryDirectory() as place:
                file = Path(place) / "table.parquet"
                made(file, rows, table)
                for title, script in _scripts(rows):
                    if only in title:
                        _line(title, rows, _run(script, file), first)


def _scripts(rows: int) -> Iterator[tuple[str, str]]:
    yield "DuckDB: group by all columns", _GROUP
    yield "incrowd, DuckDB: tally", _TALLY
    if rows <= _IN_MEMORY:
        yield "incrowd, memory: crowd", _RELEASE.format(search="crowd", memory=None)
        yield "incrowd, Spark local[2]: crowd", _SPARK
    yield "incrowd, DuckDB: levels", _RELEASE.format(search="lattice", memory=MEMORY)
    yield "incrowd, DuckDB: crowd in parts", _RELEASE.format(search="crowd", memory=MEMORY)


def _run(script: str, file: Path) -> dict[str, Any]:
    given = {"quasi": QUASI, "file": str(file), "out": f"{file}.out.parquet", "memory": MEMORY}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", _HEAD.format(**given) + script],
        check=True,
        capture_output=True,
        env=environment,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _line(title: str, rows: int, found: dict[str, Any], first: dict[str, float]) -> None:
    """Print a line; `first` is what a row took in the smallest table."""
    seconds, peak = found["seconds"], found["peak"] / 1e9
    loss = f"{found['loss']:9.5f}" if "loss" in found else " " * 9
    each = 1e6 * seconds / rows
    more = f"  {found['distinct']:,} distinct" if "distinct" in found else ""
    if title in first:
        more += f"  x{each / first[title]:.2f} a row"
    first.setdefault(title, each)
    print(f"{title:34}{rows:12,}{seconds:10.1f}{each:8.2f}{peak:9.2f}{loss}{more}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Tables beyond memory.")
    parser.add_argument("rows", type=int, nargs="*", help="how many rows")
    parser.add_argument("--table", choices=[*TABLES], help="one of the tables alone")
    parser.add_argument("--only", default="", help="lines whose title has these words")
    given = parser.parse_args()
    main(tuple(given.rows), (given.table,) if given.table else (*TABLES,), given.only)
