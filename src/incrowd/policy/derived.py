"""Find, in a sample, columns that leave and determine quasi-identifiers or follow from them."""

from collections.abc import Iterable

from incrowd.engines.base import Engine
from incrowd.errors import PolicyError
from incrowd.identify.derived import Derived, find_derived
from incrowd.policy.coding import code_unit
from incrowd.policy.policy import Policy
from incrowd.table.column import CodedColumn, Role
from incrowd.table.encode import encode

SAMPLE = 5_000
"""Records that are looked at."""
LEAVING = (Role.KEEP, Role.SENSITIVE, Role.WEIGHT)
"""Roles of columns that leave as they are."""


def refuse_derived(engine: Engine, policy: Policy) -> None:
    """Refuse a policy (`PolicyError`) by which a column leaves that `find_derived_in` finds."""
    found = find_derived_in(engine, policy)
    if not found:
        return
    known = set(policy.quasi)
    names = dict.fromkeys(name for one in found for name in leaving_columns_of(one, known))
    named = ", ".join(f"'{name}'" for name in names)
    raise PolicyError(
        "; ".join(derived_sentence(one, known) for one in found),
        remedy=f'give {named} role = "quasi" or "drop"; if that is no danger, say so with derived '
        f'= "accept" in the policy, or --accept-derived {",".join(names)}',
    )


def find_derived_in(engine: Engine, policy: Policy) -> list[Derived]:
    """Find columns that leave as they are and determine quasi-identifiers or follow from them.

    In a sample; those that the policy accepts are left out, all if quasi-identifiers are exact.
    """
    leaving = [
        name
        for name, column in policy.columns.items()
        if column.role in LEAVING and column.derived == "refuse" and name not in engine.sealed
    ]
    hidden = [name for name in policy.quasi if name not in engine.sealed]
    if policy.shown.exact or not leaving or not hidden:
        return []
    rows = engine.sample([*leaving, *hidden], SAMPLE, code_unit(engine, policy))
    marks, coded = policy.marks, dict[str, CodedColumn]()
    for name in (*leaving, *hidden):
        kind, own = policy.columns[name].kind, marks.marks_of_column(name)
        column = encode(rows[name], name, kind, infer=engine.text, missing_values=own)
        coded[name] = marks.clear_own_marks(column, name)
    return find_derived([coded[name] for name in leaving], [coded[name] for name in hidden])


def derived_sentence(found: Derived, quasi: Iterable[str]) -> str:
    """Say in words what column was found to follow from which.

    >>> derived_sentence(Derived("bmi", ("height", "weight"), 1.0), ["height", "weight"])
    "'bmi' would leave unchanged, and it follows from 'height' and 'weight'"
    >>> derived_sentence(Derived("state", ("city",), 0.97), ["state"])
    "'city' would leave unchanged, and 'state' nearly follows from it"
    """
    follows = "follows" if found.strength == 1.0 else "nearly follows"
    known = " and ".join(f"'{name}'" for name in found.known)
    if found.column not in set(quasi):
        return f"'{found.column}' would leave unchanged, and it {follows} from {known}"
    them = "it" if len(found.known) == 1 else "them"
    return f"{known} would leave unchanged, and '{found.column}' {follows} from {them}"


def leaving_columns_of(found: Derived, quasi: Iterable[str]) -> tuple[str, ...]:
    """The columns of a finding that would leave as they are."""
    return found.known if found.column in set(quasi) else (found.column,)
