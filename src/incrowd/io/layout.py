"""How to read a file, and what is noted about it."""

from collections.abc import Sequence
from dataclasses import dataclass

from incrowd.errors import InputError, PolicyError
from incrowd.io.notation import NotationRequest

DELIMITERS = (",", ";", "\t", "|", " ")
PIECE = 2**23


@dataclass(frozen=True)
class Layout:
    """How to read a file, and how much of it at a time; what is None is found out.

    `PolicyError` for a delimiter that incrowd does not know, or fewer lines to skip than 0.
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    columns: tuple[str, ...] | None = None
    """The columns to read; None for all."""
    expected: tuple[str, ...] = ()
    """Columns that the table should have: they help to find its header and its delimiter."""
    sheet: str | None = None
    skip: int | None = None
    """Lines above the header."""
    notation: NotationRequest | None = None
    """How numbers and dates are written; None leaves them as they are."""
    tabs: bool = False
    """Whether the file's ending means tabs between cells."""
    memory: int | None = None
    """Bytes of memory that may be used; by default what is free."""
    piece: int = PIECE
    """Bytes of text that are read at a time."""
    rows: int | None = None
    """Rows of Parquet and Arrow that are read at a time."""

    def __post_init__(self) -> None:
        if self.delimiter is not None and self.delimiter not in DELIMITERS:
            raise PolicyError(
                f"unknown delimiter {self.delimiter!r}",
                remedy="use a comma, a semicolon, a tab, a bar or a space",
            )
        if self.skip is not None and self.skip < 0:
            raise PolicyError("--skip must be 0 or more", remedy="give the lines above the header")

    def choose(self, names: Sequence[str]) -> list[str]:
        """The columns to read: all names, or the chosen ones; `PolicyError` if one is not there."""
        for name in self.columns or ():
            if name not in names:
                raise PolicyError(
                    f"there is no column {name!r}", remedy="name a column of the header"
                )
        return list(names if self.columns is None else self.columns)

    def refuse_choice(self, what: str, *, skips: bool = False) -> None:
        """Raise `InputError` if a sheet, or lines to skip unless `skips`, are given for `what`."""
        for name, given in (("sheet", self.sheet), ("skip", None if skips else self.skip or None)):
            if given is not None:
                raise InputError(f"--{name} does not fit {what}", remedy=f"leave out --{name}")


def stored_text(delimiter: str) -> Layout:
    """The layout of a text that incrowd wrote, whose cells are read as they are."""
    return Layout(delimiter, "utf-8", header=True, skip=0)
