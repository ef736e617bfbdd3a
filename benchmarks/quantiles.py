"""Quantiles of columns: how time grows, against NumPy's look-up and Polars' rewriting of a file.

    python -m benchmarks.quantiles            ratios, in one run
    python -m benchmarks.quantiles figures    Figures 1 and 4 to 7 of Lodha-Thomas, drawn anew

Seconds are of the processor, all threads together, so that other work on the machine counts little;
files are compared by the clock too. Figures are of Covertype and Adult in ../shared/data where they
are there; of made columns otherwise.
"""

import gzip
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._figures import Figure, draw
from incrowd.api import quantiles
from incrowd.identify.distinct_values import unique_share
from incrowd.population.buckets import Bucketing
from incrowd.population.quantile_cells import scale_cells
from incrowd.table.column import Kind
from incrowd.verbs import tables

DATA = Path(__file__).parents[1] / "../shared/data"
K = 10_000

USED = """
import sys
from pathlib import Path
from incrowd.api import quantiles
import incrowd.verbs.tables as tables
tables.LARGE = 0
quantiles(sys.argv[1], sys.argv[2], columns=["income"], k=10_000, keep=["town"], seed=1)
(most,) = (line for line in Path("/proc/self/status").open() if line.startswith("VmHWM"))
print(int(most.split()[1]) // 1024)
"""


def both(work: Callable[[], object], times: int = 3) -> tuple[float, float]:
    """The least of a few times, in seconds of the processor and of the clock."""
    processor, clock = [], []
    for _ in range(times):
        start = time.process_time(), time.perf_counter()
        work()
        processor.append(time.process_time() - start[0])
        clock.append(time.perf_counter() - start[1])
    return min(processor), min(clock)


def best(work: Callable[[], object], times: int = 3) -> float:
    """The least of a few times, in seconds of the processor."""
    return both(work, times)[0]


