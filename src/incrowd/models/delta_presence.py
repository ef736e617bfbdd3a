"""delta-presence: nobody can tell who of a world is in the table (Nergiz et al. 2007)."""

from dataclasses import field
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from incrowd.arrays import Flags
from incrowd.models.model import in_world
from incrowd.models.shares import fraction, part
from incrowd.partition.classes import Classes
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class DeltaPresence:
    """Of the individuals that a class fits, at most a share delta is in the table.

    Nergiz, Atzori and Clifton, Definition 1, the upper bound. A class that fits nobody, or fewer
    individuals than it holds, contradicts the world: its share counts as 1.

    >>> DeltaPresence(0.2).asked
    0.2
    """

    delta: Annotated[float, Field(gt=0, lt=1)]
    name: Literal["delta-presence"] = field(default="delta-presence", kw_only=True)
    columns: ClassVar[tuple[str, ...]] = ()
    """No sensitive column."""
    higher_is_safer: ClassVar[bool] = False
    """The smaller the share, the less sure is anybody's presence."""
    monotone: ClassVar[bool] = False
    """Classes whose cells overlap fit some individuals twice, and their union once."""
    absorbing: ClassVar[bool] = False
    """A class that joins can be one of people who are all in the table."""
    of_world: ClassVar[bool] = True
    """It counts the people of a world, not those of the table alone."""

    @property
    def asked(self) -> float:
        """Delta."""
        return float(self.delta)

    def satisfied(self, classes: Classes) -> Flags:
        """Which classes meet the bound; shares are compared without rounding."""
        counts = in_world(classes, self.name)
        fair: Flags = classes.people <= part(counts, fraction(self.delta))
        return fair & (counts > 0)

    def reached(self, classes: Classes) -> float:
        """The largest share of any class, at most 1; 0 without a class."""
        shares = classes.people / np.maximum(in_world(classes, self.name), 1)
        return min(1.0, float(shares.max(initial=0.0)))

    def possible(self, whole: Classes) -> float:
        """The share of the table in the world."""
        return self.reached(whole)
