"""Named starting points that are laid over a drafted policy; a preset never weakens one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from incrowd.errors import PolicyError
from incrowd.models import AnyModel, KAnonymity, LDiversity
from incrowd.policy.codec import made
from incrowd.policy.faults import did_you_mean
from incrowd.policy.policy import Column, Policy
from incrowd.policy.safe_harbor import Seen, under_safe_harbor
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
    column: Callable[[str, Column, Seen], Column] | None = None
    """What becomes of a column, by its name and what was seen of it."""
    limits: tuple[str, ...] = ()
    """What the preset does not promise, one sentence each."""


def apply(preset: str | Preset, policy: Policy, seen: Seen | None = None) -> Policy:
    """The policy with a preset laid over it, by what was seen of the table if it was looked at."""
    chosen = find(preset) if isinstance(preset, str) else preset
    columns, known = dict(policy.columns), seen or Seen()
    if chosen.column is not None:
        columns = {name: chosen.column(name, column, known) for name, column in columns.items()}
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


_ALL = (
    Preset(
        name="hipaa-safe-harbor",
        description="HIPAA's Safe Harbor: identifiers and small places dropped, ZIP codes to 3 "
        "digits (000 for areas of 20,000 people or fewer), dates to years, ages and birth years "
        "pooled from 90 on; k of at least 2",
        k=2,
        suppression=0.05,
        column=under_safe_harbor,
        limits=(
            "what tells an age over 89 is pooled for releases of this year; draft anew next year",
            "biometric data and unusual codes look like any other number: look at what stays",
            "sentences that you let leave are not searched for everything they could tell",
            "run `incrowd safe-harbor` on the release: it lists all eighteen identifiers",
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
