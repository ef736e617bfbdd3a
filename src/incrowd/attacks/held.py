"""What the released rows that fit a person show of a sensitive column."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.attacks.fit import Fit
from incrowd.attacks.scene import EQUAL, Secret, Stands, Weighed


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
        return cls(fit, secret, *fitting(fit, secret.shown, secret.stands))

    @property
    def name(self) -> str:
        """The sensitive column."""
        return self.secret.name

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.fit.scene.people.records

    @cached_property
    def values(self) -> Counts:
        """Per class of people: how many values are possible for them."""
        return np.diff(self.start)

    @property
    def fewest(self) -> int:
        """The fewest values possible for anybody who fits a released row; 0 if nobody does."""
        found = self.values[(self.values > 0) & (self.fit.people.sizes > 0)]
        return int(found.min()) if len(found) else 0

    @cached_property
    def _judged(self) -> tuple[Floats, Floats]:
        held = self.start, self.value, self.weight
        return judged(self.fit, held, self.secret.truth, self.secret.usual)

    @property
    def hits(self) -> float:
        """For how many people the most frequent of the possible values is their own, expected.

        Ties are broken by chance. Who fits no row is thought to hold what is most frequent in the
        whole release.
        """
        return float(self._judged[1].sum())

    def certain(self, ruled_out: int = 0) -> int:
        """How many people have their own value and at most so many others possible."""
        return int(self._judged[0][self.values <= ruled_out + 1].sum())


def fitting(fit: Fit, shown: Weighed, stands: Stands) -> Weighed:
    """Per class of people: what the rows that fit them show, read by what labels stand for."""
    gather, rows = _kernels().held, (fit.rows.start, fit.rows.rows)
    if not fit.scene.joint:
        shown = gather(rows, shown, Stands.alone(stands.labels).of_label)
        rows = fit.rows_of
    found: Weighed = gather(rows, shown, stands.of_label)
    return found


def judged(fit: Fit, held: Weighed, truth: Weighed, usual: Floats) -> tuple[Floats, Floats]:
    """Per class of people: how many hold one of the values, and the hits of the best guess."""
    people = fit.people.start, fit.people.rows
    found: tuple[Floats, Floats] = _kernels().judged(held, people, truth, usual, EQUAL)
    return found


def _kernels() -> Any:
    from incrowd.kernels import fits as kernels  # noqa: PLC0415  numba only when it is needed

    return kernels
