"""What every loss is: how much a release differs from its table, lower is better."""

from typing import Protocol, runtime_checkable

from incrowd.arrays import Floats
from incrowd.recoding import Outcome, QuasiColumn


class Loss(Protocol):
    """How much a release differs from its table; lower is better, 0..1 where it can be.

    Losses are frozen values with a literal `name`, like models.
    """

    @property
    def name(self) -> str:
        """Its name in policy, report and certificate."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Sensitive columns whose histograms it reads (the classification target)."""

    def of(self, outcome: Outcome) -> float:
        """The loss of this outcome; suppressed records count as lost."""

    def figure(self, loss: float) -> float:
        """What a report shows for it: the loss itself, but for Prec, which is 1 - loss."""

    def cell_costs(self, column: QuasiColumn) -> Floats | None:
        """Cost of one record's cell, `[level, code]`, if the loss is a weighted mean of them.

        Then the loss of full-domain levels without suppression is the sum over columns of weight
        times mean cost, a suppressed record costs 1 in every column, costs never fall as the level
        rises, and the search can bound a node before it looks at it. None for other losses.
        """

    def bound(self, outcome: Outcome) -> float:
        """A lower limit of the loss of all nodes at or above this one, whatever they suppress.

        `outcome` is that of the node with nothing suppressed. Minus infinity if unknown.
        """


@runtime_checkable
class Limiting(Protocol):
    """A loss that knows more than `bound` if it is told what a release must keep.

    Every released class holds at least `smallest` records, and at most `spare` are left out.
    """

    def least(self, outcome: Outcome, smallest: int, spare: int) -> float:
        """A lower limit of the loss of all nodes at or above this one that can be released.

        `outcome` is that of the node with nothing suppressed.
        """

    def surcharge(self, failing: Outcome, smallest: int) -> float:
        """By how much a node loses more than `least` of any node below it, at the least.

        `failing` shows the classes of a node at or above whose records are left out wherever levels
        are lower; all others are suppressed in it.
        """
