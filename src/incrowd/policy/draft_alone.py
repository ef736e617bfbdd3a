"""Whom kept columns of a drafted policy would single out: an estimate, before anything is searched.

In a sample, people are put into small classes by their quasi-identifiers. A release has classes of
at least k, and the smaller a class, the fewer share a value, so a person counts with the chance of
being the only one with a value among k people drawn from the class. More models only make classes
larger.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.engines.base import Engine
from incrowd.errors import whole_percent
from incrowd.policy.joint import column_places, small_classes
from incrowd.policy.policy import Policy
from incrowd.table.column import CodedColumn
from incrowd.withholding import are_few

SAMPLE = 5_000
"""Records that are looked at."""
_SURE = 3.0
"""Standard deviations between an estimate and the limit."""
_NOBODY = 1e-3
"""Fewer expected people than this are nobody."""


@dataclass(frozen=True)
class _PeopleInClasses:
    """People in small classes: one entry per record."""

    classes: Counts
    """The class of each record."""
    person: Counts
    """Whose record it is."""
    sizes: Counts
    """People per class."""

    @property
    def number(self) -> int:
        """How many people there are."""
        return len(np.unique(self.person))

    def expected_alone(self, columns: Sequence[CodedColumn], k: int) -> float:
        """The expected number of people alone by these columns, if classes were of k people."""
        value = np.unique(np.stack([c.codes for c in columns]), axis=1, return_inverse=True)[1]
        held = np.stack([self.classes, value.reshape(-1), self.person])
        pairs = np.unique(held, axis=1)
        _, shared, people = np.unique(pairs[:2], axis=1, return_inverse=True, return_counts=True)
        chance = _chance_alone(self.sizes[pairs[0]], people[shared.reshape(-1)], k)
        return float(np.minimum(np.bincount(pairs[2], weights=chance), 1.0).sum())


def _chance_alone(size: Counts, people: Counts, k: int) -> Floats:
    """The chance that nobody with a person's value is among k - 1 others of a class, elementwise.

    The class has `size` people, of whom `people` have the value, the person among them.

    >>> _chance_alone(np.array([5, 5, 9, 3]), np.array([1, 2, 2, 1]), 5).tolist()
    [1.0, 0.0, 0.5, 1.0]
    """
    chance = np.ones(len(size))
    for drawn in range(k - 1):
        left = np.maximum(size - 1 - drawn, 1)
        others = np.maximum(size - people - drawn, 0)
        chance *= np.where(size - 1 - drawn > 0, others / left, 1.0)
    return chance


def telling_columns(
    policy: Policy, engine: Engine, coded: Mapping[str, CodedColumn]
) -> dict[str, str]:
    """Find, in a sample, which kept columns must go, and why; those that single out fewest stay.

    So must all that are not `coded`: they have too many values to look at.
    """
    kept = [name for name in policy.kept_or_weight if policy.columns[name].alone == "refuse"]
    able = [name for name in kept if name in coded]
    quasi = [name for name in policy.quasi if name in coded]
    reasons = {name: "it has too many values to look at" for name in kept if name not in coded}
    if not able or not quasi or not engine.records:
        return reasons
    unit = [] if policy.unit is None or policy.unit not in coded else [policy.unit]
    sample = engine.coded_sample([coded[name] for name in (*quasi, *able, *unit)], SAMPLE)
    people = _put_into_classes([sample[name] for name in quasi], *(sample[name] for name in unit))
    k = max(model.smallest_class() for model in policy.models)
    alone = {name: people.expected_alone([sample[name]], k) for name in able}
    stay: list[str] = []
    for name in sorted(able, key=lambda one: alone[one]):
        together = people.expected_alone([sample[one] for one in (*stay, name)], k)
        if _stays_within_limit(together, people.number, policy.max_alone):
            stay.append(name)
        else:
            share = whole_percent(min(together / people.number, 1.0))
            beside = f" beside {' and '.join(stay)}" if stay and together > alone[name] else ""
            reasons[name] = (
                f"about {share} of the people would be alone for whoever knows it{beside}"
            )
    return reasons


def _put_into_classes(
    quasi: Sequence[CodedColumn], unit: CodedColumn | None = None
) -> _PeopleInClasses:
    """Put a sample into small classes by these columns; people are records if there is no unit."""
    places = np.stack([column_places(column) for column in quasi], axis=1)
    person = np.arange(len(places), dtype=np.int64)
    if unit is not None:
        known = unit.codes > 0
        person[known] = len(places) + unit.codes[known]
    person = np.unique(person, return_inverse=True)[1].astype(np.int64)
    classes = np.zeros(len(places), dtype=np.int64)
    sizes = []
    for number, rows in enumerate(small_classes(places, None if unit is None else person)):
        classes[rows] = number
        sizes.append(len(np.unique(person[rows])))
    return _PeopleInClasses(classes, person, np.array(sizes, dtype=np.int64))


def _stays_within_limit(alone: float, people: int, share: float) -> bool:
    """Whether an estimate `alone` is surely at most a share of `people`; if that is few, nobody."""
    most = share * people
    if are_few(most):
        return alone < _NOBODY
    return alone + _SURE * sqrt(alone) <= most
