"""Classes counted with dictionaries of sets."""


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
