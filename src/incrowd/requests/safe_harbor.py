"""What can be asked of `safe_harbor`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from incrowd.requests.kinds import HOLD, YEAR
from incrowd.requests.request import Request
from incrowd.requests.shared import AnyPath, HowToReadInMemory, PolicyFile, Source, Watching


@dataclass(frozen=True, kw_only=True)
class SafeHarborRequest(Request):
    """Which of HIPAA's eighteen identifiers a table holds."""

    source: Source = field(kw_only=False)
    policy: PolicyFile = None
    """A policy (TOML): check what it would release of FILE, at the finest level."""
    today: Annotated[int | None, YEAR, HOLD] = None
    """The year for ages; by default this year."""
    zip_populations: Mapping[str, int] | None = None
    """People by the first three digits of ZIP codes; by default the census's."""
    folder: AnyPath = "."
    """Where the paths of the policy begin."""
    reading: HowToReadInMemory = None
    watch: Watching = None
