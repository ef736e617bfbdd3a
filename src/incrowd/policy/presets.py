"""Named starting points that are laid over a drafted policy; a preset never weakens one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy, Dates, Intervals, Prefix, Suggested
from incrowd.models import AnyModel, KAnonymity, LDiversity
from incrowd.policy.codec import made
from incrowd.policy.faults import did_you_mean
from incrowd.policy.policy import Column, Policy
from incrowd.policy.words import topic_of, words_of
from incrowd.table.column import Kind
from incrowd.table.roles import Role


@dataclass(frozen=True)
class Preset:
    """A named starting point: the least that it asks for, and the most that it gives up."""

    name: str
    description: str
    k: int
    suppression: float
    l: float | None = None
    """The diversity asked of sensitive columns that no model protects yet."""
    column: Callable[[str, Column], Column] | None = None
    """What becomes of a column, by its name."""
    limits: tuple[str, ...] = ()
    """What the preset does not promise, one sentence each."""


def apply(preset: str | Preset, policy: Policy) -> Policy:
    """The policy with a preset laid over it."""
    chosen = find(preset) if isinstance(preset, str) else preset
    columns = dict(policy.columns)
    if chosen.column is not None:
        columns = {name: chosen.column(name, column) for name, column in columns.items()}
    sensitive = tuple(n for n, column in columns.items() if column.role is Role.SENSITIVE)
    values = {name: getattr(policy, name) for name in Policy.model_fields}
    values |= {
        "columns": columns,
        "models": _models(chosen, policy.models, sensitive),
        "suppression": chosen.suppression,
        "order": "shuffle",
    }
    return made(lambda: Policy.model_validate(values))


def find(name: str) -> Preset:
    """The preset of this name."""
    if name not in PRESETS:
        raise PolicyError(
            "there is no such preset", remedy=did_you_mean(name, PRESETS, listed=True)
        )
    return PRESETS[name]


def _models(
    preset: Preset, models: tuple[AnyModel, ...], sensitive: tuple[str, ...]
) -> tuple[AnyModel, ...]:
    k = max([preset.k, *(model.k for model in models if isinstance(model, KAnonymity))])
    others = [m for m in models if not isinstance(m, KAnonymity) and set(m.columns) <= {*sensitive}]
    protected = {name for model in others for name in model.columns}
    added: list[AnyModel] = []
    if preset.l is not None:
        added = [LDiversity(name, preset.l) for name in sensitive if name not in protected]
    return (KAnonymity(k), *others, *added)


_YEARS = Dates(steps=("year", "5 years", "10 years"))
_COARSER: Mapping[str, AnyHierarchy] = {
    "age": Intervals(width=5, top=90),
    "postcode": Prefix(steps=(3,)),
}


def _safe_harbor(name: str, column: Column) -> Column:
    """A column under 45 CFR 164.514(b)(2), as far as its name or kind tells."""
    topic = topic_of(name)
    about = topic.name if topic else ""
    if column.role in {Role.DROP, Role.UNIT}:
        return column
    if column.role is Role.IDENTIFIER or (topic and topic.role is Role.IDENTIFIER):
        return Column(role=Role.IDENTIFIER)
    if _is_small_place(name, about) or (about in {"birth", "event"} and column.role is Role.KEEP):
        return Column(role=Role.DROP)
    if _tells_dates(column, about):
        return _coarser(column, _YEARS)
    return _coarser(column, _COARSER[about]) if about in _COARSER else column


def _tells_dates(column: Column, about: str) -> bool:
    """Whether a column holds dates: it says so, or its name does and nothing speaks against it."""
    if column.kind is not None or isinstance(column.hierarchy, Dates):
        return column.kind is Kind.DATE or isinstance(column.hierarchy, Dates)
    return about in {"birth", "event"} and isinstance(column.hierarchy, Suggested | None)


def _is_small_place(name: str, about: str) -> bool:
    """Whether a column tells a place smaller than a state."""
    return about == "place" and not {"state", "bundesland"} & set(words_of(name))


def _coarser(column: Column, hierarchy: AnyHierarchy) -> Column:
    """The column as a quasi-identifying one with this hierarchy, exact values never shown."""
    weight = column.weight if column.role is Role.QUASI else 1.0
    return Column(role=Role.QUASI, hierarchy=hierarchy, kind=column.kind, weight=weight, lowest=1)


_ALL = (
    Preset(
        name="hipaa-safe-harbor",
        description="The columns of HIPAA's Safe Harbor: identifiers and small places dropped, "
        "ZIP codes to 3 digits, dates to years, ages pooled from 90 on; k of at least 2",
        k=2,
        suppression=0.05,
        column=_safe_harbor,
        limits=(
            "3-digit ZIP areas of 20,000 people or fewer are not replaced by 000",
            "birth years of people over 89 are shown, not pooled: drop birth dates, keep the age",
            "columns are recognized by their names; free text and images are not searched",
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
