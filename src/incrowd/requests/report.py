"""What can be asked of `report`."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from incrowd.requests.kinds import FILE, HOLD, SWITCH, WRITING
from incrowd.requests.request import Request
from incrowd.requests.shared import (
    AnyPath,
    HowToRead,
    OriginalReading,
    PolicyFile,
    PolicyFolder,
    Rename,
    Source,
    TrustedKeys,
    Watching,
    World,
    WorldId,
)


@dataclass(frozen=True, kw_only=True)
class ReportRequest(Request):
    """One page on a release."""

    source: Source = field(kw_only=False)
    target: AnyPath | None = field(default=None, kw_only=False)
    """The file of the page."""
    policy: PolicyFile = field(default=None, kw_only=False)
    certificate: Any = field(default=None, kw_only=False)
    """The certificate of the release."""
    trusted_keys: TrustedKeys = ()
    original: Annotated[Any, FILE, HOLD] = None
    """The table before anonymization: with it the page shows before and after."""
    world: World = None
    world_id: WorldId = None
    rename: Rename = None
    folder: PolicyFolder = "."
    show_values: Annotated[bool, SWITCH, WRITING] = False
    """Name values in pictures of columns: only those that at least 5 records hold."""
    name: str | None = None
    """What the page calls the release."""
    command: str | None = None
    """Shown as the way to check the release again."""
    reading: HowToRead = None
    original_reading: OriginalReading = None
    watch: Watching = None
