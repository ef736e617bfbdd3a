"""Estimates of a population's risk against the truth: samples of real tables, and of made ones.

Run with `python -m benchmarks.populations`; `--seeds 1 2 3` draws more samples, `--brief` prints
the sums alone, `--data FOLDER` says where the real tables are. The table is the population: for
each set of quasi-identifying columns samples of 1, 5 and 20 % are drawn, and what `risk.measure`
says of each is compared with a count of the whole table. A cell is one figure of one sample.
Printed are the truth, the estimate, its 95 % interval, whether the truth is inside it and inside
what is called possible, and how often an estimate is less than half the truth (unsafe), and how
often so without an interval that says so.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.exposure import Risk, measure
from incrowd.table.fold import fold

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"
FRACTIONS = (0.01, 0.05, 0.2)
THRESHOLD = 0.2
CENSUS = ("age", "sex", "education", "marital", "race", "work", "country", "salary")
SETS = {
    "census-sal": (
        ("age", "sex", "education"),
        ("age", "sex", "education", "marital", "race"),
        ("age", "sex", "education", "marital", "race", "work", "country"),
        ("age", "sex", "country"),
        ("age", "race", "country", "work"),
        ("sex", "education", "marital", "race", "work", "country"),
    ),
    "covertype": (
        ("Elevation", "Slope"),
        ("Elevation", "Aspect"),
        ("Slope", "Aspect", "Hillshade_9am"),
        ("Aspect", "Slope", "Hillshade_Noon", "Cover_Type"),
        ("Horizontal_Distance_To_Hydrology", "Vertical_Distance_To_Hydrology"),
        ("Elevation", "Aspect", "Slope"),
    ),
    "census-income": (
        ("column_1", "column_13", "column_11", "column_5"),
        ("column_1", "column_13", "column_11", "column_5", "column_8", "column_9"),
        ("column_1", "column_3", "column_13"),
        ("column_1", "column_13", "column_5", "column_33", "column_34"),
        ("column_1", "column_3", "column_4", "column_13", "column_11"),
        ("column_1", "column_17", "column_18", "column_13"),
    ),
    "nist-acs": (
        ("AGEP", "SEX", "PUMA"),
        ("AGEP", "SEX", "PUMA", "RAC1P", "MSP", "EDU"),
        ("AGEP", "SEX", "EDU", "MSP"),
        ("AGEP", "INDP", "SEX"),
        ("RAC1P", "HISP", "MSP", "EDU", "SEX", "NPF"),
        ("POVPIP", "PUMA", "SEX"),
    ),
    "adult": (
        ("sex", "age", "race"),
        ("age", "marital-status", "education", "native-country"),
        ("sex", "age", "race", "marital-status", "education"),
        ("age", "education", "workclass", "occupation"),
    ),
    "cup": (
        ("ZIP", "AGE"),
        ("AGE", "GENDER", "INCOME"),
        ("ZIP", "AGE", "GENDER", "INCOME"),
        ("GENDER", "STATE", "RAMNTALL"),
        ("INCOME", "STATE"),
    ),
}
UNSEEN = ("adult", "cup")
"""Tables that nobody looked at when the shapes and scales of the model were chosen."""


@dataclass(frozen=True)
class Cell:
    """One figure of one sample."""

    population: str
    fraction: float
    figure: str
    true: float
    estimate: float
    interval: tuple[float, float]
    possible: tuple[float, float] | None
    people: int

    @property
    def inside(self) -> bool:
        """Whether the truth is in the interval."""
        low, high = self.interval
        return low - 1e-9 <= self.true <= high + 1e-9

    @property
    def is_possible(self) -> bool:
        """Whether the truth is in the range over every population that fits."""
        low, high = self.possible or (0.0, 1.0)
        return low - 1e-9 <= self.true <= high + 1e-9

    @property
    def unsafe(self) -> bool:
        """Less than half the truth, by more than one person."""
        return self.true > 2 * self.estimate + 1 / self.people


def real(name: str, folder: Path) -> pl.DataFrame | None:
    """A table of the folder of real data, or None, loudly."""
    files = {
        "census-sal": "census-sal/sal500k.txt.gz",
        "covertype": "covtype/covtype.csv.gz",
        "census-income": "census-income/census_income_1994_1995_train.csv.gz",
        "nist-acs": "nist-acs/national2019.csv.gz",
        "adult": "arx/adult.csv.gz",
        "cup": "arx/cup.csv.gz",
    }
    path = folder / files[name]
    if not path.exists():
        print(f"SKIPPED: {name} is not in {folder}")
        return None
    if name == "census-sal":
        codes = np.loadtxt(path, dtype=np.int32)
        return pl.DataFrame(codes, schema=list(CENSUS))
    header = name != "census-income"
    comma = ";" if name in UNSEEN else ","
    frame = pl.read_csv(path, has_header=header, infer_schema_length=0, separator=comma)
    if not header:
        frame.columns = [f"column_{place}" for place in range(1, frame.width + 1)]
    return frame


def made(people: int = 100_000) -> Iterator[tuple[str, Counts]]:
    """The class of each person of populations by formula."""
    rng = np.random.default_rng(0)
    yield "zipf 1.4", rng.zipf(1.4, people).clip(max=10**6)
    for spread in (1, 2, 3):
        weights = rng.lognormal(0, spread, people // 2)
        yield f"lognormal {spread}", rng.choice(len(weights), people, p=weights / weights.sum())
    yield "geometric", rng.geometric(0.001, people)
    found = np.zeros(people, dtype=np.int64)
    for values, skew in ((80, 1.5), (2, 1), (16, 2), (7, 3), (40, 6)):
        found = found * values + (values * rng.random(people) ** skew).astype(np.int64)
    yield "five columns", found


def populations(folder: Path) -> Iterator[tuple[str, Counts]]:
    """The class of each person of every population."""
    for name, sets in SETS.items():
        frame = real(name, folder)
        if frame is None:
            continue
        for columns in sets:
            class_of = frame.select(pl.struct(columns).rank("dense").alias("class"))["class"]
            yield f"{name}: {', '.join(columns)}", class_of.to_numpy().astype(np.int64)
    for name, class_of in made():
        yield f"made: {name}", class_of


def cells(name: str, class_of: Counts, fraction: float, seed: int) -> list[Cell]:
    """Draw a sample, measure it, and compare."""
    of_person = np.unique(class_of, return_inverse=True)[1]
    everyone = np.bincount(of_person)
    rng = np.random.default_rng(seed)
    sample = rng.choice(of_person, round(len(of_person) * fraction), replace=False)
    tally = fold([(sample + 1).astype(np.int32)], ())
    risk = measure(tally, (), THRESHOLD, population=len(of_person))
    behind = everyone[sample]
    true = {
        "unique": float((behind == 1).mean()),
        "marketer": float((1 / behind).mean()),
        "above": float((behind * THRESHOLD < 1 - 1e-9).mean()),
        "highest": float(1 / behind.min()),
    }
    return [
        Cell(name, fraction, figure, true[figure], *told, len(sample))
        for figure, told in figures(risk).items()
    ]


def figures(
    risk: Risk,
) -> dict[str, tuple[float, tuple[float, float], tuple[float, float] | None]]:
    """Estimate, interval, and what is possible, of each figure."""
    unique, marketer, journalist = risk.uniqueness, risk.marketer, risk.journalist
    assert unique is not None
    assert marketer is not None
    assert journalist is not None
    return {
        "unique": (unique.estimate, unique.interval, unique.possible),
        "marketer": (marketer.average, marketer.average_interval, marketer.average_possible),
        "above": (
            journalist.above_threshold,
            journalist.above_threshold_interval,
            journalist.above_threshold_possible,
        ),
        "highest": (journalist.max, journalist.max_interval, None),
    }


def line(cell: Cell) -> str:
    low, high = cell.interval
    marks = ("" if cell.inside else " OUTSIDE") + (" UNSAFE" if cell.unsafe else "")
    marks += "" if cell.is_possible else " IMPOSSIBLE"
    return (
        f"{cell.population[:58]:58} {cell.fraction:4.0%} {cell.figure:8} {cell.true:8.4f} "
        f"{cell.estimate:8.4f} [{low:.4f}, {high:.4f}]{marks}"
    )


def summary(title: str, found: list[Cell]) -> None:
    """One line for each figure of these cells."""
    if not found:
        return
    print(f"\n{title}")
    head = "inside the interval  inside the possible  estimate/true  unsafe (outside too)"
    print(f"{'':10} cells  {head}")
    for figure in ("unique", "marketer", "above", "highest"):
        some = [cell for cell in found if cell.figure == figure]
        if not some:
            continue
        off = [(c.estimate + 1 / c.people) / (c.true + 1 / c.people) for c in some]
        typical = float(np.exp(np.median(np.abs(np.log(off)))))
        unsafe = [cell for cell in some if cell.unsafe]
        outside = sum(not cell.inside for cell in unsafe)
        print(
            f"{figure:10} {len(some):5}  {np.mean([c.inside for c in some]):19.1%}  "
            f"{np.mean([c.is_possible for c in some]):19.1%}  within {typical:4.2f} x  "
            f"{len(unsafe):6} ({outside})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1])
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--data", type=Path, default=FOLDER)
    arguments, _ = parser.parse_known_args()
    found: list[Cell] = []
    start = time.perf_counter()
    for name, class_of in populations(arguments.data):
        for fraction in FRACTIONS:
            for seed in arguments.seeds:
                these = cells(name, class_of, fraction, seed)
                found += these
                if not arguments.brief:
                    print("\n".join(map(line, these)), flush=True)
    kinds = {cell.population: cell.population.split(":")[0] for cell in found}
    known = [c for c in found if kinds[c.population] not in (*UNSEEN, "made")]
    for fraction in FRACTIONS:
        some = [c for c in known if c.fraction == fraction]
        summary(f"tables the model was chosen with, samples of {fraction:.0%}", some)
    summary("tables the model was chosen with", known)
    summary("other real tables", [c for c in found if kinds[c.population] in UNSEEN])
    summary("made tables", [c for c in found if kinds[c.population] == "made"])
    print(f"\n{len(found) // 4} samples in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
