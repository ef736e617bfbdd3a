"""The contract of every model: a condition that each class must meet."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import ClassVar, Literal, NamedTuple

from incrowd.arrays import Counts, Flags, Floats
from incrowd.errors import PolicyError
from incrowd.partition.classes import Classes, Histogram, SensitiveColumn

Requirement = Literal["population", "reference", "world"]
"""Knowledge beyond classes: a population's size, a column's spread, or people of a world."""


class ShareLimits(NamedTuple):
    """The least and the most share of a class's people who may hold any one value."""

    least: Fraction = Fraction(0)
    most: Fraction = Fraction(1)


class TableSize(NamedTuple):
    """The size of the table that a model is asked of, left-out records included."""

    people: int
    columns: int
    """Quasi-identifying columns, by which classes are told apart."""


class ClassRule(NamedTuple):
    """A condition on the people and the values of a class in numbers (`kernels.rules`)."""

    kind: int
    """A constant of `kernels.rules`, which says what `a`, `b`, `c` and `limit` mean."""
    column: str = ""
    """The sensitive column whose values it counts; empty if it counts people only."""
    a: int = 0
    b: int = 0
    c: int = 0
    limit: float = 0.0
    table: tuple[float, ...] = ()
    """For t-closeness: how the whole table is spread (see `TCloseness.in_numbers`)."""


class Model(ABC):
    """A condition that every class must meet.

    Models are frozen values (pydantic dataclasses) with a literal `name`, so that a policy file
    writes them as they are. A model must write `name`, `threshold`, `satisfied_by` and
    `achieved_by`; all else has a default that is safe: it promises nothing that a search could
    build on.
    """

    higher_is_safer: ClassVar[bool] = True
    """Whether a larger achieved value is better (k, l) or worse (t, alpha)."""
    requires: ClassVar[frozenset[Requirement]] = frozenset()
    """What it needs to know beyond the classes; the search must provide it."""
    basis: ClassVar[Literal["counted", "by construction"]] = "counted"
    """Whether a checker counts it in the rows, or it holds because of how they were made."""
    definition: ClassVar[str] = ""
    """What it asks of a release, for the glossary of a report; empty: it is not listed there."""
    promise: ClassVar[str] = "{achieved} achieved"
    """What it means to a person in the table; may name {column} and {achieved}."""
    promise_by_measure: ClassVar[Mapping[str, str]] = {}
    """The same for measures that mean something else; {most} is the share 1 / {achieved}."""
    usual: ClassVar[Mapping[str, float]] = {}
    """Settings that a form begins with, its column aside; a form offers no model without them."""
    usual_for: ClassVar[Literal["", "table", "world", "sensitive"]] = ""
    """Where it is the model to begin with: for a crowd of k people of the table or of a world, or
    for a sensitive column."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the model in policy, report and certificate."""

    @property
    @abstractmethod
    def threshold(self) -> float:
        """The value that the policy asks for: k, l or t, say."""

    @abstractmethod
    def satisfied_by(self, classes: Classes) -> Flags:
        """Flags of the classes that satisfy the model, as searches compute them."""

    def achieved_per_class(self, classes: Classes) -> Floats | None:
        """The value that each class achieves; None if the model does not say it class by class."""
        del classes
        return None

    @abstractmethod
    def achieved_by(self, classes: Classes) -> float:
        """The value that the weakest class achieves; the best possible if there is no class."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns whose histograms the model reads; none unless overridden."""
        return ()

    @property
    def meaning(self) -> str:
        """What the model promises somebody in the table, in plain words."""
        words = self.promise.format(column="".join(self.columns), achieved=f"{self.threshold:g}")
        return f"{words[:1].upper()}{words[1:]}."

    @property
    def variant(self) -> tuple[object, ...]:
        """What tells it from others of its name, columns and threshold; empty if nothing does."""
        return ()

    @property
    def measure(self) -> str:
        """Which of several measures the threshold is in; empty if the model has only one."""
        return ""

    @property
    def monotone(self) -> bool:
        """Whether the union of two classes that satisfy the model satisfies it."""
        return False

    @property
    def absorbing(self) -> bool:
        """Whether the union of a class that satisfies the model with *any* class satisfies it.

        Then the records in failing classes can only become fewer when levels rise.
        """
        return False

    @property
    def trivial(self) -> bool:
        """Whether every table satisfies the model: one value, or any spread, is enough."""
        return False

    @property
    def measures_distances(self) -> bool:
        """Whether the model asks how far values are from each other, not only if they differ."""
        return False

    @property
    def needs_hierarchy(self) -> bool:
        """Whether the model's columns need a hierarchy."""
        return False

    @property
    def fixed_labels(self) -> bool:
        """Whether labels must be fixed without looking at the table."""
        return False

    @property
    def shares_decide(self) -> bool:
        """Whether a class satisfies the model exactly if it keeps `share_limits`."""
        return False

    def bind_to(self, table: TableSize) -> "Model":
        """The model for a table of this size; itself if the size does not matter.

        `PolicyError` if its settings contradict the size. Searches also look at some classes of a
        table alone: what it asks of them stays the same.
        """
        del table
        return self

    def as_world_model(self) -> "Model":
        """The model that asks the same of the people of a world; itself if there is none."""
        return self

    def make_stricter(self, by: float) -> "Model":
        """The model with a threshold stricter by so much; itself if it does not support that."""
        del by
        return self

    def possible(self, whole: Classes) -> float:
        """The best value of a release that leaves nobody out; `whole` is the table as one class."""
        return self.achieved_by(whole)

    def smallest_class(self) -> int:
        """How many people of the table every class holds at least."""
        return 1

    def smallest_candidate_set(self) -> int:
        """How many people of a world every class fits at least; 0 if there is no such limit."""
        return 0

    def largest_presence(self) -> float:
        """The largest share of those whom a class fits that may be in the table; 1 for no limit."""
        return 1.0

    def hides_among(self) -> int:
        """How many people of table, world or population everybody hides among at least."""
        return max(self.smallest_class(), self.smallest_candidate_set())

    def distinct_values(self) -> int:
        """How many different values of the model's column every class holds at least."""
        return 1

    def enough_values(self) -> int:
        """How many people, all with different values, are enough for its rule; 1 if unknown."""
        return 1

    def values_left(self) -> float:
        """How many values must stay possible to readers of other releases, too; 0 for no limit."""
        return 0.0

    def share_limits(self, column: str) -> ShareLimits:
        """The least and the most share of one value of this column in every class."""
        del column
        return ShareLimits()

    def most_kept(self, classes: Classes) -> Counts:
        """Per class, a limit on the people of any part of the class that satisfies the model.

        0 if no part does. What stays of a class when its records are told apart satisfies a
        monotone model as a whole, so a search learns how many records leave at least wherever
        levels are lower.
        """
        return classes.people

    def in_numbers(self, columns: Mapping[str, SensitiveColumn]) -> tuple[ClassRule, ...] | None:
        """Rules in numbers that a class keeps only if it satisfies the model; None if it has none.

        `columns` are the sensitive columns by name, the model's among them; `PolicyError` if one
        lacks a hierarchy that the model needs. A search that has rules judges classes one by one,
        thousands of times a second. A rule may ask for more than the model, by as much as rounding
        takes, never for less.
        """
        del columns
        return None

    def classes_allowed(self) -> int | None:
        """The most classes that the population fills; None if the model knows of no population."""
        return None

    def assumptions(self) -> tuple[str, ...]:
        """What the model's promise rests on, in sentences for the certificate; may be none."""
        return ()


