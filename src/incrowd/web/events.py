"""What a worker says about a job: how far it is, and how it ended."""

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Progress:
    """How far a job is."""

    what: str
    share: float
    """0..1 of what is being done."""
    value: Any = None
    """A part of the answer that is ready already; None if there is none."""


@dataclass(frozen=True)
class Done:
    """The job is done: its answer."""

    value: Any


@dataclass(frozen=True)
class Failed:
    """The job failed: one sentence, and what helps."""

    message: str
    remedy: str
    exit_code: int


@dataclass(frozen=True)
class Cancelled:
    """The job was cancelled: one sentence."""

    message: str


Ending: TypeAlias = Done | Failed | Cancelled
Event: TypeAlias = Progress | Ending
