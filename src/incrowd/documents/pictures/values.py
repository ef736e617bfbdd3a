"""What pictures are made of: frozen values that hold aggregated figures, and nothing else."""

from dataclasses import KW_ONLY, dataclass
from typing import Literal, TypeAlias

Figure: TypeAlias = float | None
"""A figure; None if it is withheld or was never there. It is shown as such, never as 0."""


@dataclass(frozen=True)
class Series:
    """Figures of one kind, one for each label."""

    name: str
    values: tuple[Figure, ...]


@dataclass(frozen=True)
class WithLimit:
    """What is drawn between two axes, with a line across that marks a limit on one of them."""

    title: str
    about: str
    _: KW_ONLY
    x: str = ""
    y: str = ""
    mark: float | None = None
    mark_name: str = ""
    mark_on: Literal["x", "y"] = "y"


@dataclass(frozen=True)
class Bars(WithLimit):
    """One to four series side by side; a limit on x stands before that label, counted from 0."""

    labels: tuple[str, ...]
    series: tuple[Series, ...]


@dataclass(frozen=True)
class CurveLine:
    """Points that are joined in their order; as stairs if `step`."""

    name: str
    points: tuple[tuple[float, float], ...]
    step: bool = False


@dataclass(frozen=True)
class Curve(WithLimit):
    """One to four lines."""

    series: tuple[CurveLine, ...]


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
