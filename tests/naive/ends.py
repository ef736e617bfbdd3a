"""Somebody who holds the world and knows that the ends of labels are attained, person by person."""

from collections import defaultdict

from incrowd.hierarchy.labels import parse_number, read_bounds


def number_bounds(label):
    """(low, low inside, high, high inside) of a label of numbers; None where it has no end."""
    if label == "*":
        return None, True, None, True
    bounds = read_bounds(label)
    if bounds is None:
        value = float(parse_number(label))
        return value, True, value, True
    low, high = (None if end is None else float(parse_number(end)) for end in bounds[:2])
    return low, bounds[2], high, bounds[3]


def fits_number(label, value):
    low, low_inside, high, high_inside = number_bounds(label)
    above = low is None or value > low or (low_inside and value == low)
    return above and (high is None or value < high or (high_inside and value == high))


def fits_text(label, value):
    """A value, or the characters that a mask leaves."""
    if not label.endswith("*"):
        return label == value
    return value.startswith(label.rstrip("*")) and (label == "*" or len(label) == len(value))


def end_cells(labels):
    """The narrowest label at each end that any label has, as an attacker reads them off a release.

    By lower end, and by upper end: the values that a label with this end must reach at least.
    """
    lowest, highest = {}, {}
    for label in labels:
        low, _, high, _ = number_bounds(label)
        width = float("inf") if low is None or high is None else high - low
        lowest[low] = min(lowest.get(low, (float("inf"), label)), (width, label))
        highest[high] = min(highest.get(high, (float("inf"), label)), (width, label))
    return {k: v[1] for k, v in lowest.items()}, {k: v[1] for k, v in highest.items()}


def guesses(released, world, numbers, *, exact):
    """People of the world who are taken to be in the table, each with what the class alone says.

    `released` are rows of labels, `world` rows of values by person, both as dicts by column. Of
    every class and each end of its spans the people are listed who fit the class and lie at that
    end: at the exact value, or in the narrowest label that ends there. Where that is one person,
    they are guessed. Returns {person: share of the class's people who are in the table}.
    """
    classes = defaultdict(int)
    for row in released:
        classes[tuple(row.items())] += 1
    ends = {name: end_cells({row[name] for row in released}) for name in numbers}
    found = {}
    for cells, records in classes.items():
        row = dict(cells)
        fitting = [
            person
            for person, values in world.items()
            if all(
                fits_number(row[name], values[name])
                if name in numbers
                else fits_text(row[name], values[name])
                for name in row
            )
        ]
        for name in numbers:
            for there in at_ends(row[name], ends[name], exact=exact):
                alone = [person for person in fitting if there(world[person][name])]
                if len(alone) == 1:
                    found[alone[0]] = min(1.0, records / len(fitting))
    return found


def at_ends(label, ends, *, exact):
    """Which values lie at the two ends of a label."""
    low, _, high, _ = number_bounds(label)
    if exact:
        return [lambda v, end=end: v == end for end in {low, high} - {None}]
    return [
        lambda v, narrow=narrow: fits_number(narrow, v)
        for narrow in (ends[0][low], ends[1][high])
        if narrow != label
    ]
