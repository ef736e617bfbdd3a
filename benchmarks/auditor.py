"""Random policies: what the auditor counts beside what `check` counts.

Run with `python -m benchmarks.auditor --policies 5000 --seed 1`. Tables and policies are drawn over
every model, kind of label, reading of missing values and dialect of CSV; `anonymize` makes a
release or refuses. The auditor (`incrowd.auditor`, one file, standard library only) and `check`
look at the release, at a copy in which cells were exchanged, and at copies of the certificate in
which a figure was changed. Printed are the numbers of releases, refusals and forgeries, and every
disagreement.
"""

import argparse
import csv
import hashlib
import json
import random
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import incrowd
from benchmarks import stranger
from incrowd import auditor
from incrowd.errors import IncrowdError

ROUNDING = 1e-9
SHOWS = ("spans", "spans", "sets", "representatives", "permutation")
DIALECTS: tuple[dict[str, Any], ...] = (
    {},
    {"delimiter": ";", "lineterminator": "\n"},
    {"delimiter": "\t"},
    {"delimiter": "|", "quoting": csv.QUOTE_ALL},
)
CITIES = ("Ulm", "Bern", 'Graz "old"', "Linz; upper", "Zug, lake", "São Paulo", " Wien ")
FIGURES = ("records_out", "people", "classes", "loss.average_class", "suppressed.share", "models")


@dataclass
class Tally:
    """What became of the policies."""

    counts: Counter[str] = field(default_factory=Counter)
    disagreements: list[str] = field(default_factory=list)


@dataclass
class Case:
    """A table and a policy as texts, and the dialect of the table's file."""

    rows: list[stranger.Row]
    policy: str
    dialect: dict[str, Any]
    models: list[list[str]]


def case_of(rng: random.Random) -> Case:
    """A random table with a random policy."""
    quasi = rng.sample(stranger.QUASI, rng.randint(1, 4))
    show = rng.choice(SHOWS)
    unit = show != "permutation" and rng.random() < 0.15
    gaps, mark = rng.choice([0, 0, 0.1, 0.3]), rng.choice(["", "", "NA", "-9"])
    pool = [_record(rng, quasi) for _ in range(rng.randint(4, 30))]
    rows = []
    for number in range(rng.randint(8, 60)):
        row = {n: mark if rng.random() < gaps else v for n, v in rng.choice(pool).items()}
        row["ill"] = mark if rng.random() < gaps / 2 else rng.choice(["flu", "Flu", "hiv", "gout "])
        row["cost"] = rng.choice(["10", "10.0", "20", "3e2", "1000", "7"])
        row["seen"] = rng.choice(["2024-01-05", "2024-02-29", "2024-01-05 00:00", "2023-12-31"])
        row["note"] = rng.choice(["a", "b"])
        if unit:
            row["who"] = f"p{number * 2 // 3}"
        rows.append(row)
    models = list(_models(rng, show))
    return Case(rows, _policy(rng, (quasi, show, unit, mark), models), rng.choice(DIALECTS), models)


def _record(rng: random.Random, quasi: list[str]) -> stranger.Row:
    return {n: rng.choice(CITIES) if n == "city" else stranger.value(n, rng) for n in quasi}


def _policy(
    rng: random.Random, table: tuple[list[str], str, bool, str], models: list[list[str]]
) -> str:
    quasi, show, unit, mark = table
    readings = ["own-value", "suppress"] + ["matches-anything"] * (show != "permutation")
    missing = rng.choice(readings)
    search = rng.choice(("auto", "crowd", "mondrian", "lattice", "hilbert", "datafly", "diversify"))
    lines = [
        "version = 1",
        f'missing = "{missing}"',
        f'show = "{show}"',
        f"suppression = {rng.choice([0, 0, 0.1, 0.25, 0.4])}",
        f'search = "{"anatomy" if show == "permutation" and rng.random() < 0.5 else search}"',
        "time_limit = 5.0",
        f'missing_values = ["", "{mark}"]' if rng.random() < 0.5 else "",
    ]
    if show in {"spans", "sets"} and rng.random() < 0.3:
        lines.append('ends = "exact"')
    if show == "spans" and missing != "matches-anything" and rng.random() < 0.3:
        lines.append("split_ends = true")
    if show == "permutation" and rng.random() < 0.7:
        lines.append('class_column = "class"')
    for model in models:
        lines += ["", "[[models]]", *model]
    roles = dict.fromkeys(quasi, "quasi") | dict.fromkeys(("ill", "cost", "seen"), "sensitive")
    roles |= {"note": rng.choice(["keep", "drop"])} | ({"who": "unit"} if unit else {})
    for name, role in roles.items():
        own = ['missing_values = ["7"]'] if name == "cost" and rng.random() < 0.3 else []
        tree = ['hierarchy = { name = "intervals", width = 10 }'] if name == "cost" else []
        lines += ["", f"[columns.{name}]", f'role = "{role}"', *own, *tree]
        lines += stranger._hierarchy(rng, name, role)  # noqa: SLF001  the same hierarchies
        lines += ['derived = "accept"'] if role in {"keep", "sensitive"} else []
    return "\n".join(lines) + "\n"


