"""Minimal sets of columns by trying every one, with dictionaries."""

from collections import Counter
from itertools import combinations


def ratio(rows, counts, columns, measure):
    """The ratio of a set of columns; rows are tuples, each standing for some records."""
    classes = Counter()
    for row, count in zip(rows, counts, strict=True):
        classes[tuple(row[j] for j in columns)] += count
    records = sum(classes.values())
    if measure == "distinct":
        return len(classes) / records
    if measure == "unique":
        return sum(size == 1 for size in classes.values()) / records
    pairs = records * (records - 1) // 2
    together = sum(size * (size - 1) // 2 for size in classes.values())
    return (pairs - together) / pairs if pairs else 1.0


def minimal(rows, counts, width, measure, least, *, most=None):
    """All sets of one column and more with at least this ratio that contain no smaller one."""
    found = []
    for size in range(1, (width if most is None else most) + 1):
        for columns in combinations(range(width), size):
            inside = any(set(smaller) <= set(columns) for smaller in found)
            if not inside and ratio(rows, counts, columns, measure) >= least:
                found.append(columns)
    return tuple(found)
