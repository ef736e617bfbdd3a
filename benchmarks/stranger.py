"""Random tables and policies: incrowd's verdicts beside those of a checker that shares no code.

Run with `python -m benchmarks.stranger --policies 5000 --seed 1`. A policy is written to a file, a
table (and for models of a world a world) to CSV files, and `anonymize` makes a release or
refuses. The stranger (tests/stranger, written from the documentation, standard library only) reads
the released CSV and counts every model anew; so does `check`, for the release and for a copy
in which cells were exchanged. Printed are the numbers of releases, refusals and disagreements.
"""

import argparse
import csv
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import incrowd
from incrowd.errors import IncrowdError

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from stranger import checker

Row = dict[str, str]
QUASI = ("age", "income", "birth", "zip", "city", "sex")
SEARCHES = (
    *("auto", "auto", "crowd", "mondrian", "lattice", "lattice+local", "hilbert", "idistance"),
    *("tree", "top-down", "datafly", "cuts", "diversify", "accuracy", "mu-argus"),
)
ROUNDING = 1e-7


@dataclass
class Case:
    """A table, a policy and perhaps a world, as texts."""

    rows: list[Row]
    policy: str
    world: list[Row] = field(default_factory=list)
    world_id: str | None = None


@dataclass
class Tally:
    """What became of the policies."""

    counts: Counter[str] = field(default_factory=Counter)
    disagreements: list[str] = field(default_factory=list)


def value(name: str, rng: random.Random) -> str:
    """A random value of a column."""
    match name:
        case "age":
            return str(rng.randint(18, 60))
        case "income":
            return str(rng.choice([1, 10, 50]) * rng.randint(100, 400))
        case "birth":
            return f"{rng.randint(1950, 1975)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        case "zip":
            return f"0{rng.randint(210, 219)}{rng.randint(0, 9)}"
        case "city":
            return rng.choice(["Ulm", "Bern", "Graz", "Linz", "Zug"])
        case _:
            return rng.choice("fm")


def case_of(rng: random.Random) -> Case:
    """A random table with a random policy."""
    quasi = rng.sample(QUASI, rng.randint(1, 4))
    gaps = rng.choice([0, 0, 0.1, 0.3])
    pool = [{name: value(name, rng) for name in quasi} for _ in range(rng.randint(6, 40))]
    records = rng.randint(6, 40)
    show = rng.choice(["spans", "spans", "spans", "sets", "representatives", "permutation"])
    of_world = show in {"spans", "sets"} and rng.random() < 0.35
    unit = show != "permutation" and rng.random() < 0.3
    rows = []
    for number in range(records):
        row = {n: "" if rng.random() < gaps else v for n, v in rng.choice(pool).items()}
        row["ill"] = "" if rng.random() < gaps / 2 else rng.choice(["flu", "flu", "hiv", "gout"])
        row["cost"] = str(rng.choice([10, 20, 20, 300, 1000]))
        if show != "permutation":
            row |= {"row": str(number), "mass": str(rng.randint(1, 9))}
        if unit:
            row["who"] = (
                "" if rng.random() < 0.1 else f"p{rng.randint(1, max(2, records * 2 // 3))}"
            )
        rows.append(row)
    world, name = _world(rng, rows, pool, quasi) if of_world else ([], None)
    return Case(rows, policy_of(rng, (quasi, show, unit, bool(world))), world, name)


def _world(
    rng: random.Random, rows: list[Row], pool: list[Row], quasi: list[str]
) -> tuple[list[Row], str | None]:
    """A world that knows some of the columns: the people of the table, and others."""
    known = rng.sample(quasi, rng.randint(1, len(quasi)))
    own = rows if rng.random() < 0.8 else rows[::2]
    others = [dict(rng.choice(pool)) for _ in range(rng.randint(0, 60))]
    strangers = [{n: value(n, rng) for n in quasi} for _ in range(rng.randint(0, 20))]
    everybody = [{name: row[name] for name in known} for row in (*own, *others, *strangers)]
    rng.shuffle(everybody)
    if rng.random() < 0.5:
        return everybody, None
    for row in everybody:
        row["id"] = "" if rng.random() < 0.1 else f"w{rng.randint(1, len(everybody))}"
    return everybody, "id"


