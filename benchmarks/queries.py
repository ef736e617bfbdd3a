"""Query precision as in Ghinita Section 7.4: divergence of counts by l, level, columns and records.

The table is ../shared/data/census-sal (the paper's CENSUS), salary its sensitive column. Each
search makes its classes once; they are published generalized (Figure 35) and permuted (Figure 36).
Ratios are against Anatomy of the same run. Both figures are drawn into docs/papers/figures, with
the lines that they show as a CSV file.

    python -m benchmarks.queries [records]
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks._figures import Figure, draw_beside, write
from benchmarks._timed import once
from incrowd.loss import Gcp, Queries
from incrowd.models import LDiversity
from incrowd.recoding import Anatomized as Permuted
from incrowd.recoding import Outcome
from incrowd.search import Anatomy, Diversify, Mondrian, Search
from incrowd.watch import Watch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import census_tables

SEARCHES: dict[str, Search] = {
    "anatomy": Anatomy(),
    "mondrian": Mondrian(relaxed=True),
    "hilbert": Diversify(mapping="hilbert", rounds=0),
    "idistance": Diversify(mapping="idistance", rounds=0),
    "diversify": Diversify(),
}
PERMUTED = "perm-"
RECORDS = 200_000
PARTS = {"a": "l", "b": "level", "c": "columns", "d": "records"}
"""The four pictures of both figures, and what varies there."""


@dataclass(frozen=True)
class Line:
    """One release, measured."""

    part: str
    search: str
    l: int
    level: int
    columns: int
    records: int
    divergence: float
    seconds: float
    """Of measuring it."""


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
        title = name if recoding.kind == "anatomy" else f"{PERMUTED}{name}"
        found[title] = problem.outcome(Permuted(recoding.pieces))
    return found


def measured(
    part: str, l: int, columns: int, records: int, levels: tuple[int, ...] = (2,)
) -> Iterator[Line]:
    """The divergence of every release, with ratios against Anatomy's."""
    shown = outcomes(l, records, columns)
    for level in levels:
        print(f"l = {l}, {records:,} x {columns}, level {level}")
        reference = 0.0
        for name, outcome in shown.items():
            queries = Queries("salary", level)
            seconds, kl = once(lambda: queries.of(outcome))  # noqa: B023  run at once
            reference = reference or kl
            print(
                f"  {name:15} KL {kl:.5f} ({kl / reference:6.2f} x)  {seconds:6.2f} s", flush=True
            )
            yield Line(part, name, l, level, columns, records, kl, seconds)


def runs(records: int) -> Iterator[Line]:
    """All that both figures show; the paper has more levels, which take minutes each."""
    for l in (2, 4, 6, 8, 10):
        yield from measured("a", l, 7, records)
    yield from measured("b", 10, 7, records, (1, 2, 3))
    for columns in range(2, 8):
        yield from measured("c", 10, columns, records)
    for size in (records // 4, records // 2, records, 2 * records):
        yield from measured("d", 10, 7, size)


def drawn(lines: list[Line], records: int) -> None:
    """Figure 35 of what is generalized and Figure 36 of what is permuted, Anatomy in both."""
    size = f"CENSUS, {records:,} records, 7 columns, l = 10, level 2 but for what varies"
    for number, permuted in (("35", False), ("36", True)):
        parts = [
            (
                Figure("", "", x, ("divergence",), ("divergence",)),
                [one for one in lines if one.part == part and _shown(one.search, permuted)],
            )
            for part, x in PARTS.items()
        ]
        draw_beside(f"ghinita-{number}", f"Figure {number}: {size}", parts)


def _shown(search: str, permuted: bool) -> bool:
    return search == "anatomy" or search.startswith(PERMUTED) == permuted


def told(lines: list[Line]) -> None:
    """Where ours does not diverge less than Mondrian, and permuted not less than Anatomy."""
    cells: dict[tuple[str, int, int, int, int], dict[str, float]] = {}
    for line in lines:
        cell = cells.setdefault((line.part, line.l, line.level, line.columns, line.records), {})
        cell[line.search] = line.divergence
    for name, other in (
        ("hilbert", "mondrian"),
        ("diversify", "mondrian"),
        ("diversify", "anatomy"),
        ("perm-hilbert", "anatomy"),
        ("perm-diversify", "anatomy"),
        ("perm-diversify", "perm-mondrian"),
    ):
        above = [cell for cell, kl in cells.items() if kl[name] >= kl[other]]
        ratios = [kl[name] / kl[other] for kl in cells.values()]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f} x"
        print(f"{name}: {spread} {other}'s; not below in {len(above)} of {len(cells)} {above}")


def main() -> None:
    if not census_tables.FOLDER.exists():
        print(f"{census_tables.ABSENT}: nothing to measure")
        return
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    records = numbers[0] if numbers else RECORDS
    lines = [*runs(records)]
    told(lines)
    drawn(lines, records)
    write("ghinita-7.4", lines)


if __name__ == "__main__":
    main()
