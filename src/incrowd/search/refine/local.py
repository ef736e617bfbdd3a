"""Refining a full-domain answer: each class is shown at levels of its own.

What one level per column suppresses or shows too coarsely is solved again with other levels, as
ARX's local recoding does (decision record 0008 compares). The table is covered by level vectors
first (`cover`), because that is fast and usually far better than any one of them. The lattice then
only has to prove that no level per column loses less; if one does, its rows move to classes where
they pay less (`moves`) as long as the loss falls.
"""

from dataclasses import dataclass as plain
from dataclasses import field
from math import inf
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from incrowd.arrays import Codes
from incrowd.errors import count_of
from incrowd.problem import Problem
from incrowd.recoding import CellLevels, Pieces, Recoding
from incrowd.search.lattice.full_domain import allowed_levels
from incrowd.search.lattice.lattice import BestFirst
from incrowd.search.left_out import search_after_leaving_out
from incrowd.search.refine.cover import cover
from incrowd.search.refine.moves import Moves
from incrowd.search.refusals import raise_if_infeasible
from incrowd.search.repair import is_safe
from incrowd.search.search import Found, Recodes, Search
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch


@dataclass(frozen=True, config=STRICT)
class LatticeLocal(Search):
    """A full-domain answer, refined: no class shows higher levels than it needs.

    `share` is the least share of the table that one level vector must release to be taken;
    smaller shares lose less and take longer. If missing values match anything, classes are judged
    as if they were values of their own, which is stricter, unless the answer is the full-domain
    one.

    >>> LatticeLocal().name
    'lattice+local'
    """

    share: Annotated[float, Field(gt=0, le=1)] = 0.0005
    name: Literal["lattice+local"] = field(default="lattice+local", kw_only=True)
    recoding: ClassVar[Recodes] = "cells"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Cover the table, and refine the best level per column if that loses less."""
        raise_if_infeasible(problem)
        for column in problem.columns:
            allowed_levels(column)
        return search_after_leaving_out(
            problem, lambda stay: self._refine(stay, watch), by_itself=True
        )

    def _refine(self, problem: Problem, watch: Watch) -> Found:
        """Search among the records that stay, as `run` says."""
        best, said = _better_start(problem, watch, _cover_table(problem, watch, self.share))
        classes = len(problem.outcome(best.recoding).classes)
        why = (
            f"made {count_of(classes, 'class', 'classes')} with levels of their own: "
            f"{problem.loss.name} {best.loss:.4f}; {said}"
        )
        return Found(best.recoding, self.name, why=why, facts={"classes": float(classes)})


@plain(frozen=True, eq=False)
class _PricedRecoding:
    """A recoding that satisfies the policy, and its loss."""

    recoding: Recoding
    loss: float


def _cover_table(problem: Problem, watch: Watch, share: float) -> _PricedRecoding | None:
    """The recoding of a cover by level vectors; None if time is up or it breaks the policy."""
    return None if watch.expired else check_recoding(problem, *cover(problem, watch, share))


def _better_start(
    problem: Problem, watch: Watch, best: _PricedRecoding | None
) -> tuple[_PricedRecoding, str]:
    """The cover, or the refined full-domain optimum if that loses less, and a phrase on which.

    Without a cover `InfeasibleError` or `LimitError` if there is no full-domain optimum either.
    """
    quest = BestFirst(problem, watch, inf if best is None else best.loss)
    quest.seek()
    if best is not None and not quest.has_found:
        said = "full-domain generalization loses no less"
        if not quest.proved:
            said = "the time limit ended before full-domain generalization was searched"
        return best, f"{said} ({quest.examined_in_words})"
    found = quest.result().recoding
    answer = _PricedRecoding(found, problem.loss.of(problem.outcome(found)))
    said = f"refined the best full-domain generalization ({quest.examined_in_words})"
    return _move_rows(problem, watch, answer), said


def _move_rows(problem: Problem, watch: Watch, answer: _PricedRecoding) -> _PricedRecoding:
    """The answer after moves of rows; unchanged without a gain, or if it is safe only by crowds."""
    outcome = problem.outcome(answer.recoding)
    if not problem.satisfied_by(outcome.classes).all():
        return answer  # crowds alone make it safe
    moves = Moves(problem, answer.recoding.pieces.class_of, outcome.level)
    moves.run(watch)
    better = check_recoding(problem, *moves.answer())
    return better if better is not None and better.loss < answer.loss else answer


def check_recoding(problem: Problem, class_of: Codes, levels: Codes) -> _PricedRecoding | None:
    """The recoding of classes at `levels` (d, classes), equal ones joined; None if not allowed."""
    kept = class_of >= 0
    if not kept.any():
        return None
    live, place = np.unique(class_of[kept], return_inverse=True)
    numbers = class_of.copy()
    numbers[kept] = place
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    pieces = Pieces(rows, problem.tally.counts, numbers)
    cells = CellLevels(np.ascontiguousarray(levels[:, live]), pieces)
    cells = cells.merge_alike(problem.tally, problem.columns)
    outcome = problem.outcome(cells)
    if outcome.suppressed > problem.suppressible or not is_safe(problem, outcome):
        return None
    return _PricedRecoding(cells, problem.loss.of(outcome))
