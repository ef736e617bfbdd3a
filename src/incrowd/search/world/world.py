"""Against a world: as little generalization as hides everybody among the people somebody may hold.

Bettini Section 6 ends with the remark that whoever knows something of the world can do better than
to make k records alike: three Janes in the world hide one in the table. Here that is done in
several ways, and the one that loses least is taken; the first ignores the world but for the end, so
that nothing is lost by knowing it.
"""

from collections.abc import Callable
from dataclasses import dataclass as plain
from dataclasses import field, replace
from typing import Literal

from pydantic.dataclasses import dataclass

from incrowd.errors import InfeasibleError, LimitError
from incrowd.models.k_anonymity import KAnonymity
from incrowd.models.model import Model, of_world
from incrowd.problem import Problem
from incrowd.recoding import Recoding
from incrowd.search.refusals import infeasible, nothing_found
from incrowd.search.repair import mended
from incrowd.search.search import Found
from incrowd.search.world.levels import betrays, by_levels
from incrowd.search.world.partition import by_partition
from incrowd.search.world.staged import by_stages
from incrowd.values import STRICT
from incrowd.watch import Watch


@dataclass(frozen=True, config=STRICT)
class AgainstWorld:
    """The least loss such that every class fits enough individuals of a world.

    Four ways are tried: the release that would be made without a world; classes of the world's
    people, of which those in the table show theirs; classes of one record where the world has
    enough people, else of two, of three and so on; and one level per column.

    >>> AgainstWorld().name
    'world'
    """

    name: Literal["world"] = field(default="world", kw_only=True)

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Try every way and take the least loss; every class satisfies every model.

        Where there is no world, or no model asks about it, this is `auto`.
        """
        infeasible(problem)
        if problem.world is None or not any(map(of_world, problem.models)):
            return _without(problem, problem.models, watch)
        tried = self._tried(problem, watch)
        if not tried:
            raise nothing_found(problem)
        best = min(tried, key=lambda trial: trial.loss)
        rest = ", ".join(f"{one.title} {one.loss:.4f}" for one in tried if one is not best)
        why = f"{best.title} loses least against the world: {problem.loss.name} {best.loss:.4f}"
        facts = {"classes": float(best.classes), **{one.title: one.loss for one in tried}}
        return Found(best.recoding, self.name, why=f"{why} ({rest})" if rest else why, facts=facts)

    def _tried(self, problem: Problem, watch: Watch) -> list["_Trial"]:
        ways: list[tuple[str, Callable[[Problem, Watch], Recoding | None]]] = [
            ("as without a world", _as_without),
            ("classes of the world", by_partition),
            ("stage by stage", by_stages),
        ]
        tried: list[_Trial] = []
        for number, (title, way) in enumerate(ways):
            if tried and watch.expired:
                break
            watch.tell("holding classes against the world", number / (len(ways) + 1))
            try:
                tried += _trial(problem, title, way(problem, watch))
            except (InfeasibleError, LimitError):
                continue
        bar = min((trial.loss for trial in tried), default=float("inf"))
        return tried + _trial(problem, "one level per column", by_levels(problem, watch, bar))


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
    from incrowd.search.auto import Auto  # noqa: PLC0415  it hands problems with a world to us

    return Auto().run(replace(problem, models=models, world=None), watch)


def _as_without(problem: Problem, watch: Watch) -> Recoding:
    """What is found with k-anonymity in place of k-map; classes that fail the world join others.

    If everybody in the table is in the world, no class of k people fails k-map.
    """
    asked = [int(getattr(model, "k", 0)) for model in problem.models if of_world(model)]
    others = tuple(model for model in problem.models if not of_world(model))
    k = max(asked, default=0)
    models = (*others, KAnonymity(max(k, 2)))
    found = _without(problem, models, watch).recoding
    if problem.satisfied(problem.outcome(found).classes).all():
        return found
    return mended(problem, found.pieces)
