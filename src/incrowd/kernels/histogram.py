"""What classes hold, counted without sorting: sums, histograms in compressed rows, people once.

Classes are numbered 0, 1, …; an entry of class -1 is left out.
"""

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.compile import jit

_DENSE = 1 << 16
_FEW = 20


@jit
def sums(class_of: Codes, values: Counts, number: int) -> Counts:
    """The sum of the values of each class."""
    total = np.zeros(number, dtype=np.int64)
    for i in range(len(class_of)):
        if class_of[i] >= 0:
            total[class_of[i]] += values[i]
    return total


@jit
def add(class_of: Codes, values: Counts, total: Counts) -> None:
    """Add each value to the total of its class, in place."""
    for i in range(len(class_of)):
        total[class_of[i]] += values[i]


@jit
def histogram(
    class_of: Codes, codes: Codes, people: Counts, number: int, domain: int
) -> tuple[Counts, Codes, Counts]:
    """People per class and code in compressed rows: start, code, count.

    Every pair of class and code that occurs has an entry, be it of 0 people; the codes of a class
    ascend.
    """
    if number * domain <= max(_DENSE, 2 * len(class_of)):
        return dense_histogram(class_of, codes, people, number, domain)
    return sparse_histogram(class_of, codes, people, number, domain)


@jit
def dense_histogram(
    class_of: Codes, codes: Codes, people: Counts, number: int, domain: int
) -> tuple[Counts, Codes, Counts]:
    """`histogram` by a table with a cell for every class and code; -1 marks what never occurs."""
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
    """`histogram` class by class: entries are moved to their class, then each class is folded."""
    first = bounds(class_of, number)
    code = np.empty(first[number], dtype=np.int32)
    count = np.empty(first[number], dtype=np.int64)
    free = first[:-1].copy()
    for i in range(len(class_of)):
        if class_of[i] >= 0:
            to = free[class_of[i]]
            code[to] = codes[i]
            count[to] = people[i]
            free[class_of[i]] = to + 1
    start = np.zeros(number + 1, dtype=np.int64)
    cells = np.full(domain, -1, dtype=np.int64)
    end = 0
    for c in range(number):
        if first[c + 1] - first[c] <= _FEW:
            end = fold_few(code, count, first[c], first[c + 1], end)
        else:
            end = fold_class(code, count, first[c], first[c + 1], end, cells)
        start[c + 1] = end
    return start, code[:end].copy(), count[:end].copy()


@jit
def bounds(class_of: Codes, number: int) -> Counts:
    """Where the entries of each class begin and end when they are put in the classes' order."""
    first = np.zeros(number + 1, dtype=np.int64)
    for i in range(len(class_of)):
        if class_of[i] >= 0:
            first[class_of[i] + 1] += 1
    for c in range(number):
        first[c + 1] += first[c]
    return first


@jit
def fold_class(code: Codes, count: Counts, lo: int, hi: int, end: int, cells: Counts) -> int:
    """Fold the entries `lo` to `hi` of one class and write them from `end` (<= `lo`) on.

    `cells` has an entry of -1 for every code and is left that way. Returned is the new end.
    """
    begin = end
    for i in range(lo, hi):
        v, people = code[i], count[i]
        if cells[v] < 0:
            cells[v] = 0
            code[end] = v
            end += 1
        cells[v] += people
    code[begin:end] = np.sort(code[begin:end])
    for i in range(begin, end):
        count[i] = cells[code[i]]
        cells[code[i]] = -1
    return end


@jit
def fold_few(code: Codes, count: Counts, lo: int, hi: int, end: int) -> int:
    """`fold_class` for a class of few entries: each is inserted among those before it."""
    begin = end
    for i in range(lo, hi):
        v, people = code[i], count[i]
        j = end
        while j > begin and code[j - 1] > v:
            j -= 1
        if j > begin and code[j - 1] == v:
            count[j - 1] += people
            continue
        for m in range(end, j, -1):
            code[m] = code[m - 1]
            count[m] = count[m - 1]
        code[j] = v
        count[j] = people
        end += 1
    return end


@jit
def places(start: Counts, code: Codes, class_of: Codes, codes: Codes) -> Codes:
    """The entry of each class and code in compressed rows; -1 for class -1."""
    found = np.full(len(class_of), -1, dtype=np.int32)
    for i in range(len(class_of)):
        c = class_of[i]
        if c >= 0:
            lo, hi = start[c], start[c + 1]
            found[i] = lo + np.searchsorted(code[lo:hi], codes[i])
    return found


@jit
def distinct_units(class_of: Codes, unit: Codes, number: int, units: int) -> Counts:
    """How many different units each class has; an entry says that a unit has a record there."""
    first = bounds(class_of, number)
    moved = np.empty(first[number], dtype=np.int32)
    free = first[:-1].copy()
    for i in range(len(class_of)):
        if class_of[i] >= 0:
            moved[free[class_of[i]]] = unit[i]
            free[class_of[i]] += 1
    total = np.zeros(number, dtype=np.int64)
    seen = np.full(units, -1, dtype=np.int32)
    for c in range(number):
        for i in range(first[c], first[c + 1]):
            if seen[moved[i]] != c:
                seen[moved[i]] = c
                total[c] += 1
    return total


@jit
def expand(start: Counts, rows: Codes) -> tuple[Counts, Codes]:
    """The entries of these compressed rows, one row after the other, and the row each is of.

    Rows are told by their place in `rows`; a row may be asked for more than once.
    """
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
def runs(codes: Codes) -> tuple[bool, Codes]:
    """Whether the columns of a matrix stand in lexicographic order, and the run each is in."""
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
