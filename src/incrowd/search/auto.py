"""The search that gives the lowest loss in the time there is."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass as plain
from dataclasses import field, replace
from math import prod
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from incrowd.errors import InfeasibleError, LimitError
from incrowd.models.model import Requirement
from incrowd.problem import Problem
from incrowd.search.crowd.crowd import Crowd
from incrowd.search.divisions import best_division, is_tiny
from incrowd.search.lattice.full_domain import readable_number
from incrowd.search.lattice.lattice import BestFirst, Lattice
from incrowd.search.literature.diversify.diversify import Diversify
from incrowd.search.literature.top_down import TopDown
from incrowd.search.mondrian import Mondrian
from incrowd.search.refusals import as_one_class, nothing_found, raise_if_infeasible
from incrowd.search.repair import crowds_are_safe
from incrowd.search.search import FROM_TABLE, Found, Recodes, Search
from incrowd.search.world.world import AgainstWorld
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

Run: TypeAlias = Callable[[Problem, Watch], Found]

_KINDS = {"lattice": "full-domain generalization"}
"""What a search makes, by its title, if that is no local recoding."""
_CELL, _VECTOR = 2e-9, 1e-4
"""Seconds, about, to count a level vector: per cell of the table, and besides for any table."""
_ENOUGH = 30.0
"""Estimated seconds that full-domain generalization may take at effort 1."""
_MOST = 10**30
"""More level vectors than this count as this many: no effort is enough for them."""
_SHARE_COUNTED = 0.01
"""A hundredth of the lattice is counted, by experience, if models rule out nodes; else all."""


@dataclass(frozen=True, config=STRICT)
class Auto(Search):
    """Local recoding and full-domain generalization, whichever loses less.

    Crowd comes first because it rarely loses more: among its starts are the classes of most other
    searches, diversify's along every mapping included. The lattice then looks only for levels that
    lose less than what was found, which it often rules out at once. Where the loss is no mean of
    what cells cost, Mondrian is tried too: crowd makes the cost of cells small. Where a sensitive
    value is too common for the models, so is diversify, which does best where hardly any classes
    will do. If these find no classes at all, other searches are tried before it gives up:
    diversify, Mondrian, top-down, every division of a tiny table, and the lattice.

    `effort` multiplies what crowd and the lattice may do. It is counted in steps, so that the
    answer is the same on a slow machine; a time limit may end them early.

    >>> Auto().name
    'auto'
    """

    effort: Annotated[float, Field(ge=0, le=1000)] = 1.0
    name: Literal["auto"] = field(default="auto", kw_only=True)
    recoding: ClassVar[Recodes] = "any"
    provides: ClassVar[frozenset[Requirement]] = FROM_TABLE | {"world"}

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Take the least loss of what fits in the time; with a world what `AgainstWorld` finds."""
        if problem.world is not None:
            return AgainstWorld().run(problem, watch)
        raise_if_infeasible(problem)
        tried = self._try_local(problem, watch) or _try_last_resorts(problem, watch)
        if not tried:
            return _run_full_domain(problem, watch)
        best = min(tried, key=lambda trial: trial.loss)
        better, said = _try_lattice(problem, watch, best.loss, self.effort)
        first = better or best
        return _explain_choice(problem, [first, *(one for one in tried if one is not first)], said)

    @property
    def by_parts(self) -> Search:
        """Crowd: losses of parts add up, and the lattice needs the table as a whole."""
        return Crowd(effort=self.effort)

    def _try_local(self, problem: Problem, watch: Watch) -> list["_Trial"]:
        """Trials of the searches that find classes; `LimitError` if the time is up without one."""
        searches: list[tuple[str, Search]] = [("crowd", Crowd(effort=self.effort))]
        if not problem.loss.per_cell:
            searches += [("mondrian", Mondrian()), ("relaxed mondrian", Mondrian(relaxed=True))]
        if problem.suppressible and not problem.satisfied_by(as_one_class(problem)).all():
            searches.append(("diversify", Diversify()))
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
            trials += _allowed_trial(problem, title, found)
        return trials


