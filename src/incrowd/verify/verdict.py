"""What a check says of a release: small values that load neither arrays nor frames."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from incrowd.showing import Shown

if TYPE_CHECKING:
    from incrowd.verify.alone import Alone


@dataclass(frozen=True)
class Verdict:
    """What one model asked for, what the rows reach, and whether that is enough."""

    name: str
    column: str | None
    """The sensitive column it is about, if any."""
    asked: float
    reached: float
    """The value of the weakest class."""
    ok: bool
    confidence: float | None = None
    """How likely it is that what is reached holds for all classes together; None: it is counted."""

    @property
    def title(self) -> str:
        """The model with its column, such as `t-closeness of diagnosis`."""
        return f"{self.name} of {self.column}" if self.column else self.name


@dataclass(frozen=True)
class Signed:
    """Whose signature a certificate carries."""

    fingerprint: str
    """SHA-256 of the 32 bytes of the public key, in hexadecimal."""
    valid: bool | None
    """Whether it is the signature of this very certificate; None if that could not be computed."""
    trusted: bool | None
    """Whether the key is one of those that were called trusted; None if none was named."""


@dataclass(frozen=True)
class Check(Shown):
    """What a release, looked at alone, shows of its policy.

    `ok` only if every model is met, the columns are those that the policy lets leave, and, if
    there is a certificate, it is the certificate of this very release and policy, says nothing
    that the rows contradict, and is signed as was asked for.
    """

    ok: bool
    models: tuple[Verdict, ...]
    digest: str
    """SHA-256 of what was checked, in hexadecimal."""
    digest_ok: bool | None
    """Whether the certificate names this digest; None if there is nothing to compare with."""
    notes: tuple[str, ...] = ()
    """What stands in the way, and what was taken on trust: whole sentences without values."""
    signature: Signed | None = None
    """Whose signature the certificate carries; None if it is unsigned, or there is none."""
    recounted: tuple[str, ...] = ()
    """What the certificate says and was found again, by place: `classes`, `loss.gcp`, …"""
    claimed: tuple[str, ...] = ()
    """What the certificate says and nothing at hand shows, by place."""
    losses: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By loss: what the certificate says, and what was recounted."""
    measures: tuple[str, ...] = ()
    """For each model: which of several measures of its name it is in, such as `frequency`."""
    alone: "Alone | None" = None
    """Whom columns that leave unchanged single out; None if there is none, or it is not known."""
    counted: bool = True
    """Whether every verdict was counted from the rows; if not, the certificate says it."""
    world: "WorldCandidates | None" = None
    """Whom rows may be in the world that was given; None without one."""


@dataclass(frozen=True)
class WorldCandidates:
    """How many people of a world a released row may be (Bettini Definitions 4 and 7)."""

    k: int
    """By containment: the fewest people whom the labels of a row fit; 0 if a row fits nobody."""
    k_matched: int | None = None
    """After matching: the fewest who are left for a row if every row is a different person."""
    uncounted: str = ""
    """Why candidates after matching were not counted, in words; empty if they were."""
