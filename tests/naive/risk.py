"""Risk record by record: each one is compared with every other."""

import math

import naive.models
from naive.classes import compatible


def figures(quasi, values, people, reading, threshold):
    """The figures of one reading; `quasi` and `values` are columns of codes, 0 for missing."""
    rows = list(zip(*quasi, strict=True))
    kept = [i for i, row in enumerate(rows) if reading != "suppress" or 0 not in row]
    rows = [tuple(v or None for v in rows[i]) for i in kept]
    people = [people[i] for i in kept]
    values = [[column[i] for i in kept] for column in values]
    same = compatible if reading == "matches-anything" else lambda one, other: one == other
    crowd = [[j for j, other in enumerate(rows) if same(row, other)] for row in rows]
    size = [len({people[j] for j in members}) for members in crowd]
    first = [rows.index(row) for row in rows]
    distinct = sorted(set(first))
    return {
        "records": len(rows),
        "people": len(set(people)),
        "classes": len(distinct),
        "k": min(size, default=0),
        "unique_records": sum(s == 1 for s in size),
        "average_class": sum(len(crowd[i]) for i in distinct) / max(len(distinct), 1),
        "max": max((1 / s for s in size), default=0),
        "average": sum(1 / s for s in size) / max(len(size), 1),
        "above_threshold": sum(1 / s > threshold for s in size) / max(len(size), 1),
        "sensitive": [sensitive(column, people, crowd, distinct) for column in values],
    }


def sensitive(column, people, crowd, distinct):
    """l and what each class's crowd holds of one sensitive column."""
    held = []
    for i in distinct:
        pairs = {(column[j], people[j]) for j in crowd[i]}
        values = {v: sum(w == v for w, _ in pairs) for v, _ in pairs}
        held.append((len({people[j] for j in crowd[i]}), values))
    return {
        "frequency": min((float(naive.models.frequency(*pair)) for pair in held), default=None),
        "distinct": min((naive.models.distinct(values) for _, values in held), default=None),
        "entropy": min((math.exp(naive.models.entropy(v)) for _, v in held), default=None),
        "held": [values for _, values in held],
    }
