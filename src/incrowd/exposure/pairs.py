"""Which pairs of columns make records unique."""

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np

from incrowd.arrays import Floats
from incrowd.exposure.measure import classes_by
from incrowd.identify.measures import all_ratios
from incrowd.identify.records import Records
from incrowd.table.tally import Tally
from incrowd.watch import Watch


def unique_by_pairs(names: Sequence[str], tally: Tally, watch: Watch | None = None) -> Floats:
    """The share of the records that are unique by each pair of columns: shape (d, d).

    The diagonal has each column alone. A class of one person is unique. NaN if time was up.
    """
    width = len(names)
    found: Floats = np.full((width, width), np.nan)
    if tally.has_units:
        for i, j in combinations_with_replacement(range(width), 2):
            found[i, j] = found[j, i] = unique_and_mean_risk(tally, sorted({i, j}))[0]
        return found
    records = Records(tuple(names), tally.quasi, tally.counts)
    for columns, ratios in all_ratios(records, 2, watch):
        i, j = columns[0], columns[-1]
        found[i, j] = found[j, i] = ratios.unique_ratio
    return found


def unique_and_mean_risk(tally: Tally, columns: list[int]) -> tuple[float, float]:
    """The share of records that are unique by these columns, and the mean of 1 / people."""
    _, classes = classes_by(tally, tally.quasi[columns])
    total = max(tally.records, 1)
    unique = int(classes.records[classes.people == 1].sum()) / total
    return unique, float((classes.records / np.maximum(classes.people, 1)).sum()) / total
