"""What can be asked of `query_precision`."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from incrowd.requests.kinds import HOLD, PART
from incrowd.requests.request import Request
from incrowd.requests.shared import HowToRead, PolicyFile, PolicyFolder, Seed, Source, Watching

if TYPE_CHECKING:
    from incrowd.loss.queries_workload import Workload


@dataclass(frozen=True, kw_only=True)
class QueryPrecisionRequest(Request):
    """How well a release of a table would answer somebody's queries."""

    source: Source = field(kw_only=False)
    policy: PolicyFile = field(kw_only=False)
    workload: "Workload" = field(kw_only=False)
    """The queries; they name columns that are quasi-identifying or sensitive."""
    floor: Annotated[float, PART, HOLD] = 0.001
    """The share of the records that a relative error is measured against at the least."""
    reading: HowToRead = None
    seed: Seed = None
    watch: Watching = None
    folder: PolicyFolder = "."
