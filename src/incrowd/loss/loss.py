"""The contract of every loss: how much a release differs from its table, lower is better."""

from abc import ABC, abstractmethod
from math import inf
from typing import ClassVar

import numpy as np

from incrowd.arrays import Floats
from incrowd.loss.cells import ShownCells, cells_at, cells_of
from incrowd.recoding import Outcome, QuasiColumn


class Loss(ABC):
    """How much a release differs from its table; lower is better, 0..1 where it can be.

    Losses are frozen values with a literal `name`, like models. A loss must write `name` and `of`;
    all else has a default that lets searches assume nothing.
    """

    per_cell: ClassVar[bool] = False
    """Whether it is a weighted mean of `cost`, the same for all records that show the same cell."""
    worst_class: ClassVar[bool] = False
    """Whether it is the largest loss of a class rather than a mean or a sum."""
    counts_leaves: ClassVar[bool] = False
    """Whether it depends on which values of a hierarchy lie inside a cell, not on its extent."""
    needs_rows: ClassVar[bool] = False
    """Whether it needs the rows behind the classes."""
    column_key: ClassVar[str] = "target"
    """The setting that names its column, if it has one."""
    only_sensitive: ClassVar[bool] = False
    """Whether its column may not be a quasi-identifier."""
    rises: ClassVar[bool] = False
    """Whether a node, whatever it leaves out, loses no less than one below that leaves out none."""
    figure_is_kept: ClassVar[bool] = False
    """Whether its figure says what is kept, so that higher is better, rather than what is lost."""
    meaning: ClassVar[str] = ""
    """What the figure means, where it is a {share} of something; empty: the name says it."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the loss in policy, report and certificate."""

    @abstractmethod
    def of(self, outcome: Outcome) -> float:
        """The loss of this outcome; suppressed records count as lost."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose histograms the loss reads, such as the target of a classifier."""
        return ()

    def figure(self, loss: float) -> float:
        """The figure that a report shows for a loss: the loss itself, but 1 - loss for Prec."""
        return 1.0 - loss if self.figure_is_kept else loss

    def loss_of_figure(self, figure: float) -> float:
        """The loss that a report shows as this figure."""
        return self.figure(figure)

    def cost(self, cells: ShownCells) -> Floats:
        """What a record pays for each of these cells; `NotImplementedError` unless `per_cell`."""
        raise NotImplementedError(f"{self.name} is not a mean of what {type(cells).__name__} cost")

    def cell_costs(self, column: QuasiColumn) -> Floats | None:
        """Cost of a record's cell, `[level, code]`, if the loss is a weighted mean; else None.

        Then the loss of full-domain levels without suppression is the sum over columns of weight
        times mean cost, a suppressed record costs 1 in every column, costs never fall as the level
        rises, and the search can bound a node before it looks at it. None for other losses.
        """
        del column
        return None

    def bound(self, outcome: Outcome, smallest: int = 1, spare: int | None = None) -> float:
        """A lower limit of the loss of all nodes at or above this one that can be released.

        `outcome` is that of the node with nothing suppressed. Every released class holds at least
        `smallest` records, and at most `spare` records are left out; None: any number. Minus
        infinity if nothing is known.
        """
        del smallest, spare
        return self.of(outcome) if self.rises else -inf

    def surcharge(self, failing: Outcome, smallest: int) -> float:
        """What a node loses at the least beyond `bound` of any node at or below it.

        `failing` is the outcome of a node at or above it in which only those classes leave whose
        records must be left out wherever levels are lower. `smallest` is as for `bound`.
        """
        del failing, smallest
        return 0.0


class MeanLoss(Loss):
    """A loss that is a weighted mean of what records pay; a suppressed one pays 1 per cell.

    What is paid lies in 0..1 and never falls as the level rises. A missing value shown as missing
    is not generalized: it costs 0. A suppressed cell costs 1, also where the column has one value
    only.
    """

    rises: ClassVar[bool] = True
    """Higher levels cost no less, and to suppress a record costs no less than to show it."""

    @abstractmethod
    def totals(self, outcome: Outcome) -> Floats:
        """What all released records together pay, one sum per column."""

    @abstractmethod
    def cell_costs(self, column: QuasiColumn) -> Floats:
        """What a record pays by level and code: `[level, code]`."""

    def of(self, outcome: Outcome) -> float:
        """The weighted mean over all cells of the table."""
        if outcome.records == 0:
            return 0.0
        paid = float(outcome.weights @ self.totals(outcome))
        return (paid + outcome.suppressed) / outcome.records


class CellLoss(MeanLoss):
    """A loss in which all records that show the same cell pay the same for it."""

    per_cell: ClassVar[bool] = True

    @abstractmethod
    def cost(self, cells: ShownCells) -> Floats:
        """What a record pays for each of these cells."""

    def totals(self, outcome: Outcome) -> Floats:
        """What all released records together pay, one sum per column."""
        records = outcome.classes.records
        return np.array([float(records @ self.cost(cells)) for cells in cells_of(outcome)])

    def cell_costs(self, column: QuasiColumn) -> Floats:
        """What a record pays by level and code: `[level, code]`."""
        levels = range(column.hierarchy.levels)
        return np.array([self.cost(cells_at(column, level)) for level in levels])
