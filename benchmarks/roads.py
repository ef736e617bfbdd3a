"""Streams and large CSV files: as incrowd's verbs let them pass, and through DuckDB's engine.

    python -m benchmarks.roads

Each way is a process of its own: seconds of the processor, all threads together, without the start,
and the most memory. The engine's ways store the file as Parquet, as large tables are stored, and
let DuckDB sort and count; those named DuckDB alone read and write CSV in DuckDB without a check.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from incrowd.engines.base import Engine
from incrowd.io import tables
from incrowd.io.reading import Reading, open_table
from incrowd.io.target import TargetFile
from incrowd.population.buckets import Bucketing, show_all_buckets
from incrowd.verbs.discover import discover
from incrowd.verbs.mask import mask
from incrowd.verbs.quantiles import quantiles

ROWS = 2_000_000
MEMORY = 800_000_000
PUBLISHED = ("age", "sex", "note")
MASK: dict[str, Any] = {"ratio": 0.05, "method": "sampled", "seed": 1}
QUANTILES: dict[str, Any] = {"columns": ["income"], "buckets": 300, "keep": ["age", "note"]}
TABLE, OUT = Path("table.csv"), Path("out.csv")


def people(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    notes = pl.Series(["", "x y", "a, b", 'say "no"', " z ", "plain", None])
    return pl.DataFrame(
        {
            "number": np.arange(rows),
            "age": rng.integers(0, 100, rows),
            "zip": pl.Series(rng.integers(0, 99_999, rows)).cast(pl.String).str.zfill(5),
            "sex": np.array(["f", "m"])[rng.integers(0, 2, rows)],
            "born": np.datetime64("1930-01-01") + rng.integers(0, 30_000, rows),
            "income": rng.lognormal(10, 1, rows).round(2),
            "town": "town " + pl.Series(rng.integers(0, 900, rows)).cast(pl.String),
            "note": notes.gather(rng.integers(0, 7, rows)),
        }
    )


def stored() -> Any:
    """The file in DuckDB's engine."""
    return open_table(TABLE, Reading(memory=MEMORY)).engine


def sizes_of(engine: Any, query: str, names: Sequence[str]) -> None:
    """Write what a query answers to the file, read it anew, and count its classes."""
    target = TargetFile(OUT, tables.Source(pl.DataFrame(), text=True, format="csv"))
    release = engine.database.write(query, target)
    keys = ", ".join(f'"{name}"' for name in names)
    classes = f"SELECT count(*) AS size FROM {release.rows} GROUP BY {keys}"
    engine.database.rows(f"SELECT size, count(*) AS n FROM ({classes}) classes GROUP BY size")


def mask_passing(*, keep_order: bool) -> None:
    mask("-", OUT, keep_order=keep_order, **MASK)


def mask_engine(*, keep_order: bool) -> None:
    engine = stored()
    engine.sample(engine.names, 50_000)
    order = "row" if keep_order else engine.database.random("secret", "row")
    shown = ", ".join(f'{engine.cell(name)} AS "{name}"' for name in PUBLISHED)
    sizes_of(engine, f"SELECT {shown} FROM source ORDER BY {order}", PUBLISHED)
    engine.close()


def duckdb_file() -> tuple[Any, str]:
    """A database, and the file in words of DuckDB that keep empty texts apart from missing ones."""
    import duckdb  # noqa: PLC0415  an extra

    read = "read_csv('{}', header = true, all_varchar = true, allow_quoted_nulls = false)"
    return duckdb.connect("own.db", config={"memory_limit": "1GB"}), read


def mask_duckdb(*, keep_order: bool) -> None:
    base, read = duckdb_file()
    table, shown = read.format(TABLE), ", ".join(PUBLISHED)
    base.sql(f"SELECT * FROM {table} USING SAMPLE reservoir(50000 ROWS) REPEATABLE (1)").pl()
    rows = f"(SELECT row_number() OVER () AS row, {shown} FROM {table})"
    order = "" if keep_order else "ORDER BY md5_number_lower(concat('secret:', row))"
    base.execute(f"COPY (SELECT {shown} FROM {rows} {order}) TO '{OUT}' (HEADER)")
    base.sql(f"SELECT count(*) AS n FROM {read.format(OUT)} GROUP BY {shown}").pl()


