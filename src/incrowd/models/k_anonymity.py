"""k-anonymity: every class holds at least k people (Sweeney Definition 2)."""

from dataclasses import field
from typing import Annotated, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from incrowd.arrays import Flags
from incrowd.classes import Classes
from incrowd.values import STRICT


@dataclass(frozen=True, config=STRICT)
class KAnonymity:
    """Every class holds at least k people.

    >>> KAnonymity(5).asked
    5.0
    """

    k: Annotated[int, Field(ge=2)]
    name: Literal["k-anonymity"] = field(default="k-anonymity", kw_only=True)

    @property
    def columns(self) -> tuple[str, ...]:
        """No sensitive column."""
        return ()

    @property
    def asked(self) -> float:
        """K itself."""
        return float(self.k)

    @property
    def higher_is_safer(self) -> bool:
        """A larger crowd hides better."""
        return True

    @property
    def monotone(self) -> bool:
        """Larger classes only help."""
        return True

    @property
    def absorbing(self) -> bool:
        """A class of k people stays one, whoever joins."""
        return True

    def satisfied(self, classes: Classes) -> Flags:
        """Which classes hold at least k people."""
        return classes.people >= self.k

    def reached(self, classes: Classes) -> float:
        """The size of the smallest class."""
        return float(classes.people.min()) if len(classes) else float("inf")

    def possible(self, whole: Classes) -> float:
        """All people in one class."""
        return float(whole.people.sum())
