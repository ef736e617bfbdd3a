"""What the released rows that fit a person show of a sensitive column."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.attacks.compressed import found_in, grouped, keys_of, spread
from incrowd.attacks.fit import Fit
from incrowd.attacks.scene import Shared

_EQUAL = 1 - 1e-9
"""Weights that differ by rounding alone are equal."""


@dataclass(frozen=True, eq=False)
class Held:
    """Per class of people, what the rows that fit them show: values with the rows of each.

    Class a holds `value[start[a]:start[a + 1]]`, ascending. A row whose label stands for several
    values counts for each of them in equal parts.
    """

    fit: Fit
    sensitive: int
    start: Counts
    value: Codes
    weight: Floats
    overall: Floats
    """The rows of each value in the whole release."""

    @classmethod
    def of(cls, fit: Fit, sensitive: int) -> "Held":
        """What the rows show of the sensitive column of this place."""
        column = fit.scene.sensitive[sensitive]
        values = column.stands.values
        start, value, weight = _per_row_class(fit, sensitive, column)
        entry, place = spread(start, fit.row)
        keys = keys_of(fit.person[place], value[entry], values)
        held = grouped(keys, weight[entry], values, len(fit.people.sizes))
        overall: Floats = np.zeros(values, dtype=np.float64)
        np.add.at(overall, value, weight)
        return cls(fit, sensitive, *held, overall)

    @property
    def name(self) -> str:
        """The sensitive column."""
        return self.fit.scene.sensitive[self.sensitive].name

    @property
    def truth(self) -> Codes:
        """The value of each row of people."""
        truth: Codes = self.fit.scene.people.sensitive[self.sensitive]
        return truth

    @property
    def people(self) -> Counts:
        """The records of each row of people."""
        return self.fit.scene.people.counts

    @cached_property
    def shares(self) -> Floats:
        """The share of the people who hold each value, most first."""
        held = np.bincount(self.truth, weights=self.people)
        return -np.sort(-held) / max(float(held.sum()), 1.0)

    @cached_property
    def values(self) -> Counts:
        """Per class of people: how many values are possible for them."""
        return np.diff(self.start)

    @cached_property
    def _entry(self) -> tuple[Counts, Flags]:
        """Per row of people: where its own value is among those that are possible for it."""
        domain = self.fit.scene.sensitive[self.sensitive].stands.values
        owner = np.repeat(np.arange(len(self.values)), self.values)
        wanted = self.fit.people.class_of.astype(np.int64) * domain + self.truth
        return found_in(owner * domain + self.value, wanted)

    @cached_property
    def possible(self) -> Flags:
        """Per row of people: whether its own value is among those that are possible for it."""
        return self._entry[1]

    @cached_property
    def right(self) -> Floats:
        """Per row of people: how likely the most frequent of the possible values is its own.

        Ties are broken by chance. Who fits no row is thought to hold what is most frequent in the
        whole release.
        """
        best = np.zeros(len(self.values))
        owner = np.repeat(np.arange(len(self.values)), self.values)
        np.maximum.at(best, owner, self.weight)
        first = self.weight >= best[owner] * _EQUAL
        ties = np.bincount(owner[first], minlength=len(self.values))
        place, there = self._entry
        hit = there.copy()
        hit[there] = first[place[there]]
        of_row = self.fit.people.class_of
        guess: Floats = np.where(hit, 1 / np.maximum(ties, 1)[of_row], 0.0)
        return np.where(self.values[of_row] > 0, guess, self._usual)

    @cached_property
    def _usual(self) -> Floats:
        """Per row of people: how likely its value is the most frequent one of the release."""
        most = (self.overall >= self.overall.max(initial=0) * _EQUAL) & (self.overall > 0)
        usual: Floats = most[self.truth] / max(int(most.sum()), 1)
        return usual


def _per_row_class(fit: Fit, sensitive: int, column: Shared) -> tuple[Counts, Codes, Floats]:
    """Per class of released rows, the values that they show with the rows of each."""
    stands = column.stands
    labels = fit.scene.shown.sensitive[sensitive]
    order = np.argsort(stands.label, kind="stable")
    values = np.repeat(np.arange(stands.values, dtype=np.int32), np.diff(stands.start))[order]
    start = np.concatenate([[0], np.cumsum(stands.sizes)]).astype(np.int64)
    entry, place = spread(start, labels)
    parts = fit.scene.shown.counts[place] / stands.sizes[labels[place]]
    keys = keys_of(fit.rows.class_of[place], values[entry], stands.values)
    return grouped(keys, parts, stands.values, len(fit.rows.sizes))
