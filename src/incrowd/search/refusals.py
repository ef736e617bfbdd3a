"""Refusals: what is proved to be impossible, and what a search merely did not find.

A proof holds for every release of the table, by whatever search: every way to divide the records
into classes and to leave out as many as may be. What a search did not find proves nothing.

Where each record is a person and missing values match nothing but each other, classes that satisfy
a monotone model satisfy it together. So the records that stay satisfy it as one class, and the most
people of the table that can be in such a class (`most_kept`) tell how many must be left out. Where
people have several records, or missing values match anything, people count in several classes, and
only two things are sure: nobody can be in a crowd of more people, or of more different values, than
the table has. If missing values match nothing, there is a third: classes together count at most one
person a record, and every holder of a value at least once.
"""

from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import MISSING
from incrowd.errors import InfeasibleError, LimitError, count_of
from incrowd.models.model import Model, candidates_of
from incrowd.partition.classes import Classes, classes_of
from incrowd.problem import Problem
from incrowd.search.lattice.full_domain import allowed_levels
from incrowd.table.column import Missing
from incrowd.watch import Watch

MORE_TIME = "raise the time limit, or leave it out: then a search runs until it has an answer"
"""What helps if a time limit that somebody gave ended too early."""
THIS_SEARCH = "this search"
"""The name of a search in messages, unless it is `auto`."""
_SLACK = 1e-9
_OTHER_SEARCH = 'use search = "auto", which tries several'


def raise_if_infeasible(problem: Problem) -> None:
    """Raise `InfeasibleError` if a pass over the table proves that no release keeps the policy."""
    if not problem.tally.rows:
        raise InfeasibleError(
            "the table has no record to release", remedy="give a table with records", proved=True
        )
    whole = as_one_class(problem)
    for model in problem.models:
        if (limit := _shortfall(problem, model, whole)) is not None:
            raise _impossible_error(problem, model, whole, limit)
    if each_counts_once(problem):
        _refuse_jointly(problem, whole)


def raise_if_out_of_time(watch: Watch, event: str = "the search began") -> None:
    """Raise `LimitError` if a time limit that somebody gave ended before `event`, a clause."""
    if watch.must_stop:
        raise LimitError(f"the time limit ended before {event}", remedy=MORE_TIME)


def each_counts_once(problem: Problem) -> bool:
    """Whether nobody counts in two classes: what satisfies a monotone model does so joined, too."""
    tally = problem.tally
    one_record = not tally.has_units or (
        not len(tally.shared_row) and bool((tally.people == tally.counts).all())
    )
    return one_record and not gaps_match(problem)


def gaps_match(problem: Problem) -> bool:
    """Whether the table has missing values that match anything by the policy."""
    anything = problem.missing is Missing.MATCHES_ANYTHING
    return anything and bool((problem.tally.quasi == MISSING).any())


def as_one_class(problem: Problem) -> Classes:
    """The table as one class, which everybody of the world fits, if there is one."""
    class_of = np.zeros(problem.tally.rows, dtype=np.int32)
    whole = classes_of(problem.tally, class_of, 1, problem.sensitive)
    if problem.world is None:
        return whole
    return replace(whole, world=np.array([problem.world.people], dtype=np.int64))


def nothing_found(problem: Problem, search: str = THIS_SEARCH) -> InfeasibleError:
    """The error of a search that found nothing, where others may find something."""
    return InfeasibleError(
        f"{search} found no classes that satisfy all models and leave out at most "
        f"{count_of(problem.suppressible, 'record')}; this does not prove that none "
        f"exist{_explain_as_one(problem)}",
        remedy=_advice(problem, _OTHER_SEARCH if search == THIS_SEARCH else ""),
        proved=False,
    )


