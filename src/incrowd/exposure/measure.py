"""Measuring the risk of a table under every reading of its missing values.

Highest risk, average risk and share at risk of the three attackers (prosecutor, journalist and
marketer) follow El Emam, *Guide to the De-Identification of Personal Health Information* (2013), as
in ARX.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.errors import PolicyError
from incrowd.exposure.estimates import LEVEL, Estimates, estimates
from incrowd.exposure.people import ClassKinds, mean_risks
from incrowd.exposure.risk import (
    Figures,
    Individual,
    Journalist,
    Marketer,
    PopulationModel,
    Prosecutor,
    Reached,
    Risk,
)
from incrowd.exposure.uniqueness import uniqueness
from incrowd.models import l_diversity, t_closeness
from incrowd.models.model import TOLERANCE, fraction
from incrowd.partition.classes import (
    Classes,
    SensitiveColumn,
    classes_of,
    crowd_sums,
    join_crowds,
    number_columns,
)
from incrowd.table.column import Missing
from incrowd.table.tally import Tally

_KINDS: tuple[Literal["frequency", "distinct", "entropy"], ...] = (
    "frequency",
    "distinct",
    "entropy",
)


@dataclass(frozen=True, eq=False)
class _CrowdView:
    """What an attacker sees: the classes, and the crowds that their records hide in."""

    classes: Classes
    crowds: Classes
    """`classes` itself unless a missing value matches anything."""
    people: int
    weights: Floats | None
    """Sum of the sampling weights of each crowd."""

    @property
    def plain(self) -> bool:
        """Whether every person is one record of one class."""
        same = self.crowds is self.classes and self.people == int(self.classes.records.sum())
        return same and bool((self.classes.records == self.classes.people).all())


def measure(
    tally: Tally,
    sensitive: Sequence[SensitiveColumn],
    threshold: float = 0.2,
    missing: Missing = Missing.OWN_VALUE,
    population: int | None = None,
) -> Risk:
    """Measure the risk of a table as it is; its classes are rows with equal quasi-identifiers.

    `sensitive` describes the tally's sensitive columns in their order. The figures are those of
    the reading `missing`, with the other ones beside them. `population` is the number of people
    that the table was drawn from, if known (see `population_size`).
    """
    class_of, number = number_columns(tally.quasi)
    classes = classes_of(tally, class_of, number, sensitive)
    readings = _views_by_reading(tally, class_of, _own_value_view(tally, class_of, classes))
    distinct = {id(seen): _measure_view(seen, threshold) for seen in set(readings.values())}
    figures = {reading: distinct[id(seen)] for reading, seen in readings.items()}
    return _build_risk(readings[missing], figures, (missing, threshold, population))


def measure_blocks(
    tallies: Iterable[Tally],
    sensitive: Sequence[SensitiveColumn],
    threshold: float = 0.2,
    missing: Missing = Missing.OWN_VALUE,
) -> Risk | None:
    """Measure a table that comes in blocks, each with all rows of its classes; records are people.

    None if a quasi-identifying value is missing: then classes of different blocks may match.
    """
    records, reached = [], []
    for tally in tallies:
        if (tally.quasi == MISSING).any():
            return None
        class_of, number = number_columns(tally.quasi)
        classes = classes_of(tally, class_of, number, sensitive)
        records.append(classes.records)
        if number:
            reached.append(_diversity_by_column(classes))
    sizes = np.concatenate(records)
    every = Classes(sizes, sizes, {})
    seen = _CrowdView(every, every, int(sizes.sum()), None)
    figures = replace(_measure_view(seen, threshold), sensitive=_weakest_over_blocks(reached))
    return _build_risk(seen, dict.fromkeys(Missing, figures), (missing, threshold, None))


def _weakest_over_blocks(blocks: Sequence[Mapping[str, Reached]]) -> dict[str, Reached]:
    """By sensitive column, the least l and the largest t of the classes of all blocks."""
    return {
        name: Reached(
            {kind: min(block[name].l[kind] or 0.0 for block in blocks) for kind in first.l},
            {way: max(block[name].t[way] for block in blocks) for way in first.t},
        )
        for name, first in (blocks[0] if blocks else {}).items()
    }


def measure_as_it_is(tally: Tally, threshold: float, population: int | None = None) -> Risk:
    """Measure the risk with missing values as values of their own, without sensitive columns."""
    class_of, number = number_columns(tally.quasi)
    own = _own_value_view(
        tally, class_of, classes_of(without_sensitive(tally), class_of, number, ())
    )
    figures = {Missing.OWN_VALUE: _measure_view(own, threshold)}
    return _build_risk(own, figures, (Missing.OWN_VALUE, threshold, population))


@dataclass(frozen=True, eq=False)
class _Sampling:
    """How a table was drawn from its population."""

    source: str
    population: float
    stand_for: Floats
    """People of the population that each class stands for, by its weights or by its size alone."""
    share: Floats
    """The share of its people that was drawn, for each class: above 0, at most 1."""

    @staticmethod
    def of(seen: _CrowdView, population: int | None) -> "_Sampling":
        """How it was drawn: by weights (scaled to `population`), by `population`, or as a whole."""
        people = seen.crowds.people.astype(np.float64)
        everybody = float(max(seen.people, 1))
        if seen.weights is None:
            total = everybody if population is None else float(population)
            share = np.full(len(people), min(everybody / total, 1.0))
            source = "table" if population is None else "population"
            return _Sampling(source, total, people / share, share)
        per_person = seen.weights / np.maximum(seen.crowds.records, 1)
        own = seen.classes.people
        total = float(own @ per_person) * everybody / max(float(own.sum()), 1.0)
        if population is not None and total > 0:
            per_person, total = per_person * (population / total), float(population)
        share = np.minimum(1 / np.maximum(per_person, 1e-300), 1.0)
        return _Sampling("weights", total, people * per_person, share)

    @property
    def is_even(self) -> bool:
        """Whether the same share of every class was drawn, as in a simple random sample."""
        return not len(self.share) or float(np.ptp(self.share)) <= TOLERANCE

    def sampling_fraction(self, people: int) -> float:
        """The share of the population that so many people are: at most 1; 1 of an empty one."""
        return min(people / self.population, 1.0) if self.population else 1.0

    def model(self, people: int, *, plain: bool) -> PopulationModel | None:
        """The model behind the figures (`plain` as in `estimates`); None without a population."""
        if self.source == "table":
            return None
        name = "counted" if (self.share >= 1).all() else "poisson-mixture"
        drawn = "weights" if self.source == "weights" else "random-sample"
        sizes = "smooth-lower-ends" if plain else "smooth-sizes"
        assumes = () if name == "counted" else (drawn, "population", sizes)
        part = self.sampling_fraction(people)
        return PopulationModel(name, LEVEL, self.source, self.population, part, assumes)


def _build_risk(
    seen: _CrowdView, found: dict[Missing, Figures], asked: tuple[Missing, float, int | None]
) -> Risk:
    """Put the risk together: `asked` is a reading, threshold and population, `seen` its view."""
    missing, threshold, population = asked
    figures, records, people = found[missing], seen.classes.records, seen.crowds.people
    drawn = _Sampling.of(seen, population)
    kinds = ClassKinds.of(records, seen.classes.people, people, drawn.share)
    plain = seen.plain and drawn.is_even
    behind = estimates(kinds, drawn.sampling_fraction(seen.people), threshold, plain=plain)
    sizes = np.array(figures.sizes, dtype=np.int64).reshape(-1, 2)
    unique = None
    if population is not None:
        unique = uniqueness(sizes[:, 0], sizes[:, 1], seen.people, population, behind)
    alone = None
    if drawn.source != "table":
        alone = individual_risk(behind, records, people, drawn.stand_for)
    return Risk(
        **{one.name: getattr(figures, one.name) for one in fields(Figures)},
        threshold=threshold,
        reading=missing,
        missing=found,
        model=drawn.model(seen.people, plain=plain),
        journalist=journalist_risk(behind, drawn.source),
        marketer=marketer_risk(behind),
        uniqueness=unique,
        individual=alone,
    )


def _own_value_view(tally: Tally, class_of: Codes, classes: Classes) -> _CrowdView:
    """What an attacker sees if a missing value is a value like any other."""
    everybody = _count_people(tally, np.ones(tally.rows, dtype=np.bool_))
    weights: Floats | None = None
    if tally.weights is not None:
        weights = np.zeros(len(classes), dtype=np.float64)
        np.add.at(weights, class_of, tally.weights)
    return _CrowdView(classes, classes, everybody, weights)


def _views_by_reading(tally: Tally, class_of: Codes, own: _CrowdView) -> dict[Missing, _CrowdView]:
    """What an attacker sees under each reading of missing values; one view if none is missing."""
    classes, everybody, weights = own.classes, own.people, own.weights
    nodes = _codes_of_classes(tally, class_of, len(classes))
    absent = nodes == MISSING
    if not absent.any():
        return dict.fromkeys(Missing, own)
    joined = join_crowds(nodes, absent, classes, tally, class_of)
    together = None if weights is None else crowd_sums(nodes, absent, weights)
    full = np.flatnonzero(~absent.any(axis=0)).astype(np.int32)
    rest = classes.take(full)
    people = _count_people(tally, (tally.quasi != MISSING).all(axis=0))
    return {
        Missing.OWN_VALUE: own,
        Missing.MATCHES_ANYTHING: _CrowdView(classes, joined, everybody, together),
        Missing.SUPPRESS: _CrowdView(
            rest, rest, people, None if weights is None else weights[full]
        ),
    }


def _codes_of_classes(tally: Tally, class_of: Codes, number: int) -> Codes:
    """The quasi-identifying codes of each class: shape (d, classes)."""
    first = np.zeros(number, dtype=np.int32)
    first[class_of] = np.arange(tally.rows, dtype=np.int32)
    return tally.quasi[:, first]


def _count_people(tally: Tally, rows: Flags) -> int:
    """How many different people have a record in these rows."""
    shared = np.unique(tally.shared_unit[rows[tally.shared_row]])
    return int(tally.people[rows].sum()) + len(shared)


def _measure_view(seen: _CrowdView, threshold: float) -> Figures:
    """The figures of a table as an attacker sees it, under one reading of missing values."""
    records, size = seen.classes.records, seen.crowds.people
    total = int(records.sum())
    unique = int(records[size == 1].sum())
    number = len(seen.classes)
    sizes, of_size = np.unique(size, return_counts=True)
    return Figures(
        records=total,
        people=seen.people,
        classes=number,
        k=int(size.min()) if number else 0,
        unique_records=unique,
        unique_share=unique / max(total, 1),
        average_class=float(seen.crowds.records.sum()) / max(number, 1),
        prosecutor=prosecutor_risk(records, size, threshold),
        sizes=tuple(zip(sizes.tolist(), of_size.tolist(), strict=True)),
        sensitive=_diversity_by_column(seen.crowds),
        population=float(seen.weights.min()) if seen.weights is not None and number else None,
    )


def _diversity_by_column(classes: Classes) -> dict[str, Reached]:
    """What the weakest class reaches of l and t, by sensitive column; l is None without classes."""
    reached = {}
    for name, histogram in classes.histograms.items():
        l: dict[str, float | None] = dict.fromkeys(_KINDS)
        if len(classes):
            l = {
                kind: l_diversity.LDiversity(name, 1, kind).achieved_by(classes) for kind in _KINDS
            }
        t: dict[str, float] = {
            way: t_closeness.TCloseness(name, 1, way).achieved_by(classes)
            for way in t_closeness.meaningful_distances(histogram.column)
        }
        reached[name] = Reached(l, t)
    return reached


def classes_by(tally: Tally, codes: Codes) -> tuple[Codes, Classes]:
    """The class of each row by these codes, and these classes, without sensitive columns."""
    class_of, number = number_columns(np.ascontiguousarray(codes))
    return class_of, classes_of(without_sensitive(tally), class_of, number, ())


def without_sensitive(tally: Tally) -> Tally:
    """The tally without its sensitive columns; rows are not folded again."""
    return replace(tally, sensitive=tally.sensitive[:0])


def prosecutor_risk(records: Counts, size: Counts, threshold: float) -> Prosecutor:
    """The prosecutor's risk, about people known to be in the table.

    `records` and `size` are the records and the people of each class; 1 / size compares exactly.
    """
    total = max(int(records.sum()), 1)
    limit = fraction(threshold)
    above = size * limit.numerator < limit.denominator
    return Prosecutor(
        max=1 / int(size.min()) if len(size) else 0.0,
        average=float((records / size).sum()) / total,
        above_threshold=int(records[above].sum()) / total,
    )


def journalist_risk(found: Estimates, source: str) -> Journalist:
    """The journalist's risk, about somebody who may or may not be in the table."""
    average = found.average.larger_of(found.by_class)
    return Journalist(
        max=found.highest.value,
        average=average.value,
        above_threshold=found.above.value,
        source=source,
        max_interval=found.highest.interval,
        average_interval=average.interval,
        above_threshold_interval=found.above.interval,
        above_threshold_possible=found.above.possible,
    )