def quantiles_passing(source: Path | str, *, keep_order: bool) -> None:
    quantiles(source, OUT, seed=1, keep_order=keep_order, **QUANTILES)


def quantiles_engine(*, keep_order: bool) -> None:
    engine = stored()
    base = engine.database
    column, codes = Bucketing.of_whole(_fetched(engine, "income"), None, 300, 1)
    cells = column.cells(show_all_buckets(column), "median").cast(pl.String)
    rows = pl.DataFrame({"row": np.arange(len(codes)), "shown": cells.gather(codes)})
    base.put("shown", rows)
    order = "source.row" if keep_order else base.random("secret", "source.row")
    kept = f'{engine.cell("age")} AS "age", {engine.cell("note")} AS "note"'
    of = "source JOIN shown ON shown.row = source.row"
    sizes_of(engine, f"SELECT {kept}, shown AS income FROM {of} ORDER BY {order}", ["income"])
    engine.close()


def _fetched(engine: Engine, name: str) -> pl.Series:
    return pl.concat(engine.batches([name]))[name]


def quantiles_duckdb(*, keep_order: bool) -> None:
    base, read = duckdb_file()
    table = f"SELECT row_number() OVER () AS row, age, income, note FROM {read.format(TABLE)}"
    buckets = f"SELECT *, ntile(300) OVER (ORDER BY income::DOUBLE) AS bucket FROM ({table})"
    shown = "age, median(income::DOUBLE) OVER (PARTITION BY bucket) AS income, note"
    order = "row" if keep_order else "md5_number_lower(concat('secret:', row))"
    base.execute(f"COPY (SELECT {shown} FROM ({buckets}) ORDER BY {order}) TO '{OUT}' (HEADER)")
    base.sql(f"SELECT income, count(*) AS n FROM {read.format(OUT)} GROUP BY income").pl()


def discover_engine() -> None:
    engine = stored()
    engine.sample(engine.names, 100_000)
    engine.close()


ORDERED = {"keep_order": True}
NEW = {"keep_order": False}
WAYS: dict[str, Callable[[], object]] = {
    "discover, as it passes": lambda: discover("-", seed=1),
    "discover, engine: stored and sampled only": discover_engine,
    "mask, as it passes": lambda: mask_passing(**NEW),
    "mask, as it passes, order kept": lambda: mask_passing(**ORDERED),
    "mask, engine": lambda: mask_engine(**NEW),
    "mask, engine, order kept": lambda: mask_engine(**ORDERED),
    "mask, DuckDB alone": lambda: mask_duckdb(**NEW),
    "mask, DuckDB alone, order kept": lambda: mask_duckdb(**ORDERED),
    "quantiles, byte for byte": lambda: quantiles_passing(TABLE, **NEW),
    "quantiles, byte for byte, order kept": lambda: quantiles_passing(TABLE, **ORDERED),
    "quantiles, from a pipe": lambda: quantiles_passing("-", **NEW),
    "quantiles, from a pipe, order kept": lambda: quantiles_passing("-", **ORDERED),
    "quantiles, engine": lambda: quantiles_engine(**NEW),
    "quantiles, engine, order kept": lambda: quantiles_engine(**ORDERED),
    "quantiles, DuckDB alone": lambda: quantiles_duckdb(**NEW),
    "quantiles, DuckDB alone, order kept": lambda: quantiles_duckdb(**ORDERED),
}


def run(name: str) -> None:
    """One way, in this process."""
    start = time.process_time()
    WAYS[name]()
    seconds = time.process_time() - start
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{name:<44} {seconds:6.2f} s {most:6.2f} GB", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="incrowd-roads-") as folder:
        place = Path(folder) / TABLE
        people(ROWS).write_csv(place)
        print(f"{ROWS:,} records, {place.stat().st_size / 1e6:.0f} MB", flush=True)
        for name in WAYS:
            command = [sys.executable, "-m", "benchmarks.roads", "--only", name]
            with place.open("rb") as given:
                subprocess.run(command, stdin=given, check=True, cwd=folder, env=_here(folder))
            for left in Path(folder).glob("own.db*"):
                left.unlink()


def _here(folder: str) -> dict[str, str]:
    """The environment of a way: this checkout, and temporary files in a folder of ours."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "TMPDIR": folder}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--only"]:
        run(sys.argv[2])
    else:
        main()
