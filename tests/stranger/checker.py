"""Counts what a release shows of a policy: files in, figures out, nothing of the system's code.

Written from docs/guide/policy.md, docs/models, docs/papers/bettini.md and docs/decisions. It reads
CSV files and a policy in TOML with the standard library, and looks at every pair of rows.
"""

import csv
import math
import tomllib
from collections import Counter
from fractions import Fraction
from pathlib import Path

from stranger.labels import MISSING, may_be, names, number, period


def table(path):
    """The header and the rows of a CSV file, each a dictionary of texts."""
    with Path(path).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def policy(path):
    """A policy file, with what it leaves out."""
    asked = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    return {"missing": "own-value", "suppression": 0.0, "show": "spans"} | asked


def having(asked, role):
    """The columns of a role."""
    return [name for name, column in asked["columns"].items() if column["role"] == role]


def kind_of(rows, name):
    """What the values of a column are: number, date or text; codes with leading zeros are text."""
    values = [row[name] for row in rows if row[name] != MISSING]
    if values and all(number(value) is not None for value in values):
        zeros = any(value.lstrip("+-")[:1] == "0" and value[1:2].isdigit() for value in values)
        return "text" if zeros else "number"
    return "date" if values and all(len(v) == 10 and period(v) for v in values) else "text"


class Shown:
    """A release with the table it was made from, row by row where a column `row` links them."""

    def __init__(self, asked, released, original):
        self.asked, self.rows, self.original = asked, released, original
        self.quasi = having(asked, "quasi")
        self.kinds = {name: kind_of(original, name) for name in asked["columns"]}
        unit = having(asked, "unit")
        self.unit = unit[0] if unit else None
        self.source = {row["row"]: row for row in original} if "row" in original[0] else {}
        self.person = [self._person(i, row) for i, row in enumerate(released)]
        cells = [tuple(row[name] for name in self.quasi) for row in released]
        if asked.get("class_column"):
            cells = [(row[asked["class_column"]],) for row in released]
        self.cells = cells
        self.names = {}
        self.classes = {}
        for i, shown in enumerate(cells):
            self.classes.setdefault(shown, []).append(i)

    def _person(self, i, row):
        """Whose row it is; whoever has no unit is somebody of their own."""
        if self.unit is None:
            return i
        return self.source[row["row"]][self.unit] or ("alone", i)

    def named(self, name):
        """All that the labels of a column name."""
        return self.names.setdefault(name, names({row[name] for row in self.rows}))

    def crowds(self):
        """Per class: the rows that nobody can tell from it."""
        if self.asked["missing"] != "matches-anything":
            return list(self.classes.values())
        return [
            [i for other, rows in self.classes.items() if _alike(shown, other) for i in rows]
            for shown in self.classes
        ]

    def holders(self, crowd, column):
        """People per value: a person counts once for each."""
        return Counter(v for v, _ in {(self.rows[i][column], self.person[i]) for i in crowd})

    def people(self, crowd):
        """Different people of these rows."""
        return len({self.person[i] for i in crowd})


def _alike(one, other):
    return all(a == b or MISSING in (a, b) for a, b in zip(one, other, strict=True))


def k_anonymity(shown, model, _):
    """The smallest crowd."""
    smallest = min(shown.people(crowd) for crowd in shown.crowds())
    return smallest, smallest >= model["k"]


def l_diversity(shown, model, _):
    """The least diverse crowd."""
    kinds = {"frequency": _frequency, "distinct": _distinct, "entropy": _entropy}
    kind = model.get("kind", "frequency")
    held = [(shown.holders(c, model["column"]), shown.people(c)) for c in shown.crowds()]
    if kind == "recursive":
        return _recursive(held, model)
    reached = min(kinds[kind](counts, people) for counts, people in held)
    rounding = 1e-9 if kind == "entropy" else 0
    if kind == "entropy":
        return reached, math.log(reached) >= math.log(model["l"]) - rounding
    return reached, reached >= Fraction(str(model["l"]))


def _frequency(counts, people):
    return Fraction(people, max(counts.values()))


def _distinct(counts, _):
    return len(counts)


def _entropy(counts, _):
    total = sum(counts.values())
    return math.exp(-sum(n / total * math.log(n / total) for n in counts.values()))


def _recursive(held, model):
    reached = 0
    for l in range(1, max(len(counts) for counts, _ in held) + 1):
        falling = (sorted(counts.values(), reverse=True) for counts, _ in held)
        if not all(f[0] < Fraction(str(model["c"])) * sum(f[l - 1 :]) for f in falling):
            break
        reached = l
    return reached, reached >= model["l"]


