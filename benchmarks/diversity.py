"""l-diversity as in Ghinita Section 7.2, and its dual as in Section 7.3.

Loss and seconds of the l-diverse relaxed Mondrian, of the paper's heuristic along the Hilbert curve
and along iDistance, and of ours (`diversify`); for the dual problem the privacy and seconds of AC
and of IPCSD over Mondrian and over the direct heuristic. The tables are ../shared/data/census-sal
and census-occ (the paper's CENSUS) and the paper's synthetic one. Figures 25 to 34 are drawn into
docs/papers/figures, with the lines that they show as CSV files. Name parts to run them alone:

    python -m benchmarks.diversity [by_l by_records by_columns by_alpha by_bound]
"""

import gzip
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks._figures import Figure, draw, draw_beside, write
from benchmarks._timed import once, timed
from incrowd.datasets import correlated
from incrowd.errors import InfeasibleError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.loss import Gcp, Il1, Volume, WeightedMaxNcp
from incrowd.models import KAnonymity, LDiversity
from incrowd.partition.classes import SensitiveColumn
from incrowd.problem import Problem
from incrowd.recoding import Outcome, QuasiColumn
from incrowd.search import Accuracy, Diversify, Mondrian
from incrowd.search.search import Search
from incrowd.table.column import Domain, Kind
from incrowd.table.fold import fold
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import census_tables

OCCUPATION = census_tables.FOLDER.parent / "census-occ" / "census100k.gz"
REFERENCE = "mondrian"
SEARCHES: dict[str, Search] = {
    REFERENCE: Mondrian(relaxed=True),
    "hilbert": Diversify(mapping="hilbert", rounds=0),
    "idistance": Diversify(mapping="idistance", rounds=0),
    "diversify": Diversify(),
}
METHODS = {"ac": "AC", "ipcsd-mondrian": "IPCSD, Mondrian", "ipcsd-direct": "IPCSD, direct"}


@dataclass(frozen=True)
class Line:
    """One run of the direct problem."""

    figure: str
    search: str
    records: int
    columns: int
    l: float
    alpha: float
    gcp: float
    largest: float
    """NCP times records of the class where that is most (Figure 29)."""
    average: float
    """The mean NCP of classes (Figure 30)."""
    volume: float
    """The mean volume of the records' classes (Figure 31)."""
    seconds: float


@dataclass(frozen=True)
class Dual:
    """One run of the dual problem."""

    figure: str
    method: str
    records: int
    columns: int
    max_loss: float
    privacy: float
    """The l that was reached; 1 if no classes within the bound were found."""
    seconds: float


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


def synthetic(records: int, l: float, alpha: float) -> Problem:
    """The paper's made-up table: four columns of ten numbers, a sensitive one that follows them."""
    codes = [column.to_numpy().astype(np.int32) + 1 for column in correlated(records, alpha)]
    maps = np.array([np.arange(11), np.ones(11)], dtype=np.int32)
    labels = np.arange(10).astype(str).astype(object), np.array(["*"], dtype=object)
    tree = Hierarchy(Domain(Kind.NUMBER, np.arange(10)), maps, labels, ordered=True)
    counts = [np.bincount(column, minlength=11) for column in codes]
    quasi = tuple(QuasiColumn(f"a{j}", tree, count) for j, count in enumerate(counts[:4], start=1))
    held = (SensitiveColumn("s", counts[4]),)
    return Problem(fold(codes[:4], codes[4:]), quasi, held, (LDiversity("s", l),), Gcp())


