"""Two releases of one table: what is left when they are compared with each other.

Sweeney, *k-anonymity: a model for protecting privacy*, on complementary and temporal releases:
whatever both show exactly links them, and also links releases of one table at different times.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.attacks.attack import Attack, columns_phrase, part_phrase, rows_phrase
from incrowd.attacks.disclosure import (
    AttributeDisclosure,
    DisclosureFigures,
    PriorBelief,
    SensitiveTarget,
    members_that_fit,
    sum_shown_by_class,
)
from incrowd.attacks.homogeneity import homogeneity
from incrowd.attacks.inference import inference
from incrowd.attacks.rates import Moments, PersonRisk, Rate, chance_of_guess
from incrowd.linkage.attack_data import AttackData
from incrowd.linkage.fit import Fit
from incrowd.partition.classes import number_columns
from incrowd.partition.csr import (
    WeightedRows,
    each_by_itself,
    find_keys,
    offsets,
    offsets_of,
    owners,
)


def releases(first: Fit, second: Fit, targets: Sequence[SensitiveTarget] = ()) -> Iterator[Attack]:
    """Play two releases: what somebody who compares them finds out about people of the table.

    Both fits use the same known columns of the same people, in data that is not joint. Its
    sensitive columns are those that both releases show exactly: a person's record has the same of
    these values in both. Of the rows that fit the person, as many are left as both releases have,
    value by value; the likeliest value has the largest product of both. The baseline is to pick a
    row at random and, for a sensitive value (`targets` of the first data), the commonest value.
    """
    both = _BothReleases.of(first, second)
    yield _finding_attack(both)
    for target in targets:
        yield _learning_attack(both.disclosure(target))


@dataclass(frozen=True, eq=False)
class _BothReleases:
    """Per class of people, the records that may be theirs by both releases.

    In compressed rows: class c has entries `start[c]` to before `start[c + 1]`. An entry is
    `weight` records that show the values with number `code`: as many as the release with fewer of
    them has. `likely` is the product of the numbers of both.
    """

    first: Fit
    second: Fit
    start: Counts
    code: Codes
    weight: Floats
    likely: Floats
    own: WeightedRows
    """The numbers of what each row of people holds."""
    exact: Codes
    """By number, the value of each exact column, -1 if none: shape (columns, numbers)."""

    @classmethod
    def of(cls, first: Fit, second: Fit) -> "_BothReleases":
        """Compute the records that both releases leave for each class of people, value by value."""
        fits = first, second
        shown = [_exact_values(fit.data) for fit in fits]
        every = np.concatenate([*shown, _sensitive_values(first.data)], axis=1)
        number, many = number_columns(every)
        *codes, own = np.split(number, np.cumsum([one.shape[1] for one in shown]))
        exact = np.zeros((len(every), many), dtype=np.int32)
        exact[:, number] = every - 1
        one, other = (
            sum_shown_by_class(*members_that_fit(fit, fit.data.shown.entries(code), many), many)
            for fit, code in zip(fits, codes, strict=True)
        )
        held = first.data.people.entries(own)
        return cls(first, second, *_common_codes(one, other, many), held, exact)

    @property
    def records_left(self) -> Counts:
        """Per class of people: how many records may be theirs."""
        total = np.concatenate([[0.0], np.cumsum(self.weight)])
        return np.rint(np.diff(total[self.start])).astype(np.int64)

    @property
    def people_right(self) -> Floats:
        """Per class of people: how many of them have their own values among the records left."""
        left, nothing = (self.start, self.code, self.weight), np.zeros(self.exact.shape[1])
        prior = PriorBelief(nothing, nothing, 1.0)
        people = self.first.people.start, self.first.people.rows
        return DisclosureFigures.of(
            each_by_itself(len(self.start) - 1), left, people, self.own, prior
        ).possible

    def disclosure(self, target: SensitiveTarget) -> AttributeDisclosure:
        """What the records that are left disclose about one sensitive column."""
        place = [one.name for one in self.first.data.sensitive].index(target.name)
        value = self.exact[place][self.code]
        some = value >= 0
        start = offsets(some)[self.start]
        left = start, value[some], self.likely[some]
        return AttributeDisclosure.of_members(
            self.first, target, (each_by_itself(len(start) - 1), left)
        )


def _exact_values(data: AttackData) -> Codes:
    """Per column and released row: the exact value that the row shows plus 1, else 0."""
    nothing = np.zeros((0, data.shown.records), dtype=np.int32)
    lines = [
        np.zeros_like(one.label)
        if one.decoding.single_values is None
        else one.decoding.single_values[one.label] + 1
        for one in data.sensitive
    ]
    return np.vstack([nothing, *lines])


def _sensitive_values(data: AttackData) -> Codes:
    """Per column and record of the people: its value plus 1."""
    nothing = np.zeros((0, data.people.records), dtype=np.int32)
    return np.vstack([nothing, *(one.value + np.int32(1) for one in data.sensitive)])


def _common_codes(
    one: WeightedRows, other: WeightedRows, many: int
) -> tuple[Counts, Codes, Floats, Floats]:
    """(Start, code, smaller weight, product of weights) of shared codes, which are below `many`."""
    keys = [owners(start) * many + code for start, code, _ in (one, other)]
    order = np.argsort(keys[1])
    place, there = find_keys(keys[1][order], keys[0])
    here, mine, theirs = keys[0][there], one[2][there], other[2][order[place[there]]]
    start = offsets_of(here // many, len(one[0]) - 1)
    return start, (here % many).astype(np.int32), np.minimum(mine, theirs), mine * theirs


def _finding_attack(both: _BothReleases) -> Attack:
    """Play finding a person's record among those that both releases leave."""
    fit = both.first
    people, left, right = fit.data.people.records, both.records_left, both.people_right
    hits = right / np.maximum(left, 1)
    alone = Moments.of(hits, fit.people.sizes).split_by_person(hits, fit.people.sizes)
    rate = Rate.of_moments(alone.spread_by_groups(fit.rows_of_a_person))
    k = _least_above_zero(left)
    before = [_least_above_zero(one.rows_fitting) for one in (both.first, both.second)]
    nobody = int(fit.people.sizes[left == 0].sum())
    return Attack(
        kind="releases",
        knows=fit.names,
        rate=rate,
        baseline=chance_of_guess(people),
        says=(
            f"Somebody knows {columns_phrase(fit.names)} of a person and has both releases. A "
            f"person fits at least {rows_phrase(before[0])} of the first and {before[1]:,} of the "
            f"second; together they leave as few as {rows_phrase(k)}{_exact_columns_clause(fit)}. "
            "A random one of those left is the person's for "
            f"{part_phrase(rate.success, 'the people')}."
        ),
        figures={"k": k, "k_first": before[0], "k_second": before[1], "nothing_left": nobody},
        persons=PersonRisk.of(
            1 / np.maximum(left, 1), chance_of_guess(people), right, fit.data.limit
        ),
    )


def _exact_columns_clause(fit: Fit) -> str:
    """The end of a sentence: which sensitive columns link the rows of two releases."""
    exact = [one.name for one in fit.data.sensitive]
    return f", because a record shows the same {columns_phrase(exact)} in both" if exact else ""


def _learning_attack(disclosure: AttributeDisclosure) -> Attack:
    """Play learning a sensitive value from the records that both releases leave."""
    guess, sure = inference(disclosure), homogeneity(disclosure)
    return replace(
        guess,
        kind="releases",
        says=(
            f"Somebody knows {columns_phrase(guess.knows)} of a person and has both releases. "
            f"Among the rows that both leave, the likeliest {disclosure.name} is the person's own "
            f"for {part_phrase(guess.success, 'the people')}, and the only one for "
            f"{part_phrase(sure.success, 'them')}; guessing the commonest value for everybody is "
            f"right for {part_phrase(guess.baseline, 'them')}."
        ),
        figures={"fewest_values": disclosure.fewest, "certain": sure.success},
    )


def _least_above_zero(counts: Counts) -> int:
    """The smallest count that is not 0; 0 if there is none."""
    return int(counts[counts > 0].min(initial=counts.max(initial=0)))
