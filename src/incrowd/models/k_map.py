"""k-map: every class may be about at least k individuals of a world (Sweeney; Bettini)."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from incrowd.arrays import Flags
from incrowd.models.model import BY_CONTAINMENT, Model, Requirement, candidates_of
from incrowd.partition.classes import Classes
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class KMap(Model):
    """What every class shows fits at least k individuals of the world (Bettini Definition 4).

    The crowd that a person hides in is that of the world, not that of the table, so a class of one
    record may do. A class that fits nobody contradicts the world (Definition 3) and does not
    satisfy it. What somebody concludes who knows how labels are chosen is not counted: in a world
    of fewer than 40 people that is more, and such worlds are refused unless all tables that could
    be drawn from them were searched (`release/small_worlds.py`).

    >>> KMap(5).threshold
    5.0
    """

    k: Annotated[int, Field(ge=2)]
    name: Literal["k-map"] = field(default="k-map", kw_only=True)
    definition: ClassVar[str] = "every released record fits at least k people of the world"
    requires: ClassVar[frozenset[Requirement]] = frozenset({"world"})
    """It counts the people of a world, not those of the table."""
    promise: ClassVar[str] = (
        "each record matches at least {achieved} people of the world, counted by containment"
    )
    usual: ClassVar[Mapping[str, float]] = {"k": 5}
    usual_for: ClassVar[Literal["world"]] = "world"
    monotone: ClassVar[bool] = True
    """What covers two classes fits everybody whom they fit."""
    absorbing: ClassVar[bool] = True
    """A class fits no fewer when its cells become coarser."""

    @property
    def meaning(self) -> str:
        """How many people of the world each record matches, and how that is counted."""
        return f"Each record matches at least {self.k} people of the world. {BY_CONTAINMENT}"

    @property
    def threshold(self) -> float:
        """The number k of individuals."""
        return float(self.k)

    def satisfied_by(self, classes: Classes) -> Flags:
        """Which classes fit at least k individuals."""
        return candidates_of(classes, self.name) >= self.k

    def achieved_by(self, classes: Classes) -> float:
        """The fewest individuals that a class fits, 0 for nobody; infinity without a class."""
        counts = candidates_of(classes, self.name)
        return float(counts.min()) if len(counts) else float("inf")

    def smallest_candidate_set(self) -> int:
        """The number k of individuals."""
        return self.k

    def assumptions(self) -> tuple[str, ...]:
        """A sentence that individuals of the world are counted by containment."""
        return (f"k-map: {BY_CONTAINMENT[:1].lower()}{BY_CONTAINMENT[1:]}",)
