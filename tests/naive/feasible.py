"""Whether a small table has any release that keeps a policy: all divisions of it are tried.

A division puts every record into a class or leaves it out. Parts of the table are numbers whose
bits are its records, so every part is judged once. Nothing here is clever.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

from naive.models import distinct, entropy, equal, recursive


def judge(model, crowd, values, people, whole):
    """Whether a crowd of records satisfies a model."""
    held = Counter(value for value, _ in {(values[i], people[i]) for i in crowd})
    persons = len({people[i] for i in crowd})
    if model.name == "k-anonymity":
        return persons >= model.k
    if model.name == "alpha-k":
        return persons >= model.k and max(held.values()) <= exact(model.alpha) * persons
    if model.name == "t-closeness":
        return float(equal(held, whole)) <= model.t + 1e-9
    return diverse(model, persons, held)


def diverse(model, persons, held):
    """Whether so many people with such values are l-diverse."""
    if model.kind == "frequency":
        return max(held.values()) * exact(model.l) <= persons
    if model.kind == "distinct":
        return distinct(held) >= model.l
    if model.kind == "entropy":
        return entropy(held) >= math.log(model.l) - 1e-9
    return recursive(held, exact(model.c)) >= model.l


def exact(number):
    return Fraction(number).limit_denominator(1_000_000)


def shown(part, columns):
    """What the records of a part show: a value, the ends of numbers, '*', or None for missing."""
    return tuple(_cell([column[i] for i in part]) for column in columns)


def _cell(values):
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "*" if known else None
    if len(set(known)) == 1:
        return (known[0],)
    return "*" if isinstance(known[0], str) else (min(known), max(known))


def compatible(one, other):
    """Whether two classes may be one and the same if a missing value matches anything."""
    return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))


class Small:
    """A small table with its models: which of its parts satisfy them, and what they show."""

    def __init__(self, columns, values, people, models):
        self.records = len(people)
        whole = Counter(value for value, _ in set(zip(values, people, strict=True)))
        self.columns, self.values, self.people = columns, values, people
        self.models, self.whole = models, whole
        self.known = {}
        self.cells = {}

    def fine(self, part):
        """Whether the records of a part, as one crowd, satisfy every model."""
        if part not in self.known:
            inside = members(part)
            self.known[part] = all(
                judge(model, inside, self.values, self.people, self.whole) for model in self.models
            )
        return self.known[part]

    def shown(self, part):
        if part not in self.cells:
            self.cells[part] = shown(members(part), self.columns)
        return self.cells[part]

    def kept(self, most, among):
        """All parts that leave out so many of some records at most, and not everything."""
        inside = members(among)
        for out in range(min(most, len(inside) - 1) + 1):
            for gone in combinations(inside, out):
                yield among - sum(1 << i for i in gone)

    def feasible(self, most, *, among=None, anything=False, alike=True):
        """Whether any division leaves out at most so many records and satisfies the models.

        `among` are the records that there are, all of them if not given. With `alike`, classes
        that show the same are one; without, they may be told apart by coarser labels.
        """
        among = (1 << self.records) - 1 if among is None else among
        if anything:
            return any(
                self.released(part)._crowds_fine(division)
                for part in self.kept(most, among)
                for division in divisions(part)
            )
        return any(
            self.released(part)._divided(part, frozenset(), alike)
            for part in self.kept(most, among)
        )

    def released(self, part):
        """The same, compared with how values are spread over the records that leave."""
        if not any(model.name == "t-closeness" for model in self.models):
            return self
        small = Small(self.columns, self.values, self.people, self.models)
        some = {(self.values[i], self.people[i]) for i in members(part)}
        small.whole, small.cells = Counter(value for value, _ in some), self.cells
        return small

    def _divided(self, part, taken, alike):
        """Whether a part can be divided into classes that satisfy the models."""
        if not part:
            return True
        first = part & -part
        rest = part - first
        sub = rest
        while True:
            mine = sub | first
            if self.fine(mine):
                cells = self.shown(mine) if alike else mine
                if cells not in taken and self._divided(part - mine, taken | {cells}, alike):
                    return True
            if not sub:
                return False
            sub = (sub - 1) & rest

    def _crowds_fine(self, division):
        cells = [self.shown(part) for part in division]
        if len(set(cells)) < len(cells):
            return False
        for mine in cells:
            crowd = sum(
                part for part, other in zip(division, cells, strict=True) if compatible(mine, other)
            )
            if not self.fine(crowd):
                return False
        return True


def members(part):
    return [i for i in range(part.bit_length()) if part >> i & 1]


def divisions(part):
    """All divisions of a part into classes."""
    if not part:
        yield []
        return
    first = part & -part
    rest = part - first
    sub = rest
    while True:
        for others in divisions(part - (sub | first)):
            yield [sub | first, *others]
        if not sub:
            return
        sub = (sub - 1) & rest
