"""The three attackers: who knows that a person is in the table, who does not, who wants them all.

Definitions of highest risk, average risk and share at risk follow El Emam, *Guide to the
De-Identification of Personal Health Information* (2013), as in ARX.
"""

import numpy as np

from incrowd.arrays import Counts, Floats
from incrowd.exposure.estimates import Estimates
from incrowd.exposure.individual import risks
from incrowd.exposure.risk import Individual, Journalist, Marketer, Prosecutor
from incrowd.models.shares import TOLERANCE, fraction


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


def journalist(found: Estimates, source: str) -> Journalist:
    """The risk of somebody who may or may not be in the table."""
    average = found.average.at_least(found.by_class)
    return Journalist(
        max=found.highest.value,
        average=average.value,
        above_threshold=found.above.value,
        source=source,
        max_interval=found.highest.interval,
        average_interval=average.interval,
        above_threshold_interval=found.above.interval,
        above_threshold_possible=found.above.possible,
    )


def marketer(found: Estimates) -> Marketer:
    """Each record is linked with one of the people who share its class."""
    average = found.average
    return Marketer(average.value, average.interval, average.possible)


def individual(found: Estimates, records: Counts, people: Counts, population: Floats) -> Individual:
    """The mean risk of each class, for classes that stand for so many people of the population."""
    total = int(records.sum())
    alone = risks(people, people / np.maximum(population, people)) if total else np.zeros(0)
    low, high = found.average.interval
    return Individual(
        max=found.likeliest.value,
        average=found.average.value,
        expected=found.average.value * total,
        above_threshold=found.likely_above.value,
        light=int(records[population < people * (1 - TOLERANCE)].sum()),
        max_interval=found.likeliest.interval,
        average_interval=(low, high),
        expected_interval=(low * total, high * total),
        above_threshold_interval=found.likely_above.interval,
        negative_binomial=float((records * alone).sum()) / max(total, 1),
    )
