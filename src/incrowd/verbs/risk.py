"""How easily the people of a table are found, and what is then learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts
from incrowd.engines.base import Engine
from incrowd.engines.fetch import fetch_into_memory
from incrowd.errors import PolicyError
from incrowd.exposure import Risk, measure, population_size
from incrowd.exposure import special_uniques as special_uniques_of_exposure
from incrowd.exposure.explained import explain_columns, rows_at_risk
from incrowd.hierarchy import suggestion
from incrowd.identify import distinct_values
from incrowd.io import files
from incrowd.io import hierarchies as hierarchies_of_io
from incrowd.io.reading import AnyPath, enough_memory, file_of, open_table
from incrowd.partition.classes import SensitiveColumn
from incrowd.policy import coding
from incrowd.requests.request import verb
from incrowd.requests.risk import RiskRequest
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.encode import align
from incrowd.table.names import unique_names
from incrowd.table.tally import Tally
from incrowd.verbs.policies import with_policy
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.hierarchy import AnyHierarchy


@verb(RiskRequest)
def risk(asked: RiskRequest) -> Risk:
    """How easily a person of this table is found by these columns, and what is then learned.

    The table is a frame, the path of a file or a table elsewhere, where it is counted (see
    `incrowd.api`). Values are compared as they are. If the table is a sample, give `weight`,
    `population` or `fraction`: the risk in the population is then estimated, with 95 % intervals.
    The file of `list_records` has their numbers from 1, one a line: it says who is easiest to find,
    so keep it where the table is kept.

    What is not given is taken from a `policy`, or its file: columns by their roles, hierarchies,
    kinds of values, and which cells mean missing.
    """
    asked = _fill_in_policy(asked)
    named = (*asked.quasi, *asked.sensitive, *filter(None, (asked.unit, asked.weight)))
    if asked.list_records is not None:
        _refuse_listing(asked.source, asked.list_records)
    watch = asked.watch or Watch()
    with enough_memory(), open_table(asked.source, asked.reading, named, watch=watch) as there:
        engine = there.engine
        if asked.list_records is not None:
            engine = fetch_into_memory(engine, named)
        found, tally = _measure_risk(engine, asked, watch)
        if asked.list_records is not None:
            _write_exposed(tally, asked.threshold, asked.list_records)
        return found


def _fill_in_policy(asked: RiskRequest) -> RiskRequest:
    """Fill in from the policy what the request leaves open; refuse what cannot be measured."""
    asked = with_policy(asked)
    policy = asked.policy
    if policy is not None:
        given = asked.hierarchies or {}
        asked = replace(
            asked,
            quasi=asked.quasi or policy.quasi,
            sensitive=asked.sensitive or policy.sensitive,
            unit=asked.unit or policy.unit,
            weight=asked.weight or policy.weight,
            hierarchies={**hierarchies_of_io.builders_of(policy, asked.folder), **given},
        )
    _refuse_unmeasurable(asked)
    return asked


def _refuse_unmeasurable(asked: RiskRequest) -> None:
    """Raise `PolicyError` without quasi-identifiers, or for an invalid set size or population."""
    if not asked.quasi:
        raise PolicyError(
            "no quasi-identifying column is named",
            remedy="name the columns that a person could be found by, such as --quasi age,zip",
        )
    if asked.special_uniques is not None and asked.special_uniques < 1:
        raise PolicyError(
            "a set of columns that makes records unique has at least 1 column",
            remedy="give the most columns of such a set (--max-size): 4 is usual",
        )
    _ = _given_population(asked)


def _given_population(asked: RiskRequest) -> int | None:
    """The people of the population that the request gives; None if it gives none."""
    return None if asked.population is None else distinct_values.parse_population(asked.population)


@dataclass(frozen=True, eq=False)
class _Coded:
    """A table with its coded columns."""

    engine: Engine
    quasi: Mapping[str, CodedColumn]
    unit: CodedColumn | None


def _measure_risk(engine: Engine, asked: RiskRequest, watch: Watch) -> tuple[Risk, Tally]:
    """Measure the risk; also return the tally that it was measured on."""
    names = unique_names((*asked.quasi, *asked.sensitive))
    watch.tell(f"coding {len(names):,} columns", 0.0)
    codes = coding.code_columns(engine, asked.policy, names, asked.missing_values)
    unit = _code_units(engine, asked)
    coded = _Coded(engine, {name: codes[name] for name in asked.quasi}, unit)
    given = asked.hierarchies or {}
    described = [_describe_sensitive(coded, codes[n], given.get(n)) for n in asked.sensitive]
    columns, sensitive = [column for column, _ in described], [one for _, one in described]
    watch.tell("counting classes", 0.0)
    tally = engine.tally([*coded.quasi.values()], columns, unit, asked.weight)
    watch.tell("measuring the risk", 0.0)
    population = population_size(_count_people(coded), _given_population(asked), asked.fraction)
    found = measure(tally, sensitive, asked.threshold, population=population)
    return _add_further_parts(found, coded, tally, (asked, watch)), tally


def _code_units(engine: Engine, asked: RiskRequest) -> CodedColumn | None:
    """Code the column that tells people apart; None if each record is a person."""
    policy = asked.policy
    if policy is not None and policy.unit == asked.unit:
        return coding.code_unit(engine, policy)
    return None if asked.unit is None else engine.unit_codes(asked.unit, asked.missing_values)


def _count_people(coded: _Coded) -> int:
    """Count the distinct units; a record without one is a person of its own."""
    if coded.unit is None:
        return coded.engine.records
    there = coded.engine.frequency(coded.unit)
    return int(there[0] + np.count_nonzero(there[1:]))


def _add_further_parts(
    found: Risk, coded: _Coded, tally: Tally, request: tuple[RiskRequest, Watch]
) -> Risk:
    """Add to the risk special uniques and explanations, where they are asked for."""
    asked, watch = request
    names = list(coded.quasi)
    if asked.special_uniques is not None:
        lines = coded.engine.counts((), [*coded.quasi.values()], coded.unit)
        codes = [lines.codes[name] for name in names]
        sets = special_uniques_of_exposure.minimal_uniques(
            names, codes, lines.unit, asked.special_uniques, watch, records=lines.records
        )
        special = special_uniques_of_exposure.special_uniques(
            sets, _sampling_fraction(found, tally), asked.threshold
        )
        found = replace(found, special_uniques=special)
    if asked.explain:
        coarser = _coarser_codes(coded.quasi, asked.hierarchies or {})
        found = replace(found, explained=explain_columns(names, tally, found, coarser, watch))
    return found


def _sampling_fraction(found: Risk, tally: Tally) -> float | None:
    """The share of the population that is in the table; None if unknown."""
    if found.uniqueness is not None:
        return min(found.uniqueness.fraction, 1.0)
    if tally.weights is None or not tally.weights.sum():
        return None
    return min(tally.records / float(tally.weights.sum()), 1.0)


def _coarser_codes(
    quasi: Mapping[str, CodedColumn], hierarchies: Mapping[str, AnyHierarchy]
) -> dict[str, Codes]:
    """By column, the code at level 1 of each code; without columns that have only the top above."""
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
    """Raise `PolicyError` if records would be listed to standard output, or over the table."""
    if str(target) == "-":
        raise PolicyError("the list of records needs a file", remedy="name a file")
    path = file_of(source)
    if path is not None and files.same_file(path, target):
        raise PolicyError(
            "the list of records would overwrite the table", remedy="name another file"
        )


def _write_exposed(tally: Tally, threshold: float, path: AnyPath) -> None:
    """Write the numbers, from 1, of the records whose risk is above the threshold, a line each."""
    rows = rows_at_risk(tally, tally.quasi, threshold)
    records = np.flatnonzero(rows if tally.row_of is None else rows[tally.row_of]) + 1
    files.write_text(path, "".join(f"{record}\n" for record in records.tolist()))


def _describe_sensitive(
    coded: _Coded, column: CodedColumn, spec: AnyHierarchy | None
) -> tuple[CodedColumn, SensitiveColumn]:
    """Return a sensitive column, coded by its hierarchy if it has one, and its description."""
    ordered, maps = column.domain.kind is not Kind.TEXT, None
    if spec is not None:
        hierarchy = hierarchies_of_io.resolve(spec, Path()).build(column.domain, column.name)
        column = align(column, hierarchy.leaves)
        ordered, maps = ordered or hierarchy.ordered, hierarchy.maps
    people = _people_per_code(coded, column)
    return column, SensitiveColumn(column.name, people, ordered=ordered, maps=maps)


def _people_per_code(coded: _Coded, column: CodedColumn) -> Counts:
    """Count the people who have each code; a record without a unit is a person."""
    if coded.unit is None:
        return coded.engine.frequency(column)
    lines = coded.engine.counts((), [column], coded.unit)
    people = np.where(lines.unit == MISSING, lines.records, 1)
    size = len(column.domain) + 1
    return np.bincount(lines.codes[column.name], people, size).astype(np.int64)
