"""What an attack does to single people: averages hide the few who are found for certain."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.attacks.intervals import Rate

_PEOPLE = 2.0**40
"""More people than a class has."""
_ROUNDING = 1e-9
"""A chance above a limit by less is not above it."""
LIMIT = 0.9
"""A chance above this counts as found, unless another limit is given."""


@dataclass(frozen=True)
class Persons:
    """The chance that an attacker is right about each person: the worst of it."""

    limit: float
    above: float
    """People about whom the attacker is right with a chance above the limit, and was not before."""
    largest: float
    """The largest such chance of anybody, 0..1."""
    raised: float
    """The most that the release adds to anybody's chance, as a share of what was open, 0..1."""
    worst: int
    """People in the largest group with the largest chance: people whom the release shows alike."""

    @classmethod
    def of(
        cls, chance: Floats, before: Floats | float, people: Floats | Counts, limit: float
    ) -> "Persons":
        """Of classes of people with a chance each, after and before the release."""
        earlier = np.broadcast_to(np.asarray(before, dtype=np.float64), chance.shape)
        some, least = people > 0, limit + _ROUNDING
        largest = float(chance[some].max(initial=0.0))
        at = some & (chance >= largest * (1 - 1e-12)) & (chance > 0)
        return cls(
            limit=limit,
            above=float(people[(chance > least) & (earlier <= least)].sum()),
            largest=largest,
            raised=float(raised(chance[some], earlier[some]).max(initial=0.0)),
            worst=round(float(people[at].max(initial=0))),
        )

    @classmethod
    def of_ranked(
        cls, limit: float, above: float, figures: tuple[float, float, float]
    ) -> "Persons":
        """Of the largest chance, the most that is added, and the highest `rank` of a class."""
        largest, most, ranked = figures
        worst = round(ranked % _PEOPLE) if largest > 0 else 0
        return cls(limit, above, largest, most, worst)

    @classmethod
    def of_claims(cls, rate: Rate, before: float, limit: float) -> "Persons":
        """Of people about whom the attacker claims something: each with the chance of all."""
        chance, people = np.array([rate.success]), np.array([rate.success * rate.trials])
        return replace(cls.of(chance, before, people, limit), worst=rate.trials)

    def as_dict(self, trials: int) -> dict[str, Any]:
        """As JSON writes it, among so many people."""
        return {
            "largest_posterior": self.largest,
            "limit": self.limit,
            "above": round(self.above),
            "above_share": self.above / trials if trials else 0.0,
            "largest_raise": self.raised,
            "worst_class": self.worst,
        }


def rank(chance: Floats, people: Floats | Counts) -> Floats:
    """Orders classes by their chance, to a thousandth, then by their people.

    One number for both, so that the highest of parts is the highest of all.
    """
    found: Floats = np.where(people > 0, np.round(chance * 1000) * _PEOPLE + people, 0.0)
    return found


def raised(after: Floats, before: Floats) -> Floats:
    """What a release adds to chances, as a share of what was open before; 0 if nothing was."""
    open_before: Floats = np.maximum(1 - before, 1e-12)
    found: Floats = np.where(after > before + 1e-12, (after - before) / open_before, 0.0)
    return np.minimum(found, 1.0)
