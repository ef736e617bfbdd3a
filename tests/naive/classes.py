"""Classes counted with dictionaries of sets, and with numpy's sorting for larger tables."""

import numpy as np


def classes(class_of, people, values):
    """Per class: records, people, and people per value of each sensitive column."""
    result = {}
    for i, (name, person) in enumerate(zip(class_of, people, strict=True)):
        if name < 0:
            continue
        found = result.setdefault(name, {"records": 0, "people": set(), "values": {}})
        found["records"] += 1
        found["people"].add(person)
        for j, column in enumerate(values):
            found["values"].setdefault((j, column[i]), set()).add(person)
    return result


def compatible(one, other):
    """Whether two tuples are equal in every column where neither is missing (None)."""
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def crowds(shown, class_of, people, values):
    """Per class what the records of all compatible classes hold together, pair by pair."""
    result = {}
    for c, mine in enumerate(shown):
        meets = [compatible(mine, other) for other in shown]
        joined = [c if name >= 0 and meets[name] else -1 for name in class_of]
        result.update(classes(joined, people, values))
    return result


def histograms(classes, names):
    """The fast side's histograms as dictionaries: per class and column people per value."""
    return [
        {
            (j, int(held.code[e])): int(held.count[e])
            for j, name in enumerate(names)
            for held in [classes.histograms[name]]
            for e in range(held.start[c], held.start[c + 1])
        }
        for c in range(len(classes))
    ]


def sorted_histogram(tally, class_of, number, domain, codes):
    """Compressed rows of a histogram by sorting all pairs of class and code."""
    cell = class_of.astype(np.int64) * domain + codes
    kept = class_of >= 0
    cells, place = np.unique(cell[kept], return_inverse=True)
    count = np.bincount(place, weights=tally.people[kept], minlength=len(cells)).astype(np.int64)
    inside = kept[tally.shared_row]
    shared = np.stack([cell[tally.shared_row[inside]], tally.shared_unit[inside]])
    pairs = np.unique(shared, axis=1)
    count += np.bincount(np.searchsorted(cells, pairs[0]), minlength=len(cells))
    start = np.searchsorted(cells, np.arange(number + 1, dtype=np.int64) * domain)
    return start, cells % domain, count


def sorted_people(tally, class_of, number):
    """People per class by sorting all pairs of class and unit."""
    kept = class_of >= 0
    people = np.bincount(class_of[kept], weights=tally.people[kept], minlength=number)
    shared = class_of[tally.shared_row]
    inside = shared >= 0
    pairs = np.unique(np.stack([shared[inside], tally.shared_unit[inside]]), axis=1)
    return people.astype(np.int64) + np.bincount(pairs[0], minlength=number)
