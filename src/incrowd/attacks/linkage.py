"""Linkage: whom of a world a released row may be (Bettini Section 3), and who it is.

The attacker holds an external table with names, a *world*, and looks up who fits a released row.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.attacks.attack import Attack
from incrowd.attacks.intervals import Rate
from incrowd.attacks.persons import LIMIT, Persons
from incrowd.attacks.words import columns, part, people, rows, share


@dataclass(frozen=True, eq=False)
class Candidates:
    """Per released row, how many individuals of a world fit it."""

    knows: tuple[str, ...]
    number: Counts
    individuals: int
    """Different individuals in the world."""
    right: Flags | None = None
    """Whether the person whom the row is about is among them; None if that is not known."""
    class_of: Codes | None = None
    """The class of each row: rows of one show the same. None if each shows something else."""
    listed: float | None = None
    """The share of the rows whose person is in the world; None if that is not known."""
    one_each: bool = True
    """Whether every row is about another person."""
    fixed: bool = False
    """Whether labels of no column overlap: the classes are cells that people fall into."""

    @property
    def k(self) -> int | None:
        """The fewest individuals that fit a row, among the rows that fit anybody; None if none do.

        A row that fits nobody does not belong to this world, and is no crowd of none.
        """
        found = self.number[self.number > 0]
        return int(found.min()) if len(found) else None

    @property
    def inconsistent(self) -> int:
        """Rows that fit nobody."""
        return int((self.number == 0).sum())

    @cached_property
    def classes(self) -> Codes:
        """The class of each row."""
        each = np.arange(len(self.number), dtype=np.int32)
        return each if self.class_of is None else self.class_of

    @cached_property
    def sizes(self) -> Counts:
        """Rows per class."""
        return np.bincount(self.classes).astype(np.int64)

    @cached_property
    def fitting(self) -> Counts:
        """Individuals who fit each class."""
        fitting = np.zeros(len(self.sizes), dtype=np.int64)
        fitting[self.classes] = self.number
        return fitting

    @cached_property
    def most_listed(self) -> Floats:
        """Per class: how many of its people can be in the world at the most.

        No more than there are candidates, if every row is about another person; in all no more than
        the world has individuals, or than are known to be listed. Where that leaves a choice, those
        with few candidates are taken to be listed: the worst case.
        """
        most: Counts = np.where(self.fitting > 0, self.sizes, 0)
        total = float(len(self.number))
        if self.one_each:
            most, total = np.minimum(most, self.fitting), float(min(self.individuals, total))
        if self.listed is not None:
            total = min(total, self.listed * len(self.number))
        order = np.argsort(self.fitting, kind="stable")
        before = np.cumsum(most[order]) - most[order]
        taken = np.zeros(len(most))
        taken[order] = np.clip(total - before, 0.0, most[order])
        return taken

    @property
    def unlisted(self) -> int:
        """Rows whose people cannot all be in the world: so many at the least are not."""
        return len(self.number) - int(self.most_listed.sum() + 1e-9)

    @property
    def chances(self) -> Floats:
        """Per class: in how many of its rows somebody drawn of those who fit is the person.

        With the truth that is exact, without it the most that it can be.
        """
        if self.right is None:
            found: Floats = self.most_listed / np.maximum(self.fitting, 1)
            return found
        chance = np.where(self.right & (self.number > 0), 1 / np.maximum(self.number, 1), 0.0)
        return np.bincount(self.classes, chance, len(self.sizes)).astype(np.float64)

    def persons(self, before: float, limit: float) -> Persons:
        """The worst for the people behind single rows."""
        if self.right is None:
            among = np.maximum(self.fitting, self.sizes if self.one_each else 1)
            chance: Floats = np.where(self.fitting > 0, 1 / np.maximum(among, 1), 0.0)
            return Persons.of(chance, before, self.sizes, limit)
        right = np.bincount(self.classes, weights=self.right & (self.number > 0))
        return Persons.of(1 / np.maximum(self.fitting, 1), before, right, limit)


def linkage(found: Candidates, limit: float = LIMIT) -> Attack:
    """How often one of the individuals who fit a row, drawn at random, is the person.

    Without the truth this is the most that it can be: as many of the people as possible are taken
    to be in the world. The baseline is to draw from the whole world; whoever is not in it cannot be
    drawn. If some people cannot be in the world and nobody says who is, the rate is no more than a
    bound, and no limit is held against it.
    """
    total = len(found.number)
    chances = found.chances
    rate = Rate.of_classes(chances, found.sizes, fixed=found.fixed)
    known = found.right is not None or found.listed is not None
    listed = found.listed if known and found.listed is not None else _share(found)
    baseline = listed / found.individuals if found.individuals else 0.0
    alone = _alone(found)
    return Attack(
        kind="linkage",
        knows=found.knows,
        rate=rate,
        baseline=baseline,
        says=(
            f"Somebody holds a list of {people(found.individuals)} with {columns(found.knows)}, "
            f"and looks up who fits each released row. {_on_the_list(found, listed)} "
            f"{_fewest(found, alone)} {_drawn(found, rate.success)}"
        ),
        figures=_figures(found, (alone / max(total, 1), listed)),
        persons=found.persons(baseline, limit),
        gated=known or not found.unlisted,
    )


def _alone(found: Candidates) -> int:
    """Rows that fit one person only: the right one, if the truth is known."""
    single: Flags = found.number == 1
    return int((single if found.right is None else single & found.right).sum())


def _share(found: Candidates) -> float:
    """The largest share of the released people that can be listed."""
    return float(found.most_listed.sum()) / max(len(found.number), 1)


def _on_the_list(found: Candidates, listed: float) -> str:
    """Whose share the rate can be of, in a sentence."""
    if found.listed is not None:
        some = f"{share(listed)} of the" if 0 < listed < 1 else ("All" if listed else "None of the")
        return f"{some} released people are on the list."
    if found.unlisted:
        return (
            f"At most {share(listed)} of the released people can be on the list; nothing given "
            "here says who is."
        )
    return "All released people may be on the list, and are taken to be."


def _fewest(found: Candidates, alone: int) -> str:
    """How few people a row fits, in a sentence."""
    if found.k is None:
        return "No row fits anybody."
    sure = "" if found.right is None else ", the right one"
    return (
        f"The row with the fewest fits {people(found.k)}; {alone:,} of {rows(len(found.number))} "
        f"fit one person only{sure}."
    )


def _drawn(found: Candidates, success: float) -> str:
    """How often a draw is right, in a sentence: of all released rows, listed or not."""
    if found.right is None and success:
        return (
            "Drawing one of those who fit names the right person for at most "
            f"{share(success)} of all released rows."
        )
    return (
        f"Drawing one of those who fit names the right person for "
        f"{part(success, 'all released rows')}."
    )


def _figures(found: Candidates, shares: tuple[float, float]) -> dict[str, float]:
    total = max(len(found.number), 1)
    alone, listed = shares
    figures: dict[str, float] = {"inconsistent": found.inconsistent, "listed": listed}
    if found.k is not None:
        figures = {"k": found.k, **figures}
    if found.right is None:
        return {**figures, "alone": alone, "unlisted": found.unlisted}
    return {**figures, "right_alone": alone, "right": float(found.right.sum()) / total}
