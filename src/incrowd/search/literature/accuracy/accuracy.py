"""The dual problem: the most privacy for a given accuracy (Ghinita Sections 5 and 6.3).

No class may lose more than a bound; the search makes the least private class as private as it can.
The models of the policy are floors that hold whatever the bound.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass as plain
from dataclasses import field, replace
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, assert_never

import numpy as np
from pydantic import Field

from incrowd.arrays import SUPPRESSED, Codes
from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.kernels import repair
from incrowd.kernels.boxes import FORBIDDEN
from incrowd.loss.extent import IlInf
from incrowd.loss.ncp import Gcp, ncp_of_classes
from incrowd.models.k_anonymity import KAnonymity
from incrowd.models.l_diversity import LDiversity
from incrowd.problem import Problem
from incrowd.recoding import Outcome, Pieces, Spans
from incrowd.search.lattice.full_domain import renumbered
from incrowd.search.layout import boxes_of
from incrowd.search.literature.accuracy import methods
from incrowd.search.literature.diversify.diversify import Diversify, MappingName
from incrowd.search.literature.top_down import TopDown
from incrowd.search.literature.tree import TreeSearch
from incrowd.search.mondrian import Mondrian
from incrowd.search.refusals import nothing_found, raise_if_infeasible
from incrowd.search.repair import folded, merge_failing_classes
from incrowd.search.search import Found, Search
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.search.literature.accuracy.methods import BoundedProblem

Method = Literal["ac", "ipcsd-mondrian", "ipcsd-direct", "optimal"]
_SLACK = 1e-9
"""Costs are sums of fractions."""
_DIGITS = 10_000
_HALVINGS = 7
"""How often the way to a bound that works is halved before it is named."""


@dataclass(frozen=True, config=STRICT)
class Accuracy(Search):
    """The most privacy with no class losing more than `max_loss`, a share (NCP) from 0 to 1.

    Limits of columns (how high, how wide) hold as well. Privacy is `k`, the records of the smallest
    class, or `l`, the least over classes of records over those of their commonest value in a
    sensitive `column` (the first if not named); l may be a fraction. Methods: `ac`, Ghinita's
    heuristic along a `mapping`, with help for the least private class after it; `ipcsd-mondrian`
    and `ipcsd-direct`, Mondrian or the direct heuristic again and again with more or less
    privacy; `optimal`, the best of all for one quasi-identifying column of a small table.

    If people have several records or equal records must show the same, `ac` is `ipcsd-mondrian`.

    >>> Accuracy(max_loss=0.2, privacy="l").name
    'accuracy'
    """

    max_loss: Annotated[float, Field(ge=0, le=1)] = 0.4
    privacy: Literal["k", "l"] = "k"
    method: Method = "ac"
    column: str | None = None
    mapping: MappingName = "kd-tree"
    name: Literal["accuracy"] = field(default="accuracy", kw_only=True)
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    @property
    def largest_class_loss(self) -> float:
        """The bound that every class keeps."""
        return self.max_loss

    def protects(self, sensitive: tuple[str, ...]) -> tuple[str, ...]:
        """With privacy `l`, its column."""
        if self.privacy != "l":
            return ()
        return sensitive[:1] if self.column is None else (self.column,)

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Look for the most privacy within the bound."""
        raise_if_infeasible(problem)
        if watch.expired:
            raise LimitError(
                "the time limit ended before the search began", remedy="raise the time limit"
            )
        sensitive = _sensitive(problem, self.column, self.privacy)
        _refuse_one_value(problem, sensitive)
        quest = methods.BoundedProblem(problem, self.max_loss + _SLACK, sensitive, self.mapping)
        watch.tell("looking for the most privacy", 0.0)
        answer = _answered(quest, self.method, watch)
        if answer is None:
            answer = _fallback(quest, self.method, watch)
        return _found(self, problem, answer)


def accuracy_of(search: Search, privacy: Literal["k", "l"]) -> Accuracy:
    """The search itself if it is this one, else this one for a kind of privacy."""
    return search if isinstance(search, Accuracy) else Accuracy(privacy=privacy)


