"""What classes hold, counted without sorting: sums, histograms in compressed rows, people once.

Classes are numbered 0, 1, …; an entry of class -1 is left out, where nothing else is said.

Shapes: class_of, codes, people, values and unit have one entry per row; totals (classes,); a
histogram is compressed rows: start (classes + 1,), code and count (entries,). Codes are below
`domain`.
"""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit

_DENSE = 1 << 16


@jit
def sum_by_class(class_of: Codes, values: Counts, number: int) -> Counts:
    """Return the sum of the values of each of `number` classes, without entries of class -1."""
    total = np.zeros(number, dtype=np.int64)
    for i in range(len(class_of)):
        if class_of[i] >= 0:
            total[class_of[i]] += values[i]
    return total


@jit
def add_by_class(class_of: Codes, values: Counts, total: Counts) -> None:
    """Add each value to the total of its class, in place; there must be no class -1."""
    for i in range(len(class_of)):
        total[class_of[i]] += values[i]


def histogram(
    class_of: Codes, codes: Codes, people: Counts, number: int, domain: int
) -> tuple[Counts, Codes, Counts]:
    """Count people per class and code; return compressed rows: start, code, count.

    Every pair that occurs has an entry, be it of 0 people; the codes of a class ascend.
    """
    dense = number * domain <= max(_DENSE, 2 * len(class_of))
    count = dense_histogram if dense else sparse_histogram
    return count(class_of, codes, people, number, domain)


@jit
def dense_histogram(
    class_of: Codes, codes: Codes, people: Counts, number: int, domain: int
) -> tuple[Counts, Codes, Counts]:
    """Return what `histogram` does, counted in a table with a cell for every class and code."""
    cells = np.full(number * domain, -1, dtype=np.int64)
    found = 0
    for i in range(len(class_of)):
        if class_of[i] >= 0:
            cell = np.int64(class_of[i]) * domain + codes[i]
            if cells[cell] < 0:
                cells[cell] = 0
                found += 1
            cells[cell] += people[i]
    start = np.zeros(number + 1, dtype=np.int64)
    code = np.empty(found, dtype=np.int32)
    count = np.empty(found, dtype=np.int64)
    end = 0
    for c in range(number):
        for v in range(domain):
            if cells[c * domain + v] >= 0:
                code[end] = v
                count[end] = cells[c * domain + v]
                end += 1
        start[c + 1] = end
    return start, code, count


@jit
def sparse_histogram(
    class_of: Codes, codes: Codes, people: Counts, number: int, domain: int
) -> tuple[Counts, Codes, Counts]:
    """Return what `histogram` does, by sorting the entries by code, then by class."""
    order = sorting_order(codes, domain)
    first = class_bounds(class_of, number)
    code = np.empty(first[number], dtype=np.int32)
    count = np.empty(first[number], dtype=np.int64)
    free = first.copy()
    for i in order:
        if class_of[i] >= 0:
            to = free[class_of[i]]
            code[to] = codes[i]
            count[to] = people[i]
            free[class_of[i]] = to + 1
    # Entries are joined in place, and `free` becomes the new start: a class only moves frontwards.
    end = np.int64(0)
    for c in range(number):
        begin, last, free[c] = first[c], first[c + 1], end
        for i in range(begin, last):
            if end > free[c] and code[end - 1] == code[i]:
                count[end - 1] += count[i]
            else:
                code[end] = code[i]
                count[end] = count[i]
                end += 1
    free[number] = end
    return free, code[:end].copy(), count[:end].copy()


@jit
def sorting_order(codes: Codes, domain: int) -> Codes:
    """Return the stable order that sorts the codes, which are below `domain`."""
    free = class_bounds(codes, domain)
    order = np.empty(len(codes), dtype=np.int32)
    for i in range(len(codes)):
        order[free[codes[i]]] = i
        free[codes[i]] += 1
    return order


@jit
def class_bounds(class_of: Codes, number: int) -> Counts:
    """Return where the entries of each class begin when they stand class by class, then the end."""
    first = np.zeros(number + 1, dtype=np.int64)
    for i in range(len(class_of)):
        if class_of[i] >= 0:
            first[class_of[i] + 1] += 1
    for c in range(number):
        first[c + 1] += first[c]
    return first


@jit
def find_entries(start: Counts, code: Codes, class_of: Codes, codes: Codes) -> Codes:
    """Return the place of each pair in a histogram, which must have it; -1 for class -1."""
    found = np.full(len(class_of), -1, dtype=np.int32)
    for i in range(len(class_of)):
        c = class_of[i]
        if c >= 0:
            lo, hi = start[c], start[c + 1]
            found[i] = lo + np.searchsorted(code[lo:hi], codes[i])
    return found


@jit
def count_distinct_units(class_of: Codes, unit: Codes, number: int, units: int) -> Counts:
    """Return how many different units each of `number` classes has; units are below `units`."""
    first = class_bounds(class_of, number)
    moved = np.empty(first[number], dtype=np.int32)
    free = first[:-1].copy()
    for i in range(len(class_of)):
        if class_of[i] >= 0:
            moved[free[class_of[i]]] = unit[i]
            free[class_of[i]] += 1
    total = np.zeros(number, dtype=np.int64)
    seen = np.full(units, -1, dtype=np.int32)  # the last class with the unit: never cleared
    for c in range(number):
        for i in range(first[c], first[c + 1]):
            if seen[moved[i]] != c:
                seen[moved[i]] = c
                total[c] += 1
    return total


@jit
def expand_rows(start: Counts, rows: Codes) -> tuple[Counts, Codes]:
    """Return the place of each entry of some compressed rows, and its row's index in `rows`."""
    length = 0
    for i in range(len(rows)):
        length += start[rows[i] + 1] - start[rows[i]]
    entry = np.empty(length, dtype=np.int64)
    place = np.empty(length, dtype=np.int32)
    end = 0
    for i in range(len(rows)):
        for e in range(start[rows[i]], start[rows[i] + 1]):
            entry[end] = e
            place[end] = i
            end += 1
    return entry, place


@jit
def equal_runs(codes: Codes) -> tuple[bool, Codes]:
    """Return whether the rows are in lexicographic order, and the number of the run of each.

    `codes` is (d, rows). Equal rows are one run; runs are numbered from 0 on, and are incomplete if
    the rows are not in order.
    """
    run = np.zeros(codes.shape[1], dtype=np.int32)
    for i in range(1, codes.shape[1]):
        run[i] = run[i - 1]
        for j in range(codes.shape[0]):
            if codes[j, i] < codes[j, i - 1]:
                return False, run
            if codes[j, i] > codes[j, i - 1]:
                run[i] += 1
                break
    return True, run
