"""Presets: named starting points for a drafted policy. A preset never weakens a policy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy, Dates, Intervals, Suggested, ZipCodes
from incrowd.models import AnyModel, KAnonymity, LDiversity
from incrowd.models.model import same_condition
from incrowd.pii.column_names import topic_of
from incrowd.policy.policy import Column, Policy
from incrowd.table.column import Kind
from incrowd.table.names import words_of
from incrowd.table.roles import Role
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


def apply(preset: str | Preset, policy: Policy, seen: TableFacts | None = None) -> Policy:
    """The policy with a preset applied, by the facts of the table if they are known."""
    chosen = find(preset) if isinstance(preset, str) else preset
    columns, known = dict(policy.columns), seen or TableFacts()
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
    return Policy(**values)


def find(name: str) -> Preset:
    """The preset of this name."""
    if name not in PRESETS:
        raise PolicyError("unknown preset", remedy=did_you_mean(name, PRESETS, listed=True))
    return PRESETS[name]


def _models(
    preset: Preset, models: tuple[AnyModel, ...], sensitive: tuple[str, ...]
) -> tuple[AnyModel, ...]:
    same = [model for model in models if same_condition(model, KAnonymity(preset.k))]
    k = max([preset.k, *(model.smallest_class() for model in same)])
    others = [m for m in models if m not in same and set(m.columns) <= {*sensitive}]
    protected = {name for model in others for name in model.columns}
    added: list[AnyModel] = []
    if preset.l is not None:
        added = [LDiversity(name, preset.l) for name in sensitive if name not in protected]
    return (KAnonymity(k), *others, *added)


def _under_safe_harbor(name: str, column: Column, seen: TableFacts) -> Column:
    """A column as it may leave."""
    topic = topic_of(name)
    about = topic.name if topic else ""
    letters = set(seen.failing.get(name, ""))
    if column.role in {Role.DROP, Role.UNIT}:
        return column
    identifies = column.role is Role.IDENTIFIER or (topic and topic.role is Role.IDENTIFIER)
    if identifies or letters - _COARSENED:
        return Column(role=Role.IDENTIFIER)
    if about == "postcode":
        return _coarser(column, ZipCodes())
    if _is_small_place(name, about) or (about in {"birth", "event"} and column.role is Role.KEEP):
        return Column(role=Role.DROP)
    coarser = _in_time(name, column, about, seen)
    if coarser is not None:
        return _coarser(column, coarser)
    return Column(role=Role.DROP) if letters else column


def _in_time(name: str, column: Column, about: str, seen: TableFacts) -> AnyHierarchy | None:
    """What makes dates, birth years and ages coarse enough; None for a column of another sort."""
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
    """Whether a column of births holds years alone."""
    if kind is not None:
        return kind is Kind.NUMBER
    words = {"year", "yob", "birthyear"} & set(words_of(name))
    return isinstance(column.hierarchy, Intervals) or bool(words)


def _tells_dates(column: Column, about: str, kind: Kind | None) -> bool:
    """Whether a column holds dates: by its kind, or by its name if the kind is unknown."""
    if isinstance(column.hierarchy, Dates):
        return True
    if kind is not None:
        return kind is Kind.DATE
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
        description="HIPAA's Safe Harbor: identifiers and small places dropped, ZIP codes to 3 "
        "digits (000 for areas of 20,000 people or fewer), dates to years, ages and birth years "
        "pooled from 90 on; k of at least 2",
        k=2,
        suppression=0.05,
        column=_under_safe_harbor,
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
