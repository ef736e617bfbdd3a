"""Full-domain search: seconds, memory and nodes counted, on Adult, Cup and others.

Two references in the same run. `exhaustive` counts every node from the rows: it is timed on nodes
spread over the lattice and extrapolated. The *plain best-first* search counts, in the order of
their mean cost, all nodes that could lose less than the optimum, each from the rows, and is stopped
after a second and extrapolated; it exists for losses that are means of cells. Adult's file of
countries spells one region in two ways: "as filed" it stays so, otherwise it is made one, as in the
published optima. ARX's seconds are constants, measured elsewhere (ARX 3.9.2, warm, two cores).
"""

import gzip
import sys
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks import _made_tables as made_tables
from incrowd.hierarchy.suggestion import Suggested
from incrowd.loss import Discernibility, Gcp, Granularity, Precision
from incrowd.loss.loss import Loss
from incrowd.models import KAnonymity, LDiversity, TCloseness
from incrowd.models.model import Model
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.search.lattice import lattice as best_first
from incrowd.search.lattice.full_domain import allowed_levels, recode
from incrowd.search.lattice.lattice import Lattice
from incrowd.table.encode import align, encode
from incrowd.table.fold import fold
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
ENOUGH = 1.0
LONGEST = 10.0
ONE = {"spelling": arx_tables.ONE_EUROPE}
NIST = Path(arx_tables.FOLDER).parent / "nist-acs" / "national2019.csv.gz"
WIDE = (1000, 64, 300, 4, 16, 64, 2, 256, 30, 80, 1000, 17, 5, 3, 300, 64, 9, 16, 41, 14)


