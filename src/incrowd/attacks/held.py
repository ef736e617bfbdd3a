"""What the released rows that fit a person show of a sensitive column."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Floats
from incrowd.attacks.fit import Fit
from incrowd.attacks.intervals import Figures, Moments, Rate
from incrowd.attacks.persons import Persons, rank
from incrowd.attacks.scene import Secret
from incrowd.attacks.weighed import Told, Weighed, gathered
from incrowd.partition.csr import Members


@dataclass(frozen=True, eq=False)
class Held:
    """Per class of people, what the rows that fit them tell of a secret."""

    fit: Fit
    secret: Secret
    told: Told

    @classmethod
    def of(cls, fit: Fit, secret: Secret) -> "Held":
        """What the rows that fit tell of a sensitive column."""
        if fit.scene.joint and secret.open:
            people = fit.people.start, fit.people.rows
            return cls(fit, secret, Told.of_own(people, secret.truth, secret.earlier))
        return cls.of_members(fit, secret, fitting(fit, secret.shown, secret.values))

    @classmethod
    def of_members(cls, fit: Fit, secret: Secret, held: tuple[Members, Weighed]) -> "Held":
        """What the members of each class of people tell, which show values with weights."""
        people = fit.people.start, fit.people.rows
        return cls(fit, secret, Told.of(*held, people, secret.truth, secret.earlier))

    @property
    def name(self) -> str:
        """The sensitive column."""
        return self.secret.name

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.fit.scene.people.records

    @property
    def guessed(self) -> Rate:
        """How often the most frequent of the possible values is a person's own, expected.

        Ties are broken by chance. Who fits no row is thought to hold what is most frequent in the
        whole release.
        """
        return self._rate(Figures(self.told.hits, self._people), lambda: self.secret.hits_of_each)

    def certain(self, ruled_out: int = 0) -> Rate:
        """How many people have their own value and at most so many others possible."""
        here = Figures(self.told.certain(ruled_out), self._people)
        # What is certain is so for all who fit the same rows. Where labels overlap, classes of
        # people are parts of released ones and do not show that.
        together = 1.0 if self.fit.scene.joint else self.fit.rows_of_a_person
        return self._rate(here, lambda: self.secret.certain_of_each(ruled_out), together)

    @property
    def _people(self) -> Floats:
        return self.fit.people.sizes.astype(np.float64)

    def _rate(self, here: Figures, of_each: Callable[[], Figures], together: float = 1.0) -> Rate:
        """The rate over all classes, those that are settled included."""
        found = Moments.of(here.hits, here.people)
        if self.fit.scene.joint:
            found = found + self.fit.settled.moments(of_each())
        return Rate.of_moments(found, max(together, 1.0))

    @property
    def persons(self) -> Persons:
        """The worst for single people: the chance of their own value."""
        told, secret, settled = self.told, self.secret, self.fit.settled
        ranked = rank(told.largest, self.fit.people.sizes)
        above, worst = float(told.above.sum()), (told.largest, told.added, ranked)
        figures = [float(one.max(initial=0.0)) for one in worst]
        if self.fit.scene.joint:
            each = secret.of_each
            above += settled.total(each.above)
            rows = (each.largest, each.added, secret.rank_of_each)
            figures = [max(one, settled.most(two)) for one, two in zip(figures, rows, strict=True)]
        largest, added, highest = figures
        return Persons.of_ranked(secret.limit, above, (largest, added, highest))

    @property
    def fewest(self) -> int:
        """The fewest values possible for anybody who fits a released row; 0 if nobody does."""
        seen = (self.told.values > 0) & (self.fit.people.sizes > 0)
        found = {int(self.told.values[seen].min())} if seen.any() else set()
        if self.fit.scene.joint:
            found |= {self.fit.settled.least(self.secret.values_of_each)}
        return min(found - {0}, default=0)


def fitting(fit: Fit, shown: Weighed, domain: int) -> tuple[Members, Weighed]:
    """The members of each class of people, and what they show: rows, or classes of rows."""
    rows = fit.rows.start, fit.rows.rows
    if fit.scene.joint:
        return rows, shown
    return fit.rows_of, gathered(rows, shown, domain)
