"""Probabilistic anonymity: every class is large enough in the population (Lodha-Thomas Section 3).

The table is a random sample of a population of known size. The share of the population that a class
has is bounded from below, for all classes together and with a stated confidence, by the people that
were drawn into it (see `population.confidence`).
"""

from collections.abc import Mapping
from dataclasses import dataclass as plain
from dataclasses import field
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from incrowd.arrays import Flags
from incrowd.errors import PolicyError
from incrowd.models.model import Model, Requirement, TableSize
from incrowd.partition.classes import Classes
from incrowd.population.bounds import LARGEST, Labels, PopulationSample, classes_allowed
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class Probabilistic(Model):
    """At least k people of the population are in every class, with a stated confidence.

    If a class has a share p of the population of n people, fewer than k are in it with a
    probability of P[Bin(n, p) < k], which must be at most beta (Lodha-Thomas Definition 4 and
    Theorem 4). Its share is not known: p is a lower bound that holds for all classes together with
    a probability of at least `confidence`. It achieves the k that the smallest class supports. It
    says nothing about how many people of the *table* are in a class: that is what `k-anonymity`
    is for.

    >>> Probabilistic(population=3e8, k=100, beta=0.1).threshold
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
    definition: ClassVar[str] = (
        "every class holds at least k people of the population, with a stated confidence"
    )
    requires: ClassVar[frozenset[Requirement]] = frozenset({"population"})
    """The table is a sample of a population of known size."""
    promise: ClassVar[str] = "at least {achieved} people of the population share what a class shows"
    usual: ClassVar[Mapping[str, float]] = {"population": 1_000_000, "k": 100, "beta": 0.1}
    monotone: ClassVar[bool] = True
    """Of one table, larger classes have larger bounds."""
    absorbing: ClassVar[bool] = True
    """The bound of a class does not fall, whoever joins."""

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        """Refuse a k larger than the population."""
        if self.k > self.population:
            raise ValueError("k is larger than the population")
        return self

    @property
    def meaning(self) -> str:
        """How many people of the population each record matches, and how sure that is."""
        return (
            f"At least {self.k} people of the population share what a class shows: for each class "
            f"with a probability of {1 - self.beta:g} or more, if the bounds of all classes hold "
            f"(confidence {self.confidence:g})."
        )

    @property
    def threshold(self) -> float:
        """The number k of people of the population."""
        return float(self.k)

    @property
    def fixed_labels(self) -> bool:
        """Whether labels are declared to be fixed without looking at the table."""
        return self.labels == "declared"

    def bind_to(self, table: TableSize) -> "BoundProbabilistic":
        """The model for a sample of this size; `PolicyError` if that is above the population."""
        if table.people > self.population:
            raise PolicyError(
                f"the table has {table.people:,} people, and {self.name} says that it is a sample "
                f"of {self.population:,}",
                remedy="give the population that the table was drawn from",
            )
        return BoundProbabilistic(self, PopulationSample(*table, self.confidence, self.labels))

    def satisfied_by(self, classes: Classes) -> Flags:
        """Which classes support k, as if they were all classes of a table that shows one column."""
        return self._bound_to_classes(classes).satisfied_by(classes)

    def achieved_by(self, classes: Classes) -> float:
        """The k that the smallest class supports, as `satisfied_by` reads it; infinity for none."""
        return self._bound_to_classes(classes).achieved_by(classes)

    def hides_among(self) -> int:
        """The number k of people of the population."""
        return self.k

    def classes_allowed(self) -> int:
        """The most classes of k people or more that the population fills."""
        return classes_allowed(self.population, self.k, self.beta)

    def assumptions(self) -> tuple[str, ...]:
        """How the table was drawn and how sure the bound is, in sentences."""
        drawn = "levels that were fixed without the table"
        if self.labels == "any":
            drawn = "what two people of the table per column determine"
        sentence = (
            f"The table is taken for a random sample of {self.population:,} people. What "
            f"{self.name} reaches is a lower bound. It holds with confidence {self.confidence:g} "
            f"for all classes together and allows for every class that could be shown by {drawn}."
        )
        return (sentence,)

    def _bound_to_classes(self, classes: Classes) -> "BoundProbabilistic":
        """The model for a table that consists of these classes and shows one column."""
        people = int(classes.people.sum())
        return BoundProbabilistic(self, PopulationSample(people, 1, self.confidence, self.labels))


@plain(frozen=True)
class BoundProbabilistic(Model):
    """`Probabilistic` for one table: shares are of all its people, whichever classes are seen."""

    model: Probabilistic
    drawn: PopulationSample
    """The table as a sample: its people, those left out too, and how it is bounded."""
    requires: ClassVar[frozenset[Requirement]] = Probabilistic.requires
    promise: ClassVar[str] = Probabilistic.promise
    monotone: ClassVar[bool] = True
    """Larger classes only help."""
    absorbing: ClassVar[bool] = True
    """A class that is large enough stays so, whoever joins."""

    @property
    def name(self) -> str:
        """The name of the model that was bound to a table."""
        return self.model.name

    @property
    def threshold(self) -> float:
        """The number k of people of the population."""
        return self.model.threshold

    @property
    def fixed_labels(self) -> bool:
        """Whether the model that was bound to a table has fixed labels."""
        return self.model.fixed_labels

    def satisfied_by(self, classes: Classes) -> Flags:
        """Flags of the classes that hold enough people of the table."""
        return classes.people >= self.smallest_class()

    def achieved_by(self, classes: Classes) -> float:
        """The k that the smallest class supports; infinity if there is no class."""
        if not len(classes):
            return float("inf")
        smallest = int(classes.people.min())
        return float(self.drawn.supported_k(smallest, self.model.population, self.model.beta))

    def smallest_class(self) -> int:
        """The people of the *table* from which on a class supports the k of the population."""
        return self.drawn.least_size(self.model.population, self.model.k, self.model.beta)

    def hides_among(self) -> int:
        """The number k of people of the population."""
        return self.model.hides_among()

    def classes_allowed(self) -> int:
        """The most classes that the population fills."""
        return self.model.classes_allowed()

    def assumptions(self) -> tuple[str, ...]:
        """The assumptions of the model that was bound to a table."""
        return self.model.assumptions()
