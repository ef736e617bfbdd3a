"""(alpha, k)-anonymity: classes of k people in which no sensitive value is too common."""

from collections.abc import Mapping
from dataclasses import field
from math import ceil
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from incrowd.arrays import Counts, Flags
from incrowd.kernels import diversity, rules
from incrowd.models.model import (
    ClassRule,
    Model,
    ShareLimits,
    fraction,
    histogram_of,
    most_within_share,
    round_up_percent,
)
from incrowd.partition.classes import Classes, SensitiveColumn
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT)
class AlphaK(Model):
    """Every class holds k people, of whom at most a share alpha holds any one value (Wong).

    The threshold and the value achieved are alpha. A class of fewer than k people counts as one
    whose commonest value is held by all, so that the value achieved tells of both conditions. A
    person with several records counts once for each different value. It is not absorbing: a class
    that joins can make a value too common.

    >>> AlphaK("diagnosis", alpha=0.5, k=5).threshold
    0.5
    """

    column: str
    alpha: Annotated[float, Field(gt=0, lt=1)]
    k: Annotated[int, Field(ge=2)]
    name: Literal["alpha-k"] = field(default="alpha-k", kw_only=True)
    definition: ClassVar[str] = (
        "every class holds at least k people, and at most a share alpha of them has one value"
    )
    higher_is_safer: ClassVar[bool] = False
    """The smaller the largest share, the less a class tells."""
    monotone: ClassVar[bool] = True
    """No value is commoner in a union than in the part where it is commonest."""
    promise: ClassVar[str] = "no value of {column} covers more than {achieved} of a class"
    usual: ClassVar[Mapping[str, float]] = {"alpha": 0.5, "k": 5}

    @property
    def columns(self) -> tuple[str, ...]:
        """The one sensitive column, whose values are counted."""
        return (self.column,)

    @property
    def meaning(self) -> str:
        """The size and the share that every class keeps, in plain words."""
        return (
            f"Every class holds at least {self.k} people, and at most "
            f"{round_up_percent(self.alpha)} of them have the same {self.column}."
        )

    @property
    def threshold(self) -> float:
        """The largest share alpha."""
        return float(self.alpha)

    def satisfied_by(self, classes: Classes) -> Flags:
        """Which classes meet both conditions; shares are compared without rounding."""
        fair = self._commonest(classes) <= most_within_share(classes.people, fraction(self.alpha))
        return (classes.people >= self.k) & fair

    def achieved_by(self, classes: Classes) -> float:
        """The largest share of a value in a class, 1 if one is too small; 0 if there is none."""
        if (classes.people < self.k).any():
            return 1.0
        shares = self._commonest(classes) / np.maximum(classes.people, 1)
        return float(shares.max(initial=0.0))

    def most_kept(self, classes: Classes) -> Counts:
        """A limit on people of each class who can stay, exact if each has one value; 0 for none."""
        held = histogram_of(classes, self.name, self.column)
        share = fraction(self.alpha)
        limits = share.numerator, share.denominator
        most = diversity.most_kept_by_share(held.start, held.count, *limits)
        return np.where(most >= self.k, most, 0)

    def smallest_class(self) -> int:
        """The number k of people."""
        return self.k

    def distinct_values(self) -> int:
        """As many values as it takes so that none has a share above alpha."""
        return ceil(1 / fraction(self.alpha))

    def enough_values(self) -> int:
        """As many people as `distinct_values`: each value then has a share of at most alpha."""
        return self.distinct_values()

    def share_limits(self, column: str) -> ShareLimits:
        """A share of at most alpha in the model's column, any share in others."""
        return ShareLimits(most=fraction(self.alpha)) if column == self.column else ShareLimits()

    def in_numbers(self, columns: Mapping[str, SensitiveColumn]) -> tuple[ClassRule, ...]:
        """Two rules: a class holds at least k people, and no value has a share above alpha."""
        del columns
        share = fraction(self.alpha)
        fair = ClassRule(rules.SHARE, self.column, share.numerator, share.denominator)
        return ClassRule(rules.PEOPLE, a=self.k), fair

    def _commonest(self, classes: Classes) -> Counts:
        """The people of each class who hold its most frequent value."""
        held = histogram_of(classes, self.name, self.column)
        return diversity.largest_counts(held.start, held.count)
