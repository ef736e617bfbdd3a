"""Local recoding as in Ghinita Section 7.1: loss and seconds by k, by records and by columns.

The table is ../shared/data/census-sal (the paper's CENSUS), Adult beside it; generated tables show
the growth up to five million records. Ratios are against relaxed Mondrian of the same run. Figures
22 to 24 are drawn into docs/papers/figures, with the lines that they show as a CSV file.

    python -m benchmarks.local_recoding [--all]

Without `--all` the slow ones (TopDown, iDistance) run on 50,000 records only.
"""

import csv
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks import _made_tables as made_tables
from benchmarks._figures import FOLDER, Figure, draw
from incrowd import search as searches
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.problem import Problem
from incrowd.search import Hilbert, IDistance, Mondrian, Search, TopDown, Tree
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import arx_tables
import census_tables

REFERENCE = "mondrian"
SEARCHES: dict[str, Search] = {
    REFERENCE: Mondrian(relaxed=True),
    "hilbert": Hilbert(),
    "hilbert-fast": Hilbert(fast=True),
    "tree": Tree(),
    "idistance": IDistance(),
    "idistance-fast": IDistance(fast=True),
    "top-down": TopDown(),
}
for more in ("Crowd",):
    if hasattr(searches, more):
        SEARCHES[more.lower()] = getattr(searches, more)()
SLOW = {"idistance", "idistance-fast", "top-down"}
FEW = 50_000


@dataclass(frozen=True)
class Line:
    """One run."""

    figure: str
    table: str
    search: str
    records: int
    columns: int
    k: int
    gcp: float
    seconds: float


def timed(problem: Problem, search: Search, runs: int = 3) -> tuple[float, float]:
    """The loss, and the seconds of the fastest of some warm runs."""
    found = search.run(problem, Watch())
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        found = search.run(problem, Watch())
        best = min(best, time.perf_counter() - start)
        if best > 5:
            break
    return problem.loss.of(problem.outcome(found.recoding)), best


def measured(figure: str, table: str, problem: Problem, slow: bool) -> Iterator[Line]:
    """All searches on one problem, with ratios against the reference."""
    size = problem.tally.records, len(problem.columns), int(problem.models[0].asked)
    first: Line | None = None
    print(f"{table} {size[0]:,} x {size[1]}, k = {size[2]}")
    for name, search in SEARCHES.items():
        if name in SLOW and not slow:
            continue
        line = Line(figure, table, name, *size, *timed(problem, search))
        first = first or line
        print(
            f"  {name:15} GCP {line.gcp:.4f} ({line.gcp / max(first.gcp, 1e-12):5.2f} x)"
            f"  {line.seconds:7.3f} s ({line.seconds / first.seconds:6.2f} x)",
            flush=True,
        )
        yield line


def census(everything: bool) -> Iterator[Line]:
    """Figures 22 (k), 23 (records) and 24 (columns)."""
    if not census_tables.FOLDER.exists():
        print(f"{census_tables.ABSENT}: the census is left out")
        return

    def run(figure: str, records: int, columns: int, k: int) -> Iterator[Line]:
        problem = census_tables.problem([KAnonymity(k)], Gcp(), records, columns)
        yield from measured(figure, "census-sal", problem, everything or records <= FEW)

    for k in (10, 20, 50, 100):
        yield from run("22", 500_000, 7, k)
    for records in (50_000, 100_000, 200_000, 400_000):
        yield from run("23", records, 7, 50)
    for columns in range(2, 8):
        yield from run("24", 400_000 if everything else 100_000, columns, 50)


def adult() -> Iterator[Line]:
    if not arx_tables.FOLDER.exists():
        print(f"{arx_tables.ABSENT}: Adult is left out")
        return
    for k in (5, 10, 50):
        problem = arx_tables.problem("adult", [KAnonymity(k)], Gcp())
        yield from measured("adult", "adult9", problem, slow=True)


def growth(sizes: tuple[int, ...] = (500_000, 1_000_000, 5_000_000)) -> None:
    """Seconds and bytes per record of generated tables."""
    for name in (REFERENCE, "hilbert", "tree"):
        for records in sizes:
            problem = made_tables.problem(records, (78, 2, 9, 6, 83, 17, 50), 50)
            _, seconds = timed(problem, SEARCHES[name], 1)
            beyond = peak(lambda: SEARCHES[name].run(problem, Watch())) / records  # noqa: B023
            print(
                f"generated {records:9,} x 7, k = 50 {name:9} {seconds:7.2f} s"
                f" {seconds / records * 1e6:6.2f} s per million, {beyond:5.0f} bytes per record",
                flush=True,
            )


def peak(work: Callable[[], Any]) -> float:
    """The most memory that this work has at a time beyond what was there before."""
    tracemalloc.start()
    work()
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(size)


def write(path: Path, lines: list[Line]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([field.name for field in fields(Line)])
        writer.writerows(astuple(line) for line in lines)


FIGURES = (
    Figure("ghinita-22", "Figure 22: CENSUS, 500,000 records, 7 columns", "k"),
    Figure("ghinita-23", "Figure 23: CENSUS, 7 columns, k = 50", "records"),
    Figure("ghinita-24", "Figure 24: CENSUS, k = 50", "columns"),
)


def main() -> None:
    lines = [*adult(), *census("--all" in sys.argv[1:])]
    if lines:
        write(FOLDER / "local-recoding.csv", lines)
    for figure in FIGURES:
        shown = [line for line in lines if line.figure == figure.name.removeprefix("ghinita-")]
        if shown:
            print(f"drawn: {draw(figure, shown).name}")
    growth()


if __name__ == "__main__":
    main()
