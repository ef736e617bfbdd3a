"""What classes hold of sensitive values, and whether that is what models ask for.

`marks` say what a point brings along, in compressed rows: (start, counter, amount, person_start,
person, at). Whoever takes records of a point p adds `amount[i]` times as many to `counter[i]`, for
i from `start[p]`; if points stay whole, `amount[i]` once. People with records in several points are
`person[i]`, who count once per class at `at[i]`, for i from `person_start[p]`.

`held` is (counters, seen): per slot of `kernels.crowd.state`, how much of each counter it holds,
and with how many points each person is in it. Counter 0 is people; others are the values of
sensitive columns, column after column.

`asks` is (rules, limits, tables). Line i of `rules` is (kind, first counter, counters, a, b, c,
table): a condition (`kernels.rules`) on some counters, with whole numbers and a place in `tables`;
`limits[i]` is its limit. Without rules nothing is asked, and nothing is counted.
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels import diversity
from incrowd.kernels.compile import jit
from incrowd.kernels.rules import DISTINCT, ENTROPY, ORDERED, PEOPLE, RECURSIVE, SHARE

Marks: TypeAlias = tuple[Counts, Codes, Counts, Counts, Codes, Codes]
Held: TypeAlias = tuple[Counts, Codes]
Asks: TypeAlias = tuple[Counts, Floats, Floats]


@jit
def nothing_held(slots: int, marks: Marks, asks: Asks) -> Held:
    """Counters of so many empty slots, all that is asked for among them."""
    counters, people = 0, 0
    for i in range(len(asks[0])):
        counters = max(counters, asks[0][i, 1] + asks[0][i, 2])
    for counter in marks[1]:
        counters = max(counters, counter + 1)
    for person in marks[4]:
        people = max(people, person + 1)
    return np.zeros((slots, counters), np.int64), np.zeros((slots, people), np.int32)


@jit
def bring(marks: Marks, held: Held, c: int, point: int, times: int) -> None:
    """Count what a point brings to a class, so many times; a negative number takes it away."""
    start, counter, amount, person_start, person, at = marks
    counters, seen = held
    if len(start) == 0:
        return
    for i in range(start[point], start[point + 1]):
        counters[c, counter[i]] += times * amount[i]
    for i in range(person_start[point], person_start[point + 1]):
        if times > 0:
            seen[c, person[i]] += 1
            counters[c, at[i]] += seen[c, person[i]] == 1
        else:
            seen[c, person[i]] -= 1
            counters[c, at[i]] -= seen[c, person[i]] == 0


@jit
def fits(asks: Asks, held: Held, c: int) -> bool:
    """Whether a class holds what every rule asks for."""
    rules, limits, tables = asks
    for i in range(len(rules)):
        first, width = rules[i, 1], rules[i, 2]
        counts = held[0][c, first : first + width]
        table = tables[rules[i, 6] :]
        if not keeps(rules[i], limits[i], table, counts, held[0][c, 0]):
            return False
    return True


@jit
def keeps(rule: Counts, limit: float, table: Floats, counts: Counts, people: int) -> bool:
    """Whether a class with these counts keeps one rule."""
    kind, a, b = rule[0], rule[3], rule[4]
    if kind == PEOPLE:
        return bool(people >= a)
    if kind == SHARE:
        return bool(commonest(counts) <= people * a // b)
    if kind == DISTINCT:
        return bool(np.count_nonzero(counts) >= a)
    start = np.zeros(2, np.int64)
    start[1] = len(counts)
    if kind == ENTROPY:
        return bool(diversity.entropies(start, counts)[0] >= limit)
    if kind == RECURSIVE:
        return bool(diversity.deepest(start, counts, b, rule[5])[0] >= a)
    return bool(distance(kind, (a, b), table, start, counts) <= limit)


@jit
def commonest(counts: Counts) -> int:
    """The largest count, 0 if there is none."""
    most = 0
    for count in counts:
        most = max(most, count)
    return most


@jit
def distance(
    kind: int, size: tuple[int, int], table: Floats, start: Counts, counts: Counts
) -> float:
    """How far a class is from the whole table; `table` is what that holds.

    By nodes, `size` being levels and nodes: the node of each value, then the share of each node,
    level after level. Along an order: the share of missing values, the rank of each value, the
    shares up to each rank.
    """
    width = len(counts)
    code = np.arange(width).astype(np.int32)
    if kind == ORDERED:
        rank = table[1 : 1 + width].astype(np.int64)
        upto = table[1 + width : 2 + width + rank[-1]]
        return float(diversity.ordered_distances(start, code, counts, table[0], rank, upto)[0])
    total = 0.0
    for level in range(size[0]):
        first = level * (width + size[1])
        nodes = table[first : first + width].astype(np.int32)
        shares = table[first + width : first + width + size[1]]
        total += diversity.node_distances(start, code, counts, nodes, shares)[0]
    return total / max(size[0], 1)


@jit
def marks_of(marks: Marks, points: Codes) -> Marks:
    """The marks of some points, these being 0, 1, … from now on, and people likewise."""
    start, counter, amount, person_start, person, at = marks
    if len(start) == 0:
        return marks
    some, begins = entries_of(start, points)
    others, person_begins = entries_of(person_start, points)
    people = np.sort(person[others])
    number = 0
    for i in range(len(people)):
        if i == 0 or people[i] != people[number - 1]:
            people[number] = people[i]
            number += 1
    who = np.searchsorted(people[:number], person[others]).astype(np.int32)
    return begins, counter[some], amount[some], person_begins, who, at[others]


@jit
def entries_of(start: Counts, rows: Codes) -> tuple[Counts, Counts]:
    """The entries of some compressed rows, and where each of these begins among them."""
    begins = np.zeros(len(rows) + 1, np.int64)
    for i in range(len(rows)):
        begins[i + 1] = begins[i] + start[rows[i] + 1] - start[rows[i]]
    entry = np.empty(begins[-1], np.int64)
    for i in range(len(rows)):
        for e in range(start[rows[i]], start[rows[i] + 1]):
            entry[begins[i] + e - start[rows[i]]] = e
    return entry, begins
