"""The contract of every recoding: what a search decides."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from incrowd.arrays import SUPPRESSED, Codes, Counts
from incrowd.recoding.column import QuasiColumn
from incrowd.table.tally import Tally

if TYPE_CHECKING:
    from incrowd.recoding.spans import ValueSets


@dataclass(frozen=True, eq=False)
class Pieces:
    """Which records are in which class: `count` records of tally row `row` are in `class_of`.

    `class_of` is `SUPPRESSED` (-1) for records that are left out. If no row is cut, `row` is
    0, 1, 2, … and `count` is the tally's.
    """

    row: Codes
    count: Counts
    class_of: Codes


def classes_of_records(row_of: Codes, pieces: Pieces, draw: np.random.Generator) -> Codes:
    """The class of each record, -1 if left out, given its row; who of a row goes where is drawn."""
    drawn = draw.permutation(len(row_of))
    place = drawn[_stable_order(row_of[drawn])]
    order = _stable_order(pieces.row)
    classes: Codes = np.full(len(row_of), SUPPRESSED, dtype=np.int32)
    classes[place] = np.repeat(pieces.class_of[order], pieces.count[order])
    return classes


def _stable_order(codes: Codes) -> Counts:
    """The order that sorts codes, all at least 0; equal ones keep their order."""
    key = codes.astype(np.int64)
    key <<= 32
    key += np.arange(len(codes), dtype=np.int64)
    key.sort()
    key &= 2**32 - 1
    return key


def renumber_classes(place: Codes, class_of: Codes) -> Codes:
    """Renumber classes: class c becomes `place[c]`, suppressed rows stay suppressed."""
    return np.where(class_of >= 0, place[class_of], SUPPRESSED).astype(np.int32)


def first_rows(class_of: Codes) -> Codes:
    """The first row of each class; rows of class -1 are left out, every other class has a row."""
    number = int(class_of.max(initial=-1)) + 1
    first = np.zeros(number, dtype=np.int32)
    rows = np.flatnonzero(class_of >= 0).astype(np.int32)
    first[class_of[rows[::-1]]] = rows[::-1]
    return first


class Recoding(ABC):
    """What a search decides: which records are in which class, and what each class shows."""

    kind: ClassVar[str]
    """`levels`, `cells`, `spans`, `cuts`, `boxes` or `anatomy`."""
    spans: ClassVar[bool] = False
    """Whether cells of ordered columns show the ends of spans, not the nodes of a hierarchy."""
    exact: ClassVar[bool] = False
    """Whether quasi-identifying cells leave as they are."""
    pieces: Pieces
    """Which records are in which class; classes are numbered 0, 1, … without a gap."""

    @abstractmethod
    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """First code, last code and level by class: (d, classes); `tally` has a row per piece."""

    def class_buckets(self, tally: Tally) -> Codes | None:
        """The bucket of each class in each column: shape (d, classes); None without buckets.

        `tally` has a row per piece. Of a column only the buckets that some released class shows are
        numbered: 0, 1, … in their order.
        """
        del tally
        return None

    def value_sets(
        self, tally: Tally, columns: tuple[QuasiColumn, ...]
    ) -> "Mapping[int, ValueSets]":
        """The sets that classes show, by index of the column; `tally` has a row per piece."""
        del tally, columns
        return {}

    def with_divisible_classes(self) -> "Recoding":
        """The recoding as one that shows the same and may leave out single records of a class."""
        return self