class OutOfReachError(InfeasibleError):
    """No classes were found within a bound; `works` is the least that was found to work."""

    def __init__(self, bound: float, works: float) -> None:
        self.works = works
        super().__init__(
            f"found no classes that satisfy the models and lose at most {bound:g} each; the "
            f"lowest limit with a solution is {works:g}",
            remedy=(
                f"raise max_loss to {works:g}, lower the thresholds of the models, or raise "
                "suppression"
            ),
            proved=False,
        )


@plain(frozen=True, eq=False)
class _Answer:
    """A recoding within the bound that satisfies the models."""

    recoding: Spans
    outcome: Outcome


def _sensitive(problem: Problem, column: str | None, privacy: str) -> int | None:
    """The number of the sensitive column whose values count; None if sizes alone do."""
    if privacy == "k":
        return None
    names = [held.name for held in problem.sensitive]
    if column is None and names:
        return 0
    if column in names:
        return names.index(column)
    what = "there is none" if column is None else f"'{column}' is not one"
    raise PolicyError(
        f"privacy 'l' needs a sensitive column, but {what}",
        remedy='give one column role = "sensitive", or use privacy = "k"',
    )


def _refuse_one_value(problem: Problem, sensitive: int | None) -> None:
    """Raise `InfeasibleError` if everybody holds the same, which no classes hide."""
    if sensitive is None or len(np.unique(problem.tally.sensitive[sensitive])) > 1:
        return
    raise InfeasibleError(
        f"the sensitive column '{problem.sensitive[sensitive].name}' has only one value, so l "
        "is 1 for any classes",
        remedy='use privacy = "k"; drop the column if nobody may learn its value',
        proved=True,
    )


def _answered(quest: "BoundedProblem", method: Method, watch: Watch) -> _Answer | None:
    """The first that a method finds which is within the bound and satisfies the models."""
    problem = quest.problem
    boxes = boxes_of(replace(problem, loss=Gcp()))
    whole_rows = problem.tally.has_units or problem.consistent
    method = "ipcsd-mondrian" if method == "ac" and whole_rows else method

    def fits(spans: Spans) -> bool:
        return _judged(quest, spans) is not None

    found: list[Spans | Pieces]
    match method:
        case "ac":
            found = [*methods.by_adjusting(quest, boxes, watch, fits)]
        case "ipcsd-mondrian":
            whole = quest.sensitive is None
            found = [*methods.by_halving(quest, Mondrian(relaxed=True), watch, fits, whole=whole)]
        case "ipcsd-direct":
            direct = Diversify(mapping=quest.mapping)
            found = [*methods.by_halving(quest, direct, watch, fits, whole=True)]
        case "optimal":
            found = methods.best_of_one_column(quest, boxes)
        case _:
            assert_never(method)
    judged = (_judged(quest, one) for one in chain(found, _mended(problem, found)))
    return next((answer for answer in judged if answer is not None), None)


def _mended(problem: Problem, found: list[Spans | Pieces]) -> Iterator[Spans]:
    """The same with classes that fail a model merged with others, which may lose too much."""
    for one in found:
        with suppress(InfeasibleError):
            yield merge_failing_classes(problem, one.pieces if isinstance(one, Spans) else one)


def _judged(quest: "BoundedProblem", found: Spans | Pieces) -> _Answer | None:
    """What was found as an answer; None if it is not within the bound or fails a model.

    Classes that fail, or lose too much, are left out if the policy lets so many records go.
    """
    problem = quest.problem
    pieces = found.pieces if isinstance(found, Spans) else found
    spans = Spans(folded(pieces)).told_apart(problem.tally, problem.columns)
    outcome = problem.outcome(spans)
    fine = problem.satisfied(outcome.classes) & (_losses(problem, spans, outcome) <= quest.most)
    if not fine.all():
        left_out = outcome.suppressed + int(outcome.classes.records[~fine].sum())
        if left_out > problem.suppressible or not fine.any():
            return None
        spans = Spans(_without(spans.pieces, renumbered(fine)))
        outcome = problem.outcome(spans)
        if not problem.satisfied(outcome.classes).all():
            return None
    return _Answer(spans, outcome)


def _without(pieces: Pieces, place: Codes) -> Pieces:
    numbers = np.append(place, SUPPRESSED).astype(np.int32)[pieces.class_of]
    return folded(replace(pieces, class_of=numbers))


