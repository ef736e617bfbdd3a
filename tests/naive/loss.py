"""Losses computed record by record from sets of leaves."""

from collections import Counter
from math import log2
from typing import NamedTuple


class Column(NamedTuple):
    """A column of the whole table."""

    hierarchy: object
    codes: list
    weight: float


class Cell(NamedTuple):
    """What one record shows in one column: `what` is leaves, missing or suppressed."""

    what: str
    leaves: set
    level: int
    code: int


def shown(column, codes, level, code):
    """What a record of a class with these codes shows; `level` None means spans."""
    maps = column.hierarchy.maps.tolist()
    top = len(maps) - 1
    spans = level is None
    if spans:
        level = min(h for h in range(top + 1) if len({maps[h][c] for c in codes}) == 1)
    if set(codes) == {0} and level < top:
        return Cell("missing", set(), level, code)
    if spans and column.hierarchy.ordered:
        if 0 in codes:
            return Cell("suppressed", set(), level, code)
        return Cell("leaves", set(range(min(codes), max(codes) + 1)), level, code)
    if level == top:
        return Cell("suppressed", set(), level, code)
    under = {c for c in range(1, len(maps[0])) if maps[level][c] == maps[level][code]}
    return Cell("leaves", under, level, code)


def ncp(column, cell):
    """The NCP of one cell."""
    if cell.what != "leaves":
        return float(cell.what == "suppressed")
    if len(cell.leaves) == 1:
        return 0.0
    if not column.hierarchy.ordered:
        return len(cell.leaves) / len(column.hierarchy.leaves)
    value = dict(enumerate(column.hierarchy.leaves.positions.tolist(), start=1))
    present = [value[c] for c in column.codes if c]
    inside = [min(max(value[c], min(present)), max(present)) for c in cell.leaves]
    width = max(present) - min(present)
    return (max(inside) - min(inside)) / width if width else 0.0


def granularity(column, cell):
    """The share of leaves left open, exact = 0, all = 1."""
    if cell.what != "leaves":
        return float(cell.what == "suppressed")
    everything = len(column.hierarchy.leaves)
    if everything == 1:
        return 0.0
    return (len(cell.leaves) / everything - 1 / everything) / (1 - 1 / everything)


def precision(column, cell):
    """Level over height."""
    return 0.0 if cell.what == "missing" else cell.level / (len(column.hierarchy.maps) - 1)


def entropy(column, cell):
    """Bits lost over bits that suppression would lose."""
    if cell.what != "leaves":
        return float(cell.what == "suppressed")
    count = Counter(column.codes)
    most = -log2(count[cell.code] / len(column.codes))
    bits = -log2(count[cell.code] / sum(count[c] for c in cell.leaves))
    return bits / most if most else 0.0


def record_cost(cost, columns, class_of, levels, record):
    """The weighted mean cost of a record's cells; 1 if it is suppressed."""
    if class_of[record] < 0:
        return 1.0
    members = [i for i, name in enumerate(class_of) if name == class_of[record]]
    total = 0.0
    for j, column in enumerate(columns):
        codes = [column.codes[i] for i in members]
        cell = shown(column, codes, None if levels is None else levels[j], column.codes[record])
        total += column.weight * cost(column, cell)
    return total / sum(column.weight for column in columns)


def cell_mean(cost, columns, class_of, levels):
    """The mean cost of all records."""
    records = range(len(class_of))
    return sum(record_cost(cost, columns, class_of, levels, i) for i in records) / len(class_of)


def extents(columns, class_of, levels):
    """NCP of each released class."""
    firsts = [class_of.index(name) for name in sorted(set(class_of) - {-1})]
    return [record_cost(ncp, columns, class_of, levels, i) for i in firsts]


def weighted_max_ncp(columns, class_of, levels):
    """The most that a class loses: its records times its extent, over all records.

    Records left out are a class with extent 1.
    """
    lost = [0.0, class_of.count(-1)]
    for name in set(class_of) - {-1}:
        extent = record_cost(ncp, columns, class_of, levels, class_of.index(name))
        lost.append(class_of.count(name) * extent)
    return max(lost) / len(class_of)


def volume(columns, class_of, levels):
    """The mean over records of the product of what their cells leave open."""
    total = 0.0
    for record, name in enumerate(class_of):
        product = 1.0
        members = [i for i, other in enumerate(class_of) if other == name]
        for j, column in enumerate(columns if name >= 0 else ()):
            codes = [column.codes[i] for i in members]
            cell = shown(column, codes, None if levels is None else levels[j], column.codes[record])
            least = 1 / max(len(column.hierarchy.leaves), 1)
            product *= max(ncp(column, cell), least) ** column.weight
        total += product
    return total / len(class_of)


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
