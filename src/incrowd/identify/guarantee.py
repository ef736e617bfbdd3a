"""What an answer about quasi-identifiers promises, and what was not looked at."""

from dataclasses import dataclass
from enum import StrEnum


class Basis(StrEnum):
    """What is shown of the sets of columns in an answer."""

    COUNTED = "counted"
    """Each reaches the ratio that was asked for, counted on all records."""
    AT_LEAST = "at least"
    """Each reaches a ratio that the sample promises, but for delta."""
    RELATIVE = "relative"
    """Each tells apart nearly all pairs of records that all columns together do, but for delta."""
    CANDIDATES = "candidates"
    """Every set that reaches the ratio contains one of them, but for delta; they may reach less."""


@dataclass(frozen=True)
class Guarantee:
    """How far an answer may be trusted (Motwani-Xu Section 1.1)."""

    exact: bool
    """Computed on every record: nothing is left to chance."""
    epsilon: float | None = None
    """How far a ratio may be off, 0..1; None for exact answers."""
    delta: float | None = None
    """How likely it is, at most, that the answer breaks its promise; None for exact answers."""
    sample: int | None = None
    """Records or pairs that were drawn; None if none were."""
    searched: str = ""
    """What was looked at, in words."""
    not_searched: str = ""
    """What was not looked at, in words; empty when that is nothing."""
