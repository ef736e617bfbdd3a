"""Models that compare classes with the release: a release is known only once somebody is left out.

t-closeness compares each class with all records of the release (Li Section 3: what everybody may
know of the sensitive column is how it is spread in the table that is released). A search needs
something fixed to compare with, so it compares with all records that may leave, and then with what
it released: if a class is too far from that, it runs again against that spread, with a threshold
that is stricter by as much. Where nothing may be left out, both are the same and it runs once.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from incrowd.errors import InfeasibleError
from incrowd.models.model import Model
from incrowd.partition.classes import Histogram, SensitiveColumn, classes_of
from incrowd.problem import Problem
from incrowd.recoding import Outcome
from incrowd.search.refusals import nothing_found
from incrowd.search.repair import judged_classes
from incrowd.search.search import Found
from incrowd.watch import NestedWatch, Watch

_TRIES = 5
"""How often a search runs against its last release before it must leave nobody out."""
_NEAR = 1e-9

Run = Callable[[Problem, Watch], Found]


def compares_with_release(model: Model) -> bool:
    """Whether a model compares classes with all records of the release."""
    return "reference" in model.requires


def depends_on_left_out(problem: Problem) -> bool:
    """Whether a model compares with a release that may leave out records."""
    return problem.suppressible > 0 and any(map(compares_with_release, problem.models))


def drop_compared_models(problem: Problem) -> Problem:
    """The problem without models that compare with a release, if that may leave out records."""
    if not depends_on_left_out(problem):
        return problem
    return replace(problem, models=tuple(m for m in problem.models if not compares_with_release(m)))


def run_against_release(problem: Problem, run: Run, watch: Watch) -> Found:
    """Search until classes satisfy their models compared with the release itself.

    Each run gets half of the time that is left. If none of them will do, a last one, with all that
    is left, may leave nobody out; `InfeasibleError` if it finds nothing either.
    """
    if not depends_on_left_out(problem):
        return run(problem, watch)
    asked = _run_first(problem, run, watch)
    for _ in range(_TRIES):
        if asked is None:
            break
        found, tried = asked
        outcome = problem.outcome(found.recoding)
        over = _excess(problem, outcome)
        if max(over) <= _NEAR:
            return _mark_unproved(found)
        asked = _run_again(_stricter_problem(tried, over, spread_of(problem, outcome)), run, watch)
    return _run_without_suppression(problem, run, watch)


def spread_of(problem: Problem, outcome: Outcome) -> tuple[SensitiveColumn, ...]:
    """The sensitive columns, their values counted among the records that an outcome keeps."""
    assert outcome.tally is not None  # noqa: S101  it was made of a tally
    assert outcome.class_of is not None  # noqa: S101  as above
    kept = np.where(outcome.class_of >= 0, 0, -1).astype(np.int32)
    whole = classes_of(outcome.tally, kept, 1, problem.sensitive)
    return tuple(_column_of_kept(whole.histograms[column.name]) for column in problem.sensitive)


def _column_of_kept(held: Histogram) -> SensitiveColumn:
    """The sensitive column of a histogram with one class, whose people are now its whole."""
    people = np.zeros(len(held.column.whole), dtype=np.int64)
    people[held.code] = held.count
    return replace(held.column, whole=people)


def _run_first(problem: Problem, run: Run, watch: Watch) -> tuple[Found, Problem] | None:
    """Run once; if nothing satisfies all models, without those that compare with the release.

    Return what was found, and the problem with all models. None if nothing was found and all models
    compare; `InfeasibleError` if the others fail too.
    """
    found = _run_again(problem, run, watch)
    if found is not None:
        return found
    plain = drop_compared_models(problem)
    if not plain.models:
        return None
    return run(plain, _half_watch(watch)), problem


def _run_again(problem: Problem, run: Run, watch: Watch) -> tuple[Found, Problem] | None:
    """Run with half of the time left; return what was found and the problem, None if nothing."""
    try:
        return run(problem, _half_watch(watch)), problem
    except InfeasibleError:
        return None


def _half_watch(watch: Watch) -> Watch:
    """A watch with half of the time that is left, without a limit if there is none."""
    left = watch.remaining
    return NestedWatch(watch, None if left is None else left / 2)


def _excess(problem: Problem, outcome: Outcome) -> list[float]:
    """By model, how far the worst class is beyond its limit; 0 if it compares with no release."""
    own = replace(problem, sensitive=spread_of(problem, outcome))
    named = {column.name: column for column in own.sensitive}
    classes = judged_classes(own, outcome)
    histograms = {
        name: replace(held, column=named[name]) for name, held in classes.histograms.items()
    }
    classes = replace(classes, histograms=histograms)
    return [
        max(model.achieved_by(classes) - model.threshold, 0.0)
        if compares_with_release(model)
        else 0.0
        for model in problem.models
    ]


def _stricter_problem(
    tried: Problem, over: list[float], spread: tuple[SensitiveColumn, ...]
) -> Problem:
    """The problem compared with the last release (`spread`), each model stricter by `over`."""
    pairs = zip(tried.models, over, strict=True)
    models = tuple(model.make_stricter(by) if by else model for model, by in pairs)
    return replace(tried, models=models, sensitive=spread)


def _run_without_suppression(problem: Problem, run: Run, watch: Watch) -> Found:
    """Search so that all records are released; `InfeasibleError` if nothing is found."""
    try:
        return _mark_unproved(run(replace(problem, suppression=0.0), watch))
    except InfeasibleError:
        raise nothing_found(problem) from None


def _mark_unproved(found: Found) -> Found:
    """The result marked as not proved: a proof holds for one spread, others were possible."""
    why = f"{found.why}; compared with how sensitive values are spread in this release alone"
    return replace(found, optimal=False, why=why)
