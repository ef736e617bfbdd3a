"""Load a table by its policy, for releases, frontiers and what-ifs: code and count its rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from incrowd.arrays import Counts
from incrowd.engines.base import Engine
from incrowd.errors import PolicyError
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.linkage.candidates import CandidateCounter
from incrowd.linkage.world import World, people_by_leaf, union_domain
from incrowd.models.model import counts_world_people
from incrowd.policy.coding import code_columns, code_unit, refuse_marked_weights
from incrowd.policy.compile import (
    Compiled,
    Counted,
    Counting,
    Quasi,
    Sampler,
    count_for_search,
    count_people,
)
from incrowd.policy.compile import compile as compile_problem
from incrowd.policy.policy import IMPROVING, Policy, require_declared
from incrowd.release.certificate import CertifiedWorld, Digest
from incrowd.table.column import CodedColumn, Domain, Kind, Missing
from incrowd.table.encode import align
from incrowd.verify.candidates import PublicTable
from incrowd.verify.verify import Reference
from incrowd.watch import NestedWatch, Watch


@dataclass(frozen=True, eq=False)
class WorldReference:
    """A world that an attacker may hold, with the digests of its tables."""

    world: World
    digests: tuple[Digest, ...]
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    """Hierarchies by column; labels of other columns are read as exact values."""
    joined: tuple[str, ...] = ()
    """Assumptions of joining several tables into one world, in words."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Assumptions about identities across tables, in words."""
        return (*self.world.notes, *self.joined)

    @property
    def certificate_entry(self) -> CertifiedWorld:
        """The world's entry in a certificate, without values."""
        return CertifiedWorld(
            digests=self.digests,
            columns=self.world.names,
            rows=self.world.rows,
            people=self.world.people,
        )

    @property
    def public_table(self) -> PublicTable:
        """The world as verification sees it."""
        return PublicTable(self.world.columns, self.world.individual, self.hierarchies)

    def __repr__(self) -> str:
        """Without values."""
        return f"WorldReference({self.world!r})"


SEARCH_SEED = 0
"""The fixed seed of the search: it reveals nothing about the seed of the shuffle."""


class HierarchyBuilder(Protocol):
    """Builds the hierarchy of a column."""

    def build(self, domain: Domain, column: str, counts: Any = None) -> Hierarchy:
        """Build it over the values of a domain; `InputError` if they do not fit it.

        `counts`, shape (values,), has the records or people of each value, the missing left out.
        """


class PartFolder(Protocol):
    """A folder of finished parts, for one request."""

    @property
    def seed(self) -> int:
        """What everything random is drawn from: the same in each attempt."""

    def make_folder(self, request: str) -> Path:
        """Make the folder for the parts of the request of this digest; remove those of others."""


_LENIENCE = 1.0
"""Seconds by which a search may exceed its time limit without a word."""


@dataclass(frozen=True)
class RunContext:
    """Settings of one run: seed, secret key, progress."""

    seed: int | None = None
    """Seed of random draws; None uses the system's randomness."""
    key: bytes | None = field(default=None, repr=False)
    """The secret key of pseudonyms."""
    watch: Watch = field(default_factory=Watch)
    """Time limit and progress callback."""
    kept: PartFolder | None = None
    """Where parts that are done are kept, to go on from them after a crash."""

    def __post_init__(self) -> None:
        """Refuse a negative seed."""
        if self.seed is not None and self.seed < 0:
            raise PolicyError("the seed must be a whole number of at least 0")

    def search_watch(self, policy: Policy) -> Watch:
        """The watch of the search: the policy's time limit within the run's.

        If the policy has none, the search for a first answer is not limited, and improving it ends
        after `IMPROVING` seconds.
        """
        if policy.time_limit is not None:
            return NestedWatch(self.watch, policy.time_limit)
        return NestedWatch(self.watch, IMPROVING, answer_first=True)


def overtime_of(policy: Policy, watch: Watch) -> str:
    """Say that a search exceeded the policy's time limit by over a second; "" if it did not."""
    limit, took = policy.time_limit, watch.elapsed
    if limit is None or took <= limit + _LENIENCE:
        return ""
    step = watch.doing or "the search"
    return (
        f"the search took {took:,.0f} s, longer than its time limit of {limit:g} s: its last step "
        f"({step}) cannot be interrupted"
    )


@dataclass(frozen=True, eq=False, repr=False)
class CodedTable:
    """A table whose columns are coded."""

    engine: Engine
    quasi: Quasi
    counted: Counted
    unit: CodedColumn | None
    kinds: Mapping[str, Kind]
    """The type of values of each counted column."""

    def __repr__(self) -> str:
        """Without values."""
        size = f"{self.engine.records} records, {len(self.engine.names)} columns"
        return f"{type(self).__name__}({size})"


