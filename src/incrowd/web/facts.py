"""Answers of the worker: aggregated figures, frozen, small counts withheld already.

None in place of a figure means that it is withheld, because fewer than 5 records are behind it,
unless the field says otherwise. Cells of the table are only in `FirstRows`, and as labels: of at
least 5 records, or named by the user's own policy or file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from incrowd.documents.verdict import AttackOutcome
from incrowd.verify.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """One column of the table."""

    name: str
    kind: str
    """`number`, `date` or `text`."""
    distinct: int
    distinct_share: float
    """Distinct values over records, 0..1."""
    missing: int | None
    """Records without a value."""


@dataclass(frozen=True, kw_only=True)
class OpenedTable:
    """The table that was opened."""

    records: int
    columns: tuple[ColumnFacts, ...]
    notes: tuple[str, ...] = ()
    """What was found out while it was read."""


@dataclass(frozen=True, kw_only=True)
class FirstRows:
    """The first rows of the table as they are: cells, for the user's own screen."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        """Without cells."""
        return f"FirstRows({len(self.rows)} rows, {len(self.columns)} columns)"


@dataclass(frozen=True, kw_only=True)
class DraftFacts:
    """A first policy, with reasons."""

    policy: str
    """TOML, with the reasons as comments."""
    reasons: Mapping[str, str]
    hierarchies: Mapping[str, str]
    """Why each quasi-identifying column has its hierarchy."""
    review: tuple[str, ...]
    """Columns to look at twice."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """By column: why the draft reads some of its values as missing."""

    @property
    def needs_eye(self) -> tuple[str, ...]:
        """Columns whose role or marks of missing values somebody must confirm or change."""
        return tuple(dict.fromkeys((*self.review, *self.marks)))


@dataclass(frozen=True, kw_only=True)
class SetFacts:
    """A set of columns that tells records apart."""

    columns: tuple[str, ...]
    distinct: float
    """Distinct values over records, 0..1."""


@dataclass(frozen=True, kw_only=True)
class FoundSets:
    """Which columns identify together."""

    sets: tuple[SetFacts, ...]
    ratio: float
    promise: str
    sampled: bool


@dataclass(frozen=True, kw_only=True)
class Bin:
    """A bar of a histogram."""

    label: str | None
    """None if it is not shown, because too few records share it."""
    records: int | None
    low: float | None = None
    """Where the bar begins, for numbers; None for others, and for what has no lower end."""


@dataclass(frozen=True, kw_only=True)
class HistogramFacts:
    """Records by value, in bins of at least 5 records."""

    bins: tuple[Bin, ...]
    level: int
    other: int | None = 0
    """Records of bins without a label."""


@dataclass(frozen=True, kw_only=True)
class LevelFacts:
    """One level of a hierarchy."""

    level: int
    nodes: int
    """Different labels that records show; missing values count as one."""
    smallest: int | None
    """Records of the rarest label; 0 without records."""
    labels: tuple[Bin, ...]
    """The most frequent labels, of at least 5 records each."""


@dataclass(frozen=True, kw_only=True)
class HierarchyFacts:
    """How the values of a column become coarser."""

    levels: tuple[LevelFacts, ...]
    lowest: int
    highest: int


@dataclass(frozen=True, kw_only=True)
class TreeFacts:
    """The values of a column with their labels, as a grid to be changed."""

    rows: tuple[tuple[str, ...], ...]
    """From a value to the top: values of at least 5 records, and those that the user's own policy
    or file names."""
    other: str
    """The label of all values without a row, once the rows are a tree."""
    values: tuple[Bin, ...]
    """Values of at least 5 records, the most frequent first; a count of None is withheld."""
    nodes: tuple[Mapping[str, int | None], ...]
    """Records of each label above those values, by level; level 0 is empty."""
    few: int
    """Values of fewer than 5 records."""
    placed: int = 0
    """How many of these the user's own policy or file names."""
    more: int = 0
    """Values of at least 5 records that have a row and are not among `values`."""
    rest: int = 0
    """Values of at least 5 records without a row, because there are too many."""
    by_hand: bool = False
    """Whether the hierarchy is a tree already."""

    def __repr__(self) -> str:
        """Without values."""
        return f"TreeFacts({len(self.rows)} rows)"


