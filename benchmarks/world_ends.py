"""Who is found by the ends of labels, against a world, with aligned and with exact ends.

Run with `python -m benchmarks.world_ends`. 600 of a world of 3,000 people with skewed incomes and
their sex, and of another with age, ZIP code and sex. The attacker holds the world and knows that
somebody in the table is at each end of a span: whoever of all people that fit a class lies alone
nearest to an end is guessed to be in the table. Chance is what the classes say by themselves: for
everybody who is guessed, the shares of the people in the table among those who fit, added up over
the classes that they fit.
"""

import argparse

import numpy as np
import polars as pl

import incrowd
from incrowd.hierarchy.labels import Bounds, parse_number, read_bounds
from incrowd.models.model import Model

MODELS = (incrowd.KMap(5), incrowd.KMap(10), incrowd.DeltaPresence(0.3), incrowd.DeltaPresence(0.5))
NUMBER = {"incomes": "income", "places": "age"}


def worlds(people: int, seed: int) -> dict[str, pl.DataFrame]:
    """The two worlds."""
    rng = np.random.default_rng(seed)
    income = np.round(rng.lognormal(10.3, 0.8, people)).astype(int)
    incomes = pl.DataFrame({"income": income, "sex": rng.choice(["f", "m"], people)})
    rng = np.random.default_rng(seed)
    places = {
        "age": np.clip(rng.normal(45, 18, people), 18, 95).astype(int),
        "zip": [f"02{z:03}" for z in rng.integers(0, 80, people)],
        "sex": rng.choice(["f", "m"], people),
    }
    return {"incomes": incomes, "places": pl.DataFrame(places)}


def fits(label: str, values: pl.Series) -> np.ndarray:
    """Which values a label may stand for."""
    if values.dtype == pl.String:
        if not label.endswith("*"):
            return (values == label).to_numpy()
        return values.str.starts_with(label.rstrip("*")).to_numpy()
    bounds = read_bounds(label) or Bounds(label, label, high_inside=True)
    line = values.to_numpy()
    found = np.ones(len(line), dtype=bool)
    if label != "*" and bounds.low is not None:
        low = float(parse_number(bounds.low) or 0)
        found &= line >= low if bounds.low_inside else line > low
    if label != "*" and bounds.high is not None:
        high = float(parse_number(bounds.high) or 0)
        found &= line <= high if bounds.high_inside else line < high
    return found


def guesses(frame: pl.DataFrame, world: pl.DataFrame, number: str) -> dict[int, float]:
    """Who is guessed to be in the table, and what chance makes of each guess."""
    known = {(c, v): fits(v, world[c]) for c in frame.columns for v in frame[c].unique()}
    line = world[number].to_numpy()
    chance, found = np.zeros(len(world)), set()
    for *cells, records in frame.group_by(frame.columns).len().rows():
        named = zip(frame.columns, cells, strict=True)
        fitting = np.flatnonzero(np.logical_and.reduce([known[cell] for cell in named]))
        chance[fitting] += records / len(fitting)
        for end in (line[fitting].min(), line[fitting].max()):
            nearest = fitting[line[fitting] == end]
            if len(nearest) == 1 and len(fitting) > 1:
                found.add(int(nearest[0]))
    return {person: min(1.0, float(chance[person])) for person in found}


def measured(world: pl.DataFrame, present: list[int], number: str, model: Model, ends: str) -> str:
    """Loss and success of one release, in words."""
    names = world.columns
    said = incrowd.quick(names, quasi=names, k=2)
    asked = said.model_copy(update={"models": (model,), "ends": ends})
    release = incrowd.anonymize(world[present], asked, world=world, seed=1)
    found = guesses(release.frame, world, number)
    right = len(found.keys() & set(present))
    told = f"{right:4} of {len(found):4} guesses right, chance {sum(found.values()):6.1f}"
    return f"{ends:8} gcp {release.loss['gcp']:.4f}   {told}"


def main() -> None:
    """Print loss and success for each world, model and kind of ends."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=3_000)
    parser.add_argument("--records", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    drawn = np.random.default_rng(asked.seed + 1).permutation(asked.people)[: asked.records]
    for title, world in worlds(asked.people, asked.seed).items():
        for model in MODELS:
            for ends in ("aligned", "exact"):
                told = measured(world, sorted(drawn.tolist()), NUMBER[title], model, ends)
                print(f"{title:8} {model.name:15} {model.threshold:<5g} {told}")


if __name__ == "__main__":
    main()