def policy_of(rng: random.Random, table: tuple[list[str], str, bool, bool]) -> str:
    """A policy as TOML."""
    quasi, show, unit, world = table
    readings = ["own-value", "suppress"] + ["matches-anything"] * (show != "permutation")
    search = "anatomy" if show == "permutation" and rng.random() < 0.5 else rng.choice(SEARCHES)
    lines = [
        "version = 1",
        f'missing = "{rng.choice(readings)}"',
        f'show = "{show}"',
        f"suppression = {rng.choice([0, 0, 0.1, 0.25, 0.4])}",
        f'search = "{rng.choice(["auto", "world"]) if world else search}"',
        f'order = "{rng.choice(["shuffle", "keep"])}"',
        "time_limit = 5.0",
        "max_alone = 1",
    ]
    if show == "permutation":
        lines.append('class_column = "class"')
    for model in _models(rng, show, world=world):
        lines += ["", "[[models]]", *model]
    roles = dict.fromkeys(quasi, "quasi") | {"ill": "sensitive", "cost": "sensitive"}
    if show != "permutation":
        roles |= {"row": "keep", "mass": "weight"}
    if unit:
        roles["who"] = "unit"
    for name, role in roles.items():
        lines += ["", f"[columns.{name}]", f'role = "{role}"', *_hierarchy(rng, name, role)]
    return "\n".join(lines) + "\n"


def _hierarchy(rng: random.Random, name: str, role: str) -> list[str]:
    """Hierarchies whose labels say what they stand for, or none."""
    known = {
        "age": ['{ name = "intervals", width = 5 }', '"intervals"'],
        "income": ['{ name = "intervals", quantiles = 4 }', '"intervals"'],
        "birth": [
            '"dates"',
            '{ name = "dates", steps = ["month", "quarter", "year", "10 years"] }',
        ],
        "zip": ['"prefix"'],
        "city": ['"flat"'],
        "sex": ['"flat"'],
    }
    if role != "quasi":
        return []
    lines = [f"hierarchy = {rng.choice(known[name])}"] if name in {"zip", "city", "sex"} else []
    if not lines and rng.random() < 0.7:
        lines = [f"hierarchy = {rng.choice(known[name])}"]
    return [*lines, "lowest = 1"] if lines and name == "zip" and rng.random() < 0.2 else lines


def _models(rng: random.Random, show: str, *, world: bool) -> Iterator[list[str]]:
    """One to three models."""
    choices: list[list[str]] = []
    if show != "permutation":
        choices.append(['name = "k-anonymity"', f"k = {rng.randint(2, 5)}"])
    kind = rng.choice(["frequency", "distinct", "entropy", "recursive"])
    l = rng.choice([2, 2, 3] if kind in {"distinct", "recursive"} else [1.25, 1.5, 2, 2.5])
    diverse = ['name = "l-diversity"', 'column = "ill"', f"l = {l}", f'kind = "{kind}"']
    choices.append(diverse + [f"c = {rng.choice([1, 2, 2.5])}"] * (kind == "recursive"))
    distance = rng.choice(["equal", "ordered"])
    near = ['name = "t-closeness"', 'column = "cost"', f"t = {rng.choice([0.2, 0.3, 0.5])}"]
    choices.append([*near, f'distance = "{distance}"'])
    share = rng.choice([0.5, 0.6, 0.75, 0.8])
    if show != "permutation":
        choices.append(['name = "alpha-k"', 'column = "ill"', f"alpha = {share}", "k = 2"])
    picked = rng.sample(choices, rng.randint(0 if world else 1, min(2, len(choices))))
    if world:
        yield from rng.choice(
            [
                [['name = "k-map"', f"k = {rng.randint(2, 6)}"]],
                [['name = "delta-presence"', f"delta = {rng.choice([0.3, 0.5, 0.75, 0.9])}"]],
            ]
        )
    yield from picked


