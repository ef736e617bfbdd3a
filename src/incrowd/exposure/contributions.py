"""What each column, and each kind of value, does to the risk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np

from incrowd.arrays import Codes, Flags
from incrowd.identify.measures import all_ratios
from incrowd.identify.records import Records
from incrowd.models.shares import fraction
from incrowd.partition.classes import classes_of, numbered
from incrowd.table.tally import Tally
from incrowd.watch import Watch

MOST_SWEPT = 12
"""With more columns than this there are too many sets to look at all of them."""
_BANDS = ((1, 1), (2, 4), (5, 19), (20, 99), (100, None))
Sets = Mapping[tuple[int, ...], tuple[float, float]]
"""By columns: the share of unique records and the average risk."""


@dataclass(frozen=True)
class Band:
    """Values of a column that are about as common; no value is told."""

    at_least: int
    """Records that hold such a value, at least."""
    at_most: int | None
    values: int
    records: float
    """Share of the records that hold one of these values."""
    exposed: float
    """Share of the records above the threshold that hold one of these values."""


@dataclass(frozen=True)
class Change:
    """The risk when one column is left out, or shown one level coarser."""

    column: str
    change: str
    """`drop` or `coarsen`."""
    values: int
    """Distinct values that the column still shows."""
    above_threshold: float
    unique_share: float
    average: float
    """The prosecutor's average risk."""
    uniqueness: float | None
    """Estimated share of the records that are unique in the population, if its size is known; never
    above what it was, as coarser values make nobody rarer."""
    individual: float | None
    """Average risk given the weights or the population, if they are known; likewise."""
    uniqueness_interval: tuple[float, float] | None = None
    individual_interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Contribution:
    """What one column does to the risk."""

    column: str
    values: int
    """Distinct values; missing is one."""
    alone: float
    """Share of the records above the threshold by this column alone."""
    without: float
    """The same by all other columns together."""
    unique: float | None
    """Its part of the share of unique records: its mean addition over all orders in which columns
    become known (Shapley's value). The parts of all columns sum to that share. None for more than
    `MOST_SWEPT` columns."""
    bands: tuple[Band, ...]


@dataclass(frozen=True)
class Knowledge:
    """What somebody can do who knows so many of the columns, whichever they are."""

    known: int
    sets: int
    worst: tuple[str, ...]
    """The columns that make most records unique."""
    unique_share: float
    """By the worst columns."""
    mean_unique_share: float
    """Mean over all sets of so many columns."""
    average: float
    """Highest average risk by any set of so many columns."""


@dataclass(frozen=True)
class Explained:
    """What each column does to the risk, and what would lower it."""

    contributions: tuple[Contribution, ...]
    knowledge: tuple[Knowledge, ...]
    """By how many columns are known; empty for more than `MOST_SWEPT` columns."""
    changes: tuple[Change, ...]


def identifying(tally: Tally) -> Tally:
    """The tally without its sensitive columns; rows are not folded."""
    return replace(tally, sensitive=tally.sensitive[:0])


def exposed(tally: Tally, quasi: Codes, threshold: float) -> Flags:
    """Which rows of a tally have a risk above the threshold, by these codes of each row."""
    class_of, number = numbered(np.ascontiguousarray(quasi))
    limit = fraction(threshold)
    size = classes_of(identifying(tally), class_of, number, ()).people
    found: Flags = (size * limit.numerator < limit.denominator)[class_of]
    return found


def share_of(tally: Tally, rows: Flags) -> float:
    """The share of the records that these rows hold."""
    return int(tally.counts[rows].sum()) / max(tally.records, 1)


def sweep(
    names: Sequence[str], tally: Tally, watch: Watch | None = None
) -> dict[tuple[int, ...], tuple[float, float]]:
    """The share of unique records and the average risk by every set of columns.

    All sets at once by splitting classes, if each record is a person; else set by set, counting
    people.
    """
    if not tally.has_units:
        records = Records(tuple(names), tally.quasi, tally.counts)
        found = all_ratios(records, watch=watch)
        return {columns: (r.unique_ratio, r.distinct_ratio) for columns, r in found}
    every = range(1, len(names) + 1)
    sets = [one for size in every for one in combinations(range(len(names)), size)]
    return {columns: _counted(tally, list(columns)) for columns in sets}


def _counted(tally: Tally, columns: list[int]) -> tuple[float, float]:
    class_of, number = numbered(np.ascontiguousarray(tally.quasi[columns]))
    classes = classes_of(identifying(tally), class_of, number, ())
    total = max(tally.records, 1)
    unique = int(classes.records[classes.people == 1].sum()) / total
    return unique, float((classes.records / np.maximum(classes.people, 1)).sum()) / total


def knowledge(names: Sequence[str], sets: Sets) -> tuple[Knowledge, ...]:
    """The sets by how many columns they have."""
    found = []
    for size in range(1, len(names) + 1):
        of_size = {columns: told for columns, told in sets.items() if len(columns) == size}
        worst = max(sorted(of_size), key=lambda columns: of_size[columns])
        uniques = [unique for unique, _ in of_size.values()]
        found.append(
            Knowledge(
                known=size,
                sets=len(of_size),
                worst=tuple(names[j] for j in worst),
                unique_share=of_size[worst][0],
                mean_unique_share=sum(uniques) / len(uniques),
                average=max(average for _, average in of_size.values()),
            )
        )
    return tuple(found)


def parts(width: int, sets: Sets, nothing: float = 0.0) -> list[float]:
    """Each column's mean addition to the share of unique records (Shapley's value).

    `nothing` is the share when no column is known: 0 unless the table has one person.
    """
    found = [0.0] * width
    for columns, (unique, _) in sets.items():
        weight = 1 / (len(columns) * comb(width, len(columns)))
        for j in columns:
            rest = tuple(i for i in columns if i != j)
            found[j] += weight * (unique - (sets[rest][0] if rest else nothing))
    return found


def bands(tally: Tally, column: int, above: Flags) -> tuple[Band, ...]:
    """The values of a column by how common they are, and who is above the threshold with them."""
    codes = tally.quasi[column]
    held = np.bincount(codes, weights=tally.counts)
    risky = np.bincount(codes, weights=tally.counts * above, minlength=len(held))
    everyone, everybody = max(held.sum(), 1.0), max(risky.sum(), 1.0)
    found = []
    for low, high in _BANDS:
        here = (held >= low) & (held <= (np.inf if high is None else high))
        shares = float(held[here].sum() / everyone), float(risky[here].sum() / everybody)
        found.append(Band(low, high, int(here.sum()), *shares))
    return tuple(found)
