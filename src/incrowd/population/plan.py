"""How coarse each column must be, before or after the data are seen (Lodha-Thomas Section 3).

In functions `allowed` is the number of classes, `worth` the weights of columns, `kept` how many
values each may keep, and `fixed` what some of them must.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from incrowd.arrays import Counts
from incrowd.errors import PolicyError, count_of
from incrowd.hierarchy import Intervals
from incrowd.population.actions import Ladder, Rung, build_hierarchy, describe_level
from incrowd.population.bounds import (
    Bound,
    Labels,
    PopulationSample,
    check_beta,
    classes_allowed,
    k_of_shares,
    missing_probability,
    population_of_share,
)
from incrowd.population.budget import budget, check_weights, distortion
from incrowd.showing import Shown
from incrowd.table.column import CodedColumn

_MOST_CLASSES = 10**200
"""More classes than this are as good as empty, and no floating-point number counts them."""
_RIGID = "there is no level between its values and leaving it out; a hierarchy would help"


@dataclass(frozen=True)
class PlanQuestion:
    """Classes hold k people of a population with chance 1 - beta; the one left None is sought."""

    population: int | None
    k: int | None
    beta: float | None
    bound: Bound = "exact"
    simultaneous: bool = False
    confidence: float = 0.95
    """With a table, how likely it is, at least, that no class's share is smaller than assumed."""

    def __post_init__(self) -> None:
        lacking = [name for name in ("population", "k", "beta") if getattr(self, name) is None]
        if len(lacking) > 1:
            raise PolicyError(
                f"{' and '.join(lacking)} are missing",
                remedy="give at least two of population, k and beta; the third is then computed",
            )
        if not 0.5 <= self.confidence < 1:
            raise PolicyError(
                "the confidence must be at least 0.5 and below 1", remedy="for example 0.95"
            )

    @property
    def unknown(self) -> str | None:
        """What is left out: population, k or beta; None if nothing is."""
        return next((n for n in ("population", "k", "beta") if getattr(self, n) is None), None)

    def class_budget(self) -> int:
        """How many equally likely classes may be told apart: D'. Only without an unknown."""
        n, k, beta = self._known_or_zero()
        return classes_allowed(n, k, beta, bound=self.bound, simultaneous=self.simultaneous)

    def answer(self, classes: int, share: float | None = None) -> "PlanQuestion":
        """Fill in the unknown for so many classes, the smallest of this share, or all equal.

        For a share of 0 an unknown k is 0, an unknown beta 1, and an unknown population stays None.
        A question without an unknown stays as it is. `LimitError` if no population fills so many.
        """
        n, k, beta = self._known_or_zero()
        classes = min(classes, _MOST_CLASSES)
        part = 1 / classes if share is None else share
        if not part:  # the class may be empty
            return replace(self, k=k, beta=1.0 if self.beta is None else self.beta)
        beta /= classes if self.simultaneous else 1
        match self.unknown:
            case "population":
                found = population_of_share(part, k, beta, bound=self.bound)
                return replace(self, population=found)
            case "k":
                return replace(self, k=k_of_shares([part], n, beta, bound=self.bound))
            case "beta":
                missed = missing_probability(part, n, k, self.bound)
                missed *= classes if self.simultaneous else 1
                return replace(self, beta=min(missed, 1.0))
        return self

    def with_unknown(self, name: str) -> "PlanQuestion":
        """The question with population, k or beta left out."""
        left_out: dict[str, Any] = {name: None}
        return replace(self, **left_out)

    def _known_or_zero(self) -> tuple[int, int, float]:
        """Population, k and beta, with 0 for what is left out."""
        return self.population or 0, self.k or 0, self.beta or 0.0


@dataclass(frozen=True)
class Action:
    """What to do with one column."""

    column: str
    distinct: int
    """Its distinct values now."""
    allowed: int
    """How many of them it may keep: d'."""
    rung: Rung
    weight: float = 1.0
    note: str = ""

    @property
    def left_out(self) -> bool:
        """Whether nothing of it can be shown."""
        return self.rung.values == 1 < self.distinct


@dataclass(frozen=True)
class Measured:
    """What the classes of a table are like once the plan is carried out."""

    people: int
    classes: int
    smallest: int
    """People of the smallest class."""
    share: float
    """The share of the population that it has at least, with the confidence asked for."""
    supports: PlanQuestion
    """The question with its unknown (k if it has none) found anew for the smallest class of the
    table; a population of None if no population would do."""


