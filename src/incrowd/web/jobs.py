"""What a worker can be asked for: frozen requests that name the function that answers them.

The functions are in `web.work` and load the searches, so only the worker imports them. The type in
brackets is that of the answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from incrowd.requests.reading import ReadingOptions
from incrowd.verify.verdict import Check
from incrowd.web import facts

Answer_co = TypeVar("Answer_co", covariant=True)


@dataclass(frozen=True)
class TableFile:
    """A table on this machine, and how to read it."""

    source: str
    reading: ReadingOptions = field(default_factory=ReadingOptions)
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
    def verb_arguments(self) -> dict[str, Any]:
        """The keyword arguments that give a verb this world: `world`, `world_id` and `rename`."""
        return {"world": self.files, "world_id": self.world_id, "rename": dict(self.rename)}


NO_WORLD = WorldFiles()


@dataclass(frozen=True)
class Job(Generic[Answer_co]):
    """A request; `work` is the function that answers it, as `module:name` within `web.work`."""

    work: ClassVar[str]
    replaces: ClassVar[bool]
    """Whether it takes the place of a request of the same kind that still waits."""
    gives_way: ClassVar[bool]
    """Whether it ends as soon as something else is asked for."""

    def __init_subclass__(
        cls, *, work: str = "", replaces: bool = False, gives_way: bool = False
    ) -> None:
        super().__init_subclass__()
        cls.work, cls.replaces, cls.gives_way = work, replaces, gives_way


# What several kinds of jobs are about


@dataclass(frozen=True)
class OfTable(Job[Answer_co]):
    """About a table."""

    table: TableFile


@dataclass(frozen=True)
class OfPolicy(OfTable[Answer_co]):
    """About a policy for a table."""

    policy: str
    """TOML."""


@dataclass(frozen=True)
class OfColumn(OfPolicy[Answer_co]):
    """About a column, as a policy says of it."""

    column: str


@dataclass(frozen=True)
class OfWorld(OfPolicy[Answer_co]):
    """About a policy for a table, and what an attacker may hold."""

    world: WorldFiles = NO_WORLD


# The table


class OpenTable(OfTable[facts.OpenedTable], work="tables:open_table"):
    """Open a table and look at every column."""


class ShowRows(OfTable[facts.FirstRows], work="tables:show_rows"):
    """The first rows as they are, if the user wants to see them."""


class DraftPolicy(OfTable[facts.DraftFacts], work="tables:draft_policy"):
    """A first policy, with reasons."""


class FindSets(OfTable[facts.FoundSets], work="tables:find_sets", gives_way=True):
    """Which columns identify together."""


@dataclass(frozen=True)
class WriteHospital(Job[str], work="tables:write_hospital"):
    """Write the made-up hospital into a file: its path."""

    path: str
    records: int = 2000


# The policy


class ListChoices(Job[facts.Choices], work="choices:list_choices"):
    """Which searches and presets there are to choose from."""


class CheckPolicy(OfPolicy[None], work="tables:check_policy", replaces=True):
    """Whether incrowd accepts a policy for the table; if not, the error says why."""


@dataclass(frozen=True)
class ApplyPreset(OfPolicy[str], work="tables:apply_preset"):
    """The policy with a preset applied: TOML."""

    preset: str


@dataclass(frozen=True)
class CountMissing(OfPolicy[Mapping[str, int | None]], work="columns:count_missing"):
    """Records without a value as the policy reads them, by column; None if withheld."""

    columns: tuple[str, ...]


# A column


class ShowHistogram(OfColumn[facts.HistogramFacts], work="columns:count_histogram"):
    """A histogram of a column, at the lowest level of its hierarchy that has few enough labels."""


class ShowHierarchy(OfColumn[facts.HierarchyFacts], work="columns:describe_hierarchy"):
    """How a column becomes coarser."""


class ExportHierarchy(OfColumn[str], work="columns:export_hierarchy"):
    """The hierarchy of a column as CSV, one line per value: a text, for the user's own use."""


class ShowTree(OfColumn[facts.TreeFacts], work="trees:list_tree_rows"):
    """A column's values with their labels at every level, to be changed."""


class OfferHierarchies(
    OfColumn[tuple[facts.OfferedHierarchy, ...]], work="offers:offer_hierarchies"
):
    """Hierarchies that fit a column, that of the policy first."""


# Worlds, and what a policy means


@dataclass(frozen=True)
class ListWorldColumns(Job[tuple[tuple[str, ...], ...]], work="worlds:list_columns"):
    """The columns of files that may be a world: their names, file by file."""

    policy: str
    files: tuple[str, ...]


class LookAtWorld(OfWorld[facts.WorldFacts], work="worlds:look_at_world"):
    """Who is in a world, and which columns it shares with the table."""


class AskWhatIf(
    OfWorld[facts.WhatIf | facts.Unanswered], work="what_if:answer_quickly", replaces=True
):
    """What a policy would mean, at once."""


class SearchPolicy(
    OfWorld[facts.WhatIf], work="what_if:search_policy", replaces=True, gives_way=True
):
    """What the policy's own search finds, with its time limit."""


@dataclass(frozen=True, kw_only=True)
class Explore(OfWorld[tuple[facts.TriedRelease, ...]], work="what_if:explore", gives_way=True):
    """Releases of several k, searches and limits: each is told once it is there, all in the end."""

    searches: tuple[str, ...]
    ks: tuple[int, ...] = (2, 3, 5, 10, 20, 50)
    suppressions: tuple[float, ...] = (0.0, 0.05)
    seconds: float = 5.0
    """The time limit of each release."""


# Releases


@dataclass(frozen=True, kw_only=True)
class MakeRelease(OfWorld[facts.ReleaseFacts], work="releases:make_release"):
    """Write, verify and certify a release."""

    target: str
    seed: int | None
    report: str | None = None
    sign: str | None = None
    """The file of the private key."""
    key_file: str | None = None
    """The file of the key of pseudonyms."""


@dataclass(frozen=True)
class FindReplaced(Job[facts.Replaced], work="releases:find_replaced"):
    """What a release would take the place of."""

    release: MakeRelease


@dataclass(frozen=True, kw_only=True)
class CheckRelease(Job[Check], work="releases:check_release"):
    """Check a release."""

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
class AttackRelease(OfWorld[facts.TextFacts], work="releases:attack_release"):
    """Attack a release with what its original and a world hold."""

    release: str
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class CompareReleases(OfPolicy[facts.TextFacts], work="releases:compare_releases"):
    """What releases keep of their original."""

    releases: tuple[str, ...]
