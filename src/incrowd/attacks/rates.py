"""How often an attacker is right: rates with confidence intervals, and the worst single person."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.lazy import module

special = module("scipy.special")

Interval: TypeAlias = tuple[float, float]

_Z = 1.959963984540054
"""95 % of a normal distribution lies within so many standard deviations."""
_TAIL = 0.025
_NOTHING = 1e-12
"""A variance below this, beside that of people drawn one by one, is rounding."""
LIFTED = 0.5
"""A chance counts as lifted above a limit if the release closes so much of what was open."""
_PEOPLE = 2.0**40
"""More people than any class has."""
_CHANCE_ROUNDING = 1e-9
"""A chance that exceeds a limit by less does not exceed it."""


@dataclass(frozen=True, eq=False)
class ClassHits:
    """Hits and people of every class, and their products, computed once."""

    hits: Floats
    people: Floats

    @cached_property
    def classes(self) -> Floats:
        """Per class: 1 if it has people, else 0."""
        return (self.people > 0).astype(np.float64)

    @cached_property
    def squares(self) -> tuple[Floats, Floats, Floats]:
        """People times people, people times hits, and hits times hits."""
        return self.people * self.people, self.people * self.hits, self.hits * self.hits


@dataclass(frozen=True)
class Moments:
    """Sums over classes of people: all that an interval needs."""

    classes: float
    people: float
    hits: float
    squares: tuple[float, float, float]
    """Of people times people, people times hits, and hits times hits."""

    @classmethod
    def of(cls, hits: Floats, people: Floats | Counts) -> "Moments":
        """Sum up classes with these hits and people; classes without people are left out."""
        some = people > 0
        n, y = people[some].astype(np.float64), hits[some].astype(np.float64)
        squares = float((n * n).sum()), float((n * y).sum()), float((y * y).sum())
        return cls(float(len(n)), float(n.sum()), float(y.sum()), squares)

    def split_by_person(self, hits: Floats, people: Floats | Counts) -> "Moments":
        """The sums if each person were a class, with an equal part of their class's hits."""
        some = people > 0
        squared = float((hits[some] ** 2 / people[some]).sum())
        return Moments(self.people, self.people, self.hits, (self.people, self.hits, squared))

    def spread_by_groups(self, together: float) -> "Moments":
        """The sums if `together` classes at a time are hit or not: their spread grows."""
        people, mixed, hits = self.squares
        more = hits + self._squared_residuals * (max(together, 1.0) - 1)
        return Moments(self.classes, self.people, self.hits, (people, mixed, more))

    @property
    def _squared_residuals(self) -> float:
        """The squared differences between hits and what the rate of all classes expects."""
        rate, (people, mixed, hits) = self.hits / max(self.people, 1.0), self.squares
        return max(hits - 2 * rate * mixed + rate * rate * people, 0.0)

    def __add__(self, other: "Moments") -> "Moments":
        both = zip(self.squares, other.squares, strict=True)
        first, second, third = (one + another for one, another in both)
        return Moments(
            self.classes + other.classes,
            self.people + other.people,
            self.hits + other.hits,
            (first, second, third),
        )

    @property
    def spread(self) -> float:
        """The variance of hits / people if classes are a random sample; there must be people."""
        return self._squared_residuals / self.people**2 * self.classes / max(self.classes - 1, 1)

    @property
    def equivalent_classes(self) -> float:
        """How many classes of equal size would tell as much as these, which must have people."""
        return self.people**2 / self.squares[0]


@dataclass(frozen=True)
class Rate:
    """How often an attacker is right."""

    success: float
    """Hits per trial, 0..1: exact for these trials."""
    interval: Interval
    """The 95 % confidence interval of the rate for more trials like these."""
    trials: int

    @classmethod
    def of_counts(cls, hits: int, trials: int) -> "Rate":
        """The rate of counted hits, with an exact interval."""
        return cls(hits / trials if trials else 0.0, clopper_pearson_interval(hits, trials), trials)

    @classmethod
    def of_expectation(cls, hits: float, trials: int) -> "Rate":
        """The rate of an attacker who draws at random, with so many expected hits."""
        success = min(hits / trials, 1.0) if trials else 0.0
        return cls(success, wilson_interval(success * trials, trials), trials)

    @classmethod
    def of_classes(cls, hits: Floats, people: Floats | Counts, *, fixed: bool = False) -> "Rate":
        """The rate of hits, or expected hits, in classes of people.

        The people of a class are found together or not at all: classes are the sample, not people.
        Only if the classes are `fixed`, like the cells of a grid, people are the sample.
        """
        moments = Moments.of(hits, people)
        return cls.of_moments(moments.split_by_person(hits, people) if fixed else moments)

    @classmethod
    def of_moments(cls, moments: "Moments", together: float = 1.0) -> "Rate":
        """The rate by sums over classes; at least `together` people are found together or not."""
        trials = round(moments.people)
        success = min(moments.hits / moments.people, 1.0) if trials else 0.0
        return cls(success, clustered_interval(moments, together), trials)


def chance_of_guess(number: int) -> float:
    """The chance that one drawn among so many is the right one; 0 among none."""
    return 1 / number if number else 0.0


