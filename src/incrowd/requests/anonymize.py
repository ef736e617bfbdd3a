"""What can be asked of `anonymize`."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from incrowd.requests.kinds import FILE, SEARCHING, SWITCH, WRITING, Flags, OptionKind
from incrowd.requests.request import Request
from incrowd.requests.shared import (
    AnyPath,
    DryRun,
    HowToRead,
    PolicyFile,
    PolicyFolder,
    Rename,
    Seed,
    Source,
    Watching,
    World,
    WorldId,
)

if TYPE_CHECKING:
    from incrowd.search.bound import Gap


@dataclass(frozen=True, kw_only=True)
class AnonymizeRequest(Request):
    """A release that keeps a policy."""

    source: Source = field(kw_only=False)
    policy: PolicyFile = field(kw_only=False)
    target: Annotated[AnyPath | None, FILE, WRITING, Flags("--output", "-o")] = field(
        default=None, kw_only=False
    )
    """Write the release to this file."""
    certificate: Annotated[AnyPath | None, FILE, WRITING] = None
    """Write the certificate to this file; by default it goes beside the release."""
    sign: AnyPath | bytes | None = None
    """A private key (PEM, or the path of its file): the certificate is signed with it."""
    key: bytes | None = None
    """The secret key of pseudonyms."""
    seed: Seed = None
    dry_run: DryRun = False
    resume: Annotated[bool, SWITCH, WRITING] = False
    """Keep finished parts of a large table beside the release; after a crash the same command goes
    on from them."""
    gap: Annotated["Gap | None", OptionKind("estimate|prove"), SEARCHING] = None
    """Say how much less any other release could lose: from a sample, or proved, which takes
    longer."""
    world: World = None
    world_id: WorldId = None
    rename: Rename = None
    folder: PolicyFolder = "."
    reading: HowToRead = None
    watch: Watching = None