@plain(frozen=True, eq=False)
class _Trial:
    """What a search found, its title in messages, and its loss."""

    title: str
    found: Found
    loss: float


def _try_last_resorts(problem: Problem, watch: Watch) -> list[_Trial]:
    """Run other searches where those that come first find nothing; return the trials allowed."""
    trials: list[_Trial] = []
    for title, run in _other_searches(problem):
        with suppress(InfeasibleError, LimitError):
            trials += _allowed_trial(problem, title, run(problem, watch))
    return trials


def _other_searches(problem: Problem) -> list[tuple[str, Run]]:
    """The searches, each with its title, that may find something where crowd does not."""
    runs: list[tuple[str, Run]] = [
        ("diversify", Diversify().run),
        ("mondrian", Mondrian().run),
        ("top-down", TopDown().run),
    ]
    return [*runs, ("every division", best_division)] if is_tiny(problem) else runs


def _run_full_domain(problem: Problem, watch: Watch) -> Found:
    """What the lattice finds after all else fails; `InfeasibleError` or `LimitError` if nothing."""
    titles = ["crowd", *(title for title, _ in _other_searches(problem))]
    try:
        found = Lattice().run(problem, watch)
    except InfeasibleError:
        raise nothing_found(problem, f"auto ({', '.join([*titles, 'lattice'])})") from None
    why = f"{found.why}; local recoding ({', '.join(titles)}) found no solution"
    return replace(found, why=why)


def _allowed_trial(problem: Problem, title: str, found: Found) -> list[_Trial]:
    """A list of the trial, empty if it breaks the policy, which searches do not always notice."""
    outcome = problem.outcome(found.recoding)
    if outcome.suppressed > problem.suppressible or not crowds_are_safe(problem, outcome):
        return []
    return [_Trial(title, found, problem.loss.of(outcome))]


def _try_lattice(
    problem: Problem, watch: Watch, bar: float, effort: float
) -> tuple[_Trial | None, str]:
    """A full-domain generalization that loses less than `bar`, or None; a phrase on the search."""
    nodes = prod(column.hierarchy.levels - column.lowest for column in problem.columns)
    skipped = f"full-domain generalization ({readable_number(nodes)} level vectors)"
    if watch.expired:
        return None, f"{skipped} got no time"
    each = _CELL * problem.tally.rows * len(problem.columns) + _VECTOR
    share = _SHARE_COUNTED if problem.monotone else 1.0
    if share * min(nodes, _MOST) * each > _ENOUGH * effort:
        return None, f"{skipped} takes more than this effort"
    try:
        quest = BestFirst(problem, watch, bar, _ENOUGH * effort / each)
    except InfeasibleError:
        return None, "the limits of columns leave no level for full-domain generalization"
    quest.seek()
    if quest.has_found:
        found = quest.result()
        lost = problem.loss.of(problem.outcome(found.recoding))
        return _Trial("lattice", found, lost), quest.examined_in_words
    if quest.proved:
        return None, f"full-domain generalization loses no less ({quest.examined_in_words})"
    limit = "the time limit" if watch.expired else "this effort"
    looked = quest.examined_in_words
    return None, f"full-domain generalization found nothing better within {limit} ({looked})"


def _explain_choice(problem: Problem, trials: list[_Trial], said: str) -> Found:
    """The first trial's result, with a sentence on the others; `said` is that on the lattice."""
    first, *others = trials
    made = _KINDS.get(first.title, "local recoding")
    rest = "".join(f", {trial.title} {trial.loss:.4f}" for trial in others)
    more = ", a higher effort may lose less" if first.found.facts.get("ended by effort") else ""
    why = (
        f"used {made} ({first.title}): {problem.loss.name} {first.loss:.4f}, the lowest of "
        f"those tried{rest and f' ({rest[2:]})'}; {said}; other searches were not tried{more}"
    )
    return replace(first.found, why=why)
