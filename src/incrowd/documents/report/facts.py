"""What a report is made of: aggregated figures, frozen, with small counts withheld already.

`verbs.report` gathers them; the sections of a report turn them into text, tables and pictures and
compute nothing. None in place of a figure means that it is withheld, because fewer than 5
records are behind it, unless the field says otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from incrowd.documents.verdict import AttackOutcome
from incrowd.release.certificate import Certificate, LeftOut
from incrowd.utility.comparison import ReleaseUtility
from incrowd.verify.verdict import Check


@dataclass(frozen=True, kw_only=True)
class DataFacts:
    """What the data is."""

    release: str
    original: str | None
    """What the original is called; None if it is not there."""
    records: int
    left_out: LeftOut | None
    """None if nothing is known of the original."""
    unit: str | None
    missing: str
    """How missing values are read."""
    world: tuple[int, int] | None = None
    """Rows and people of the world, if there is one."""

    @property
    def records_before(self) -> int | None:
        """Records of the original; None if that is not known."""
        return None if self.left_out is None else self.records + self.left_out.records


@dataclass(frozen=True, kw_only=True)
class RiskFacts:
    """How easily a person is found by the quasi-identifiers; shares None if withheld."""

    records: int
    classes: int
    k: int
    average_class: float
    unique: int | None
    unique_share: float | None
    highest: float
    average: float
    above: float | None
    """Share of the records above the threshold."""


@dataclass(frozen=True, kw_only=True)
class SizeFacts:
    """Records by the size of their class."""

    labels: tuple[str, ...]
    before: tuple[float | None, ...] | None
    """Shares of the records; None if there is no original."""
    after: tuple[float | None, ...]
    least: int
    """The smallest class that the policy allows."""
    mark: int | None
    """The index of the label that begins at `least`; None if no label does."""


@dataclass(frozen=True, kw_only=True)
class RiskCurve:
    """(risk, share of the records above it), by rising risk: points of a step curve."""

    before: tuple[tuple[float, float], ...]
    after: tuple[tuple[float, float], ...]


@dataclass(frozen=True, kw_only=True)
class DiversityFacts:
    """What each class reaches in one sensitive column: records by l, or by t, of their class."""

    column: str
    measure: str
    """Such as `l-diversity (frequency)`."""
    labels: tuple[str, ...]
    before: tuple[float | None, ...] | None
    after: tuple[float | None, ...]
    asked: float | None
    """The threshold of the policy, if it has one."""
    mark: int | None
    """The index of the label that begins at `asked`; None if no label does."""
    worst_before: float | None
    worst_after: float | None


@dataclass(frozen=True, kw_only=True)
class ContributionFact:
    """What one column does to the risk."""

    column: str
    alone: float | None
    """Share of the records above the threshold by this column alone."""
    without: float | None
    """The same by all other columns; None also if it was not counted."""
    unique: float | None
    """Its part of the share of unique records (Shapley's value); None if not counted."""


@dataclass(frozen=True, kw_only=True)
class ExposureFacts:
    """Who is exposed, and by which columns."""

    of: Literal["original", "release"]
    threshold: float
    risk: RiskFacts
    contributions: tuple[ContributionFact, ...]
    pairs: tuple[str, ...]
    """The columns of the heat map."""
    unique: tuple[tuple[float | None, ...], ...]
    """Share of unique records by each pair of columns; a column alone is on the diagonal."""
    worst: tuple[tuple[str, str, float], ...]
    """The pairs that make most records unique."""
    most: float
    """The largest of these shares that is not withheld."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AttackFact:
    """One attacker: how often they are right, and how often a guess is."""

    kind: str
    scenario: str
    """What the attacker does, in a sentence."""
    column: str | None
    """The sensitive column whose value is guessed."""
    knows: tuple[str, ...]
    success: float | None
    """None if fewer than 5 people are behind it."""
    low: float | None
    high: float | None
    baseline: float
    gain: float | None
    trials: int
    bound: bool
    """Whether the rate is only an upper bound."""
    breaks: bool = False

    @property
    def goal(self) -> str:
        """The kind of attack, and the column whose value is guessed."""
        of = "" if self.column is None else f" of {self.column}"
        return f"{self.kind.replace('-', ' ')}{of}"


@dataclass(frozen=True, kw_only=True)
class AttackFacts:
    """All attacks that were played."""

    attacks: tuple[AttackFact, ...]
    broken: int
    """How many limits they break."""
    notes: tuple[str, ...]

    @property
    def outcome(self) -> AttackOutcome:
        """The number of limits that are broken, and the goals of the attacks that break them."""
        goals = dict.fromkeys(attack.goal for attack in self.attacks if attack.breaks)
        return AttackOutcome(broken=self.broken, goals=tuple(goals))


@dataclass(frozen=True, kw_only=True)
class ColumnFact:
    """One column: what it is for, and what was done to it."""

    name: str
    role: str
    leaves: bool
    values_before: int | None = None
    """Distinct values of the original; None if it is not known."""
    values_after: int | None = None
    action: str = "drop"
    """What becomes of an identifier."""
    level: int | None = None
    """The level of its hierarchy, if one level holds for the whole column."""
    highest: int | None = None
    """The highest level of its hierarchy, if the original is there."""
    labels: int | None = None
    """Different labels that the release shows."""
    exact: float | None = None
    """Share of the released cells that show one value; None if that is not known."""
    suppressed: int | None = 0
    """Released cells that show nothing."""


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """A release that was looked at."""

    name: str
    k: int
    """Every class has at least so many people."""
    loss: float
    left_out: int | None
    """Records that it leaves out; None if withheld."""
    taken: bool = False


@dataclass(frozen=True, kw_only=True)
class AlternativeFacts:
    """What the search looked at."""

    search: str
    why: str
    optimal: bool
    loss_name: str
    loss: float | None
    looked: tuple[Alternative, ...] = ()
    bound: float | None = None
    """A loss that no release goes below, if it was asked for."""
    proved: bool = False


@dataclass(frozen=True, kw_only=True)
class ReportFacts:
    """Everything that a report shows."""

    verdict: Check
    """Whether the release keeps its policy; its notes say what stands in the way."""
    counted: Literal["file", "run", "certificate"]
    """Counted from the file now, or by the run that wrote it, or only said by the certificate."""
    warnings: tuple[str, ...]
    """What the policy should make one think about."""
    command: str
    """The command that checks the release again."""
    data: DataFacts
    risk: RiskFacts | None
    """Of the release; None if it does not show its classes."""
    exposure: ExposureFacts | None
    sizes: SizeFacts | None
    curve: RiskCurve | None
    diversity: tuple[DiversityFacts, ...]
    attacks: AttackFacts | None
    columns: tuple[ColumnFact, ...]
    utility: ReleaseUtility | None
    alternatives: AlternativeFacts | None
    limits: tuple[str, ...]
    policy: str
    """As text, without the cells that it lists."""
    certificate: Certificate | None
    signed_by: str | None = None
    """The fingerprint of the key that signed the certificate."""
    absent: Mapping[str, str] = field(default_factory=dict)
    """By section: what the section lacks, and how to get it."""
    made: str = ""
    """When, and by which version."""

    @property
    def attack_outcome(self) -> AttackOutcome | None:
        """How many limits the attacks break, and their goals; None if none were played."""
        return None if self.attacks is None else self.attacks.outcome
