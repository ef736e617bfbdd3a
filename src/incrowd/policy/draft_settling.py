"""A draft that its next command accepts: what `anonymize` would refuse is settled, with the reason.

Columns that leave as they are although quasi-identifiers tell them are looked for as `anonymize`
does. Whom kept columns single out is estimated: which classes a release has is known only when it
is made.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from incrowd.engines.base import Engine
from incrowd.identify.derived import Derived
from incrowd.pii.evidence import Guess
from incrowd.pii.profile import ColumnProfile
from incrowd.policy.derived import find_derived_in, leaving_columns_of
from incrowd.policy.draft import Draft, redraft
from incrowd.policy.draft_alone import telling_columns
from incrowd.table.column import CodedColumn, Role

_FEW = 20
"""A kept column of at most so many values becomes a quasi-identifier; others are dropped."""


def settle_roles(
    first: Draft, engine: Engine, columns: Sequence[ColumnProfile], coded: Mapping[str, CodedColumn]
) -> Draft:
    """Change roles in a draft until `anonymize` accepts every column that leaves as it is."""
    drafted = first
    for _ in range(len(columns) + 1):  # each round changes a column that left as it is
        changes = _derived_changes(drafted, engine) or dict(
            _alone_changes(drafted, engine, columns, coded)
        )
        if not changes:
            break
        drafted = redraft(drafted, columns, changes, text=engine.text)
    return drafted


def _derived_changes(drafted: Draft, engine: Engine) -> dict[str, Guess]:
    """New guesses by column that determines quasi-identifiers or follows from them."""
    quasi = drafted.policy.quasi
    return {
        name: replace(drafted.guesses[name], role=Role.QUASI, reason=_derived_reason(found, quasi))
        for found in find_derived_in(engine, drafted.policy)
        for name in leaving_columns_of(found, quasi)
    }


def _derived_reason(found: Derived, quasi: Sequence[str]) -> str:
    """Say in a clause why a column must be as coarse as those it follows from or determines."""
    names = " and ".join(found.known)
    if found.column in quasi:
        return f"{found.column} follows from {names}, so both must be as coarse"
    return f"follows from {names}, so it must be as coarse"


def _alone_changes(
    drafted: Draft,
    engine: Engine,
    columns: Sequence[ColumnProfile],
    coded: Mapping[str, CodedColumn],
) -> Iterator[tuple[str, Guess]]:
    """Yield (column, new guess) for kept columns that would single out more people than allowed."""
    values = {column.name: column.distinct for column in columns}
    for name, told in telling_columns(drafted.policy, engine, coded).items():
        before = drafted.guesses[name]
        few = before.role is Role.KEEP and values[name] <= _FEW
        role = Role.QUASI if few else Role.DROP
        yield name, replace(before, role=role, reason=f"{before.reason}; but {told}", sure=False)
