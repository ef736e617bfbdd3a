"""Linkability: two files about the same people, with different columns, joined by the release.

The second of the three risks of the Article 29 Working Party (Opinion 05/2014, Section 2.2).
"""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.attacks.attack import Attack
from incrowd.attacks.fit import Fit
from incrowd.attacks.intervals import wilson
from incrowd.attacks.words import columns, share


def linkability(left: Fit, right: Fit, both: Fit) -> Attack:
    """How often a record of one file leads, by way of the release, to the same person in another.

    One file holds the columns of `left`, the other those of `right`; `both` is by all of them. From
    a person's record in the first, the attacker draws one of the released rows that fit it, and
    then one of the records of the second file that fit this row. The baseline is to draw from the
    second file.
    """
    by_left = _of_class(both.people.class_of, left.people.class_of, left.rows_fitting)
    by_right = _of_class(both.rows.class_of, right.rows.class_of, right.people_fitting)
    pairs = both.people.sizes[both.person] * both.rows.sizes[both.row]
    hits = float((pairs / (by_left[both.person] * by_right[both.row])).sum())
    people = left.scene.people.records
    success = min(hits / people, 1.0) if people else 0.0
    return Attack(
        kind="linkability",
        knows=left.names,
        success=success,
        interval=wilson(success * people, people),
        baseline=1 / people if people else 0.0,
        trials=people,
        says=(
            f"Somebody holds two files about these people, one with {columns(left.names)}, the "
            f"other with {columns(right.names)}, and asks which records are of one person. Going "
            "from a record of the first to a released row that fits it, and from there to a record "
            f"of the second, they arrive at the same person in {share(success)} of the cases."
        ),
        figures={"other_columns": len(right.columns)},
    )


def _of_class(fine: Codes, coarse: Codes, figure: Counts) -> Counts:
    """The figure of the coarse class that each fine class is part of."""
    found = np.zeros(int(fine.max(initial=-1)) + 1, dtype=np.int64)
    found[fine] = figure[coarse]
    return found
