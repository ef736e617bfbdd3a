"""The options that make a policy, or change that of a file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from incrowd.requests.kinds import (
    COARSER,
    COLUMNS,
    HOLD,
    IN_COLUMNS,
    SEARCHING,
    SWITCH,
    WEIGHTS,
    WRITING,
    Flags,
    OptionKind,
    Parts,
)
from incrowd.requests.shared import (
    AcceptAlone,
    HierarchyFolder,
    HierarchyOf,
    Keep,
    KeepOrder,
    PolicyFile,
    Quasi,
    Sensitive,
    Unit,
    Weight,
)
from incrowd.search_names import SEARCHES
from incrowd.table.names import unique_names

_LEVELS = OptionKind("COLUMN=LEVEL", form="numbers")
_PREFERRED = OptionKind("COLUMNS", form="repeated")
_SETTINGS = OptionKind("NAME=VALUE", form="repeated")


@dataclass(frozen=True, kw_only=True)
class PolicyOptions:
    """What options say of a policy; what is None, empty or False they do not say."""

    quasi: Quasi = ()
    sensitive: Sensitive = ()
    keep: Keep = ()
    unit: Unit = None
    weight: Weight = None
    accept_derived: Annotated[Sequence[str], COLUMNS, IN_COLUMNS] = ()
    """Release these columns although quasi-identifiers follow from them, or they from
    quasi-identifiers. Without it incrowd refuses."""
    accept_alone: AcceptAlone = ()
    policy: PolicyFile = None
    k: Annotated[int | None, OptionKind("K", int), HOLD, Flags("-k")] = None
    """k-anonymity: every class holds at least K people."""
    l: Annotated[float | None, OptionKind("L", float), HOLD, Flags("-l")] = None
    """l-diversity: in a class no sensitive value is more frequent than 1/L."""
    t: Annotated[float | None, OptionKind("T", float), HOLD, Flags("-t")] = None
    """t-closeness: in a class sensitive values are distributed as in the whole release, up to a
    distance of T."""
    suppress: Annotated[float | None, OptionKind("SHARE", float), HOLD] = None
    """The largest share of records that may be left out, 0..1."""
    missing: Annotated[str | None, OptionKind("READING"), HOLD] = None
    """What a missing value means: own-value (default), matches-anything or suppress."""
    method: Annotated[
        str | None,
        OptionKind("SEARCH"),
        SEARCHING,
        f"The search: {SEARCHES[0]} (default), {', '.join(SEARCHES[1:])}.",
    ] = None
    effort: Annotated[float | None, OptionKind("TIMES", float), SEARCHING] = None
    """How long crowd and auto try: 2 is twice as long as usual, for less loss."""
    mapping: Annotated[str | None, OptionKind("kd-tree|hilbert|idistance"), SEARCHING] = None
    """The order that diversify and accuracy put the records in. Default: kd-tree."""
    prefer: Annotated[Sequence[str] | None, _PREFERRED, SEARCHING] = None
    """Which of equally good levels mingen takes: columns to keep fine, the most important first, or
    with weights, such as zip=2."""
    setting: Annotated[Sequence[str] | None, _SETTINGS, SEARCHING] = None
    """A setting of the search, as a policy file writes it, such as combinations=actual. Repeat it
    for each setting."""
    loss: Annotated[str | None, OptionKind("LOSS"), SEARCHING] = None
    """The loss to make small: gcp (default), granularity, precision, …"""
    analysis: Annotated[str | None, OptionKind("Y~A+B"), SEARCHING, Flags("--for")] = None
    """The analysis that the release is for, such as income~age+education: its columns stay fine,
    others get coarser."""
    time_limit: Annotated[float | None, OptionKind("SECONDS", float), SEARCHING] = None
    """The longest that the search may take."""
    maximize: Annotated[str | None, OptionKind("privacy"), SEARCHING] = None
    """Find the most privacy within --max-loss instead of the least loss."""
    max_loss: Annotated[float | None, OptionKind("SHARE", float), SEARCHING] = None
    """With --maximize: the most that a class may lose, 0..1."""
    privacy: Annotated[str | None, OptionKind("k|l"), SEARCHING] = None
    """What to maximize: k (people of a class) or l (sensitive values). Default: l if a column is
    sensitive, else k."""
    hierarchy: HierarchyOf = None
    hierarchies: HierarchyFolder = None
    widest: Annotated[
        Mapping[str, float] | None, OptionKind("COLUMN=EXTENT", form="numbers"), COARSER
    ] = None
    """How much of a number or date a cell may span, such as age=10."""
    lowest: Annotated[Mapping[str, float] | None, _LEVELS, COARSER] = None
    """The lowest level of the hierarchy that a cell may show: 1 never shows exact values."""
    highest: Annotated[Mapping[str, float] | None, _LEVELS, COARSER] = None
    """The highest level of the hierarchy that a cell may show, such as zip=2."""
    grid: Annotated[
        Mapping[str, float | str] | None, OptionKind("COLUMN=STEP", form="steps"), COARSER
    ] = None
    """A step for the ends of spans, such as age=5 or birth_date=month: fewer labels."""
    kind: Annotated[
        Mapping[str, str] | None,
        OptionKind("COLUMN=KIND", form="words", example="race=text"),
        COARSER,
    ] = None
    """What the values of a column are: number, date or text, such as race=text for codes that only
    look like numbers."""
    weights: Annotated[Mapping[str, float] | None, WEIGHTS, COARSER] = None
    """How much the loss of a column matters, such as zip=2,age=0.5. Default: 1."""
    ends: Annotated[str | None, OptionKind("aligned|exact"), COARSER] = None
    """Where spans end: aligned (default) on round values that many people share, exact on values of
    people in the class, which gives these people away."""
    show: Annotated[str | None, OptionKind("WHAT"), COARSER] = None
    """What cells show: spans (default), sets, representatives or permutation."""
    consistent: Annotated[bool, SWITCH, COARSER] = False
    """Records with the same quasi-identifying values show the same."""
    split_ends: Annotated[bool, SWITCH, WRITING] = False
    """Write numbers and dates as two columns, such as age_low and age_high."""
    class_column: Annotated[str | None, OptionKind("NAME"), WRITING] = None
    """With --show permutation: add a column of this name with the number of the class."""
    keep_order: KeepOrder = False

    @property
    def roles(self) -> dict[str, Any]:
        """Roles and models that are given, by their names, in place of a policy file."""
        names = ("quasi", "sensitive", "keep", "unit", "weight", "k", "l", "t")
        return _without_unset({name: getattr(self, name) for name in names})

    @property
    def keys(self) -> dict[str, Any]:
        """Keys of the policy that are given, by name; they count with a policy file, too."""
        names = ("missing", "ends", "show", "consistent", "loss", "time_limit", "split_ends")
        return _without_unset(
            {"suppression": self.suppress}
            | {name: getattr(self, name) for name in names}
            | {"order": "keep" if self.keep_order else None, "class_column": self.class_column}
        )

    @property
    def details(self) -> dict[str, dict[str, Any]]:
        """Keys of columns that are given, by column."""
        names = ("widest", "lowest", "highest", "grid", "kind")
        every = {name: getattr(self, name) for name in names} | {"weight": self.weights}
        every |= {"derived": dict.fromkeys(self.accept_derived, "accept")}
        every |= {"alone": dict.fromkeys(self.accept_alone, "accept")}
        found: dict[str, dict[str, Any]] = {}
        for key, values in every.items():
            for name, value in (values or {}).items():
                found.setdefault(name, {})[key] = value
        return found

    @property
    def named_columns(self) -> Iterator[str]:
        """Yield the columns that options give a role."""
        for value in self.roles.values():
            if isinstance(value, str | tuple):
                yield from unique_names(value)

    @property
    def says_nothing(self) -> bool:
        """Whether no policy, hierarchy, role, model or key of the policy is given."""
        return not (self.policy or self.hierarchy or self.hierarchies or self.roles or self.keys)


def _without_unset(values: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that say something: None, an empty tuple and False are left out, 0 is not."""
    given = {name: value for name, value in values.items() if value not in (None, ())}
    return {name: value for name, value in given.items() if value is not False}


HeldTo = Annotated[
    PolicyOptions,
    Parts(
        PolicyOptions,
        only=("k", "l", "t", "missing", "quasi", "sensitive", "hierarchy", "hierarchies"),
    ),
]
"""What a release is held to beside a policy file and a certificate."""
