"""Crowd against relaxed Mondrian and the tree's order with its best division, in the same run.

GCP and seconds (the best of three warm runs) on Adult and census tables beside the project, or on a
made-up one if they are absent, and the share of each part of crowd: the starts, and what records
that moved, classes that dissolved, pairs and triples of classes that shared anew have saved.
Seconds depend on what else the machine does: compare within one run.
"""

import gzip
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks import _made_tables as made_tables
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.search.crowd.crowd import Crowd
from incrowd.search.mondrian import Mondrian
from incrowd.search.orders.tree import TreeSearch
from incrowd.search.search import Search
from incrowd.table.column import Domain, Kind
from incrowd.table.fold import fold
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import arx_tables

CENSUS = arx_tables.FOLDER.parent / "census-sal"
SEARCHES: tuple[Search, ...] = (Mondrian(relaxed=True), TreeSearch(), Crowd(effort=0), Crowd())


def compare(title: str, problem: Problem) -> None:
    """One line per search, and one for the parts of crowd."""
    records = problem.tally.records
    for search in SEARCHES:
        seconds = []
        found = search.run(problem, Watch())
        for _ in range(3):
            start = time.perf_counter()
            found = search.run(problem, Watch())
            seconds.append(time.perf_counter() - start)
        loss = problem.loss.of(problem.outcome(found.recoding))
        name = "crowd, no sweep" if search == Crowd(effort=0) else search.name
        print(f"{title:16} {name:16} GCP {loss:.5f}  {min(seconds):6.2f} s")
    parts = {name: value for name, value in found.facts.items() if name[:5] in {"start", "saved"}}
    print(f"{title:16} {records:,} records: ", end="")
    print(", ".join(f"{name} {value:.5f}" for name, value in parts.items()))


def census(k: int) -> Problem:
    """The census table with the hierarchies of its folder."""
    with gzip.open(CENSUS / "sal500k.txt.gz") as file:
        cells = np.array(file.read().split(), dtype=np.int32).reshape(-1, 8)
    bounds = [line.split() for line in (CENSUS / "domains.txt").read_text().splitlines() if line]
    files = [line for line in (CENSUS / "hiers.txt").read_text().split() if line]
    codes, columns = [], []
    for j in range(7):
        low, high = (int(end) for end in bounds[j])
        tree = hierarchy(files[j], low, high - low + 1)
        codes.append(np.ascontiguousarray(cells[:, j] - low + 1))
        frequency = np.bincount(codes[-1], minlength=high - low + 2)
        columns.append(QuasiColumn(f"column {j + 1}", tree, frequency))
    return Problem(fold(codes, ()), tuple(columns), (), (KAnonymity(k),), Gcp())


def hierarchy(file: str, low: int, size: int) -> Hierarchy:
    """Numbers in their order, or the levels of a file: nodes as first and last leaf."""
    maps = [np.arange(size + 1)]
    numbers = [] if file == "*" else [int(n) for n in (CENSUS / file).read_text().split()][1:]
    while numbers:
        number, numbers = numbers[0], numbers[1:]
        ends = np.array(numbers[: 2 * number]).reshape(-1, 2) - low + 1
        numbers = numbers[2 * number :]
        maps.append(np.concatenate([[0], np.searchsorted(ends[:, 1], np.arange(1, size + 1)) + 1]))
    maps = [nodes for nodes in maps if nodes.max() > 1 and not (nodes == maps[0]).all()]
    maps = [np.arange(size + 1), *maps, np.ones(size + 1, dtype=np.int64)]
    labels = tuple(np.array([f"{h}:{i}" for i in range(int(m.max()))]) for h, m in enumerate(maps))
    ordered = file == "*"
    values = np.arange(size) if ordered else labels[0].astype(object)
    domain = Domain(Kind.NUMBER if ordered else Kind.TEXT, values)
    texts = tuple(names.astype(object) for names in labels)
    return Hierarchy(domain, np.array(maps, dtype=np.int32), texts, ordered)


def main() -> None:
    if arx_tables.FOLDER.exists():
        for k in (5, 10, 50):
            compare(f"adult9 k = {k}", arx_tables.problem("adult", [KAnonymity(k)], Gcp()))
    if CENSUS.exists():
        for k in (10, 50):
            compare(f"census k = {k}", census(k))
    compare("made up k = 10", made_tables.problem(30_000, (78, 2, 9, 6, 83, 17, 50), 10))


if __name__ == "__main__":
    main()
