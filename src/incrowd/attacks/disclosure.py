"""What released rows disclose about a sensitive column of the people who fit them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.attacks.rates import ClassHits, Moments, PersonRisk, Rate, rank_classes
from incrowd.kernels.linkage import fits as kernels
from incrowd.linkage.attack_data import LIMIT, AttackData, SharedColumn, TableSide
from incrowd.linkage.decoding import Members, iterate_parts
from incrowd.linkage.fit import Fit, ResolvedRows
from incrowd.partition.csr import Rows, WeightedRows, each_by_itself, offsets

EQUAL = 1 - 1e-9
"""Weights whose ratio is closer to 1 than this are equal."""


@dataclass(frozen=True, eq=False)
class PriorBelief:
    """What an attacker believes about a sensitive value without the rows that fit a person."""

    usual: Floats
    """Per value: the chance that it is guessed for somebody who fits no row."""
    shares: Floats
    """Per value: the share of the people who have it."""
    limit: float
    """A chance above this counts as learned."""


@dataclass(frozen=True, eq=False)
class DisclosureFigures:
    """What classes of people have disclosed about a sensitive column, as figures per class."""

    values: Counts
    """How many values are possible."""
    possible: Floats
    """People whose own value is possible."""
    hits: Floats
    """Expected number of people whose own value is drawn from the most frequent ones."""
    worst: Floats
    """Shape (classes, 3): people whose own value is lifted above the limit (see `above`), the
    largest chance of anybody's own value, and the most that the release adds to one."""
    _certain: dict[int, Floats] = field(default_factory=dict, init=False)
    """What `certain_people` has found, by how many values are ruled out."""

    @classmethod
    def of(
        cls,
        members: Members,
        shown: WeightedRows,
        people: Rows,
        truth: WeightedRows,
        prior: PriorBelief,
    ) -> "DisclosureFigures":
        """Compute the figures of classes from what their members show and their people hold.

        `shown` are the values of each member, `people` the rows of each class, `truth` the values
        of each row.
        """
        found, done = [], 0
        for part in iterate_parts(members):
            here = people[0][done:], people[1]
            given = prior.usual, EQUAL, (prior.shares, prior.limit)
            found.append(kernels.disclosed_values(part, shown, here, truth, *given))
            done += len(part[0]) - 1
        return cls(*(np.concatenate(figure) for figure in zip(*found, strict=True)))

    @classmethod
    def of_own(cls, people: Rows, truth: WeightedRows, prior: PriorBelief) -> "DisclosureFigures":
        """Compute the figures from what people hold, if their rows show exactly that."""
        domain = int(truth[1].max(initial=-1)) + 1
        before = prior.shares, prior.limit
        return cls(*kernels.disclosed_own_values(people, truth, domain, EQUAL, before))

    @cached_property
    def above(self) -> Floats:
        """People whose chance rose above the limit, closing half or more of what was open."""
        return self.worst[:, 0].copy()

    @cached_property
    def largest(self) -> Floats:
        """The largest chance of anybody's own value."""
        return self.worst[:, 1].copy()

    @cached_property
    def added(self) -> Floats:
        """The most added to a chance of anybody's own value, as a share of what was open."""
        return self.worst[:, 2].copy()

    def certain_people(self, ruled_out: int) -> Floats:
        """Per class: people whose own value and at most so many others are possible; cached."""
        if ruled_out not in self._certain:
            self._certain[ruled_out] = np.where(self.values <= ruled_out + 1, self.possible, 0.0)
        return self._certain[ruled_out]