def alpha_k(shown, model, _):
    """The largest share of a value; 1 if a crowd is too small."""
    if any(shown.people(crowd) < model["k"] for crowd in shown.crowds()):
        return 1, False
    share = max(
        Fraction(max(shown.holders(crowd, model["column"]).values()), shown.people(crowd))
        for crowd in shown.crowds()
    )
    return share, share <= Fraction(str(model["alpha"]))


def t_closeness(shown, model, _):
    """The crowd that is farthest from all records of the release."""
    column = model["column"]
    whole = shown.holders(range(len(shown.rows)), column)
    distance = _ordered if model.get("distance", "equal") == "ordered" else _equal
    kind = shown.kinds[column]
    worst = max(distance(shown.holders(c, column), whole, kind) for c in shown.crowds())
    return worst, worst <= Fraction(str(model["t"])) + Fraction(1, 10**9)


def _share(counts, value):
    return Fraction(counts[value], sum(counts.values()))


def _equal(here, whole, _):
    return sum(abs(_share(here, v) - _share(whole, v)) for v in whole) / 2


def _ordered(here, whole, kind):
    order = {"number": number, "date": lambda text: period(text)[0], "text": str}[kind]
    values = sorted((v for v in whole if v != MISSING), key=order)
    apart = abs(_share(here, MISSING) - _share(whole, MISSING))
    if len(values) < 2:
        return apart
    scale = (1 - _share(here, MISSING)) / (1 - _share(whole, MISSING))
    carried, total = Fraction(0), Fraction(0)
    for value in values[:-1]:
        carried += _share(here, value) - _share(whole, value) * scale
        total += abs(carried)
    return min(Fraction(1), apart + total / (len(values) - 1))


def candidates(shown, world):
    """Per class: the individuals of the world that it may be about."""
    rows, who = world
    names = [name for name in shown.quasi if name in rows[0]]
    kinds = {name: kind_of(rows, name) for name in names}
    anything = shown.asked["missing"] == "matches-anything"
    persons = [row.get(who) or ("alone", i) for i, row in enumerate(rows)]
    known = {}

    def fits(name, cell, value):
        if anything and MISSING in (cell, value):
            return True
        if (name, cell, value) not in known:
            known[name, cell, value] = may_be(cell, value, kinds[name], shown.named(name))
        return known[name, cell, value]

    found = []
    for cells in shown.classes:
        public = [(name, dict(zip(shown.quasi, cells, strict=True))[name]) for name in names]
        found.append(
            {
                person
                for row, person in zip(rows, persons, strict=True)
                if all(fits(name, cell, row[name]) for name, cell in public)
            }
        )
    return found


def k_map(shown, model, world):
    """The fewest individuals of the world that a class may be about."""
    fewest = min(len(found) for found in candidates(shown, world))
    return fewest, fewest >= model["k"]


def delta_presence(shown, model, world):
    """How sure a class, or all together, make that an individual is there."""
    sums, worst = Counter(), Fraction(0)
    for rows, found in zip(shown.classes.values(), candidates(shown, world), strict=True):
        if not found:
            return 1, False
        share = Fraction(shown.people(rows), len(found))
        worst = max(worst, share)
        for person in found:
            sums[person] += share
    surest = max(worst, *sums.values())
    return min(surest, Fraction(1)), surest <= Fraction(str(model["delta"])) + Fraction(1, 10**9)


JUDGES = {
    "k-anonymity": k_anonymity,
    "l-diversity": l_diversity,
    "t-closeness": t_closeness,
    "alpha-k": alpha_k,
    "k-map": k_map,
    "delta-presence": delta_presence,
}


def judged(shown, world=None):
    """(reached, met) of each model of the policy, in its order."""
    return [JUDGES[model["name"]](shown, model, world) for model in shown.asked["models"]]


def faults(shown):
    """What is wrong with the release besides its models, in words without values."""
    asked, found = shown.asked, []
    columns = set(shown.rows[0])
    allowed = {n for n, c in asked["columns"].items() if c["role"] not in {"drop", "unit"}}
    allowed -= set(having(asked, "identifier"))
    if columns != allowed | ({asked["class_column"]} if asked.get("class_column") else set()):
        found.append("other columns than may leave")
    there = [row for row in shown.original if MISSING not in (row[name] for name in shown.quasi)]
    if asked["missing"] != "suppress":
        there = shown.original
    gone = len(there) - len(shown.rows)
    if gone < 0 or gone > Fraction(str(asked["suppression"])) * len(there):
        found.append("more records left out than may be")
    if asked["show"] in {"spans", "sets"} and shown.source:
        wrong = sum(
            not may_be(
                row[name], shown.source[row["row"]][name], shown.kinds[name], shown.named(name)
            )
            for row in shown.rows
            for name in shown.quasi
        )
        found += ["cells that do not cover their values"] if wrong else []
    return found
