"""Linkability: two files about the same people, with different columns, joined by the release."""

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.attacks.attack import Attack, columns_phrase, part_phrase
from incrowd.attacks.rates import Moments, PersonRisk, Rate, chance_of_guess
from incrowd.kernels.linkage import fits as kernels
from incrowd.linkage.decoding import iterate_parts
from incrowd.linkage.fit import Fit, SideClasses


def linkability(left: Fit, right: Fit, both: Fit) -> Attack:
    """Play linkability: how often a record of one file leads to the same person in another.

    The files have the columns of `left` and of `right`; `both` uses all. The attacker draws a row
    that fits a person's record, then a record of the other file that fits it; the baseline is to
    draw that blindly.
    """
    people = left.data.people.records
    guess, limit = chance_of_guess(people), left.data.limit
    sums = kernels.hit_figures(*_hits_and_people(left, right, both), guess, limit).tolist()
    rate = Rate.of_moments(Moments(sums[0], sums[1], sums[2], (sums[3], sums[4], sums[5])))
    return Attack(
        kind="linkability",
        knows=left.names,
        rate=rate,
        baseline=guess,
        says=(
            f"Somebody has two files about these people, one with {columns_phrase(left.names)}, "
            f"the other with {columns_phrase(right.names)}, and asks which records belong to one "
            "person. They go from a record of the first file to a released row that fits it, and "
            "from there to a record of the second file that fits the row. Both records are the "
            f"same person's for {part_phrase(rate.success, 'the records')}."
        ),
        figures={"other_columns": len(right.columns)},
        persons=PersonRisk(limit, sums[6], sums[7], sums[8], round(sums[9])),
    )


def _hits_and_people(left: Fit, right: Fit, both: Fit) -> tuple[Floats, Counts]:
    """Per class (or joint row): expected hits if a row, then a fitting record is drawn; people."""
    data, members = both.data, both.rows_of
    people, rows = left.rows_of_each, right.people_of_each
    weights = data.people.counts, data.shown.counts
    if data.joint:
        members = data.rows_as_classes
    else:
        people = _figure_of_first_rows(people, both.people)
        rows = _figure_of_first_rows(rows, both.rows)
        weights = both.people.sizes, both.rows.sizes
    found, done = [np.zeros(0)], 0
    for some in iterate_parts(members):
        by = people[done:], rows
        found.append(kernels.expected_links(some, (weights[0][done:], weights[1]), by))
        done += len(some[0]) - 1
    return np.concatenate(found), weights[0]


def _figure_of_first_rows(figure: Counts, classes: SideClasses) -> Counts:
    """A figure per row as a figure per class: that of the first row of each."""
    return figure[classes.rows[classes.start[:-1]]]
