"""What a look at a column found."""

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How a table stands to one of the eighteen identifiers."""

    PASS = "pass"  # noqa: S105  no password
    """Nothing of the kind was found."""
    FAIL = "fail"
    """A column holds it, by its name or by what its values look like."""
    UNSEEN = "unseen"
    """No program can say: somebody must look."""


@dataclass(frozen=True)
class Finding:
    """What one column holds, or might hold, and how that was seen; never a value."""

    column: str
    why: str
    status: Status = Status.FAIL
