"""Columns of a table as codes, read as a policy says: kinds, and what means missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from incrowd.engines.base import Engine
from incrowd.errors import InputError, count_of
from incrowd.table.column import CodedColumn

if TYPE_CHECKING:
    from incrowd.policy.policy import Policy


def code_columns(
    engine: Engine, policy: Policy | None, names: Sequence[str], missing_values: Sequence[str] = ()
) -> dict[str, CodedColumn]:
    """Code these columns, by the policy those that it has; `missing_values` are missing in all."""
    if policy is None:
        return engine.codes(names, missing_values=missing_values)
    known = {name: policy.columns[name] for name in names if name in policy.columns}
    kinds = {name: column.kind for name, column in known.items() if column.kind is not None}
    return policy.marks.with_marks_everywhere(missing_values).code_columns(engine, names, kinds)


def code_unit(engine: Engine, policy: Policy) -> CodedColumn | None:
    """Code the column that says whose record each is; None if the policy has no such column."""
    if policy.unit is None:
        return None
    marks = policy.marks
    return marks.clear_own_marks(
        engine.unit_codes(policy.unit, marks.marks_of_column(policy.unit)), policy.unit
    )


def refuse_marked_weights(engine: Engine, policy: Policy) -> None:
    """Refuse a table in which sampling weights are marks of missing values (`InputError`)."""
    name = policy.weight
    if name is None or not any(map(str.strip, policy.marks.marks_of_column(name))):
        return
    column = code_columns(engine, policy, [name])[name]
    if missing := int(engine.frequency(column)[0]):
        held = count_of(missing, "value that is", "values that are")
        raise InputError(
            f"the weight column {name!r} holds {held} missing",
            remedy="give every record a weight of 0 or more",
        )
