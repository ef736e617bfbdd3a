"""Plan how coarse columns must be for a population, and release a table by such a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from incrowd.arrays import Counts
from incrowd.engines.base import Engine
from incrowd.errors import InfeasibleError, InputError, PolicyError
from incrowd.identify.distinct_values import parse_population
from incrowd.io.reading import AnyPath, Reading, enough_memory, open_table
from incrowd.models import Probabilistic
from incrowd.pii.column_names import topic_of
from incrowd.pipeline import anonymize
from incrowd.policy import draft
from incrowd.policy.codec import make_value
from incrowd.policy.policy import Policy
from incrowd.policy.presets import quick
from incrowd.policy.profiles import make_profiles
from incrowd.population.actions import Look, ladder_of, ladder_of_size
from incrowd.population.bounds import check_whole_number
from incrowd.population.plan import (
    Plan,
    PlannedColumn,
    PlanQuestion,
    columns_shown,
    make_plan,
    measure_plan,
    raise_level,
)
from incrowd.release.release import Release
from incrowd.requests.plan import PlanRequest, PlanSizesRequest, PopulationRequest
from incrowd.requests.request import verb
from incrowd.table.column import Role
from incrowd.values import did_you_mean
from incrowd.watch import Watch

_MISSING = ("",)
_DAYS = 366


@verb(PlanRequest)
def plan(asked: PlanRequest) -> Plan:
    """Say how coarse columns must be so that k people of a population share what a class shows.

    The table is a frame, a path or a table elsewhere (see `incrowd.api`). Leave out one of
    `population`, `k` and `beta` to have it computed for the columns as they are.
    """
    question, watch = _plan_question(asked), asked.watch or Watch()
    watch.tell("counting values and classes", 0.0)
    with (
        enough_memory(),
        open_table(asked.source, asked.reading, asked.columns, watch=watch) as there,
    ):
        return _plan_for_table(there.engine, asked, question)


@verb(PlanSizesRequest)
def plan_sizes(asked: PlanSizesRequest) -> Plan:
    """Say how coarse columns must be if only their names and numbers of values are known.

    >>> found = plan_sizes({"sex": 2, "birth_date": 21_900, "zip": 10**5}, population=3e8, k=100,
    ...                    beta=0.1)
    >>> [action.rung.says for action in found.actions]
    ['as it is', 'to the month', 'first three digits']
    """
    question, sizes = _plan_question(asked), asked.distinct
    ladders = [ladder_of_size(name, size, _value_look(name, size)) for name, size in sizes.items()]
    return make_plan(question, ladders, _weights_in_order(asked.weights or {}, tuple(sizes)))


@dataclass(frozen=True, eq=False)
class Applied:
    """A plan that was carried out, and its release."""

    release: Release
    plan: Plan
    """The plan as carried out; levels are raised where the classes of the table needed it."""
    raised: tuple[str, ...]
    """Columns that show less than planned."""


def apply_plan(  # noqa: PLR0913  files, the plan, and what becomes of other columns
    source: Any,
    wanted: Plan,
    target: AnyPath,
    *,
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
    accept_alone: Sequence[str] = (),
    reading: Reading | None = None,
    **options: Any,
) -> Applied:
    """Write a verified release of a table that shows what a plan says; its model: probabilistic.

    If the real classes do not support the planned k, levels are raised until they do, with the
    least loss. Columns that are neither planned, sensitive nor kept do not leave; `accept_alone`
    names kept ones that may single out anybody. `options` are those of `anonymize`.
    """
    roles = {"sensitive": sensitive, "keep": keep, "accept_alone": accept_alone}
    _refuse_unfit(wanted)
    planned_for = (*(action.column for action in wanted.actions), *sensitive, *keep)
    with open_table(source, reading, planned_for) as there:
        names = there.engine.names
        policy = policy_for_plan(wanted, names, **roles)
        final = wanted
        if not _is_supported(wanted):
            watch = options.get("watch")
            loose = _change_policy(policy, {name: {"highest": None} for name in policy.quasi})
            trial = anonymize(there, loose, target, dry_run=True, watch=watch)
            final = _raise_levels(wanted, trial.levels or {}, there.engine)
            policy = policy_for_plan(final, names, **roles)
        release = anonymize(there, policy, target, **options)
    before = {action.column: action.rung for action in wanted.actions}
    raised = tuple(a.column for a in final.actions if a.rung != before[a.column])
    return Applied(release, final, raised)


def policy_for_plan(
    found: Plan,
    names: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
    accept_alone: Sequence[str] = (),
) -> Policy:
    """Make the policy that shows exactly what a plan says, for a table with these columns."""
    shown = [action for action in found.actions if not action.left_out]
    policy = quick(
        names,
        quasi=[action.column for action in shown],
        sensitive=sensitive,
        keep=keep,
        hierarchies={a.column: a.rung.hierarchy for a in shown if a.rung.hierarchy is not None},
        weights={action.column: action.weight for action in shown},
        k=2,
        search="lattice",
    )
    changes: dict[str, dict[str, Any]] = {
        a.column: {"lowest": a.rung.level, "highest": a.rung.level} for a in shown
    }
    for name in accept_alone:
        policy.role(name)
        changes.setdefault(name, {})["alone"] = "accept"
    return _change_policy(policy, changes, models=(_probabilistic_model(found),))


def _plan_question(asked: PopulationRequest) -> PlanQuestion:
    """The question that a request asks; `PolicyError` for an invalid population or k."""
    people = None if asked.population is None else parse_population(asked.population)
    k = None if asked.k is None else check_whole_number(asked.k, "k")
    return PlanQuestion(people, k, asked.beta, asked.bound, asked.simultaneous, asked.confidence)


def _plan_for_table(engine: Engine, asked: PlanRequest, question: PlanQuestion) -> Plan:
    """Make a plan for a table and measure it there.

    `InputError` without records, `PolicyError` for columns that the plan does not have and for a
    population smaller than the table.
    """
    if not engine.records:
        raise InputError("the table has no records", remedy="give at least one")
    names, hierarchies = asked.columns or _guess_quasi(engine), asked.hierarchies or {}
    _refuse_unknown_columns([*(asked.weights or {}), *hierarchies], names)
    if question.population is not None and question.population < engine.records:
        raise PolicyError(
            f"the table has {engine.records:,} records, more than the population of "
            f"{question.population:,} people",
            remedy="give the population that the table was drawn from",
        )
    columns = _planned_columns(engine, names)
    ladders = [
        ladder_of(one.column, hierarchies.get(name), one.records) for name, one in columns.items()
    ]
    found = make_plan(question, ladders, _weights_in_order(asked.weights or {}, names))
    return measure_plan(found, engine.records, _class_sizes(engine, found, columns))


def _planned_columns(engine: Engine, names: Sequence[str]) -> dict[str, PlannedColumn]:
    """Code columns of the table, and count the records of each value."""
    coded = engine.codes(names, missing_values=_MISSING)
    return {name: PlannedColumn(one, engine.frequency(one)) for name, one in coded.items()}


def _class_sizes(engine: Engine, found: Plan, columns: Mapping[str, PlannedColumn]) -> Counts:
    """Count the records of each class of a plan; all are one class if it shows no column."""
    shown = columns_shown(found, columns)
    if not shown:
        return np.array([engine.records], dtype=np.int64)
    return engine.tally(shown, ()).counts


def _guess_quasi(engine: Engine) -> tuple[str, ...]:
    """Guess which columns are quasi-identifying; `PolicyError` if none is.

    Unlike `incrowd init` this takes no marks of missing values out first.
    """
    found = [one.name for one in make_profiles(engine) if draft.guess_role(one).role is Role.QUASI]
    if not found:
        raise PolicyError(
            "no column looks quasi-identifying", remedy="name the columns to plan with --columns"
        )
    return tuple(found)


def _value_look(name: str, size: float) -> Look:
    """What the values of a column look like, judged by its name and number of values (`size`)."""
    topic = topic_of(name)
    said = topic.name if topic else ""
    if size >= _DAYS and (said in {"birth", "event"} or "date" in name.casefold()):
        return "date"
    if said == "postcode":
        return "code"
    return "number" if said in {"age", "birth", "body", "money", "measure"} else "group"


def _weights_in_order(weights: Mapping[str, float], names: Sequence[str]) -> list[float]:
    """The weight of each of these columns, by default 1; `PolicyError` if another has one."""
    _refuse_unknown_columns(weights, names)
    return [weights.get(name, 1.0) for name in names]


def _refuse_unknown_columns(named: Sequence[str] | Mapping[str, Any], names: Sequence[str]) -> None:
    """Raise `PolicyError` if a `named` column is not among `names`, those of the plan."""
    for name in named:
        if name not in names:
            raise PolicyError(
                f"'{name}' is not among the columns of the plan",
                remedy=did_you_mean(name, names) or "add it to --columns",
            )


def _refuse_unfit(wanted: Plan) -> None:
    """Refuse to carry out a plan without a table, with k below 2, or that leaves out all columns.

    Refused, too, if it was asked without population, k or beta, and so only found that one.
    `InfeasibleError` if all columns are left out, else `PolicyError`.
    """
    if wanted.found is not None:
        raise PolicyError(
            f"the plan lacks {wanted.found}, so it cannot be carried out",
            remedy="give population, k and beta",
        )
    if wanted.measured is None:
        raise PolicyError("a plan without a table cannot be carried out", remedy="name a file")
    if (wanted.question.k or 0) < 2:
        raise PolicyError("k must be at least 2", remedy="ask for a larger k")
    if all(action.left_out for action in wanted.actions):
        raise InfeasibleError(
            "the plan leaves out every column", remedy="plan fewer columns, or ask for a smaller k"
        )


def _probabilistic_model(found: Plan) -> Probabilistic:
    """The model that a plan promises; a `simultaneous` beta is divided by the number of classes."""
    asked, facts = found.question, found.measured
    beta = asked.beta or 0.0
    if asked.simultaneous and facts is not None:
        beta /= facts.classes
    sure = asked.confidence
    return make_value(
        lambda: Probabilistic(asked.population or 0, asked.k or 0, beta, sure, found.labels)
    )


def _is_supported(found: Plan) -> bool:
    """Whether the smallest class of a table, if any, supports k by the test of `Probabilistic`."""
    facts, model = found.measured, _probabilistic_model(found)
    if facts is None:
        return False
    least = found.drawn_table(facts.people).least_size(model.population, model.k, model.beta)
    return facts.smallest >= least


def _change_policy(
    policy: Policy, columns: Mapping[str, Mapping[str, Any]], **settings: Any
) -> Policy:
    """The policy with other settings, of columns and its own; refused if they do not fit."""
    values = {name: getattr(policy, name) for name in Policy.model_fields}
    changed = {
        name: column.model_copy(update=dict(columns.get(name, {})))
        for name, column in policy.columns.items()
    }
    return make_value(lambda: Policy.model_validate({**values, "columns": changed, **settings}))


def _raise_levels(found: Plan, levels: Mapping[str, int], engine: Engine) -> Plan:
    """Raise columns to these levels, measure anew; `InfeasibleError` if all then show nothing."""
    columns = _planned_columns(engine, [action.column for action in found.actions])
    actions = tuple(raise_level(action, levels, columns[action.column]) for action in found.actions)
    if all(action.left_out for action in actions):
        k = 0 if found.measured is None else found.measured.supports.k or 0
        raise InfeasibleError(
            f"no levels that show anything support k = {found.question.k:,}; the planned ones "
            f"support k = {k:,}",
            remedy=f"ask for k = {k:,} at most, or plan fewer columns",
        )
    raised = replace(found, actions=actions)
    return measure_plan(raised, engine.records, _class_sizes(engine, raised, columns))
