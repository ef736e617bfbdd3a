"""l-diversity: every class holds at least l well-represented sensitive values."""

import math
from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, ClassVar, Literal, Self, assert_never

import numpy as np
from pydantic import Field, model_validator

from incrowd.arrays import Counts, Flags, Floats
from incrowd.kernels import diversity as kernels
from incrowd.kernels import rules
from incrowd.models.model import (
    TOLERANCE,
    ClassRule,
    Model,
    ShareLimits,
    fraction,
    histogram_of,
    most_within_share,
    round_up_percent,
    snap_to_threshold,
)
from incrowd.partition.classes import Classes, SensitiveColumn
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class LDiversity(Model):
    """Every class holds at least l well-represented values of a sensitive column.

    `kind` says what well represented means: `frequency`: no value is held by more than 1/l of
    the people of a class (Ghinita Definition 4; l may be fractional); `distinct`: l different
    values; `entropy`: the entropy of the values is at least log l; `recursive`: the commonest is
    held by fewer than c times as many as hold the l-th commonest and all rarer ones together
    (Machanavajjhala Section 4). A missing value is a value like any other.

    A person with several records counts once for each different value.

    >>> LDiversity("diagnosis", 3).kind
    'frequency'
    """

    column: str
    l: Annotated[float, Field(ge=1, le=1e9)]
    kind: Literal["frequency", "distinct", "entropy", "recursive"] = "frequency"
    c: Annotated[float, Field(gt=0, le=1000)] | None = None
    """The c of `recursive`, and of no other kind."""
    name: Literal["l-diversity"] = field(default="l-diversity", kw_only=True)
    definition: ClassVar[str] = "every class holds at least l well-represented sensitive values"
    promise: ClassVar[str] = "{column} is at least {achieved}-diverse in every class"
    promise_by_measure: ClassVar[Mapping[str, str]] = {
        "frequency": "no value of {column} covers more than {most} of a class",
        "distinct": "every class shows at least {achieved} different values of {column}",
        "entropy": "{column} is as mixed as {achieved} equally common values",
    }
    usual: ClassVar[Mapping[str, float]] = {"l": 2}
    usual_for: ClassVar[Literal["sensitive"]] = "sensitive"
    monotone: ClassVar[bool] = True
    """A union is no worse than the worse of its parts, whatever the kind."""

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        """Refuse a c without kind `recursive` and that kind without c; its l must be whole."""
        if (self.c is None) == (self.kind == "recursive"):
            raise ValueError("c belongs to kind 'recursive', which needs it, and to no other kind")
        if self.kind == "recursive" and not self.l.is_integer():
            raise ValueError("l is a whole number for kind 'recursive'")
        return self

    @property
    def columns(self) -> tuple[str, ...]:
        """The one sensitive column, whose values are counted."""
        return (self.column,)

    @property
    def threshold(self) -> float:
        """The number l."""
        return float(self.l)

    @property
    def absorbing(self) -> bool:
        """Whether the kind is `distinct`: values never become fewer, but one can dominate."""
        return self.kind == "distinct"

    @property
    def meaning(self) -> str:
        """How many people of a class may hold the same value, or how many values it holds."""
        if self.kind == "frequency":
            most = round_up_percent(1 / self.l)
            return f"At most {most} of the people of a class have the same {self.column}."
        if self.kind == "distinct":
            return f"Every class holds at least {self.l:g} different values of {self.column}."
        return f"Every class holds at least {self.l:g} well represented values of {self.column}."

    @property
    def variant(self) -> tuple[object, ...]:
        """The kind and its c, None for all kinds but `recursive`."""
        return (self.kind, self.c)

    @property
    def measure(self) -> str:
        """The kind, since an l of one kind is not comparable with that of another."""
        return self.kind

    @property
    def trivial(self) -> bool:
        """Whether one value is enough; false for `recursive`, whose c decides too."""
        return self.l <= 1 and self.kind != "recursive"

    @property
    def shares_decide(self) -> bool:
        """Whether the share of the commonest value is all that counts."""
        return self.kind == "frequency"

    def satisfied_by(self, classes: Classes) -> Flags:
        """Which classes are l-diverse; of `entropy` give or take 1e-9, of other kinds exactly."""
        held = histogram_of(classes, self.name, self.column)
        match self.kind:
            case "frequency":
                most = most_within_share(classes.people, 1 / fraction(self.l))
                return kernels.largest_counts(held.start, held.count) <= most
            case "entropy":
                return kernels.entropies(held.start, held.count) >= math.log(self.l) - TOLERANCE
            case "distinct" | "recursive":
                return self.achieved_per_class(classes) >= self.l
            case _:
                assert_never(self.kind)

    def achieved_by(self, classes: Classes) -> float:
        """The l of the weakest class that holds anybody; infinity if there is none.

        For `recursive` it is the largest whole l that holds with this c, 0 if none does.
        """
        anybody = classes.people > 0
        if not anybody.any():
            return float("inf")
        weakest = float(self.achieved_per_class(classes)[anybody].min())
        return snap_to_threshold(weakest, self.threshold) if self.kind == "entropy" else weakest

    def possible(self, whole: Classes) -> float:
        """What the table as one class achieves: without suppression no release achieves more.

        For `frequency` this is Ghinita's eligibility: people / holders of the commonest value.
        """
        return self.achieved_by(whole)

    def most_kept(self, classes: Classes) -> Counts:
        """Per class, a limit on the people who can stay l-diverse; 0 if nobody can.

        Where a record is a person it is exact, but for rounding with `entropy`. Where people have
        several values, each counts once for each, so that the limit may be too high.
        """
        held = histogram_of(classes, self.name, self.column)
        match self.kind:
            case "frequency":
                share = 1 / fraction(self.l)
                limits = share.numerator, share.denominator
                return kernels.most_kept_by_share(held.start, held.count, *limits)
            case "entropy":
                least = math.log(self.l) - 2 * TOLERANCE
                return kernels.most_kept_entropy(held.start, held.count, least)
            case "distinct":
                return np.where(self.satisfied_by(classes), classes.people, 0)
            case "recursive":
                c = fraction(self.c or 0.0)
                rule = int(self.l), c.numerator, c.denominator
                return kernels.most_kept_recursive(held.start, held.count, *rule)
            case _:
                assert_never(self.kind)

    def distinct_values(self) -> int:
        """The number l rounded up, whatever the kind."""
        return math.ceil(fraction(self.l))

    def enough_values(self) -> int:
        """The number l rounded up; for `recursive` the least m with 1 < c (m - l + 1)."""
        if self.kind == "recursive":
            return math.floor(fraction(self.l) - 1 + 1 / fraction(self.c or 1.0)) + 1
        return self.distinct_values()

    def values_left(self) -> float:
        """The number l of values."""
        return self.l

    def share_limits(self, column: str) -> ShareLimits:
        """At most 1/l for `frequency`; other kinds set no limit that is the same in all classes."""
        if column != self.column or self.kind != "frequency":
            return ShareLimits()
        return ShareLimits(most=1 / fraction(self.l))

    def in_numbers(self, columns: Mapping[str, SensitiveColumn]) -> tuple[ClassRule, ...]:
        """One rule: the values of a class are l-diverse by the model's kind."""
        del columns
        match self.kind:
            case "frequency":
                share = 1 / fraction(self.l)
                rule = ClassRule(rules.SHARE, self.column, share.numerator, share.denominator)
            case "entropy":
                rule = ClassRule(rules.ENTROPY, self.column, limit=math.log(self.l))
            case "distinct":
                rule = ClassRule(rules.DISTINCT, self.column, self.distinct_values())
            case "recursive":
                c = fraction(self.c or 0.0)
                shape = int(self.l), c.numerator, c.denominator
                rule = ClassRule(rules.RECURSIVE, self.column, *shape)
            case _:
                assert_never(self.kind)
        return (rule,)

    def achieved_per_class(self, classes: Classes) -> Floats:
        """The l of each class."""
        held = histogram_of(classes, self.name, self.column)
        entries = held.start, held.count
        match self.kind:
            case "frequency":
                return classes.people / np.maximum(kernels.largest_counts(*entries), 1)
            case "entropy":
                return np.exp(kernels.entropies(*entries))
            case "distinct":
                return kernels.count_values(*entries).astype(np.float64)
            case "recursive":
                c = fraction(self.c or 0.0)
                largest = kernels.largest_recursive_l(*entries, c.numerator, c.denominator)
                return largest.astype(np.float64)
            case _:
                assert_never(self.kind)
