"""Random small policies, every search on each, and what brute force says of what it answers.

    PYTHONPATH=src:tests python tests/refusals.py 500 --seed 1 --search auto --search mondrian

prints per search: `released`; `infeasible` (refused, and there is none); `missed` (refused with
"found none" though there is a release); `false proof` (refused as proved though there is one);
`unsafe proposal` (verification refused what the search proposed); `other` (limits, unfit policies).
"""

import argparse
import random
import sys
from collections import Counter
from typing import get_args

import polars as pl

import incrowd
from incrowd import AlphaK, Column, KAnonymity, LDiversity, Policy, TCloseness
from incrowd.errors import IncrowdError, InfeasibleError, NotMetError
from incrowd.search import AnySearch
from naive.feasible import Small

SEARCHES = {
    search().name: search()
    for search in get_args(get_args(AnySearch)[0])
    if search().name not in {"anatomy", "mu-argus", "world", "accuracy"}
}
"""All that promise to satisfy the models of any policy without a world."""
MODELS = [
    *(LDiversity("s", l) for l in (1.5, 2, 2, 3)),
    *(LDiversity("s", l, "distinct") for l in (2, 3)),
    *(LDiversity("s", l, "entropy") for l in (1.5, 2)),
    *(LDiversity("s", l, "recursive", c) for l, c in ((2, 1.0), (2, 2.0))),
    *(TCloseness("s", t) for t in (0.1, 0.3, 0.4)),
    *(AlphaK("s", alpha, k) for alpha, k in ((0.5, 2), (0.6, 3))),
]


class Case:
    """A small table with a policy, all but its search."""

    def __init__(self, draw, most=6):
        n = draw.randint(2, most)
        gaps = draw.choice([0, 0, 0.25])
        self.numbers = self._column(draw, n, [1, 2, 3, 9], gaps)
        self.texts = self._column(draw, n, "ab", gaps) if draw.random() < 0.5 else None
        self.values = self._column(draw, n, "xxyz"[: draw.randint(3, 4)], draw.choice([0, 0, 0.2]))
        self.unit = self._column(draw, n, "abcd"[: max(2, n - 1)], draw.choice([0, 0, 0.2]))
        self.units = draw.random() < 0.4
        models = draw.sample(MODELS, draw.choice([1, 1, 1, 2]))
        if draw.random() < 0.6:
            models.append(KAnonymity(draw.choice([2, 2, 3])))
        self.models = tuple({repr((m.name, getattr(m, "kind", ""))): m for m in models}.values())
        self.suppression = draw.choice([0.0, 0.2, 0.4, 0.5])
        self.missing = draw.choice(["own-value", "matches-anything", "suppress"])

    @staticmethod
    def _column(draw, n, values, gaps):
        return [None if draw.random() < gaps else draw.choice(values) for _ in range(n)]

    @property
    def columns(self):
        return [self.numbers] if self.texts is None else [self.numbers, self.texts]

    @property
    def divides_rows(self):
        """Whether two people show the same record, whom searches keep together if any has several.

        A release may take them apart; no search looks for it.
        """
        rows = list(zip(*self.columns, self.values, strict=True))
        return self.units and len(set(rows)) < len(rows)

    @property
    def frame(self):
        data = {"q": pl.Series(self.numbers, dtype=pl.Int64)}
        if self.texts is not None:
            data["g"] = pl.Series(self.texts, dtype=pl.String)
        data["s"] = pl.Series(self.values, dtype=pl.String)
        if self.units:
            data["u"] = pl.Series(self.unit, dtype=pl.String)
        return pl.DataFrame(data)

    def policy(self, search):
        roles = {"q": "quasi", "g": "quasi", "s": "sensitive", "u": "unit"}
        columns = {name: Column(role=roles[name]) for name in self.frame.columns}
        return Policy(
            columns=columns,
            models=self.models,
            suppression=self.suppression,
            missing=self.missing,
            search=search,
        )

    def feasible(self, *, alike=True):
        """Whether there is a release; with `alike`, one whose classes show their own spans."""
        n = len(self.numbers)
        people = [i if not self.units or self.unit[i] is None else self.unit[i] for i in range(n)]
        small = Small(self.columns, self.values, people, self.models)
        among = (1 << n) - 1
        if self.missing == "suppress":
            lacking = [i for i in range(n) if any(column[i] is None for column in self.columns)]
            among -= sum(1 << i for i in lacking)
        if not among:
            return False
        most = int(self.suppression * among.bit_count() + 1e-9)
        anything = self.missing == "matches-anything"
        gaps = any(value is None for column in self.columns for value in column)
        return small.feasible(most, among=among, anything=anything and gaps, alike=alike)


def answer(case, search):
    """What a search says of a case: released, proved, none, unsafe or other."""
    try:
        incrowd.anonymize(case.frame, case.policy(search), seed=0)
    except InfeasibleError as error:
        return "proved" if getattr(error, "proved", "is impossible" in str(error)) else "none"
    except NotMetError:
        return "unsafe"
    except IncrowdError:
        return "other"
    return "released"


def verdict(said, case):
    """What an answer is worth."""
    match said:
        case "released":
            return "released" if case.feasible(alike=False) else "RELEASED THOUGH THERE IS NONE"
        case "proved":
            return "false proof" if case.feasible(alike=False) else "infeasible"
        case "none":
            return "missed" if case.feasible() else "infeasible"
        case "unsafe":
            return "unsafe proposal"
    return "other"


def count(number, seed, searches, show=""):
    """Per search: how many answers are worth what."""
    found = {name: Counter() for name in searches}
    for i in range(number):
        case = Case(random.Random(f"{seed}/{i}"))
        for name in searches:
            worth = verdict(answer(case, SEARCHES[name]), case)
            found[name][worth] += 1
            if worth == show:
                sys.stdout.write(f"{seed}/{i} {name} {vars(case)}\n")
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("number", type=int)
    arguments.add_argument("--seed", default="0")
    arguments.add_argument("--show", default="", help="print the cases with this verdict")
    arguments.add_argument("--search", action="append", choices=SEARCHES)
    asked = arguments.parse_args()
    for name, counts in count(
        asked.number, asked.seed, asked.search or list(SEARCHES), asked.show
    ).items():
        told = ", ".join(f"{what} {n}" for what, n in sorted(counts.items()))
        sys.stdout.write(f"{name:14} {told}\n")


if __name__ == "__main__":
    main()
