"""Linkability: two files about the same people, with different columns, joined by the release.

The second of the three risks that the Article 29 Working Party names (Opinion 05/2014 on
anonymisation techniques).
"""

from typing import Any

from incrowd.arrays import Counts
from incrowd.attacks.attack import Attack
from incrowd.attacks.compressed import parts
from incrowd.attacks.fit import Fit, SideClasses
from incrowd.attacks.intervals import Rate, blind
from incrowd.attacks.words import columns, part


def linkability(left: Fit, right: Fit, both: Fit) -> Attack:
    """How often a record of one file leads, by way of the release, to the same person in another.

    One file holds the columns of `left`, the other those of `right`; `both` is by all of them. From
    a person's record in the first, the attacker draws one of the released rows that fit it, and
    then one of the records of the second file that fit this row. The baseline is to draw from the
    second file.
    """
    people = left.scene.people.records
    rate = Rate.expected(_hits(left, right, both), people)
    return Attack(
        kind="linkability",
        knows=left.names,
        rate=rate,
        baseline=blind(people),
        says=(
            f"Somebody holds two files about these people, one with {columns(left.names)}, the "
            f"other with {columns(right.names)}, and asks which records are of one person. Going "
            "from a record of the first to a released row that fits it, and from there to a record "
            "of the second, they arrive at the same person in "
            f"{part(rate.success, 'the cases')}."
        ),
        figures={"other_columns": len(right.columns)},
    )


def _hits(left: Fit, right: Fit, both: Fit) -> float:
    """Over all pairs of a person and a row that fits: 1 / (rows, times records, to draw from)."""
    scene, members = both.scene, both.rows_of
    people, rows = left.rows_of_each, right.people_of_each
    weights = scene.people.counts, scene.shown.counts
    if scene.joint:
        members = scene.each
    else:
        people, rows = _first(people, both.people), _first(rows, both.rows)
        weights = both.people.sizes, both.rows.sizes
    found, done = 0.0, 0
    for some in parts(members):
        found += _kernels().met(some, (weights[0][done:], weights[1]), (people[done:], rows))
        done += len(some[0]) - 1
    return found


def _first(figure: Counts, classes: SideClasses) -> Counts:
    """The figure of the first row of each class."""
    return figure[classes.rows[classes.start[:-1]]]


def _kernels() -> Any:
    from incrowd.kernels import fits as kernels  # noqa: PLC0415  numba only when it is needed

    return kernels
