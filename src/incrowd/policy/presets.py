"""Presets: named starting points for a drafted policy. A preset never weakens a policy."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy, Dates, Intervals, Suggested, ZipCodes
from incrowd.loss import LOSSES, Loss
from incrowd.models import AnyModel, KAnonymity, LDiversity, TCloseness
from incrowd.models.model import ask_the_same
from incrowd.pii.column_names import topic_of
from incrowd.policy.policy import Column, Policy
from incrowd.table.column import Kind, Missing, Role
from incrowd.table.names import name_remedy, unique_names, words_of
from incrowd.values import did_you_mean

_COARSENED = frozenset("BC")
"""Identifiers of which something coarser may stay."""
_OLDEST = 89


@dataclass(frozen=True)
class TableFacts:
    """What a preset knows of the table; only the year if nobody looked at the table."""

    today: int = field(default_factory=lambda: datetime.now(UTC).year)
    """The year in which ages count."""
    failing: Mapping[str, str] = field(default_factory=dict)
    """The letters of the identifiers that columns hold, by name: `Checklist.failing`."""
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """What the values of columns are, by name."""

    @property
    def bottom(self) -> int:
        """The first birth year of people who are 89 at most."""
        return self.today - _OLDEST


@dataclass(frozen=True)
class Preset:
    """A named starting point: the least protection, and the most suppression."""

    name: str
    description: str
    k: int
    suppression: float
    l: float | None = None
    """l-diversity of sensitive columns that no model protects yet."""
    column: Callable[[str, Column, TableFacts], Column] | None = None
    """What to do with a column, by its name and the table's facts."""
    limits: tuple[str, ...] = ()
    """What the preset does not promise, one sentence each."""


def apply_preset(preset: str | Preset, policy: Policy, seen: TableFacts | None = None) -> Policy:
    """Apply a preset to a policy, by the facts of the table if they are known."""
    chosen = find_preset(preset) if isinstance(preset, str) else preset
    columns, known = dict(policy.columns), seen or TableFacts()
    if chosen.column is not None:
        columns = {name: chosen.column(name, column, known) for name, column in columns.items()}
    sensitive = tuple(n for n, column in columns.items() if column.role is Role.SENSITIVE)
    models = _preset_models(chosen, policy.models, sensitive)
    return policy.with_settings(
        columns=columns, models=models, suppression=chosen.suppression, order="shuffle"
    )


def find_preset(name: str) -> Preset:
    """The preset of this name; `PolicyError` if there is none."""
    if name not in PRESETS:
        raise PolicyError("unknown preset", remedy=did_you_mean(name, PRESETS, listed=True))
    return PRESETS[name]


def _preset_models(
    preset: Preset, models: tuple[AnyModel, ...], sensitive: tuple[str, ...]
) -> tuple[AnyModel, ...]:
    """The models of columns still sensitive, at least the preset's k, and its l where none is."""
    same = [model for model in models if ask_the_same(model, KAnonymity(preset.k))]
    k = max([preset.k, *(model.smallest_class() for model in same)])
    others = [m for m in models if m not in same and set(m.columns) <= {*sensitive}]
    protected = {name for model in others for name in model.columns}
    added: list[AnyModel] = []
    if preset.l is not None:
        added = [LDiversity(name, preset.l) for name in sensitive if name not in protected]
    return (KAnonymity(k), *others, *added)


def _column_under_safe_harbor(name: str, column: Column, seen: TableFacts) -> Column:
    """The settings of a column under Safe Harbor: as it is, coarser, or dropped."""
    topic = topic_of(name)
    about = topic.name if topic else ""
    letters = set(seen.failing.get(name, ""))
    if column.role in {Role.DROP, Role.UNIT}:
        return column
    identifies = column.role is Role.IDENTIFIER or (topic and topic.role is Role.IDENTIFIER)
    if identifies or letters - _COARSENED:
        return Column(role=Role.IDENTIFIER)
    if about == "postcode":
        return _as_coarse_quasi(column, ZipCodes())
    small = about == "place" and not {"state", "bundesland"} & set(words_of(name))
    if small or (about in {"birth", "event"} and column.role is Role.KEEP):
        return Column(role=Role.DROP)
    coarser = _hierarchy_of_times(name, column, about, seen)
    if coarser is not None:
        return _as_coarse_quasi(column, coarser)
    return Column(role=Role.DROP) if letters else column


def _hierarchy_of_times(
    name: str, column: Column, about: str, seen: TableFacts
) -> AnyHierarchy | None:
    """The hierarchy to coarsen dates, births and ages (the topic is `about`); None for others."""
    kind = seen.kinds.get(name, column.kind)
    bottom = seen.bottom if about == "birth" else None
    if about == "age" and kind in {None, Kind.NUMBER}:
        return Intervals(width=5, top=_OLDEST + 1)
    if about == "birth" and _tells_years(name, column, kind):
        return Intervals(widths=(1, 5, 10), bottom=bottom)
    if _tells_dates(column, about, kind):
        return Dates(steps=("year", "5 years", "10 years"), bottom=bottom)
    return None


def _tells_years(name: str, column: Column, kind: Kind | None) -> bool:
    """Whether a column of births holds years alone, by its kind, hierarchy or name."""
    if kind is not None:
        return kind is Kind.NUMBER
    words = {"year", "yob", "birthyear"} & set(words_of(name))
    return isinstance(column.hierarchy, Intervals) or bool(words)


