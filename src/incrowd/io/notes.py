"""What you should know about a file that was read."""

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Note:
    """Something about a file that the user should know."""

    name: str
    count: int
    text: str

    def __str__(self) -> str:
        """The note in words."""
        return self.text
