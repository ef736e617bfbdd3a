"""From a table and a policy to rows that may leave once they are verified."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np
import polars as pl

from incrowd.arrays import Codes, Counts, Texts
from incrowd.engines.base import Engine, Shown
from incrowd.errors import PolicyError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.candidates import CandidateCounter
from incrowd.linkage.leaves import joined, people_of
from incrowd.linkage.world import World
from incrowd.models.model import of_world
from incrowd.policy.compile import Compiled, Quasi
from incrowd.policy.compile import compile as compile_problem
from incrowd.policy.policy import Policy, require_declared
from incrowd.recoding import Anatomized, Outcome
from incrowd.release.against import Against
from incrowd.release.leaving import Leaving, assigned, dropped, pseudonymous, shown
from incrowd.release.prepared import Prepared, Table
from incrowd.release.pseudonym import check_key, pseudonyms
from incrowd.release.representatives import representatives
from incrowd.release.split import ends_of, splitting
from incrowd.search.refusals import raise_if_infeasible
from incrowd.table.column import CodedColumn, Domain
from incrowd.table.encode import align
from incrowd.table.roles import Missing
from incrowd.verify.cells import readable
from incrowd.verify.crowds import numbered
from incrowd.verify.ends import end_names
from incrowd.verify.permuted import numbers_shown, places_drawn
from incrowd.watch import Watch

SEARCH_SEED = 0
"""The seed of the search is always this one: that of the shuffle must not be guessed from it."""


class Builder(Protocol):
    """What builds the hierarchy of a column."""

    def build(self, domain: Domain, column: str, counts: Any = None) -> Hierarchy: ...  # noqa: D102


@dataclass(frozen=True)
class Outside:
    """What comes from outside a table and its policy."""

    seed: int | None = None
    """Of the order of records; None: the system's randomness."""
    key: bytes | None = field(default=None, repr=False)
    """The secret of pseudonyms."""
    watch: Watch = field(default_factory=Watch)
    """Whom to tell how far the work has come."""

    def __post_init__(self) -> None:
        if self.seed is not None and self.seed < 0:
            raise PolicyError("the seed must be a whole number from 0 on")

    def search_watch(self, policy: Policy) -> Watch:
        """The time that the search may take: the policy's limit, or what is left if less."""
        left = self.watch.remaining
        limit = policy.time_limit if left is None else min(left, policy.time_limit)
        return Watch(limit, self.watch.tell)


def coded(  # noqa: PLR0913  the table, the request, and a world
    engine: Engine,
    rows: pl.DataFrame,
    policy: Policy,
    builders: Mapping[str, Builder],
    *,
    text: bool,
    against: Against | None = None,
) -> Table:
    """The table of a policy: its columns coded by the leaves of their hierarchies."""
    require_declared(policy, engine.names)
    names = tuple(dict.fromkeys((*policy.quasi, *policy.counted)))
    kinds = {name: kind for name in names if (kind := policy.columns[name].kind) is not None}
    codes = engine.codes(names, kinds, policy.missing_values)
    world = _asked_about(policy, against)
    quasi = {name: with_hierarchy(codes[name], builders[name], world) for name in policy.quasi}
    counted = {
        name: with_hierarchy(codes[name], builders[name])
        if name in builders and name not in quasi
        else (codes[name], None)
        for name in policy.counted
    }
    unit = None if policy.unit is None else engine.units(policy.unit, policy.missing_values)
    weights = None if policy.weight is None else engine.weights(policy.weight)
    people = {} if world is None else _people(world, quasi)
    compiled = compile_problem(
        policy, quasi, counted, unit, weights, seed=SEARCH_SEED, world_people=people
    )
    if against is not None:
        against, compiled = _opposed(against, compiled, quasi, exact=policy.ends == "exact")
    read_as = {name: codes[name].domain.kind for name in policy.counted}
    return Table(policy, rows, text, quasi, counted, unit, weights, compiled, against, read_as)


def _asked_about(policy: Policy, against: Against | None) -> World | None:
    """The world whose people decide what labels end on, if a model asks about one.

    With exact ends the table decides alone.
    """
    asked = any(map(of_world, policy.models)) and policy.ends != "exact"
    return against.world if against is not None and asked else None


def _people(world: World, quasi: Quasi) -> dict[str, Counts]:
    """The individuals of the world on the leaves of each column that it knows."""
    return {
        name: people_of(world, name, hierarchy.leaves)
        for name, (_, hierarchy) in quasi.items()
        if name in world.columns
    }


def _opposed(
    against: Against, compiled: Compiled, quasi: Quasi, *, exact: bool
) -> tuple[Against, Compiled]:
    """The world read by the table's hierarchies, and the problem that knows it."""
    problem = compiled.problem
    reading = Missing.OWN_VALUE if problem.missing is Missing.SUPPRESS else problem.missing
    world = CandidateCounter.of(against.world, problem.columns, reading, exact=exact)
    trees = {name: hierarchy for name, (_, hierarchy) in quasi.items()}
    problem = replace(problem, world=world)
    return replace(against, hierarchies=trees), replace(compiled, problem=problem)


