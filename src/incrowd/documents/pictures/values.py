"""What pictures are made of: frozen values that hold aggregated figures, and nothing else."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Figure: TypeAlias = float | None
"""A figure; None if it is withheld or was never there. It is shown as such, never as 0."""


@dataclass(frozen=True)
class Series:
    """Figures of one kind, one for each label."""

    name: str
    values: tuple[Figure, ...]


@dataclass(frozen=True)
class Bars:
    """One to four series side by side on one scale, with a line that marks a limit.

    A limit on x stands before the label of that number, the first being 0.
    """

    title: str
    about: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    x: str = ""
    y: str = ""
    mark: float | None = None
    mark_name: str = ""
    mark_on: Literal["x", "y"] = "y"


@dataclass(frozen=True)
class CurveLine:
    """Points that are joined in their order; as stairs if `step`."""

    name: str
    points: tuple[tuple[float, float], ...]
    step: bool = False


@dataclass(frozen=True)
class Curve:
    """One to four lines, with a line across that marks a limit on one of the axes."""

    title: str
    about: str
    series: tuple[CurveLine, ...]
    x: str = ""
    y: str = ""
    mark: float | None = None
    mark_name: str = ""
    mark_on: Literal["x", "y"] = "y"


@dataclass(frozen=True)
class HeatMap:
    """A figure for every pair of a row and a column; two colours if `least` is below zero."""

    title: str
    about: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[Figure, ...], ...]
    least: float = 0.0
    most: float = 1.0


@dataclass(frozen=True)
class EstimateBars:
    """Estimates with their confidence intervals, each against a baseline."""

    title: str
    about: str
    labels: tuple[str, ...]
    low: tuple[Figure, ...]
    value: tuple[Figure, ...]
    high: tuple[Figure, ...]
    baseline: tuple[Figure, ...] = ()
    x: str = ""
    value_name: str = "estimate with its interval"
    baseline_name: str = "baseline"


@dataclass(frozen=True)
class PlanePoint:
    """A release, the original, or a step of the frontier on the risk-utility plane."""

    name: str
    x: float
    y: float
    kind: Literal["release", "frontier", "original", "alternative"] = "release"


@dataclass(frozen=True)
class Plane:
    """Points between two figures, such as risk and utility; those of the frontier are joined."""

    title: str
    about: str
    points: tuple[PlanePoint, ...]
    x: str = ""
    y: str = ""


Picture: TypeAlias = Bars | Curve | HeatMap | EstimateBars | Plane
