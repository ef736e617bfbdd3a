"""What was found when a release was checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Verdict:
    """What one model asked for, what the rows reach, and whether that is enough."""

    name: str
    """The model's name."""
    column: str | None
    """The sensitive column it is about, if any."""
    asked: float
    reached: float
    """The value of the weakest class."""
    ok: bool
    confidence: float | None = None
    """How likely it is that what is reached holds for all classes together; None: it is counted."""


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
class Check:
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