def incomes(rows: int, columns: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    return pl.DataFrame({f"c{j}": rng.lognormal(10, 1, rows) for j in range(columns)})


def people(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    return pl.DataFrame(
        {
            "income": np.round(rng.lognormal(10, 1, rows), 2),
            "age": rng.integers(0, 100, rows),
            "hours": rng.integers(0, 80, rows),
            "days": rng.integers(0, 20_000, rows),
            "town": pl.Series(rng.integers(0, 977, rows)).cast(pl.String),
        }
    )


def wide(rows: int) -> pl.DataFrame:
    """People with ten columns more."""
    rng = np.random.default_rng(3)
    words = np.array(["none", "some words here", "clerk", "doctor", "teacher"])
    more = {f"number{j}": np.round(rng.normal(0, 10**j, rows), 3) for j in range(4)}
    more |= {f"word{j}": words[rng.integers(0, len(words), rows)] for j in range(4)}
    more |= {
        "id": np.arange(rows),
        "born": np.datetime64("1930-01-01") + rng.integers(0, 30_000, rows),
    }
    return people(rows).with_columns(**{name: pl.Series(cells) for name, cells in more.items()})


def growth() -> None:
    """One column of more and more rows, and more and more columns of 250,000 rows."""
    base = None
    wish = {"columns": ["c0"], "k": K, "seed": 1, "keep_order": True}
    for rows in (250_000, 1_000_000, 10_000_000):
        table = incomes(rows)
        for name, epsilon in (("exact", None), ("by a sample", 0.005)):
            work = lambda e=epsilon: quantiles(table, **wish, epsilon=e)  # noqa: B023, E731  called at once
            work() if base is None else None
            seconds = best(work, 3 if rows < 10**7 else 1)
            base = base or seconds / rows
            each = f"{1e9 * seconds / rows:.0f} ns a row, {seconds / rows / base:.2f} of the first"
            print(f"{rows:>11,} rows, {name:<12} {seconds:7.3f} s  {each}", flush=True)
    shuffled = best(lambda: quantiles(table, columns=["c0"], k=K, seed=1), 1)
    print(f"{table.height:>11,} rows, exact, in a new order {shuffled:.3f} s", flush=True)
    table = incomes(250_000, 10)
    first = 0.0
    for columns in (1, 2, 5, 10):
        names = table.columns[:columns]
        seconds = best(lambda: quantiles(table, **{**wish, "columns": names}))  # noqa: B023  called at once
        first = first or seconds
        told = f"{seconds:7.3f} s  {seconds / first:.2f} of one"
        print(f"    250,000 rows, {columns:>2} columns  {told}", flush=True)


def look_up() -> None:
    """The second pass in memory, counting included, against NumPy's binary search alone."""
    table = incomes(4_000_000)
    for buckets in (25, 400):
        column = Bucketing.by_sample(table["c0"][:200_000], buckets, 1)
        cells = scale_cells(table["c0"], Kind.NUMBER)
        cuts = column.division.cuts
        column.see_scaled(cells, 0)
        ours = best(lambda: column.see_scaled(cells, 0))  # noqa: B023  called at once
        theirs = best(lambda: np.searchsorted(cuts, cells.values, side="right"))  # noqa: B023  called at once
        print(
            f"look-up of 4,000,000 values in {buckets} buckets: {ours:.3f} s, numpy.searchsorted "
            f"{theirs:.3f} s, {ours / theirs:.2f} times as long (aim: at most 2)"
        )


def files(folder: Path, table: pl.DataFrame) -> None:
    """A file read, divided, written and read again, against Polars reading and writing it once."""
    path, target = folder / "t.csv", folder / "o.csv"
    table.write_csv(path)
    others = [name for name in table.columns if name != "income"]
    plain = both(lambda: pl.scan_csv(path).sink_csv(target))
    size = f"{path.stat().st_size / 1e6:.0f} MB, {table.width} columns"
    print(f"file of {size}: Polars scan and sink {plain[0]:.3f} s, {plain[1]:.3f} by the clock")
    large = tables.LARGE
    for name, limit, keep_order in (
        ("exact, order kept", large, True),
        ("exact", large, False),
        ("by a sample, order kept", 0, True),
        ("by a sample", 0, False),
    ):
        tables.LARGE = limit
        options = {"columns": ["income"], "k": K, "keep": others, "seed": 1}
        found = both(lambda: quantiles(path, target, keep_order=keep_order, **options), 2)  # noqa: B023  called at once
        ratios = f"{found[0] / plain[0]:.2f} times as long, {found[1] / plain[1]:.2f} by the clock"
        print(f"  {name:<24} {found[0]:7.3f} s  {ratios} (aim: at most 2)", flush=True)
    tables.LARGE = large


def memory(folder: Path) -> None:
    for rows in (500_000, 2_000_000):
        path = folder / "m.csv"
        people(rows).write_csv(path)
        command = [sys.executable, "-c", USED, str(path), str(folder / "o.csv")]
        done = subprocess.run(command, capture_output=True, check=True, text=True)
        size = path.stat().st_size / 1e6
        print(f"memory: a file of {size:.0f} MB goes by in {int(done.stdout):,} MB")


@dataclass(frozen=True)
class Share:
    """A point of Figure 1."""

    values_per_person: float
    unique_share: float
    bound: str


@dataclass(frozen=True)
class Timed:
    """A point of Figures 4 to 6."""

    rows: int
    columns: int
    buckets: int
    seconds: float
    table: str


@dataclass(frozen=True)
class Lost:
    """A point of Figure 7."""

    buckets: int
    error: float
    trade_off: float
    """(1 - p)^2 (1 - u) n^2 as measured: 1 if the law held."""
    column: str


def real(path: str, columns: list[str] | None, *, header: bool) -> pl.DataFrame | None:
    file = DATA / path
    if not file.exists():
        print(f"LEFT OUT: {path} is not in ../shared/data")
        return None
    with gzip.open(file) as opened:
        frame = pl.read_csv(opened.read(), has_header=header, null_values=["?"])
    return frame if columns is None else frame.select(columns)


def covertype() -> tuple[str, pl.DataFrame]:
    found = real("covtype/covtype.csv.gz", None, header=True)
    if found is None:
        return "made", incomes(600_000, 10)
    return "Covertype", found[:, :10]


def figure_1() -> None:
    lines = []
    for share in np.linspace(0.1, 8, 80).tolist():
        bound = "Theorem 1" if share <= 1 else "Theorem 2"
        lines.append(Share(share, unique_share(share * 3e8, 3e8), bound))
    kept = Figure(
        "lodha-thomas-1",
        "Largest expected share of people alone, by distinct values per person",
        "values_per_person",
        ("unique_share",),
        (),
        "bound",
    )
    draw(kept, lines)


def timed(folder: Path, name: str, table: pl.DataFrame, columns: int, buckets: int) -> Timed:
    path = folder / "t.csv"
    table[:, :columns].write_csv(path)
    options = {"columns": table.columns[:columns], "buckets": buckets, "seed": 1}
    seconds = best(lambda: quantiles(path, folder / "o.csv", epsilon=0.01, **options))
    return Timed(table.height, columns, buckets, seconds, name)


def figures_4_to_6(folder: Path) -> None:
    """Files read, divided by a sample, written and verified: rows, columns and buckets vary."""
    name, table = covertype()
    most = 250_000
    timed(folder, name, table[:10_000], 10, 25)
    rows = [timed(folder, name, table[:n], 1, n // K) for n in range(50_000, most + 1, 50_000)]
    rows.append(timed(folder, name, table, 1, table.height // K))
    columns = [timed(folder, name, table[:most], j, 25) for j in range(1, 11)]
    counts = (2, 5, 10, 25, 50, 100, 200, 350, 500)
    buckets = [timed(folder, name, table[:most], 1, b) for b in counts]
    titles = {
        4: ("rows", "Seconds of the processor by rows (one column, k = 10,000)", rows),
        5: ("columns", "Seconds of the processor by columns (250,000 rows, 25 buckets)", columns),
        6: ("buckets", "Seconds of the processor by buckets (250,000 rows, one column)", buckets),
    }
    for number, (x, title, lines) in titles.items():
        draw(Figure(f"lodha-thomas-{number}", title, x, ("seconds",), (), "table"), lines)
        told = ", ".join(f"{getattr(line, x):,}: {line.seconds:.3f} s" for line in lines)
        print(f"Figure {number}, by {x}: {told}", flush=True)


def losses() -> Iterator[tuple[str, pl.Series]]:
    yield "even (made)", pl.Series(np.arange(250_000) * 1.0)
    yield "log-normal (made)", incomes(250_000)["c0"]
    _, table = covertype()
    for name in table.columns[:6:5]:
        yield name, table[name]
    adult = real("adult/adult.data.gz", None, header=False)
    if adult is not None:
        texts = adult[:, 2].cast(pl.String).str.strip_chars()
        yield "Adult's fnlwgt", texts.cast(pl.Float64).drop_nulls()


def figure_7() -> None:
    lines = []
    counts = (1, 2, 3, 5, 7, 10, 15, 20, 25, 50, 100, 200, 500)
    for name, cells in losses():
        table = pl.DataFrame({"x": cells})
        for buckets in counts:
            found = quantiles(table, columns=["x"], buckets=buckets, seed=1)
            n, reached = found.records, found.columns[0].buckets
            fixed = (reached / n) ** 2 * found.columns[0].error * n**2
            lines.append(Lost(reached, found.columns[0].error, fixed, name))
        told = ", ".join(f"{line.buckets}: {line.error:.2g}" for line in lines[-len(counts) :: 3])
        print(f"Figure 7, {name}: {told}", flush=True)
    lines += [Lost(b, 1 / b**2, 1.0, "1/b^2") for b in counts]
    measures = ("error", "trade_off")
    title = "Normalized squared error by buckets, and (1 - p)^2 (1 - u) n^2"
    draw(Figure("lodha-thomas-7", title, "buckets", measures, measures, "column"), lines)


def main() -> None:
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="incrowd-") as name:
        if "figures" in sys.argv[1:]:
            figure_1()
            figures_4_to_6(Path(name))
            figure_7()
        else:
            growth()
            look_up()
            files(Path(name), people(1_000_000))
            files(Path(name), wide(1_000_000))
            memory(Path(name))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{time.perf_counter() - start:.0f} s, {most:,.0f} MB")


if __name__ == "__main__":
    main()
