"""Datafly: generalize the column with most distinct values until few outliers are left."""

from collections.abc import Sequence
from dataclasses import dataclass as plain
from dataclasses import field
from typing import Literal

import numpy as np
from pydantic.dataclasses import dataclass

from incrowd.arrays import Codes, Flags
from incrowd.classes import Classes, classes_of
from incrowd.errors import InfeasibleError, LimitError
from incrowd.problem import Problem
from incrowd.recoding import Levels
from incrowd.search.full_domain import (
    infeasible,
    levels_recoding,
    node_classes,
    satisfied_classes,
    satisfied_crowds,
)
from incrowd.search.search import Found
from incrowd.table.roles import Missing
from incrowd.values import STRICT
from incrowd.watch import Watch


@dataclass(frozen=True, config=STRICT)
class Datafly:
    """The core Datafly algorithm (Sweeney Figure 8), for any models.

    While records in failing classes number more than k, the column with the most distinct values
    goes up one level (the first of several). What fails then is suppressed, and if that is fewer
    than k records, whole classes are suppressed with it, the smallest first, until they number k.

    Where we depart: the policy's suppression limit holds, so the loop also goes on while more than
    that fail, or while completing the suppressed to k would break it; with a limit of 0 nothing is
    suppressed. k is the largest that any of the models asks for. It never takes a level back, so
    it is quick and its loss is rarely the least.

    >>> Datafly().name
    'datafly'
    """

    name: Literal["datafly"] = field(default="datafly", kw_only=True)

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Go up one level at a time until few enough records fail."""
        infeasible(problem)
        steps = sum(column.hierarchy.height - column.lowest for column in problem.columns)
        levels = [column.lowest for column in problem.columns]
        for step in range(steps + 1):
            watch.tell("generalizing the column with most distinct values", step / (steps + 1))
            if watch.expired:
                raise LimitError("the time was up before datafly stopped", remedy="give it more")
            recoding = stopped(problem, levels)
            if recoding is not None:
                return Found(recoding, self.name, why=_why(step), facts={"examined": step + 1})
            if step < steps:
                levels[next_column(problem, levels)] += 1
        raise InfeasibleError(
            "datafly went to the highest levels and found none that satisfy all models while "
            f"leaving out at most {problem.suppressible:,} records",
            remedy='use search = "lattice", which looks at all levels, or ask for less',
        )


def stopped(problem: Problem, levels: Sequence[int]) -> Levels | None:
    """What Datafly releases at these levels; None if it would go on."""
    class_of, number = node_classes(problem, levels)
    classes = classes_of(problem.tally, class_of, number, problem.sensitive)
    node = _Node(problem, levels, class_of, classes)
    kept = satisfied_classes(problem, levels, class_of, classes)
    failing = node.left_out(kept)
    k = largest_k(problem)
    if failing > min(k, problem.suppressible):
        return None
    kept = _completed(node, kept, k) if 0 < failing < k else kept
    if not kept.any() or node.left_out(kept) > problem.suppressible:
        return None
    return levels_recoding(problem, levels, class_of, kept)


def next_column(problem: Problem, levels: Sequence[int]) -> int:
    """The column with the most distinct values at these levels, of those that can go up."""
    distinct = [
        len(np.unique(column.hierarchy.maps[level][codes]))
        if level < column.hierarchy.height
        else 0
        for codes, column, level in zip(problem.tally.quasi, problem.columns, levels, strict=True)
    ]
    return int(np.argmax(distinct))


def largest_k(problem: Problem) -> int:
    """The largest k that any of the models asks for; 1 if none does."""
    return max((int(getattr(model, "k", 1)) for model in problem.models), default=1)


@plain(frozen=True, eq=False)
class _Node:
    """A node of the lattice with its classes."""

    problem: Problem
    levels: Sequence[int]
    class_of: Codes
    classes: Classes

    def left_out(self, kept: Flags) -> int:
        """Records in classes that do not stay."""
        return int(self.classes.records[~kept].sum())


def _completed(node: _Node, kept: Flags, k: int) -> Flags:
    """Step 4: suppress the smallest classes until at least k records are suppressed."""
    kept = kept.copy()
    for smallest in np.argsort(node.classes.records, kind="stable"):
        if node.left_out(kept) >= k:
            break
        kept[smallest] = False
        if node.problem.missing is Missing.MATCHES_ANYTHING:
            kept = satisfied_crowds(node.problem, node.levels, node.class_of, kept)
    return kept


def _why(steps: int) -> str:
    return f"went up {steps} levels, each time in the column with the most distinct values"
