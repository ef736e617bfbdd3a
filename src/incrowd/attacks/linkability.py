"""Linkability: two files about the same people, with different columns, joined by the release.

The second of the three risks that the Article 29 Working Party names (Opinion 05/2014 on
anonymisation techniques).
"""

from typing import Any

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.attacks.attack import Attack
from incrowd.attacks.fit import Fit, SideClasses
from incrowd.attacks.intervals import Moments, Rate, blind
from incrowd.attacks.persons import Persons
from incrowd.attacks.words import columns, part
from incrowd.kernels.linkage import fits as kernels
from incrowd.partition.csr import parts


def linkability(left: Fit, right: Fit, both: Fit) -> Attack:
    """How often a record of one file leads, by way of the release, to the same person in another.

    One file holds the columns of `left`, the other those of `right`; `both` is by all of them. From
    a person's record in the first, the attacker draws one of the released rows that fit it, and
    then one of the records of the second file that fit this row. The baseline is to draw from the
    second file.
    """
    people = left.scene.people.records
    guess, limit = blind(people), left.scene.limit
    sums = _kernels().tallied(*_hits(left, right, both), guess, limit).tolist()
    rate = Rate.of_moments(Moments(sums[0], sums[1], sums[2], (sums[3], sums[4], sums[5])))
    return Attack(
        kind="linkability",
        knows=left.names,
        rate=rate,
        baseline=guess,
        says=(
            f"Somebody holds two files about these people, one with {columns(left.names)}, the "
            f"other with {columns(right.names)}, and asks which records are of one person. They go "
            "from a record of the first to a released row that fits it, and from there to a record "
            f"of the second that fits the row: it is the same person's for "
            f"{part(rate.success, 'the records')}."
        ),
        figures={"other_columns": len(right.columns)},
        persons=Persons(limit, sums[6], sums[7], sums[8], round(sums[9])),
    )


def _hits(left: Fit, right: Fit, both: Fit) -> tuple[Floats, Counts]:
    """Per class of people: over the rows that fit, 1 / (rows, times records, to draw from).

    And how many people each class has.
    """
    scene, members = both.scene, both.rows_of
    people, rows = left.rows_of_each, right.people_of_each
    weights = scene.people.counts, scene.shown.counts
    if scene.joint:
        members = scene.each
    else:
        people, rows = _first(people, both.people), _first(rows, both.rows)
        weights = both.people.sizes, both.rows.sizes
    found, done = [np.zeros(0)], 0
    for some in parts(members):
        by = people[done:], rows
        found.append(_kernels().met(some, (weights[0][done:], weights[1]), by))
        done += len(some[0]) - 1
    return np.concatenate(found), weights[0]


def _first(figure: Counts, classes: SideClasses) -> Counts:
    """The figure of the first row of each class."""
    return figure[classes.rows[classes.start[:-1]]]


def _kernels() -> Any:

    return kernels
