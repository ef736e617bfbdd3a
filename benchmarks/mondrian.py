"""Mondrian on Adult and made-up tables: seconds, loss, memory, growth with records and k.

The reference of the same run is the plain recursion of tests/naive/mondrian.py on the first 2,000
rows. The literature's median cut runs beside.
"""

import sys
import time
import tracemalloc
from pathlib import Path

from benchmarks import _made_tables as made_tables
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.problem import Problem
from incrowd.search.mondrian import CUTS, Cut, Mondrian
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import arx_tables
import naive.mondrian


def timed(problem: Problem, *, relaxed: bool, cut: Cut = "balanced") -> tuple[float, float]:
    """Seconds and loss of a warm run."""
    search = Mondrian(relaxed=relaxed, cut=cut)
    search.run(problem, Watch())
    start = time.perf_counter()
    found = search.run(problem, Watch())
    seconds = time.perf_counter() - start
    return seconds, problem.loss.of(problem.outcome(found.recoding))


def peak(problem: Problem) -> float:
    tracemalloc.start()
    Mondrian(relaxed=True).run(problem, Watch())
    size = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return size


def adult() -> None:
    if not arx_tables.FOLDER.exists():
        print("the folder ../shared/data/arx is absent: Adult is left out")
        return
    for k in (5, 10, 50):
        problem = arx_tables.problem("adult", [KAnonymity(k)], Gcp())
        for relaxed in (False, True):
            seconds, loss = timed(problem, relaxed=relaxed)
            _, median = timed(problem, relaxed=relaxed, cut="median")
            kind = "relaxed" if relaxed else "strict"
            print(
                f"adult9 k = {k:2} {kind:7} {seconds:6.3f} s  GCP {loss:.4f}"
                f"  median cuts {median:.4f} / this {median / loss:4.1f}"
            )


def against_recursion() -> None:
    problem = made_tables.problem(2_000, (78, 2, 9, 6, 83), 5)
    tally = problem.tally
    records = list(zip(tally.quasi.T.tolist(), tally.counts.tolist(), strict=True))
    columns = [(c.hierarchy, c.weight, c.range) for c in problem.columns]
    start = time.perf_counter()
    naive.mondrian.partition(records, columns, lambda *_: True, k=5, relaxed=False, cuts=CUTS)
    slow = time.perf_counter() - start
    fast, _ = timed(problem, relaxed=False)
    print(f"2,000 records: plain recursion / this {slow / fast:7.0f}")


def growth() -> None:
    sizes = (78, 2, 9, 6, 83, 17, 50)
    for rows, k in ((50_000, 10), (500_000, 10), (500_000, 50)):
        problem = made_tables.problem(rows, sizes, k)
        seconds, loss = timed(problem, relaxed=True)
        size = peak(problem)
        rate = rows / seconds / 1e6
        print(
            f"made up {rows:9,} x {len(sizes)}, k = {k:3}: {seconds:6.3f} s"
            f" ({rate:.2f} million records/s)  GCP {loss:.4f}  peak {size:4.0f} MB"
        )


def main() -> None:
    adult()
    against_recursion()
    growth()


if __name__ == "__main__":
    main()
