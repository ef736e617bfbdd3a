"""Search with a world: the least generalization that hides everybody among a world's people.

Bettini Section 6 ends with the remark that whoever knows something of the world can do better than
to make k records alike: three Janes in the world hide one in the table. Here that is done in
several ways, and the one that loses least is taken. Classes of the world's people come first: what
they show does not depend on the values of those who are in the table. Classes that show what their
own records span are taken only if every end fits enough people by itself (`world.guarded`), as
somebody in the table is at each end; with `ends = "exact"` they are taken as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass as plain
from dataclasses import field, replace
from functools import partial
from itertools import product
from math import inf, prod
from typing import ClassVar, Literal

import numpy as np

from incrowd.errors import InfeasibleError, LimitError
from incrowd.linkage.attained_ends import AttainedEndsCounter
from incrowd.models.k_anonymity import KAnonymity
from incrowd.models.model import Model, Requirement
from incrowd.problem import Problem
from incrowd.recoding import Levels, Outcome, Recoding
from incrowd.search import auto
from incrowd.search.lattice.full_domain import allowed_levels, levels_recoding, node_classes
from incrowd.search.refusals import nothing_found, raise_if_infeasible
from incrowd.search.repair import is_safe, merge_failing_classes
from incrowd.search.search import FROM_TABLE, Found, Recodes, Search
from incrowd.search.world.partition import divide_world
from incrowd.search.world.staged import divide_by_stages
from incrowd.table.column import Missing
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

_SHOWN = {"spans", "levels"}
"""Kinds of recoding whose labels can be held against somebody who knows how they are made."""


@dataclass(frozen=True, config=STRICT)
class AgainstWorld(Search):
    """The least loss such that every class fits enough individuals of a world.

    Four ways are tried: classes of the world's people, of which those in the table show theirs; the
    release that would be made without a world; classes of one record where the world has enough
    people, else of two, of three and so on; and one level per column.

    >>> AgainstWorld().name
    'world'
    """

    name: Literal["world"] = field(default="world", kw_only=True)
    offered: ClassVar[str] = "hiding among the people of a world"
    recoding: ClassVar[Recodes] = "any"
    provides: ClassVar[frozenset[Requirement]] = FROM_TABLE | {"world"}

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Try every way and take the least loss; `auto` without a world that a model asks about."""
        raise_if_infeasible(problem)
        if problem.world is None or not any("world" in model.requires for model in problem.models):
            return _run_without_world(problem, problem.models, watch)
        problem = _read_gaps_as_values(problem)
        tried = self._try_ways(problem, watch)
        if not tried:
            raise nothing_found(problem)
        best = min(tried, key=lambda trial: trial.loss)
        rest = ", ".join(f"{one.title} {one.loss:.4f}" for one in tried if one is not best)
        why = (
            f"used {best.title}: {problem.loss.name} {best.loss:.4f}, the lowest of those tried "
            "with the world"
        )
        facts = {"classes": float(best.classes), **{one.title: one.loss for one in tried}}
        return Found(best.recoding, self.name, why=f"{why} ({rest})" if rest else why, facts=facts)

    def _try_ways(self, problem: Problem, watch: Watch) -> list["_WorldTrial"]:
        """Divide the world, try as without it, in stages, by levels; return the trials allowed."""
        watch.tell("dividing the people of the world", 0.0)
        tried = _try_divisions(problem, watch)
        guarded = _guard_ends(problem)
        enough = bool(tried) and guarded is not problem
        ways: list[tuple[str, Callable[[Problem, Watch], Recoding | None]]]
        ways = [("as without a world", partial(_mend_without_world, mend=not enough))]
        if not enough:
            ways.append(("stage by stage", divide_by_stages))
        for number, (title, way) in enumerate(ways, start=1):
            if tried and watch.expired:
                break
            watch.tell("comparing classes with the world", number / (len(ways) + 2))
            try:
                tried += _judge_trial(guarded, title, way(guarded, watch))
            except (InfeasibleError, LimitError):
                continue
        bar = min((trial.loss for trial in tried), default=inf)
        levels = best_levels(problem, watch, bar)
        return tried + _judge_trial(problem, "one level per column", levels)


def _read_gaps_as_values(problem: Problem) -> Problem:
    """The problem with missing values as values of their own, if table and world have none."""
    world = problem.world
    if world is None or not problem.tally.quasi.all() or any(one.unknown for one in world.columns):
        return problem
    return replace(problem, missing=Missing.OWN_VALUE)


