"""What can be asked of `report`."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from incrowd.requests.check import HeldRequest
from incrowd.requests.kinds import FILE, HOLD, SWITCH, WRITING
from incrowd.requests.shared import AnyPath, PolicyFile, Source


@dataclass(frozen=True, kw_only=True)
class ReportRequest(HeldRequest):
    """One page on a release."""

    source: Source = field(kw_only=False)
    target: AnyPath | None = field(default=None, kw_only=False)
    """The file of the page."""
    policy: PolicyFile = field(default=None, kw_only=False)
    certificate: Any = field(default=None, kw_only=False)
    """The certificate of the release."""
    original: Annotated[Any, FILE, HOLD] = None
    """The table before anonymization: with it the page shows before and after."""
    show_values: Annotated[bool, SWITCH, WRITING] = False
    """Name values in pictures of columns: only those that at least 5 records hold."""
    name: str | None = None
    """What the page calls the release."""
    command: str | None = None
    """Shown as the way to check the release again."""
