"""Classes of people and of released rows, and which of them fit, column by column.

Rows of one class stand together in `rows`; class c has those from `start[c]` to `start[c + 1]`.
Pairs that fit are compressed rows: the rows of class r fit the people of the classes
`person[begin[r]:begin[r + 1]]`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit

Bits = NDArray[np.uint8]


@jit
def split(
    rows: Codes, start: Counts, column: Codes, domain: int
) -> tuple[Codes, Counts, Codes, Counts]:
    """The classes split by a column: rows, their bounds, the code of each class.

    Last comes where the parts of each old class begin among the new ones.
    """
    end = len(rows)
    cells = np.full(domain, -1, dtype=np.int32)
    label, moved = np.empty(end, dtype=np.int32), np.empty(end, dtype=np.int32)
    code, free = np.empty(end, dtype=np.int32), np.zeros(end + 1, dtype=np.int64)
    parts = np.zeros(len(start), dtype=np.int64)
    found = 0
    for g in range(len(start) - 1):
        first = found
        for i in range(start[g], start[g + 1]):
            here = column[rows[i]]
            c = cells[here]
            if c < first:
                c = found
                cells[here] = c
                code[c] = here
                found += 1
            label[i] = c
            free[c] += 1
        before = start[g]
        for c in range(first, found):
            size = free[c]
            free[c] = before
            before += size
        for i in range(start[g], start[g + 1]):
            moved[free[label[i]]] = rows[i]
            free[label[i]] += 1
        parts[g + 1] = found
    bounds = np.zeros(found + 1, dtype=np.int64)
    for c in range(found):
        bounds[c + 1] = free[c]
    return moved, bounds, code[:found].copy(), parts


@jit
def split_off(
    rows: Codes, start: Counts, column: Codes, domain: int
) -> tuple[Codes, Counts, Codes]:
    """The classes split by a column, and apart from them the rows that are then alone."""
    end = len(rows)
    cells, size = np.full(domain, -1, dtype=np.int32), np.zeros(end, dtype=np.int32)
    label, moved = np.empty(end, dtype=np.int32), np.empty(end, dtype=np.int32)
    alone, bounds = np.empty(end, dtype=np.int32), np.zeros(end // 2 + 1, dtype=np.int64)
    found, kept, filled, left = 0, 0, 0, 0
    for g in range(len(start) - 1):
        low, high = start[g], start[g + 1]
        if high - low == 2 and column[rows[low]] != column[rows[low + 1]]:
            alone[left], alone[left + 1] = rows[low], rows[low + 1]
            left += 2
            continue
        first = found
        for i in range(low, high):
            here = column[rows[i]]
            if cells[here] < first:
                cells[here] = found
                found += 1
            label[i] = cells[here]
            size[label[i]] += 1
        for c in range(first, found):
            if size[c] > 1:
                filled += size[c]
                size[c] = filled - size[c]
                kept += 1
                bounds[kept] = filled
            else:
                size[c] = -1
        for i in range(low, high):
            if size[label[i]] < 0:
                alone[left] = rows[i]
                left += 1
            else:
                moved[size[label[i]]] = rows[i]
                size[label[i]] += 1
    return moved[:filled].copy(), bounds[: kept + 1].copy(), alone[:left].copy()


@jit
def count_pairs(
    pairs: tuple[Counts, Codes],
    people: tuple[Counts, Codes],
    shown: tuple[Counts, Codes],
    stands: tuple[Counts, Codes, int, Bits],
) -> Counts:
    """Where the pairs of each new class of rows begin, after both sides were split by a column.

    A new pair is of parts of an old one, and its label stands for its value. `people` and `shown`
    tell where the parts of each old class begin and the code of each part; `stands` the labels of
    each value, ascending, how many there are, and the same as bits
    by value and label, if there is room for them.
    """
    fitting = np.zeros(len(shown[1]) + 1, dtype=np.int64)
    _visit_pairs(pairs, people, shown, stands, fitting, np.empty(0, dtype=np.int32))
    before = 0
    for r in range(len(fitting)):
        number = fitting[r]
        fitting[r] = before
        before += number
    return fitting


@jit
def list_pairs(
    pairs: tuple[Counts, Codes],
    people: tuple[Counts, Codes],
    shown: tuple[Counts, Codes],
    stands: tuple[Counts, Codes, int, Bits],
    begin: Counts,
) -> Codes:
    """The classes of people of all new pairs, given where those of each class of rows begin."""
    person = np.empty(begin[-1], dtype=np.int32)
    _visit_pairs(pairs, people, shown, stands, begin.copy(), person)
    return person


@jit
def _visit_pairs(
    pairs: tuple[Counts, Codes],
    people: tuple[Counts, Codes],
    shown: tuple[Counts, Codes],
    stands: tuple[Counts, Codes, int, Bits],
    free: Counts,
    person: Codes,
) -> None:
    """Count the new pairs of each class of rows in `free`, and list them if there is room.

    Per value either its labels are looked up among the parts of the class of rows, or the labels
    of the parts among those of the value, whichever are fewer.
    """
    part_of = np.full(stands[2], -1, dtype=np.int32)
    for r in range(len(shown[0]) - 1):
        low, high = shown[0][r], shown[0][r + 1]
        for part in range(low, high):
            part_of[shown[1][part]] = part
        for i in range(pairs[0][r], pairs[0][r + 1]):
            a = pairs[1][i]
            for who in range(people[0][a], people[0][a + 1]):
                first, last = stands[0][people[1][who]], stands[0][people[1][who] + 1]
                if last - first <= high - low:
                    for entry in range(first, last):
                        part = part_of[stands[1][entry]]
                        if part >= low:
                            _note(part, who, free, person)
                elif len(stands[3]):
                    bits = stands[3][people[1][who]]
                    for part in range(low, high):
                        label = shown[1][part]
                        if bits[label >> 3] >> (label & 7) & 1:
                            _note(part, who, free, person)
                else:
                    labels = stands[1][first:last]
                    for part in range(low, high):
                        spot = np.searchsorted(labels, shown[1][part])
                        if spot < len(labels) and labels[spot] == shown[1][part]:
                            _note(part, who, free, person)


@jit
def _note(part: int, who: int, free: Counts, person: Codes) -> None:
    if len(person):
        person[free[part]] = who
    free[part] += 1


@jit
def turned(begin: Counts, person: Codes, number: int) -> tuple[Counts, Codes]:
    """The pairs the other way round: the classes of rows that each class of people fits."""
    start = np.zeros(number + 1, dtype=np.int64)
    for a in person:
        start[a + 1] += 1
    for a in range(number):
        start[a + 1] += start[a]
    free, row = start[:-1].copy(), np.empty(len(person), dtype=np.int32)
    for r in range(len(begin) - 1):
        for i in range(begin[r], begin[r + 1]):
            row[free[person[i]]] = r
            free[person[i]] += 1
    return start, row


@jit
def sum_members(start: Counts, member: Codes, figure: Counts) -> Counts:
    """The sum of the figure over the members of each compressed row."""
    sums = np.zeros(len(start) - 1, dtype=np.int64)
    for c in range(len(start) - 1):
        for i in range(start[c], start[c + 1]):
            sums[c] += figure[member[i]]
    return sums


@jit
def gathered(
    members: tuple[Counts, Codes], shown: tuple[Counts, Codes, Floats], domain: int
) -> tuple[Counts, Codes, Floats]:
    """What the members of each class show, taken together: codes below `domain` with weights."""
    classes = len(members[0]) - 1
    start = np.zeros(classes + 1, dtype=np.int64)
    code, weight = np.empty(classes, dtype=np.int32), np.empty(classes, dtype=np.float64)
    place = np.full(domain, -1, dtype=np.int64)
    used = 0
    for c in range(classes):
        for i in range(members[0][c], members[0][c + 1]):
            m = members[1][i]
            for e in range(shown[0][m], shown[0][m + 1]):
                v = shown[1][e]
                if place[v] < start[c]:
                    if used == len(code):
                        code, weight = _twice(code), _twice(weight)
                    place[v], code[used], weight[used] = used, v, 0.0
                    used += 1
                weight[place[v]] += shown[2][e]
        start[c + 1] = used
    return start, code[:used].copy(), weight[:used].copy()


@jit
def _twice(line: Any) -> Any:
    more = np.empty(2 * len(line) + 1, dtype=line.dtype)
    for i in range(len(line)):
        more[i] = line[i]
    return more


@jit
def told(
    members: tuple[Counts, Codes],
    shown: tuple[Counts, Codes, Floats],
    people: tuple[Counts, Codes],
    truth: tuple[Counts, Codes, Floats],
    usual: Floats,
    equal: float,
) -> tuple[Counts, Floats, Floats]:
    """Per class: the values that its members show, who holds one of them, hits of the best guess.

    A guess is drawn of the values of the largest weight (above `equal` times it); in a class that
    shows none, value v is guessed with the chance `usual[v]`. `people` are the rows of each class,
    `truth` the values of each row with their people.
    """
    classes = len(members[0]) - 1
    values = np.zeros(classes, dtype=np.int64)
    possible, hits = np.zeros(classes), np.zeros(classes)
    weight, seen = np.zeros(len(usual)), np.empty(len(usual), dtype=np.int32)
    for c in range(classes):
        number = 0
        for i in range(members[0][c], members[0][c + 1]):
            m = members[1][i]
            for e in range(shown[0][m], shown[0][m + 1]):
                v = shown[1][e]
                if weight[v] == 0.0:
                    seen[number] = v
                    number += 1
                weight[v] += shown[2][e]
        values[c] = number
        least = 0.0
        for j in range(number):
            least = max(least, weight[seen[j]] * equal)
        ties = 0
        for j in range(number):
            ties += weight[seen[j]] >= least
        for i in range(people[0][c], people[0][c + 1]):
            row = people[1][i]
            for t in range(truth[0][row], truth[0][row + 1]):
                v = truth[1][t]
                if number == 0:
                    hits[c] += truth[2][t] * usual[v]
                elif weight[v] > 0.0:
                    possible[c] += truth[2][t]
                    if weight[v] >= least:
                        hits[c] += truth[2][t] / ties
        for j in range(number):
            weight[seen[j]] = 0.0
    return values, possible, hits


@jit
def individuals(
    pairs: tuple[Counts, Codes], people: tuple[Counts, Codes], owned: tuple[Counts, Codes, int]
) -> Counts:
    """Per class of rows: different individuals among the people who fit it.

    `owned` has the individuals of each row of people, and how many there are.
    """
    number = np.zeros(len(pairs[0]) - 1, dtype=np.int64)
    seen = np.full(owned[2], -1, dtype=np.int32)
    for r in range(len(number)):
        for i in range(pairs[0][r], pairs[0][r + 1]):
            a = pairs[1][i]
            for j in range(people[0][a], people[0][a + 1]):
                row = people[1][j]
                for e in range(owned[0][row], owned[0][row + 1]):
                    who = owned[1][e]
                    number[r] += seen[who] != r
                    seen[who] = r
    return number


@jit
def met(
    pairs: tuple[Counts, Codes], weights: tuple[Counts, Counts], by: tuple[Counts, Counts]
) -> float:
    """The sum over pairs of people times rows, each over what `by` has of the two."""
    total = 0.0
    for r in range(len(pairs[0]) - 1):
        for i in range(pairs[0][r], pairs[0][r + 1]):
            a = pairs[1][i]
            both = weights[0][a] * weights[1][r]
            if both > 0:
                total += both / (by[0][a] * by[1][r])
    return total


@jit
def first_fits(rows: Codes, pairs: tuple[Counts, Codes], start: Counts, records: Counts) -> Counts:
    """For each row, told by its class, the first record that fits it after that of the row before.

    `records` are those of each class of people, ascending, from `start`. A row that fits none of
    the records left has -1, and is passed over.
    """
    found = np.full(len(rows), -1, dtype=np.int64)
    free = start[:-1].copy()
    least = 0
    for i in range(len(rows)):
        for j in range(pairs[0][rows[i]], pairs[0][rows[i] + 1]):
            a = pairs[1][j]
            while free[a] < start[a + 1] and records[free[a]] < least:
                free[a] += 1
            if free[a] < start[a + 1] and (found[i] < 0 or records[free[a]] < found[i]):
                found[i] = records[free[a]]
        if found[i] >= 0:
            least = found[i] + 1
    return found
