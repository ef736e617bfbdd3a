"""MinGen at the level of cells: the best of all ways to divide a small table into classes."""

from dataclasses import field
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.problem import Problem
from incrowd.recoding import CellLevels
from incrowd.search.lattice.full_domain import readable_number
from incrowd.search.refusals import gaps_match, nothing_found, raise_if_infeasible
from incrowd.search.search import Found, Recodes, Search
from incrowd.search.small_tables.partitions import Partitions
from incrowd.search.small_tables.small_table import SmallTable
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

LARGEST = 2**20
"""The most parts of a table that fit the memory in reason."""


@dataclass(frozen=True, config=STRICT)
class MinGenCells(Search):
    """The least loss of all generalizations cell by cell, proved, for small tables.

    Sweeney Section 3.4 with generalization enforced at the cell level: a partition of the records
    into classes, each of which shows the lowest common node of its records in every column (ordered
    columns too). All partitions are compared by dynamic programming over the parts of the table:
    those that satisfy every model may be classes. Records may be left out up to the suppression
    limit and cost 1 each. Losses that are no sum over cells are replaced by GCP.

    The number of parts grows by 2 for every different record, so tables of more than about twenty
    are refused: there is no heuristic behind this search.

    >>> MinGenCells().name
    'mingen-cells'
    """

    limit: Annotated[int, Field(ge=2, le=LARGEST)] = LARGEST
    """The most parts of a table that it takes on: 2^20 are those of 20 different records."""
    name: Literal["mingen-cells"] = field(default="mingen-cells", kw_only=True)
    recoding: ClassVar[Recodes] = "cells"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Compare all partitions of the table into classes; `PolicyError` if it is too large."""
        table = SmallTable.of(problem)
        _refuse_unsupported(problem, table, self.limit)
        raise_if_infeasible(problem)
        best = Partitions(problem, table).find_best(watch)
        if best is None and watch.must_stop:
            raise LimitError(
                "the time limit ended before all partitions of the table were compared",
                remedy="raise the time limit, or give a smaller table",
            )
        if best is None:
            raise _none_error(problem)
        levels, digits = best
        cells = CellLevels(levels, table.pieces(problem.tally, digits))
        cells = cells.merge_alike(problem.tally, problem.columns)
        number = cells.levels.shape[1]
        facts = {"parts": float(table.parts), "classes": float(number)}
        proved, why = _proof(problem, table)
        return Found(cells, self.name, proved, why, facts)


def _refuse_unsupported(problem: Problem, table: SmallTable, limit: int) -> None:
    """Raise `PolicyError` if the table is too large, or its missing values are not supported."""
    if table.parts > limit:
        raise PolicyError(
            f"mingen-cells compares all partitions of a table: {readable_number(table.parts)} "
            f"parts of {problem.tally.records:,} records exceed its limit of {limit:,} "
            f"({int(np.log2(limit))} different records)",
            remedy=(
                'use search = "mingen" for one level per column, or "mondrian" for a heuristic'
            ),
        )
    if gaps_match(problem) and not problem.monotone:
        raise PolicyError(
            'mingen-cells does not support missing = "matches-anything" when people have '
            "several records",
            remedy='use search = "mingen", or missing = "own-value"',
        )


def _none_error(problem: Problem) -> InfeasibleError:
    """The error if no partition will do; it names mingen if missing values match other records."""
    error = nothing_found(problem)
    if not gaps_match(problem):
        return error
    return InfeasibleError(
        "no classes satisfy all models on their own, without the records that missing values match",
        remedy=f'use search = "mingen", which counts these records too, or {error.remedy}',
        proved=False,
    )


def _proof(problem: Problem, table: SmallTable) -> tuple[bool, str]:
    """Whether the loss is proved to be the least, and what was done."""
    summed = all(problem.loss.cell_costs(column) is not None for column in problem.columns)
    why = (
        f"lowest {problem.loss.name if summed else 'gcp'} loss of all ways to divide "
        f"{problem.tally.records:,} records into classes; {table.parts:,} parts of the table "
        "examined"
    )
    if not summed:
        return False, f"{why}; {problem.loss.name} is not a sum over cells and may be higher"
    if gaps_match(problem):
        return False, f"{why}; each class satisfies the models without what its gaps match"
    return True, why
