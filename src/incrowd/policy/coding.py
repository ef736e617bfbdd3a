"""Columns of a table as codes, read as a policy says: kinds, and what means missing."""

from collections.abc import Sequence

from incrowd.engines.base import Engine
from incrowd.policy.policy import Policy
from incrowd.table.column import CodedColumn
from incrowd.table.encode import as_missing


def coded_by(engine: Engine, policy: Policy, names: Sequence[str]) -> dict[str, CodedColumn]:
    """These columns as codes, in the order of the names; 0 is missing."""
    kinds = {name: kind for name in names if (kind := policy.columns[name].kind) is not None}
    own = policy.own_missing
    codes = engine.codes([name for name in names if name not in own], kinds, policy.missing_values)
    for name in names:
        if name in own:
            column = engine.codes([name], kinds, policy.missing_in(name))[name]
            codes[name] = as_missing(column, own[name])
    return {name: codes[name] for name in names}


def unit_by(engine: Engine, policy: Policy) -> CodedColumn | None:
    """Which records belong to one person; None if the policy has no such column."""
    if policy.unit is None:
        return None
    column = engine.unit(policy.unit, policy.missing_in(policy.unit))
    return as_missing(column, policy.columns[policy.unit].missing_values)
