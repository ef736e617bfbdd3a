"""What can be asked of `attack`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from incrowd.requests.kinds import (
    CHANCE,
    COLUMN,
    COLUMNS,
    COUNT,
    FILE,
    FILES,
    HOLD,
    NUMBER,
    OTHER_NAMES,
    SHARE,
    SIZE,
    Group,
)
from incrowd.requests.request import Request
from incrowd.requests.shared import (
    AnyPath,
    HierarchiesOfLabels,
    HowToReadInMemory,
    PolicyFile,
    PolicyFolder,
    Sensitive,
    Source,
    Watching,
)

if TYPE_CHECKING:
    from incrowd.io.reading import Reading
    from incrowd.linkage.identify import AtLeast

KNOWS = Group("What the attacker has")
LIMITS = Group("Limits (exit code 1 if one is broken)")


@dataclass(frozen=True, kw_only=True)
class AttackRequest(Request):
    """What attackers know, and what they may achieve at most."""

    release: Source = field(kw_only=False)
    world: Annotated[Any, FILES, KNOWS] = None
    """A table with names that somebody may have. Repeat it for several tables, joined by
    --world-id."""
    world_id: Annotated[str | None, COLUMN, KNOWS] = None
    """The column of the world that tells people apart."""
    knows: Annotated[str | Sequence[str], COLUMNS, KNOWS] = ()
    """Columns that the attacker knows about a person. Default: the policy's quasi-identifiers, or
    all columns that the tables share."""
    original: Annotated[Any, FILE, KNOWS] = None
    """The table before anonymization."""
    other: Annotated[Any, FILE, KNOWS] = None
    """Another release of the same table."""
    control: Annotated[Any, FILE, KNOWS] = None
    """Similar people who are not in the original: what the attacker learns about them, the release
    tells about anybody."""
    truth: Annotated[Any, FILE, KNOWS] = None
    """The id of each released row, in the release's order."""
    truth_key: Annotated[str | None, COLUMN, KNOWS] = None
    """A column of release and truth that says which rows belong together."""
    listed: Annotated[float | None, SHARE, KNOWS] = None
    """The share of released people who are in the world, 0..1, if neither --truth nor the ids of
    --original show it."""
    rename: Annotated[Mapping[str, str] | None, OTHER_NAMES, KNOWS] = None
    """Other tables' name for a column of the release. Repeat it for each column."""
    promises: "Sequence[AtLeast]" = ()
    """What holds in every world, such as AtLeast(("zip", "sex"), 500): at least so many people
    share any values of these columns."""
    rule_out: Annotated[int, COUNT, KNOWS] = 1
    """The number of sensitive values that an attacker can rule out."""
    max_size: Annotated[int | None, SIZE, KNOWS] = None
    """Also play all sets of at most N known columns."""
    max_posterior: Annotated[float, CHANCE, LIMITS] = 0.95
    """The release must not lift the chance to find a person, or their sensitive value, above this,
    0..1; 1 switches it off."""
    max_people: Annotated[int, COUNT, LIMITS] = 0
    """This many people may be above --max-posterior."""
    max_success: Annotated[float | None, SHARE, LIMITS] = None
    """The most that an attack may gain over guessing on average, 0..1."""
    max_raise: Annotated[float | None, SHARE, LIMITS] = None
    """The most that anybody's chance may rise, as a share of what was open; 1 switches it off.
    Default with --max-success: 0.3, or --max-success if that is more."""
    sensitive: Sensitive = ()
    policy: PolicyFile = None
    certificate: Annotated[AnyPath | None, FILE, HOLD] = None
    """The certificate of the release, for its policy."""
    hierarchies: HierarchiesOfLabels = None
    folder: PolicyFolder = "."
    reading: HowToReadInMemory = None
    original_reading: "Reading | None" = None
    """How to read the other tables."""
    seed: Annotated[int, NUMBER, KNOWS] = 0
    """Seed for the row-order attack."""
    watch: Watching = None
