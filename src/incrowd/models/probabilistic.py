"""Probabilistic anonymity: every class is large enough in the population (Lodha-Thomas Section 3).

The table is a random sample of a population of known size. The share of the population that a class
has is bounded from below, for all classes together and with a stated confidence, by the people that
were drawn into it (see `probabilistic.confidence`).
"""

from dataclasses import dataclass as plain
from dataclasses import field
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from incrowd.arrays import Flags
from incrowd.errors import PolicyError
from incrowd.partition.classes import Classes
from incrowd.population.bounds import LARGEST
from incrowd.population.confidence import Drawn, Labels
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class Probabilistic:
    """At least k people of the population are in every class, with a stated confidence.

    If a class has a share p of the population of n people, fewer than k are in it with a
    probability of P[Bin(n, p) < k], which must be at most beta (Lodha-Thomas Definition 4 and
    Theorem 4). Its share is not known: p is a lower bound that holds for all classes together with
    a probability of at least `confidence`. What is reached is the k that the smallest class
    supports. It says nothing about how many people of the *table* are in a class: whoever knows
    that somebody is in it is told by `k-anonymity`.

    >>> Probabilistic(population=3e8, k=100, beta=0.1).asked
    100.0
    """

    population: Annotated[int, Field(ge=2, le=LARGEST)]
    """The people of whom the table is a random sample."""
    k: Annotated[int, Field(ge=2)]
    """How many of them share what a class shows."""
    beta: Annotated[float, Field(gt=0, lt=1)]
    """The probability, class by class, that a class of the bounded share has fewer."""
    confidence: Annotated[float, Field(ge=0.5, lt=1)] = 0.95
    """How likely it is, at least, that the bounds of all classes hold together."""
    labels: Labels = "any"
    """`declared`: each column shows one level of a hierarchy that was fixed without the table,
    which needs fewer people in a class; `any`: classes may be drawn around the table's people."""
    name: Literal["probabilistic"] = field(default="probabilistic", kw_only=True)
    columns: ClassVar[tuple[str, ...]] = ()
    """No sensitive column."""
    higher_is_safer: ClassVar[bool] = True
    """A larger crowd hides better."""
    monotone: ClassVar[bool] = True
    """Of one table, larger classes have larger bounds."""
    absorbing: ClassVar[bool] = True
    """The bound of a class does not fall, whoever joins."""

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
        """Which classes support k, if these are all classes of a table that shows one column."""
        return self._alone(classes).satisfied(classes)

    def reached(self, classes: Classes) -> float:
        """The k that the smallest class supports; infinity if there is no class."""
        return self._alone(classes).reached(classes)

    def possible(self, whole: Classes) -> float:
        """All people in one class."""
        return self.reached(whole)

    def among(self, people: int, columns: int) -> "OfTable":
        """What this asks of the classes of a table, whichever are looked at.

        The table has so many people, also those whom a release leaves out, and its classes show so
        many columns.
        """
        if people > self.population:
            raise PolicyError(
                f"the table has {people:,} people, and {self.name} says that it is a sample of "
                f"{self.population:,}",
                remedy="give the population that the table was drawn from",
            )
        return OfTable(self, Drawn(people, columns, self.confidence, self.labels))

    def _alone(self, classes: Classes) -> "OfTable":
        return OfTable(self, Drawn(int(classes.people.sum()), 1, self.confidence, self.labels))


@plain(frozen=True)
class OfTable:
    """`Probabilistic` on one table, whose people are counted.

    Searches also look at some classes of a table alone, and at sizes that no class has; shares are
    of the whole table all the same.
    """

    model: Probabilistic
    drawn: Drawn
    """The people of the table."""
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
        return self.drawn.least(self.population, self.model.k, self.beta)

    @property
    def asked(self) -> float:
        """The k of the population."""
        return self.model.asked

    def satisfied(self, classes: Classes) -> Flags:
        """Which classes hold enough people."""
        return classes.people >= self.k

    def reached(self, classes: Classes) -> float:
        """The k that the smallest class supports; infinity if there is no class."""
        if not len(classes):
            return float("inf")
        return self.supported(int(classes.people.min()))

    def possible(self, whole: Classes) -> float:
        """All people in one class."""
        return self.reached(whole)

    def supported(self, size: int) -> float:
        """The k that a class of so many of the table's people supports."""
        return float(self.drawn.supports(size, self.population, self.beta))
