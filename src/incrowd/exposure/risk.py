"""The risk of a table: figures alone, no cell values."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from incrowd.exposure.possible import Range
from incrowd.exposure.special_uniques import SpecialUniques
from incrowd.exposure.uniqueness import Uniqueness
from incrowd.showing import Shown
from incrowd.table.column import Missing

_MORE = (
    "model",
    "journalist",
    "marketer",
    "uniqueness",
    "individual",
    "special_uniques",
    "explained",
)
_BANDS = (
    (1, "1"),
    (2, "2–4"),  # noqa: RUF001  ranges have an en dash
    (5, "5–9"),  # noqa: RUF001
    (10, "10–19"),  # noqa: RUF001
    (20, "20–49"),  # noqa: RUF001
    (50, "50–99"),  # noqa: RUF001
    (100, "100 or more"),
)
"""Bands of class sizes: the least size, and the name."""


@dataclass(frozen=True)
class Prosecutor:
    """The risk of a person who is known to be in the table: 1 / size of the class."""

    max: float
    """The risk of the person who is easiest to find; 0 for a table without records."""
    average: float
    """Mean over the records."""
    above_threshold: float
    """Share of the records whose risk exceeds the threshold."""


@dataclass(frozen=True)
class Journalist:
    """The risk of a person who may or may not be in the table.

    1 / people of the population who share the class (El Emam, *Guide to the De-Identification of
    Personal Health Information*). The people of a class are estimated (`Risk.model`) or, if no
    population is known, those of the table itself: then this is the prosecutor's risk. Intervals
    hold a figure with a probability of 95 %, if what `Risk.model` assumes is true; a counted figure
    has an interval of one point.
    """

    max: float
    """Expected risk of the person who is easiest to find."""
    average: float
    """The larger of classes / their people in the population and the marketer's risk."""
    above_threshold: float
    """Share of the records whose risk exceeds the threshold."""
    source: str
    """Where the size of the population comes from: `weights`, `population` or `table`."""
    max_interval: Range
    average_interval: Range
    above_threshold_interval: Range
    above_threshold_possible: Range | None
    """The least and the most over every population that fits the table, whatever the model; None
    if weights differ, with people of several records, or if missing values match anything."""


@dataclass(frozen=True)
class Marketer:
    """The expected share of records that somebody who links all of them gets right.

    Mean over the records of 1 / people of the population who share the class; classes / records if
    the table is the population.
    """

    average: float
    average_interval: Range
    average_possible: Range | None
    """The least and the most over every population that fits the table; see `Journalist`."""


@dataclass(frozen=True)
class Individual:
    """The mean risk of each class, given what its size says about the people behind it."""

    max: float
    """The risk of the class with the highest mean risk."""
    average: float
    """Mean over the records: the share expected to be found by somebody who tries all of them."""
    expected: float
    """The average as a number of records."""
    above_threshold: float
    """Share of the records in classes whose mean risk exceeds the threshold."""
    light: int
    """Records of classes whose weights sum to less than their people: these count as the whole
    population of the class, which is the highest risk that it can have."""
    max_interval: Range
    average_interval: Range
    expected_interval: Range
    above_threshold_interval: Range
    negative_binomial: float
    """The average by Benedetti and Franconi, who look at each class alone; for comparison."""


@dataclass(frozen=True)
class PopulationModel:
    """The model behind every figure about the population."""

    name: str
    """`poisson-mixture`, or `counted` if the table is the population."""
    level: float
    """Probability of the intervals, if what it `assumes` is true."""
    source: str
    """Where the size of the population comes from: `weights` or `population`."""
    population: float
    fraction: float
    """The share of them that is in the table."""
    assumes: tuple[str, ...] = ()
    """What the level depends on: `random-sample` (everybody was equally likely to be drawn) or
    `weights` (they are right, and within a class everybody was equally likely to be drawn);
    `population` (its size is right); `smooth-sizes` (class sizes vary smoothly) or
    `smooth-lower-ends` (only lower ends, and the share above the threshold, suppose so)."""


@dataclass(frozen=True)
class Reached:
    """What the weakest class achieves for one sensitive column."""

    l: Mapping[str, float | None]
    """l by kind: `frequency`, `distinct`, `entropy`; None for a table without records."""
    t: Mapping[str, float]
    """t by distance: `equal`, and `ordered` and `hierarchical` where they mean something."""


