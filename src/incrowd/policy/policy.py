"""What a release must satisfy: frozen values, checked when they are made."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic.config import JsonDict

from incrowd.engines import elsewhere
from incrowd.engines.memory import MemoryEngine
from incrowd.errors import PolicyError
from incrowd.hierarchy import AnyHierarchy
from incrowd.hierarchy.rounding import DateStep
from incrowd.loss import AnyLoss, Gcp
from incrowd.models import AnyModel
from incrowd.policy import analysis, codec, consistency, profiles
from incrowd.policy import draft as drafts
from incrowd.recoding.show import SHOWS, Transformation
from incrowd.search import AnySearch, Auto
from incrowd.table.column import Kind, Missing, Role
from incrowd.table.marks import MissingMarks
from incrowd.values import FaultyPolicyError, Path, Setting, did_you_mean

IMPROVING = 60.0
"""Seconds after which an answer is not improved any more, unless the policy has a limit."""
VERSION = 1
"""The version of the policy format that this incrowd writes."""


def _plugin_by_name(value: object) -> object:
    """Turn a bare name into the plug-in of that name with its defaults; others stay as they are."""
    return {"name": value} if isinstance(value, str) else value


class Column(Setting):
    """The settings of one column.

    >>> Column(role="quasi", hierarchy="prefix").hierarchy.name
    'prefix'
    """

    role: Role
    """What the column is for."""
    hierarchy: Annotated[AnyHierarchy | None, BeforeValidator(_plugin_by_name)] = None
    """How its values become coarser; chosen from the data if not given."""
    weight: Annotated[float, Field(gt=0)] = 1.0
    """How much the loss of a quasi-identifying column matters, next to the others."""
    lowest: Annotated[int, Field(ge=0)] = 0
    """The lowest level of its hierarchy that may be shown: 1 never shows an exact value."""
    highest: Annotated[int | None, Field(ge=0)] = None
    """The highest level of its hierarchy that may be shown; the top, `*`, if not given."""
    widest: Annotated[float | None, Field(gt=0)] = None
    """How much of an ordered column one cell may span, in its own unit: 10 years of age, 30 days
    of a date."""
    grid: Annotated[float, Field(gt=0)] | DateStep | None = None
    """A step that the ends of its spans are multiples of: 5 for ages, "month" for dates. Round
    numbers if not given."""
    kind: Kind | None = None
    """What its values are; found from the data if not given."""
    missing_values: tuple[str, ...] = ()
    """Values of this column that mean that there is none: "-8" (does not apply), "99" (unknown)."""
    action: Literal["drop", "pseudonym"] = "drop"
    """What to do with an identifier: drop it, or replace it by a keyed pseudonym."""
    derived: Literal["refuse", "accept"] = "refuse"
    """Whether to refuse a column that leaves as it is and follows from quasi-identifying ones, or
    they from it, as a body mass index from height and weight."""
    alone: Literal["refuse", "accept"] = "refuse"
    """Whether to refuse a column that leaves as it is and by which more people are alone in their
    class than `max_alone` allows, as by a sampling weight or an exact sum."""


def _require_known_show(name: str) -> str:
    """Return the name of what cells show; `ValueError` if it is not known."""
    if name not in SHOWS:
        raise ValueError(f"cells cannot show that; known are {', '.join(SHOWS)}")
    return name


_SHOWS: JsonDict = {"enum": list(SHOWS)}


class Policy(Setting):
    """What a release must satisfy, and how to find it.

    >>> from incrowd.models import KAnonymity
    >>> policy = Policy(columns={"age": Column(role="quasi")}, models=(KAnonymity(5),))
    >>> policy.quasi, policy.role("age").value
    (('age',), 'quasi')
    """

    version: Literal[1] = 1
    """The version of the policy format."""
    missing: Missing = Missing.OWN_VALUE
    """How a missing quasi-identifying value is read."""
    missing_values: tuple[str, ...] = ("",)
    """Cells of a text file that mean missing, besides empty ones."""
    order: Literal["shuffle", "keep"] = "shuffle"
    """Whether the records leave in a new order; a kept order links releases of one table."""
    show: Annotated[str, AfterValidator(_require_known_show), Field(json_schema_extra=_SHOWS)] = (
        "spans"
    )
    """What the cells of a class show in local recoding: the span of numbers and dates and the node
    over categories; sets of values in place of nodes; or one value that stands for all of them
    (their median or most frequent value), which is not what each of them held. `permutation` shows
    quasi-identifiers as they are and lets the sensitive values of a class change places: it hides
    who holds which value, and not who is in the table."""
    ends: Literal["aligned", "exact"] = "aligned"
    """What spans and sets of local recoding end on: round cells that hold at least k people each,
    or the exact values of people in the class, which tell whoever holds a list that somebody has
    just these."""
    split_ends: bool = False
    """Whether quasi-identifying numbers and dates leave as two columns, `age_low` and `age_high`,
    in place of one column of labels. A cell is empty where a label has no such end."""
    class_column: Annotated[str | None, Field(min_length=1)] = None
    """With `show = "permutation"`: the name of a column to add, with the number of each record's
    class."""
    consistent: bool = False
    """Whether records with the same quasi-identifying values must show the same."""
    suppression: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """The largest share of the records that may be left out, 0..1."""
    max_alone: Annotated[float, Field(ge=0, le=1)] = 0.05
    """The largest share of the people that may be alone in the release for whoever also knows the
    columns that leave as they are, 0..1; columns with `alone = "accept"` do not count."""
    time_limit: Annotated[float | None, Field(gt=0)] = None
    """Seconds that the search may take, with or without an answer. Without a limit it takes as long
    as it needs to find one, and then improves it until 60 seconds have passed."""
    search: Annotated[AnySearch, BeforeValidator(_plugin_by_name)] = Auto()
    """How to look for the release with the least loss."""
    loss: Annotated[AnyLoss, BeforeValidator(_plugin_by_name)] = Gcp()
    """The information loss that the search makes small."""
    models: tuple[AnyModel, ...]
    """What every class must satisfy."""
    columns: Mapping[str, Column]
    """The settings of each column; a column of the table that is not here is an error."""

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> "Policy":
        """Refuse a policy whose parts contradict each other, with all its faults."""
        if found := tuple(consistency.faults(self)):
            raise FaultyPolicyError(found)
        return self

    @classmethod
    def _keys_at(cls, path: Path) -> tuple[str, ...]:
        """The keys that a table at this place of a policy may have."""
        return codec.keys_at(path)

    def role(self, name: str) -> Role:
        """What the column of this name is for; `PolicyError` if the policy lacks it."""
        if name not in self.columns:
            remedy = did_you_mean(name, self.columns)
            raise PolicyError(f"the policy has no column '{name}'", remedy=remedy)
        return self.columns[name].role

    def names(self, role: Role) -> tuple[str, ...]:
        """The columns of this role, in the order of the policy."""
        return tuple(name for name, column in self.columns.items() if column.role is role)

    @property
    def marks(self) -> MissingMarks:
        """What means missing, in every column and in one only: how every verb reads tables."""
        every = self.columns.items()
        own = {name: column.missing_values for name, column in every if column.missing_values}
        return MissingMarks(self.missing_values, own)

    @property
    def shown(self) -> Transformation:
        """How classes are turned into cells: what `show` names."""
        return SHOWS[self.show]

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifying columns."""
        return self.names(Role.QUASI)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return self.names(Role.SENSITIVE)

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The columns that name a person."""
        return self.names(Role.IDENTIFIER)

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that leave as they are."""
        return self.names(Role.KEEP)

    @property
    def kept_or_weight(self) -> tuple[str, ...]:
        """The columns that leave as they are and are said to be known to nobody."""
        roles = {Role.KEEP, Role.WEIGHT}
        return tuple(name for name, column in self.columns.items() if column.role in roles)

    @property
    def dropped(self) -> tuple[str, ...]:
        """The columns that do not leave."""
        return self.names(Role.DROP)

    @property
    def unit(self) -> str | None:
        """The column that says which records belong to one person; None if there is none."""
        return next(iter(self.names(Role.UNIT)), None)

    @property
    def weight(self) -> str | None:
        """The column of sampling weights; None if there is none."""
        return next(iter(self.names(Role.WEIGHT)), None)

    @property
    def counted(self) -> tuple[str, ...]:
        """The columns whose values are counted per class: the sensitive ones, the loss's target."""
        return (*self.sensitive, *(n for n in self.loss.columns if n not in self.sensitive))

    @property
    def judged(self) -> tuple[str, ...]:
        """The sensitive columns that models judge."""
        return tuple(dict.fromkeys(name for model in self.models for name in model.columns))

    @property
    def smallest_class(self) -> int:
        """People in the smallest class that all models allow."""
        return max((model.smallest_class() for model in self.models), default=1)

    def with_settings(self, **settings: Any) -> "Policy":
        """The policy with other settings, checked again."""
        return Policy(**{name: getattr(self, name) for name in Policy.model_fields} | settings)

    def for_analysis(self, formula: str) -> "Policy":
        """The same policy, searched so that an analysis such as "income ~ age" loses little."""
        return analysis.weigh_analysis_columns(self, formula)

    def notes(self) -> tuple[str, ...]:
        """What to look at twice in this policy."""
        return tuple(consistency.notes(self))

    def dumps(self) -> str:
        """This policy as TOML."""
        return codec.dumps(self)

    @staticmethod
    def loads(text: str, source: str = "policy") -> "Policy":
        """Read a policy from TOML text; `source` names it in errors."""
        return codec.loads(text, source)

    @staticmethod
    def draft(frame: Any) -> "Policy":
        """A first policy for a table, to review: roles and hierarchies by name and content."""
        from incrowd.policy.draft_settling import settle_roles  # noqa: PLC0415  it is made of policies

        engine = elsewhere.engine_of(frame) or MemoryEngine(frame, text=False)
        coded = profiles.coded_columns(engine)
        columns = profiles.make_profiles(engine, coded)
        return settle_roles(drafts.draft(columns), engine, columns, coded).policy


