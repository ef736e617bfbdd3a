"""Against a world: as little generalization as hides everybody among the people somebody may hold.

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
from typing import ClassVar, Literal

from incrowd.errors import InfeasibleError, LimitError
from incrowd.linkage.attained_ends import AttainedEndsCounter
from incrowd.models.k_anonymity import KAnonymity
from incrowd.models.model import Model, Requirement
from incrowd.problem import Problem
from incrowd.recoding import Recoding
from incrowd.search import auto
from incrowd.search.refusals import infeasible, nothing_found
from incrowd.search.repair import mended
from incrowd.search.search import FROM_TABLE, Found, Recodes, Search
from incrowd.search.world.levels import betrays, by_levels
from incrowd.search.world.partition import by_partition
from incrowd.search.world.staged import by_stages
from incrowd.table.roles import Missing
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
    recoding: ClassVar[Recodes] = "any"
    provides: ClassVar[frozenset[Requirement]] = FROM_TABLE | {"world"}

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Try every way and take the least loss; every class satisfies every model.

        Where there is no world, or no model asks about it, this is `auto`.
        """
        infeasible(problem)
        if problem.world is None or not any("world" in model.requires for model in problem.models):
            return _without(problem, problem.models, watch)
        problem = _read_plainly(problem)
        tried = self._tried(problem, watch)
        if not tried:
            raise nothing_found(problem)
        best = min(tried, key=lambda trial: trial.loss)
        rest = ", ".join(f"{one.title} {one.loss:.4f}" for one in tried if one is not best)
        why = (
            f"used {best.title}: {problem.loss.name} {best.loss:.4f}, the least of what was tried "
            "against the world"
        )
        facts = {"classes": float(best.classes), **{one.title: one.loss for one in tried}}
        return Found(best.recoding, self.name, why=f"{why} ({rest})" if rest else why, facts=facts)

    def _tried(self, problem: Problem, watch: Watch) -> list["_Trial"]:
        watch.tell("dividing the people of the world", 0.0)
        tried = _of_the_world(problem, watch)
        ways: list[tuple[str, Callable[[Problem, Watch], Recoding | None]]]
        guarded = _guarded(problem)
        enough = bool(tried) and guarded is not problem
        ways = [("as without a world", partial(_as_without, mend=not enough))]
        if not enough:
            ways.append(("stage by stage", by_stages))
        for number, (title, way) in enumerate(ways, start=1):
            if tried and watch.expired:
                break
            watch.tell("holding classes against the world", number / (len(ways) + 2))
            try:
                tried += _trial(guarded, title, way(guarded, watch))
            except (InfeasibleError, LimitError):
                continue
        bar = min((trial.loss for trial in tried), default=float("inf"))
        return tried + _trial(problem, "one level per column", by_levels(problem, watch, bar))


def _read_plainly(problem: Problem) -> Problem:
    """The problem with missing values as values of their own if there are none anyway."""
    world = problem.world
    if world is None or not problem.tally.quasi.all() or any(one.unknown for one in world.columns):
        return problem
    return replace(problem, missing=Missing.OWN_VALUE)


def _guarded(problem: Problem) -> Problem:
    """The problem for somebody who knows that the ends of spans are attained."""
    if problem.world is None or problem.world.exact:
        return problem
    return replace(problem, world=AttainedEndsCounter.by(problem.world))


def _of_the_world(problem: Problem, watch: Watch) -> list["_Trial"]:
    """The best division of the world; larger classes are tried as long as they lose less."""
    best: list[_Trial] = []
    for boxes in by_partition(problem, watch):
        found = _trial(problem, "classes of the world", boxes)
        if best and found and found[0].loss >= best[0].loss:
            break
        best = found or best
    return best


@plain(frozen=True, eq=False)
class _Trial:
    title: str
    recoding: Recoding
    loss: float
    classes: int


def _trial(problem: Problem, title: str, recoding: Recoding | None) -> list[_Trial]:
    """What was found this way, if it satisfies every model."""
    if recoding is None:
        return []
    outcome = problem.outcome(recoding)
    if outcome.suppressed > problem.suppressible or not len(outcome.classes):
        return []
    if not problem.satisfied(outcome.classes).all() or betrays(problem, outcome):
        return []
    return [_Trial(title, recoding, problem.loss.of(outcome), len(outcome.classes))]


def _without(problem: Problem, models: tuple[Model, ...], watch: Watch) -> Found:
    """What is found for these models by whoever knows of no world."""
    return auto.Auto().run(replace(problem, models=models, world=None), watch)


def _as_without(problem: Problem, watch: Watch, *, mend: bool) -> Recoding | None:
    """What is found with k-anonymity in place of k-map; classes that fail the world join others.

    If everybody in the table is in the world, no class of k people fails k-map; where ends count,
    their parts may. Without `mend`, None if any class fails.
    """
    asked = [model.smallest_candidate_set() for model in problem.models]
    others = tuple(model for model in problem.models if "world" not in model.requires)
    k = max(asked, default=0)
    models = (*others, KAnonymity(max(k, 2)))
    found = _without(problem, models, watch).recoding
    if found.kind in _SHOWN and problem.satisfied(problem.outcome(found).classes).all():
        return found
    return mended(problem, found.pieces) if mend else None
