"""Several releases of one table: what is left when each of them is held against the others.

Sweeney, *k-anonymity: a model for protecting privacy*, on complementary and temporal releases: they
are linked by what both show exactly, and so are releases of one table at different times.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.attacks.attack import Attack
from incrowd.attacks.fit import Fit
from incrowd.attacks.held import Held, fitting
from incrowd.attacks.homogeneity import homogeneity
from incrowd.attacks.inference import inference
from incrowd.attacks.intervals import Moments, Rate, blind
from incrowd.attacks.persons import Persons
from incrowd.attacks.scene import Scene
from incrowd.attacks.weighed import Earlier, Told, Weighed, each, gathered
from incrowd.attacks.words import columns, part, rows
from incrowd.partition.classes import numbered
from incrowd.partition.csr import bounds, found_in, owners


def releases(first: Fit, second: Fit, sensitive: tuple[str, ...] = ()) -> Iterator[Attack]:
    """What somebody who holds two releases of one table finds out about its people.

    Both fits are by the same known columns of the same people, in scenes that are not joint. The
    sensitive columns of both scenes are those that both releases show exactly: a record of the
    person stands in both with the same of these values. Of the rows that fit the person, so many
    are left as both releases have, value by value; the likeliest value is that with the largest
    product of both. The baseline of finding the row is to point at one blindly; that of a
    sensitive value is to guess the commonest.
    """
    both = _Both.of(first, second)
    yield _finding(both)
    for name in sensitive:
        yield _learning(both.held(name))


@dataclass(frozen=True, eq=False)
class _Both:
    """Per class of people, the records that may be theirs by both releases.

    Class a may have `weight` records that show what number `code` stands for: as many as the
    release with fewer of them. How `likely` it is grows with both: it is the product of the two.
    """

    first: Fit
    second: Fit
    start: Counts
    code: Codes
    weight: Floats
    likely: Floats
    own: Weighed
    """The numbers of what each row of people holds."""
    exact: Codes
    """By number, the value of each exact column, -1 if none: shape (columns, numbers)."""

    @classmethod
    def of(cls, first: Fit, second: Fit) -> "_Both":
        """The records that both releases leave, value by value."""
        fits = first, second
        shown = [_exactly(fit.scene) for fit in fits]
        every = np.concatenate([*shown, _held(first.scene)], axis=1)
        number, many = numbered(every)
        *codes, own = np.split(number, np.cumsum([one.shape[1] for one in shown]))
        exact = np.zeros((len(every), many), dtype=np.int32)
        exact[:, number] = every - 1
        one, other = (
            gathered(*fitting(fit, fit.scene.shown.entries(code), many), many)
            for fit, code in zip(fits, codes, strict=True)
        )
        held = first.scene.people.entries(own)
        return cls(first, second, *_common(one, other, many), held, exact)

    @property
    def left(self) -> Counts:
        """Per class of people: records that may be theirs."""
        total = np.concatenate([[0.0], np.cumsum(self.weight)])
        left: Counts = np.rint(total[self.start[1:]] - total[self.start[:-1]]).astype(np.int64)
        return left

    @property
    def right(self) -> Floats:
        """Per class of people: for how many of them what they hold is among what is left."""
        left, nothing = (self.start, self.code, self.weight), np.zeros(self.exact.shape[1])
        earlier = Earlier(nothing, nothing, 1.0)
        people = self.first.people.start, self.first.people.rows
        return Told.of(each(len(self.start) - 1), left, people, self.own, earlier).possible

    def held(self, name: str) -> Held:
        """What is left of one sensitive column."""
        place = [one.name for one in self.first.scene.sensitive].index(name)
        secret = self.first.scene.secrets[place]
        value = self.exact[place][self.code]
        some = value >= 0
        start = np.concatenate([[0], np.cumsum(some)])[self.start]
        left = start, value[some], self.likely[some]
        return Held.of_members(self.first, secret, (each(len(start) - 1), left))


def _exactly(scene: Scene) -> Codes:
    """The exact values that each released row shows, plus 1; 0 for what stands for none."""
    nothing = np.zeros((0, scene.shown.records), dtype=np.int32)
    lines = [
        np.zeros_like(one.label) if one.stands.exact is None else one.stands.exact[one.label] + 1
        for one in scene.sensitive
    ]
    return np.vstack([nothing, *lines])


def _held(scene: Scene) -> Codes:
    """The values of each record of the people, plus 1."""
    nothing = np.zeros((0, scene.people.records), dtype=np.int32)
    return np.vstack([nothing, *(one.value + np.int32(1) for one in scene.sensitive)])


def _common(one: Weighed, other: Weighed, many: int) -> tuple[Counts, Codes, Floats, Floats]:
    """What both have, with the smaller of their weights and with the product of them."""
    keys = [owners(start) * many + code for start, code, _ in (one, other)]
    order = np.argsort(keys[1])
    place, there = found_in(keys[1][order], keys[0])
    here, mine, theirs = keys[0][there], one[2][there], other[2][order[place[there]]]
    start = bounds(here // many, len(one[0]) - 1)
    return start, (here % many).astype(np.int32), np.minimum(mine, theirs), mine * theirs


def _finding(both: _Both) -> Attack:
    fit = both.first
    people, left, right = fit.scene.people.records, both.left, both.right
    hits = right / np.maximum(left, 1)
    alone = Moments.of(hits, fit.people.sizes).of_people(hits, fit.people.sizes)
    rate = Rate.of_moments(alone.alike(fit.rows_of_a_person))
    k, before = _least(left), [_least(one.rows_fitting) for one in (both.first, both.second)]
    nobody = int(fit.people.sizes[left == 0].sum())
    return Attack(
        kind="releases",
        knows=fit.names,
        rate=rate,
        baseline=blind(people),
        says=(
            f"Somebody knows {columns(fit.names)} of a person and holds both releases. A person "
            f"fits at least {rows(before[0])} of the first and {before[1]:,} of the second; both "
            f"together leave as few as {rows(k)}{_as_well(fit)}. Drawing one of those left finds "
            f"the person's for {part(rate.success, 'the people')}."
        ),
        figures={"k": k, "k_first": before[0], "k_second": before[1], "nothing_left": nobody},
        persons=Persons.of(1 / np.maximum(left, 1), blind(people), right, fit.scene.limit),
    )


def _as_well(fit: Fit) -> str:
    """By what else rows of two releases are told apart, in words."""
    exact = [one.name for one in fit.scene.sensitive]
    return f", as a record shows the same {columns(exact)} in both" if exact else ""


def _learning(held: Held) -> Attack:
    guess, sure = inference(held), homogeneity(held)
    return replace(
        guess,
        kind="releases",
        says=(
            f"Somebody knows {columns(guess.knows)} of a person and holds both releases. Among the "
            f"rows that both leave, the likeliest {held.name} is the person's for "
            f"{part(guess.success, 'the people')}, and the only one for "
            f"{part(sure.success, 'them')}; guessing the commonest for everybody is right for "
            f"{part(guess.baseline, 'them')}."
        ),
        figures={"fewest_values": held.fewest, "certain": sure.success},
    )


def _least(counts: Counts) -> int:
    """The smallest count that is not 0, 0 if there is none."""
    return int(counts[counts > 0].min(initial=counts.max(initial=0)))
