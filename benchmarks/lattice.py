"""Full-domain search on Adult and Cup: seconds, memory, nodes counted.

The reference of the same run is a plain best-first search: all nodes in the order of their mean
cost, each counted from the rows. It is stopped after two seconds and what it had still to count
is added at the same speed. Adult's file of countries spells one region in two ways: "as filed" it
stays so, otherwise it is made one, as in the published optima. ARX's seconds are constants,
measured elsewhere (ARX 3.9.2, warm, two cores).
"""

import sys
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks import _made_tables as made_tables
from incrowd.loss import Granularity
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.problem import Problem
from incrowd.search.full_domain import recode
from incrowd.search.lattice import Lattice
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import arx_tables

ARX_SECONDS = {
    "adult9": 0.06,
    "adult9 5 %": 1.1,
    "cup8": 0.17,
    "cup8 5 %": 7.2,
    "adult8 l = 3 5 %": 0.53,
    "adult8 t = 0.2 5 %": 1.3,
}
ENOUGH = 2.0


def problems() -> Iterator[tuple[str, Problem]]:
    if not arx_tables.FOLDER.exists():
        print("the folder ../shared/data/arx is absent: made-up tables instead of Adult and Cup")
        made = replace(made_tables.problem(30_000, (78, 2, 9, 16, 41, 14), 5), loss=Granularity())
        yield "made", made
        yield "made 5 %", replace(made, suppression=0.05)
        return
    one, occupation = {"spelling": arx_tables.ONE_EUROPE}, {"sensitive": ("occupation",)}
    for table, title, spelling in (
        ("adult", "adult9", one),
        ("adult", "adult9 as filed", {}),
        ("cup", "cup8", {}),
    ):
        problem = arx_tables.problem(table, [KAnonymity(5)], Granularity(), **spelling)
        yield title, problem
        yield f"{title} 5 %", replace(problem, suppression=0.05)
    for title, model in (
        ("adult8 l = 3 5 %", LDiversity("occupation", 3, kind="distinct")),
        ("adult8 t = 0.2 5 %", TCloseness("occupation", 0.2)),
    ):
        models = [KAnonymity(5), model]
        yield title, arx_tables.problem("adult", models, Granularity(), 0.05, **one, **occupation)


def plain_best_first(problem: Problem) -> float:
    """Seconds of the reference, extrapolated if it takes too long."""
    costs = [problem.loss.cell_costs(column) for column in problem.columns]
    means = [
        cost @ column.frequency / problem.tally.records / len(costs)
        for cost, column in zip(costs, problem.columns, strict=True)
        if cost is not None
    ]
    nodes = list(product(*(range(len(mean)) for mean in means)))
    limits = np.array([sum(m[h] for m, h in zip(means, node, strict=True)) for node in nodes])
    best = problem.loss.of(problem.outcome(Lattice().run(problem, Watch()).recoding))
    needed = int((limits < best).sum())
    start, done = time.perf_counter(), 0
    for place in np.argsort(limits, kind="stable")[:needed]:
        recode(problem, nodes[place])
        done += 1
        if time.perf_counter() - start > ENOUGH:
            break
    return (time.perf_counter() - start) * needed / max(done, 1)


def report(title: str, problem: Problem) -> None:
    found = Lattice().run(problem, Watch())
    start, busy = time.perf_counter(), time.process_time()
    found = Lattice().run(problem, Watch())
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    tracemalloc.start()
    Lattice().run(problem, Watch())
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    loss = problem.loss.of(problem.outcome(found.recoding))
    line = f"{title:19} {seconds:7.3f} s ({busy:6.3f} CPU)  loss {loss:.6f}"
    line += f"  {found.facts['examined']:6.0f} of {found.facts['nodes']:6.0f} nodes"
    line += f"  peak {peak:5.0f} MB"
    line += f"  plain best-first / this {plain_best_first(problem) / seconds:7.1f}"
    if title in ARX_SECONDS:
        line += (
            f"  ARX (constant {ARX_SECONDS[title]} s) / this {ARX_SECONDS[title] / seconds:5.1f}"
        )
    print(line)


def growth() -> None:
    sizes = (78, 2, 9, 16, 41, 14)
    for rows, k in ((10_000, 5), (100_000, 5), (100_000, 50)):
        problem = made_tables.problem(rows, sizes, k)
        start = time.perf_counter()
        found = Lattice().run(replace(problem, suppression=0.05), Watch())
        seconds = time.perf_counter() - start
        print(f"made up {rows:9,} records, k = {k:3}: {seconds:6.3f} s, {found.why}")


def main() -> None:
    for title, problem in problems():
        report(title, problem)
    growth()


if __name__ == "__main__":
    main()
