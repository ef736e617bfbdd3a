"""`safe_harbor`: which identifiers of HIPAA's Safe Harbor a table holds, or a policy lets out."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import polars as pl

from incrowd.arrays import Counts
from incrowd.engines.base import Engine
from incrowd.errors import InputError, PolicyError, boundary
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.io.hierarchies import builders_of
from incrowd.io.reading import AnyPath, Reading, enough_memory, open_table
from incrowd.pii import Checklist, ColumnProfile, SafeHarborRules, names_identifier
from incrowd.pii.checklist import checklist
from incrowd.pii.patterns import ANYWHERE
from incrowd.policy.coding import code_columns
from incrowd.policy.policy import Policy, require_declared
from incrowd.policy.presets import TableFacts
from incrowd.policy.profiles import excess_distinct, profile_of_sample
from incrowd.release.rows import dropped_columns, pseudonymous_columns
from incrowd.requests.request import verb
from incrowd.requests.safe_harbor import SafeHarborRequest
from incrowd.table.column import CodedColumn, Domain, Kind
from incrowd.table.counted import CountedRows
from incrowd.table.encode import align, columns_without_codes, encode
from incrowd.table.fold import in_threads
from incrowd.verbs.policies import with_policy
from incrowd.watch import Watch

SAMPLE = 200_000
"""Most distinct values to look at in a column whose name tells no identifier."""
_SUSPECT = 1_000
_AREA = re.compile(r"\d{3}")


@verb(SafeHarborRequest)
def safe_harbor(asked: SafeHarborRequest) -> Checklist:
    """The checklist of HIPAA's Safe Harbor: which of the eighteen identifiers a table holds.

    The table is a frame, the path of a file or a table elsewhere (see `incrowd.api`). With a policy
    it checks what the policy would let out: without the columns that it drops, the others at the
    finest level that they may show.
    """
    asked = with_policy(asked)
    policy, watch = asked.policy, asked.watch or Watch()
    watch.tell("looking at every column", 0.0)
    named = () if policy is None else policy.columns
    rules = rules_of(asked.today, asked.zip_populations or {})
    with enough_memory(), open_table(asked.source, asked.reading, named, watch=watch) as there:
        if policy is None:
            return checklist(
                _profile_coded_columns(there.engine), rules, sealed=there.engine.sealed
            )
        return _check_policy(there.engine, policy, asked.folder, rules)


def rules_of(today: int | None, zip_populations: Mapping[str, int]) -> SafeHarborRules:
    """Make the rules; `today` None is the present year. `PolicyError` for a bad year or number."""
    year = datetime.now(UTC).year if today is None else today
    if not isinstance(year, Integral) or not 1900 <= year <= 2200:
        raise PolicyError(
            "today must be a year from 1900 to 2200", remedy="write 2026, for example"
        )
    areas = all(isinstance(a, str) and _AREA.fullmatch(a) for a in zip_populations)
    counts = zip_populations.values()
    if not areas or not all(isinstance(count, Real) and count >= 0 for count in counts):
        raise PolicyError(
            "zip_populations must give a number for the first three digits of each ZIP code",
            remedy='write {"036": 13153}, for example',
        )
    return SafeHarborRules(year, zip_populations)


def table_facts(
    source: Any, *, today: int | None = None, reading: Reading | None = None
) -> TableFacts:
    """Find what a preset should know of a table: its identifiers and kinds of columns."""
    with enough_memory(), open_table(source, reading) as there:
        columns = _profile_coded_columns(there.engine)
        rules = rules_of(today, {})
        found = checklist(columns, rules, sealed=there.engine.sealed)
        kinds = {column.name: column.kind for column in columns if len(column.domain)}
        return TableFacts(found.today, found.failing, kinds)


def _check_policy(
    engine: Engine, policy: Policy, folder: AnyPath, rules: SafeHarborRules
) -> Checklist:
    """Check what a policy lets leave, at its finest; refused unless it declares all columns."""
    require_declared(policy, engine.names)
    columns = _leaving_profiles(engine, policy, folder)
    staying = {*dropped_columns(policy), *pseudonymous_columns(policy)}
    sealed = {name: what for name, what in engine.sealed.items() if name not in staying}
    return checklist(columns, rules, pseudonymous_columns(policy), sealed)


def _profile_coded_columns(engine: Engine) -> list[ColumnProfile]:
    """Profile the columns without lists and structures."""
    names = [name for name in engine.names if name not in columns_without_codes(engine.sealed)]
    return sampled_profiles(engine, names)


def sampled_profiles(engine: Engine, names: Iterable[str]) -> list[ColumnProfile]:
    """Profile these columns; those with too many values to fetch or to look at are sampled.

    A column is not sampled after it is fetched if its name tells an identifier. The sample of what
    is fetched is seeded, and holds values that contain what identifiers do: one is enough to fail.
    """
    distinct = {name: excess_distinct(engine, name) for name in names}
    rows = {name: engine.counts([name]) for name, many in distinct.items() if many is None}
    tasks = [partial(_profile_of_column, rows[name], name, text=engine.text) for name in rows]
    seen = dict(zip(rows, in_threads(tasks), strict=True))
    return [
        seen[name] if many is None else profile_of_sample(engine, name, many)
        for name, many in distinct.items()
    ]


def _profile_of_column(rows: CountedRows, name: str, *, text: bool) -> ColumnProfile:
    """Profile a column by its distinct cells and the records that hold them."""
    with boundary(InputError(f"column {name!r} cannot be read", remedy="convert it to text")):
        cells = rows.cells[name].alias("")  # Polars takes a name such as ^a$ for a pattern
        there = cells.is_not_null()
        values = cells.filter(there)
    records = rows.records[there.to_numpy()]
    drawn = None if names_identifier(name) or len(values) <= SAMPLE else _sample_places(values)
    seen = values if drawn is None else values.gather(drawn)
    column = encode(seen, name, infer=text)
    total, gone = int(rows.records.sum()), int(rows.records.sum() - records.sum())
    held = records if drawn is None else records[drawn]
    missing = gone + int(held[column.codes == 0].sum())
    sample_of = None if drawn is None else len(values)
    return ColumnProfile(name, column.domain, total, missing, sample_of=sample_of)


def _sample_places(values: pl.Series) -> Counts:
    """The indices of sampled values, and of up to `_SUSPECT` that look like identifiers."""
    order = values.arg_sort().to_numpy()
    places = np.random.default_rng(0).choice(len(values), SAMPLE, replace=False)
    if isinstance(values.dtype, pl.String):
        like = values.gather(order).str.contains(ANYWHERE).arg_true()[:_SUSPECT].to_numpy()
        places = np.union1d(places, like)
    return order[np.sort(places)].astype(np.int64)


def _leaving_profiles(engine: Engine, policy: Policy, folder: AnyPath) -> Iterator[ColumnProfile]:
    """Yield profiles of the columns that leave, quasi-identifying ones at their finest."""
    staying = {*dropped_columns(policy), *pseudonymous_columns(policy)}
    builders = builders_of(policy, folder)
    for name in engine.names:
        if name in staying or name in columns_without_codes(engine.sealed):
            continue
        column = _code_as_it_leaves(engine, policy, name)
        records = engine.frequency(column)
        lowest = policy.columns[name].lowest
        if name in policy.quasi and lowest and policy.shown.coarsens:
            hierarchy = builders[name].build(column.domain, name, records[1:])
            column = _show_at_level(align(column, hierarchy.leaves), hierarchy, lowest)
            records = engine.frequency(column)
        yield ColumnProfile.of(column, records)


def _code_as_it_leaves(engine: Engine, policy: Policy, name: str) -> CodedColumn:
    """Code a column by the policy if generalized; else marks of missing of its own are values."""
    if name in policy.quasi and policy.shown.coarsens:
        return code_columns(engine, policy, [name])[name]
    kind = policy.columns[name].kind
    kinds = {} if kind is None else {name: kind}
    return engine.codes([name], kinds, policy.missing_values)[name]


def _show_at_level(column: CodedColumn, hierarchy: Hierarchy, level: int) -> CodedColumn:
    """The column at this level of its hierarchy; at the top if it has fewer levels."""
    level = min(level, hierarchy.height)
    codes = hierarchy.maps[level][column.codes]
    return CodedColumn(column.name, codes, Domain(Kind.TEXT, hierarchy.labels[level]))