BY_CONTAINMENT = (
    "It is counted by containment: which values a label stands for. Somebody who knows how the "
    "release was searched may tell more in small worlds."
)
"""The limit of models that count the people of a world, told where the promise is."""


def round_up_percent(share: float) -> str:
    """A share in percent, rounded up to a tenth, so that it is not exceeded.

    >>> round_up_percent(0.5), round_up_percent(1 / 3)
    ('50 %', '33.4 %')
    """
    return f"{ceil(share * 1000 - 1e-9) / 10:g} %"


def counts_world_people(model: Model | type[Model]) -> bool:
    """Whether a model counts the people of a world, not those of the table alone."""
    return "world" in model.requires


def ask_the_same(one: Model, other: Model) -> bool:
    """Whether two models ask for the same thing, whatever their thresholds."""
    return (one.name, one.columns, one.variant) == (other.name, other.columns, other.variant)


def histogram_of(classes: Classes, model: str, column: str) -> Histogram:
    """Values of a model's column in each class; `PolicyError` if the column is not sensitive."""
    held = classes.histograms.get(column)
    if held is None:
        raise PolicyError(
            f"{model} looks at '{column}', which is not a sensitive column",
            remedy=f"declare '{column}' sensitive, or name another column",
        )
    return held


def candidates_of(classes: Classes, model: str) -> Counts:
    """People of the world whom each class fits; `PolicyError` if there is no world."""
    if classes.world is None:
        raise PolicyError(
            f"{model} counts the people of a world, and there is none here",
            remedy="give a world (--world FILE), and use a search that counts its people",
        )
    return classes.world


TOLERANCE = 1e-9
"""How far rounding may carry a computed entropy or distance: that near to a limit is at it."""


@lru_cache(maxsize=1024)
def fraction(setting: float) -> Fraction:
    """The fraction that a setting stands for: the nearest with a denominator up to a million.

    So 0.1 is a tenth and 1/3 a third, though no floating-point number is either.

    >>> fraction(0.1), fraction(1 / 3), fraction(2.0)
    (Fraction(1, 10), Fraction(1, 3), Fraction(2, 1))
    """
    return Fraction(setting).limit_denominator(1_000_000)


def most_within_share(people: Counts, share: Fraction) -> Counts:
    """The largest whole number, per class, that is at most this share of its people."""
    return people * share.numerator // share.denominator


def snap_to_threshold(value: float, threshold: float) -> float:
    """Return the threshold if the value differs from it by rounding only, else the value."""
    return threshold if abs(value - threshold) <= TOLERANCE else value
