"""What was found when a release was checked."""

from dataclasses import dataclass


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
class Check:
    """What a release, looked at alone, shows of its policy.

    `ok` only if every model is met, the columns are those that the policy lets leave, and, if
    there is a certificate, it is the certificate of this very release and policy.
    """

    ok: bool
    models: tuple[Verdict, ...]
    digest: str
    """SHA-256 of what was checked, in hexadecimal."""
    digest_ok: bool | None
    """Whether the certificate names this digest; None if there is nothing to compare with."""
    notes: tuple[str, ...] = ()
    """What stands in the way, and what was taken on trust: whole sentences without values."""
