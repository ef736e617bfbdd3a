"""The dual problem: the most privacy for a given accuracy (Ghinita Sections 5 and 6.3).

No class may lose more than a bound; the search makes the least private class as private as it can.
The models of the policy are floors that hold whatever the bound.
"""

from collections.abc import Callable
from dataclasses import field, replace
from fractions import Fraction
from functools import partial
from math import ceil, inf
from typing import Annotated, ClassVar, Literal, assert_never

import numpy as np
from pydantic import Field

from incrowd.errors import InfeasibleError, LimitError, PolicyError
from incrowd.loss.extent import IlInf
from incrowd.loss.ncp import ncp_of_classes
from incrowd.models.k_anonymity import KAnonymity
from incrowd.models.l_diversity import LDiversity
from incrowd.problem import Problem
from incrowd.recoding import Spans
from incrowd.search.literature.accuracy import methods, portfolio
from incrowd.search.literature.accuracy.answers import (
    SLACK,
    BoundedAnswer,
    BoundedProblem,
    judge_answer,
    losses_of,
)
from incrowd.search.literature.accuracy.portfolio import Best, Workshop
from incrowd.search.literature.accuracy.scan import Way, bisect_privacy
from incrowd.search.literature.diversify.diversify import Diversify, MappingName
from incrowd.search.literature.top_down import TopDown
from incrowd.search.mondrian import Mondrian
from incrowd.search.orders.tree import TreeSearch
from incrowd.search.refusals import nothing_found, raise_if_infeasible, raise_if_out_of_time
from incrowd.search.search import Found, Search
from incrowd.table.column import Missing
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

Method = Literal["best", "ac", "ipcsd-mondrian", "ipcsd-direct", "optimal"]
_DIGITS = 10_000
_HALVINGS = 7
"""How often the way to a bound that works is halved before it is named."""
_THRESHOLD = Fraction(1, 100)
"""How near halving comes to the largest l (Ghinita Figure 3)."""


@dataclass(frozen=True, config=STRICT)
class Accuracy(Search):
    """The most privacy with no class losing more than `max_loss`, a share (NCP) from 0 to 1.

    Limits of columns (how high, how wide) hold as well. Privacy is `k`, the records of the smallest
    class, or `l`, the least over classes of records over those of their commonest value in a
    sensitive `column` (the first if not named); l may be a fraction. Methods: `best`, the best of
    `ac` along every mapping and of scans with several searches, with the least loss of those as
    private; `ac`, Ghinita's heuristic along a `mapping`, with help for the least private class
    after it; `ipcsd-mondrian` and `ipcsd-direct`, Mondrian or the direct heuristic (along the
    `mapping`) again and again with more or less privacy; `optimal`, the best of all for one
    quasi-identifying column of a small table.

    If people have several records or equal records must show the same, `ac` is `ipcsd-mondrian`,
    and `best` scans alone.

    >>> Accuracy(max_loss=0.2, privacy="l").name
    'accuracy'
    """

    max_loss: Annotated[float, Field(ge=0, le=1)] = 0.4
    privacy: Literal["k", "l"] = "k"
    method: Method = "best"
    column: str | None = None
    mapping: MappingName = "kd-tree"
    name: Literal["accuracy"] = field(default="accuracy", kw_only=True)
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    @property
    def largest_class_loss(self) -> float:
        """The bound that every class keeps."""
        return self.max_loss

    def protected_columns(self, sensitive: tuple[str, ...]) -> tuple[str, ...]:
        """With privacy `l`, the column that it counts the values of; else none."""
        if self.privacy != "l":
            return ()
        return sensitive[:1] if self.column is None else (self.column,)

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Look for the most privacy within the bound."""
        return self.run_in(self.workshop(problem), watch)

    def workshop(self, problem: Problem) -> Workshop:
        """The workshop for every bound of a problem.

        `InfeasibleError` if no release is possible, `PolicyError` if l lacks a sensitive column.
        """
        raise_if_infeasible(problem)
        sensitive = _sensitive_column(problem, self.column, self.privacy)
        _refuse_one_value(problem, sensitive)
        return Workshop(problem, sensitive)

    def run_in(self, shop: Workshop, watch: Watch, *, in_passing: bool = False) -> Found:
        """Look for the most privacy, as `run`, with what was made for other bounds.

        `in_passing`, for one of many bounds: scans look less far, and the error for a bound out of
        reach does not name one that works. `InfeasibleError` if nothing is found, `LimitError` if
        the time is up before.
        """
        raise_if_out_of_time(watch)
        problem = shop.problem
        quest = BoundedProblem(problem, self.max_loss + SLACK, shop.sensitive, self.mapping)
        watch.tell("looking for the most privacy", 0.0)
        if in_passing and self.method == "best":
            best = portfolio.best_in_passing(quest, shop, watch)
        else:
            best = _answer_of(quest, self.method, shop, watch)
        if best.answer is None and in_passing:
            raise nothing_found(problem)
        if best.answer is None:
            best = replace(best, answer=_fallback(quest, self.method, shop, watch))
        return _found_of(self, problem, best)


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


def _sensitive_column(problem: Problem, column: str | None, privacy: str) -> int | None:
    """The place of the column that `l` is about, None for `k`; `PolicyError` if it is not there."""
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


def _answer_of(quest: BoundedProblem, method: Method, shop: Workshop, watch: Watch) -> Best:
    """What this method alone finds within the bound; its `answer` is None if that is nothing."""
    method = "ipcsd-mondrian" if method == "ac" and quest.whole_rows else method
    step = Fraction(1) if quest.sensitive is None else _THRESHOLD
    answer: BoundedAnswer | None
    match method:
        case "best":
            return portfolio.best_of_all(quest, shop, watch)
        case "ac":
            answer = portfolio.adjust_line(quest, shop, watch)
        case "ipcsd-mondrian":
            way = Way("mondrian", Mondrian(relaxed=True), step)
            answer = bisect_privacy(quest, way, shop.scans, watch)
        case "ipcsd-direct":
            way = portfolio.direct_way(quest.mapping)
            answer = bisect_privacy(quest, way, shop.scans, watch)
        case "optimal":
            found = methods.best_of_one_column(quest, shop.boxes)
            answer = portfolio.best_judged(quest, found)
        case _:
            assert_never(method)
    return Best(answer)


def _fallback(quest: BoundedProblem, method: Method, shop: Workshop, watch: Watch) -> BoundedAnswer:
    """The answer of searches that make the largest loss of a class small.

    `OutOfReachError`, with a bound that works, if it breaks the quest's; `InfeasibleError` if none.
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
        losses = losses_of(problem, spans, problem.outcome(spans))
        tried.append((float(losses.max()), spans))
    if not tried:
        raise failure
    least, spans = min(tried, key=lambda pair: pair[0])
    answer = judge_answer(replace(quest, most=max(quest.most, least)), spans)
    if answer is None or least > quest.most:
        works = _least_bound(quest, least, partial(_finds_any, method, shop, watch), watch)
        raise OutOfReachError(quest.most - SLACK, works)
    return answer


