"""How easily the people of a table are found, and what is then learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts
from incrowd.engines.base import Engine
from incrowd.engines.fetch import in_memory
from incrowd.errors import PolicyError
from incrowd.exposure import Risk, measure, population_size
from incrowd.exposure import special_uniques as special_uniques_of_exposure
from incrowd.exposure.explained import explained, exposed
from incrowd.hierarchy import suggestion
from incrowd.identify import distinct_values
from incrowd.io import files
from incrowd.io import hierarchies as hierarchies_of_io
from incrowd.io.files import AnyPolicy
from incrowd.io.reading import AnyPath, Reading, enough_memory, file_of, opened
from incrowd.partition.classes import SensitiveColumn
from incrowd.policy import coding
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.encode import align
from incrowd.table.names import listed
from incrowd.table.tally import Tally
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.hierarchy import AnyHierarchy
    from incrowd.policy.policy import Policy


@dataclass(frozen=True, kw_only=True)
class RiskOptions:
    """What to measure in a table; see `risk`."""

    quasi: Sequence[str]
    sensitive: Sequence[str] = ()
    unit: str | None = None
    weight: str | None = None
    policy: Policy | None = None
    """Says of what kind values are, and which cells mean missing."""
    hierarchies: Mapping[str, AnyHierarchy] | None = None
    threshold: float = 0.2
    missing_values: Sequence[str] = ()
    population: float | str | None = None
    fraction: float | None = None
    special_uniques: int | None = None
    explain: bool = False

    def __post_init__(self) -> None:
        """Refuse values that mean nothing."""
        object.__setattr__(self, "quasi", listed(self.quasi))
        object.__setattr__(self, "sensitive", listed(self.sensitive))
        if not self.quasi:
            raise PolicyError(
                "no quasi-identifying column is named",
                remedy="name the columns that a person could be found by, such as --quasi age,zip",
            )
        if not 0 <= self.threshold <= 1:
            raise PolicyError(
                "threshold must be from 0 to 1", remedy="give a share: 0.2 is one in five"
            )
        if self.special_uniques is not None and self.special_uniques < 1:
            raise PolicyError(
                "a set of columns that makes records unique has at least 1 column",
                remedy="give the most columns of such a set (--max-size): 4 is usual",
            )
        _ = self.drawn_from

    @property
    def drawn_from(self) -> int | None:
        """The people of the population, if they are given."""
        if self.population is None:
            return None
        return distinct_values.population(self.population)

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that are named: the table must have them."""
        return (*self.quasi, *self.sensitive, *filter(None, (self.unit, self.weight)))


def risk(  # noqa: PLR0913  the table, its columns by what they are for, and settings
    source: Any,
    *,
    quasi: str | Sequence[str] = (),
    sensitive: str | Sequence[str] = (),
    unit: str | None = None,
    weight: str | None = None,
    policy: AnyPolicy | None = None,
    threshold: float = 0.2,
    population: float | str | None = None,
    fraction: float | None = None,
    special_uniques: int | None = None,
    explain: bool = False,
    hierarchies: Mapping[str, AnyHierarchy] | None = None,
    missing_values: Sequence[str] = (),
    list_records: AnyPath | None = None,
    reading: Reading | None = None,
    watch: Watch | None = None,
    folder: AnyPath = ".",
) -> Risk:
    """How easily a person of this table is found by these columns, and what is then learned.

    `source` is a frame, the path of a file or a table elsewhere, where it is counted (see
    `incrowd.api`); `reading` says how to read the file. Values are compared as they are. `unit`
    names the column that says which records belong to one person; a record is exposed if its risk
    is above the `threshold`; texts among `missing_values` mean that a value is missing. If the
    table is a sample, `weight` names the column of sampling weights, or `population` is how many
    people it was drawn from (a number, or a name such as "usa"), or `fraction` the share of them
    that it holds: the risk in the population is then estimated, with 95 % intervals.

    `special_uniques` looks for the smallest sets of columns, up to so many columns, that make a
    record unique. `explain` adds what each column does, and what would lower the risk.
    `hierarchies` are those of sensitive columns, for distances, and of quasi-identifying ones, for
    coarser values; without one, the data suggests it. `list_records` is a file for the numbers of
    the exposed records, from 1, one a line: it says who is easiest to find, so keep it where the
    table is kept.

    What is not given is taken from a `policy`, or its file: columns by their roles, hierarchies,
    whose paths start in `folder`, kinds of values, and which cells mean missing.
    """
    folder = files.folder_of_policy(policy, folder)
    asked = None if policy is None else files.policy_of(policy)
    if asked is not None:
        quasi, sensitive = listed(quasi) or asked.quasi, listed(sensitive) or asked.sensitive
        unit, weight = unit or asked.unit, weight or asked.weight
        hierarchies = {**hierarchies_of_io.builders_of(asked, folder), **(hierarchies or {})}
    options = RiskOptions(
        quasi=quasi,
        sensitive=sensitive,
        unit=unit,
        weight=weight,
        policy=asked,
        hierarchies=hierarchies,
        threshold=threshold,
        missing_values=missing_values,
        population=population,
        fraction=fraction,
        special_uniques=special_uniques,
        explain=explain,
    )
    if list_records is not None:
        _refuse_listing(source, list_records)
    watch = watch or Watch()
    with enough_memory(), opened(source, reading, options.named, watch=watch) as there:
        engine = there.engine
        if list_records is not None:
            engine = in_memory(engine, options.named)
        found, tally = _risk(engine, options, watch)
        if list_records is not None:
            _write_exposed(tally, options.threshold, list_records)
        return found


