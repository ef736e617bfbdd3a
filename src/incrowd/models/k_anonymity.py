"""k-anonymity: every class holds at least k people (Sweeney Definition 2)."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from incrowd.arrays import Flags
from incrowd.models.k_map import KMap
from incrowd.models.model import Model
from incrowd.partition.classes import Classes
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class KAnonymity(Model):
    """Every class holds at least k people.

    >>> KAnonymity(5).threshold
    5.0
    """

    k: Annotated[int, Field(ge=2)]
    name: Literal["k-anonymity"] = field(default="k-anonymity", kw_only=True)
    definition: ClassVar[str] = "every class holds at least k people"
    promise: ClassVar[str] = "every class holds at least {achieved} people"
    usual: ClassVar[Mapping[str, float]] = {"k": 5}
    usual_for: ClassVar[Literal["table"]] = "table"
    monotone: ClassVar[bool] = True
    """Larger classes only help."""
    absorbing: ClassVar[bool] = True
    """A class of k people stays one, whoever joins."""

    @property
    def threshold(self) -> float:
        """The number k of people."""
        return float(self.k)

    def satisfied_by(self, classes: Classes) -> Flags:
        """Which classes hold at least k people."""
        return classes.people >= self.k

    def achieved_by(self, classes: Classes) -> float:
        """The size of the smallest class; infinity if there is no class."""
        return float(classes.people.min()) if len(classes) else float("inf")

    def possible(self, whole: Classes) -> float:
        """The number of all people of the table, who are one class at best."""
        return float(whole.people.sum())

    def as_world_model(self) -> KMap:
        """The model k-map with the same k."""
        return KMap(self.k)

    def smallest_class(self) -> int:
        """The number k of people."""
        return self.k
