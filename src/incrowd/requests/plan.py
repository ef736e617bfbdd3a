"""What can be asked of `plan` and `plan_sizes`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

from incrowd.requests.kinds import (
    COLUMNS,
    HOLD,
    IN_COLUMNS,
    PART,
    PEOPLE,
    SWITCH,
    WEIGHTS,
    Flags,
    OptionKind,
)
from incrowd.requests.request import Request
from incrowd.requests.shared import HowToRead, Source, Watching

if TYPE_CHECKING:
    from incrowd.hierarchy import AnyHierarchy

SIZES = OptionKind("COLUMN=N", form="numbers", example="zip=100000")


@dataclass(frozen=True, kw_only=True)
class PopulationRequest(Request):
    """How many people of a population share what a class shows."""

    weights: Annotated[Mapping[str, float] | None, WEIGHTS, IN_COLUMNS] = None
    """How much a column matters, such as zip=2,age=0.5. Default: 1."""
    population: Annotated[float | str | None, PEOPLE, HOLD] = None
    """The people that the table was drawn from: a number such as 3e8, or a name such as usa, a
    round figure."""
    k: Annotated[float | None, OptionKind("K", float), HOLD, Flags("-k")] = None
    """At least K of them share what a class shows."""
    beta: Annotated[float | None, PART, HOLD] = None
    """The probability that fewer do, 0..1."""
    bound: Annotated[Literal["exact", "chernoff"], OptionKind("BOUND"), HOLD] = "exact"
    """exact (the binomial tail) or chernoff (the paper's bound, fewer classes)."""
    simultaneous: Annotated[bool, SWITCH, HOLD] = False
    """Let beta cover all classes together, not each class."""
    confidence: Annotated[float, PART, HOLD] = 0.95
    """Confidence in what the table's classes support, for all of them together, 0.5..1."""


@dataclass(frozen=True, kw_only=True)
class PlanRequest(PopulationRequest):
    """How coarse each column of a table must be for a known population."""

    source: Source = field(kw_only=False)
    columns: Annotated[str | Sequence[str], COLUMNS, IN_COLUMNS] = field(default=(), kw_only=False)
    """The columns that others may know; by default those that look like it."""
    hierarchies: "Mapping[str, AnyHierarchy] | None" = None
    """How values get coarser; without one, the data suggests it."""
    reading: HowToRead = None
    watch: Watching = None


@dataclass(frozen=True, kw_only=True)
class PlanSizesRequest(PopulationRequest):
    """How coarse columns must be if no table but only their numbers of values are known."""

    distinct: Annotated[Mapping[str, float], SIZES, IN_COLUMNS] = field(kw_only=False)
    """Instead of a table: columns and their numbers of values, sex=2,zip=100000."""