def _tells_dates(column: Column, about: str, kind: Kind | None) -> bool:
    """Whether a column holds dates: by its hierarchy, its kind or, without a kind, its name."""
    if isinstance(column.hierarchy, Dates):
        return True
    if kind is not None:
        return kind is Kind.DATE
    return about in {"birth", "event"} and isinstance(column.hierarchy, Suggested | None)


def _as_coarse_quasi(column: Column, hierarchy: AnyHierarchy) -> Column:
    """The column as a quasi-identifying one with this hierarchy, exact values never shown."""
    weight = column.weight if column.role is Role.QUASI else 1.0
    kind = None if column.kind is Kind.TEXT else column.kind
    return Column(
        role=Role.QUASI,
        hierarchy=hierarchy,
        kind=kind,
        weight=weight,
        lowest=1,
        missing_values=column.missing_values,
    )


_ALL = (
    Preset(
        name="hipaa-safe-harbor",
        description="HIPAA's Safe Harbor: identifiers and small places dropped, ZIP codes to 3 "
        "digits (000 for areas of 20,000 people or fewer), dates to years, ages and birth years "
        "pooled from 90 on; k of at least 2",
        k=2,
        suppression=0.05,
        column=_column_under_safe_harbor,
        limits=(
            "ages over 89 are pooled for releases of this year; draft a new policy next year",
            "biometric data and unusual codes look like other numbers: check the columns that stay",
            "free text that you keep is not searched for everything it could say",
            "run `incrowd safe-harbor` on the release: it checks all eighteen identifiers",
        ),
    ),
    Preset(
        name="internal",
        description="For people who are bound by contract: k of at least 5, up to 0.1 of the "
        "records left out",
        k=5,
        suppression=0.1,
    ),
    Preset(
        name="public-file",
        description="For everybody to download: k of at least 11, every sensitive column at least "
        "2-diverse, up to 0.05 of the records left out",
        k=11,
        suppression=0.05,
        l=2,
    ),
)
PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in _ALL}
"""All presets by name."""


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

    Name one column or several. Columns that you do not name do not leave: see `Policy.dropped`.
    l and t hold for every sensitive column. `settings` are further keys of a policy.

    >>> quick(["age", "zip", "note"], quasi=["age", "zip"], k=5).dropped
    ('note',)
    >>> quick(["age", "zip"], quasi="zip", keep="age", k=5).quasi
    ('zip',)
    """
    sensitive = unique_names(sensitive)
    roles = {
        Role.QUASI: unique_names(quasi),
        Role.SENSITIVE: sensitive,
        Role.KEEP: unique_names(keep),
        Role.IDENTIFIER: unique_names(identifiers),
        Role.UNIT: unique_names(unit or ()),
        Role.WEIGHT: unique_names(weight or ()),
    }
    role_of = _roles_in_order(unique_names(names), roles)
    details = _column_details(role_of, hierarchies or {}, weights or {})
    if target is not None:
        settings["loss"] = {"name": loss, LOSSES.get(loss, Loss).column_key: target}
    asked: dict[str, Any] = {
        "columns": {
            name: {"role": role, **details.get(name, {})} for name, role in role_of.items()
        },
        "models": _quick_models(k, l, t, sensitive),
        "search": method,
        "loss": loss,
        "suppression": suppress,
        "missing": missing,
    }
    return Policy(**(asked | settings))


def _roles_in_order(names: tuple[str, ...], roles: Mapping[Role, Sequence[str]]) -> dict[str, Role]:
    """The role of each column, dropped if not named; `PolicyError` if unknown or given two."""
    role_of: dict[str, Role] = {}
    for role, wanted in roles.items():
        for name in wanted:
            if name not in names:
                raise _unknown_column_error(name, names)
            if role_of.get(name, role) is not role:
                raise PolicyError(
                    f"column '{name}' is both '{role_of[name].value}' and '{role.value}'",
                    remedy="name it once",
                )
            role_of[name] = role
    return {name: role_of.get(name, Role.DROP) for name in names}


def _column_details(
    role_of: Mapping[str, Role],
    hierarchies: "Mapping[str, AnyHierarchy | str]",
    weights: Mapping[str, float],
) -> dict[str, dict[str, Any]]:
    """The settings of columns beside their roles; `PolicyError` if the table lacks a column."""
    details: dict[str, dict[str, Any]] = {}
    for key, values in (("hierarchy", hierarchies), ("weight", weights)):
        for name, value in values.items():
            if name not in role_of:
                raise _unknown_column_error(name, tuple(role_of))
            details.setdefault(name, {})[key] = value
    return details


def _unknown_column_error(name: str, names: tuple[str, ...]) -> PolicyError:
    return PolicyError(f"the table has no column '{name}'", remedy=name_remedy(name, names))


def _quick_models(
    k: int | None, l: float | None, t: float | None, sensitive: Sequence[str]
) -> tuple[AnyModel, ...]:
    """The models that k, l and t ask for; `PolicyError` for none, or l or t without a column."""
    if k is None and l is None and t is None:
        raise PolicyError("no privacy model", remedy="give k, l or t, such as -k 5")
    if not sensitive and (l is not None or t is not None):
        raise PolicyError(
            "l and t need a sensitive column", remedy="name at least one sensitive column"
        )
    models: list[AnyModel] = [] if k is None else [KAnonymity(k)]
    models += [] if l is None else [LDiversity(column=name, l=l) for name in sensitive]
    models += [] if t is None else [TCloseness(column=name, t=t) for name in sensitive]
    return tuple(models)
