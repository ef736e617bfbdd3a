"""Measuring the risk of a table under every reading of its missing values."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.classes import Classes, SensitiveColumn, classes_of, crowds, numbered
from incrowd.models.l_diversity import LDiversity
from incrowd.models.shares import fraction
from incrowd.models.t_closeness import TCloseness, distances
from incrowd.risk.risk import Figures, Prosecutor, Reached, Risk
from incrowd.table.roles import Missing
from incrowd.table.tally import Tally

_KINDS: tuple[Literal["frequency", "distinct", "entropy"], ...] = (
    "frequency",
    "distinct",
    "entropy",
)


@dataclass(frozen=True, eq=False)
class _Reading:
    """What an attacker sees: own sizes of the classes, and the crowds that their records hide in.

    `crowds` is `classes` itself unless a missing value matches anything.
    """

    classes: Classes
    crowds: Classes
    people: int
    weights: Floats | None


def measure(
    tally: Tally,
    sensitive: Sequence[SensitiveColumn],
    threshold: float = 0.2,
    missing: Missing = Missing.OWN_VALUE,
) -> Risk:
    """The risk of a table as it is: its classes are the rows with equal quasi-identifying codes.

    `sensitive` describes the tally's sensitive columns in their order. The figures are those of
    the reading `missing`; those of the other readings come along.
    """
    class_of, number = numbered(tally.quasi)
    classes = classes_of(tally, class_of, number, sensitive)
    readings = _readings(tally, class_of, classes)
    distinct = {id(seen): _figures(seen, threshold) for seen in set(readings.values())}
    found = {reading: distinct[id(seen)] for reading, seen in readings.items()}
    figures = found[missing]
    return Risk(
        **{one.name: getattr(figures, one.name) for one in fields(Figures)},
        threshold=threshold,
        reading=missing,
        missing=found,
    )


def _readings(tally: Tally, class_of: Codes, classes: Classes) -> dict[Missing, _Reading]:
    nodes = _nodes(tally, class_of, len(classes))
    absent = nodes == MISSING
    everybody = _people(tally, np.ones(tally.rows, dtype=np.bool_))
    weights: Floats | None = None
    if tally.weights is not None:
        weights = np.zeros(len(classes), dtype=np.float64)
        np.add.at(weights, class_of, tally.weights)
    own = _Reading(classes, classes, everybody, weights)
    if not absent.any():
        return dict.fromkeys(Missing, own)
    joined = crowds(nodes, absent, classes, tally, class_of)
    full = np.flatnonzero(~absent.any(axis=0)).astype(np.int32)
    rest = classes.take(full)
    people = _people(tally, (tally.quasi != MISSING).all(axis=0))
    return {
        Missing.OWN_VALUE: own,
        Missing.MATCHES_ANYTHING: _Reading(classes, joined, everybody, weights),
        Missing.SUPPRESS: _Reading(rest, rest, people, None if weights is None else weights[full]),
    }


def _nodes(tally: Tally, class_of: Codes, number: int) -> Codes:
    """The quasi-identifying codes of each class: shape (d, classes)."""
    first = np.zeros(number, dtype=np.int32)
    first[class_of] = np.arange(tally.rows, dtype=np.int32)
    return tally.quasi[:, first]


def _people(tally: Tally, rows: Flags) -> int:
    """How many different people have a record in these rows."""
    shared = np.unique(tally.shared_unit[rows[tally.shared_row]])
    return int(tally.people[rows].sum()) + len(shared)


def _figures(seen: _Reading, threshold: float) -> Figures:
    records, size = seen.classes.records, seen.crowds.people
    total = int(records.sum())
    unique = int(records[size == 1].sum())
    number = len(seen.classes)
    return Figures(
        records=total,
        people=seen.people,
        classes=number,
        k=int(size.min()) if number else 0,
        unique_records=unique,
        unique_share=unique / max(total, 1),
        average_class=float(seen.crowds.records.sum()) / max(number, 1),
        prosecutor=_prosecutor(records, size, threshold),
        sizes=_sizes(size),
        sensitive=_reached(seen.crowds),
        population=float(seen.weights.min()) if seen.weights is not None and number else None,
    )


def _prosecutor(records: Counts, size: Counts, threshold: float) -> Prosecutor:
    """1 / size is compared with the threshold without rounding."""
    total = max(int(records.sum()), 1)
    limit = fraction(threshold)
    above = size * limit.numerator < limit.denominator
    return Prosecutor(
        max=1 / int(size.min()) if len(size) else 0.0,
        average=float((records / size).sum()) / total,
        above_threshold=int(records[above].sum()) / total,
    )


def _sizes(size: Counts) -> tuple[tuple[int, int], ...]:
    found, classes = np.unique(size, return_counts=True)
    return tuple(zip(found.tolist(), classes.tolist(), strict=True))


def _reached(classes: Classes) -> dict[str, Reached]:
    found = {}
    for name, held in classes.histograms.items():
        l: dict[str, float | None] = dict.fromkeys(_KINDS)
        if len(classes):
            l = {kind: LDiversity(name, 1, kind).reached(classes) for kind in _KINDS}
        t: dict[str, float] = {
            way: TCloseness(name, 1, way).reached(classes) for way in distances(held.column)
        }
        found[name] = Reached(l, t)
    return found
