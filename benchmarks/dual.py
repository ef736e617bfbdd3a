"""The most privacy within a bound: all ways together against each of them alone.

Cells are tables, bounds, k or l, with and without records that may be left out, people with several
records, and consistent recoding. Each line has the privacy of AC along each mapping, of plain scans
with the searches crowd and diversify, and of all ways (`best`), which is never below any of them,
its loss, and its seconds. Then the seconds of whole curves over those of their slowest point. The
table is ../shared/data/census-sal.

    python -m benchmarks.dual
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks._timed import once
from incrowd.errors import InfeasibleError
from incrowd.loss import Gcp
from incrowd.models import KAnonymity
from incrowd.problem import Problem
from incrowd.search import Accuracy, Crowd, Diversify
from incrowd.search.literature.accuracy import scan
from incrowd.search.literature.accuracy.answers import SLACK, BoundedProblem
from incrowd.search.literature.accuracy.frontier import BOUNDS, frontier
from incrowd.search.literature.accuracy.portfolio import MAPPINGS
from incrowd.search.search import Found
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import census_tables

SIZES = ((3_000, 2), (10_000, 3), (10_000, 5))
ASKED = (0.2, 0.4, 0.6)


@dataclass(frozen=True)
class Cell:
    """A table, and what may be done to it."""

    title: str
    problem: Problem


def cells() -> list[Cell]:
    """The tables, as they are and with one condition more."""
    made = []
    for records, columns in SIZES:
        plain = census_tables.problem([KAnonymity(2)], Gcp(), records, columns, sensitive=True)
        title = f"{records:,} x {columns}"
        made += [Cell(title, plain), Cell(f"{title}, 5 % out", replace(plain, suppression=0.05))]
    few = census_tables.problem([KAnonymity(2)], Gcp(), 3_000, 2, sensitive=True)
    made.append(Cell("3,000 x 2, consistent", replace(few, consistent=True)))
    made.append(Cell("3,000 x 2, units", with_units(few)))
    return made


def with_units(problem: Problem) -> Problem:
    """The same with a third of the rows' first records belonging to the person of the next row."""
    tally = problem.tally
    first = np.arange(0, tally.rows - 1, 3, dtype=np.int32)
    people = tally.counts.copy()
    people[first] -= 1
    people[first + 1] -= 1
    shared = np.stack([first, first + 1], axis=1).ravel()
    person = np.repeat(np.arange(len(first), dtype=np.int32), 2)
    return replace(
        problem, tally=replace(tally, people=people, shared_row=shared, shared_unit=person)
    )


def alone(problem: Problem, bound: float, privacy: str) -> dict[str, float]:
    """What each way comes to by itself, 0 for nothing."""
    reached = {}
    for mapping in MAPPINGS:
        search = Accuracy(bound, privacy, method="ac", mapping=mapping)
        found = found_by(search, problem)
        reached[f"ac {mapping}"] = found.facts[privacy] if found else 0.0
    quest = BoundedProblem(problem, bound + SLACK, None if privacy == "k" else 0, "kd-tree")
    for title, search in (("crowd", Crowd()), ("diversify", Diversify())):
        scans = scan.Scans(problem, quest.sensitive)
        answer = scan.bisect_privacy(quest, scan.Way(title, search), scans, Watch()).answer
        reached[f"scan {title}"] = answer.privacy if answer else 0.0
    return reached


def found_by(search: Accuracy, problem: Problem) -> Found | None:
    try:
        return search.run(problem, Watch())
    except InfeasibleError:
        return None


def compared(cell: Cell, privacy: str) -> int:
    """Print one line per bound; in how many cells all ways together are below one alone."""
    below = 0
    for bound in ASKED:
        reached = alone(cell.problem, bound, privacy)
        search = Accuracy(bound, privacy)
        seconds, found = once(lambda search=search: found_by(search, cell.problem))
        best = found.facts[privacy] if found else 0.0
        loss = Gcp().of(cell.problem.outcome(found.recoding)) if found else 1.0
        short = best < max(reached.values()) - SLACK
        below += short
        ways = "  ".join(f"{title} {value:.4g}" for title, value in reached.items())
        print(
            f"{cell.title:24} {privacy} within {bound:.1f}: best {best:<8.4g} gcp {loss:.3f} "
            f"{seconds:6.2f} s | {ways}{'  BELOW' if short else ''}",
            flush=True,
        )
    return below


def curves(cell: Cell, privacy: str) -> None:
    """Print the seconds of a curve, and over those of its slowest point."""
    whole, _ = once(lambda: frontier(cell.problem, Accuracy(privacy=privacy), Watch()))
    points = [
        once(lambda bound=bound: found_by(Accuracy(bound, privacy), cell.problem))[0]
        for bound in BOUNDS
    ]
    print(
        f"{cell.title:24} {privacy}, {len(BOUNDS)} bounds: curve {whole:.2f} s, "
        f"{whole / max(points):.2f} x its slowest point, {whole / sum(points):.2f} x all points",
        flush=True,
    )


def main() -> None:
    if not census_tables.FOLDER.exists():
        print(f"{census_tables.ABSENT}: nothing is measured")
        return
    made = cells()
    for privacy in "kl":  # compile
        found_by(Accuracy(0.5, privacy), made[0].problem)
    below = sum(compared(cell, privacy) for cell in made for privacy in "kl")
    number = len(made) * len(ASKED) * 2
    print(f"below the best way alone in {below} of {number} cells")
    for cell in made[:4]:
        for privacy in "kl":
            curves(cell, privacy)


if __name__ == "__main__":
    main()
