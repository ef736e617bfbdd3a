"""The columns of a table as codes: what the search for quasi-identifiers looks at."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.errors import PolicyError
from incrowd.table.names import nearest

_ROOM = 2**12


@dataclass(frozen=True, eq=False)
class Records:
    """Columns as codes, each row with the number of records that it stands for.

    Unfolded tables have `counts` of 1. A missing value (code 0) is a value like any other. The
    order of rows and columns does not matter to any answer.
    """

    names: tuple[str, ...]
    codes: Codes
    """One line per column: shape (m, n)."""
    counts: Counts
    """Records per row: shape (n,)."""

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def rows(self) -> int:
        """Number of rows, which may be fewer than the records."""
        return len(self.counts)

    @cached_property
    def total(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @cached_property
    def domains(self) -> Counts:
        """Per column: one more than its largest code."""
        return np.array([int(line.max(initial=0)) + 1 for line in self.codes], dtype=np.int64)

    @cached_property
    def lines(self) -> tuple[tuple[Codes, int], ...]:
        """Per column: codes, and a number above them that is not far above the number of rows.

        Few rows of a large table may have large codes; those are numbered anew here.
        """
        room = 4 * self.rows + _ROOM
        given = zip(self.codes, self.domains.tolist(), strict=True)
        return tuple(
            _renumbered(line) if domain > room else (line, domain) for line, domain in given
        )

    def places(self, names: Sequence[str]) -> tuple[int, ...]:
        """The places of these columns."""
        unknown = [name for name in names if name not in self.names]
        if unknown:
            remedy = nearest(unknown[0], self.names)
            raise PolicyError(f"the table has no column {unknown[0]!r}", remedy=remedy)
        return tuple(self.names.index(name) for name in names)

    def select(self, names: Sequence[str]) -> "Records":
        """These columns only, rows not folded."""
        places = list(self.places(names))
        return Records(tuple(names), np.ascontiguousarray(self.codes[places]), self.counts)

    def __repr__(self) -> str:
        """Without values."""
        return f"Records({self.width} columns, {self.rows} rows)"


def _renumbered(codes: Codes) -> tuple[Codes, int]:
    values, place = np.unique(codes, return_inverse=True)
    return place.astype(np.int32), max(len(values), 1)
