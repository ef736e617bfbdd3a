"""Auto against every search that it could have run, table by table and model by model.

Each line is a cell: the loss and seconds of `auto`, the best of all other searches with its name,
the ratio of the two losses, and the figure of a peer where one was measured on the same work. The
last line says how many cells `auto` loses by more than a hundredth. Seconds are those of one run
after all kernels are compiled; compare them within one run only.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np

from benchmarks import _made_tables as made_tables
from benchmarks import crowd as census_table
from incrowd.errors import IncrowdError
from incrowd.loss import Gcp
from incrowd.models import AlphaK, KAnonymity, LDiversity, Model, TCloseness
from incrowd.partition.classes import SensitiveColumn
from incrowd.problem import Problem
from incrowd.search.auto import Auto
from incrowd.search.crowd.crowd import Crowd
from incrowd.search.lattice.lattice import Lattice
from incrowd.search.literature.datafly import Datafly
from incrowd.search.literature.diversify.diversify import Diversify
from incrowd.search.literature.hilbert import Hilbert
from incrowd.search.literature.idistance import IDistance
from incrowd.search.literature.top_down import TopDown
from incrowd.search.mondrian import Mondrian
from incrowd.search.orders.tree import TreeSearch
from incrowd.search.search import Search
from incrowd.table.fold import fold
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import arx_tables

SEARCHES: tuple[tuple[str, Search], ...] = (
    ("crowd", Crowd()),
    ("mondrian", Mondrian()),
    ("relaxed mondrian", Mondrian(relaxed=True)),
    ("tree", TreeSearch()),
    ("hilbert", Hilbert()),
    ("idistance", IDistance()),
    ("diversify kd-tree", Diversify()),
    ("diversify hilbert", Diversify(mapping="hilbert")),
    ("diversify idistance", Diversify(mapping="idistance")),
    ("top-down", TopDown()),
    ("datafly", Datafly()),
    ("lattice", Lattice()),
)
PEERS = {
    ("adult", "k 5"): ("ARX", 0.0669),
    ("adult", "k 10"): ("ARX", 0.0929),
    ("adult", "k 50"): ("ARX", 0.1691),
    ("cup", "k 5"): ("ARX", 0.0711),
    ("cup", "k 50"): ("ARX", 0.1414),
}
"""GCP of ARX's local recoding with the same hierarchies, k-anonymity and no suppression."""
_LIMIT = 60.0
_SLACK = 1.01


Cell: TypeAlias = tuple[str, str, Callable[[], Problem]]


def cells(words: Sequence[str]) -> Iterator[tuple[str, str, Problem]]:
    """Table, models and problem of each cell whose table or models hold one of the words."""
    for table, models, problem in _all():
        if not words or any(word in f"{table} {models}" for word in words):
            yield table, models, problem()


def _all() -> Iterator[Cell]:
    for l in (3, 7, 9):
        models = (LDiversity("s", l),)
        yield "made up 2", _told(models), partial(made_up, 5_000, (100, 100), 12, models)
    for models in _models("s"):
        yield "made up 5", _told(models), partial(made_up, 8_000, (60, 9, 4, 30, 7), 20, models)
    if arx_tables.FOLDER.exists():
        for name in ("adult", "cup"):
            for k in (2, 5, 10, 50):
                yield name, f"k {k}", partial(arx_tables.problem, name, [KAnonymity(k)], Gcp())
        for models in _models("occupation"):
            given = {"sensitive": ["occupation"]}
            yield (
                "adult",
                _told(models),
                partial(arx_tables.problem, "adult", list(models), Gcp(), **given),
            )
    if census_table.CENSUS.exists():
        for k in (10, 50):
            yield "census", f"k {k}", partial(census_table.census, k)


def _models(column: str) -> list[tuple[Model, ...]]:
    return [
        (LDiversity(column, 2),),
        (LDiversity(column, 4),),
        (KAnonymity(10), LDiversity(column, 3)),
        (LDiversity(column, 3, kind="entropy"),),
        (KAnonymity(5), TCloseness(column, 0.4)),
        (AlphaK(column, 0.4, 8),),
    ]


def _told(models: tuple[Model, ...]) -> str:
    return ", ".join(f"{model.name[:1]} {model.threshold:g}" for model in models)


def made_up(rows: int, sizes: tuple[int, ...], values: int, models: tuple[Model, ...]) -> Problem:
    """A made-up table with a sensitive column whose values are unevenly common."""
    rng = np.random.default_rng(5)
    secret = (rng.beta(1.0, 1.2, rows) * values).astype(np.int32) + 1
    codes = [(rng.beta(1.2, 3, rows) * n).astype(np.int32) + 1 for n in sizes]
    columns = made_tables.problem(rows, sizes, 2).columns
    column = SensitiveColumn("s", np.bincount(secret, minlength=values + 1), ordered=True)
    counted = [
        replace(c, frequency=np.bincount(code, minlength=len(c.frequency)))
        for c, code in zip(columns, codes, strict=True)
    ]
    return Problem(fold(codes, (secret,)), tuple(counted), (column,), models, Gcp())


def run(problem: Problem, search: Search) -> tuple[float, float] | None:
    """Loss and seconds; None if it finds nothing."""
    start = time.perf_counter()
    try:
        found = search.run(problem, Watch(_LIMIT))
    except IncrowdError:
        return None
    outcome = problem.outcome(found.recoding)
    if not problem.satisfied_by(outcome.classes).all() or outcome.suppressed > problem.suppressible:
        return None
    return problem.loss.of(outcome), time.perf_counter() - start


def main(words: Sequence[str] = ()) -> None:
    print(f"{'table':10} {'models':16} {'auto':>8} {'s':>6} {'best other':>28} {'ratio':>6}  peer")
    worse, number = 0, 0
    for table, model, problem in cells(words):
        run(problem, Auto(effort=0.0))
        mine = run(problem, Auto())
        others = [(found, title) for title, s in SEARCHES if (found := run(problem, s))]
        if mine is None or not others:
            print(f"{table:10} {model:16} nothing found")
            continue
        (loss, _), title = min(others)
        ratio = mine[0] / loss if loss else 1.0
        worse, number = worse + (ratio > _SLACK), number + 1
        peer = PEERS.get((table, model))
        told = f"{peer[0]} {peer[1]:.4f}, ratio {mine[0] / peer[1]:.2f}" if peer else ""
        print(
            f"{table:10} {model:16} {mine[0]:8.4f} {mine[1]:6.2f} {title:>19} {loss:8.4f} "
            f"{ratio:6.3f}  {told}",
            flush=True,
        )
    print(f"auto loses more than {_SLACK:g} times the best in {worse} of {number} cells")


if __name__ == "__main__":
    main(sys.argv[1:])