@dataclass(frozen=True)
class Band:
    """Values of a column that are about equally common; the values themselves are not shown."""

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
    """The risk if one column is left out, or shown one level coarser."""

    column: str
    change: str
    """`drop` or `coarsen`."""
    values: int
    """Distinct values that the column would still show."""
    above_threshold: float
    unique_share: float
    average: float
    """The prosecutor's average risk."""
    uniqueness: float | None
    """Estimated share unique in a population of known size; never above what it is now."""
    individual: float | None
    """Average risk given the weights or the population, if they are known; likewise."""
    uniqueness_interval: tuple[float, float] | None = None
    individual_interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Contribution:
    """How much one column contributes to the risk."""

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
    """Risk from an attacker who knows a number of columns: the worst set, and the mean of all."""

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
    """Contribution of each column to the risk, and changes that would lower it."""

    contributions: tuple[Contribution, ...]
    knowledge: tuple[Knowledge, ...]
    """By how many columns are known; empty for more than `MOST_SWEPT` columns."""
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Finding:
    """A figure of the risk that is not 0, and what would lower it most."""

    figure: str
    """The field of `Change`: `above_threshold`, `unique_share`, `uniqueness` or `individual`."""
    now: float
    drop: Change | None
    """The column that lowers the figure most if it is left out; None if none does."""
    coarsen: Change | None
    """The column that lowers the figure most if it is one level coarser; None if none does."""


@dataclass(frozen=True)
class Figures:
    """The risk of a table under one reading of its missing values."""

    records: int
    people: int
    """As many as records, unless the table says which records belong to one person."""
    classes: int
    k: int
    """People in the smallest class; 0 for a table without records."""
    unique_records: int
    """Records in classes of one person."""
    unique_share: float
    """Unique records as a share of all records."""
    average_class: float
    """Mean number of records of a class."""
    prosecutor: Prosecutor
    sizes: tuple[tuple[int, int], ...]
    """How many classes there are of each size in people, ascending: (size, classes)."""
    sensitive: Mapping[str, Reached]
    """By name of the sensitive column."""
    population: float | None
    """Sum of the sampling weights of the lightest class, if the table has weights."""

    @property
    def people_by_class_size(self) -> tuple[tuple[str, int], ...]:
        """How many people are in classes of each band of sizes, all bands in their order."""
        found = dict.fromkeys(_BANDS, 0)
        for size, classes in self.sizes:
            band = next(band for band in reversed(_BANDS) if size >= band[0])
            found[band] += size * classes
        return tuple((band[1], people) for band, people in found.items())

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON has them; a figure that is not finite is null."""
        found = {one.name: getattr(self, one.name) for one in fields(Figures)}
        found["prosecutor"] = asdict(self.prosecutor)
        found["sizes"] = [list(pair) for pair in self.sizes]
        found["sensitive"] = {
            name: {"l": dict(reached.l), "t": dict(reached.t)}
            for name, reached in self.sensitive.items()
        }
        finite: dict[str, Any] = _null_if_infinite(found)
        return finite


@dataclass(frozen=True)
class Risk(Figures, Shown):
    """The risk of a table under the reading asked for, and under every other one."""

    threshold: float
    """A risk above this is counted in `prosecutor.above_threshold`."""
    reading: Missing
    """The reading of missing values that the figures are for."""
    missing: Mapping[Missing, Figures]
    """The figures under every reading."""
    model: PopulationModel | None = None
    """Where the figures about the population come from, if weights or a population are known."""
    journalist: Journalist | None = None
    """None only if a risk is built by hand."""
    marketer: Marketer | None = None
    uniqueness: Uniqueness | None = None
    """How many people are unique in the population, if its size is known."""
    individual: Individual | None = None
    """The risk given sampling weights or the size of the population."""
    special_uniques: SpecialUniques | None = None
    """The minimal sample uniques, if asked for."""
    explained: Explained | None = None
    """What each column does to the risk, if asked for."""

    def as_dict(self) -> dict[str, Any]:
        """The document that `incrowd risk --json` writes."""
        return {
            "schema": "incrowd.risk/1",
            **super().as_dict(),
            "threshold": self.threshold,
            "reading": self.reading.value,
            "missing": {
                reading.value: figures.as_dict() for reading, figures in self.missing.items()
            },
            **{name: _finite_dict(getattr(self, name)) for name in _MORE},
        }


def _finite_dict(found: Any) -> Any:
    """A dataclass as a dictionary with null for what is not finite; None stays None."""
    return None if found is None else _null_if_infinite(asdict(found))


def _null_if_infinite(value: Any) -> Any:
    """The value, None if not finite, also inside dictionaries; what tuples hold stays as it is."""
    if isinstance(value, dict):
        return {key: _null_if_infinite(one) for key, one in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
