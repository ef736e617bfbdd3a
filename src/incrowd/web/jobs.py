"""What a worker can be asked for: frozen requests that name the function that answers them.

The functions are in `web.work` and load the searches, so only the worker imports them.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, kw_only=True)
class ReadingChoice:
    """How to read a text file or a workbook; what is None is found."""

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    sheet: str | None = None
    skip: int | None = None
    decimal: str | None = None
    thousands: str | None = None
    date_format: tuple[str, ...] = ()
    """Formats of dates: of all (`%d/%m/%Y`) or of one column (`birth=%d/%m/%Y`)."""


@dataclass(frozen=True)
class TableFile:
    """A table on this machine, and how to read it."""

    source: str
    reading: ReadingChoice = field(default_factory=ReadingChoice)
    folder: str = "."
    """Where relative paths of hierarchies start."""


@dataclass(frozen=True)
class WorldFiles:
    """Tables with names that an attacker may hold; none: the attacker holds none."""

    files: tuple[str, ...] = ()
    world_id: str | None = None
    """The column that tells their people apart; without one, every row is a person."""
    rename: tuple[tuple[str, str], ...] = ()
    """The table's name of a column, and the world's."""

    @property
    def given(self) -> dict[str, Any]:
        """As keyword arguments of verbs."""
        return {"world": self.files, "world_id": self.world_id, "rename": dict(self.rename)}


NO_WORLD = WorldFiles()


@dataclass(frozen=True)
class Job:
    """A request; `work` is the function that answers it, as `module:name` within `web.work`."""

    work: ClassVar[str]
    replaces: ClassVar[bool] = False
    """Whether it takes the place of a request of the same kind that still waits."""
    gives_way: ClassVar[bool] = False
    """Whether it ends as soon as something else is asked for."""


@dataclass(frozen=True)
class OpenTable(Job):
    """Open a table: `facts.OpenedTable`."""

    work: ClassVar[str] = "tables:look"
    table: TableFile


@dataclass(frozen=True)
class WriteHospital(Job):
    """Write the made-up hospital into a file: its path."""

    work: ClassVar[str] = "tables:demo"
    path: str
    records: int = 2000


@dataclass(frozen=True)
class DraftPolicy(Job):
    """A first policy: `facts.DraftFacts`."""

    work: ClassVar[str] = "tables:draft"
    table: TableFile


@dataclass(frozen=True)
class FindSets(Job):
    """Which columns identify together: `facts.FoundSets`."""

    work: ClassVar[str] = "tables:find_sets"
    gives_way: ClassVar[bool] = True
    table: TableFile
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True)
class ShowHistogram(Job):
    """How many records hold what: `facts.HistogramFacts`."""

    work: ClassVar[str] = "columns:histogram"
    table: TableFile
    policy: str
    column: str
    level: int | None = None
    """The level of the hierarchy to count at; without it the lowest with few enough bins."""


@dataclass(frozen=True)
class ShowHierarchy(Job):
    """How a column becomes coarser: `facts.HierarchyFacts`."""

    work: ClassVar[str] = "columns:hierarchy"
    table: TableFile
    policy: str
    column: str


@dataclass(frozen=True)
class ShowTree(Job):
    """A column's values with their labels at every level, to be changed: `facts.TreeFacts`."""

    work: ClassVar[str] = "trees:tree"
    table: TableFile
    policy: str
    column: str


@dataclass(frozen=True)
class OfferHierarchies(Job):
    """Hierarchies that fit a column, that of the policy first: `facts.OfferedHierarchy` each."""

    work: ClassVar[str] = "offers:offers"
    table: TableFile
    policy: str
    column: str


@dataclass(frozen=True)
class ExportHierarchy(Job):
    """The hierarchy of a column as CSV, one line per value: a text, for the user's own use."""

    work: ClassVar[str] = "columns:export_hierarchy"
    table: TableFile
    policy: str
    column: str


@dataclass(frozen=True)
class ShowRows(Job):
    """The first rows as they are, if the user wants to see them: `facts.FirstRows`."""

    work: ClassVar[str] = "tables:show_cells"
    table: TableFile
    rows: int = 20


@dataclass(frozen=True)
class ApplyPreset(Job):
    """The policy with a preset applied: TOML."""

    work: ClassVar[str] = "tables:apply_preset"
    table: TableFile
    policy: str
    preset: str


@dataclass(frozen=True)
class CountMissing(Job):
    """Records without a value as the policy reads them, by column; None if withheld."""

    work: ClassVar[str] = "columns:missing"
    table: TableFile
    policy: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class ListChoices(Job):
    """Which models and searches there are to choose from: `facts.Choices`."""

    work: ClassVar[str] = "choices:choices"


