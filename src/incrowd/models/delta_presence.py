"""delta-presence: nobody can tell who of a world is in the table (Nergiz et al. 2007)."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from incrowd.arrays import Flags
from incrowd.models.model import (
    BY_CONTAINMENT,
    Model,
    Requirement,
    candidates_of,
    fraction,
    most_within_share,
    round_up_percent,
)
from incrowd.partition.classes import Classes
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class DeltaPresence(Model):
    """Of the individuals that a class fits, at most a share delta is in the table.

    Nergiz, Atzori and Clifton, Definition 1, the upper bound. A class that fits nobody, or fewer
    individuals than it holds, contradicts the world: its share counts as 1. It is not monotone:
    classes whose cells overlap fit some individuals twice, and their union once. As for k-map,
    small worlds are refused unless all tables that could be drawn from them were searched.

    >>> DeltaPresence(0.2).threshold
    0.2
    """

    delta: Annotated[float, Field(gt=0, lt=1)]
    name: Literal["delta-presence"] = field(default="delta-presence", kw_only=True)
    definition: ClassVar[str] = (
        "of the people of the world whom a class fits, at most a share delta is in the table"
    )
    higher_is_safer: ClassVar[bool] = False
    """The smaller the share, the less sure is anybody's presence."""
    requires: ClassVar[frozenset[Requirement]] = frozenset({"world"})
    """It counts the people of a world, not those of the table alone."""
    promise: ClassVar[str] = (
        "at most {achieved} of the people of a class are in the table, counted by containment"
    )
    usual: ClassVar[Mapping[str, float]] = {"delta": 0.5}

    @property
    def meaning(self) -> str:
        """The largest share of those whom a class fits that may be in the table, in plain words."""
        most = round_up_percent(self.delta)
        return (
            f"Of the people of the world whom a class fits, at most {most} are in the table. "
            f"{BY_CONTAINMENT}"
        )

    @property
    def threshold(self) -> float:
        """The largest share delta."""
        return float(self.delta)

    def satisfied_by(self, classes: Classes) -> Flags:
        """Which classes meet the bound; shares are compared without rounding."""
        counts = candidates_of(classes, self.name)
        fair: Flags = classes.people <= most_within_share(counts, fraction(self.delta))
        return fair & (counts > 0)

    def achieved_by(self, classes: Classes) -> float:
        """The largest share of any class, at most 1; 0 without a class."""
        shares = classes.people / np.maximum(candidates_of(classes, self.name), 1)
        return min(1.0, float(shares.max(initial=0.0)))

    def largest_presence(self) -> float:
        """The share delta."""
        return self.delta

    def assumptions(self) -> tuple[str, ...]:
        """A sentence that individuals of the world are counted by containment."""
        return (f"delta-presence: {BY_CONTAINMENT[:1].lower()}{BY_CONTAINMENT[1:]}",)