def marketer_risk(found: Estimates) -> Marketer:
    """The marketer's risk: the expected share of records that are linked right."""
    average = found.average
    return Marketer(average.value, average.interval, average.possible)


def individual_risk(
    found: Estimates, records: Counts, people: Counts, population: Floats
) -> Individual:
    """The individual risk; `population` has the people for whom each class stands."""
    total = int(records.sum())
    alone = mean_risks(people, people / np.maximum(population, people)) if total else np.zeros(0)
    low, high = found.average.interval
    return Individual(
        max=found.likeliest.value,
        average=found.average.value,
        expected=found.average.value * total,
        above_threshold=found.likely_above.value,
        light=int(records[population < people * (1 - TOLERANCE)].sum()),
        max_interval=found.likeliest.interval,
        average_interval=(low, high),
        expected_interval=(low * total, high * total),
        above_threshold_interval=found.likely_above.interval,
        negative_binomial=float((records * alone).sum()) / max(total, 1),
    )


def population_size(
    people: int, population: int | None = None, fraction: float | None = None
) -> int | None:
    """How many people the population has, by number or share drawn; None if neither is given.

    `PolicyError` if both are given, the share is not above 0 and at most 1, or the population is
    smaller than the table.

    >>> population_size(500, fraction=0.05)
    10000
    """
    if population is not None and fraction is not None:
        raise PolicyError(
            "both a population and a sampling fraction are given", remedy="give one of them"
        )
    if fraction is not None:
        if not 0 < fraction <= 1:
            raise PolicyError(
                "the sampling fraction must be above 0 and at most 1",
                remedy="give the share of the population that the table holds: 0.1 is one in ten",
            )
        return max(round(people / fraction), people, 1)
    if population is not None and population < max(people, 1):
        raise PolicyError(
            f"the population has {population:,} people, but the table already has {people:,}",
            remedy="give the number of all people that the table was drawn from",
        )
    return population