@dataclass(frozen=True)
class Plan(Shown):
    """How many values each column may keep, and what to do."""

    question: PlanQuestion
    """What was asked, with what was found."""
    found: str | None
    """What was left out of the question, and so found for the columns as they are."""
    classes_allowed: int
    """D', or the number of classes of the columns as they are if something was left out."""
    actions: tuple[Action, ...]
    measured: Measured | None = None
    """What the table says; None without one."""
    notes: tuple[str, ...] = ()

    @property
    def classes(self) -> int:
        """Classes that the plan tells apart at most (the multiple domain assumption)."""
        return math.prod(action.rung.values for action in self.actions)

    @property
    def k_expected(self) -> int:
        """The k that as many classes would support if they were equally likely."""
        if self.found is not None:
            return self.question.k or 0
        return self.question.with_unknown("k").answer(self.classes).k or 0

    @property
    def labels(self) -> Labels:
        """`declared` if all that is shown was fixed without the table, else `any`."""
        specs = (action.rung.hierarchy for action in self.actions if not action.left_out)
        made = any(isinstance(spec, Intervals) and spec.quantiles for spec in specs)
        return "any" if made else "declared"

    def drawn_table(self, people: int) -> PopulationSample:
        """A table of so many people as a sample of the population, once this plan is done."""
        shown = sum(not action.left_out for action in self.actions)
        return PopulationSample(people, shown, self.question.confidence, self.labels)

    def with_classes(self, people: int, classes: int, smallest: int) -> "Plan":
        """The plan with `measured`, for so many people and classes, the smallest of `smallest`."""
        share = self.drawn_table(people).least_share(smallest)
        supports = self.question.with_unknown(self.found or "k").answer(classes, share)
        if self.found in {None, "k"}:
            supports = replace(supports, k=max(supports.k or 0, smallest))
        return replace(self, measured=Measured(people, classes, smallest, share, supports))


def make_plan(
    question: PlanQuestion, ladders: Sequence[Ladder], weights: Sequence[float] | None
) -> Plan:
    """Make the plan for columns with these ladders; `weights` are 1 each if not given.

    `PolicyError` if there are no columns, or the numbers of the question or weights make no sense.
    """
    if not ladders:
        raise PolicyError("no column is named", remedy="name the columns that others may know")
    worth = check_weights(weights, len(ladders))
    _refuse_bad_question(question)
    if question.unknown is not None:
        classes = math.prod(ladder.distinct for ladder in ladders)
        kept = [ladder.distinct for ladder in ladders]
        actions = _list_actions(ladders, kept, [0] * len(ladders), worth)
        return Plan(question.answer(classes), question.unknown, classes, actions)
    allowed = question.class_budget()
    kept, places = _choose_rungs(ladders, allowed, worth)
    return Plan(question, None, allowed, _list_actions(ladders, kept, places, worth))


def _choose_rungs(
    ladders: Sequence[Ladder], allowed: int, worth: Sequence[float]
) -> tuple[list[int], list[int]]:
    """Choose per column how many values it may keep, and the place of the finest rung with no more.

    A column that cannot be made so coarse shows its coarsest level or is left out, whichever
    distorts less: the others get what it does not use of its share, or pay for what it uses beyond.
    """
    fixed: dict[int, int] = {}
    while True:
        kept = _budget_around(ladders, fixed, allowed, worth)
        stuck = [
            i for i, ladder in enumerate(ladders) if i not in fixed and kept[i] < ladder.coarsest
        ]
        if not stuck:
            break
        i = max(stuck, key=lambda j: (worth[j], -ladders[j].coarsest, -j))
        ways = [{**fixed, i: size} for size in (ladders[i].coarsest, 1)]
        fixed = min(ways, key=lambda way: _distortion_of(ladders, way, allowed, worth))
    places = [ladder.finest_place(d) for ladder, d in zip(ladders, kept, strict=True)]
    return _spend_leftover(ladders, kept, places, allowed, worth)


