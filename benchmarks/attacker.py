"""What somebody learns who knows how incrowd works and holds other tables.

Each line is an attack of the literature on releases of made tables, with what it gets right, what
chance would, and what a release promises. Run with `python -m benchmarks.attacker`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, permutations

import numpy as np
import polars as pl

import incrowd
from incrowd.datasets import correlated
from incrowd.hierarchy.labels import reach_of, read_bounds
from incrowd.table.column import Domain, Kind

WHOLE = Domain(Kind.NUMBER, np.arange(2))
_ENDS = ("exact", "aligned")


def released(frame: pl.DataFrame, quasi: Sequence[str], **asked: object) -> pl.DataFrame:
    """The rows of a release, in the order of the table."""
    policy = incrowd.quick(frame.columns, quasi=quasi, order="keep", **asked)
    return incrowd.anonymize(frame, policy, seed=0).frame


def people(number: int, seed: int) -> pl.DataFrame:
    """Skewed incomes, ages and sexes."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "income": np.round(np.exp(rng.normal(10, 1, number))).astype(np.int64),
            "age": rng.integers(18, 90, number),
            "sex": rng.integers(0, 2, number).astype(str),
        }
    )


def fits(world: pl.DataFrame, row: tuple[object, ...], names: Sequence[str]) -> pl.Series:
    """Who of the world a released row may be about."""
    flags = pl.Series([True] * len(world))
    for name, cell in zip(names, row, strict=True):
        label = str(cell)
        if label == "*":
            continue
        reach = reach_of(label, WHOLE) if world[name].dtype.is_numeric() else None
        flags &= world[name].is_between(*reach) if reach else world[name].cast(pl.String) == label
    return flags


def ends(ends: str, seed: int, k: int = 5) -> tuple[int, int, float]:
    """People told to be in the table by an end, how many of them are, and the share that is.

    600 of a world of 3,000; whoever of the world fits a class and is the only one whose income is
    its end (or within the round interval that begins or ends there) is told.
    """
    world = people(3_000, seed)
    there = np.random.default_rng(seed + 1).permutation(3_000)[:600]
    names = ["income", "sex"]
    table = world[there].select(names)
    rows = released(table, names, k=k, ends=ends, method="crowd").cast(pl.String).unique().rows()
    told: set[int] = set()
    for row in rows:
        able = np.flatnonzero(fits(world, row, names).to_numpy())
        bounds = read_bounds(row[0])
        if bounds is None:
            continue
        incomes = world["income"].to_numpy()[able]
        for end, first in ((bounds.low, True), (bounds.high, False)):
            told |= alone(able, incomes, end, first=first, exact=ends == "exact")
    right = len(told & set(there.tolist()))
    return len(told), right, 600 / 3_000


def alone(
    able: np.ndarray, values: np.ndarray, end: str | None, *, first: bool, exact: bool
) -> set[int]:
    """The one person whose value is this end, if there is just one."""
    if end is None:
        return set()
    place = int(end)
    width = 1 if exact else roundness(place)
    low = place if first or exact else place - width
    found = able[(values >= low) & (values < low + width)]
    return {int(found[0])} if len(found) == 1 else set()


def roundness(number: int) -> int:
    """The narrowest round interval that begins or ends at a number and that a cell can have."""
    width = 1
    while number and number % (width * 10) == 0:
        width *= 10
    return width


def tiny(seed: int) -> pl.DataFrame:
    """Six people with a quasi-identifier and a disease."""
    rng = np.random.default_rng(seed)
    ages, ill = rng.integers(20, 24, 6), rng.permutation(["a", "a", "a", "b", "b", "c"])
    return pl.DataFrame({"age": ages, "ill": ill})


def minimality(tables: int) -> tuple[float, float]:
    """The share of people of whom more than 1/l is learned, and the largest posterior.

    The attacker knows everybody's age and the release, runs incrowd on every way in which its
    sensitive values may belong to people, and keeps those that give this very release.
    """
    above, most, number = 0, 0.0, 0
    for seed in range(tables):
        frame = tiny(seed)
        try:
            shown = released(frame, ["age"], sensitive=["ill"], l=2, ends="exact")
        except incrowd.InfeasibleError:
            continue
        posterior = posteriors(frame, shown)
        number += len(posterior)
        above += sum(one > 0.5 + 1e-9 for one in posterior)
        most = max([most, *posterior])
    return above / number, most