def no_levels_error(problem: Problem) -> InfeasibleError:
    """The error of a search that looked at all level vectors and found none to release.

    Where missing values match anything and models are not absorbing, leaving out one class may mend
    or break another, and not all ways were tried: then the error is that of `nothing_found`.
    """
    if gaps_match(problem) and not problem.absorbing:
        return nothing_found(problem)
    return InfeasibleError(
        "no full-domain generalization satisfies all models and leaves out at most "
        f"{count_of(problem.suppressible, 'record')} in whole classes; local recoding may "
        f"work{_explain_as_one(problem)}",
        remedy=_advice(problem, _OTHER_SEARCH),
        proved=False,
    )


@dataclass(frozen=True)
class _Shortfall:
    """Why a model is impossible."""

    left_out: int | None = None
    """The least number of records to leave out; None if leaving out records does not help."""
    values: int = 0
    """How many different values the column has, if these are too few; else 0."""


def _shortfall(problem: Problem, model: Model, whole: Classes) -> _Shortfall | None:
    """Why no release satisfies a model; None if that is not proved."""
    if _lacks_people(model, whole):
        return _Shortfall()
    if not model.columns:
        fails = model.monotone and model.absorbing and not model.satisfied_by(whole).all()
        return _Shortfall() if fails else None
    if each_counts_once(problem):
        must = _least_left_out(model, whole)
        if must is None or must > problem.suppressible:
            return _Shortfall(must)
    else:
        if _count_held_values(model, whole) < model.distinct_values():
            return _Shortfall(values=_count_held_values(model, whole))
        must = (
            0 if gaps_match(problem) else _least_left_out_of_people(model, model.columns[0], whole)
        )
        if must is None or must > problem.suppressible:
            return _Shortfall(must)
    return None


def _least_left_out_of_people(model: Model, column: str, whole: Classes) -> int | None:
    """The fewest records to leave out if people may count in several classes; None for all.

    No class may hold more than a share of its people by one value. Over all classes, people are
    counted at most once per record, and each holder of a value at least once. So if every value
    keeps at most c holders, c is at most that share of the records that stay.
    """
    share = model.share_limits(column).most
    held = np.sort(whole.histograms[column].count)
    most = int(held[-1])
    caps = np.arange(most, 0, -1)
    beyond = len(held) - np.searchsorted(held, caps, side="right")
    gone = np.cumsum(beyond)
    fits = caps * share.denominator <= (int(whole.records[0]) - gone) * share.numerator
    return int(gone[np.argmax(fits)]) if fits.any() else None


def _least_left_out(model: Model, whole: Classes) -> int | None:
    """The fewest people to leave out for a model, 0 if none or unknown, None if all of them."""
    if not model.monotone or not model.columns:
        return 0
    if model.satisfied_by(whole).all():
        return 0
    most = int(model.most_kept(whole)[0])
    return max(int(whole.people[0]) - most, 1) if most else None


def _refuse_jointly(problem: Problem, whole: Classes) -> None:
    """Raise `InfeasibleError` if a model lets fewer people stay than another needs in a class."""
    asked = max(problem.models, key=lambda model: model.smallest_class(), default=None)
    if asked is None:
        return
    smallest = asked.smallest_class()
    for model in problem.models:
        must = _least_left_out(model, whole)
        stay = int(whole.people[0]) - (must or 0)
        if stay < smallest:
            raise InfeasibleError(
                f"{asked.name} needs classes of {smallest:,} people, but {_title(model)} lets "
                f"at most {stay:,} of {int(whole.people[0]):,} stay",
                remedy="relax one of the two models",
                proved=True,
            )


def _people_needed(model: Model, whole: Classes) -> tuple[str, int, int]:
    """Where a model counts people (table or world), how many a class needs, how many there are."""
    if "world" in model.requires:
        people = int(candidates_of(whole, model.name).sum())
        return "world", model.smallest_candidate_set(), people
    return "table", model.smallest_class(), int(whole.people.sum())


def _lacks_people(model: Model, whole: Classes) -> bool:
    """Whether table or world have fewer people than the model asks for in one class."""
    _, needed, people = _people_needed(model, whole)
    return needed > people


