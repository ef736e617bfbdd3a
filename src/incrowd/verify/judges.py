"""Every model judged anew on counted rows, from its definition in the literature.

A judge reads a model's parameters and counts; it never calls the model. Comparisons of shares are
exact (whole numbers and fractions); those with logarithms allow a rounding error of 1e-9.
"""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.errors import NotMetError
from incrowd.verify.binomial import largest_k, lower_share
from incrowd.verify.crowds import Crowds

_ROUNDING = 1e-9
_LARGEST_BLOCK = 2**21


@dataclass(frozen=True, eq=False)
class Values:
    """A sensitive column of the release, with the distribution that classes are compared with."""

    codes: Counts
    """The position of each row's value in the column's order, 0 for missing."""
    whole: Counts
    """People per position in the whole that classes are compared with."""
    maps: Codes | None = None
    """`maps[level, position]` is the node of that position, if the column has a hierarchy."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What the released rows show: their crowds and sensitive values."""

    crowds: Crowds
    sensitive: Mapping[str, Values]
    world: Counts | None = None
    """Per crowd: the individuals of the world that it may be about, if there is a world."""
    presence: float | None = None
    """The highest chance over all crowds that an individual is in the table, if counted."""
    columns: int = 1
    """Columns that define the crowds."""
    drawn: int | None = None
    """People of the table as it was read, also those whom the release leaves out, if known."""
    _holders: dict[str, "Holders"] = field(default_factory=dict, repr=False)

    @cached_property
    def people(self) -> Counts:
        """People per crowd."""
        return self.crowds.people

    @property
    def number_of_people(self) -> int:
        """Different people in the rows that leave."""
        crowds = self.crowds
        return int(crowds.records.sum()) if crowds.unit is None else len(np.unique(crowds.unit))

    def holders(self, column: str) -> "Holders":
        """Who holds which value of this column in which crowd."""
        if column not in self._holders:
            crowd, value, count = self.crowds.count_values(self.sensitive[column].codes)
            start = np.searchsorted(crowd, np.arange(self.crowds.number))
            self._holders[column] = Holders(self.people, crowd, value, count, start)
        return self._holders[column]


@dataclass(frozen=True, eq=False)
class Holders:
    """People per crowd and value, sorted by crowd, then value; each crowd has at least one."""

    people: Counts
    """Per crowd."""
    crowd: Counts
    value: Counts
    count: Counts
    start: Counts
    """Per crowd: its first entry in `crowd`, `value` and `count`."""

    @property
    def largest(self) -> Counts:
        """Per crowd: the people who hold its most frequent value."""
        return np.maximum.reduceat(self.count, self.start)

    @property
    def held(self) -> Counts:
        """Per crowd: pairs of a person and a value; more than people if somebody has several."""
        return np.add.reduceat(self.count, self.start)


Judgement = tuple[float, bool]
"""The value of the weakest crowd, and whether it meets the threshold."""


def judge(model: Any, evidence: Evidence) -> Judgement:
    """Judge a model, setting near values to the threshold; `NotMetError` if it cannot be judged."""
    if model.name not in JUDGES:
        raise NotMetError(
            f"incrowd cannot verify the model {model.name!r}, so nothing was released",
            remedy=f"use one of {', '.join(JUDGES)}",
        )
    reached, ok = JUDGES[model.name](model, evidence)
    near = abs(reached - model.threshold) <= _ROUNDING
    return float(model.threshold) if near else reached, bool(ok)


def _judge_k_anonymity(model: Any, evidence: Evidence) -> Judgement:
    """Judge by the smallest crowd (Sweeney Definition 2)."""
    smallest = int(evidence.people.min())
    return float(smallest), smallest >= model.k


def _judge_l_diversity(model: Any, evidence: Evidence) -> Judgement:
    """Judge by the kind of l-diversity that the model asks for."""
    return _KINDS[model.kind](model, evidence.holders(model.column))


def _judge_frequency(model: Any, holders: Holders) -> Judgement:
    """Judge whether no value has above 1/l of a crowd (Ghinita Definition 4)."""
    enough = _are_at_most(holders.largest, holders.people, 1 / meant_fraction(model.l))
    return float((holders.people / holders.largest).min()), enough


def _judge_distinct(model: Any, holders: Holders) -> Judgement:
    """Judge whether every crowd has at least l different values."""
    fewest = int(np.bincount(holders.crowd).min())
    return float(fewest), fewest >= meant_fraction(model.l)


def _judge_entropy(model: Any, holders: Holders) -> Judgement:
    """Judge whether every crowd has an entropy of log l or more (Machanavajjhala Section 4.1)."""
    share = holders.count / holders.held[holders.crowd]
    entropy = -np.add.reduceat(share * np.log(share), holders.start)
    lowest = float(entropy.min())
    return float(np.exp(lowest)), lowest >= np.log(model.l) - _ROUNDING


