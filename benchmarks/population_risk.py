"""Intervals of a population's risk against the truth, family by family of populations.

Run with `python -m benchmarks.population_risk`; `--seeds 1 2 3` makes and draws more, `--people`
says how large the made populations are, `--data FOLDER` where the real tables are. Each population
is sampled at 1, 3, 10 and 30 %. Printed for each family and figure: how many samples have the truth
inside the 95 % interval, how many have it above (unsafe), and the median width; beside it the same
for the smooth curves alone, which are the reference. The settings of `incrowd.exposure.ranges` were
chosen with the families of `CHOSEN_WITH` in view; those of `HELD_OUT` were made, and the real
tables looked at, afterwards.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.populations import FOLDER, SETS, real
from incrowd.arrays import Counts, Floats
from incrowd.exposure.estimates import PopulationEstimate, estimates, most_people
from incrowd.exposure.people import ClassKinds
from incrowd.lazy import module

special = module("scipy.special")

Rng = np.random.Generator
Maker = Callable[[Rng, int], Counts]
"""The class sizes of a population of about so many people."""

FRACTIONS = (0.01, 0.03, 0.1, 0.3)
THRESHOLD = 0.2
FIGURES = ("unique", "unique_people", "average", "above", "by_class", "match")
REAL = ("adult", "census-income", "nist-acs")


def _cut(sizes: Counts, people: int) -> Counts:
    """The first classes that hold so many people."""
    reached = np.cumsum(sizes)
    return sizes[: int(np.searchsorted(reached, people)) + 1]


def _drawn(weights: Floats, rng: Rng, people: int) -> Counts:
    """People who fall into classes by these weights."""
    sizes = rng.multinomial(people, weights / weights.sum())
    return sizes[sizes > 0]


def negative_binomial(mean: float, shape: float) -> Maker:
    """1 and a negative binomial number; shape 1 is the geometric distribution."""
    return lambda rng, people: _cut(
        1 + rng.negative_binomial(shape, shape / (shape + mean - 1), people), people
    )


def zipf_sizes(power: float) -> Maker:
    """Class sizes by Zipf."""
    return lambda rng, people: _cut(np.minimum(rng.zipf(power, people), people // 5), people)


def zipf_weights(power: float, classes: int) -> Maker:
    """People who fall into classes by Zipf."""
    return lambda rng, people: _drawn(np.arange(1.0, classes + 1) ** -power, rng, people)


def lognormal(spread: float, classes: int) -> Maker:
    """People who fall into classes of lognormal weights."""
    return lambda rng, people: _drawn(rng.lognormal(0, spread, classes), rng, people)


def mixture(share: float, crowd: int) -> Maker:
    """This share of the people are unique, the others live in crowds of about so many."""

    def made(rng: Rng, people: int) -> Counts:
        unique = int(people * share)
        crowds = _drawn(np.ones(max((people - unique) // crowd, 1)), rng, people - unique)
        return np.concatenate([np.ones(unique, dtype=np.int64), crowds])

    return made


def groups(*parts: tuple[float, int]) -> Maker:
    """Shares of the people in classes of exactly one size each."""
    return lambda _, people: np.concatenate(
        [np.full(int(people * share) // size, size) for share, size in parts]
    )


def pitman_yor(discount: float, strength: float) -> Maker:
    """Everybody opens a class or joins one, the likelier the larger it is."""

    def made(rng: Rng, people: int) -> Counts:
        joined: list[int] = []
        sizes: list[int] = []
        for person in range(people):
            if rng.random() * (strength + person) < strength + discount * len(sizes):
                joined.append(len(sizes))
                sizes.append(1)
                continue
            at = joined[int(rng.integers(person))]
            while rng.random() >= (sizes[at] - discount) / sizes[at]:
                at = joined[int(rng.integers(person))]
            joined.append(at)
            sizes[at] += 1
        return np.array(sizes)

    return made


def columns(together: float, *values: tuple[int, float]) -> Maker:
    """Columns of so many values each, with a skew, that depend on one hidden number."""

    def made(rng: Rng, people: int) -> Counts:
        hidden, code = rng.standard_normal(people), np.zeros(people, dtype=np.int64)
        for number, skew in values:
            own = rng.standard_normal(people)
            at = special.ndtr(together * hidden + np.sqrt(1 - together**2) * own) ** skew
            code = code * number + np.minimum((number * at).astype(np.int64), number - 1)
        return np.unique(code, return_counts=True)[1]

    return made


def two_worlds(rng: Rng, people: int) -> Counts:
    """A third share few values, the others hardly any."""
    few = _drawn(rng.lognormal(0, 1, 150), rng, people // 3)
    many = np.unique(rng.zipf(1.2, people - people // 3).clip(max=10**6), return_counts=True)[1]
    return np.concatenate([few, many])


def households(*shares: float) -> Maker:
    """Classes of 1, 2, 3, … people in these proportions."""

    def made(rng: Rng, people: int) -> Counts:
        return _cut(1 + rng.choice(len(shares), people, p=np.array(shares) / sum(shares)), people)

    return made


def uniform(first: int, last: int) -> Maker:
    """Class sizes from first to last, all as likely."""
    return lambda rng, people: _cut(rng.integers(first, last + 1, people), people)


def two_hills(share: float, small: float, large: float) -> Maker:
    """Two kinds of classes, each with lognormal weights around its own mean size."""

    def made(rng: Rng, people: int) -> Counts:
        low, high = int(people * share), people - int(people * share)
        return np.concatenate(
            [
                _drawn(rng.lognormal(0, 0.5, max(int(low / small), 1)), rng, low),
                _drawn(rng.lognormal(0, 0.5, max(int(high / large), 1)), rng, high),
            ]
        )

    return made


def districts(number: int, cells: int) -> Maker:
    """Districts of very different sizes, each with the same cells inside."""

    def made(rng: Rng, people: int) -> Counts:
        inside = rng.dirichlet(np.full(cells, 0.5))
        return _drawn(np.outer(rng.lognormal(0, 1.5, number), inside).reshape(-1), rng, people)

    return made


def dirichlet(strength: float, classes: int) -> Maker:
    """People who fall into classes of Dirichlet weights."""
    return lambda rng, people: _drawn(rng.dirichlet(np.full(classes, strength)), rng, people)


CHOSEN_WITH: Mapping[str, tuple[Maker, ...]] = {
    "negative binomial": (
        negative_binomial(2, 1),
        negative_binomial(10, 1),
        negative_binomial(4, 0.3),
        negative_binomial(30, 0.5),
    ),
    "zipf": (zipf_sizes(1.6), zipf_sizes(2.2), zipf_weights(1, 20_000), zipf_weights(0.6, 60_000)),
    "lognormal": (lognormal(1, 10_000), lognormal(2, 15_000), lognormal(3, 20_000)),
    "unique and crowded": (
        mixture(0.5, 100),
        mixture(0.1, 50),
        mixture(0.9, 30),
        mixture(0.5, 1_000),
    ),
    "equal": tuple(groups((1.0, size)) for size in (2, 3, 5, 20)),
    "pitman-yor": (pitman_yor(0.3, 1_000), pitman_yor(0.7, 100), pitman_yor(0.01, 3_000)),
    "columns": (
        columns(0.5, (80, 1.5), (2, 1), (16, 2), (7, 3), (40, 6)),
        columns(0.3, (90, 1), (2, 1), (10, 2)),
        columns(0.7, (60, 1.2), (2, 1), (16, 2), (5, 3)),
    ),
    "groups": (
        groups((0.2, 1), (0.2, 2), (0.2, 8), (0.4, 300)),
        groups((0.3, 1), (0.7, 10)),
        groups((0.5, 2), (0.5, 40)),
        two_worlds,
    ),
}
HELD_OUT: Mapping[str, tuple[Maker, ...]] = {
    "households": (
        households(3, 4, 2, 2, 1),
        households(1, 8, 1),
        households(6, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    ),
    "uniform": (uniform(1, 4), uniform(1, 30), uniform(3, 8)),
    "two hills": (two_hills(0.5, 2, 60), two_hills(0.8, 4, 400), two_hills(0.2, 1.2, 15)),
    "districts": (districts(200, 60), districts(40, 600), districts(1_000, 30)),
    "dirichlet": (dirichlet(0.05, 30_000), dirichlet(1, 8_000), dirichlet(10, 20_000)),
}


@dataclass(frozen=True)
class Cell:
    """One figure of one sample."""

    family: str
    figure: str
    true: float
    interval: tuple[float, float]
    smooth: tuple[float, float]


def populations(seed: int, people: int, folder: Path) -> Iterator[tuple[str, Counts]]:
    """The class sizes of every population, with its family."""
    for family, makers in {**CHOSEN_WITH, **HELD_OUT}.items():
        for number, made in enumerate(makers):
            yield family, made(np.random.default_rng([seed, number, len(family)]), people)
    for name in REAL:
        frame = real(name, folder)
        for fields in () if frame is None else SETS[name]:
            assert frame is not None
            rows = frame.select(pl.struct(fields).rank("dense").alias("class"))["class"]
            yield "real tables", np.unique(rows.to_numpy(), return_counts=True)[1]


def cells(family: str, everyone: Counts, fraction: float, rng: Rng) -> Iterator[Cell]:
    """Draw a sample, estimate, and compare."""
    of_person = np.repeat(np.arange(len(everyone)), everyone)
    sample = rng.choice(of_person, round(len(of_person) * fraction), replace=False)
    held = np.bincount(sample, minlength=len(everyone))
    sizes, behind = held[held > 0], everyone[held > 0]
    drawn = len(sample) / len(of_person)
    kinds = ClassKinds.of(sizes, sizes, sizes, np.full(len(sizes), drawn))
    found = estimates(kinds, drawn, THRESHOLD)
    for figure, true in truth(sizes, behind, everyone).items():
        told: PopulationEstimate | None = getattr(found, figure)
        if told is not None:
            yield Cell(family, figure, true, told.interval, smooth_interval(told))


def truth(sizes: Counts, behind: Counts, everyone: Counts) -> dict[str, float]:
    """The figures of a sample, counted; `behind` are the people of each of its classes."""
    people = float(sizes.sum())
    alone = behind[sizes == 1]
    return {
        "unique": float(sizes[behind == 1].sum()) / people,
        "unique_people": float((everyone == 1).sum() / everyone.sum()),
        "average": float((sizes / behind).sum()) / people,
        "above": float(sizes[behind <= most_people(THRESHOLD)].sum()) / people,
        "by_class": len(sizes) / float(behind.sum()),
        "match": len(alone) / max(float(alone.sum()), 1.0),
    }


def smooth_interval(told: PopulationEstimate) -> tuple[float, float]:
    """The interval by the smooth curves alone, inside what is possible."""
    low, high = told.smooth or told.interval
    ends = told.possible or (0.0, 1.0)
    return max(min(low, ends[1]), ends[0]), max(min(high, ends[1]), ends[0])


def line(title: str, found: list[Cell]) -> str:
    """Samples, truths inside and above, and the median width, before and now."""
    parts = [f"{title:20} {len(found):5}"]
    widths = []
    for which in ("smooth", "interval"):
        ends = np.array([getattr(cell, which) for cell in found])
        true = np.array([cell.true for cell in found])
        above = true > ends[:, 1] + 1e-9
        inside = ~above & (true >= ends[:, 0] - 1e-9)
        widths.append(float(np.median(ends[:, 1] - ends[:, 0])))
        parts.append(f"{inside.mean():7.1%} {int(above.sum()):4} {widths[-1]:8.4f}")
    return "  ".join([*parts, f"{widths[1] / max(widths[0], 1e-9):5.2f} x"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1])
    parser.add_argument("--people", type=int, default=30_000)
    parser.add_argument("--data", type=Path, default=FOLDER)
    arguments, _ = parser.parse_known_args()
    start, samples = time.perf_counter(), 0
    found: list[Cell] = []
    for seed in arguments.seeds:
        rng = np.random.default_rng(seed)
        for family, everyone in populations(seed, arguments.people, arguments.data):
            for fraction in FRACTIONS:
                found += cells(family, everyone, fraction, rng)
                samples += 1
    held_out = {cell.family for cell in found} - set(CHOSEN_WITH)
    for figure in FIGURES:
        some = [cell for cell in found if cell.figure == figure]
        print(f"\n{figure:14} samples   smooth curves: inside, above, width   now")
        for family in dict.fromkeys(cell.family for cell in some):
            print(line(family, [cell for cell in some if cell.family == family]))
        print(line("held out, together", [cell for cell in some if cell.family in held_out]))
        print(line("all", some))
    print(f"\n{samples} samples in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