@dataclass(frozen=True, eq=False)
class SensitiveTarget:
    """A sensitive column that attackers are after: what rows show, and what people hold."""

    name: str
    shown: WeightedRows
    """The values that rows may show; a label of several counts for each of them in equal parts."""
    truth: WeightedRows
    """The values of each row of people."""
    values: int
    """How many values there are."""
    limit: float = LIMIT
    """A chance above this counts as learned."""
    _certain: dict[int, ClassHits] = field(default_factory=dict, init=False)
    """What `certain_of_each` has found, by how many values are ruled out."""

    @classmethod
    def of(
        cls, column: SharedColumn, shown: TableSide, people: TableSide, limit: float = LIMIT
    ) -> "SensitiveTarget":
        """The target of a column of both tables: what rows show and what people hold."""
        start, label, records = shown.entries(column.label)
        decoding = column.decoding
        value, place = decoding.values_of(label)
        weight = records[place] / decoding.sizes[label[place]]
        held = offsets(decoding.sizes[label])[start], value, weight
        return cls(column.name, held, people.entries(column.value), decoding.values, limit)

    @classmethod
    def all_of(cls, data: AttackData) -> "tuple[SensitiveTarget, ...]":
        """The targets of all sensitive columns."""
        sides = data.shown, data.people, data.limit
        return tuple(cls.of(column, *sides) for column in data.sensitive)

    @cached_property
    def shows_truth(self) -> bool:
        """Whether each row of the release shows exactly what the same row of people holds."""
        return all(np.array_equal(self.shown[i], self.truth[i]) for i in range(3))

    @cached_property
    def shares(self) -> Floats:
        """The share of the people who have each value."""
        held = np.bincount(self.truth[1], weights=self.truth[2], minlength=self.values)
        return held / max(float(held.sum()), 1.0)

    @property
    def commonest_share(self) -> float:
        """The share of the people who have the commonest value."""
        return min(float(self.shares.max(initial=0.0)), 1.0)

    def certain_before_release(self, ruled_out: int = 0) -> float:
        """1 if ruling out so many values leaves one, even without the release; otherwise 0."""
        return float(0 < np.count_nonzero(self.shares) <= ruled_out + 1)

    @cached_property
    def prior(self) -> PriorBelief:
        """What an attacker believes without the rows that fit a person."""
        return PriorBelief(self._usual, self.shares, self.limit)

    @property
    def _usual(self) -> Floats:
        """Per value: the chance to draw it from the most frequent values of the release."""
        overall = np.bincount(self.shown[1], weights=self.shown[2], minlength=self.values)
        most = (overall >= overall.max(initial=0.0) * EQUAL) & (overall > 0)
        return np.asarray(most / max(int(most.sum()), 1))

    @cached_property
    def figures_of_each(self) -> DisclosureFigures:
        """What each row of joint data discloses about its own people."""
        rows = each_by_itself(len(self.truth[0]) - 1)
        return DisclosureFigures.of(rows, self.shown, rows, self.truth, self.prior)

    @cached_property
    def people_of_each(self) -> Floats:
        """How many people each row of joint data has."""
        before = np.concatenate([[0.0], np.cumsum(self.truth[2])])
        return np.diff(before[self.truth[0]])

    @cached_property
    def hits_of_each(self) -> ClassHits:
        """Hits and people of each row of joint data."""
        return ClassHits(self.figures_of_each.hits, self.people_of_each)

    def certain_of_each(self, ruled_out: int) -> ClassHits:
        """Per row of joint data: people whose value is certain, and all its people; cached."""
        if ruled_out not in self._certain:
            hits = ClassHits(self.figures_of_each.certain_people(ruled_out), self.people_of_each)
            self._certain[ruled_out] = hits
        return self._certain[ruled_out]

    @cached_property
    def rank_of_each(self) -> Floats:
        """The rank of each row of joint data: by its largest chance, then by its people."""
        return rank_classes(self.figures_of_each.largest, self.people_of_each)

    @cached_property
    def values_of_each(self) -> Counts:
        """How many values each row of joint data shows its people; 0 if it has no people."""
        return np.where(np.diff(self.truth[0]) > 0, self.figures_of_each.values, 0)

    def __repr__(self) -> str:
        """Show no values."""
        return f"SensitiveTarget({self.name!r}, {self.values} values)"


