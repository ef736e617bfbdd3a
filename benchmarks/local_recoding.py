"""Local recoding as in Ghinita Section 7.1: loss and seconds by k, by records and by columns.

The table is ../shared/data/census-sal (the paper's CENSUS), Adult beside it. Ratios are against
relaxed Mondrian of the same run. Figures 22 to 24 are drawn into docs/papers/figures, with the
lines that they show as a CSV file. Short runs are repeated once, long ones not.

    python -m benchmarks.local_recoding [--growth]

With `--growth` generated tables of up to five million records show seconds and bytes per record
instead.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import _made_tables as made_tables
from benchmarks._figures import Figure, draw, write
from benchmarks._timed import once, peak, timed
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.problem import Problem
from incrowd.search import Crowd, Hilbert, IDistance, Mondrian, Search, TopDown, TreeSearch
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import arx_tables
import census_tables

REFERENCE = "mondrian, relaxed"
SEARCHES: dict[str, Search] = {
    REFERENCE: Mondrian(relaxed=True),
    "mondrian, strict": Mondrian(),
    "hilbert": Hilbert(),
    "hilbert, fast": Hilbert(fast=True),
    "idistance": IDistance(),
    "idistance, fast": IDistance(fast=True),
    "top-down": TopDown(),
    "tree": TreeSearch(),
    "crowd": Crowd(),
}
OURS = "crowd"
GROWING = (REFERENCE, "hilbert", "tree", "crowd")


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


def measured(figure: str, table: str, problem: Problem) -> list[Line]:
    """All searches on one problem, with ratios against the reference."""
    size = problem.tally.records, len(problem.columns), int(problem.models[0].threshold)
    lines: list[Line] = []
    print(f"{table} {size[0]:,} x {size[1]}, k = {size[2]}")
    for name, search in SEARCHES.items():
        seconds, found = timed(search, problem)
        gcp = problem.loss.of(problem.outcome(found.recoding))
        lines.append(Line(figure, table, name, *size, gcp, seconds))
        first = lines[0]
        print(
            f"  {name:17} GCP {gcp:.5f} ({gcp / max(first.gcp, 1e-12):5.2f} x)"
            f"  {seconds:7.3f} s ({seconds / first.seconds:6.2f} x)",
            flush=True,
        )
    return lines


def census() -> Iterator[Line]:
    """Figures 22 (k), 23 (records) and 24 (columns)."""
    if not census_tables.FOLDER.exists():
        print(f"{census_tables.ABSENT}: the census is left out")
        return

    def run(figure: str, records: int, columns: int, k: int) -> list[Line]:
        problem = census_tables.problem([KAnonymity(k)], Gcp(), records, columns)
        return measured(figure, "census-sal", problem)

    for k in (10, 20, 50, 100):
        yield from run("22", 500_000, 7, k)
    for records in (50_000, 100_000, 200_000, 400_000):
        yield from run("23", records, 7, 50)
    for columns in range(2, 8):
        yield from run("24", 100_000, columns, 50)


def adult() -> Iterator[Line]:
    if not arx_tables.FOLDER.exists():
        print(f"{arx_tables.ABSENT}: Adult is left out")
        return
    for k in (5, 10, 50):
        problem = arx_tables.problem("adult", [KAnonymity(k)], Gcp())
        yield from measured("adult", "adult9", problem)


def growth(sizes: tuple[int, ...] = (500_000, 1_000_000, 2_000_000, 5_000_000)) -> None:
    """Seconds and bytes per record of generated tables, one run each."""
    for records in sizes:
        problem = made_tables.problem(records, (78, 2, 9, 6, 83, 17, 50), 50)
        for name in GROWING:
            search = SEARCHES[name]
            beyond, (seconds, _) = peak(lambda: once(lambda: search.run(problem, Watch())))  # noqa: B023  run at once
            print(
                f"generated {records:9,} x 7, k = 50 {name:17} {seconds:7.2f} s"
                f" {seconds / records * 1e6:6.2f} s per million,"
                f" {beyond / records:5.0f} bytes per record",
                flush=True,
            )


FIGURES = (
    Figure("ghinita-22", "Figure 22: CENSUS, 500,000 records, 7 columns", "k"),
    Figure("ghinita-23", "Figure 23: CENSUS, 7 columns, k = 50", "records"),
    Figure("ghinita-24", "Figure 24: CENSUS, 100,000 records, k = 50", "columns"),
)


def told(lines: list[Line]) -> None:
    """Where the new default does not lose least, and where Hilbert loses more than Mondrian."""
    cells: dict[tuple[str, int, int, int], dict[str, float]] = {}
    for line in lines:
        cell = cells.setdefault((line.figure, line.records, line.columns, line.k), {})
        cell[line.search] = line.gcp
    above = [cell for cell, gcp in cells.items() if gcp[OURS] > min(gcp.values())]
    print(f"{OURS} loses least in {len(cells) - len(above)} of {len(cells)} cells; not in {above}")
    for name in (REFERENCE, "mondrian, strict", "top-down"):
        wins = [cell for cell, gcp in cells.items() if gcp["hilbert"] < gcp[name]]
        print(f"hilbert loses less than {name} in {len(wins)} of {len(cells)}: {wins}")


def main() -> None:
    small = made_tables.problem(2_000, (78, 2, 9, 6, 83, 17, 50), 50)
    for search in SEARCHES.values():
        search.run(small, Watch())
    if "--growth" in sys.argv[1:]:
        growth()
        return
    lines = [*adult(), *census()]
    if lines:
        told(lines)
        write("ghinita-7.1", lines)
    for figure in FIGURES:
        shown = [line for line in lines if line.figure == figure.name.removeprefix("ghinita-")]
        if shown:
            print(f"drawn: {draw(figure, shown).name}")


if __name__ == "__main__":
    main()
