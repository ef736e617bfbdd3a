"""k-anonymity: every class holds at least k people (Sweeney Definition 2)."""

from dataclasses import field
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from incrowd.arrays import Flags
from incrowd.partition.classes import Classes
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class KAnonymity:
    """Every class holds at least k people.

    >>> KAnonymity(5).asked
    5.0
    """

    k: Annotated[int, Field(ge=2)]
    name: Literal["k-anonymity"] = field(default="k-anonymity", kw_only=True)
    columns: ClassVar[tuple[str, ...]] = ()
    """No sensitive column."""
    higher_is_safer: ClassVar[bool] = True
    """A larger crowd hides better."""
    monotone: ClassVar[bool] = True
    """Larger classes only help."""
    absorbing: ClassVar[bool] = True
    """A class of k people stays one, whoever joins."""

    @property
    def asked(self) -> float:
        """K itself."""
        return float(self.k)

    def satisfied(self, classes: Classes) -> Flags:
        """Which classes hold at least k people."""
        return classes.people >= self.k

    def reached(self, classes: Classes) -> float:
        """The size of the smallest class."""
        return float(classes.people.min()) if len(classes) else float("inf")

    def possible(self, whole: Classes) -> float:
        """All people in one class."""
        return float(whole.people.sum())