def _judge_recursive(model: Any, holders: Holders) -> Judgement:
    """Judge r1 < c (r_l + … + r_m) in every crowd (Machanavajjhala et al. Section 4.1)."""
    order = np.lexsort((-holders.count, holders.crowd))
    count = holders.count[order]
    rank = np.arange(len(count)) - holders.start[holders.crowd] + 1
    reached = 0
    for l in range(1, int(rank.max()) + 1):
        tail = np.add.reduceat(np.where(rank >= l, count, 0), holders.start)
        if not _are_at_most(count[holders.start], tail, meant_fraction(model.c), below=True):
            break
        reached = l
    return float(reached), reached >= model.l


_KINDS: Mapping[str, Callable[[Any, Holders], Judgement]] = {
    "frequency": _judge_frequency,
    "distinct": _judge_distinct,
    "entropy": _judge_entropy,
    "recursive": _judge_recursive,
}


def _judge_alpha_k(model: Any, evidence: Evidence) -> Judgement:
    """Judge whether crowds have k people (else 1.0) and no value above alpha (Wong Section 2)."""
    holders = evidence.holders(model.column)
    if int(evidence.people.min()) < model.k:
        return 1.0, False
    share = float((holders.largest / holders.people).max())
    return share, _are_at_most(holders.largest, holders.people, meant_fraction(model.alpha))


def _judge_probabilistic(model: Any, evidence: Evidence) -> Judgement:
    """Judge whether crowds stand for k of the population, with confidence (Lodha-Thomas Def. 4).

    The share of the smallest crowd is bounded from below by its people among all who were drawn,
    also those whom the release leaves out. With more people than the population 0 is reached.
    """
    size, n = int(evidence.people.min()), int(model.population)
    drawn = max(evidence.number_of_people, evidence.drawn or 0)
    if drawn > n:
        return 0.0, False
    declared, level = model.labels == "declared", 1 - model.confidence
    share = lower_share(size, drawn, evidence.columns, level, declared=declared)
    beta = min(model.beta, 0.5) * (1 + _ROUNDING)
    reached = max(size, largest_k(n, share, beta))
    return float(reached), reached >= model.k


def _judge_k_map(model: Any, evidence: Evidence) -> Judgement:
    """Judge by the fewest individuals of the world that a row may be (Bettini Definition 4)."""
    fewest = int(_candidates(model, evidence).min())
    return float(fewest), fewest >= model.k


def _judge_delta_presence(model: Any, evidence: Evidence) -> Judgement:
    """Judge by the highest chance to be in the table, by one crowd or all (Nergiz et al. 2007)."""
    people, there = evidence.crowds.people_of_class, _candidates(model, evidence)
    share = max(float((people / np.maximum(there, 1)).max()), evidence.presence or 0.0)
    met = bool((there > 0).all()) and _are_at_most(people, there, meant_fraction(model.delta))
    return min(share, 1.0), met and share <= model.delta + _ROUNDING


def _candidates(model: Any, evidence: Evidence) -> Counts:
    """The candidates of each crowd in the world; `NotMetError` without a world."""
    if evidence.world is None:
        raise NotMetError(
            f"{model.name} needs its world, so it cannot be verified without one: give the world",
            remedy="add --world FILE, or world=… in Python",
        )
    return evidence.world


def _judge_t_closeness(model: Any, evidence: Evidence) -> Judgement:
    """Judge by the largest distance of a crowd's spread from the whole (Li et al. Section 5)."""
    distances: dict[str, Callable[[Holders, Values], Floats]] = {
        "equal": _equal_distance,
        "ordered": _ordered_distance,
        "hierarchical": _hierarchical_distance,
    }
    values = evidence.sensitive[model.column]
    worst = float(distances[model.distance](evidence.holders(model.column), values).max())
    return worst, worst <= model.t + _ROUNDING


def _equal_distance(holders: Holders, values: Values) -> Floats:
    """Per crowd: half the sum of differences of shares; all values are equally far apart."""
    whole, here = int(values.whole.sum()), holders.held
    present = np.abs(holders.count * whole - values.whole[holders.value] * here[holders.crowd])
    absent = whole - np.add.reduceat(values.whole[holders.value], holders.start)
    return (np.add.reduceat(present, holders.start) + absent * here) / (2 * here * whole)


def _ordered_distance(holders: Holders, values: Values) -> Floats:
    """Per crowd: the mean difference of cumulated shares over steps between values.

    Missing values stand apart: what a crowd has more or fewer of them is carried all the way, and
    what it knows is compared with what the table knows, scaled to the same share.
    """
    known = np.flatnonzero(values.whole[1:]) + 1
    absent = _missing_shares(holders)
    carried = np.abs(absent - values.whole[0] / values.whole.sum())
    if len(known) >= 2:
        upto = np.cumsum(values.whole[known]) / values.whole[known].sum()
        carried += _sum_of_gaps(holders, known, 1 - absent, upto) / (len(known) - 1)
    distances: Floats = np.minimum(1, carried)
    return distances


