"""Codes with weights, class by class: what rows show, and who is right about it."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.attacks.compressed import Members, Rows, parts

Weighed: TypeAlias = tuple[Counts, Codes, Floats]
"""Compressed rows of codes, each with a weight."""

EQUAL = 1 - 1e-9
"""Weights that differ by rounding alone are equal."""


@dataclass(frozen=True, eq=False)
class Told:
    """What classes of people are told about a secret, in figures per class."""

    values: Counts
    """How many values are possible."""
    possible: Floats
    """People whose own value is possible."""
    hits: Floats
    """People whose own value is drawn of the most frequent ones, expected."""

    @classmethod
    def of(
        cls, members: Members, shown: Weighed, people: Rows, truth: Weighed, usual: Floats
    ) -> "Told":
        """Of what the members of each class show, and what the rows of its people hold.

        In a class that shows nothing, value v is thought to be that of a person with the chance
        `usual[v]`.
        """
        found, done = [], 0
        for part in parts(members):
            here = people[0][done:], people[1]
            found.append(_kernels().told(part, shown, here, truth, usual, EQUAL))
            done += len(part[0]) - 1
        return cls(*(np.concatenate(figure) for figure in zip(*found, strict=True)))

    @classmethod
    def of_own(cls, people: Rows, truth: Weighed) -> "Told":
        """Of what people hold if their classes show just that."""
        domain = int(truth[1].max(initial=-1)) + 1
        return cls(*_kernels().told_own(people, truth, domain, EQUAL))

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
    from incrowd.kernels import fits as kernels  # noqa: PLC0415  numba only when it is needed

    return kernels
