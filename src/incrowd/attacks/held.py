"""What the released rows that fit a person show of a sensitive column."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.attacks.fit import Fit
from incrowd.attacks.scene import EQUAL, Secret

Weighed = tuple[Counts, Codes, Floats]
"""Compressed rows of values, each with a weight."""


@dataclass(frozen=True, eq=False)
class Held:
    """Per class of people, what the rows that fit them show: values with the rows of each.

    Class a holds `value[start[a]:start[a + 1]]`. A row whose label stands for several values counts
    for each of them in equal parts.
    """

    fit: Fit
    secret: Secret
    start: Counts
    value: Codes
    weight: Floats

    @classmethod
    def of(cls, fit: Fit, secret: Secret) -> "Held":
        """What the rows show of a sensitive column."""
        return cls(fit, secret, *fitting(fit, secret.label, secret.stands.of_label))

    @property
    def name(self) -> str:
        """The sensitive column."""
        return self.secret.name

    @property
    def people(self) -> Counts:
        """The records of each row of people."""
        return self.fit.scene.people.counts

    @property
    def records(self) -> int:
        """Number of people."""
        return self.fit.scene.people.records

    @cached_property
    def values(self) -> Counts:
        """Per class of people: how many values are possible for them."""
        return np.diff(self.start)

    @property
    def fewest(self) -> int:
        """The fewest values possible for anybody who fits a released row; 0 if nobody does."""
        return int(self.values[self.values > 0].min(initial=self.values.max(initial=0)))

    @cached_property
    def _judged(self) -> tuple[Flags, Floats]:
        return judged(
            self.fit,
            (self.start, self.value, self.weight),
            self.secret.truth,
            self.secret.stands.values,
        )

    @property
    def right(self) -> Floats:
        """Per row of people: how likely the most frequent of the possible values is its own.

        Ties are broken by chance. Who fits no row is thought to hold what is most frequent in the
        whole release.
        """
        chance = self._judged[1]
        return np.where(chance < 0, self.secret.usual, chance)

    def certain(self, ruled_out: int = 0) -> int:
        """How many people have their own value and at most so many others possible."""
        few = self.fit.people.per_row(self.values <= ruled_out + 1)
        return int(self.people[few & self._judged[0]].sum())


def fitting(fit: Fit, label: Codes, stands: tuple[Counts, Codes, int]) -> Weighed:
    """What the rows that fit each class of people show, by what each label stands for."""
    classes, (parts, code) = fit.rows.split(fit.scene.shown, label, len(stands[0]) - 1)
    shown = parts, code, classes.sizes.astype(np.float64)
    found: Weighed = _kernels().held(fit.rows_of, shown, stands)
    return found


def judged(fit: Fit, held: Weighed, truth: Codes, domain: int) -> tuple[Flags, Floats]:
    """Per row of people: whether the truth is held, and its chance to be drawn of the heaviest."""
    people = fit.people.rows, fit.people.start
    found: tuple[Flags, Floats] = _kernels().judged(held, people, truth, domain, EQUAL)
    return found


def _kernels() -> Any:
    from incrowd.kernels import fits as kernels  # noqa: PLC0415  numba only when it is needed

    return kernels