@dataclass(frozen=True, eq=False, repr=False)
class LoadedTable(CodedTable):
    """A table loaded by its policy: coded columns and the problem for the search."""

    policy: Policy
    """The policy as the user wrote it."""
    compiled: Compiled
    against: WorldReference | None = None
    """The world that the release is compared with, if any."""

    @property
    def world(self) -> WorldReference:
        """The world that the release is compared with; only for tables that have one."""
        assert self.against is not None  # noqa: S101  whoever asks has seen it
        return self.against

    @property
    def coded_columns(self) -> tuple[CodedColumn, ...]:
        """The columns of the tally, quasi-identifying ones first."""
        quasi = (self.quasi[name][0] for name in self.policy.quasi)
        return (*quasi, *(self.counted[name][0] for name in self.policy.counted))

    @property
    def people(self) -> int:
        """People in the whole table; a record without a unit is one person."""
        return count_people(self.engine, self.unit)

    @cached_property
    def reference(self) -> dict[str, Reference]:
        """By column that a model judges: its distribution over the people of the table."""
        names = dict.fromkeys(model.columns[0] for model in self.policy.models if model.columns)
        return {name: self.reference_of(name) for name in names}

    def reference_of(self, name: str) -> Reference:
        """Count how one of the counted columns is spread over the people of the table."""
        column, hierarchy = self.counted[name]
        rows = self.engine.counts([name], [column], self.unit)
        maps = None if hierarchy is None else hierarchy.maps
        return Reference.read(rows, name, len(column.domain), maps)


@dataclass(frozen=True, eq=False, repr=False)
class CountedTable(CodedTable):
    """A table whose columns are coded and whose rows are counted.

    Policies that give columns the same roles, hierarchies and types, and that read missing values
    alike, start from the same counts: only what classes must satisfy is compiled anew.
    """

    counting: Counting

    def load_by(self, policy: Policy, against: WorldReference | None = None) -> LoadedTable:
        """Load the table by a policy, from the counts that are here."""
        world = world_of_labels(policy, against)
        compiled = compile_problem(
            policy,
            self.quasi,
            self.counted,
            self.counting,
            seed=SEARCH_SEED,
            world_people={} if world is None else _world_people(world, self.quasi),
        )
        if against is not None:
            exact = policy.ends == "exact"
            against, compiled = _add_world(against, compiled, self.quasi, exact=exact)
        coded = self.engine, self.quasi, self.counted, self.unit, self.kinds
        return LoadedTable(*coded, policy, compiled, against)


def load(
    engine: Engine,
    policy: Policy,
    builders: Mapping[str, HierarchyBuilder],
    against: WorldReference | None = None,
    sampled: Sampler | None = None,
) -> LoadedTable:
    """Load a table: code its columns by the leaves of their hierarchies and count the rows.

    With `sampled` the tally is that of a sample; single columns are still counted whole.
    `PolicyError` if policy and table have different columns.
    """
    world = world_of_labels(policy, against)
    return count_table(engine, policy, builders, world, sampled).load_by(policy, against)


def count_table(
    engine: Engine,
    policy: Policy,
    builders: Mapping[str, HierarchyBuilder],
    world: World | None = None,
    sampled: Sampler | None = None,
) -> CountedTable:
    """Code and count a table as `load` does, by hierarchies that cover the world's values."""
    require_declared(policy, engine.names)
    refuse_marked_weights(engine, policy)
    names = tuple(dict.fromkeys((*policy.quasi, *policy.counted)))
    codes = code_columns(engine, policy, names)
    quasi = {
        name: code_by_hierarchy(engine, codes[name], builders[name], world) for name in policy.quasi
    }
    counted = {
        name: code_by_hierarchy(engine, codes[name], builders[name])
        if name in builders and name not in quasi
        else (codes[name], None)
        for name in policy.counted
    }
    unit = code_unit(engine, policy)
    counting = count_for_search(engine, policy, quasi, counted, unit, sampled)
    read_as = {name: codes[name].domain.kind for name in policy.counted}
    return CountedTable(engine, quasi, counted, unit, read_as, counting)


def code_by_hierarchy(
    engine: Engine, column: CodedColumn, builder: HierarchyBuilder, world: World | None = None
) -> tuple[CodedColumn, Hierarchy]:
    """Build a hierarchy, also over the world's values; return (column coded by it, hierarchy)."""
    there = None if world is None else world.columns.get(column.name)
    if world is None or there is None or there.domain.kind is not column.domain.kind:
        hierarchy = builder.build(column.domain, column.name, engine.frequency(column)[1:])
    else:
        domain = union_domain(column.domain, there.domain)
        hierarchy = builder.build(
            domain, column.name, people_by_leaf(world, column.name, domain)[1:]
        )
    return align(column, hierarchy.leaves), hierarchy


def world_of_labels(policy: Policy, against: WorldReference | None) -> World | None:
    """The world that decides the ends of labels; None if no model uses one, or ends are exact."""
    asked = any(map(counts_world_people, policy.models)) and policy.ends != "exact"
    return against.world if against is not None and asked else None


def _world_people(world: World, quasi: Quasi) -> dict[str, Counts]:
    """Count the world's individuals per leaf, by column of the world."""
    return {
        name: people_by_leaf(world, name, hierarchy.leaves)
        for name, (_, hierarchy) in quasi.items()
        if name in world.columns
    }


def _add_world(
    against: WorldReference, compiled: Compiled, quasi: Quasi, *, exact: bool
) -> tuple[WorldReference, Compiled]:
    """Add hierarchies to the world, and the world to the problem; `exact` if ends are values."""
    problem = compiled.problem
    reading = Missing.OWN_VALUE if problem.missing is Missing.SUPPRESS else problem.missing
    world = CandidateCounter.of(against.world, problem.columns, reading, exact=exact)
    trees = {name: hierarchy for name, (_, hierarchy) in quasi.items()}
    problem = replace(problem, world=world)
    return replace(against, hierarchies=trees), replace(compiled, problem=problem)
