"""What a comparison of releases with their original says: aggregated figures, no cell of a table.

Rows of a release have no counterpart in the original (their order is drawn), so every figure is
about distributions. A label is read as the set of values that it stands for, and its record is
spread evenly over that set: along the scale of numbers and dates, over the values of categories.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import Literal

from incrowd.showing import Shown

ColumnKind = Literal["number", "date", "category"]
Measure = Literal["correlation", "cramers_v", "correlation_ratio"]
Task = Literal["classification", "regression"]


@dataclass(frozen=True, kw_only=True)
class ColumnHistogram:
    """A column before and after, in a few bars on one scale."""

    labels: tuple[str, ...] = field(repr=False)
    """Round ends of bins, or categories that many records hold; never the value of a few."""
    before: tuple[float | None, ...]
    """The share of the original's records; None if fewer than `LEAST` records are there."""
    after: tuple[float | None, ...]
    """The share of the release's records, labels spread evenly; withheld likewise."""


@dataclass(frozen=True, kw_only=True)
class ColumnUtility:
    """How far one column of a release is from the original's."""

    name: str
    kind: ColumnKind
    total_variation: float | None
    """The share of the records that would have to move to make both columns alike, 0..1; numbers
    and dates with many values are counted in cells of equally many records. None if no cell can be
    read, or the release is empty."""
    earth_mover: float | None
    """How far they would have to move on average, as a share of the range; None for categories."""
    missing: tuple[int, int]
    """Missing cells of the original and of the release."""
    suppressed: int
    """Cells that show nothing, such as `*`."""
    unreadable: int
    """Cells that stand for no value of the original; they are spread over the whole column."""
    ncp: float | None
    """The mean share of the column that a cell spans, 0..1."""
    within_noise: float | None
    """The share of this column's counts that differ from the true ones by no more than two
    standard deviations of the spread of its labels (and at least half a record)."""
    histogram: ColumnHistogram


@dataclass(frozen=True, kw_only=True)
class PairUtility:
    """How strongly two columns go together, before and after."""

    columns: tuple[str, str]
    measure: Measure
    before: float | None
    after: float | None
    """None where a column has one value only."""

    @property
    def difference(self) -> float | None:
        """What the release adds to the association; None if it is unknown before or after."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before


@dataclass(frozen=True, kw_only=True)
class QueryUtility:
    """How well counts with conditions are answered by the release."""

    queries: int
    """Range queries over two columns, and a sensitive value if there is one."""
    median_error: float
    """The median of |estimate - true| / true, with at least a thousandth of the records below."""
    kl: float
    """Mean Kullback-Leibler divergence of the estimated from the true counts by two columns and a
    sensitive value, in nats (Ghinita Section 7.4), over cells; half a record is spread over each
    cube so that no cell is empty."""
    cubes: int
    """Over how many such tables the mean is."""


@dataclass(frozen=True, kw_only=True)
class ModelTest:
    """A model that learns from the release, tested on records of the original."""

    target: str
    task: Task
    model: str
    score: str
    """"accuracy" or "r2": higher is better."""
    original: float
    """The score after learning from the original, without the tested records."""
    release: float
    """The score after learning from the release, which was made of all records."""
    baseline: float
    """The score of always saying the most frequent value, or the mean."""
    trained_on: int
    tested_on: int


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """One coefficient of a regression, from the original and from the release."""

    term: str = field(repr=False)
    """A column, or `column = value 2`, its second most common value next to the first."""
    original: float
    standard_error: float
    """Of the original's coefficient."""
    release: float | None
    """None if the release does not tell it."""
    release_error: float | None
    overlap: float | None
    """The overlap of the 95 % intervals, as a mean share of both; 1 is best, 0 or less none."""

    @property
    def difference(self) -> float | None:
        """How far the release's coefficient is off; None if the release does not tell it."""
        return None if self.release is None else self.release - self.original


@dataclass(frozen=True, kw_only=True)
class Regression:
    """The analysis that the data is for, on both tables."""

    formula: str
    task: Literal["linear", "logistic"]
    coefficients: tuple[Coefficient, ...]
    records: tuple[int, int]
    """Complete records of the original and of the release."""


@dataclass(frozen=True, kw_only=True)
class RiskFigures:
    """How easily people are found by the quasi-identifying columns, counted from the rows."""

    k: int
    """The smallest class; 0 in an empty table."""
    highest: float
    """The largest chance of being found: 1 / k."""
    average: float
    """The mean chance of being found: classes / records."""
    uniques: int
    records: int


@dataclass(frozen=True, kw_only=True)
class ReleaseUtility:
    """What one release keeps of the original, and how easily people are found in it."""

    name: str
    records: int
    left_out: int
    columns: tuple[ColumnUtility, ...]
    absent: tuple[str, ...]
    """Columns of the original that it lacks."""
    pairs: tuple[PairUtility, ...]
    two_way: float | None
    """Mean total variation of the two-way tables of these pairs, 0..1."""
    two_way_within_noise: float | None
    queries: QueryUtility | None
    models: tuple[ModelTest, ...]
    regression: Regression | None
    losses: Mapping[str, float]
    """By name, from labels and classes alone; empty if no column is quasi-identifying."""
    losses_at_most: bool
    """Whether some labels can be read in several ways, so that losses are upper bounds."""
    risk: RiskFigures | None
    notes: tuple[str, ...]

    @property
    def total_variation(self) -> float | None:
        """The mean over the columns; None if it is known of none."""
        variations = [c.total_variation for c in self.columns if c.total_variation is not None]
        return fsum(variations) / len(variations) if variations else None

    @property
    def worst(self) -> ColumnUtility | None:
        """The column that is farthest from the original's; None if that is known of none."""
        measured = [c for c in self.columns if c.total_variation is not None]
        return max(measured, key=lambda c: c.total_variation or 0.0, default=None)

    @property
    def pair_difference(self) -> float | None:
        """The mean size of the differences between associations; None if none is known."""
        differences = [abs(p.difference) for p in self.pairs if p.difference is not None]
        return fsum(differences) / len(differences) if differences else None

    @property
    def distance(self) -> float | None:
        """How far it is from the original by two-way tables, else by columns; None if neither."""
        return self.total_variation if self.two_way is None else self.two_way


@dataclass(frozen=True, kw_only=True)
class Comparison(Shown):
    """Releases beside their original."""

    original: str
    """Its name."""
    records: int
    risk: RiskFigures | None
    """Of the original itself."""
    releases: tuple[ReleaseUtility, ...]
    quasi: tuple[str, ...]
    """The columns that people are found by."""
    sensitive: tuple[str, ...]
    formula: str | None
    """The analysis that the data is for, if it was said."""
    seed: int
    notes: tuple[str, ...]

    @property
    def frontier(self) -> tuple[str, ...]:
        """The releases that no other one beats in both risk and distance, by falling risk."""
        placed = [
            (place, r.name) for r in self.releases if (place := _risk_and_distance(r)) is not None
        ]
        best = [one for one in placed if not any(_beats(other, one[0]) for other, _ in placed)]
        return tuple(name for _, name in sorted(best, key=lambda one: (-one[0][0], one[0][1])))


def _risk_and_distance(release: ReleaseUtility) -> tuple[float, float] | None:
    """The highest risk and the distance of a release; None if one of them is unknown."""
    if release.risk is None or release.distance is None:
        return None
    return release.risk.highest, release.distance


def _beats(other: tuple[float, float], place: tuple[float, float]) -> bool:
    """Whether another release is no worse in risk and distance, and better in one of them."""
    return other != place and other[0] <= place[0] and other[1] <= place[1]
