"""Counts estimated cell by cell, value by value, from what every class shows."""

from collections import Counter
from itertools import combinations, product
from math import log, prod

from naive.loss import shown


def domain(column):
    """The codes that a cell can have: the leaves, and missing if the table lacks some."""
    codes = list(range(1, len(column.hierarchy.leaves) + 1))
    return [0, *codes] if 0 in column.codes else codes


def stands_for(column, codes, level, code):
    """The codes that the cell of a class with these codes stands for."""
    cell = shown(column, codes, level, code)
    if cell.what == "missing":
        return {0}
    return set(domain(column)) if cell.what == "suppressed" else cell.leaves


def classes(class_of):
    return {c: [i for i, d in enumerate(class_of) if d == c] for c in set(class_of) - {-1}}


def generalized(columns, class_of, levels, values, group):
    """Estimates of every cell (codes of the group, value): classes are even over their boxes."""
    cube = Counter()
    for members in classes(class_of).values():
        boxes = [
            stands_for(
                columns[j],
                [columns[j].codes[i] for i in members],
                None if levels is None else levels[j],
                columns[j].codes[members[0]],
            )
            for j in group
        ]
        for i in members:
            for cell in product(*boxes):
                cube[*cell, values[i]] += 1 / prod(len(box) for box in boxes)
    return cube


def permuted(columns, class_of, values, group):
    """Estimates where quasi-identifiers are exact: values are even over the class's records."""
    cube = Counter()
    for members in classes(class_of).values():
        for i in members:
            cell = [columns[j].codes[i] for j in group]
            for k in members:
                cube[*cell, values[k]] += 1 / len(members)
    return cube


def left_out(columns, class_of, group, known, cube):
    """The same with records left out spread evenly over the whole cube."""
    gone = class_of.count(-1)
    cells = list(product(*(domain(columns[j]) for j in group), known))
    for cell in cells if gone else []:
        cube[cell] += gone / len(cells)
    return cube


def loss(columns, class_of, values, known, rule):
    """The mean error of the group-bys; `rule` is (levels, level, measure, floor, exact)."""
    levels, level, measure, floor, exact = rule
    total = weight = 0.0
    for group in combinations(range(len(columns)), min(level, len(columns))):
        if exact:
            cube = permuted(columns, class_of, values, group)
        else:
            cube = generalized(columns, class_of, levels, values, group)
        left_out(columns, class_of, group, known, cube)
        records = range(len(values))
        true = Counter((*(columns[j].codes[i] for j in group), values[i]) for i in records)
        share = prod(columns[j].weight for j in group)
        weight += share
        total += share * error(true, cube, measure, floor * len(values))
    return total / weight


def error(true, cube, measure, floor):
    if measure == "relative":
        errors = [abs(n - cube[cell]) / max(n, floor) for cell, n in true.items()]
        return sum(errors) / len(errors)
    n, m = sum(true.values()), sum(cube.values())
    return sum(p / n * log((p / n) / (cube[cell] / m)) for cell, p in true.items())
