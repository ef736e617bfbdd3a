"""What can be asked of `check`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from incrowd.requests.kinds import FILE, FILES, HOLD, Flags
from incrowd.requests.request import Request
from incrowd.requests.shared import (
    AnyPath,
    HowToRead,
    PolicyFile,
    PolicyFolder,
    Rename,
    Source,
    Watching,
    World,
    WorldId,
)

if TYPE_CHECKING:
    from incrowd.io.reading import Reading


@dataclass(frozen=True, kw_only=True)
class HeldRequest(Request):
    """What a release is held to, beside its policy and its certificate."""

    trusted_keys: Annotated[Sequence[AnyPath | bytes], FILES, HOLD, Flags("--trusted-key")] = ()
    """A public key that must have signed the certificate. Repeat it to accept several."""
    original: Annotated[Any, FILE, HOLD] = None
    """The table before anonymization: with it and --policy losses are recounted."""
    world: World = None
    world_id: WorldId = None
    rename: Rename = None
    folder: PolicyFolder = "."
    reading: HowToRead = None
    original_reading: Annotated["Reading | None", "How to read the original."] = None
    watch: Watching = None


@dataclass(frozen=True, kw_only=True)
class CheckRequest(HeldRequest):
    """Whether a release keeps its policy."""

    source: Source = field(kw_only=False)
    policy: PolicyFile = field(default=None, kw_only=False)
    certificate: Annotated[Any, FILE, HOLD] = field(default=None, kw_only=False)
    """The certificate of the release."""