def _budget_around(
    ladders: Sequence[Ladder], fixed: Mapping[int, int], allowed: int, worth: Sequence[float]
) -> list[int]:
    """The budget of all columns if those in `fixed` keep these numbers of values."""
    sizes = [1 if i in fixed else ladder.distinct for i, ladder in enumerate(ladders)]
    kept = budget(sizes, allowed // math.prod(fixed.values()), worth)
    return [fixed.get(i, d) for i, d in enumerate(kept)]


def _distortion_of(
    ladders: Sequence[Ladder], fixed: Mapping[int, int], allowed: int, worth: Sequence[float]
) -> float:
    """The distortion of the best budget around `fixed`; infinite if these exceed `allowed`."""
    if math.prod(fixed.values()) > allowed:
        return math.inf
    return distortion(_budget_around(ladders, fixed, allowed, worth), worth)


def _spend_leftover(
    ladders: Sequence[Ladder],
    kept: list[int],
    places: list[int],
    allowed: int,
    worth: Sequence[float],
) -> tuple[list[int], list[int]]:
    """Spend what is left on finer levels, in `places`; return what each may keep, and `places`."""
    values = [ladder.rungs[place].values for ladder, place in zip(ladders, places, strict=True)]
    start = list(values)
    while True:
        product = math.prod(values)
        steps = []
        for i, (ladder, place) in enumerate(zip(ladders, places, strict=True)):
            finer = ladder.rungs[place - 1].values if place else math.inf
            if finer <= allowed // (product // values[i]):
                gain = worth[i] * (1 / values[i] - 1 / finer) / math.log(finer / values[i])
                steps.append((gain, -i, int(finer)))
        if not steps:
            return (kept if values == start else values), places
        _, place, finer = max(steps)
        places[-place] -= 1
        values[-place] = finer


def _list_actions(
    ladders: Sequence[Ladder], kept: Sequence[int], places: Sequence[int], worth: Sequence[float]
) -> tuple[Action, ...]:
    """What to do per column: how many values it may keep, and the rung at its place."""
    actions = []
    for ladder, allowed, place, weight in zip(ladders, kept, places, worth, strict=True):
        rung = ladder.rungs[place]
        action = Action(ladder.column, ladder.distinct, allowed, rung, weight)
        if action.left_out and ladder.rigid:
            action = replace(action, note=_RIGID)
        actions.append(action)
    return tuple(actions)


def _refuse_bad_question(question: PlanQuestion) -> None:
    """Raise `PolicyError` if the numbers of a question make no sense."""
    if question.bound not in {"exact", "chernoff"}:
        raise PolicyError("there is no such bound", remedy="choose exact or chernoff")
    if question.beta is not None:
        check_beta(question.beta)
    n, k = question.population, question.k
    if n is not None and k is not None and k > n:
        raise PolicyError(
            f"k = {k:,} is more than the population of {n:,} people",
            remedy="ask for a smaller k, or give a larger population",
        )


@dataclass(frozen=True, eq=False)
class PlannedColumn:
    """A column of the table that a plan is for: its codes, and the records of each code."""

    column: CodedColumn
    records: Counts


def measure_plan(plan: Plan, records: int, sizes: Counts) -> Plan:
    """The plan with what a table supports whose classes then have these `sizes`, and new notes."""
    measured = plan.with_classes(records, len(sizes), int(sizes.min()))
    return replace(measured, notes=tuple(_notes(measured)))


def columns_shown(plan: Plan, columns: Mapping[str, PlannedColumn]) -> list[CodedColumn]:
    """The columns that a plan does not leave out, coded by what they show."""
    return [_column_at_level(columns[a.column], a) for a in plan.actions if not a.left_out]


def _column_at_level(planned: PlannedColumn, action: Action) -> CodedColumn:
    """The column coded by the nodes of the level that the action shows."""
    spec, column = action.rung.hierarchy, planned.column
    if spec is None or action.rung.level == 0:
        return column
    hierarchy, codes = build_hierarchy(column, spec, planned.records)
    return CodedColumn(column.name, hierarchy.maps[action.rung.level][codes], hierarchy.leaves)


def _notes(plan: Plan) -> Iterator[str]:
    """Yield sentences on what a table tells against its plan; none without a table."""
    facts, asked = plan.measured, plan.question
    if facts is None:
        return
    if asked.population is not None and facts.people > asked.population:
        yield f"the table itself has {facts.people:,} records, so the population is no smaller"
    if not facts.share:
        yield (
            f"the smallest class has {count_of(facts.smallest, 'record')}: too few to say how "
            "large its share of the population is"
        )
    if plan.found is None and (facts.supports.k or 0) < (asked.k or 0):
        yield (
            f"the smallest class supports k = {facts.supports.k:,}, not {asked.k:,}: when the plan "
            "is applied, levels are raised until all classes support it"
        )


def raise_level(action: Action, levels: Mapping[str, int], planned: PlannedColumn) -> Action:
    """The action at its column's level in `levels`; the same if left out, or without a level."""
    level = levels.get(action.column, action.rung.level)
    spec = action.rung.hierarchy
    if spec is None or level == action.rung.level or action.left_out:
        return action
    hierarchy, codes = build_hierarchy(planned.column, spec, planned.records)
    values = len(np.unique(hierarchy.maps[level][codes]))
    says = describe_level(hierarchy, level, spec)
    rung = replace(action.rung, values=values, says=says, level=level)
    return replace(
        action, rung=rung, note="raised because the classes of the table are not equally large"
    )
