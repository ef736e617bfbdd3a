"""Query precision: how far counts that are estimated from a release are from those of the table."""

from dataclasses import field
from functools import partial
from itertools import combinations
from math import prod
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from incrowd.arrays import MISSING
from incrowd.errors import PolicyError
from incrowd.loss.loss import Loss
from incrowd.loss.queries_cubes import CountedColumn, CubeAnswer, Cubes, rows_of
from incrowd.recoding import Outcome
from incrowd.table.fold import in_threads
from incrowd.values import STRICT, dataclass

Measure = Literal["kl", "relative"]


@dataclass(frozen=True, config=STRICT)
class Queries(Loss):
    """The error of all counts by `level` quasi-identifying columns and a sensitive value.

    The workload of Ghinita Section 7.4: at level i of the lattice of group-bys, every combination
    of i quasi-identifying columns, for each value of the sensitive column; fewer columns are taken
    all. `kl` is the Kullback-Leibler divergence of the estimated from the true cube, in nats, 0 at
    best; a cell in which the table holds nobody adds nothing. `relative` is the mean over the cells
    that hold somebody of |true - estimate| over what is true (Xiao and Tao), at least `floor` of
    the records, so that tiny cells do not drown the others. A group-by weighs the product of its
    columns' weights. How estimates are made, and what of records left out: `queries_cubes`.

    >>> Queries("diagnosis").measure
    'kl'
    """

    column: str
    """The sensitive column whose values are counted."""
    level: Annotated[int, Field(ge=1, le=8)] = 2
    """How many quasi-identifying columns are grouped by."""
    measure: Measure = "kl"
    floor: Annotated[float, Field(gt=0, le=1)] = 0.001
    """The share of the records that a relative error is measured against at the least."""
    name: Literal["queries"] = field(default="queries", kw_only=True)
    column_key: ClassVar[str] = "column"
    only_sensitive: ClassVar[bool] = True
    """By quasi-identifying columns the queries group."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The one sensitive column."""
        return (self.column,)

    def of(self, outcome: Outcome) -> float:
        """The mean error of the group-bys."""
        if outcome.records == 0:
            return 0.0
        cubes = Cubes(outcome, self._counted(outcome))
        level = min(self.level, len(outcome.columns))
        groups = list(combinations(range(len(outcome.columns)), level))
        weights = np.array([prod(outcome.weights[j] for j in group) for group in groups])
        answers = in_threads([partial(cubes.answer, group) for group in groups])
        errors = [error(answer, self.measure, self.floor * outcome.records) for answer in answers]
        return float(weights @ np.array(errors)) / float(weights.sum())

    def bound(self, outcome: Outcome, smallest: int = 1, spare: int | None = None) -> float:
        """The loss of the node itself, for `kl`.

        Of all cubes that are even within the nodes of a level the estimate is the one nearest to
        the table. What a higher node shows, whatever it leaves out, is even within these nodes too,
        so it is no nearer. Relative errors have no such limit.
        """
        del smallest, spare
        return self.of(outcome) if self.measure == "kl" else float("-inf")

    def _counted(self, outcome: Outcome) -> CountedColumn:
        names = list(outcome.classes.histograms)
        if self.column not in names:
            raise PolicyError(
                f"the queries count '{self.column}', which is not a sensitive column",
                remedy=f"declare '{self.column}' sensitive, or name another column",
            )
        tally, _ = rows_of(outcome)
        whole = outcome.classes.histograms[self.column].column.whole
        number = len(whole) - 1 + int(whole[MISSING] > 0)
        held = tally.sensitive[names.index(self.column)]
        return CountedColumn(held, len(whole), 1.0 / max(number, 1))


def error(answer: CubeAnswer, measure: Measure, floor: float) -> float:
    """How far the estimate of a cube is from the truth; `floor` in records.

    If the table holds nobody in any cell, the whole cube counts as one cell: its divergence is 0,
    its relative error that of the total.
    """
    true = answer.true.astype(np.float64)
    if not len(true):
        return 0.0 if measure == "kl" else answer.total / floor
    if measure == "relative":
        return float((np.abs(true - answer.estimate) / np.maximum(true, floor)).mean())
    whole = float(true.sum())
    logs = np.log(true / whole) - np.log(answer.estimate / answer.total)
    return max(0.0, float(true @ logs) / whole)