@dataclass(frozen=True, eq=False)
class AttributeDisclosure:
    """What the rows that fit each class of people disclose about a sensitive column."""

    fit: Fit
    target: SensitiveTarget
    figures: DisclosureFigures

    @classmethod
    def of(cls, fit: Fit, target: SensitiveTarget) -> "AttributeDisclosure":
        """Compute what the rows that fit people disclose about a target."""
        if fit.data.joint and target.shows_truth:
            people = fit.people.start, fit.people.rows
            return cls(fit, target, DisclosureFigures.of_own(people, target.truth, target.prior))
        return cls.of_members(fit, target, members_that_fit(fit, target.shown, target.values))

    @classmethod
    def of_members(
        cls, fit: Fit, target: SensitiveTarget, held: tuple[Members, WeightedRows]
    ) -> "AttributeDisclosure":
        """Compute what `held` discloses: (members of each class of people, what they show)."""
        people = fit.people.start, fit.people.rows
        figures = DisclosureFigures.of(*held, people, target.truth, target.prior)
        return cls(fit, target, figures)

    @property
    def name(self) -> str:
        """The sensitive column."""
        return self.target.name

    @property
    def guess_rate(self) -> Rate:
        """How often the guess of `inference` is expected to be the person's own value."""
        hits = ClassHits(self.figures.hits, self._people)
        return self._rate(hits, lambda: self.target.hits_of_each)

    def certain_rate(self, ruled_out: int = 0) -> Rate:
        """The rate of people for whom their own value and at most so many others are possible."""
        here = ClassHits(self.figures.certain_people(ruled_out), self._people)
        # What is certain is certain for all who fit the same rows. If labels overlap, classes of
        # people are parts of released classes and do not show that.
        together = 1.0 if self.fit.data.joint else self.fit.rows_of_a_person
        return self._rate(here, lambda: self.target.certain_of_each(ruled_out), together)

    @property
    def _people(self) -> Floats:
        """People per class of people."""
        return self.fit.people.sizes.astype(np.float64)

    def _rate(
        self, here: ClassHits, of_each: Callable[[], ClassHits], together: float = 1.0
    ) -> Rate:
        """The rate over classes and resolved rows (`of_each`); `together` people hit at once."""
        moments = Moments.of(here.hits, here.people)
        if self.fit.data.joint:
            moments = moments + _resolved_moments(self.fit.resolved, of_each())
        return Rate.of_moments(moments, max(together, 1.0))

    @property
    def persons(self) -> PersonRisk:
        """The worst for single people: the chance that their own value is guessed."""
        figures, target, resolved = self.figures, self.target, self.fit.resolved
        ranked = rank_classes(figures.largest, self.fit.people.sizes)
        above, worst = float(figures.above.sum()), (figures.largest, figures.added, ranked)
        most = [float(one.max(initial=0.0)) for one in worst]
        if self.fit.data.joint:
            alone = target.figures_of_each
            above += resolved.total(alone.above)
            rows = (alone.largest, alone.added, target.rank_of_each)
            most = [
                max(one, resolved.largest_figure(two)) for one, two in zip(most, rows, strict=True)
            ]
        largest, added, highest = most
        return PersonRisk.of_largest(target.limit, above, (largest, added, highest))

    @property
    def fewest(self) -> int:
        """The fewest values possible for anybody who fits a released row; 0 if nobody does."""
        seen = (self.figures.values > 0) & (self.fit.people.sizes > 0)
        possible = {int(self.figures.values[seen].min())} if seen.any() else set()
        if self.fit.data.joint:
            possible |= {self.fit.resolved.smallest_above_zero(self.target.values_of_each)}
        return min(possible - {0}, default=0)


def _resolved_moments(resolved: ResolvedRows, hits: ClassHits) -> Moments:
    """The sums over resolved rows of joint data, each row a class of its own."""
    classes, people, hit = (resolved.total(one) for one in (hits.classes, hits.people, hits.hits))
    of_people, mixed, of_hits = (resolved.total(one) for one in hits.squares)
    return Moments(classes, people, hit, (of_people, mixed, of_hits))


def members_that_fit(fit: Fit, shown: WeightedRows, domain: int) -> tuple[Members, WeightedRows]:
    """Return (rows or their classes that fit each class of people; weighted codes < `domain`)."""
    rows = fit.rows.start, fit.rows.rows
    if fit.data.joint:
        return rows, shown
    return fit.rows_of, sum_shown_by_class(rows, shown, domain)


def sum_shown_by_class(members: Members, shown: WeightedRows, domain: int) -> WeightedRows:
    """Per class: each code that its members show, once, as first met, with the sum of its weights.

    Every code of `shown` is below `domain`.
    """
    found = [kernels.gather_shown(part, shown, domain) for part in iterate_parts(members)]
    start = offsets(np.concatenate([np.diff(start) for start, _, _ in found]))
    code, weight = (np.concatenate([one[i] for one in found]) for i in (1, 2))
    return start, code, weight