def search(table: Table, outside: Outside) -> Any:
    """What the policy's search finds; refuses at once what no release could satisfy."""
    if pseudonymous(table.policy):
        check_key(outside.key)
    problem = table.compiled.problem
    raise_if_infeasible(problem)
    _refuse_blind(table.policy)
    if getattr(table.policy.search, "draws", False):
        problem = replace(problem, seed=_search_seed(outside))
    found = table.policy.search.run(problem, outside.search_watch(table.policy))
    if table.policy.show == "permutation":
        found = replace(found, recoding=Anatomized(found.recoding.pieces))
    return found


def _refuse_blind(policy: Policy) -> None:
    """A search that looks at the table alone cannot keep a model of a world."""
    asked = [model.name for model in policy.models if of_world(model)]
    if asked and policy.search.name not in {"auto", "world"}:
        raise PolicyError(
            f"the search '{policy.search.name}' does not count the people of a world, whom "
            f"{asked[0]} asks about",
            remedy="take search = 'auto' or 'world'",
        )


def _search_seed(outside: Outside) -> int:
    """For a search that draws: whoever knew its seed could tell something of who was drawn."""
    entropy = None if outside.seed is None else [outside.seed, 1]
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])


def prepare(table: Table, engine: Engine, found: Any, outside: Outside) -> Prepared:
    """The rows that what was found would show."""
    policy = table.policy
    rng = np.random.default_rng(outside.seed)
    outcome = table.compiled.problem.outcome(found.recoding)
    classes = assigned(len(table.rows), table.compiled, found.recoding.pieces, rng)
    staying = int((classes >= 0).sum())
    leaving = Leaving(
        classes=classes,
        order=None if policy.order == "keep" else rng.permutation(staying),
        shown=_shown(table, outcome, classes, rng),
        dropped=dropped(policy),
        pseudonyms={name: _pseudonyms(table, name, outside) for name in pseudonymous(policy)},
    )
    if policy.class_column is not None:
        numbers = numbers_shown(classes, leaving.records)
        leaving = replace(leaving, added={policy.class_column: numbers})
    if policy.split_ends:
        leaving = _split(leaving, table)
    frame = engine.release(
        leaving.shown, classes, leaving.order, leaving.dropped, leaving.pseudonyms, leaving.added
    )
    drawn = outside.seed is None
    return Prepared(table, found, outcome, leaving, frame, _order(policy, outside), drawn)


def _shown(
    table: Table, outcome: Outcome, classes: Codes, rng: np.random.Generator
) -> dict[str, Shown | Counts]:
    if table.policy.show == "permutation":
        return dict.fromkeys(table.policy.sensitive, places_drawn(classes, rng))
    if table.policy.show == "representatives":
        codes = {name: column.codes for name, (column, _) in table.quasi.items()}
        return {**representatives(outcome, codes)}
    return {**shown(outcome)}


def _unchanged(what: Shown | Counts) -> bool:
    """Whether a column shows the values of its records as they were."""
    return isinstance(what, tuple) and what[1] is True


def _split(leaving: Leaving, table: Table) -> Leaving:
    """What leaves, with the ends of what cells say in place of labels of numbers and dates."""
    shown, added = dict(leaving.shown), dict(leaving.added)
    spans = {name: pair for name, pair in table.quasi.items() if not _unchanged(shown[name])}
    names = splitting(spans, table.rows.columns)
    for name in names:
        labels = np.append(np.asarray(shown.pop(name)[0], dtype=object), [None])
        ends = ends_of(table.quasi[name][1], labels)
        for title, values in zip(end_names(name), ends, strict=True):
            added[title] = values[leaving.classes]
    return replace(
        leaving, shown=shown, added=added, dropped=(*leaving.dropped, *names), split=names
    )


def with_hierarchy(
    column: CodedColumn, builder: Builder, world: World | None = None
) -> tuple[CodedColumn, Hierarchy]:
    """The column in codes of its hierarchy, built for the world's people too if it knows them."""
    there = None if world is None else world.columns.get(column.name)
    if world is None or there is None or there.domain.kind is not column.domain.kind:
        counts = np.bincount(column.codes, minlength=len(column.domain) + 1)[1:]
        hierarchy = builder.build(column.domain, column.name, counts.astype(np.int64))
    else:
        domain = joined(column.domain, there.domain)
        counts = people_of(world, column.name, domain)[1:]
        hierarchy = builder.build(domain, column.name, counts)
    return align(column, hierarchy.leaves), hierarchy


def _pseudonyms(table: Table, name: str, outside: Outside) -> Texts:
    column = readable(table.rows.select(name), table.policy.missing_values, text=table.text)
    cells = numbered(column[name])
    found = pseudonyms(name, cells.labels.to_list(), check_key(outside.key))
    return np.array([None, *found], dtype=object)[cells.codes]


def _order(policy: Policy, outside: Outside) -> Literal["system", "given", "kept"]:
    if policy.order == "keep":
        return "kept"
    return "system" if outside.seed is None else "given"
