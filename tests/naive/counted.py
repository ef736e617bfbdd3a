"""Distinct rows counted one by one, told apart by how their cells are written."""

from collections import Counter


def written(cell):
    """What tells one cell from another: -0.0 from 0.0, a missing one from NaN."""
    return None if cell is None else repr(cell)


def count_rows(columns, beside):
    """(cells, beside) of every record, and how many records are the same.

    `columns` are lists of cells; `beside` are lists of numbers: codes, a person, a class.
    """
    rows = range(len((*columns, *beside)[0]))
    return Counter(
        (
            tuple(written(column[i]) for column in columns),
            tuple(int(numbers[i]) for numbers in beside),
        )
        for i in rows
    )


def one_by_one(counted, unit):
    """The same with a line of its own for each record whose person (`beside[unit]`) is 0."""
    lines = []
    for (cells, beside), records in counted.items():
        alone = beside[unit] == 0
        lines += [(cells, beside, 1)] * records if alone else [(cells, beside, records)]
    return Counter(lines)
