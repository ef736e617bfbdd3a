"""The search that gives the lowest loss in the time there is."""

from dataclasses import dataclass as plain
from dataclasses import field, replace
from math import inf, prod
from typing import Literal

from pydantic.dataclasses import dataclass

from incrowd.errors import InfeasibleError, LimitError
from incrowd.loss.cells import CellLoss
from incrowd.problem import Problem
from incrowd.search.crowd.crowd import Crowd
from incrowd.search.diversify.diversify import Diversify
from incrowd.search.full_domain import infeasible, many
from incrowd.search.lattice.lattice import Lattice
from incrowd.search.mondrian import Mondrian
from incrowd.search.refine.local import safe
from incrowd.search.search import Found, Search
from incrowd.search.world.world import AgainstWorld
from incrowd.values import STRICT
from incrowd.watch import Watch

_SECONDS_PER_CELL = 2e-9
_SECONDS_PER_NODE = 1e-4
_MOST = 10**30
"""Nodes that no time is enough for."""
_SHARE_COUNTED = 0.01
"""A hundredth of the lattice is counted, by experience, if models rule out nodes; else all."""


@dataclass(frozen=True, config=STRICT)
class Auto:
    """Local recoding and full-domain generalization, whichever loses less.

    Crowd comes first because it rarely loses more. The lattice then looks only for levels that lose
    less than what was found, which it often rules out at once. Where the loss is no mean of what
    cells cost, Mondrian is tried too: crowd makes the cost of cells small. Where a sensitive value
    is too common for the models, diversify leaves out records that hold it, if the policy allows.

    >>> Auto().name
    'auto'
    """

    name: Literal["auto"] = field(default="auto", kw_only=True)

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Run what fits in the time and take the least loss."""
        if problem.world is not None:
            return AgainstWorld().run(problem, watch)
        infeasible(problem)
        tried = _local(problem, watch)
        if not tried:
            found = Lattice().run(problem, watch)
            why = f"{found.why}; local recoding (crowd) cannot satisfy the models"
            return replace(found, why=why)
        best = min(tried, key=lambda trial: trial.loss)
        better, said = _lattice(problem, watch, best.loss)
        if better is not None:
            return _chosen(problem, [better, *tried], said)
        return _chosen(problem, [best, *(trial for trial in tried if trial is not best)], said)


@plain(frozen=True, eq=False)
class _Trial:
    title: str
    found: Found
    loss: float


def _local(problem: Problem, watch: Watch) -> list[_Trial]:
    """What local recoding finds; nothing if no classes satisfy the models."""
    searches: list[tuple[str, Search]] = [("crowd", Crowd())]
    if not isinstance(problem.loss, CellLoss):
        searches += [("mondrian", Mondrian()), ("relaxed mondrian", Mondrian(relaxed=True))]
    trials: list[_Trial] = []
    for title, search in searches:
        try:
            found = search.run(problem, watch)
        except InfeasibleError:
            continue
        except LimitError:
            if trials:
                return trials
            raise
        trials += _tried(problem, title, found)
    return trials or _leaving_out(problem, watch)


def _leaving_out(problem: Problem, watch: Watch) -> list[_Trial]:
    """What is found without records of values that are too common, if any may be left out."""
    if not problem.suppressible or not any(model.columns for model in problem.models):
        return []
    try:
        found = Diversify().run(problem, watch)
    except (InfeasibleError, LimitError):
        return []
    return _tried(problem, "diversify", found)


def _tried(problem: Problem, title: str, found: Found) -> list[_Trial]:
    """The trial; none if a crowd fails a model, which a search by classes does not see.

    With people in several classes, two that satisfy a model may fail it together, as a missing
    value that matches anything makes of them.
    """
    outcome = problem.outcome(found.recoding)
    if not safe(problem, outcome):
        return []
    return [_Trial(title, found, problem.loss.of(outcome))]


def _loss(problem: Problem, found: Found) -> float:
    return problem.loss.of(problem.outcome(found.recoding))


def _lattice(problem: Problem, watch: Watch, bar: float) -> tuple[_Trial | None, str]:
    """A full-domain generalization that loses less than `bar`, and what came of the search."""
    from incrowd.search.lattice.best_first import Quest  # noqa: PLC0415  numba loads only when it runs

    nodes = prod(column.hierarchy.levels - column.lowest for column in problem.columns)
    if watch.expired:
        return None, f"there was no time for the lattice of {many(nodes)} level vectors"
    if _seconds(problem, nodes) > (inf if watch.remaining is None else watch.remaining):
        return None, f"the lattice of {many(nodes)} level vectors is too large for the time"
    quest = Quest(problem, watch, bar)
    quest.seek()
    if quest.beaten:
        found = quest.found()
        return _Trial("lattice", found, _loss(problem, found)), quest.looked
    if quest.proved:
        return None, f"no level vector of the lattice loses less ({quest.looked})"
    return None, f"the lattice found nothing better before the time was up ({quest.looked})"


def _seconds(problem: Problem, nodes: int) -> float:
    """About how long the lattice takes."""
    share = _SHARE_COUNTED if problem.monotone else 1.0
    cells = problem.tally.rows * len(problem.columns)
    return share * min(nodes, _MOST) * (_SECONDS_PER_CELL * cells + _SECONDS_PER_NODE)


def _chosen(problem: Problem, trials: list[_Trial], said: str) -> Found:
    first, *others = trials
    rest = "".join(f", {trial.title} {trial.loss:.4f}" for trial in others)
    why = f"{first.title} loses least: {problem.loss.name} {first.loss:.4f}{rest}; {said}"
    return replace(first.found, why=why)
