"""Somebody who holds the world and knows that the ends of labels are attained, person by person."""

from collections import Counter
from functools import cache

from incrowd.hierarchy.labels import parse_number, read_bounds


def number_fits(label, value):
    """Whether a label of numbers may stand for this one."""
    if label == "*":
        return True
    low, high, low_inside, high_inside = _ends(label)
    above = low is None or value > low or (low_inside and value == low)
    return above and (high is None or value < high or (high_inside and value == high))


@cache
def _ends(label):
    """The least and the largest number of a label, and whether these are inside."""
    bounds = read_bounds(label)
    if bounds is None:
        number = float(parse_number(label))
        return number, number, True, True
    low, high = (
        None if end is None else float(parse_number(end)) for end in (bounds.low, bounds.high)
    )
    return low, high, bounds.low_inside, bounds.high_inside


def text_fits(label, value):
    """Whether a label is this text, or the characters of it that a mask leaves."""
    if not label.endswith("*"):
        return label == value
    return label == "*" or (value.startswith(label.rstrip("*")) and len(label) == len(value))


def guesses(released, world, numbers):
    """People of the world who are taken to be in the table, each with what the class alone says.

    `released` are rows of labels, `world` rows of values by person, both as dicts by column. In
    every class and column of numbers, somebody in the table must lie at each end: if of all people
    of the world who fit the class one alone is nearest to it, they are guessed. Returns by person
    what classes say of them by themselves: the shares of the people in the table among those who
    fit a class, added up over the classes that the person fits.
    """
    classes = Counter(tuple(row.items()) for row in released)
    fits = {
        (name, label): {
            person
            for person, values in world.items()
            if (number_fits if name in numbers else text_fits)(label, values[name])
        }
        for name, label in {cell for cells in classes for cell in cells}
    }
    found, chance = set(), Counter()
    for cells, records in classes.items():
        fitting = set.intersection(*(fits[cell] for cell in cells))
        chance.update(dict.fromkeys(fitting, records / len(fitting)))
        for name in numbers:
            for end in (min, max):
                value = end(world[person][name] for person in fitting)
                nearest = [person for person in fitting if world[person][name] == value]
                if len(nearest) == 1 and len(fitting) > 1:
                    found.add(nearest[0])
    return {person: min(1.0, chance[person]) for person in found}