def clustered_interval(moments: Moments, together: float = 1.0) -> Interval:
    """The 95 % interval of a rate over classes whose people are found together or not at all.

    The variance of the ratio of two sums over classes gives an effective number of people, drawn
    one by one, and the interval is Wilson's for that number. If all classes agree, one that differs
    may still come: as often as one that was never seen among so many. If `together` people are
    found together or not, whatever the classes are, the variance is at least that of people drawn
    in groups of this size.

    >>> found = Moments.of(np.array([5.0, 0, 0, 0]), np.full(4, 5))
    >>> [round(end, 3) for end in clustered_interval(found)]
    [0.016, 0.869]
    """
    if not moments.people:
        return 0.0, 1.0
    rate = min(moments.hits / moments.people, 1.0)
    classes = min(moments.equivalent_classes, moments.people / together)
    least = rate * (1 - rate) / moments.people * together if together > 1 else 0.0
    spread = max(moments.spread, least)
    if spread <= _NOTHING * max(rate * (1 - rate), _NOTHING):
        unseen = clopper_pearson_interval(0, classes)[1]
        return rate * (1 - unseen), rate + (1 - rate) * unseen
    if not 0 < rate < 1:
        return (rate, rate)
    worth = rate * (1 - rate) / spread
    student = float(special.stdtrit(max(classes - 1, 1.0), 1 - _TAIL))
    return wilson_interval(rate * worth, worth, student)


def wilson_interval(successes: float, trials: float, within: float = _Z) -> Interval:
    """The 95 % interval of a rate by Wilson; `successes` may be an expectation, so a fraction.

    `within` is how many standard deviations hold 95 %. From 0 to 1 without trials. A mean of values
    from 0 to 1 varies at most as much as a rate of hits, so the interval also holds for the
    expected hits of an attacker who draws among several candidates.

    >>> [round(end, 4) for end in wilson_interval(1, 10)]
    [0.0179, 0.4042]
    >>> wilson_interval(0, 0)
    (0.0, 1.0)
    """
    if not trials:
        return 0.0, 1.0
    share, square = min(successes / trials, 1.0), within * within
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    spread = share * (1 - share) / trials + square / (4 * trials * trials)
    half = within * math.sqrt(spread) / (1 + square / trials)
    low = 0.0 if successes <= 0 else max(0.0, middle - half)
    high = 1.0 if successes >= trials else min(1.0, middle + half)
    return low, high


def clopper_pearson_interval(successes: float, trials: float) -> Interval:
    """The exact 95 % interval of a counted rate, never too narrow; from 0 to 1 without trials.

    >>> [round(end, 4) for end in clopper_pearson_interval(1, 10)]
    [0.0025, 0.445]
    >>> [round(end, 4) for end in clopper_pearson_interval(0, 10)]
    [0.0, 0.3085]
    """
    if not trials:
        return 0.0, 1.0
    misses = trials - successes
    low = float(special.betaincinv(successes, misses + 1, _TAIL)) if successes else 0.0
    high = float(special.betaincinv(successes + 1, misses, 1 - _TAIL)) if misses else 1.0
    return low, high


@dataclass(frozen=True)
class PersonRisk:
    """The chances that an attacker is right about single people: averages hide the worst."""

    limit: float
    above: float
    """People whose chance rose above the limit, closing `LIFTED` or more of what was open."""
    largest: float
    """The largest chance of anybody, 0..1."""
    raised: float
    """The most that the release adds to anybody's chance, as a share of what was open, 0..1."""
    worst: int
    """People in the largest class with the largest chance: people whom the release shows alike."""

    @classmethod
    def of(
        cls, chance: Floats, before: Floats | float, people: Floats | Counts, limit: float
    ) -> "PersonRisk":
        """The worst for single people, from each class's chance after and before the release."""
        earlier = np.broadcast_to(np.asarray(before, dtype=np.float64), chance.shape)
        some, least = people > 0, limit + _CHANCE_ROUNDING
        largest = float(chance[some].max(initial=0.0))
        lifted = added_chance(chance, earlier) >= LIFTED - _CHANCE_ROUNDING
        at = some & (chance >= largest * (1 - 1e-12)) & (chance > 0)
        return cls(
            limit=limit,
            above=float(people[(chance > least) & (earlier <= least) & lifted].sum()),
            largest=largest,
            raised=float(added_chance(chance[some], earlier[some]).max(initial=0.0)),
            worst=round(float(people[at].max(initial=0))),
        )

    @classmethod
    def of_largest(
        cls, limit: float, above: float, figures: tuple[float, float, float]
    ) -> "PersonRisk":
        """The worst by figures over all classes: (largest chance, most added, highest rank).

        `above` are the people above the limit. A rank is what `rank_classes` returns: it holds the
        people of the largest class with the largest chance.
        """
        largest, most, ranked = figures
        worst = round(ranked % _PEOPLE) if largest > 0 else 0
        return cls(limit, above, largest, most, worst)

    @classmethod
    def of_claims(cls, rate: Rate, before: float, limit: float) -> "PersonRisk":
        """The worst if each claim is right at this rate, and at `before` without the release."""
        chance, people = np.array([rate.success]), np.array([rate.success * rate.trials])
        return replace(cls.of(chance, before, people, limit), worst=rate.trials)

    def as_dict(self, trials: int) -> dict[str, Any]:
        """The figures as JSON has them; `trials` is the number of people."""
        return {
            "largest_posterior": self.largest,
            "limit": self.limit,
            "above": round(self.above),
            "above_share": self.above / trials if trials else 0.0,
            "largest_raise": self.raised,
            "worst_class": self.worst,
        }


def rank_classes(chance: Floats, people: Floats | Counts) -> Floats:
    """One number that orders classes by chance, to a thousandth, then people; 0 without people."""
    return np.where(people > 0, np.round(chance * 1000) * _PEOPLE + people, 0.0)


def added_chance(after: Floats, before: Floats) -> Floats:
    """What the release adds to chances, as a share of what was open; 0 where it adds nothing."""
    open_before: Floats = np.maximum(1 - before, 1e-12)
    found: Floats = np.where(after > before + 1e-12, (after - before) / open_before, 0.0)
    return np.minimum(found, 1.0)
