"""l-diversity and its dual on census tables: loss, privacy and seconds against Mondrian.

The reference of the same run is the l-diverse relaxed Mondrian; for the dual problem Ghinita's
IPCSD over Mondrian and over the direct heuristic. Each time is the best of two warm runs. Name
parts to run them alone: `python -m benchmarks.diversity by_l by_records by_bound`.
"""

import gzip
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from incrowd.classes import SensitiveColumn
from incrowd.errors import InfeasibleError
from incrowd.loss import Gcp
from incrowd.models import KAnonymity, LDiversity
from incrowd.problem import Problem
from incrowd.search import Accuracy, Diversify, Mondrian
from incrowd.search.search import Found, Search
from incrowd.table.fold import fold
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import census_tables

OCCUPATION = census_tables.FOLDER.parent / "census-occ" / "census100k.gz"


def salary(records: int, l: float, columns: int = 7) -> Problem:
    """Records of the table with salary classes."""
    models = [LDiversity("salary", l)]
    return census_tables.problem(models, Gcp(), records, columns, sensitive=True)


def occupation(l: float) -> Problem:
    """The 100,000 records with occupations; the same columns and hierarchies."""
    like = salary(1_000, l)
    with gzip.open(OCCUPATION) as file:
        cells = np.array(file.read().replace(b",", b" ").split(), dtype=np.int32).reshape(-1, 8)
    first = np.array([16, 1, 1, 1, 1, 1, 1, 0], dtype=np.int32)
    codes = np.ascontiguousarray((cells - first + 1).T)
    columns = tuple(
        replace(column, frequency=np.bincount(held, minlength=len(column.frequency)))
        for column, held in zip(like.columns, codes, strict=False)
    )
    held = (SensitiveColumn("salary", np.bincount(codes[7], minlength=51)),)
    tally = fold(list(codes[:7]), [codes[7]])
    return replace(like, tally=tally, columns=columns, sensitive=held)


def timed(search: Search, problem: Problem) -> tuple[float, float]:
    """Seconds of the better of two runs, and the loss."""
    seconds, found = min((_once(search, problem) for _ in range(2)), key=lambda pair: pair[0])
    return seconds, problem.loss.of(problem.outcome(found.recoding))


def _once(search: Search, problem: Problem) -> tuple[float, Found]:
    start = time.perf_counter()
    found = search.run(problem, Watch())
    return time.perf_counter() - start, found


def compared(name: str, problem: Problem) -> None:
    """One line: Mondrian, the paper's heuristic, and ours."""
    slow, lost = timed(Mondrian(relaxed=True), problem)
    paper, paper_loss = timed(Diversify(mapping="hilbert", rounds=0), problem)
    ours, loss = timed(Diversify(), problem)
    print(
        f"{name}: Mondrian {lost:.4f} {slow:5.2f} s   Hilbert, no swaps {paper_loss:.4f} "
        f"{paper:5.2f} s   this {loss:.4f} {ours:5.2f} s   loss / Mondrian's {loss / lost:.2f}, "
        f"seconds / Mondrian's {ours / slow:.2f}",
        flush=True,
    )


def by_l() -> None:
    """The loss for l from 2 to 13."""
    for l in range(2, 14):
        compared(f"salary 500,000 x 7, l = {l:2}", salary(500_000, l))
    if OCCUPATION.exists():
        for l in (2, 5, 10, 13):
            compared(f"occupation 100,000 x 7, l = {l:2}", occupation(l))


def by_records() -> None:
    """The loss for tables of different sizes."""
    for records in (50_000, 100_000, 200_000, 400_000, 500_000):
        compared(f"salary {records:7,} x 7, l = 10", salary(records, 10))


def by_bound() -> None:
    """The privacy for a given accuracy."""
    for columns, records, bounds in (
        (3, 100_000, (0.1, 0.2, 0.3, 0.4, 0.6)),
        (7, 50_000, (0.5, 0.6)),
    ):
        problem = replace(salary(records, 1, columns), models=(KAnonymity(2),))
        for bound in bounds:
            said = [_dual(problem, bound, m) for m in ("ac", "ipcsd-mondrian", "ipcsd-direct")]
            print(f"salary {records:,} x {columns}, E = {bound}: {'   '.join(said)}", flush=True)


def _dual(problem: Problem, bound: float, method: str) -> str:
    search = Accuracy(max_loss=bound, privacy="l", method=method)
    start = time.perf_counter()
    try:
        reached = f"l = {search.run(problem, Watch()).facts['l']:6.3f}"
    except InfeasibleError:
        reached = "nothing   "
    return f"{method} {reached} {time.perf_counter() - start:5.2f} s"


PARTS: dict[str, Callable[[], None]] = {
    "by_l": by_l,
    "by_records": by_records,
    "by_bound": by_bound,
}


def main() -> None:
    if not census_tables.FOLDER.exists():
        print("the folder ../shared/data/census-sal is absent: nothing is measured")
        return
    warm = salary(2_000, 2)
    for search in (Mondrian(relaxed=True), Diversify(), Diversify(mapping="hilbert")):
        search.run(warm, Watch())
    for name in sys.argv[1:] if set(sys.argv[1:]) <= set(PARTS) and sys.argv[1:] else PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
