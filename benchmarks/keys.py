"""All minimal keys against Desbordante's HPIValid, and minimal quasi-identifiers, in one run.

Desbordante is looked for in a `.venv-desbordante` beside the benchmarks, which `--install` makes.
Real tables are read from ../shared/data where it is there; made ones are used otherwise.

Run with `python -m benchmarks.keys`.
"""

import argparse
import gzip
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from incrowd.identify.measures import fold_records
from incrowd.identify.minimal import MinimalSets, minimal_sets
from incrowd.identify.records import Measure, Records
from incrowd.identify.sampling import count_rows_once
from incrowd.watch import Watch

ROOT = Path(__file__).parents[1]
DATA = ROOT / "../shared/data"
THEIRS = ROOT / ".venv-desbordante"
LIMIT = 120.0

HPIVALID = """
import sys, time
import numpy as np, pandas as pd, desbordante
codes = np.load(sys.argv[1])
frame = pd.DataFrame({f"c{j}": line for j, line in enumerate(codes)})
best = None
for _ in range(2):
    search = desbordante.ucc.algorithms.HPIValid()
    search.load_data(table=frame)
    start = time.perf_counter()
    search.execute()
    took = time.perf_counter() - start
    best = took if best is None else min(best, took)
    if took > 20:
        break
print(best, len(search.get_uccs()))
"""


def install() -> None:
    """Make a separate environment for the reference, unless there is one."""
    if THEIRS.exists():
        return
    subprocess.run([sys.executable, "-m", "venv", str(THEIRS)], check=True)
    pip = [str(THEIRS / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "desbordante", "pandas"], check=True)


def coded(frame: pl.DataFrame) -> Records:
    """A table of texts as codes."""
    codes = [frame[name].rank("dense").fill_null(0).to_numpy() for name in frame.columns]
    return of(np.array(codes, dtype=np.int32))


def of(codes: "np.ndarray[tuple[int, int], np.dtype[np.int32]]") -> Records:
    names = tuple(f"c{j}" for j in range(len(codes)))
    return Records(names, np.ascontiguousarray(codes), np.ones(codes.shape[1], dtype=np.int64))


def read(path: str, *, header: bool) -> Records | None:
    """A table of the data folder, None (said aloud) without it."""
    files = sorted(DATA.glob(path))
    if not files:
        print(f"LEFT OUT: {path} is not in ../shared/data")
        return None
    with gzip.open(files[0]) as file:
        text = file.read().rstrip()
    return coded(pl.read_csv(text, has_header=header, infer_schema=False))


def made(rows: int, columns: int, seed: int = 1) -> Records:
    """A made table: skewed columns of few values, so that keys need most of them."""
    rng = np.random.default_rng(seed)
    sizes = np.linspace(3, 30, columns)
    return of(np.array([rng.beta(1, 4, rows) * size + 1 for size in sizes], dtype=np.int32))


def first(records: Records, columns: int) -> Records:
    return of(records.codes[:columns])


def timed(work: Callable[[], MinimalSets], times: int = 2) -> tuple[float, MinimalSets]:
    """The best time of a few, and what came of it."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        found = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), found


def hpivalid(records: Records) -> tuple[float, int] | str:
    """Its seconds without loading, and its number of keys; or why there are none."""
    python = THEIRS / "bin" / "python"
    if not python.exists():
        return "NOT COMPARED: no Desbordante here (python -m benchmarks.keys --install)"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "codes.npy"
        np.save(path, records.codes)
        command = [str(python), "-c", HPIVALID, str(path)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            return f"HPIValid: nothing in {LIMIT:.0f} s"
    if done.returncode:
        return f"NOT COMPARED: HPIValid ended with {done.returncode}"
    seconds, number = done.stdout.split()[-2:]
    return float(seconds), int(number)


def keys(name: str, records: Records) -> None:
    """Minimal keys of a table without its duplicates."""
    distinct = count_rows_once(fold_records(records))
    ours, found = timed(lambda: minimal_sets(distinct, Measure.DISTINCT, 1.0))
    line = f"{name:<34}{distinct.rows:>9,} x {distinct.width:<3} keys {len(found.sets):>7,}"
    theirs = hpivalid(distinct)
    if isinstance(theirs, str):
        print(f"{line}  ours {ours:.3f} s  {theirs}", flush=True)
        return
    seconds, number = theirs
    same = "" if number == len(found.sets) else f"  DIFFERENT: they have {number:,} keys"
    ratio = f"{seconds / ours:.2f} times as fast"
    print(f"{line}  ours {ours:.3f} s  HPIValid {seconds:.3f} s  {ratio}{same}", flush=True)


def quasi(name: str, records: Records, ratio: float, **options: object) -> None:
    """Minimal separation sets, with what was not searched and the memory of the process so far."""
    work = lambda: minimal_sets(records, Measure.SEPARATION, ratio, **options)  # noqa: E731  a call
    seconds, found = timed(work, 1 if "watch" in options else 2)
    rest = found.guarantee.not_searched or "all"
    shape = f"{records.rows:>9,} x {records.width:<3}"
    sets = f"{len(found.sets):,} sets of {_sizes(found)} columns ({rest})"
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:<34}{shape} {ratio:g}: {sets}  {seconds:.3f} s, {most:,.0f} MB", flush=True)


def _sizes(found: MinimalSets) -> str:
    sizes = [len(columns) for columns in found.sets]
    return f"{min(sizes)} to {max(sizes)}" if sizes else "no"


def tables() -> Iterator[tuple[str, Records]]:
    yield "made", made(250_000, 20)
    yield "made", made(1_000_000, 15)
    for name, path, header in (
        ("adult", "adult/adult.data.gz", False),
        ("census-income", "census-income/*train*.gz", False),
        ("covtype", "covtype/covtype.csv.gz", True),
    ):
        records = read(path, header=header)
        if records is not None:
            yield name, records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", action="store_true", help="install Desbordante beside")
    if parser.parse_known_args()[0].install:
        install()
    small = made(40_000, 6)
    minimal_sets(small, Measure.SEPARATION, 0.9)
    minimal_sets(small, Measure.DISTINCT, 0.5)
    minimal_sets(count_rows_once(fold_records(small)), Measure.DISTINCT, 1.0)
    for name, records in tables():
        keys(name, records)
        if records.width > 20:
            keys(f"{name}, first 20 columns", first(records, 20))
        if records.width <= 20:
            quasi(f"{name}, separation", records, 0.999)
        else:
            quasi(f"{name}, first 20, separation", first(records, 20), 0.999)
            quasi(f"{name}, at most 3 columns", records, 0.99, max_size=3)
            quasi(f"{name}, 10 seconds", records, 0.999, watch=Watch(10))


if __name__ == "__main__":
    main()
