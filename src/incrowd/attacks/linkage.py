"""Linkage: whom of a world a released row may be (Bettini Section 3), and who it is.

The attacker holds an external table with names, a *world*, and looks up who fits a released row.
"""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Counts, Flags, Floats
from incrowd.attacks.attack import Attack
from incrowd.attacks.intervals import Rate, blind
from incrowd.attacks.words import columns, part, people, rows


@dataclass(frozen=True, eq=False)
class Candidates:
    """Per released row, how many individuals of a world fit it."""

    knows: tuple[str, ...]
    number: Counts
    individuals: int
    """Different individuals in the world."""
    right: Flags | None = None
    """Whether the person whom the row is about is among them; None if that is not known."""

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


def linkage(found: Candidates) -> Attack:
    """How often one of the individuals who fit a row, drawn at random, is the person.

    Without the truth the person is taken to be among those who fit, which is the worst case. The
    baseline is to draw from the whole world.
    """
    total = len(found.number)
    right: Flags = found.number > 0 if found.right is None else found.right & (found.number > 0)
    chance: Floats = np.where(right, 1 / np.maximum(found.number, 1), 0.0)
    rate = Rate.expected(float(chance.sum()), total)
    alone = int((right & (found.number == 1)).sum())
    return Attack(
        kind="linkage",
        knows=found.knows,
        rate=rate,
        baseline=blind(found.individuals),
        says=(
            f"Somebody holds a list of {people(found.individuals)} with {columns(found.knows)}, "
            f"and looks up who fits each released row. {_fewest(found, alone)} To draw among those "
            f"who fit names the right person for {part(rate.success, 'the rows')}."
        ),
        figures=_figures(found, alone),
    )


def _fewest(found: Candidates, alone: int) -> str:
    """How few people a row fits, in a sentence."""
    if found.k is None:
        return "No row fits anybody."
    sure = "" if found.right is None else ", the right one"
    return (
        f"The row with the fewest fits {people(found.k)}; {alone:,} of {rows(len(found.number))} "
        f"fit one person only{sure}."
    )


def _figures(found: Candidates, alone: int) -> dict[str, float]:
    total = max(len(found.number), 1)
    figures: dict[str, float] = {"inconsistent": found.inconsistent}
    if found.k is not None:
        figures = {"k": found.k, **figures}
    if found.right is None:
        return {**figures, "alone": alone / total}
    return {**figures, "right_alone": alone / total, "right": float(found.right.sum()) / total}