def _least_bound(
    quest: BoundedProblem, works: float, answers: Callable[[BoundedProblem], bool], watch: Watch
) -> float:
    """A bound that works (`answers`), near the least, to four decimals, by halving from `works`."""
    low, high = quest.most, _round_bound(works)
    for _ in range(_HALVINGS):
        middle = _round_bound((low + high) / 2)
        if watch.expired or not low < middle < high:
            break
        try:
            found = answers(replace(quest, most=middle + SLACK))
        except LimitError:
            break
        low, high = (low, middle) if found else (middle, high)
    return high


def _finds_any(method: Method, shop: Workshop, watch: Watch, quest: BoundedProblem) -> bool:
    """Whether this method finds an answer within the bound."""
    if method == "best":
        return portfolio.finds_answer(quest, shop, watch)
    return _answer_of(quest, method, shop, watch).answer is not None


def _round_bound(bound: float) -> float:
    """The bound rounded up to four decimal places."""
    return ceil(bound * _DIGITS - SLACK) / _DIGITS


def _found_of(search: Accuracy, problem: Problem, best: Best) -> Found:
    """The result: recoding, figures, whether to publish; `InfeasibleError` without an answer."""
    answer = best.answer
    if answer is None:
        raise nothing_found(problem)
    classes = answer.outcome.classes
    facts = {"classes": float(len(classes)), "k": KAnonymity(2).achieved_by(classes)}
    if problem.sensitive:
        names = [column.name for column in problem.sensitive]
        name = search.column if search.column in names else names[0]
        facts["l"] = LDiversity(name, 1).achieved_by(classes)
    largest = float(ncp_of_classes(answer.outcome).max())
    facts |= {"max_class_ncp": largest, "bound_met": float(largest <= search.max_loss + SLACK)}
    if problem.missing is not Missing.MATCHES_ANYTHING and np.isfinite(best.limit):
        facts["at_most"] = best.limit
    optimal = search.method == "optimal" and _all_compared(problem)
    why = _explain_best(search, facts, optimal) + _tried_in_words(best)
    return Found(answer.recoding, search.name, optimal=False, why=why, facts=facts)


def _tried_in_words(best: Best) -> str:
    """A phrase on what was tried, and how far AC came along each mapping."""
    lines = [f"{name} {'nothing' if p is None else f'{p:.4g}'}" for name, p in best.mappings]
    ac = [f"AC along {', '.join(lines)}"] if lines else []
    scans = [f"scans with {', '.join(best.scanned)}"] if best.scanned else []
    if not ac and not scans:
        return ""
    return f"; tried {' and '.join([*ac, *scans])}; other searches were not tried"


def _all_compared(problem: Problem) -> bool:
    """Whether `optimal` compared all: nobody may be left out, and shares of one column decide."""
    known = all(not model.columns or model.shares_decide for model in problem.models)
    return known and len(problem.sensitive) <= 1 and not problem.suppressible


def _explain_best(search: Accuracy, facts: dict[str, float], optimal: bool) -> str:
    """A sentence on what was reached, whether more is possible, and whether to publish it."""
    reached = facts[search.privacy]
    limit = facts.get("at_most", inf)
    most = "the highest possible" if optimal or reached >= limit else "the highest that was found"
    if reached < limit < inf:
        most += f" (more than {limit:.4g} is not possible)"
    text = (
        f"no class loses more than {facts['max_class_ncp']:.4f} (limit {search.max_loss:g}), "
        f"and {search.privacy} = {reached:g} is {most}"
    )
    return f"{text}: {_advise(search.privacy, reached)}"


def _advise(privacy: str, reached: float) -> str:
    """Whether so much privacy is enough to publish, in a phrase for people."""
    if privacy == "k":
        if reached < 5:
            return "few people call this safe: publish only if it meets the models of the policy"
        return f"everybody hides among at least {reached:g} records"
    if reached < 2:
        return (
            "an attacker can guess a sensitive value with a chance above 50 %: do not publish this"
        )
    most = ceil(100 / reached - 1e-9)  # never less than it is
    return f"an attacker guesses a sensitive value with a chance of at most {most} %"
