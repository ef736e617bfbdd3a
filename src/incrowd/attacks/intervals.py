"""How often an attacker is right, and how sure that is: rates with confidence intervals."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.lazy import module

special = module("scipy.special")

Interval: TypeAlias = tuple[float, float]

_Z = 1.959963984540054
"""Within so many standard deviations lies 95 % of a normal distribution."""
_TAIL = 0.025
_NOTHING = 1e-12
"""A variance below this, beside that of people drawn one by one, is rounding."""


@dataclass(frozen=True, eq=False)
class Figures:
    """Hits and people of every class, and what is summed of them: the same arrays each time."""

    hits: Floats
    people: Floats

    @cached_property
    def classes(self) -> Floats:
        """1 for each class that has people."""
        return (self.people > 0).astype(np.float64)

    @cached_property
    def squares(self) -> tuple[Floats, Floats, Floats]:
        """People times people, people times hits, and hits times hits."""
        return self.people * self.people, self.people * self.hits, self.hits * self.hits


@dataclass(frozen=True)
class Moments:
    """Sums over classes of people: what an interval needs to know of them."""

    classes: float
    people: float
    hits: float
    squares: tuple[float, float, float]
    """Of people times people, people times hits, and hits times hits."""

    @classmethod
    def of(cls, hits: Floats, people: Floats | Counts) -> "Moments":
        """Of so many hits in classes of so many people each."""
        some = people > 0
        n, y = people[some].astype(np.float64), hits[some].astype(np.float64)
        squares = float((n * n).sum()), float((n * y).sum()), float((y * y).sum())
        return cls(float(len(n)), float(n.sum()), float(y.sum()), squares)

    def of_people(self, hits: Floats, people: Floats | Counts) -> "Moments":
        """The same if every person is a class of their own, with an equal part of its hits."""
        some = people > 0
        squared = float((hits[some] ** 2 / people[some]).sum())
        return Moments(self.people, self.people, self.hits, (self.people, self.hits, squared))

    def alike(self, together: float) -> "Moments":
        """The same if so many of the classes at a time have their hits together."""
        rate, (people, mixed, hits) = self.hits / max(self.people, 1.0), self.squares
        left = max(hits - 2 * rate * mixed + rate * rate * people, 0.0)
        more = hits + left * (max(together, 1.0) - 1)
        return Moments(self.classes, self.people, self.hits, (people, mixed, more))

    def __add__(self, other: "Moments") -> "Moments":
        """Of the classes of both."""
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
        """The variance of hits over people if the classes were drawn: that of a ratio."""
        rate, (people, mixed, hits) = self.hits / self.people, self.squares
        left = max(hits - 2 * rate * mixed + rate * rate * people, 0.0)
        return left / self.people**2 * self.classes / max(self.classes - 1, 1)

    @property
    def equivalent(self) -> float:
        """As many classes of one size would be worth as much as these."""
        return self.people**2 / self.squares[0]


@dataclass(frozen=True)
class Rate:
    """How often an attacker is right."""

    success: float
    """The share of the trials, 0..1: exact for these."""
    interval: Interval
    """Where the rate of further trials like these lies, with 95 % confidence."""
    trials: int

    @classmethod
    def counted(cls, hits: int, trials: int) -> "Rate":
        """Of so many hits."""
        return cls(hits / trials if trials else 0.0, clopper_pearson(hits, trials), trials)

    @classmethod
    def expected(cls, hits: float, trials: int) -> "Rate":
        """Of an attacker who draws, and is expected to hit so many times."""
        success = min(hits / trials, 1.0) if trials else 0.0
        return cls(success, wilson(success * trials, trials), trials)

    @classmethod
    def of_classes(cls, hits: Floats, people: Floats | Counts, *, fixed: bool = False) -> "Rate":
        """Of so many hits, or expected hits, in classes of so many people each.

        People of one class are found, or not, together: classes are what was drawn, not people.
        Only if the classes are `fixed`, as the cells of a grid are, people are drawn into them.
        """
        found = Moments.of(hits, people)
        return cls.of_moments(found.of_people(hits, people) if fixed else found)

    @classmethod
    def of_moments(cls, found: "Moments", together: float = 1.0) -> "Rate":
        """Of sums over classes; at the least, so many people are found or not `together`."""
        trials = round(found.people)
        success = min(found.hits / found.people, 1.0) if trials else 0.0
        return cls(success, clustered(found, together), trials)


def blind(number: int) -> float:
    """How often somebody is right who draws one of so many."""
    return 1 / number if number else 0.0


def clustered(found: Moments, together: float = 1.0) -> Interval:
    """The 95 % interval of a rate over classes of people who are found, or not, together.

    The variance is that of a ratio of two sums over classes; it says as how many people, drawn one
    by one, the classes count, and the interval is Wilson's of so many. Where the classes do not
    differ at all, a class that does may still come: as often as one that was never seen among so
    many. If so many people are found or not `together`, whatever the classes here are, the variance
    is at least that of people drawn in groups of this size.

    >>> [round(end, 3) for end in clustered(Moments.of(np.array([5.0, 0, 0, 0]), np.full(4, 5)))]
    [0.016, 0.869]
    """
    if not found.people:
        return 0.0, 1.0
    rate = min(found.hits / found.people, 1.0)
    classes = min(found.equivalent, found.people / together)
    least = rate * (1 - rate) / found.people * together if together > 1 else 0.0
    spread = max(found.spread, least)
    if spread <= _NOTHING * max(rate * (1 - rate), _NOTHING):
        unseen = clopper_pearson(0, classes)[1]
        return rate * (1 - unseen), rate + (1 - rate) * unseen
    if not 0 < rate < 1:
        return (rate, rate)
    worth = rate * (1 - rate) / spread
    return wilson(rate * worth, worth, _quantile(classes - 1))


def _quantile(freedom: float) -> float:
    """Within so many standard deviations lies 95 % if the variance is estimated, too (Student)."""
    return float(special.stdtrit(max(freedom, 1.0), 1 - _TAIL))


def wilson(successes: float, trials: float, within: float = _Z) -> Interval:
    """The 95 % interval of a rate by Wilson; `successes` may be an expectation, so a fraction.

    A mean of values from 0 to 1 is spread at most as far as a rate of hits, so that the interval
    also holds for the expected hits of an attacker who draws among several candidates.

    >>> [round(end, 4) for end in wilson(1, 10)]
    [0.0179, 0.4042]
    >>> wilson(0, 0)
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


def clopper_pearson(successes: float, trials: float) -> Interval:
    """The 95 % interval of a rate that was counted: never too narrow.

    >>> [round(end, 4) for end in clopper_pearson(1, 10)]
    [0.0025, 0.445]
    >>> [round(end, 4) for end in clopper_pearson(0, 10)]
    [0.0, 0.3085]
    """
    if not trials:
        return 0.0, 1.0
    misses = trials - successes
    low = float(special.betaincinv(successes, misses + 1, _TAIL)) if successes else 0.0
    high = float(special.betaincinv(successes + 1, misses, 1 - _TAIL)) if misses else 1.0
    return low, high
