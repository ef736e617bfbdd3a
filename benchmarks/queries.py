"""Query precision as in Ghinita Section 7.4: divergence of counts by l, by level and by columns.

The table is ../shared/data/census-sal (the paper's CENSUS), salary its sensitive column. Each
search makes its classes once; they are published generalized and permuted (Figures 35 and 36).
Ratios are against Anatomy of the same run. Seconds are those of measuring one release.

    python -m benchmarks.queries [records]
"""

import sys
import time
from pathlib import Path

from incrowd.loss import Gcp, Queries
from incrowd.models import LDiversity
from incrowd.recoding import Anatomy as Permuted
from incrowd.recoding import Outcome
from incrowd.search import Anatomy, Diversify, Mondrian, Search
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import census_tables

SEARCHES: dict[str, Search] = {
    "anatomy": Anatomy(),
    "mondrian": Mondrian(relaxed=True),
    "hilbert": Diversify(mapping="hilbert", rounds=0),
    "diversify": Diversify(),
}


def outcomes(l: int, records: int, columns: int) -> dict[str, Outcome]:
    """What every search shows, generalized and permuted."""
    problem = census_tables.problem(
        [LDiversity("salary", l)], Gcp(), records, columns, sensitive=True
    )
    found: dict[str, Outcome] = {}
    for name, search in SEARCHES.items():
        recoding = search.run(problem, Watch()).recoding
        if recoding.kind != "anatomy":
            found[name] = problem.outcome(recoding)
        title = name if recoding.kind == "anatomy" else f"perm-{name}"
        found[title] = problem.outcome(Permuted(recoding.pieces))
    return found


def line(l: int, records: int, columns: int, level: int) -> None:
    print(f"l = {l}, {records:,} x {columns}, level {level}")
    reference = 0.0
    for name, outcome in outcomes(l, records, columns).items():
        start = time.perf_counter()
        kl = Queries("salary", level).of(outcome)
        seconds = time.perf_counter() - start
        reference = reference or kl
        print(f"  {name:15} KL {kl:.5f} ({kl / reference:6.2f} x)  {seconds:6.2f} s", flush=True)


def main() -> None:
    if not census_tables.FOLDER.exists():
        print(f"{census_tables.ABSENT}: nothing to measure")
        return
    records = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
    for l in (2, 4, 6, 8, 10):
        line(l, records, 7, 2)
    for level in (1, 3):
        line(10, records, 7, level)
    for columns in (3, 5):
        line(10, records, columns, 2)


if __name__ == "__main__":
    main()
