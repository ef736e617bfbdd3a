"""A policy and coded columns become the problem that a search gets."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.errors import InfeasibleError, InputError, PolicyError, counted
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.models.model import Model, TableSize
from incrowd.partition.classes import SensitiveColumn, people_per_code
from incrowd.policy.ends import ColumnHolders, with_ends
from incrowd.policy.policy import Column, Policy
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.table.column import CodedColumn, Kind
from incrowd.table.fold import fold
from incrowd.table.roles import Missing

_DAY = 86_400 * 1e6
"""Microseconds."""
Quasi: TypeAlias = Mapping[str, tuple[CodedColumn, Hierarchy]]
"""Quasi-identifying columns, coded by the leaves of their hierarchies."""
Counted: TypeAlias = Mapping[str, tuple[CodedColumn, Hierarchy | None]]
"""The columns of `Policy.counted`, coded by the leaves of their hierarchies if they have one."""


@dataclass(frozen=True, eq=False)
class Compiled:
    """A problem, and which records of the table it is about."""

    problem: Problem
    tally_records: Counts
    """The records of the table that are in the tally, ascending: `tally.row_of[i]` is the row of
    record `tally_records[i]`."""
    left_out_missing: int
    """Records left out because a quasi-identifying value is missing (`Missing.SUPPRESS`)."""


def compile(  # noqa: A001, PLR0913  the word of the design; each argument is one thing of the table
    policy: Policy,
    quasi: Quasi,
    sensitive: Counted,
    unit: Codes | None = None,
    weights: Floats | None = None,
    *,
    seed: int = 0,
    world_people: Mapping[str, Counts] | None = None,
) -> Compiled:
    """The problem of finding a release of this table that satisfies the policy.

    `world_people` are the individuals of a world per code of the columns that it knows: where they
    are given, what labels end on is chosen for them.
    """
    _require(policy.quasi, quasi, "quasi-identifying")
    _require(policy.counted, sensitive, "sensitive")
    codes = [quasi[name][0].codes for name in policy.quasi]
    values = [sensitive[name][0].codes for name in policy.counted]
    there = _there(policy, codes)
    tally = fold(
        [column[there] for column in codes],
        [column[there] for column in values],
        None if unit is None else unit[there],
        None if weights is None else weights[there],
    )
    models = _bound(policy, people_of(there.size, unit))
    people = None if unit is None else unit[there]
    problem = Problem(
        tally=tally,
        columns=tuple(
            with_ends(
                _quasi_column(policy, name, quasi, there),
                policy,
                ColumnHolders(column[there], people, len(quasi[name][1].leaves) + 1),
                models,
                (world_people or {}).get(name),
            )
            for name, column in zip(policy.quasi, codes, strict=True)
        ),
        sensitive=tuple(_sensitive_column(name, sensitive, unit) for name in policy.counted),
        models=models,
        loss=policy.loss,
        suppression=policy.suppression,
        missing=_missing(policy),
        seed=seed,
        consistent=policy.consistent,
    )
    return Compiled(problem, np.flatnonzero(there).astype(np.int64), int((~there).sum()))


def people_of(records: int, unit: Codes | None) -> int:
    """The people of a table; a record without a unit is one."""
    if unit is None:
        return records
    return int(np.count_nonzero(unit == 0)) + len(np.unique(unit[unit > 0]))


def _bound(policy: Policy, people: int) -> tuple[Model, ...]:
    """The models for a table of so many people, those in left-out records included."""
    table = TableSize(people, len(policy.quasi))
    return tuple(model.bound_to(table) for model in policy.models)


def _require(names: tuple[str, ...], given: Mapping[str, object], what: str) -> None:
    lacking = [name for name in names if name not in given]
    if lacking:
        raise PolicyError(f"the table has no {what} column '{lacking[0]}'")


def _missing(policy: Policy) -> Missing:
    """How a search reads missing values.

    A value that stands for a class may stand where one was missing, and so may match less: classes
    that show representatives must satisfy the models without those that their gaps match.
    """
    if policy.show == "representatives" and policy.missing is Missing.MATCHES_ANYTHING:
        return Missing.OWN_VALUE
    return policy.missing


def _there(policy: Policy, codes: list[Codes]) -> Flags:
    """Which records stay: all, or with `Missing.SUPPRESS` those that lack no value."""
    there: Flags = np.ones(len(codes[0]), dtype=np.bool_)
    if not len(there):
        raise InputError("the table has no records")
    if policy.missing is Missing.SUPPRESS:
        for column in codes:
            there &= column != MISSING
        if not there.any():
            raise InfeasibleError(
                "every record lacks a quasi-identifying value, so missing = 'suppress' leaves none",
                remedy="take missing = 'own-value', or fewer quasi-identifying columns",
                proved=True,
            )
    return there


def _quasi_column(policy: Policy, name: str, quasi: Quasi, there: Flags) -> QuasiColumn:
    column, hierarchy = quasi[name]
    frequency = np.bincount(column.codes[there], minlength=len(hierarchy.leaves) + 1)
    asked = policy.columns[name]
    lowest = asked.lowest if len(hierarchy.leaves) else 0
    if lowest >= hierarchy.height:
        raise PolicyError(
            f"the lowest level of {name!r} leaves nothing to show: its hierarchy has "
            f"{hierarchy.height} levels above the values, the last of which shows '*'",
            remedy=f"take a lowest level below {hierarchy.height}, or drop the column",
        )
    _refuse_suppressed(policy, name, hierarchy, frequency)
    sets = policy.show == "sets" and not hierarchy.ordered and lowest == 0
    return QuasiColumn(
        name,
        hierarchy,
        frequency.astype(np.int64),
        asked.weight,
        lowest,
        _highest(name, asked, hierarchy),
        _widest(name, asked, hierarchy),
        sets=sets,
    )


def _highest(name: str, asked: Column, hierarchy: Hierarchy) -> int | None:
    if asked.highest is not None and asked.highest > hierarchy.height:
        raise PolicyError(
            f"the highest level of {name!r} is {asked.highest}, its hierarchy ends at "
            f"{hierarchy.height}",
            remedy=f"take at most {hierarchy.height}, or leave it out",
        )
    return asked.highest


def _refuse_suppressed(policy: Policy, name: str, hierarchy: Hierarchy, held: Counts) -> None:
    """Refuse values that would be read as coarser labels than may be shown, whatever is shown.

    A value that is literally '*' cannot be told from a suppressed cell: where every level that it
    may show is such a label, no release of its records keeps the limit.
    """
    asked = policy.columns[name]
    highest, lowest = asked.highest, asked.lowest
    spanned = hierarchy.ordered and highest != lowest
    if highest is None or highest < lowest or spanned or policy.show != "spans":
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
            f"{counted(records, 'record')} of {name!r} cannot be shown: the label of their value "
            "stands for suppressed cells, too, and its `highest` level allows none of those",
            remedy="list it in the policy's missing_values if it means missing, or replace it",
        )


def _reads_coarser(hierarchy: Hierarchy, code: int, level: int, highest: int) -> bool:
    """Whether what a value shows at a level may stand for more than its node at the highest."""
    found = hierarchy.decode(hierarchy.labels[level][hierarchy.maps[level, code] - 1])
    nodes = hierarchy.maps[highest]
    return bool(nodes[found[0]] != nodes[found[-1]])


def _widest(name: str, asked: Column, hierarchy: Hierarchy) -> float:
    """The widest span on the scale of positions: moments are counted in microseconds."""
    if asked.widest is None:
        return inf
    if not hierarchy.ordered or hierarchy.leaves.kind is Kind.TEXT:
        raise PolicyError(
            f"{name!r} has a widest span, but is neither a number nor a date",
            remedy="limit it by `highest`, a level of its hierarchy",
        )
    return asked.widest * (_DAY if hierarchy.leaves.kind is Kind.DATE else 1)


def _sensitive_column(name: str, sensitive: Counted, unit: Codes | None) -> SensitiveColumn:
    column, hierarchy = sensitive[name]
    ordered = column.domain.kind is not Kind.TEXT
    return SensitiveColumn(
        name,
        people_per_code(column, unit),
        ordered=ordered if hierarchy is None else ordered or hierarchy.ordered,
        maps=None if hierarchy is None else hierarchy.maps,
    )