def published() -> Iterator[tuple[str, Problem]]:
    """The problems that ARX's seconds are known of."""
    for table, title, spelling in (
        ("adult", "adult9", ONE),
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
        hidden = {"sensitive": ("occupation",)}
        yield title, arx_tables.problem("adult", models, Granularity(), 0.05, **ONE, **hidden)
    yield "adult9 1.2 million 5 %", bootstrapped(1_200_000)


def bootstrapped(records: int) -> Problem:
    """Adult with so many records drawn from it, one cell in a hundred from another record.

    Without the latter every record would have forty copies, and nothing need be generalized.
    """
    problem = arx_tables.problem("adult", [KAnonymity(5)], Granularity(), 0.05, **ONE)
    rng = np.random.default_rng(1)
    rows = problem.tally.row_of[rng.integers(0, problem.tally.records, records)]
    codes = []
    for column in problem.tally.quasi:
        others = rng.permutation(rows)
        codes.append(column[np.where(rng.random(records) < 0.01, others, rows)])
    columns = tuple(
        replace(column, frequency=np.bincount(drawn, minlength=len(column.frequency)))
        for column, drawn in zip(problem.columns, codes, strict=True)
    )
    return replace(problem, tally=fold(codes, ()), columns=columns)


def suggested() -> Problem:
    """Survey records with the hierarchies that are suggested for their columns."""
    with gzip.open(NIST) as file:
        frame = pl.read_csv(file, infer_schema_length=0)
    names = [
        "AGEP",
        "SEX",
        "MSP",
        "RAC1P",
        "EDU",
        "HOUSING_TYPE",
        "INDP_CAT",
        "PINCP_DECILE",
        "NPF",
    ]
    columns, codes = [], []
    for name in names:
        coded = encode(frame[name], name)
        tree = Suggested().build(coded.domain, name)
        codes.append(align(coded, tree.leaves).codes)
        held = np.bincount(codes[-1], minlength=len(tree.leaves) + 1)
        columns.append(QuasiColumn(name, tree, held))
    return Problem(fold(codes, ()), tuple(columns), (), (KAnonymity(5),), Gcp(), 0.05)


def nodes_of(problem: Problem) -> list[tuple[int, ...]]:
    return list(product(*(allowed_levels(column) for column in problem.columns)))


def exhaustive(problem: Problem) -> float:
    """Seconds that it would take to look at every node, from nodes spread over the lattice."""
    nodes = nodes_of(problem)
    order = np.random.default_rng(0).permutation(len(nodes))
    start, done = time.perf_counter(), 0
    while done < len(nodes) and time.perf_counter() - start < ENOUGH / 2:
        recoding = recode(problem, nodes[order[done]])
        if recoding is not None:
            problem.loss.of(problem.outcome(recoding))
        done += 1
    return (time.perf_counter() - start) * len(nodes) / done


def plain_best_first(problem: Problem, best: float) -> float | None:
    """Seconds of the plain search, None if the loss is not a mean of cells."""
    costs = [problem.loss.cell_costs(column) for column in problem.columns]
    means = [
        cost @ column.frequency / problem.tally.records / len(costs)
        for cost, column in zip(costs, problem.columns, strict=True)
        if cost is not None
    ]
    if len(means) < len(costs):
        return None
    nodes = nodes_of(problem)
    limits = np.array([sum(m[h] for m, h in zip(means, node, strict=True)) for node in nodes])
    needed = int((limits < best).sum())
    start, done = time.perf_counter(), 0
    for place in np.argsort(limits, kind="stable")[:needed]:
        recode(problem, nodes[place])
        done += 1
        if time.perf_counter() - start > ENOUGH:
            break
    return (time.perf_counter() - start) * needed / max(done, 1)


def report(title: str, problem: Problem) -> None:
    Lattice().run(problem, Watch(LONGEST))
    start, busy = time.perf_counter(), time.process_time()
    found = Lattice().run(problem, Watch(LONGEST))
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    tracemalloc.start()
    Lattice().run(problem, Watch(LONGEST))
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    loss = problem.loss.of(problem.outcome(found.recoding))
    line = f"{title:23} {seconds:7.3f} s ({busy:6.3f} CPU)  loss {loss:.6f}"
    line += f"  {found.facts['examined']:6.0f} of {found.facts['nodes']:6.0f} nodes"
    line += f"  peak {peak:4.0f} MB  exhaustive / this {exhaustive(problem) / seconds:8.0f}"
    plain = plain_best_first(problem, loss)
    line += "" if plain is None else f"  plain best-first / this {plain / seconds:6.1f}"
    if title in ARX_SECONDS:
        arx = ARX_SECONDS[title]
        line += f"  ARX (constant {arx} s) / this {arx / seconds:5.1f}"
    print(line, flush=True)


def many() -> None:
    """All of table, models, k, loss and suppression, a line each for the four k."""
    print("\nseconds and nodes for k = 2, 5, 10, 25; * = stopped by the time limit")
    alone: list[Model] = []
    diverse: list[Model] = [LDiversity("occupation", 3, kind="distinct")]
    close: list[Model] = [TCloseness("occupation", 0.4)]
    asked = [("adult", alone), ("cup", alone), ("adult", diverse), ("adult", close)]
    losses: tuple[Loss, ...] = (Gcp(), Precision(), Discernibility())
    for (table, models), suppression, loss in product(asked, (0.0, 0.05), losses):
        hidden = {"sensitive": ("occupation",)} if models else {}
        problem = arx_tables.problem(table, [], loss, suppression, **ONE, **hidden)
        cells = [
            measured(replace(problem, models=(KAnonymity(k), *models))) for k in (2, 5, 10, 25)
        ]
        slow = exhaustive(replace(problem, models=(KAnonymity(5), *models)))
        name = f"{table} {''.join(m.name for m in models)} {loss.name} {suppression:.0%}"
        ratio = slow / cells[1][0]
        text = "  ".join(f"{s:6.3f} s {n:5.0f}{star}" for s, n, star in cells)
        print(f"{name:36} {text}  exhaustive / this (k = 5) {ratio:7.0f}", flush=True)


def measured(problem: Problem) -> tuple[float, float, str]:
    start = time.perf_counter()
    found = Lattice().run(problem, Watch(LONGEST / 5))
    star = " " if found.optimal else "*"
    return time.perf_counter() - start, found.facts["examined"], star


def folded() -> None:
    """Ten million records cost the search what their distinct rows cost."""
    made = replace(made_tables.problem(510_000, (400, 78, 16, 41, 14, 30), 20), suppression=0.05)
    times = np.random.default_rng(1).multinomial(
        10_000_000 - made.tally.rows, np.full(made.tally.rows, 1 / made.tally.rows)
    )
    counts = (1 + times).astype(np.int64)
    columns = tuple(
        replace(column, frequency=np.bincount(codes, counts).astype(np.int64))
        for column, codes in zip(made.columns, made.tally.quasi, strict=True)
    )
    ten = replace(made, tally=replace(made.tally, counts=counts, people=counts), columns=columns)
    ten = replace(ten, models=(KAnonymity(400),))
    for problem in (made, ten, made, ten):
        start = time.perf_counter()
        found = Lattice().run(problem, Watch())
        seconds = (time.perf_counter() - start) / found.facts["examined"]
        rows, records = problem.tally.rows, problem.tally.records
        print(f"{records:10,} records, {rows:7,} distinct: {1000 * seconds:6.2f} ms a node")


def anytime() -> None:
    """Lattices too large to hold: branch and bound beside local search."""
    print("\nranges instead of a grid, against the optimum that is known")
    largest, best_first.LARGEST_GRID = best_first.LARGEST_GRID, 0
    for table, suppression in product(("adult", "cup"), (0.0, 0.05)):
        problem = arx_tables.problem(table, [KAnonymity(5)], Granularity(), suppression, **ONE)
        print(f"{table} {suppression:.0%}: {stopped(problem, 5.0)}", flush=True)
    best_first.LARGEST_GRID = largest


def wide() -> None:
    made = made_tables.problem(30_000, WIDE, 5)
    for suppression, seconds in product((0.0, 0.05), (5.0, 10.0)):
        line = stopped(replace(made, suppression=suppression), seconds)
        print(f"20 columns, {suppression:.0%} suppressed: {line}", flush=True)


def stopped(problem: Problem, limit: float) -> str:
    start = time.perf_counter()
    found = Lattice().run(problem, Watch(limit))
    seconds = time.perf_counter() - start
    loss = problem.loss.of(problem.outcome(found.recoding))
    bound = loss if found.optimal else found.facts["bound"]
    nodes, examined = found.facts["nodes"], found.facts["examined"]
    said = "proved" if found.optimal else f"at least {bound:.6f}"
    return f"{seconds:6.2f} s, {examined:,.0f} of {nodes:,.0f} nodes, loss {loss:.6f}, {said}"


def growth() -> None:
    sizes = (78, 2, 9, 16, 41, 14)
    for rows, k in ((10_000, 5), (100_000, 5), (100_000, 50)):
        problem = made_tables.problem(rows, sizes, k)
        start = time.perf_counter()
        found = Lattice().run(replace(problem, suppression=0.05), Watch())
        seconds = time.perf_counter() - start
        print(f"made up {rows:9,} records, k = {k:3}: {seconds:6.3f} s, {found.why}")


def main() -> None:
    if arx_tables.FOLDER.exists():
        for title, problem in published():
            report(title, problem)
        many()
        anytime()
    else:
        print("the folder ../shared/data/arx is absent: made-up tables instead of Adult and Cup")
        made = replace(made_tables.problem(30_000, (78, 2, 9, 16, 41, 14), 5), loss=Granularity())
        report("made", made)
        report("made 5 %", replace(made, suppression=0.05))
    if NIST.exists():
        report("survey, suggested 5 %", suggested())
    growth()
    folded()
    wide()


if __name__ == "__main__":
    main()
