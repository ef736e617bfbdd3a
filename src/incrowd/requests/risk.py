"""What can be asked of `risk`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from incrowd.requests.kinds import EXPOSED, FILE, PART, PEOPLE, SWITCH, WRITING, Group
from incrowd.requests.request import Request
from incrowd.requests.shared import (
    AnyPath,
    HowToRead,
    MissingValues,
    PolicyFile,
    PolicyFolder,
    Quasi,
    Sensitive,
    Source,
    Unit,
    Watching,
    Weight,
)

if TYPE_CHECKING:
    from incrowd.hierarchy import AnyHierarchy

MEASURE = Group("What to measure")


@dataclass(frozen=True, kw_only=True)
class RiskRequest(Request):
    """How easily the people of a table are found by some of its columns."""

    source: Source = field(kw_only=False)
    quasi: Quasi = ()
    sensitive: Sensitive = ()
    unit: Unit = None
    weight: Weight = None
    policy: PolicyFile = None
    threshold: Annotated[float, EXPOSED, MEASURE] = 0.2
    """A risk above this counts as exposed, 0..1."""
    population: Annotated[float | str | None, PEOPLE, MEASURE] = None
    """The number of people that the table was drawn from, such as 3e8, or a name such as usa:
    estimates the risk among them."""
    fraction: Annotated[float | None, PART, MEASURE] = None
    """The same as a share: how much of the population is in the table, 0..1."""
    explain: Annotated[bool, SWITCH, MEASURE] = False
    """Show what each column adds, and what would lower the risk most."""
    special_uniques: int | None = None
    """Find the smallest sets of columns, up to so many columns, that make records unique."""
    hierarchies: "Mapping[str, AnyHierarchy] | None" = None
    """Of sensitive columns, for distances, and of quasi-identifying ones, for coarser values;
    without one, the data suggests it."""
    missing_values: MissingValues = ()
    list_records: Annotated[AnyPath | None, FILE, WRITING] = None
    """Write the numbers of the exposed records to a file that you must not publish."""
    reading: HowToRead = None
    watch: Watching = None
    folder: PolicyFolder = "."
