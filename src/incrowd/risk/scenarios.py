"""The three attackers: who knows that a person is in the table, who does not, who wants them all.

Definitions of highest risk, average risk and share at risk follow El Emam, *Guide to the
De-Identification of Personal Health Information* (2013), as in ARX.
"""

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.models.shares import TOLERANCE, fraction
from incrowd.risk.risk import Journalist, Marketer, Prosecutor


def prosecutor(records: Counts, size: Counts, threshold: float) -> Prosecutor:
    """1 / size is compared with the threshold without rounding."""
    total = max(int(records.sum()), 1)
    limit = fraction(threshold)
    above = size * limit.numerator < limit.denominator
    return Prosecutor(
        max=1 / int(size.min()) if len(size) else 0.0,
        average=float((records / size).sum()) / total,
        above_threshold=int(records[above].sum()) / total,
    )


def marketer(records: Counts, population: Floats) -> Marketer:
    """Each record is linked with one of the people who share its class."""
    total = max(int(records.sum()), 1)
    return Marketer(average=float((records / population).sum()) / total)


def journalist(records: Counts, population: Floats, threshold: float, source: str) -> Journalist:
    """Classes of these many records that stand for so many people of the population."""
    if not len(records):
        return Journalist(0.0, 0.0, 0.0, source)
    above = population * threshold < 1 - TOLERANCE
    average = marketer(records, population).average
    return Journalist(
        max=1 / float(population.min()),
        average=max(len(records) / float(population.sum()), average),
        above_threshold=int(records[above].sum()) / int(records.sum()),
        source=source,
    )


def people_of(
    people: Counts, per_person: Floats | None, sampled: float | None
) -> tuple[Floats, str]:
    """How many people of the population share each class, and what tells.

    `per_person` is the mean sampling weight of a class, `sampled` the share of the population that
    is in the table. Weights below 1 can make fewer people than are seen.
    """
    if per_person is not None:
        return people * per_person, "weights"
    if sampled is not None:
        return people / sampled, "population"
    return people.astype(np.float64), "table"