def _count_held_values(model: Model, whole: Classes) -> int:
    """How many different values of a model's column somebody holds."""
    held = whole.histograms.get(model.columns[0]) if model.columns else None
    return 0 if held is None else int((held.count > 0).sum())


def _title(model: Model) -> str:
    """The name of a model and of its column, for messages."""
    return model.name + (f" of {model.columns[0]!r}" if model.columns else "")


def _impossible_error(
    problem: Problem, model: Model, whole: Classes, limit: _Shortfall
) -> InfeasibleError:
    """The error that says why a model is impossible and what to ask for instead."""
    if _lacks_people(model, whole):
        return _too_few_people_error(model, whole)
    if limit.values:
        return _too_few_values_error(model, limit.values)
    why = f"the policy asks for {model.threshold:g}"
    remedy = "ask for less"
    if each_counts_once(problem):
        best, remedy = _nearest_threshold(model, whole)
        why += f", but the whole table allows {best:g}"
    if _count_held_values(model, whole) == 1:
        why += ": the column has only one value"
        remedy = "remove the model; drop the column too if nobody may learn its value"
    elif limit.left_out is not None:
        records = count_of(limit.left_out, "record")
        share = np.ceil(limit.left_out / problem.tally.records * 1e4 - _SLACK) / 1e4
        if problem.suppressible or not each_counts_once(problem):
            why += f", and at least {records} must be left out, but only "
            why += f"{problem.suppressible:,} may be"
        remedy += f", or raise suppression to {share:g} (at least {records})"
    return InfeasibleError(f"{_title(model)} is impossible: {why}", remedy=remedy, proved=True)


def _too_few_values_error(model: Model, values: int) -> InfeasibleError:
    best = f"at most {values}" if model.higher_is_safer else f"at least 1/{values}"
    return InfeasibleError(
        f"{_title(model)} is impossible: the policy asks for {model.threshold:g}, but the "
        f"column has {count_of(values, 'different value')}",
        remedy="leave it out" if values < 2 else f"ask for {best}",
        proved=True,
    )


def _too_few_people_error(model: Model, whole: Classes) -> InfeasibleError:
    what, k, people = _people_needed(model, whole)
    few = f"give a {what} with more people" if people < 2 else f"ask for k of at most {people:,}"
    return InfeasibleError(
        f"{_title(model)} needs classes of {k:,} people, but the {what} has {people:,}",
        remedy=few,
        proved=True,
    )


def _nearest_threshold(model: Model, whole: Classes) -> tuple[float, str]:
    """The best possible value, rounded to the side that can be reached, and a remedy with it."""
    possible = model.possible(whole)
    if not model.higher_is_safer:
        limit = max(float(np.ceil(possible * 1000 - _SLACK) / 1000), 0.0)
        return limit, f"ask for at least {limit:g}" if limit < 1 else "leave it out"
    limit = float(np.floor(possible * 1000 + _SLACK) / 1000)
    return limit, f"ask for at most {limit:g}" if limit >= 1 else "leave it out"


def _explain_as_one(problem: Problem) -> str:
    """A sentence on the first model that the table as one class fails; empty if there is none."""
    whole = as_one_class(problem)
    for model in problem.models:
        if not model.satisfied_by(whole).all():
            reached = model.possible(whole)
            return (
                f" ({_title(model)} asks for {model.threshold:g}, the whole table as one class "
                f"achieves {reached:.4g})"
            )
    return ""


def _advice(problem: Problem, first: str) -> str:
    """What to change where nothing was found; begins with `first` unless there is a world."""
    limited = [
        repr(column.name)
        for column in problem.columns
        if allowed_levels(column)[-1] < column.hierarchy.height
    ]
    first = "" if problem.world is not None else first
    parts = [first, "raise suppression", "relax one of the models"]
    if limited:
        parts.append(f"allow higher levels or wider spans of {', '.join(limited)}")
    *others, last = [part for part in parts if part]
    return f"{', '.join(others)}, or {last}"
