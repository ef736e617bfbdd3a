"""What can be asked of `discover`, `groups` and `judge_sets`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

from incrowd.requests.kinds import (
    COLUMN,
    COLUMNS,
    NUMBER,
    PART,
    PEOPLE,
    SEARCHING,
    SETS,
    SWITCH,
    Flags,
    Group,
    OptionKind,
)
from incrowd.requests.request import Request
from incrowd.requests.shared import HowToRead, PolicyFile, Seconds, Source, Watching

if TYPE_CHECKING:
    from incrowd.identify.distinct_values import CountSource
    from incrowd.identify.records import Measure

FIND = Group("What to find")
IN_POPULATION = Group("Population")
_JUDGE = (
    "Judge sets for this many people: a number such as 3e8, or a name such as usa, a round figure."
)

Columns = Annotated[
    str | Sequence[str] | None, COLUMNS, FIND, "The columns to look at; all by default."
]
MaxSize = Annotated[int | None, NUMBER, FIND, "The most columns of a set."]
Domains = Annotated[
    Mapping[str, float] | None,
    OptionKind("COLUMN=N", form="numbers"),
    IN_POPULATION,
    Flags("--domain"),
    "The number of values that a column can have, such as ssn=1e9.",
]
Alpha = Annotated[
    float | None,
    PART,
    IN_POPULATION,
    "The share of people that a set must tell apart. Default: 0.5.",
]
SourceOfCounts = Annotated[
    "CountSource | Literal['declared', 'estimated', 'observed'] | None",
    OptionKind("SOURCE"),
    IN_POPULATION,
    "Where numbers of values come from: declared, estimated or observed. Default: declared if "
    "--domain has all of them, else estimated.",
]


@dataclass(frozen=True, kw_only=True)
class DiscoverRequest(Request):
    """Which sets of columns tell the records of a table apart."""

    data: Source = field(kw_only=False)
    columns: Columns = field(default=None, kw_only=False)
    ratio: Annotated[float | None, PART, FIND] = None
    """The ratio that a set of columns must reach, above 0 and up to 1. Default: 0.9, with
    --epsilon 1."""
    measure: Annotated[
        "Measure | Literal['distinct', 'separation', 'unique']", OptionKind("MEASURE"), FIND
    ] = "distinct"
    """The ratio to use: distinct, separation or unique."""
    max_size: MaxSize = None
    explain: Annotated[str | Sequence[str], COLUMNS, FIND] = ()
    """Show what these columns add, and what coarser values would change."""
    weights: Annotated[
        Mapping[str, float] | None, OptionKind("COLUMN=COST", form="numbers", example="zip=2"), FIND
    ] = None
    """What it costs to learn a column, such as ssn=20,zip=0.5: the cheapest set is found in place
    of the smallest. Default: 1."""
    drop_duplicates: Annotated[bool, SWITCH, FIND] = False
    """Count records that are equal in all columns once."""
    population: Annotated[float | str | None, PEOPLE, IN_POPULATION, _JUDGE] = None
    domains: Domains = None
    alpha: Alpha = None
    source: SourceOfCounts = None
    exact: Annotated[bool | None, SWITCH, SEARCHING, Flags("--exact/--sampled")] = None
    """Look at all records, or at a sample. Default: all if they fit into memory."""
    epsilon: Annotated[float | None, PART, SEARCHING] = None
    """Draw a sample whose answers are off by at most this."""
    delta: Annotated[float, PART, SEARCHING] = 0.01
    """The probability that a sampled answer breaks its promise."""
    sample: Annotated[int | None, NUMBER, SEARCHING] = None
    """The number of records to draw; chosen if not given."""
    seed: Annotated[int | None, NUMBER, SEARCHING] = None
    """Seed for samples: the same seed gives the same result."""
    time_limit: Seconds = 60.0
    policy: PolicyFile = None
    reading: HowToRead = None
    watch: Watching = None


@dataclass(frozen=True, kw_only=True)
class GroupsRequest(Request):
    """Which sets of columns single out small groups of people."""

    source: Source = field(kw_only=False)
    k: Annotated[int, OptionKind("PEOPLE", int), FIND, Flags("-k", "--k")] = field(kw_only=False)
    """Find the sets that single out groups of at most this many people instead."""
    columns: Columns = field(default=None, kw_only=False)
    world_id: Annotated[str | None, COLUMN, FIND] = None
    """With -k: the column that tells people apart; without it each record is a person."""
    max_size: MaxSize = None
    time_limit: Seconds = 60.0
    policy: PolicyFile = None
    reading: HowToRead = None
    watch: Watching = None


@dataclass(frozen=True, kw_only=True)
class JudgeSetsRequest(Request):
    """Whether sets of columns can tell the people of a population apart."""

    sets: Annotated[
        str | Sequence[str] | Sequence[Sequence[str]], SETS, IN_POPULATION, Flags("--set")
    ] = field(kw_only=False)
    """Judge these columns together for --population, with or without a table. Repeat it for several
    sets."""
    data: Source = field(default=None, kw_only=False)
    population: Annotated[float | str, PEOPLE, IN_POPULATION, _JUDGE]
    domains: Domains = None
    alpha: Alpha = None
    source: SourceOfCounts = None
    policy: PolicyFile = None
    reading: HowToRead = None