def compared(figure: str, problem: Problem, alpha: float = 0.0) -> list[Line]:
    """All searches on one problem, with ratios against Mondrian."""
    l = problem.models[0].threshold
    size = problem.tally.records, len(problem.columns), l
    lines: list[Line] = []
    print(f"Figure {figure}: {size[0]:,} x {size[1]}, l = {l:g}, alpha = {alpha:g}")
    for name, search in SEARCHES.items():
        seconds, found = timed(search, problem)
        outcome = problem.outcome(found.recoding)
        lines.append(Line(figure, name, *size, alpha, *losses(outcome), seconds))
        line, first = lines[-1], lines[0]
        print(
            f"  {name:10} GCP {line.gcp:.5f} ({line.gcp / max(first.gcp, 1e-12):5.2f} x)"
            f"  {seconds:6.2f} s ({seconds / first.seconds:5.2f} x)",
            flush=True,
        )
    return lines


def losses(outcome: Outcome) -> tuple[float, float, float, float]:
    """The four measures of Section 7.2, in the order of `Line`."""
    largest = WeightedMaxNcp().of(outcome) * outcome.records
    return Gcp().of(outcome), largest, Il1().of(outcome), Volume().of(outcome)


def by_l() -> Iterator[Line]:
    """Figure 25: l from 2 to 13."""
    for l in range(2, 14):
        yield from compared("25", salary(500_000, l))
    if OCCUPATION.exists():
        for l in (2, 4, 6, 8, 10, 13):
            yield from compared("25-occupation", occupation(l))


def by_records() -> Iterator[Line]:
    """Figure 26: tables of different sizes."""
    for records in (50_000, 100_000, 200_000, 400_000):
        yield from compared("26", salary(records, 10))


def by_columns() -> Iterator[Line]:
    """Figure 27: the first two to seven columns."""
    for columns in range(2, 8):
        yield from compared("27", salary(400_000, 10, columns))


def by_alpha() -> Iterator[Line]:
    """Figure 28: synthetic tables, more or less correlated."""
    for alpha in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5):
        yield from compared("28", synthetic(100_000, 5, alpha), alpha)


def by_bound() -> Iterator[Dual]:
    """Figures 32 to 34: the privacy for a given accuracy."""
    for bound in (0.2, 0.3, 0.4, 0.5, 0.6):
        yield from duals("32", 100_000, 3, bound)
    for columns in range(2, 8):
        yield from duals("33", 50_000, columns, 0.4)
    for records in (50_000, 100_000, 200_000, 400_000):
        yield from duals("34", records, 3, 0.4)


def duals(figure: str, records: int, columns: int, bound: float) -> list[Dual]:
    """All methods on one dual problem, with ratios against AC."""
    problem = replace(salary(records, 1, columns), models=(KAnonymity(2),))
    searches = [Accuracy(max_loss=bound, privacy="l", method=method) for method in METHODS]
    turns = [[once(partial(_reached, problem, one)) for one in searches] for _ in range(2)]
    lines: list[Dual] = []
    print(f"Figure {figure}: {records:,} x {columns}, E = {bound}")
    for name, tries in zip(METHODS.values(), zip(*turns, strict=True), strict=True):
        seconds, reached = min(tries)
        lines.append(Dual(figure, name, records, columns, bound, reached, seconds))
        ratio = seconds / lines[0].seconds
        print(f"  {name:15} l = {reached:6.3f}  {seconds:6.2f} s ({ratio:5.2f} x)", flush=True)
    return lines


def _reached(problem: Problem, search: Search) -> float:
    """The l that a method reaches; 1 if no classes within the bound were found."""
    try:
        return search.run(problem, Watch()).facts["l"]
    except InfeasibleError:
        return 1.0


