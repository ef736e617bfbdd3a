"""Every risk figure of a table against the group-by of Polars and pandas, and pyCANON.

Run with `python -m benchmarks.risk --rows 30000 10000000`. Tables are coded already: whole numbers
for us as for the others. Ours are all figures of `risk.measure` (folding included); pandas' are k
and the l of two kinds, pyCANON's k and distinct l of one column of the smallest table, where it is
installed. The reference of Polars is one `group_by(...).len()` of the same columns: figures without
sensitive columns should take less than twice as long; with a known population comes a model whose
time does not depend on the rows, told in seconds; what every set of eight columns (255 of them)
does should take less than a hundred times as long; special uniques of up to four columns have no
limit but are told.
"""

import argparse
import json
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from incrowd.arrays import Codes
from incrowd.exposure import Risk, measure
from incrowd.exposure.explained import measure_all_sets
from incrowd.exposure.special_uniques import minimal_uniques
from incrowd.partition.classes import SensitiveColumn
from incrowd.table.fold import fold

PYCANON = Path(__file__).parents[1] / ".venv-pycanon/bin/python"
PYCANON_ROWS = 100_000
QUASI = {"sex": 2, "age": 74, "race": 5, "marital": 7, "education": 16}
SENSITIVE = {"occupation": 14, "cost": 1000}
EIGHT = {**QUASI, "occupation": 14, "country": 41, "income": 2}

SCRIPT = """
import json, sys, time
import pandas as pd
from pycanon import anonymity
table = pd.read_csv(sys.argv[1])
*quasi, sensitive, _ = table.columns
start = time.perf_counter()
k = anonymity.k_anonymity(table, quasi)
l = anonymity.l_diversity(table, quasi, [sensitive])
print(json.dumps({"k": int(k), "l": int(l), "seconds": time.perf_counter() - start}))
"""


def table(rows: int, missing: float = 0.0, seed: int = 1) -> dict[str, Codes]:
    """Skewed columns of codes; a share of the values of two columns is missing."""
    rng = np.random.default_rng(seed)
    columns = {}
    for name, values in {**QUASI, **SENSITIVE}.items():
        columns[name] = (1 + values * rng.random(rows) ** 2).astype(np.int32)
    for name in ("race", "marital"):
        columns[name][rng.random(rows) < missing] = 0
    return columns


def ours(columns: dict[str, Codes]) -> Risk:
    sensitive = [
        SensitiveColumn(name, np.bincount(columns[name]).astype(np.int64), ordered=name == "cost")
        for name in SENSITIVE
    ]
    tally = fold([columns[name] for name in QUASI], [columns[name] for name in SENSITIVE])
    return measure(tally, sensitive)


def with_pandas(frame: pd.DataFrame) -> dict[str, float]:
    quasi = list(QUASI)
    size = frame.groupby(quasi).size()
    found: dict[str, float] = {"k": int(size.min())}
    for name in SENSITIVE:
        held = frame.groupby([*quasi, name]).size().groupby(quasi)
        found[f"distinct {name}"] = int(held.size().min())
        found[f"frequency {name}"] = float((size / held.max()).min())
    return found


def with_pycanon(frame: pd.DataFrame) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        frame.to_csv(path, index=False)
        command = [str(PYCANON), "-W", "ignore", "-c", SCRIPT, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def compare(rows: int) -> None:
    columns = table(rows)
    seconds, risk = timed(lambda: ours(columns))
    frame = pd.DataFrame(columns)
    reference, found = timed(lambda: with_pandas(frame))
    assert risk.k == found["k"]
    for name in SENSITIVE:
        assert risk.sensitive[name].l["distinct"] == found[f"distinct {name}"]
        assert risk.sensitive[name].l["frequency"] == found[f"frequency {name}"]
    line = f"{rows:>12,} rows, {risk.classes:>9,} classes: {seconds:8.3f} s"
    line += f" | pandas {reference:8.3f} s, {reference / seconds:6.1f} x"
    if PYCANON.exists() and rows <= PYCANON_ROWS:
        other = with_pycanon(frame)
        assert risk.k == other["k"]
        line += f" | pyCANON {other['seconds']:7.2f} s, {other['seconds'] / seconds:6.1f} x"
    print(line)


def read_every_way(rows: int) -> None:
    columns = table(rows, missing=0.02)
    seconds, risk = timed(lambda: ours(columns))
    k = ", ".join(f"{reading} {figures.k}" for reading, figures in risk.missing.items())
    print(f"{rows:>12,} rows, 2 columns with gaps: {seconds:8.3f} s | k {k}")


def skewed(rows: int, domains: dict[str, int], seed: int = 1) -> dict[str, Codes]:
    """Columns of codes, small ones more frequent."""
    rng = np.random.default_rng(seed)
    return {
        name: (1 + values * rng.random(rows) ** 2).astype(np.int32)
        for name, values in domains.items()
    }


def figures_against_polars(columns: dict[str, Codes]) -> float:
    """One line, and the seconds of one group-by: the better of two."""
    frame, codes = pl.DataFrame(columns), list(columns.values())
    once, groups = timed(lambda: frame.group_by(frame.columns).len())
    reference = min(once, timed(lambda: frame.group_by(frame.columns).len())[0])
    plain, risk = timed(lambda: measure(fold(codes, ()), ()))
    drawn_from = 20 * frame.height
    known, _ = timed(lambda: measure(fold(codes, ()), (), population=drawn_from))
    assert risk.classes == groups.height
    line = f"{frame.height:>12,} x {len(codes)}, {risk.classes:>9,} classes: one group-by"
    line += f" {reference:7.3f} s | figures {plain / reference:5.2f} x (limit 2)"
    print(f"{line} | with a population {known - plain:5.2f} s more")
    return reference


def sets_against_polars(columns: dict[str, Codes], reference: float) -> None:
    """One line: every set of the columns, and the smallest that make records unique."""
    names, codes = list(columns), list(columns.values())
    every, sets = timed(lambda: measure_all_sets(names, fold(codes, ())))
    special, found = timed(lambda: minimal_uniques(names, codes))
    print(
        f"{'':>12}  {len(sets)} sets {every / reference:5.1f} x (limit 100) |"
        f" {len(found.row):,} minimal sample uniques {special / reference:5.1f} x"
    )


def against_polars(rows: int) -> None:
    """Ratios against one group-by, for five and for eight columns."""
    figures_against_polars(skewed(rows, QUASI))
    columns = skewed(rows, EIGHT)
    sets_against_polars(columns, figures_against_polars(columns))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[30_000, 1_000_000, 10_000_000])
    arguments, _ = parser.parse_known_args()
    ours(table(1_000, missing=0.1))
    print("compiling and loading:")
    against_polars(1_000)
    for rows in arguments.rows:
        against_polars(rows)
        compare(rows)
        read_every_way(rows)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{'':>12}  peak of the process so far {peak:,.0f} MB")


if __name__ == "__main__":
    main()
