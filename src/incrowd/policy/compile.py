"""A policy and coded columns become the problem that a search gets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol, TypeAlias

import numpy as np

from incrowd.arrays import Counts
from incrowd.engines.base import Engine
from incrowd.errors import InfeasibleError, InputError, PolicyError, count_of
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.models.model import TableSize
from incrowd.partition.classes import SensitiveColumn
from incrowd.policy.ends import ColumnHolders, with_ends
from incrowd.policy.policy import Column, Policy
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.table.column import CodedColumn, Kind, Missing
from incrowd.table.counted import CountedRows, counted_codes
from incrowd.table.tally import Tally

_DAY = 86_400 * 1e6
"""Microseconds."""
Quasi: TypeAlias = Mapping[str, tuple[CodedColumn, Hierarchy]]
"""Quasi-identifying columns, coded by the leaves of their hierarchies."""
Counted: TypeAlias = Mapping[str, tuple[CodedColumn, Hierarchy | None]]
"""The columns of `Policy.counted`, coded by the leaves of their hierarchies if they have one."""


class Sampler(Protocol):
    """Draws a sample of coded rows."""

    def __call__(
        self, quasi: Sequence[CodedColumn], sensitive: Sequence[CodedColumn], *, complete: bool
    ) -> Tally:
        """The tally of a sample; with `complete` of records that lack no quasi-identifier."""


@dataclass(frozen=True, eq=False)
class Counting:
    """What was counted of a table whose columns are coded."""

    tally: Tally
    """Of the records that may leave: all, or with `Missing.SUPPRESS` those that lack no value. Of
    a sample of them, if the table is worked on in parts."""
    leaving: int
    """Records that may leave."""
    records: int
    """Of the whole table."""
    people: int
    """Of the whole table; a record without a unit is one."""
    quasi: Mapping[str, CountedRows]
    """By quasi-identifying column: who holds which code, among the records that may leave."""
    sensitive: Mapping[str, CountedRows]
    """By counted column: who holds which code, in the whole table."""


@dataclass(frozen=True, eq=False)
class Compiled:
    """A problem, and how many records of the table it is not about."""

    problem: Problem
    left_out_missing: int
    """Records left out because a quasi-identifying value is missing (`Missing.SUPPRESS`)."""
    records: int
    """Records that may leave."""


def count_for_search(  # noqa: PLR0913, PLR0917  what is counted, of which columns
    engine: Engine,
    policy: Policy,
    quasi: Quasi,
    sensitive: Counted,
    unit: CodedColumn | None = None,
    sampled: Sampler | None = None,
) -> Counting:
    """Count what a search must know (the tally by `sampled` if given); `InputError` if empty."""
    if not engine.records:
        raise InputError("the table has no records", remedy="give a table with records")
    _require_columns(policy.quasi, quasi, "quasi-identifying")
    _require_columns(policy.counted, sensitive, "sensitive")
    columns = [quasi[name][0] for name in policy.quasi]
    values = [sensitive[name][0] for name in policy.counted]
    whole = columns if policy.missing is Missing.SUPPRESS else ()
    if sampled is None:
        tally = engine.tally(columns, values, unit, policy.weight, complete=bool(whole))
        leaving = tally.records
    else:
        tally = sampled(columns, values, complete=bool(whole))
        leaving = int(engine.counts((), columns[:1], None, whole).records.sum())
    if unit is None and sampled is None:
        codes = zip(policy.quasi, tally.quasi, strict=True)
        held = {name: counted_codes(name, of, tally.counts) for name, of in codes}
        people = engine.records
    else:
        held = {c.name: engine.counts((), [c], unit, whole) for c in columns}
        people = count_people(engine, unit)
    counted_of = {column.name: engine.counts((), [column], unit, whole) for column in values}
    return Counting(tally, leaving, engine.records, people, held, counted_of)


def count_people(engine: Engine, unit: CodedColumn | None) -> int:
    """Count the people of the whole table; a record without a unit is one."""
    if unit is None:
        return engine.records
    there = engine.frequency(unit)
    return int(there[0] + np.count_nonzero(there[1:]))


def compile(  # noqa: A001, PLR0913  the word of the design; each argument is one thing
    policy: Policy,
    quasi: Quasi,
    sensitive: Counted,
    counting: Counting,
    *,
    seed: int = 0,
    world_people: Mapping[str, Counts] | None = None,
) -> Compiled:
    """Make the problem of finding a release of this table that satisfies the policy.

    `PolicyError` or `InputError` if a column's limits cannot be kept, `InfeasibleError` if every
    record lacks a value and such records are to be left out. `world_people` are the individuals of
    a world, by column and code: where they are given, what labels end on is chosen for them.
    """
    tally = counting.tally
    _refuse_empty(policy, counting)
    table = TableSize(counting.people, len(policy.quasi))  # with those in left-out records
    models = tuple(model.bind_to(table) for model in policy.models)
    columns = []
    for name in policy.quasi:
        size, held = len(quasi[name][1].leaves) + 1, counting.quasi[name]
        frequency = np.bincount(held.codes[name], weights=held.records, minlength=size)
        column = _quasi_column(policy, name, quasi[name][1], frequency.astype(np.int64))
        holders = ColumnHolders.of(held, name, size)
        columns.append(with_ends(column, policy, holders, models, (world_people or {}).get(name)))
    problem = Problem(
        tally=tally,
        columns=tuple(columns),
        sensitive=tuple(_sensitive_column(n, sensitive, counting) for n in policy.counted),
        models=models,
        loss=policy.loss,
        suppression=policy.suppression,
        missing=policy.shown.missing(policy.missing),
        seed=seed,
        consistent=policy.consistent,
    )
    return Compiled(problem, counting.records - counting.leaving, counting.leaving)


def _refuse_empty(policy: Policy, counting: Counting) -> None:
    """Refuse a table of which no record may leave, since each lacks a value."""
    if policy.missing is Missing.SUPPRESS and not counting.leaving:
        raise InfeasibleError(
            "every record lacks a quasi-identifying value, so missing = 'suppress' leaves none",
            remedy="take missing = 'own-value', or fewer quasi-identifying columns",
            proved=True,
        )


def _require_columns(names: tuple[str, ...], given: Mapping[str, object], what: str) -> None:
    """Refuse a table that lacks one of these columns; the error calls them `what`."""
    lacking = [name for name in names if name not in given]
    if lacking:
        raise PolicyError(f"the table has no {what} column '{lacking[0]}'")


def lowest_level(name: str, asked: Column, hierarchy: Hierarchy) -> int:
    """The lowest level to show, 0 without values; `PolicyError` if it leaves nothing to show."""
    lowest = asked.lowest if len(hierarchy.leaves) else 0
    if lowest >= hierarchy.height:
        raise PolicyError(
            f"the lowest level of {name!r} leaves nothing to show: its hierarchy has "
            f"{hierarchy.height} levels above the values, the last of which shows '*'",
            remedy=f"take a lowest level below {hierarchy.height}, or drop the column",
        )
    return lowest


def _quasi_column(
    policy: Policy, name: str, hierarchy: Hierarchy, frequency: Counts
) -> QuasiColumn:
    """The quasi-identifying column of a problem; refuses limits its hierarchy cannot keep."""
    asked = policy.columns[name]
    lowest = lowest_level(name, asked, hierarchy)
    _refuse_ambiguous_values(policy, name, hierarchy, frequency)
    sets = policy.shown.sets and not hierarchy.ordered and lowest == 0
    return QuasiColumn(
        name,
        hierarchy,
        frequency,
        asked.weight,
        lowest,
        _highest_level(name, asked, hierarchy),
        _widest_span(name, asked, hierarchy),
        sets=sets,
    )


def _highest_level(name: str, asked: Column, hierarchy: Hierarchy) -> int | None:
    """The highest level that a column may show; None for no limit, `PolicyError` above the top."""
    if asked.highest is not None and asked.highest > hierarchy.height:
        raise PolicyError(
            f"the highest level of {name!r} is {asked.highest}, its hierarchy ends at "
            f"{hierarchy.height}",
            remedy=f"take at most {hierarchy.height}, or leave it out",
        )
    return asked.highest


def _refuse_ambiguous_values(policy: Policy, name: str, hierarchy: Hierarchy, held: Counts) -> None:
    """`InputError` for values that read as too coarse labels, if more than may be left out.

    `held` are the records of each code. A column without a `highest` level has no such values.
    A value that is literally '*' cannot be told from a suppressed cell: where every level that it
    may show is such a label, no release of its records keeps the limit.
    """
    asked = policy.columns[name]
    highest, lowest = asked.highest, asked.lowest
    spanned = hierarchy.ordered and highest != lowest
    labelled = policy.shown.coarsens and not policy.shown.sets
    if highest is None or highest < lowest or spanned or not labelled:
        return
    coarser = {label for labels in hierarchy.labels[highest + 1 :] for label in labels.tolist()}
    alike = [
        code
        for code, label in enumerate(hierarchy.labels[0].tolist(), start=1)
        if held[code] and (label in coarser or lowest)
    ]
    levels = range(lowest, highest + 1)
    wrong = [c for c in alike if all(_reads_coarser(hierarchy, c, h, highest) for h in levels)]
    records = int(held[wrong].sum())
    if records > policy.suppression * held.sum():
        raise InputError(
            f"{count_of(records, 'record')} of {name!r} cannot be shown: the label of their value "
            "stands for suppressed cells, too, and its `highest` level allows none of those",
            remedy="list it in the policy's missing_values if it means missing, or replace it",
        )


def _reads_coarser(hierarchy: Hierarchy, code: int, level: int, highest: int) -> bool:
    """Whether what a value shows at `level` may stand for more than its node at level `highest`."""
    found = hierarchy.decode(hierarchy.labels[level][hierarchy.maps[level, code] - 1])
    nodes = hierarchy.maps[highest]
    return bool(nodes[found[0]] != nodes[found[-1]])


def _widest_span(name: str, asked: Column, hierarchy: Hierarchy) -> float:
    """The widest span in positions, infinite for no limit; `PolicyError` for a column of texts."""
    if asked.widest is None:
        return inf
    if not hierarchy.ordered or hierarchy.leaves.kind is Kind.TEXT:
        raise PolicyError(
            f"{name!r} has a widest span, but is neither a number nor a date",
            remedy="limit it by `highest`, a level of its hierarchy",
        )
    return asked.widest * (_DAY if hierarchy.leaves.kind is Kind.DATE else 1)


def _sensitive_column(name: str, sensitive: Counted, counting: Counting) -> SensitiveColumn:
    """The sensitive column of a problem, with the people who hold each of its values."""
    column, hierarchy = sensitive[name]
    ordered = column.domain.kind is not Kind.TEXT
    holders = ColumnHolders.of(counting.sensitive[name], name, len(column.domain) + 1)
    return SensitiveColumn(
        name,
        holders.count_people_each(),
        ordered=ordered if hierarchy is None else ordered or hierarchy.ordered,
        maps=None if hierarchy is None else hierarchy.maps,
    )
