"""What every model is: a condition that each class must meet."""

from fractions import Fraction
from typing import Protocol, runtime_checkable

from incrowd.arrays import Counts, Flags
from incrowd.errors import PolicyError
from incrowd.partition.classes import Classes, Histogram


class Model(Protocol):
    """A condition that every class must meet.

    Models are frozen values (pydantic dataclasses) with a literal `name`, so that a policy file
    writes them as they are. To add one is to add a file here, a line in `models/__init__.py` and
    a row in the conformance test.
    """

    @property
    def name(self) -> str:
        """Its name in policy, report and certificate."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns whose histograms it reads."""

    @property
    def asked(self) -> float:
        """The value asked for: k, l or t, say."""

    @property
    def higher_is_safer(self) -> bool:
        """Whether a larger reached value is better (k, l) or worse (t, alpha)."""

    @property
    def monotone(self) -> bool:
        """Whether the union of two classes that satisfy it satisfies it."""

    @property
    def absorbing(self) -> bool:
        """Whether the union of a class that satisfies it with *any* class satisfies it.

        Then the records in failing classes can only become fewer when levels rise.
        """

    def satisfied(self, classes: Classes) -> Flags:
        """Which classes satisfy it, as computed by the search's side of the house."""

    def reached(self, classes: Classes) -> float:
        """The value that the weakest class reaches; the best possible if there is no class."""

    def possible(self, whole: Classes) -> float:
        """The best value that any release of this table could reach.

        `whole` is the table as one class. If it is worse than `asked`, the request is infeasible.
        """


@runtime_checkable
class Shrinking(Protocol):
    """A monotone model that knows how much of a failing class can be saved at best.

    What stays of a class when its records are told apart satisfies a monotone model as a whole, so
    a search learns how many records leave at least wherever levels are lower.
    """

    def most_kept(self, classes: Classes) -> Counts:
        """A limit, per class, of the people of any part of it that satisfies the model.

        0 if no part does.
        """


@runtime_checkable
class Varied(Protocol):
    """A model whose classes hold a number of different values, however people are counted."""

    @property
    def least_values(self) -> int:
        """Different values of its column that every class, and so the table, holds at least."""

    @property
    def largest_share(self) -> Fraction:
        """The largest share of a class's people that may hold one value; 1 if it sets no limit."""


@runtime_checkable
class Relative(Protocol):
    """A model that speaks of shares of a table's people, and must be told how many they are."""

    def among(self, people: int, columns: int) -> Model:
        """What it asks of the classes, whichever are looked at, of a table of so many people.

        Classes show so many columns.
        """


def histogram_of(classes: Classes, model: str, column: str) -> Histogram:
    """What the classes hold of the column that a model names; an error if it is not sensitive."""
    held = classes.histograms.get(column)
    if held is None:
        raise PolicyError(
            f"{model} looks at '{column}', which is not a sensitive column",
            remedy=f"declare '{column}' sensitive, or name another column",
        )
    return held


def of_world(model: object) -> bool:
    """Whether a model counts the people of a world, which a table alone does not tell."""
    return bool(getattr(model, "of_world", False))


def in_world(classes: Classes, model: str) -> Counts:
    """Individuals of the world that each class fits; an error if no world was held against them."""
    if classes.world is None:
        raise PolicyError(
            f"{model} counts the people of a world, and there is none here",
            remedy="give a world (--world FILE), and take search = 'auto' or 'world'",
        )
    return classes.world
