"""Bettini's definitions word by word: decoded tuples are listed, individuals are sets.

A world is a list of (individual, tuple of values); None is a missing value.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product


def reid(world, names, values):
    """The individuals that have these values in these columns (Definition 1)."""
    return {who for who, row in world if tuple(row[j] for j in names) == tuple(values)}


def dec(label, domain, rows=()):
    """The values of a domain that a label may stand for, read one by one.

    `rows` are those of a hierarchy: leaf, parent, …, top.
    """
    if label is None:
        return {None}
    if label == "*" or (rows and label == rows[0][-1]):
        return {None, *domain}
    by_tree = {row[0] for row in rows if label in row}
    leaves = {row[0] for row in rows}
    known = any(label in row for row in rows)
    return {
        value
        for value in domain
        if (value in by_tree if known and value in leaves else by_rule(label, value, domain))
    }


def by_rule(label, value, domain):
    """Whether a label may stand for a value by the way it is written."""
    if label in map(str, domain):
        return str(value) == label
    if label[0] == "{":
        return str(value) in label[1:-1].split(", ")
    if label[0] in "[(":
        low, high = label[1:-1].split(", ")
        if isinstance(value, str):
            return low <= value <= high
        above = float(low) <= value if label[0] == "[" else float(low) < value
        return above and (value <= float(high) if label[-1] == "]" else value < float(high))
    return label.endswith("*") and str(value).startswith(label.rstrip("*"))


def candidates(tuples, world, names, decs):
    """Per released tuple the union of ReID over all that it decodes to (Definitions 3 and 4)."""
    return [
        set().union(
            *(
                reid(world, names, values)
                for values in product(*(d(cell) for d, cell in zip(decs, row, strict=True)))
            )
        )
        for row in tuples
    ]


def anonymity(tuples, world, names, decs):
    """The largest k that consistent tuples have, None if none is consistent."""
    sizes = [len(found) for found in candidates(tuples, world, names, decs) if found]
    return min(sizes, default=None)


def smallest(world, names):
    """The s of which these columns are a proper s-QI (Definitions 5 and 6)."""
    tuples = {tuple(row[j] for j in names) for _, row in world}
    return min((len(reid(world, names, t)) for t in tuples), default=None)


def is_k_qi(world, names, k):
    """Definition 5."""
    tuples = {tuple(row[j] for j in names) for _, row in world}
    return any(0 != len(reid(world, names, t)) <= k for t in tuples)


def is_proper_k_qi(world, names, k):
    """Definition 6."""
    return is_k_qi(world, names, k) and not any(is_k_qi(world, names, s) for s in range(1, k))


def minimal_k_qis(world, width, k):
    """All k-QIs within which no other is."""
    every = [set(c) for n in range(1, width + 1) for c in combinations(range(width), n)]
    good = [c for c in every if is_k_qi(world, sorted(c), k)]
    return sorted((len(c), tuple(sorted(c))) for c in good if not any(g < c for g in good))


def individualized(tuples, domains, decs):
    """Worlds of one individual per tuple, all of them: the smallest that Definition 7 allows."""
    every = [
        list(product(*(sorted(d(cell) & set(dom), key=str) for d, cell, dom in cells)))
        for cells in (zip(decs, row, domains, strict=True) for row in tuples)
    ]
    return [list(enumerate(chosen)) for chosen in product(*every)]


def conservative(tuples, domains, decs):
    """The largest k that every individualized consistent world gives (Definition 8)."""
    names = range(len(domains))
    worlds = individualized(tuples, domains, decs)
    return min(anonymity(tuples, world, names, decs) for world in worlds)


def shown(tree, low, high, level, spans=True):
    """The leaves of a hierarchy that a cell shows; all and the missing if it is suppressed."""
    span = spans and tree.ordered and 0 < low < high
    everything = level == tree.height and not span
    mixed = low == 0 < high
    if everything or mixed:
        return set(range(len(tree.leaves) + 1))
    if span:
        return set(range(low, high + 1))
    return {
        code
        for code in range(len(tree.maps[level]))
        if tree.maps[level][code] == tree.maps[level][low]
    }


def fitting(cells, world):
    """The individuals of a world, rows of codes, of whom some row fits a class in every column."""
    return {who for who, row in world if all(row[j] in cell for j, cell in enumerate(cells))}


def left_after_matching(fits):
    """Per row, the people who have it in some way to give all rows to different people.

    `fits` are the people of each row; None if there is no such way.
    """
    left = [set() for _ in fits]

    def give(row, taken):
        if row == len(fits):
            for one, person in zip(left, taken, strict=True):
                one.add(person)
            return
        for person in fits[row] - set(taken):
            give(row + 1, [*taken, person])

    give(0, [])
    return left if all(left) else None


def posteriors(alike):
    """The largest share of tables that hold a person, and chance that a record is a person's.

    `alike` are the tables that give one release: their people, and what each of them shows, None
    if they are left out.
    """
    present, owned = Counter(), Counter()
    for people, shown in alike:
        for person in people:
            present[person] += Fraction(1, len(alike))
        for person, label in zip(people, shown, strict=True):
            if label is not None:
                owned[person, label] += Fraction(1, len(alike) * shown.count(label))
    return max(present.values()), max(owned.values(), default=Fraction(0))


def keeps_posterior(alike, model):
    """Whether neither exceeds what a model allows."""
    presence, belonging = posteriors(alike)
    k = model.smallest_candidate_set()
    return presence <= Fraction(model.largest_presence()) and belonging <= Fraction(1, max(k, 1))
