"""A table read by its policy: columns coded, hierarchies built, what a search needs counted.

What is loaded can be kept: a release, a curve and a what-if start from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from incrowd.arrays import Counts
from incrowd.engines.base import Engine
from incrowd.errors import PolicyError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.candidates import CandidateCounter
from incrowd.linkage.world import World, joined, people_of
from incrowd.models.model import of_world
from incrowd.policy.compile import Compiled, Counted, Quasi, count
from incrowd.policy.compile import compile as compile_problem
from incrowd.policy.policy import Policy, require_declared
from incrowd.release.certificate import CertifiedWorld, Digest
from incrowd.table.column import CodedColumn, Domain, Kind, Missing
from incrowd.table.encode import align
from incrowd.verify.candidates import PublicTable
from incrowd.verify.verify import Reference
from incrowd.watch import Watch


@dataclass(frozen=True, eq=False)
class WorldReference:
    """The world that somebody may hold, and what its files or frames were."""

    world: World
    digests: tuple[Digest, ...]
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """What labels stand for, by column; those of other columns are read as they are written."""
    joined: tuple[str, ...] = ()
    """What is taken for granted where several tables are one world, in words."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is taken for granted about who is who, in words."""
        return (*self.world.notes, *self.joined)

    @property
    def opposed(self) -> CertifiedWorld:
        """What a certificate says of the world: no value of it."""
        return CertifiedWorld(
            digests=self.digests,
            columns=self.world.names,
            rows=self.world.rows,
            people=self.world.people,
        )

    @property
    def public(self) -> PublicTable:
        """The world as verification sees it."""
        return PublicTable(self.world.columns, self.world.individual, self.hierarchies)

    def __repr__(self) -> str:
        """Without values."""
        return f"WorldReference({self.world!r})"


SEARCH_SEED = 0
"""The seed of the search is always this one: that of the shuffle must not be guessed from it."""


class Builder(Protocol):
    """What builds the hierarchy of a column."""

    def build(self, domain: Domain, column: str, counts: Any = None) -> Hierarchy: ...  # noqa: D102


@dataclass(frozen=True)
class RunContext:
    """Settings of one run: seed, secret key, progress."""

    seed: int | None = None
    """Of what is drawn; None takes the system's randomness."""
    key: bytes | None = field(default=None, repr=False)
    """The secret key of pseudonyms."""
    watch: Watch = field(default_factory=Watch)
    """The time there is, and the progress callback."""

    def __post_init__(self) -> None:
        if self.seed is not None and self.seed < 0:
            raise PolicyError("the seed must be 0 or a larger whole number")

    def search_watch(self, policy: Policy) -> Watch:
        """The time that the search may take: the policy's limit, or what is left if less."""
        left = self.watch.remaining
        limit = policy.time_limit if left is None else min(left, policy.time_limit)
        return Watch(limit, self.watch.tell)


@dataclass(frozen=True, eq=False)
class LoadedTable:
    """A table read by its policy: its columns as codes, and the problem that a search gets."""

    policy: Policy
    """As the user wrote it."""
    engine: Engine
    quasi: Quasi
    counted: Counted
    unit: CodedColumn | None
    compiled: Compiled
    against: WorldReference | None = None
    """The world that the release is held against, if there is one."""
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """What the values of the counted columns were read as."""

    def __repr__(self) -> str:
        """Without values."""
        return f"LoadedTable({self.engine.records} records, {len(self.engine.names)} columns)"

    @property
    def coded(self) -> tuple[CodedColumn, ...]:
        """The columns of the tally, quasi-identifying ones first."""
        quasi = (self.quasi[name][0] for name in self.policy.quasi)
        return (*quasi, *(self.counted[name][0] for name in self.policy.counted))

    @property
    def people(self) -> int:
        """Different people of the whole table; a record without a unit is one."""
        if self.unit is None:
            return self.engine.records
        there = self.engine.frequency(self.unit)
        return int(there[0] + (there[1:] > 0).sum())

    @cached_property
    def reference(self) -> dict[str, Reference]:
        """How the columns that models are about are spread in this table."""
        names = dict.fromkeys(model.columns[0] for model in self.policy.models if model.columns)
        return {name: self._reference(name) for name in names}

    def _reference(self, name: str) -> Reference:
        column, hierarchy = self.counted[name]
        rows = self.engine.counts([name], [column], self.unit)
        maps = None if hierarchy is None else hierarchy.maps
        return Reference.read(rows, name, len(column.domain), maps)


def load(
    engine: Engine,
    policy: Policy,
    builders: Mapping[str, Builder],
    against: WorldReference | None = None,
) -> LoadedTable:
    """The table of a policy: its columns coded by the leaves of their hierarchies, and counted."""
    require_declared(policy, engine.names)
    names = tuple(dict.fromkeys((*policy.quasi, *policy.counted)))
    kinds = {name: kind for name in names if (kind := policy.columns[name].kind) is not None}
    codes = engine.codes(names, kinds, policy.missing_values)
    world = _asked_about(policy, against)
    quasi = {
        name: with_hierarchy(engine, codes[name], builders[name], world) for name in policy.quasi
    }
    counted = {
        name: with_hierarchy(engine, codes[name], builders[name])
        if name in builders and name not in quasi
        else (codes[name], None)
        for name in policy.counted
    }
    unit = None if policy.unit is None else engine.unit(policy.unit, policy.missing_values)
    compiled = compile_problem(
        policy,
        quasi,
        counted,
        count(engine, policy, quasi, counted, unit),
        seed=SEARCH_SEED,
        world_people={} if world is None else _people(world, quasi),
    )
    if against is not None:
        against, compiled = _opposed(against, compiled, quasi, exact=policy.ends == "exact")
    read_as = {name: codes[name].domain.kind for name in policy.counted}
    return LoadedTable(policy, engine, quasi, counted, unit, compiled, against, read_as)


def with_hierarchy(
    engine: Engine, column: CodedColumn, builder: Builder, world: World | None = None
) -> tuple[CodedColumn, Hierarchy]:
    """The column in codes of its hierarchy, built for the world's people too if it knows them."""
    there = None if world is None else world.columns.get(column.name)
    if world is None or there is None or there.domain.kind is not column.domain.kind:
        hierarchy = builder.build(column.domain, column.name, engine.frequency(column)[1:])
    else:
        domain = joined(column.domain, there.domain)
        hierarchy = builder.build(domain, column.name, people_of(world, column.name, domain)[1:])
    return align(column, hierarchy.leaves), hierarchy


def _asked_about(policy: Policy, against: WorldReference | None) -> World | None:
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
    against: WorldReference, compiled: Compiled, quasi: Quasi, *, exact: bool
) -> tuple[WorldReference, Compiled]:
    """The world read by the table's hierarchies, and the problem that knows it."""
    problem = compiled.problem
    reading = Missing.OWN_VALUE if problem.missing is Missing.SUPPRESS else problem.missing
    world = CandidateCounter.of(against.world, problem.columns, reading, exact=exact)
    trees = {name: hierarchy for name, (_, hierarchy) in quasi.items()}
    problem = replace(problem, world=world)
    return replace(against, hierarchies=trees), replace(compiled, problem=problem)