def _sum_of_gaps(holders: Holders, known: Counts, scale: Floats, upto: Floats) -> Floats:
    """Per crowd: the sum of the differences of the cumulated shares.

    `known` are the positions that the table holds. From one value that a crowd holds to the next
    its cumulated share stands still while the table's (`upto`, times the crowd's `scale`) rises, so
    a stretch is cut where the two cross.
    """
    there = holders.value > 0
    crowd, at = holders.crowd[there], np.searchsorted(known, holders.value[there])
    first = np.append(True, crowd[1:] != crowd[:-1])[: len(crowd)]
    until = np.append(at[1:], len(known) - 1)[: len(at)]
    until[np.append(first[1:], True)[: len(first)]] = len(known) - 1
    running = np.cumsum(holders.count[there])
    before = (running - holders.count[there])[first][np.cumsum(first) - 1]
    level, scale = (running - before) / holders.held[crowd], scale[crowd]
    sums = np.append(0.0, np.cumsum(upto))
    cross = np.clip(np.searchsorted(upto, level / scale), at, until)
    gaps = level * (2 * cross - at - until)
    gaps += scale * (sums[until] + sums[at] - 2 * sums[cross])
    gaps[first] += scale[first] * sums[at[first]]
    return np.bincount(crowd, weights=gaps, minlength=len(holders.start)).astype(np.float64)


def _missing_shares(holders: Holders) -> Floats:
    """Per crowd: the share of missing values."""
    first = holders.start
    missing = np.where(holders.value[first] == 0, holders.count[first], 0)
    return missing.astype(np.float64) / holders.held


def _hierarchical_distance(holders: Holders, values: Values) -> Floats:
    """Per crowd: its hierarchical distance from the whole; `NotMetError` without a hierarchy."""
    if values.maps is None:
        raise NotMetError(
            "a sensitive column lacks its hierarchy, so its distances cannot be verified",
            remedy="check the release with its certificate",
        )
    share = values.whole / values.whole.sum()
    total = np.empty(len(holders.start))
    step = max(1, _LARGEST_BLOCK // len(share))
    for first in range(0, len(total), step):
        block = slice(first, first + step)
        total[block] = _sum_exchanges(
            _crowd_shares(holders, block, len(share)) - share, values.maps
        )
    return total


def _crowd_shares(holders: Holders, block: slice, places: int) -> Floats:
    """The shares of all values, at `places` positions, in these crowds, one line per crowd."""
    inside = slice(*np.searchsorted(holders.crowd, [block.start, block.stop]).tolist())
    shares = np.zeros((len(holders.start[block]), places))
    crowd = holders.crowd[inside]
    shares[crowd - block.start, holders.value[inside]] = holders.count[inside] / holders.held[crowd]
    return shares


def _sum_exchanges(extra: Floats, maps: Codes) -> Floats:
    """Per crowd: its hierarchical distance from the whole (Li et al. Section 5).

    What the children of a node exchange counts the share of all levels that is below the node.
    `extra` is how much more of each value a crowd has than the whole, one line per crowd; `maps`
    are those of `Values`.
    """
    height = len(maps) - 1
    total = np.zeros(len(extra))
    among = extra @ _membership_matrix(np.arange(maps.shape[1]), maps[0])
    for level in range(1, height + 1):
        upward = _membership_matrix(maps[level - 1], maps[level])
        exchanged = np.minimum(np.maximum(among, 0) @ upward, np.maximum(-among, 0) @ upward)
        total += level / height * exchanged.sum(axis=1)
        among = among @ upward
    return total


def _membership_matrix(child: Codes | Counts, parent: Codes) -> Floats:
    """The matrix (children, parents) with 1 where the child lies below the parent, else 0."""
    below = np.zeros((int(child.max()) + 1, int(parent.max()) + 1))
    below[child, parent] = 1
    return below


def meant_fraction(number: float) -> Fraction:
    """The fraction that was meant by a number: 0.1 is a tenth, 0.333… a third."""
    return Fraction(number).limit_denominator(1_000_000)


def _are_at_most(part: Counts, whole: Counts, share: Fraction, *, below: bool = False) -> bool:
    """Whether every part is at most (or `below`) this share of its whole, exactly."""
    compare = operator.lt if below else operator.le
    limit, unit = share.numerator, share.denominator
    pairs = np.unique(np.stack([part, whole]), axis=1).T.tolist()
    return all(compare(one * unit, limit * other) for one, other in pairs)


JUDGES: dict[str, Callable[[Any, Evidence], Judgement]] = {
    "k-anonymity": _judge_k_anonymity,
    "l-diversity": _judge_l_diversity,
    "t-closeness": _judge_t_closeness,
    "alpha-k": _judge_alpha_k,
    "probabilistic": _judge_probabilistic,
    "k-map": _judge_k_map,
    "delta-presence": _judge_delta_presence,
}
"""By the model's name: how it is judged. A model without a judge is never released."""