def write(path: Path, rows: list[Row]) -> Path:
    """Rows as a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.DictWriter(file, rows[0])
        lines.writeheader()
        lines.writerows(rows)
    return path


def judge(case: Case, folder: Path, rng: random.Random, tally: Tally) -> None:
    """Anonymize, and compare what incrowd and the stranger find."""
    source = write(folder / "table.csv", case.rows)
    path = folder / "policy.toml"
    path.write_text(case.policy, encoding="utf-8")
    more: dict[str, Any] = {}
    if case.world:
        more = {"world": write(folder / "world.csv", case.world), "world_id": case.world_id}
    target = folder / "release.csv"
    try:
        policy = incrowd.read_policy(path)
        release = incrowd.anonymize(source, policy, target, seed=1, **more)
    except IncrowdError as error:
        tally.counts["refused"] += 1
        tally.counts[type(error).__name__] += 1
        return
    tally.counts["released"] += 1
    compare("release", _seen(release.models), case, folder, tally)
    checked = incrowd.check(target, policy, certificate_of(target), **more)
    if not checked.ok:
        tally.disagreements.append("check of the release")
    _exchange(target, policy.quasi, rng)
    again = incrowd.check(target, policy, **more)
    if policy.unit is None and again.models:
        tally.counts["exchanged"] += 1
        tally.counts["exchanged, not met"] += not all(model.ok for model in again.models)
        compare("exchanged cells", _seen(again.models), case, folder, tally)


def certificate_of(target: Path) -> Path:
    """Where the certificate of a release is."""
    return target.with_name(f"{target.name}.certificate.json")


def _seen(models: Any) -> list[tuple[float, bool]]:
    return [(model.reached, model.ok) for model in models]


def _exchange(target: Path, quasi: tuple[str, ...], rng: random.Random) -> None:
    """Exchange the cells of some rows in one column."""
    rows = checker.table(target)
    for _ in range(rng.randint(1, 3)):
        name, one, other = rng.choice(quasi), *(rng.randrange(len(rows)) for _ in range(2))
        rows[one][name], rows[other][name] = rows[other][name], rows[one][name]
    write(target, rows)


def compare(
    what: str, seen: list[tuple[float, bool]], case: Case, folder: Path, tally: Tally
) -> None:
    """Remember where the stranger finds something else."""
    asked = checker.policy(folder / "policy.toml")
    rows = checker.table(folder / "release.csv")
    alone = what != "release"
    shown = checker.Shown(asked, rows, case.rows)
    found = checker.judged(shown, (case.world, case.world_id) if case.world else None)
    names = [model["name"] for model in asked["models"]]
    for name, (reached, met), (theirs, ok) in zip(names, seen, found, strict=True):
        if alone and name == "t-closeness":
            continue
        if abs(reached - float(theirs)) > ROUNDING or met != ok:
            told = f"{what}: {name} {reached:g} {met}, the stranger {float(theirs):g} {ok}"
            tally.disagreements.append(told)
    if not alone:
        tally.disagreements += [f"{what}: {fault}" for fault in checker.faults(shown)]


def run(policies: int, seed: int, keep: Path | None = None) -> Tally:
    """Judge so many random policies."""
    tally = Tally()
    for number in range(policies):
        rng = random.Random(f"{seed}:{number}")
        before = len(tally.disagreements)
        with tempfile.TemporaryDirectory() as folder:
            case = case_of(rng)
            judge(case, Path(folder), rng, tally)
        for i in range(before, len(tally.disagreements)):
            tally.disagreements[i] = f"{number}: {tally.disagreements[i]}"
        if keep is not None and len(tally.disagreements) > before:
            (keep / f"{number}.toml").write_text(case.policy, encoding="utf-8")
            write(keep / f"{number}.csv", case.rows)
            if case.world:
                write(keep / f"{number}.world.csv", case.world)
    return tally


def main() -> None:
    """Print what was released and refused, and every disagreement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--policies", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for what was disagreed upon")
    asked, _ = parser.parse_known_args()
    tally = run(asked.policies, asked.seed, asked.keep)
    for name, count in sorted(tally.counts.items()):
        print(f"{count:8,}  {name}")
    print(f"{len(tally.disagreements):8,}  disagreements")
    for line in tally.disagreements:
        print(line)


if __name__ == "__main__":
    main()