def _losses(problem: Problem, spans: Spans, outcome: Outcome) -> "np.ndarray":
    """The NCP of each class, more than any where a limit of a column is not kept."""
    losses = ncp_of_classes(outcome)
    pieces = spans.pieces
    low, high = repair.class_boxes(problem.tally.quasi, pieces.row, pieces.class_of, len(losses))
    costs = repair.box_costs(boxes_of(replace(problem, loss=Gcp())), low, high)
    return np.where(costs >= FORBIDDEN, FORBIDDEN, losses)


def _fallback(quest: "BoundedProblem", method: Method, watch: Watch) -> _Answer:
    """What satisfies the models with the least largest loss, if that is within the bound.

    Raises `OutOfReachError` with the least bound that was found to work if it is not.
    """
    problem = replace(quest.problem, loss=IlInf())
    tried: list[tuple[float, Spans]] = []
    failure = nothing_found(problem)
    direct = Diversify(mapping=quest.mapping)
    for search in (TreeSearch(), direct, Mondrian(relaxed=True), TopDown()):
        try:
            spans = Spans(search.run(problem, watch).recoding.pieces)
        except InfeasibleError as error:
            failure = error
            continue
        losses = _losses(problem, spans, problem.outcome(spans))
        tried.append((float(losses.max()), spans))
    if not tried:
        raise failure
    least, spans = min(tried, key=lambda pair: pair[0])
    answer = _judged(replace(quest, most=max(quest.most, least)), spans)
    if answer is None or least > quest.most:
        raise OutOfReachError(quest.most - _SLACK, _least_bound(quest, least, method, watch))
    return answer


def _least_bound(quest: "BoundedProblem", works: float, method: Method, watch: Watch) -> float:
    """A bound that works, between that of the quest, which does not, and one that does.

    Found by halving, in steps that a message can write down: what it names works when it is asked.
    """
    low, high = quest.most, _written(works)
    for _ in range(_HALVINGS):
        middle = _written((low + high) / 2)
        if watch.expired or not low < middle < high:
            break
        try:
            answer = _answered(replace(quest, most=middle + _SLACK), method, watch)
        except LimitError:
            break
        low, high = (middle, high) if answer is None else (low, middle)
    return high


def _written(bound: float) -> float:
    """The bound with few digits, no smaller than it is."""
    return ceil(bound * _DIGITS - _SLACK) / _DIGITS


def _found(search: Accuracy, problem: Problem, best: _Answer) -> Found:
    """The answer, its figures, and in words whether it makes sense to publish."""
    classes = best.outcome.classes
    facts = {"classes": float(len(classes)), "k": KAnonymity(2).achieved(classes)}
    if problem.sensitive:
        names = [column.name for column in problem.sensitive]
        name = search.column if search.column in names else names[0]
        facts["l"] = LDiversity(name, 1).achieved(classes)
    largest = float(ncp_of_classes(best.outcome).max())
    facts |= {"max_class_ncp": largest, "bound_met": float(largest <= search.max_loss + _SLACK)}
    optimal = search.method == "optimal" and _all_compared(problem)
    return Found(
        best.recoding, search.name, optimal=False, why=_why(search, facts, optimal), facts=facts
    )


def _all_compared(problem: Problem) -> bool:
    """Whether the method `optimal` compared all releases.

    It leaves out no records, and knows one model that reads values.
    """
    known = all(not model.columns or model.shares_decide for model in problem.models)
    return known and len(problem.sensitive) <= 1 and not problem.suppressible


def _why(search: Accuracy, facts: dict[str, float], optimal: bool) -> str:
    reached = facts[search.privacy]
    most = "the highest possible" if optimal else "the highest that was found"
    text = (
        f"no class loses more than {facts['max_class_ncp']:.4f} (limit {search.max_loss:g}), "
        f"and {search.privacy} = {reached:g} is {most}"
    )
    return f"{text}: {_sense(search.privacy, reached)}"


def _sense(privacy: str, reached: float) -> str:
    if privacy == "k":
        if reached < 5:
            return "few people call this safe: publish only if it meets the models of the policy"
        return f"everybody hides among at least {reached:g} records"
    if reached < 2:
        return (
            "an attacker can guess a sensitive value with a chance above 50 %: do not publish this"
        )
    return f"an attacker guesses a sensitive value with a chance of at most {1 / reached:.0%}"