def _models(rng: random.Random, show: str) -> list[list[str]]:
    """One to three models, of every kind that a release without a world can have."""
    column = rng.choice(["ill", "cost", "seen"])
    of = f'column = "{column}"'
    kind = rng.choice(["frequency", "distinct", "entropy", "recursive"])
    l = rng.choice([2, 2, 3] if kind in {"distinct", "recursive"} else [1.25, 1.5, 2, 2.5])
    diverse = ['name = "l-diversity"', of, f"l = {l}", f'kind = "{kind}"']
    diverse += [f"c = {rng.choice([1, 2, 2.5])}"] * (kind == "recursive")
    distance = rng.choice(["equal", "ordered", "hierarchical"])
    near = "cost" if distance == "hierarchical" else column
    close = ['name = "t-closeness"', f'column = "{near}"', f"t = {rng.choice([0.2, 0.35, 0.5])}"]
    choices = [diverse, [*close, f'distance = "{distance}"']]
    if show != "permutation":
        share = rng.choice([0.5, 0.6, 0.75, 0.8])
        choices += [
            ['name = "k-anonymity"', f"k = {rng.randint(2, 5)}"],
            ['name = "k-anonymity"', f"k = {rng.randint(2, 5)}"],
            ['name = "alpha-k"', of, f"alpha = {share}", f"k = {rng.randint(2, 4)}"],
        ]
    if show == "spans" and rng.random() < 0.1:
        choices.append(['name = "probabilistic"', "k = 2", "population = 100000"])
    picked = rng.sample(choices, rng.randint(1, min(3, len(choices))))
    return [m for i, m in enumerate(picked) if m[:2] not in [one[:2] for one in picked[:i]]]


def write(path: Path, rows: list[stranger.Row], dialect: dict[str, Any]) -> Path:
    """Rows as a CSV file of this dialect."""
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.DictWriter(file, rows[0], **dialect)
        lines.writeheader()
        lines.writerows(rows)
    return path


def judge(case: Case, folder: Path, rng: random.Random, tally: Tally) -> None:
    """Anonymize, then compare what `check` and the auditor find of the release and of forgeries."""
    source = write(folder / "table.csv", case.rows, case.dialect)
    path = folder / "policy.toml"
    path.write_text(case.policy, encoding="utf-8")
    target = folder / "release.csv"
    paper = stranger.certificate_of(target)
    try:
        incrowd.anonymize(source, incrowd.read_policy(path), target, seed=1)
    except IncrowdError as error:
        tally.counts["refused"] += 1
        tally.counts[f"refused: {type(error).__name__}"] += 1
        return
    tally.counts["released"] += 1
    for model in case.models:
        tally.counts[f"released with {' '.join(model[0].split()[2:])}"] += 1
    _compare("release", target, paper, tally)
    honest = paper.read_text(encoding="utf-8")
    for name in FIGURES:
        paper.write_text(_changed(honest, name), encoding="utf-8")
        _compare(f"forged {name}", target, paper, tally)
    paper.write_text(honest, encoding="utf-8")
    _exchange(target, paper, rng, case.dialect)
    _compare("exchanged cells", target, paper, tally)


def _changed(text: str, place: str) -> str:
    """The certificate with another figure at a place; a model claims a little more than it has."""
    said = json.loads(text)
    outer, _, inner = place.partition(".")
    if place == "models":
        model = said["models"][0]
        safer = -1 if model["name"] in {"t-closeness", "alpha-k"} else 1
        model["reached"] += safer * 1e-3
    elif inner:
        said[outer][inner] += 1e-3
    else:
        said[outer] += 1
    return json.dumps(said)


def _exchange(target: Path, paper: Path, rng: random.Random, dialect: dict[str, Any]) -> None:
    """Exchange the cells of some rows in one column, and forge the digest of the file."""
    text = target.read_text(encoding="utf-8")
    delimiter = dialect.get("delimiter", ",")
    rows = list(csv.DictReader(text.splitlines(), delimiter=delimiter))
    if not rows or None in rows[0] or len(rows[0]) < 2:
        rows = list(csv.DictReader(text.splitlines()))
    said = json.loads(paper.read_text(encoding="utf-8"))
    for _ in range(rng.randint(1, 3)):
        name, one, other = rng.choice(list(rows[0])), *(rng.randrange(len(rows)) for _ in range(2))
        rows[one][name], rows[other][name] = rows[other][name], rows[one][name]
    write(target, rows, {"lineterminator": "\n"})
    said["digest"]["sha256"] = hashlib.sha256(target.read_bytes()).hexdigest()
    said["rows_sha256"] = None
    paper.write_text(json.dumps(said), encoding="utf-8")


def _compare(what: str, target: Path, paper: Path, tally: Tally) -> None:
    """Remember where the two disagree: on a model's figure, or on the verdict."""
    ours = incrowd.check(target, certificate=paper)
    theirs = auditor.audit(target, paper)
    tally.counts[f"{what}: {'passed' if ours.ok else 'refused'}"] += 1
    for model, seen in zip(ours.models, theirs["models"], strict=False):
        if seen["counted"] is None:
            continue
        tally.counts["models compared"] += 1
        if abs(seen["counted"] - model.reached) > ROUNDING or seen["met"] != model.ok:
            said = f"{model.reached:g} {model.ok}, the auditor {seen['counted']:g} {seen['met']}"
            tally.disagreements.append(f"{what}: {model.name} {said}")
    if ours.ok != theirs["ok"]:
        tally.disagreements.append(f"{what}: check {ours.ok}, the auditor {theirs['ok']}")


def run(policies: int, seed: int, keep: Path | None = None) -> Tally:
    """Judge so many random policies."""
    tally = Tally()
    for number in range(policies):
        rng, before = random.Random(f"{seed}:{number}"), len(tally.disagreements)
        with tempfile.TemporaryDirectory() as folder:
            case = case_of(rng)
            judge(case, Path(folder), rng, tally)
        for i in range(before, len(tally.disagreements)):
            tally.disagreements[i] = f"{number}: {tally.disagreements[i]}"
        if keep is not None and len(tally.disagreements) > before:
            (keep / f"{number}.toml").write_text(case.policy, encoding="utf-8")
            write(keep / f"{number}.csv", case.rows, case.dialect)
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
