"""A policy from a few settings, such as the quick flags of the command line."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy
from incrowd.models import AnyModel, KAnonymity, LDiversity, TCloseness
from incrowd.policy.policy import Policy
from incrowd.table.names import listed, nearest
from incrowd.table.roles import Missing, Role


def quick(  # noqa: PLR0913  one argument per flag
    names: Iterable[str],
    *,
    quasi: str | Sequence[str],
    sensitive: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    identifiers: str | Sequence[str] = (),
    unit: str | None = None,
    weight: str | None = None,
    k: int | None = None,
    l: float | None = None,
    t: float | None = None,
    method: str = "auto",
    loss: str = "gcp",
    target: str | None = None,
    suppress: float = 0.0,
    hierarchies: "Mapping[str, AnyHierarchy | str] | None" = None,
    weights: Mapping[str, float] | None = None,
    missing: Missing | str = Missing.OWN_VALUE,
    **settings: Any,
) -> Policy:
    """A policy from a few settings, for a table with columns of these `names`.

    Name one column or several. A column that you do not name does not leave: see `left_out`. l and
    t hold for every sensitive column. `settings` are further keys of a policy.

    >>> quick(["age", "zip", "note"], quasi=["age", "zip"], k=5).dropped
    ('note',)
    >>> quick(["age", "zip"], quasi="zip", keep="age", k=5).quasi
    ('zip',)
    """
    sensitive = listed(sensitive)
    roles = {Role.QUASI: listed(quasi), Role.SENSITIVE: sensitive, Role.KEEP: listed(keep)}
    roles |= {Role.IDENTIFIER: listed(identifiers)}
    roles |= {Role.UNIT: listed(unit or ()), Role.WEIGHT: listed(weight or ())}
    role_of = _roles(listed(names), roles)
    details = _details(role_of, hierarchies or {}, weights or {})
    if target is not None:
        settings["loss"] = {"name": loss, "column" if loss == "queries" else "target": target}
    asked: dict[str, Any] = {
        "columns": {
            name: {"role": role, **details.get(name, {})} for name, role in role_of.items()
        },
        "models": _models(k, l, t, sensitive),
        "search": method,
        "loss": loss,
        "suppression": suppress,
        "missing": missing,
    }
    return Policy(**(asked | settings))


def left_out(policy: Policy) -> tuple[str, ...]:
    """The columns that do not leave because you gave them no role."""
    return policy.dropped


def _roles(names: tuple[str, ...], roles: Mapping[Role, Sequence[str]]) -> dict[str, Role]:
    """The role of each column of the table, in the table's order."""
    found: dict[str, Role] = {}
    for role, wanted in roles.items():
        for name in wanted:
            if name not in names:
                raise _unknown(name, names)
            if found.get(name, role) is not role:
                raise PolicyError(
                    f"column '{name}' is both '{found[name].value}' and '{role.value}'",
                    remedy="name it once",
                )
            found[name] = role
    return {name: found.get(name, Role.DROP) for name in names}


def _details(
    role_of: Mapping[str, Role],
    hierarchies: "Mapping[str, AnyHierarchy | str]",
    weights: Mapping[str, float],
) -> dict[str, dict[str, Any]]:
    details: dict[str, dict[str, Any]] = {}
    for key, values in (("hierarchy", hierarchies), ("weight", weights)):
        for name, value in values.items():
            if name not in role_of:
                raise _unknown(name, tuple(role_of))
            details.setdefault(name, {})[key] = value
    return details


def _unknown(name: str, names: tuple[str, ...]) -> PolicyError:
    return PolicyError(f"the table has no column '{name}'", remedy=nearest(name, names))


def _models(
    k: int | None, l: float | None, t: float | None, sensitive: Sequence[str]
) -> tuple[AnyModel, ...]:
    if k is None and l is None and t is None:
        raise PolicyError("no privacy model", remedy="give k, l or t, such as -k 5")
    if not sensitive and (l is not None or t is not None):
        raise PolicyError(
            "l and t need a sensitive column", remedy="name at least one sensitive column"
        )
    models: list[AnyModel] = [] if k is None else [KAnonymity(k)]
    if l is not None:
        models += [LDiversity(column=name, l=l) for name in sensitive]
    if t is not None:
        models += [TCloseness(column=name, t=t) for name in sensitive]
    return tuple(models)
