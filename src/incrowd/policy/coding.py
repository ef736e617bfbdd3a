"""Columns of a table as codes, read as a policy says: kinds, and what means missing."""

from collections.abc import Sequence

from incrowd.engines.base import Engine
from incrowd.policy.policy import Policy
from incrowd.table.column import CodedColumn
from incrowd.table.encode import as_missing


def coded_by(
    engine: Engine, policy: Policy, names: Sequence[str], missing_values: Sequence[str] = ()
) -> dict[str, CodedColumn]:
    """These columns as codes, in the order of the names; 0 is missing.

    A table may have columns that the policy does not know; `missing_values` mean missing in all.
    """
    known = {name: policy.columns[name] for name in names if name in policy.columns}
    kinds = {name: column.kind for name, column in known.items() if column.kind is not None}
    own = {name: column.missing_values for name, column in known.items() if column.missing_values}
    every = (*policy.missing_values, *missing_values)
    codes = engine.codes([name for name in names if name not in own], kinds, every)
    for name, values in own.items():
        column = engine.codes([name], kinds, (*every, *values))[name]
        codes[name] = as_missing(column, values)
    return {name: codes[name] for name in names}


def unit_by(engine: Engine, policy: Policy) -> CodedColumn | None:
    """Which records belong to one person; None if the policy has no such column."""
    if policy.unit is None:
        return None
    column = engine.unit(policy.unit, policy.missing_in(policy.unit))
    return as_missing(column, policy.columns[policy.unit].missing_values)