@dataclass(frozen=True, kw_only=True)
class OfferedHierarchy:
    """A hierarchy that fits a column."""

    spec: Mapping[str, object]
    """As a policy holds it."""
    words: str
    nodes: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What there is to choose from."""

    searches: Mapping[str, str]
    """Searches to compare, with what people call them."""
    of_world: tuple[str, ...] = ()
    """Those of them that count the people of a world."""
    presets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ClassFacts:
    """Classes, and how easily somebody in them is found."""

    k: int
    """People in the smallest class; 0 if nobody is left."""
    classes: int
    highest: float
    """The risk of the person who is easiest to find, 0..1."""
    average: float
    """Mean risk over the records, 0..1."""
    uniques: int | None
    """Records that are alone in their class."""


@dataclass(frozen=True, kw_only=True)
class WorldFacts:
    """Tables that an attacker may hold."""

    people: int | None
    shared: tuple[str, ...]
    """Quasi-identifying columns that they hold, by the table's names."""
    lacking: tuple[str, ...]
    """Quasi-identifying columns that they do not hold."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class WorldRisk:
    """How easily somebody is found by whoever holds the world."""

    people: int
    """People of the world whom the released line with fewest people fits."""
    highest: float
    """The risk of the person who is easiest to find among them, 0..1."""
    presence: float
    """The highest share of the people whom a line fits who are in the table, 0..1."""
    instead: bool
    """Whether the policy asks for a crowd in the world and for none in the table."""


@dataclass(frozen=True, kw_only=True)
class Unanswered:
    """No quick answer: the table is too large for one, and only a search can tell."""

    before: ClassFacts
    """The table as it is."""
    why: str


@dataclass(frozen=True, kw_only=True)
class WhatIf:
    """What a policy would mean for the table; nothing is released."""

    before: ClassFacts
    """The table as it is."""
    after: ClassFacts
    suppressed: int | None
    why_refused: str | None
    """Why such a release may not leave, in words; None if it may."""
    loss_name: str
    loss: float
    """The loss that the policy names."""
    by_column: Mapping[str, float]
    """The share of each column that is lost (NCP), 0..1."""
    quick: bool
    """Whether a longer search may lose less: the loss is then a bound, at most what is said."""
    how: str
    seconds: float
    world: WorldRisk | None = None
    """None if no model counts the people of a world."""

    @property
    def allowed(self) -> bool:
        """Whether such a release may leave."""
        return self.why_refused is None

    @property
    def risk(self) -> float:
        """The highest risk, among those whom the policy counts: of the table or of the world."""
        if self.world is not None and self.world.instead:
            return self.world.highest
        return self.after.highest


@dataclass(frozen=True, kw_only=True)
class TriedRelease:
    """One way to release the table, on the plane of risk and loss."""

    name: str
    search: str
    policy: str
    """TOML of this point."""
    answer: WhatIf | None
    """None if no such release is known."""
    k: int = 0
    suppression: float = 0.0
    """The share of the records that may be left out."""
    why: str = ""
    """Why no release is known."""
    impossible: bool = False
    """Whether there is none; else a longer search might find one."""
    like: str = ""
    """The name of a stricter point whose release loses less, and is shown in place of its own."""


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """Files that a release would take the place of."""

    names: tuple[str, ...]
    """Empty if nothing is there."""
    signed: bool


@dataclass(frozen=True, kw_only=True)
class ReleaseFacts:
    """A release that was written, read again and verified."""

    release: str
    certificate: str
    report: str | None
    verdicts: tuple[Verdict, ...]
    losses: Mapping[str, float]
    k: int
    records: int
    suppressed: int | None
    sha256: str
    notes: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    """What its policy should make one think about."""
    attacks: AttackOutcome | None = None
    """What the attacks of its report came to; None if none were played."""


@dataclass(frozen=True, kw_only=True)
class TextFacts:
    """An answer that a document says, as a notebook shows it."""

    html: str
    attacks: AttackOutcome | None = None
    """What attacks came to, if it is about them."""
