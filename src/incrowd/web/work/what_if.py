"""What a policy would mean for a table: risk and loss, at once or after a search."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from incrowd.errors import IncrowdError, InfeasibleError, LimitError
from incrowd.loss import Gcp
from incrowd.models.model import counts_world_people
from incrowd.pipeline import search as run_search
from incrowd.policy import codec
from incrowd.policy.policy import IMPROVING, Policy
from incrowd.problem import Problem
from incrowd.recoding import Outcome, Recoding
from incrowd.release.load import LoadedTable, RunContext
from incrowd.search.compared import drop_compared_models
from incrowd.search.quick import quick_search
from incrowd.search.refusals import raise_if_infeasible
from incrowd.search.requirements import raise_if_unprovided
from incrowd.search.world.world import overlaps_betray
from incrowd.watch import NestedWatch, Watch
from incrowd.web import edits, facts, jobs
from incrowd.web.work.state import LoadedQuestion, Sizes, Tell, WorkerState
from incrowd.withholding import public_count

QUICK = 0.25
"""Seconds that a quick search may take per 100,000 records, and for smaller tables."""
BUDGET = 1.5
"""Seconds for coding, counting and a quick search of a large table."""


@dataclass(frozen=True, eq=False)
class AskedRecoding:
    """A recoding of the table, how it was found, and whether a longer search may lose less."""

    recoding: Recoding
    how: str
    quick: bool


def answer_quickly(
    state: WorkerState, job: jobs.AskWhatIf, tell: Tell
) -> facts.WhatIf | facts.Unanswered:
    """Compute figures for the classes of a quick search; `Unanswered` if its time ends before."""
    watch = Watch(tell=tell)
    policy = Policy.loads(job.policy)
    question = state.load_question(job.table, policy, job.world)
    raise_if_unprovided(policy.models, policy.search)
    recoded = _recode_quickly(question.loaded, watch)
    if recoded is None:
        before = _class_facts(question.before)
        return facts.Unanswered(before=before, why="the table is too large for a quick answer")
    return figures_of(question, recoded, watch)


def search_policy(state: WorkerState, job: jobs.SearchPolicy, tell: Tell) -> facts.WhatIf:
    """Run the policy's own search and compute its figures."""
    watch = Watch(tell=tell)
    return _run_search(state, job, Policy.loads(job.policy), watch)


def explore(state: WorkerState, job: jobs.Explore, tell: Tell) -> tuple[facts.TriedRelease, ...]:
    """Try several releases, one after the other; tell each as soon as it has been tried."""
    points: list[facts.TriedRelease] = []
    grid = list(_releases_to_try(job))
    for tried in grid:
        tell(tried.name, len(points) / len(grid))
        watch = NestedWatch(Watch(tell=tell), job.seconds)
        points.append(_try_release(state, job, tried, watch))
        tell(tried.name, len(points) / len(grid), points[-1])
    return tuple(points)


def _releases_to_try(job: jobs.Explore) -> Iterator[facts.TriedRelease]:
    """Yield a release without an answer for each search, limit and k; all else is the policy's."""
    for method, suppression, k in product(job.searches, job.suppressions, job.ks):
        name = f"{method}, k = {k}, at most {suppression:.0%} left out".replace("%", " %")
        text = codec.edit(job.policy, {"search": method, "suppression": suppression})
        yield facts.TriedRelease(
            name=name,
            search=method,
            policy=edits.with_k(text, k),
            answer=None,
            k=k,
            suppression=suppression,
        )


def _try_release(
    state: WorkerState, job: jobs.Explore, tried: facts.TriedRelease, watch: Watch
) -> facts.TriedRelease:
    """Search for one release; if that fails, say why, and whether there is proved to be none."""
    try:
        answer = _run_search(state, job, Policy.loads(tried.policy), watch)
    except IncrowdError as error:
        impossible = isinstance(error, InfeasibleError) and error.proved is True
        return replace(tried, why=error.message, impossible=impossible)
    return replace(tried, answer=answer)


def _run_search(
    state: WorkerState, job: jobs.SearchPolicy | jobs.Explore, policy: Policy, watch: Watch
) -> facts.WhatIf:
    """Run the search of this policy and compute its figures: a bound if a time limit ended it."""
    question = state.load_question(job.table, policy, job.world)
    begun = watch.elapsed
    result = run_search(question.loaded, RunContext(watch=watch))
    late = watch.expired or watch.elapsed - begun >= (policy.time_limit or IMPROVING)
    stopped = late and not result.optimal
    return figures_of(question, AskedRecoding(result.recoding, result.why, quick=stopped), watch)