def _guard_ends(problem: Problem) -> Problem:
    """The problem for a reader who knows that spans end at somebody; the same if ends are exact."""
    if problem.world is None or problem.world.exact:
        return problem
    return replace(problem, world=AttainedEndsCounter.of_counter(problem.world))


def _try_divisions(problem: Problem, watch: Watch) -> list["_WorldTrial"]:
    """The best division of the world, or none; larger classes are tried while they lose less."""
    best: list[_WorldTrial] = []
    for boxes in divide_world(problem, watch):
        found = _judge_trial(problem, "classes of the world", boxes)
        if best and found and found[0].loss >= best[0].loss:
            break
        best = found or best
    return best


@plain(frozen=True, eq=False)
class _WorldTrial:
    """What a way found, its title in messages, its loss and its number of classes."""

    title: str
    recoding: Recoding
    loss: float
    classes: int


def _judge_trial(problem: Problem, title: str, recoding: Recoding | None) -> list[_WorldTrial]:
    """A list of the trial of this recoding; empty without one, or if it breaks the policy."""
    if recoding is None:
        return []
    outcome = problem.outcome(recoding)
    if outcome.suppressed > problem.suppressible or not len(outcome.classes):
        return []
    if not is_safe(problem, outcome) or overlaps_betray(problem, outcome):
        return []
    return [_WorldTrial(title, recoding, problem.loss.of(outcome), len(outcome.classes))]


def _run_without_world(problem: Problem, models: tuple[Model, ...], watch: Watch) -> Found:
    """What `auto` finds without the world, for these models in place of the problem's."""
    return auto.Auto().run(replace(problem, models=models, world=None), watch)


def _mend_without_world(problem: Problem, watch: Watch, *, mend: bool) -> Recoding | None:
    """What is found without a world, k-anonymity in place of k-map, after failing classes join.

    If everybody in the table is in the world, no class of k people fails k-map; where ends count,
    their parts may. Without `mend` None if a class fails, or the recoding shows no spans or levels.
    """
    asked = [model.smallest_candidate_set() for model in problem.models]
    others = tuple(model for model in problem.models if "world" not in model.requires)
    k = max(asked, default=0)
    models = (*others, KAnonymity(max(k, 2)))
    found = _run_without_world(problem, models, watch).recoding
    if found.kind in _SHOWN and problem.satisfied_by(problem.outcome(found).classes).all():
        return found
    return merge_failing_classes(problem, found.pieces) if mend else None


_MOST_NODES = 4096
"""Level vectors that are looked at, one by one."""
_MOST_CELLS = 200_000_000
"""Cells of the table that may be looked at in all."""


def best_levels(problem: Problem, watch: Watch, bar: float) -> Levels | None:
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
        if watch.is_over(answered=bar < inf):
            break
        found = _better_recoding(problem, vector, bar)
        if found is not None:
            best, bar = found
    return best


def _better_recoding(
    problem: Problem, levels: tuple[int, ...], bar: float
) -> tuple[Levels, float] | None:
    """The recoding of these levels and its loss; None unless below `bar` and allowed by the policy.

    None also if missing values match anything and there is more than one class.
    """
    class_of, number = node_classes(problem, levels)
    if problem.missing is Missing.MATCHES_ANYTHING and number > 1:
        return None
    everyone = np.ones(number, dtype=np.bool_)
    whole = levels_recoding(problem, levels, class_of, everyone)
    alone = replace(problem, world=None)
    if problem.loss.of(alone.outcome(whole)) >= bar:
        return None
    fine = problem.satisfied_by(problem.outcome(whole).classes)
    if not fine.any():
        return None
    recoding = levels_recoding(problem, levels, class_of, fine)
    outcome = problem.outcome(recoding)
    loss = problem.loss.of(outcome)
    kept = outcome.suppressed <= problem.suppressible and not overlaps_betray(problem, outcome)
    return (recoding, loss) if kept and loss < bar else None


def overlaps_betray(problem: Problem, outcome: Outcome) -> bool:
    """Whether overlapping classes make somebody's presence surer than a model allows.

    Each by itself may satisfy the model. Individuals of the world who have several rows, and so fit
    several classes, count as well. False without a world or such a model.
    """
    bounds = [limit for model in problem.models if (limit := model.largest_presence()) < 1]
    if not bounds or problem.world is None:
        return False
    return problem.world.largest_presence_chance(outcome) > min(bounds) * (1 + 1e-9)
