"""What can be asked of `check`."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from incrowd.requests.kinds import FILE, HOLD
from incrowd.requests.request import Request
from incrowd.requests.shared import (
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
class HeldRequest(Request):
    """What a release is held to, beside its policy and its certificate."""

    trusted_keys: TrustedKeys = ()
    original: Annotated[Any, FILE, HOLD] = None
    """The table before anonymization: with it and --policy losses are recounted."""
    world: World = None
    world_id: WorldId = None
    rename: Rename = None
    folder: PolicyFolder = "."
    reading: HowToRead = None
    original_reading: OriginalReading = None
    watch: Watching = None


@dataclass(frozen=True, kw_only=True)
class CheckRequest(HeldRequest):
    """Whether a release keeps its policy."""

    source: Source = field(kw_only=False)
    policy: PolicyFile = field(default=None, kw_only=False)
    certificate: Annotated[Any, FILE, HOLD] = field(default=None, kw_only=False)
    """The certificate of the release."""