def _recode_quickly(table: LoadedTable, watch: Watch) -> AskedRecoding | None:
    """Recode by a quick search: by full-domain levels if the policy's search makes those.

    The classes satisfy every model. None if the time ends before a recoding is found;
    `InfeasibleError` if there is none.
    """
    policy, problem = table.policy, table.compiled.problem
    raise_if_infeasible(drop_compared_models(problem))
    long = max(problem.tally.records / 100_000, 1.0) * QUICK
    soon = NestedWatch(watch, min(long, max(BUDGET - watch.elapsed, QUICK)))
    try:
        result = quick_search(policy.search, problem).run(problem, soon)
    except (LimitError, InfeasibleError) as error:
        if isinstance(error, InfeasibleError) and (problem.world is None or not soon.expired):
            raise
        return None
    if policy.search.recoding == "levels":
        return AskedRecoding(result.recoding, result.why, quick=not result.optimal)
    less = "usually loses" if problem.world is None else "may lose"
    how = f"{result.why}; a full search {less} less"
    return AskedRecoding(policy.shown.recoding(result.recoding), how, quick=True)


def figures_of(question: LoadedQuestion, recoded: AskedRecoding, watch: Watch) -> facts.WhatIf:
    """Compute what a recoding means for the people in the table, and what it loses."""
    table, problem = question.loaded, question.loaded.compiled.problem
    outcome = problem.outcome(recoded.recoding)
    missing = table.compiled.left_out_missing
    return facts.WhatIf(
        before=_class_facts(question.before),
        after=_class_facts(Sizes(outcome.classes.records, outcome.classes.people)),
        suppressed=public_count(outcome.suppressed + missing),
        why_refused=_why_refused(problem, outcome),
        loss_name=problem.loss.name,
        loss=problem.loss.of(outcome),
        by_column=_loss_by_column(problem, outcome),
        quick=recoded.quick,
        how=recoded.how,
        seconds=watch.elapsed,
        world=_world_risk(table.policy, outcome),
    )


def _why_refused(problem: Problem, outcome: Outcome) -> str | None:
    """Why these classes may not be released, in words; None if they may."""
    if len(outcome.classes) == 0:
        return "no record is left"
    if outcome.suppressed > problem.suppressible:
        return "more records are left out than the policy allows"
    if overlaps_betray(problem, outcome):
        return "overlapping classes together tell too surely who is in the table"
    return None


def _world_risk(policy: Policy, outcome: Outcome) -> facts.WorldRisk | None:
    """How easily somebody of the world is found; None if no model counts the world's people."""
    people = outcome.classes.world
    if people is None or not any(map(counts_world_people, policy.models)):
        return None
    fewest = int(people.min(initial=people.max(initial=0)))
    shares = outcome.classes.people / np.maximum(people, 1)
    crowds = policy.smallest_class
    return facts.WorldRisk(
        people=fewest,
        highest=1 / max(fewest, 1) if len(people) else 0.0,
        presence=min(1.0, float(shares.max(initial=0.0))),
        instead=crowds < 2 <= max(model.smallest_candidate_set() for model in policy.models),
    )


def _class_facts(sizes: Sizes) -> facts.ClassFacts:
    """Compute the figures of classes; a risk is 1 over the people of the class."""
    records, people = sizes.records, np.maximum(sizes.people, 1)
    smallest = int(sizes.people.min()) if len(people) else 0
    return facts.ClassFacts(
        k=smallest,
        classes=len(people),
        highest=1 / max(smallest, 1) if len(people) else 0.0,
        average=float((records / people).sum() / max(int(records.sum()), 1)),
        uniques=public_count(int(records[sizes.people == 1].sum())),
    )


def _loss_by_column(problem: Problem, outcome: Outcome) -> dict[str, float]:
    """The share of each column that is lost, 0..1; a record left out loses all of it."""
    if outcome.exact:
        return {column.name: 0.0 for column in problem.columns}
    paid = (Gcp().totals(outcome) + outcome.suppressed) / max(outcome.records, 1)
    names = (column.name for column in problem.columns)
    return dict(zip(names, map(float, paid), strict=True))
