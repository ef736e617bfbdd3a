"""Which records are in which class."""

from dataclasses import dataclass

import numpy as np

from incrowd.arrays import SUPPRESSED, Codes, Counts


@dataclass(frozen=True, eq=False)
class Pieces:
    """Which records are in which class: `count` records of tally row `row` are in `class_of`.

    `class_of` is `SUPPRESSED` (-1) for records that are left out. If no row is cut, `row` is
    0, 1, 2, … and `count` is the tally's.
    """

    row: Codes
    count: Counts
    class_of: Codes


def placed(place: Codes, class_of: Codes) -> Codes:
    """Classes under other numbers: that of class c is `place[c]`."""
    return np.where(class_of >= 0, place[class_of], SUPPRESSED).astype(np.int32)


def first_rows(class_of: Codes) -> Codes:
    """The first row of each class."""
    number = int(class_of.max(initial=-1)) + 1
    first = np.zeros(number, dtype=np.int32)
    rows = np.flatnonzero(class_of >= 0).astype(np.int32)
    first[class_of[rows[::-1]]] = rows[::-1]
    return first
