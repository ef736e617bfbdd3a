"""One level per column, held against a world: full-domain generalization where it is cheap."""

from dataclasses import replace
from itertools import product
from math import prod

import numpy as np

from incrowd.errors import InfeasibleError
from incrowd.problem import Problem
from incrowd.recoding import Levels, Outcome
from incrowd.search.lattice.full_domain import allowed_levels, levels_recoding, node_classes
from incrowd.table.roles import Missing
from incrowd.watch import Watch

_MOST_NODES = 4096
"""Level vectors that are looked at, one by one."""
_MOST_CELLS = 200_000_000
"""Cells of the table that may be looked at in all."""


def by_levels(problem: Problem, watch: Watch, bar: float) -> Levels | None:
    """The levels that lose least, and less than `bar`; None if there are none.

    A vector of levels is held against the world only if it would lose less than what is known. Only
    the highest levels are looked at if there are too many, or if missing values match anything.
    """
    try:
        levels = [allowed_levels(column) for column in problem.columns]
    except InfeasibleError:
        return None
    nodes = prod(map(len, levels))
    cells = nodes * problem.tally.rows * len(levels)
    anything = problem.missing is Missing.MATCHES_ANYTHING
    if nodes > _MOST_NODES or cells > _MOST_CELLS or anything:
        levels = [some[-1:] for some in levels]
    best = None
    for vector in sorted(product(*levels), key=sum):
        if watch.expired:
            break
        found = _found(problem, vector, bar)
        if found is not None:
            best, bar = found
    return best


def _found(problem: Problem, levels: tuple[int, ...], bar: float) -> tuple[Levels, float] | None:
    """The recoding of these levels and its loss, if it satisfies the policy and loses less."""
    class_of, number = node_classes(problem, levels)
    if problem.missing is Missing.MATCHES_ANYTHING and number > 1:
        return None
    everyone = np.ones(number, dtype=np.bool_)
    whole = levels_recoding(problem, levels, class_of, everyone)
    alone = replace(problem, world=None)
    if problem.loss.of(alone.outcome(whole)) >= bar:
        return None
    fine = problem.satisfied(problem.outcome(whole).classes)
    if not fine.any():
        return None
    recoding = levels_recoding(problem, levels, class_of, fine)
    outcome = problem.outcome(recoding)
    loss = problem.loss.of(outcome)
    kept = outcome.suppressed <= problem.suppressible and not betrays(problem, outcome)
    return (recoding, loss) if kept and loss < bar else None


def betrays(problem: Problem, outcome: Outcome) -> bool:
    """Whether classes that overlap make somebody's presence surer together than each by itself.

    They also do if individuals of the world have several rows, and so fit several classes.
    """
    bounds = [limit for model in problem.models if (limit := model.largest_presence()) < 1]
    if not bounds or problem.world is None:
        return False
    return problem.world.presence(outcome) > min(bounds) * (1 + 1e-9)