@dataclass(frozen=True, eq=False)
class _Coded:
    """A table with its coded columns."""

    engine: Engine
    quasi: Mapping[str, CodedColumn]
    unit: CodedColumn | None


def _risk(engine: Engine, options: RiskOptions, watch: Watch) -> tuple[Risk, Tally]:
    """The risk, and the tally that it was measured on."""
    names = listed((*options.quasi, *options.sensitive))
    watch.tell(f"coding {len(names):,} columns", 0.0)
    codes = _codes(engine, names, options)
    unit = _unit(engine, options)
    coded = _Coded(engine, {name: codes[name] for name in options.quasi}, unit)
    columns, sensitive = [], []
    for name in options.sensitive:
        column, described = _sensitive(coded, codes[name], (options.hierarchies or {}).get(name))
        columns.append(column)
        sensitive.append(described)
    watch.tell("counting classes", 0.0)
    tally = engine.tally([*coded.quasi.values()], columns, unit, options.weight)
    watch.tell("measuring the risk", 0.0)
    population = population_size(_people(coded), options.drawn_from, options.fraction)
    found = measure(tally, sensitive, options.threshold, population=population)
    return _more(found, coded, tally, (options, watch)), tally


def _codes(engine: Engine, names: Sequence[str], options: RiskOptions) -> Mapping[str, CodedColumn]:
    """These columns as codes, read as the policy says if there is one."""
    if options.policy is None:
        return engine.codes(names, missing_values=options.missing_values)
    return coding.coded_by(engine, options.policy, names, options.missing_values)


def _unit(engine: Engine, options: RiskOptions) -> CodedColumn | None:
    """Which records belong to one person, if a column says so."""
    policy = options.policy
    if policy is not None and policy.unit == options.unit:
        return coding.unit_by(engine, policy)
    return None if options.unit is None else engine.unit(options.unit, options.missing_values)


def _people(coded: _Coded) -> int:
    """The number of distinct units; a record without one is a person of its own."""
    if coded.unit is None:
        return coded.engine.records
    there = coded.engine.frequency(coded.unit)
    return int(there[0] + np.count_nonzero(there[1:]))


def _more(found: Risk, coded: _Coded, tally: Tally, request: tuple[RiskOptions, Watch]) -> Risk:
    """Add special uniques and explanations, if they are asked for."""
    options, watch = request
    names = list(coded.quasi)
    if options.special_uniques is not None:
        lines = coded.engine.counts((), [*coded.quasi.values()], coded.unit)
        codes = [lines.codes[name] for name in names]
        sets = special_uniques_of_exposure.minimal(
            names, codes, lines.unit, options.special_uniques, watch, records=lines.records
        )
        special = special_uniques_of_exposure.special_uniques(
            sets, _sampled(found, tally), options.threshold
        )
        found = replace(found, special_uniques=special)
    if options.explain:
        coarser = _coarser(coded.quasi, options.hierarchies or {})
        found = replace(found, explained=explained(names, tally, found, coarser, watch))
    return found


def _sampled(found: Risk, tally: Tally) -> float | None:
    """The share of the population that is in the table, if it is known."""
    if found.uniqueness is not None:
        return min(found.uniqueness.fraction, 1.0)
    if tally.weights is None or not tally.weights.sum():
        return None
    return min(tally.records / float(tally.weights.sum()), 1.0)


def _coarser(
    quasi: Mapping[str, CodedColumn], hierarchies: Mapping[str, AnyHierarchy]
) -> dict[str, Codes]:
    """By column: the code of each code one level higher, unless that is the top."""
    found = {}
    for name, column in quasi.items():
        spec = hierarchies_of_io.resolve(hierarchies.get(name, suggestion.Suggested()), Path())
        hierarchy = spec.build(column.domain, name)
        if hierarchy.height > 1:
            every = np.arange(len(column.domain) + 1, dtype=np.int32)
            leaves = align(CodedColumn(name, every, column.domain), hierarchy.leaves).codes
            found[name] = hierarchy.maps[1][leaves]
    return found


def _refuse_listing(source: Any, target: AnyPath) -> None:
    if str(target) == "-":
        raise PolicyError("the list of records needs a file", remedy="name a file")
    path = file_of(source)
    if path is not None and files.same_file(path, target):
        raise PolicyError(
            "the list of records would overwrite the table", remedy="name another file"
        )


def _write_exposed(tally: Tally, threshold: float, path: AnyPath) -> None:
    """Write the numbers of the records above the threshold, from 1."""
    rows = exposed(tally, tally.quasi, threshold)
    records = np.flatnonzero(rows if tally.row_of is None else rows[tally.row_of]) + 1
    files.write_text(path, "".join(f"{record}\n" for record in records.tolist()))


def _sensitive(
    coded: _Coded, column: CodedColumn, spec: AnyHierarchy | None
) -> tuple[CodedColumn, SensitiveColumn]:
    ordered, maps = column.domain.kind is not Kind.TEXT, None
    if spec is not None:
        hierarchy = hierarchies_of_io.resolve(spec, Path()).build(column.domain, column.name)
        column = align(column, hierarchy.leaves)
        ordered, maps = ordered or hierarchy.ordered, hierarchy.maps
    people = _people_per_code(coded, column)
    return column, SensitiveColumn(column.name, people, ordered=ordered, maps=maps)


def _people_per_code(coded: _Coded, column: CodedColumn) -> Counts:
    """People per code: a person counts once per code, a record without a unit is a person."""
    if coded.unit is None:
        return coded.engine.frequency(column)
    lines = coded.engine.counts((), [column], coded.unit)
    people = np.where(lines.unit == MISSING, lines.records, 1)
    size = len(column.domain) + 1
    return np.bincount(lines.codes[column.name], people, size).astype(np.int64)