def posteriors(frame: pl.DataFrame, shown: pl.DataFrame) -> Iterator[float]:
    """The largest probability of a value per person, over all tables that give this release."""
    wanted = Counter(shown.cast(pl.String).rows())
    held: list[Counter[str]] = [Counter() for _ in range(len(frame))]
    for values in set(permutations(frame["ill"].to_list())):
        other = frame.with_columns(ill=pl.Series(values))
        try:
            again = released(other, ["age"], sensitive=["ill"], l=2, ends="exact")
        except incrowd.InfeasibleError:
            continue
        if Counter(again.cast(pl.String).rows()) == wanted:
            for person, value in zip(held, values, strict=True):
                person[value] += 1
    return [max(person.values()) / person.total() for person in held]


def downcoding(ends: str, number: int = 4, domain: int = 6) -> tuple[float, float]:
    """How surely a cell's value is guessed, with and without knowing the algorithm.

    All tables of so many people are released; the attacker sees one release, and takes the
    commonest original value of a cell over all tables that give it. Without the algorithm every
    value of the label is equally likely.
    """
    groups: dict[tuple[tuple[str, ...], ...], list[tuple[int, ...]]] = defaultdict(list)
    for ages in combinations_with_replacement(range(20, 20 + domain), number):
        shown = released(pl.DataFrame({"age": ages}), ["age"], k=2, ends=ends)
        groups[tuple(sorted(shown.cast(pl.String).rows()))].append(ages)
    knowing, plain, cells = 0.0, 0.0, 0
    for release, tables in groups.items():
        for place, (label,) in enumerate(release):
            held = Counter(sorted(table)[place] for table in tables)
            low, high = reach_of(label, WHOLE) or (20, 19 + domain)
            low, high = max(low, 20), min(high, 19 + domain)
            knowing += max(held.values())
            plain += len(tables) / (high - low + 1)
            cells += len(tables)
    return knowing / cells, plain / cells


def de_finetti(alpha: float, l: int = 4) -> tuple[float, float]:
    """How often a classifier trained on exact quasi-identifiers beside classes is right, and 1/l.

    Quasi-identifiers are exact and sensitive values change places inside their class; whoever
    learns from all classes how values go with quasi-identifiers guesses each class by that.
    """
    frame = correlated(4_000, alpha=alpha, coefficients=(1, 3))
    quasi = {name: incrowd.Column(role="quasi") for name in ("a1", "a2")}
    policy = incrowd.Policy(
        columns={**quasi, "s": incrowd.Column(role="sensitive", derived="accept")},
        models=(incrowd.LDiversity("s", l),),
        search="anatomy",
        show="permutation",
        class_column="class",
        order="keep",
    )
    shown = incrowd.anonymize(frame, policy, seed=0).frame
    classes, values = shown["class"].to_numpy(), shown["s"].to_numpy()
    cell = (frame["a1"] * 10 + frame["a2"]).to_numpy()
    share = np.zeros((classes.max() + 1, 10))
    np.add.at(share, (classes, values), 1)
    belief = share[classes] / share[classes].sum(axis=1, keepdims=True)
    for _ in range(20):
        model = np.full((100, 10), 0.01)
        np.add.at(model, cell, belief)
        belief = share[classes] * (model / model.sum(axis=1, keepdims=True))[cell]
        belief /= belief.sum(axis=1, keepdims=True)
    return float((belief.argmax(axis=1) == frame["s"].to_numpy()).mean()), 1 / l


def two_releases(k: int = 5) -> tuple[int, int]:
    """How many of 3,000 people are alone once two releases of one table are held together."""
    frame = people(3_000, 4).select("age", "sex", "income")
    names = frame.columns
    one, two = (released(frame, names, k=size).cast(pl.String) for size in (k, k + 1))
    both = one.hstack(two.rename({name: f"{name}2" for name in names}))
    sizes = both.with_columns(pl.len().over(both.columns).alias("together"))["together"]
    return int((sizes == 1).sum()), len(frame)


def main() -> None:
    """Play every attack and print what it gets."""
    for how in _ENDS:
        found = [ends(how, seed) for seed in range(5)]
        told, right = sum(one[0] for one in found), sum(one[1] for one in found)
        print(f"ends, {how}: {told} of 15,000 told to be there, {right} are; chance 0.200")
    share, most = minimality(8)
    print(f"minimality: {share:.3f} of people above 1/l = 0.5, largest posterior {most:.2f}")
    for how in _ENDS:
        knowing, plain = downcoding(how)
        print(
            f"downcoding, ends {how}: a cell guessed with {knowing:.3f}, by its label {plain:.3f}"
        )
    for alpha in (0.0, 0.5, 1.0):
        right, promised = de_finetti(alpha)
        print(f"deFinetti, correlation {alpha:g}: {right:.3f} right, 1/l = {promised:.3f}")
    alone_, everybody = two_releases()
    print(f"two releases (k = 5 and 6): {alone_} of {everybody} alone in both together")


if __name__ == "__main__":
    main()
