"""What is known about the risk of a table: figures alone, no cell values."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from incrowd.table.roles import Missing


@dataclass(frozen=True)
class Prosecutor:
    """The risk of a person whom an attacker knows to be in the table: 1 / size of the class."""

    max: float
    """Of the person easiest to find; 0 for a table without records."""
    average: float
    """Mean over the records."""
    above_threshold: float
    """Share of the records whose risk exceeds the threshold."""


@dataclass(frozen=True)
class Reached:
    """What the weakest class reaches for one sensitive column."""

    l: Mapping[str, float | None]
    """l by kind: `frequency`, `distinct`, `entropy`; None for a table without records."""
    t: Mapping[str, float]
    """t by distance: `equal`, and `ordered` and `hierarchical` where they mean something."""


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
    """The same as a share of the records."""
    average_class: float
    """Mean number of records of a class."""
    prosecutor: Prosecutor
    sizes: tuple[tuple[int, int], ...]
    """How many classes there are of each size in people, ascending: (size, classes)."""
    sensitive: Mapping[str, Reached]
    """By name of the sensitive column."""
    population: float | None
    """Sum of the sampling weights of the lightest class, if the table has weights."""

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON writes them; what is not finite is null."""
        found = {one.name: getattr(self, one.name) for one in fields(Figures)}
        found["prosecutor"] = asdict(self.prosecutor)
        found["sizes"] = [list(pair) for pair in self.sizes]
        found["sensitive"] = {
            name: {"l": dict(reached.l), "t": dict(reached.t)}
            for name, reached in self.sensitive.items()
        }
        finite: dict[str, Any] = _finite(found)
        return finite


@dataclass(frozen=True)
class Risk(Figures):
    """The risk of a table under the reading asked for, and under every other one."""

    threshold: float
    """A risk above this is counted in `prosecutor.above_threshold`."""
    reading: Missing
    """The reading of missing values that the figures are for."""
    missing: Mapping[Missing, Figures]
    """The figures under every reading."""

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
        }


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
