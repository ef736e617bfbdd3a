"""Which pairs of columns make records unique."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from incrowd.arrays import Floats
from incrowd.exposure.measure import without_sensitive
from incrowd.identify.measures import all_ratios
from incrowd.identify.records import Records
from incrowd.partition.classes import classes_of, number_columns
from incrowd.table.tally import Tally
from incrowd.watch import Watch


def unique_by_pairs(names: Sequence[str], tally: Tally, watch: Watch | None = None) -> Floats:
    """The share of the records that are unique by each pair of columns: shape (d, d).

    The diagonal has each column alone. A record is unique if its class holds one person. Pairs that
    there was no time for are NaN.
    """
    width = len(names)
    found: Floats = np.full((width, width), np.nan)
    if tally.has_units:
        for i, j in _pairs(width):
            found[i, j] = found[j, i] = _unique(tally, sorted({i, j}))
        return found
    records = Records(tuple(names), tally.quasi, tally.counts)
    for columns, ratios in all_ratios(records, 2, watch):
        i, j = columns[0], columns[-1]
        found[i, j] = found[j, i] = ratios.unique_ratio
    return found


def _pairs(width: int) -> list[tuple[int, int]]:
    return [*((j, j) for j in range(width)), *combinations(range(width), 2)]


def _unique(tally: Tally, columns: list[int]) -> float:
    class_of, number = number_columns(np.ascontiguousarray(tally.quasi[columns]))
    classes = classes_of(without_sensitive(tally), class_of, number, ())
    return int(classes.records[classes.people == 1].sum()) / max(tally.records, 1)
