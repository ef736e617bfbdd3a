"""Who is alone for whoever also knows columns that leave unchanged, by comparing all rows."""

from naive.verify import crowds


def alone(shown, kept, unit, anything=False):
    """The people who share what they show with others, and a row of theirs with nobody.

    `shown` and `kept` are rows of cells, `unit` says whose they are.
    """
    near = crowds(shown, anything)
    by_label = {unit[i] for i, crowd in enumerate(near) if {unit[j] for j in crowd} == {unit[i]}}
    by_value = {
        unit[i]
        for i, crowd in enumerate(near)
        if {unit[j] for j in crowd if kept[j] == kept[i]} == {unit[i]}
    }
    return by_value - by_label


def told(alone, people):
    """The share as it is told: none, or at least five people, in parts of 1/10,000 rounded up."""
    if not alone:
        return 0.0
    part = next(n for n in range(10_001) if n * people >= 10_000 * max(alone, 5) or n == 10_000)
    return part / 10_000
