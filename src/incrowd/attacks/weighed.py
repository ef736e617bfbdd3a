"""Codes with weights, class by class: what rows show, and who is right about it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.linkage import fits as kernels
from incrowd.partition.csr import Members, Rows, parts

Weighed: TypeAlias = tuple[Counts, Codes, Floats]
"""Compressed rows of codes, each with a weight."""

EQUAL = 1 - 1e-9
"""Weights that differ by rounding alone are equal."""


@dataclass(frozen=True, eq=False)
class Earlier:
    """What is thought of a secret without the rows that fit."""

    usual: Floats
    """Per value: the chance that it is guessed of somebody who fits no row."""
    shares: Floats
    """Per value: the share of the people who hold it."""
    limit: float
    """A chance above this counts as learned."""


@dataclass(frozen=True, eq=False)
class Told:
    """What classes of people are told about a secret, in figures per class."""

    values: Counts
    """How many values are possible."""
    possible: Floats
    """People whose own value is possible."""
    hits: Floats
    """People whose own value is drawn of the most frequent ones, expected."""
    worst: Floats
    """People whose own value is above a limit, the largest chance, the most added: shape (n, 3)."""

    @classmethod
    def of(
        cls, members: Members, shown: Weighed, people: Rows, truth: Weighed, earlier: "Earlier"
    ) -> "Told":
        """Of what the members of each class show, and what the rows of its people hold."""
        found, done = [], 0
        for part in parts(members):
            here = people[0][done:], people[1]
            given = earlier.usual, EQUAL, (earlier.shares, earlier.limit)
            found.append(_kernels().told(part, shown, here, truth, *given))
            done += len(part[0]) - 1
        return cls(*(np.concatenate(figure) for figure in zip(*found, strict=True)))

    @classmethod
    def of_own(cls, people: Rows, truth: Weighed, earlier: "Earlier") -> "Told":
        """Of what people hold if their classes show just that."""
        domain = int(truth[1].max(initial=-1)) + 1
        before = earlier.shares, earlier.limit
        return cls(*_kernels().told_own(people, truth, domain, EQUAL, before))

    @cached_property
    def above(self) -> Floats:
        """People whose own value is at a chance above the limit, and was not before."""
        return self.worst[:, 0].copy()

    @cached_property
    def largest(self) -> Floats:
        """The largest chance of anybody's own value."""
        return self.worst[:, 1].copy()

    @cached_property
    def added(self) -> Floats:
        """The most that is added to the chance of anybody's own value."""
        return self.worst[:, 2].copy()

    def certain(self, ruled_out: int) -> Floats:
        """People whose own value is possible with at most so many others; the same array again."""
        if ruled_out not in self._certain:
            self._certain[ruled_out] = np.where(self.values <= ruled_out + 1, self.possible, 0.0)
        return self._certain[ruled_out]

    @cached_property
    def _certain(self) -> dict[int, Floats]:
        return {}


def gathered(members: Members, shown: Weighed, domain: int) -> Weighed:
    """What the members of each class show, taken together: codes below `domain`."""
    found = [_kernels().gathered(part, shown, domain) for part in parts(members)]
    lengths = np.concatenate([np.diff(start) for start, _, _ in found])
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    code, weight = (np.concatenate([one[i] for one in found]) for i in (1, 2))
    return start, code, weight


def each(number: int) -> Rows:
    """So many classes, each of one member."""
    every = np.arange(number + 1, dtype=np.int64)
    return every, every[:-1].astype(np.int32)


def _kernels() -> Any:

    return kernels
