"""The seam to the place where the rows live."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from incrowd.arrays import Codes, Counts, Floats, Texts
from incrowd.table.column import CodedColumn, Kind

Shown: TypeAlias = tuple[Texts, bool | Counts]
"""What the classes show of a column: a label each (None if missing), and whether all of them are
the original values of their records, so that the column keeps its type. If they are original values
of others, it is the record of the table whose cell each class shows."""


class Engine(Protocol):
    """Where the rows live: they are read once to be coded and once to be released."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in their order."""
        ...

    @property
    def records(self) -> int:
        """Number of records."""
        ...

    def code(
        self, name: str, kind: Kind | None = None, missing_values: Sequence[str] = ()
    ) -> CodedColumn:
        """One column as codes, in the natural order of its values."""
        ...

    def codes(
        self,
        names: Sequence[str],
        kinds: Mapping[str, Kind] | None = None,
        missing_values: Sequence[str] = (),
    ) -> dict[str, CodedColumn]:
        """Several columns as codes, side by side."""
        ...

    def weights(self, name: str) -> Floats:
        """A column of sampling weights: finite, at least 0."""
        ...

    def units(self, name: str, missing_values: Sequence[str] = ()) -> Codes:
        """Which records belong to one person; 0 for a record that says nothing."""
        ...

    def release(  # noqa: PLR0913, PLR0917  what becomes of each kind of column
        self,
        shown: Mapping[str, Shown | Counts],
        class_of_record: Codes,
        order: Counts | None = None,
        dropped: Sequence[str] = (),
        pseudonyms: Mapping[str, Texts] | None = None,
        added: Mapping[str, Counts | Texts] | None = None,
    ) -> Any:
        """The rows that leave, in a frame of the kind that came in.

        Left out are records of class -1 and the columns `dropped`. `order` is a permutation of the
        records that leave (`order[i]` of them becomes the i-th; None keeps their order).
        `pseudonyms` replace a column's cells, one text per record of the table; a column whose
        cells change places is `shown` by the record whose cell each record shows. `added` columns
        come last, one number or date per record of the table, None where it has none.
        """
        ...
