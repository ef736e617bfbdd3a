"""Probabilistic anonymity: every class is large enough in the population (Lodha-Thomas Section 3).

The table is a sample of a population of known size. A class that is a share p of the table is taken
for a share p of the population, of whom Bin(n, p) people are in it.
"""

from dataclasses import dataclass as plain
from dataclasses import field
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass

from incrowd.arrays import Flags
from incrowd.classes import Classes
from incrowd.errors import PolicyError
from incrowd.probabilistic.bounds import LARGEST, k_of_shares, least_people
from incrowd.values import STRICT


@dataclass(frozen=True, config=STRICT)
class Probabilistic:
    """At least k people of the population are in every class, each with probability 1 - beta.

    The share of a class is its people over those of all classes that are looked at: P[Bin(n, p) is
    at least k] is the exact binomial tail (Lodha-Thomas Definition 4 and Theorem 4). What is
    reached is the k that the smallest class supports. It says nothing about how many people of the
    *table* are in a class: whoever knows that somebody is in it is told by `k-anonymity`.

    >>> Probabilistic(population=3e8, k=100, beta=0.1).asked
    100.0
    """

    population: Annotated[int, Field(ge=2, le=LARGEST)]
    """The people of whom the table is a sample."""
    k: Annotated[int, Field(ge=2)]
    """How many of them share what a class shows."""
    beta: Annotated[float, Field(gt=0, lt=1)]
    """The probability, class by class, that there are fewer."""
    name: Literal["probabilistic"] = field(default="probabilistic", kw_only=True)
    columns: ClassVar[tuple[str, ...]] = ()
    """No sensitive column."""
    higher_is_safer: ClassVar[bool] = True
    """A larger crowd hides better."""
    monotone: ClassVar[bool] = True
    """Of one table, larger classes have larger shares."""
    absorbing: ClassVar[bool] = True
    """The share of a class does not fall, whoever joins."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.k > self.population:
            raise ValueError("k is larger than the population")
        return self

    @property
    def asked(self) -> float:
        """K itself."""
        return float(self.k)

    def satisfied(self, classes: Classes) -> Flags:
        """Which classes have a share that supports k."""
        people = int(classes.people.sum())
        return classes.people >= (self.least(people) if people else 1)

    def reached(self, classes: Classes) -> float:
        """The k that the share of the smallest class supports; infinity if there is no class."""
        if not len(classes):
            return float("inf")
        return self.supported(int(classes.people.min()), int(classes.people.sum()))

    def possible(self, whole: Classes) -> float:
        """All people in one class: the population."""
        return self.reached(whole)

    def supported(self, size: int, people: int) -> float:
        """The k that a class of this size supports in a table of so many people."""
        if not size:
            return 0.0
        return float(k_of_shares([min(size / people, 1.0)], self.population, self.beta))

    def least(self, people: int) -> int:
        """How many people of a table of so many a class holds at least."""
        return least_people(people, self.population, self.k, self.beta)

    def among(self, people: int) -> "OfTable":
        """What this asks of the classes of a table of so many people, whichever are looked at."""
        if people > self.population:
            raise PolicyError(
                f"the table has {people:,} people, and {self.name} says that it is a sample of "
                f"{self.population:,}",
                remedy="give the population that the table was drawn from",
            )
        return OfTable(self, people)


@plain(frozen=True)
class OfTable:
    """`Probabilistic` on one table, whose people are counted.

    Searches also look at some classes of a table alone, and at sizes that no class has; shares are
    of the whole table all the same.
    """

    model: Probabilistic
    people: int
    """People of the table."""
    columns: ClassVar[tuple[str, ...]] = ()
    """No sensitive column."""
    higher_is_safer: ClassVar[bool] = True
    """A larger crowd hides better."""
    monotone: ClassVar[bool] = True
    """Larger classes only help."""
    absorbing: ClassVar[bool] = True
    """A class that is large enough stays so, whoever joins."""

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    @property
    def population(self) -> int:
        """The model's."""
        return self.model.population

    @property
    def beta(self) -> float:
        """The model's."""
        return self.model.beta

    @property
    def k(self) -> int:
        """People *of the table* that a class holds at least: what searches mean by k."""
        return self.model.least(self.people)

    @property
    def asked(self) -> float:
        """The k of the population."""
        return self.model.asked

    def satisfied(self, classes: Classes) -> Flags:
        """Which classes hold enough people."""
        return classes.people >= self.k

    def reached(self, classes: Classes) -> float:
        """The k that the share of the smallest class supports; infinity if there is no class."""
        if not len(classes):
            return float("inf")
        return self.model.supported(int(classes.people.min()), self.people)

    def possible(self, whole: Classes) -> float:
        """All people in one class: the population."""
        return self.reached(whole)