def drawn(lines: list[Line]) -> None:
    """Figures 25 to 31, as far as there are lines."""
    size = "CENSUS, 500,000 records, 7 columns"
    both = Figure("ghinita-25", "", "l")
    loss = Figure("ghinita-25-occupation", "", "l", ("gcp",))
    first, second = _of(lines, "25"), _of(lines, "25-occupation")
    if first and second:
        title = f"Figure 25: {size}, by salary; right: 100,000 records by occupation"
        draw_beside("ghinita-25", title, [(both, first), (loss, second)])
    for figure in (
        Figure("ghinita-26", "Figure 26: CENSUS, 7 columns, l = 10", "records"),
        Figure("ghinita-27", "Figure 27: CENSUS, 400,000 records, l = 10", "columns"),
        Figure("ghinita-28", "Figure 28: synthetic, 100,000 records, 4 columns, l = 5", "alpha"),
    ):
        if shown := _of(lines, figure.name.removeprefix("ghinita-")):
            draw(figure, shown)
    third = _of(lines, "26")
    for number, measure in (("29", "largest"), ("30", "average"), ("31", "volume")):
        if first and third:
            parts = [
                (Figure("", "", "l", (measure,), ("largest", "volume")), first),
                (Figure("", "", "records", (measure,), ("largest", "volume")), third),
            ]
            title = f"Figure {number}: CENSUS, 7 columns; left: 500,000 records, right: l = 10"
            draw_beside(f"ghinita-{number}", title, parts)


def drawn_dual(lines: list[Dual]) -> None:
    """Figures 32 to 34."""
    for number, what, x in (
        ("32", "CENSUS, 100,000 records, 3 columns", "max_loss"),
        ("33", "CENSUS, 50,000 records, E = 0.4", "columns"),
        ("34", "CENSUS, 3 columns, E = 0.4", "records"),
    ):
        name, title = f"ghinita-{number}", f"Figure {number}: {what}"
        figure = Figure(name, title, x, ("privacy", "seconds"), series="method")
        draw(figure, _of(lines, number))


def _of(lines: list, figure: str) -> list:
    return [line for line in lines if line.figure == figure]


def told(lines: list[Line]) -> None:
    """Where a search does not lose less than Mondrian, and how much longer it takes at most."""
    for name in list(SEARCHES)[1:]:
        above, ratios = [], []
        for line in lines:
            if line.search == REFERENCE:
                reference = line
            if line.search == name:
                ratios.append(line.seconds / reference.seconds)
                if line.gcp >= reference.gcp:
                    above.append((line.figure, line.records, line.columns, line.l, line.alpha))
        spread = f"{min(ratios):.2f} to {max(ratios):.2f} x its seconds"
        print(f"{name}: not below Mondrian in {len(above)} of {len(ratios)} {above}; {spread}")


def told_dual(lines: list[Dual]) -> None:
    """Where AC is less private or slower than another method."""
    number = len(METHODS)
    for at in range(1, number):
        pairs = [(lines[i], lines[i + at]) for i in range(0, len(lines), number)]
        for what, cells in (
            ("less private", [other for ac, other in pairs if ac.privacy < other.privacy]),
            ("slower", [other for ac, other in pairs if ac.seconds > other.seconds]),
        ):
            where = [(one.figure, one.records, one.columns, one.max_loss) for one in cells]
            print(f"AC is {what} than {pairs[0][1].method} in {len(cells)} of {len(pairs)} {where}")


PARTS: dict[str, Callable[[], Iterator[Line]]] = {
    "by_l": by_l,
    "by_records": by_records,
    "by_columns": by_columns,
    "by_alpha": by_alpha,
}


def main() -> None:
    if not census_tables.FOLDER.exists():
        print(f"{census_tables.ABSENT}: nothing is measured")
        return
    for search in (*SEARCHES.values(), *(Accuracy(0.4, "l", method=m) for m in METHODS)):
        search.run(salary(2_000, 2, 3), Watch())
    asked = [name for name in sys.argv[1:] if name in {*PARTS, "by_bound"}]
    lines = [line for name in PARTS if not asked or name in asked for line in PARTS[name]()]
    if lines:
        told(lines)
        drawn(lines)
    if not asked or set(PARTS) <= set(asked):
        write("ghinita-7.2", lines)
    if not asked or "by_bound" in asked:
        dual = [*by_bound()]
        told_dual(dual)
        drawn_dual(dual)
        write("ghinita-7.3", dual)


if __name__ == "__main__":
    main()
