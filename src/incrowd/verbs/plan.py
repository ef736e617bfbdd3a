"""Plans: how coarse each column must be for a population, and releases that carry them out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from incrowd.arrays import Codes
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import InfeasibleError, InputError, PolicyError
from incrowd.hierarchy import AnyHierarchy
from incrowd.identify.distinct_values import population as people_of
from incrowd.models import Probabilistic
from incrowd.partition.classes import numbered
from incrowd.pii.column_names import topic_of
from incrowd.pipeline import anonymize_file
from incrowd.policy import draft
from incrowd.policy.codec import made
from incrowd.policy.policy import Policy
from incrowd.policy.quick import quick
from incrowd.population.actions import Look, built, described, ladder_of, ladder_of_size
from incrowd.population.bounds import Bound, whole
from incrowd.population.plan import Action, Plan, Question, planned
from incrowd.release.release import Release
from incrowd.table.column import CodedColumn
from incrowd.table.names import listed
from incrowd.table.roles import Role
from incrowd.values import did_you_mean
from incrowd.verbs.reading import AnyPath, Reading, enough_memory

_MISSING = ("",)
_DAYS = 366
CONFIDENCE = 0.95
"""How sure it is, unless told otherwise, that all classes have the share that is said."""


def plan(  # noqa: PLR0913  the table, what is asked, and how
    frame: Any,
    columns: Sequence[str] = (),
    *,
    population: float | str | None = None,
    k: float | None = None,
    beta: float | None = None,
    bound: Bound = "exact",
    simultaneous: bool = False,
    confidence: float = CONFIDENCE,
    weights: Mapping[str, float] | None = None,
    hierarchies: Mapping[str, AnyHierarchy] | None = None,
) -> Plan:
    """How coarse columns of a frame must be so that k of a population share what a class shows.

    Without `columns` those are taken that a first policy calls quasi-identifying. One of
    `population`, `k` and `beta` may be left out: then it is found for the columns as they are.
    What the table's own classes support holds with `confidence` for all of them together.
    """
    asked = Question(_people(population), _crowd(k), beta, bound, simultaneous, confidence)
    with enough_memory():
        return _plan(MemoryEngine(frame), columns, asked, weights or {}, hierarchies or {})


def plan_file(  # noqa: PLR0913  the same, and how to read the file
    path: AnyPath,
    columns: Sequence[str] = (),
    *,
    population: float | str | None = None,
    k: float | None = None,
    beta: float | None = None,
    bound: Bound = "exact",
    simultaneous: bool = False,
    confidence: float = CONFIDENCE,
    weights: Mapping[str, float] | None = None,
    hierarchies: Mapping[str, AnyHierarchy] | None = None,
    reading: Reading | None = None,
) -> Plan:
    """How coarse columns of a file must be; see `plan`."""
    asked = Question(_people(population), _crowd(k), beta, bound, simultaneous, confidence)
    with enough_memory():
        read = (reading or Reading()).expecting(columns).read(path)
        engine = MemoryEngine(read.frame, text=read.text)
        return _plan(engine, columns, asked, weights or {}, hierarchies or {})


def plan_sizes(  # noqa: PLR0913  what is asked, and how
    distinct: Mapping[str, float],
    *,
    population: float | str | None = None,
    k: float | None = None,
    beta: float | None = None,
    bound: Bound = "exact",
    simultaneous: bool = False,
    confidence: float = CONFIDENCE,
    weights: Mapping[str, float] | None = None,
) -> Plan:
    """How coarse columns must be of which only names and numbers of values are known.

    >>> found = plan_sizes({"sex": 2, "birth_date": 21_900, "zip": 10**5}, population=3e8, k=100,
    ...                    beta=0.1)
    >>> [action.rung.says for action in found.actions]
    ['as it is', 'to the month', 'first three digits']
    """
    asked = Question(_people(population), _crowd(k), beta, bound, simultaneous, confidence)
    ladders = [ladder_of_size(name, size, _look(name, size)) for name, size in distinct.items()]
    return planned(asked, ladders, _weights(weights or {}, tuple(distinct)))


@dataclass(frozen=True, eq=False)
class Applied:
    """A plan that was carried out: the release, and what its columns show."""

    release: Release
    plan: Plan
    """The plan as carried out, its levels raised where the classes of the table needed it."""
    raised: tuple[str, ...]
    """The columns that show less than planned."""


def apply_plan(  # noqa: PLR0913  files, the plan, and what becomes of other columns
    source: AnyPath,
    wanted: Plan,
    target: AnyPath,
    *,
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
    reading: Reading | None = None,
    **options: Any,
) -> Applied:
    """A verified release of a file that shows what a plan says, its model `probabilistic`.

    Where the real classes do not support the k asked for, levels are raised until they do, with the
    least loss. Columns that are neither planned, sensitive nor kept do not leave. `options` are
    those of `anonymize_file`.
    """
    _refuse_unfit(wanted)
    planned_for = (*(action.column for action in wanted.actions), *sensitive, *keep)
    read = (reading or Reading()).expecting(planned_for).read(source)
    names = MemoryEngine(read.frame, text=read.text).names
    policy = policy_of(wanted, names, sensitive=sensitive, keep=keep)
    final = wanted
    if not _supported(wanted):
        trial = anonymize_file(source, _loosened(policy), target, dry_run=True, reading=reading)
        final = _raised(wanted, trial.levels or {}, MemoryEngine(read.frame, text=read.text))
        policy = policy_of(final, names, sensitive=sensitive, keep=keep)
    release = anonymize_file(source, policy, target, reading=reading, **options)
    before = {action.column: action.rung for action in wanted.actions}
    raised = tuple(a.column for a in final.actions if a.rung != before[a.column])
    return Applied(release, final, raised)


def policy_of(
    found: Plan, names: Sequence[str], *, sensitive: Sequence[str] = (), keep: Sequence[str] = ()
) -> Policy:
    """The policy that shows exactly what a plan says, for a table with columns of these names."""
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
    levels = {a.column: {"lowest": a.rung.level, "highest": a.rung.level} for a in shown}
    return _changed(policy, levels, models=(_model(found),))


def _people(population: float | str | None) -> int | None:
    return None if population is None else people_of(population)


def _crowd(k: float | None) -> int | None:
    return None if k is None else whole(k, "k")


def _plan(
    engine: MemoryEngine,
    columns: Sequence[str],
    asked: Question,
    weights: Mapping[str, float],
    hierarchies: Mapping[str, AnyHierarchy],
) -> Plan:
    if not engine.records:
        raise InputError("the table has no records")
    names = listed(columns) or _quasi(engine)
    _refuse_unknown([*weights, *hierarchies], names)
    if asked.population is not None and asked.population < engine.records:
        raise PolicyError(
            f"the table has {engine.records:,} records and the population {asked.population:,} "
            "people",
            remedy="give the population that the table was drawn from",
        )
    coded = engine.codes(names, missing_values=_MISSING)
    ladders = [ladder_of(column, hierarchies.get(name)) for name, column in coded.items()]
    found = planned(asked, ladders, _weights(weights, names))
    return measured(found, coded)


def measured(found: Plan, coded: Mapping[str, CodedColumn]) -> Plan:
    """The plan with what the classes of a table support once it is carried out."""
    records = len(next(iter(coded.values())).codes)
    shown = [_nodes(coded[a.column], a) for a in found.actions if not a.left_out]
    if shown:
        place, number = numbered(np.stack(shown))
        sizes = np.bincount(place, minlength=number)
    else:
        sizes = np.array([records])
    seen = found.seen(records, len(sizes), int(sizes.min()))
    return replace(seen, notes=tuple(_notes(seen)))


def _nodes(column: CodedColumn, action: Action) -> Codes:
    spec = action.rung.hierarchy
    if spec is None or action.rung.level == 0:
        return column.codes
    hierarchy, codes = built(column, spec)
    nodes: Codes = hierarchy.maps[action.rung.level][codes]
    return nodes


def _notes(found: Plan) -> Iterator[str]:
    facts, asked = found.measured, found.question
    if facts is None:
        return
    if asked.population is not None and facts.people > asked.population:
        yield f"the table itself has {facts.people:,} records: the population is no smaller"
    if not facts.share:
        few = "1 record" if facts.smallest == 1 else f"{facts.smallest} records"
        yield (
            f"the smallest class has {few}: so few do not tell that it is a share of the "
            "population at all"
        )
    if found.found is None and (facts.supports.k or 0) < (asked.k or 0):
        yield (
            f"the smallest class supports a k of {facts.supports.k:,}, not {asked.k:,}; carried "
            "out, the plan raises levels until all classes support it"
        )


def _quasi(engine: MemoryEngine) -> tuple[str, ...]:
    """The columns that a first policy calls quasi-identifying."""
    found = [one.name for one in draft.profiles(engine) if draft.guess(one).role is Role.QUASI]
    if not found:
        raise PolicyError(
            "no column looks as if others could know it",
            remedy="name the columns to plan with --columns",
        )
    return tuple(found)


def _look(name: str, size: float) -> Look:
    """What the values of a column are like, by its name."""
    topic = topic_of(name)
    said = topic.name if topic else ""
    if size >= _DAYS and (said in {"birth", "event"} or "date" in name.casefold()):
        return "date"
    if said == "postcode":
        return "code"
    return "number" if said in {"age", "birth", "body", "money", "measure"} else "group"


def _weights(weights: Mapping[str, float], names: Sequence[str]) -> list[float]:
    _refuse_unknown(weights, names)
    return [weights.get(name, 1.0) for name in names]


def _refuse_unknown(named: Sequence[str] | Mapping[str, Any], names: Sequence[str]) -> None:
    for name in named:
        if name not in names:
            raise PolicyError(
                f"'{name}' is not among the columns of the plan",
                remedy=did_you_mean(name, names) or "name it with --columns, too",
            )


def _refuse_unfit(found: Plan) -> None:
    if found.found is not None:
        raise PolicyError(
            f"{found.found} is left out, so there is nothing to carry out",
            remedy="give population, k and beta",
        )
    if found.measured is None:
        raise PolicyError("a plan without a table cannot be carried out", remedy="name a file")
    if (found.question.k or 0) < 2:
        raise PolicyError("k must be at least 2", remedy="one person is no crowd")
    if all(action.left_out for action in found.actions):
        raise InfeasibleError(
            "the plan leaves out every column", remedy="plan fewer columns, or ask for a smaller k"
        )


def _model(found: Plan) -> Probabilistic:
    asked, facts = found.question, found.measured
    beta = asked.beta or 0.0
    if asked.simultaneous and facts is not None:
        beta /= facts.classes
    sure = asked.confidence
    return made(
        lambda: Probabilistic(asked.population or 0, asked.k or 0, beta, sure, found.labels)
    )


def _supported(found: Plan) -> bool:
    """Whether the real classes support the k asked for, by the exact tail that is verified."""
    facts, model = found.measured, _model(found)
    if facts is None:
        return False
    least = found.drawn(facts.people).least(model.population, model.k, model.beta)
    return facts.smallest >= least


def _loosened(policy: Policy) -> Policy:
    """The planned levels, or higher ones."""
    return _changed(policy, {name: {"highest": None} for name in policy.quasi})


def _changed(policy: Policy, columns: Mapping[str, Mapping[str, Any]], **settings: Any) -> Policy:
    values = {name: getattr(policy, name) for name in Policy.model_fields}
    changed = {
        name: column.model_copy(update=dict(columns.get(name, {})))
        for name, column in policy.columns.items()
    }
    return made(lambda: Policy.model_validate({**values, "columns": changed, **settings}))


def _raised(found: Plan, levels: Mapping[str, int], engine: MemoryEngine) -> Plan:
    """The plan with these levels in place of its own."""
    coded = engine.codes([action.column for action in found.actions], missing_values=_MISSING)
    actions = tuple(_lifted(action, levels, coded[action.column]) for action in found.actions)
    if all(action.left_out for action in actions):
        k = 0 if found.measured is None else found.measured.supports.k or 0
        raise InfeasibleError(
            f"no levels that show anything support a k of {found.question.k:,}; the planned ones "
            f"support {k:,}",
            remedy=f"ask for a k of at most {k:,}, or plan fewer columns",
        )
    return measured(replace(found, actions=actions), coded)


def _lifted(action: Action, levels: Mapping[str, int], column: CodedColumn) -> Action:
    level = levels.get(action.column, action.rung.level)
    spec = action.rung.hierarchy
    if spec is None or level == action.rung.level or action.left_out:
        return action
    hierarchy, codes = built(column, spec)
    values = len(np.unique(hierarchy.maps[level][codes]))
    says = described(hierarchy, level, spec)
    rung = replace(action.rung, values=values, says=says, level=level)
    return replace(action, rung=rung, note="raised, as the classes of the table are not equal")
