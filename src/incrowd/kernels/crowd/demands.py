"""What classes hold of sensitive values, and whether that is what models ask for.

Counter 0 is people; others are the values of sensitive columns, column after column. *Marks* are
what records add to counters; *holdings* are the counters of classes; *asks* are the rules, in
numbers, that the counters of a class must satisfy.
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit
from incrowd.kernels.diversity import (
    entropies,
    largest_recursive_l,
    node_distances,
    ordered_distances,
)
from incrowd.kernels.histogram import expand_rows
from incrowd.kernels.rules import DISTINCT, ENTROPY, ORDERED, PEOPLE, RECURSIVE, SHARE

KIND, FIRST, WIDTH, A, B, C, TABLE = range(7)
"""Columns of `Asks.rules`."""


class Marks(NamedTuple):
    """What points bring along, in compressed rows; all empty if nothing is asked.

    Whoever takes n records of point p adds n times `amount[i]` to `counter[i]` for i from
    `start[p]` to `start[p + 1]`; once `amount[i]` if points stay whole.
    """

    start: Counts
    counter: Codes
    amount: Counts
    person_start: Counts
    """(points + 1,): where the people of a point begin who have records in several points."""
    person: Codes
    """Who they are: each counts once per class."""
    at: Codes
    """The counter at which each of them counts."""


class Holdings(NamedTuple):
    """What each slot of a state holds of the marks."""

    counters: Counts
    """(slots, counters)"""
    seen: Codes
    """(slots, people): with how many points each person is in a slot."""


class Asks(NamedTuple):
    """Conditions on the counters of a class; without rules nothing is asked or counted."""

    rules: Counts
    """(rules, 7): a kind of `kernels.rules`, the first counter and how many, three whole numbers,
    a place in `tables`."""
    limits: Floats
    """(rules,): the limit of each."""
    tables: Floats
    """What rules read beside the counters, one after the other."""


class Demands(NamedTuple):
    """What models ask of classes, in numbers."""

    marks: Marks
    asks: Asks


@jit
def empty_holdings(slots: int, marks: Marks, asks: Asks) -> Holdings:
    """Return holdings of so many empty slots, with a counter for all that marks and rules name."""
    counters, people = 0, 0
    for rule in asks.rules:
        counters = max(counters, rule[FIRST] + rule[WIDTH])
    for counter in marks.counter:
        counters = max(counters, counter + 1)
    for person in marks.person:
        people = max(people, person + 1)
    return Holdings(np.zeros((slots, counters), np.int64), np.zeros((slots, people), np.int32))


@jit
def count_point(marks: Marks, holdings: Holdings, c: int, point: int, times: int) -> None:
    """Count in class c the marks of so many records of a point; a negative number takes them away.

    Points that stay whole count once, with `times` 1 or -1. A person counts in a class with their
    first point there, and no longer once the last is taken away.
    """
    start, counter, amount, person_start, person, at = marks
    counters, seen = holdings
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
def satisfies_all(asks: Asks, holdings: Holdings, c: int) -> bool:
    """Whether the counters of class c satisfy every rule."""
    rules, limits, tables = asks
    for i in range(len(rules)):
        first, width = rules[i, FIRST], rules[i, WIDTH]
        counts = holdings.counters[c, first : first + width]
        table = tables[rules[i, TABLE] :]
        if not satisfies_rule(rules[i], limits[i], table, counts, holdings.counters[c, 0]):
            return False
    return True


@jit
def satisfies_rule(rule: Counts, limit: float, table: Floats, counts: Counts, people: int) -> bool:
    """Whether a class with these counts and people satisfies a rule, a line of `Asks.rules`."""
    kind, a, b = rule[KIND], rule[A], rule[B]
    if kind == PEOPLE:
        return bool(people >= a)
    if kind == SHARE:
        return bool(largest_count(counts) <= people * a // b)
    if kind == DISTINCT:
        return bool(np.count_nonzero(counts) >= a)
    start = np.zeros(2, np.int64)
    start[1] = len(counts)
    if kind == ENTROPY:
        return bool(entropies(start, counts)[0] >= limit)
    if kind == RECURSIVE:
        return bool(largest_recursive_l(start, counts, b, rule[C])[0] >= a)
    return bool(distance_from_table(kind, (a, b), table, start, counts) <= limit)


@jit
def largest_count(counts: Counts) -> int:
    """Return the largest count, 0 if there is none."""
    most = 0
    for count in counts:
        most = max(most, count)
    return most


@jit
def distance_from_table(
    kind: int, size: tuple[int, int], table: Floats, start: Counts, counts: Counts
) -> float:
    """Return how far the counts of a class are from the shares in the whole table, for t-closeness.

    `start` holds the counts as a histogram of one class. `table` depends on `kind`. For `NODES`,
    `size` being levels and nodes, it is the node of each value, then the share of each node, level
    after level. For `ORDERED`, it is the share of missing values, the rank of each value, and the
    shares up to each rank.
    """
    width = len(counts)
    code = np.arange(width).astype(np.int32)
    if kind == ORDERED:
        rank = table[1 : 1 + width].astype(np.int64)
        upto = table[1 + width : 2 + width + rank[-1]]
        return float(ordered_distances(start, code, counts, table[0], rank, upto)[0])
    total = 0.0
    for level in range(size[0]):
        first = level * (width + size[1])
        nodes = table[first : first + width].astype(np.int32)
        shares = table[first + width : first + width + size[1]]
        total += node_distances(start, code, counts, nodes, shares)[0]
    return total / max(size[0], 1)


@jit
def renumber_marks(marks: Marks, points: Codes) -> Marks:
    """Return the marks of these points only; they and their people are numbered anew from 0 on."""
    start, counter, amount, person_start, person, at = marks
    if len(start) == 0:
        return marks
    some, begins = entries_of_rows(start, points)
    others, person_begins = entries_of_rows(person_start, points)
    people = np.sort(person[others])
    number = 0
    for i in range(len(people)):
        if i == 0 or people[i] != people[number - 1]:
            people[number] = people[i]
            number += 1
    who = np.searchsorted(people[:number], person[others]).astype(np.int32)
    return Marks(begins, counter[some], amount[some], person_begins, who, at[others])


@jit
def entries_of_rows(start: Counts, rows: Codes) -> tuple[Counts, Counts]:
    """Return the places of the entries of some rows, row by row, and the bounds of each row's."""
    begins = np.zeros(len(rows) + 1, np.int64)
    for i in range(len(rows)):
        begins[i + 1] = begins[i] + start[rows[i] + 1] - start[rows[i]]
    return expand_rows(start, rows)[0], begins