def undeclared_columns(policy: Policy, names: Iterable[str]) -> tuple[str, ...]:
    """The columns of a table that the policy lacks."""
    return tuple(name for name in names if name not in policy.columns)


def absent_columns(policy: Policy, names: Iterable[str]) -> tuple[str, ...]:
    """The columns that the policy names and the table lacks."""
    there = set(names)
    return tuple(name for name in policy.columns if name not in there)


def require_declared(policy: Policy, names: Iterable[str]) -> None:
    """Refuse a table of other columns than the policy's; the error prints the lines to add."""
    names = tuple(names)
    lacking, extra = absent_columns(policy, names), undeclared_columns(policy, names)
    if lacking:
        raise _lacking_error(lacking, extra or names)
    if extra:
        many = f"{len(extra)} columns" if len(extra) > 1 else "1 column"
        raise PolicyError(
            f"the policy lacks {many} of the table",
            remedy=f"add them with the right role:\n{codec.lines_for(extra)}",
        )


def _lacking_error(names: tuple[str, ...], there: tuple[str, ...]) -> PolicyError:
    """The error for columns of the policy that the table lacks; one may be misspelled (`there`)."""
    listed = ", ".join(f"'{name}'" for name in names)
    if len(names) == 1:
        near = did_you_mean(names[0], there) or "remove it from the policy"
        return PolicyError(f"the table has no column {listed}", remedy=near)
    return PolicyError(
        f"the table lacks {len(names)} columns of the policy: {listed}",
        remedy="remove them from the policy, or check that it belongs to this table",
    )