@dataclass(frozen=True)
class ExplainModels(Job):
    """What each model of a policy promises: a sentence for each, in the order of the policy."""

    work: ClassVar[str] = "choices:meanings"
    policy: str


@dataclass(frozen=True)
class CheckPolicy(Job):
    """Whether incrowd accepts a policy for the table: `facts.PolicyFacts`."""

    work: ClassVar[str] = "tables:check_policy"
    replaces: ClassVar[bool] = True
    table: TableFile
    policy: str


@dataclass(frozen=True)
class ListWorldColumns(Job):
    """The columns of files that may be a world: their names, file by file."""

    work: ClassVar[str] = "worlds:columns"
    policy: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class LookAtWorld(Job):
    """Who is in a world, and which columns it shares with the table: `facts.WorldFacts`."""

    work: ClassVar[str] = "worlds:look"
    table: TableFile
    policy: str
    world: WorldFiles


@dataclass(frozen=True)
class AskWhatIf(Job):
    """What a policy would mean: `facts.WhatIf`, at once, or `facts.Unanswered`."""

    work: ClassVar[str] = "what_if:what_if"
    replaces: ClassVar[bool] = True
    table: TableFile
    policy: str
    levels: tuple[tuple[str, int], ...] | None = None
    """A level for every quasi-identifying column (full-domain generalization): exact figures."""
    world: WorldFiles = NO_WORLD


@dataclass(frozen=True)
class SearchPolicy(Job):
    """What the policy's own search finds, with its time limit: `facts.WhatIf`."""

    work: ClassVar[str] = "what_if:search"
    replaces: ClassVar[bool] = True
    gives_way: ClassVar[bool] = True
    table: TableFile
    policy: str
    world: WorldFiles = NO_WORLD


@dataclass(frozen=True)
class Explore(Job):
    """Releases of several k, searches and limits: each `facts.TriedRelease` comes with a progress.

    The answer holds all of them.
    """

    work: ClassVar[str] = "what_if:explore"
    gives_way: ClassVar[bool] = True
    table: TableFile
    policy: str
    searches: tuple[str, ...]
    ks: tuple[int, ...] = (2, 3, 5, 10, 20, 50)
    suppressions: tuple[float, ...] = (0.0, 0.05)
    seconds: float = 5.0
    """Time limit of each."""
    world: WorldFiles = NO_WORLD


@dataclass(frozen=True, kw_only=True)
class MakeRelease(Job):
    """Write, verify and certify a release: `facts.ReleaseFacts`."""

    work: ClassVar[str] = "releases:make_release"
    table: TableFile
    policy: str
    target: str
    seed: int | None
    report: str | None = None
    """The file of the report, if one is wanted."""
    sign: str | None = None
    """The file of the private key."""
    key_file: str | None = None
    """The file of the key of pseudonyms."""
    world: WorldFiles = NO_WORLD


@dataclass(frozen=True)
class FindReplaced(Job):
    """What a release would take the place of: `facts.Replaced`."""

    work: ClassVar[str] = "releases:replaced"
    release: MakeRelease


@dataclass(frozen=True, kw_only=True)
class CheckRelease(Job):
    """Check a release: `verify.verdict.Check`."""

    work: ClassVar[str] = "releases:check_release"
    release: str
    certificate: str | None = None
    policy: str | None = None
    """The file of a policy; without it the certificate's."""
    original: TableFile | None = None
    trusted_keys: tuple[str, ...] = ()
    """Files of public keys."""
    folder: str = "."
    """Where relative paths of hierarchies start."""
    world: WorldFiles = NO_WORLD


@dataclass(frozen=True, kw_only=True)
class AttackRelease(Job):
    """Attack a release with what its original and a world hold: `facts.AttackText`."""

    work: ClassVar[str] = "releases:attack_release"
    release: str
    table: TableFile
    policy: str
    seed: int = 0
    world: WorldFiles = NO_WORLD


@dataclass(frozen=True, kw_only=True)
class CompareReleases(Job):
    """What releases keep of their original: `facts.TextFacts`."""

    work: ClassVar[str] = "releases:compare_releases"
    table: TableFile
    policy: str
    releases: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class WriteReport(Job):
    """A report on a release, in a file: its path."""

    work: ClassVar[str] = "releases:write_report"
    release: str
    target: str
    certificate: str | None = None
    table: TableFile | None = None
    world: WorldFiles = NO_WORLD
