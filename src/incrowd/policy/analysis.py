"""A policy that keeps what an analysis needs: `income ~ age + education`.

The loss of a quasi-identifying column that the analysis is about counts `FACTOR` times as much as
before, so that a search makes other columns coarser instead. Models, limits and hierarchies stay as
they are: no promise gets weaker. Weights are what the policy file shows; there is no other key.

The factor was chosen on three real tables (`python -m benchmarks.compare`): with 10, coefficients
were closer to the original's under every search that was tried; 3 did not always help, and 30 cost
the other columns more than it gave. On other tables it may help less.
"""

from typing import TYPE_CHECKING

from incrowd.errors import PolicyError
from incrowd.table.column import Role
from incrowd.utility.formula import Formula, parse_formula

if TYPE_CHECKING:
    from incrowd.policy.policy import Policy

FACTOR = 10.0
_STAYING = frozenset({Role.IDENTIFIER, Role.DROP, Role.UNIT})


def quasi_columns_of(policy: "Policy", formula: Formula) -> tuple[str, ...]:
    """The quasi-identifying columns of an analysis; `PolicyError` if one of it does not leave."""
    for name in formula.columns:
        if policy.role(name) in _STAYING:
            raise PolicyError(
                f"the analysis needs {name!r}, which does not leave",
                remedy="release it: as quasi-identifying (-q), sensitive (-s) or as it is (--keep)",
            )
    return tuple(name for name in formula.columns if policy.role(name) is Role.QUASI)


def weigh_analysis_columns(policy: "Policy", text: str) -> "Policy":
    """The policy with columns of an analysis weighing `FACTOR` times as much.

    `PolicyError` if `text` is no formula or names columns that do not leave.
    """
    chosen = quasi_columns_of(policy, parse_formula(text))
    columns = {
        name: column.model_copy(update={"weight": column.weight * FACTOR})
        if name in chosen
        else column
        for name, column in policy.columns.items()
    }
    return policy.model_copy(update={"columns": columns})


def analysis_note(policy: "Policy", text: str) -> str:
    """Say in a sentence what `weigh_analysis_columns` changes in a policy."""
    chosen = quasi_columns_of(policy, parse_formula(text))
    if not chosen:
        return (
            "--for changes nothing: every column of the analysis leaves as it is, whatever the "
            "search does"
        )
    if len(chosen) == len(policy.quasi):
        return "--for changes nothing: the analysis is about every quasi-identifying column"
    return (
        f"for the analysis the loss of {', '.join(chosen)} counts {FACTOR:g} times; other columns "
        "get coarser"
    )
