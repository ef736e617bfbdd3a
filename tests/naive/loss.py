"""Losses computed record by record from sets of leaves."""

from collections import Counter
from math import log2


def shown(hierarchy, codes, level):
    """What a class with these codes shows: (what, leaves, level); `level` None means spans."""
    maps = hierarchy.maps.tolist()
    top = len(maps) - 1
    spans = level is None
    if spans:
        level = min(h for h in range(top + 1) if len({maps[h][c] for c in codes}) == 1)
    if set(codes) == {0} and level < top:
        return "missing", set(), level
    if spans and hierarchy.ordered:
        if 0 in codes:
            return "suppressed", set(), level
        return "leaves", set(range(min(codes), max(codes) + 1)), level
    if level == top:
        return "suppressed", set(), level
    node = maps[level][codes[0]]
    return "leaves", {c for c in range(1, len(maps[0])) if maps[level][c] == node}, level


def ncp(column, hierarchy, cell, code):
    """The NCP of one cell; `column` are the codes of the whole table."""
    what, leaves, _ = cell
    if what != "leaves":
        return float(what == "suppressed")
    if len(leaves) == 1:
        return 0.0
    if not hierarchy.ordered:
        return len(leaves) / len(hierarchy.leaves)
    value = dict(enumerate(hierarchy.leaves.positions.tolist(), start=1))
    present = [value[c] for c in column if c]
    inside = [min(max(value[c], min(present)), max(present)) for c in leaves]
    width = max(present) - min(present)
    return (max(inside) - min(inside)) / width if width else 0.0


def granularity(column, hierarchy, cell, code):
    """The share of leaves left open, exact = 0, all = 1."""
    what, leaves, _ = cell
    if what != "leaves":
        return float(what == "suppressed")
    everything = len(hierarchy.leaves)
    if everything == 1:
        return 0.0
    return (len(leaves) / everything - 1 / everything) / (1 - 1 / everything)


def precision(column, hierarchy, cell, code):
    """Level over height."""
    what, _, level = cell
    return 0.0 if what == "missing" else level / (len(hierarchy.maps) - 1)


def entropy(column, hierarchy, cell, code):
    """Bits lost over bits that suppression would lose."""
    what, leaves, _ = cell
    if what != "leaves":
        return float(what == "suppressed")
    count = Counter(column)
    most = -log2(count[code] / len(column))
    return -log2(count[code] / sum(count[c] for c in leaves)) / most if most else 0.0


def cell_mean(cost, trees, quasi, class_of, levels, weights):
    """The weighted mean cost of all cells; suppressed records cost 1."""
    records = len(class_of)
    total = 0.0
    for j, (hierarchy, column) in enumerate(zip(trees, quasi, strict=True)):
        for i in range(records):
            price = 1.0
            if class_of[i] >= 0:
                codes = [column[m] for m in range(records) if class_of[m] == class_of[i]]
                cell = shown(hierarchy, codes, None if levels is None else levels[j])
                price = cost(column, hierarchy, cell, column[i])
            total += weights[j] / sum(weights) * price
    return total / records


def extents(trees, quasi, class_of, levels, weights):
    """NCP of each released class."""
    found = []
    for name in sorted(set(class_of) - {-1}):
        members = [i for i, c in enumerate(class_of) if c == name]
        total = 0.0
        for j, (hierarchy, column) in enumerate(zip(trees, quasi, strict=True)):
            codes = [column[i] for i in members]
            cell = shown(hierarchy, codes, None if levels is None else levels[j])
            total += weights[j] / sum(weights) * ncp(column, hierarchy, cell, codes[0])
        found.append(total)
    return found


def discernibility(class_of):
    """Per record the records it cannot be told from, all if it is suppressed."""
    return sum(len(class_of) if c < 0 else class_of.count(c) for c in class_of)


def average_class(class_of):
    """Released records over classes."""
    released = [c for c in class_of if c >= 0]
    return len(released) / len(set(released)) if released else len(class_of)


def classification(class_of, values):
    """The share of records suppressed or outside their class's majority."""
    kept = 0
    for name in set(class_of) - {-1}:
        held = Counter(v for c, v in zip(class_of, values, strict=True) if c == name)
        kept += max(held.values())
    return 1 - kept / len(class_of)
