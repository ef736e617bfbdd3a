"""What the released rows that fit a person show of a sensitive column."""

from dataclasses import dataclass

from incrowd.attacks.compressed import Members
from incrowd.attacks.fit import Fit
from incrowd.attacks.scene import Secret
from incrowd.attacks.weighed import Told, Weighed, gathered


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
            return cls(fit, secret, Told.of_own(people, secret.truth))
        return cls.of_members(fit, secret, fitting(fit, secret.shown, secret.values))

    @classmethod
    def of_members(cls, fit: Fit, secret: Secret, held: tuple[Members, Weighed]) -> "Held":
        """What the members of each class of people tell, which show values with weights."""
        people = fit.people.start, fit.people.rows
        return cls(fit, secret, Told.of(*held, people, secret.truth, secret.usual))

    @property
    def name(self) -> str:
        """The sensitive column."""
        return self.secret.name

    @property
    def people(self) -> int:
        """How many people there are."""
        return self.fit.scene.people.records

    @property
    def hits(self) -> float:
        """For how many people the most frequent of the possible values is their own, expected.

        Ties are broken by chance. Who fits no row is thought to hold what is most frequent in the
        whole release.
        """
        found = float(self.told.hits.sum())
        if self.fit.scene.joint:
            found += self.fit.settled.total(self.secret.of_each.hits)
        return found

    def certain(self, ruled_out: int = 0) -> int:
        """How many people have their own value and at most so many others possible."""
        found = float(self.told.certain(ruled_out).sum())
        if self.fit.scene.joint:
            found += self.fit.settled.total(self.secret.of_each.certain(ruled_out))
        return round(found)

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
