"""Whether one column divides into diverse classes of limited extent (Ghinita 4.2 and 5.1).

Records of one sensitive value form a domain, in the order of their place in the column. Classes
come one after the other and take the next records of each domain (Lemmas 3 and 7), so a boundary,
the number of records taken of each domain, says all about what came before. A boundary is written
as one number, the sum over the domains of records taken times stride. `line` is (places, start,
reach): the places of all records domain by domain, where each domain starts, and for each place the
last one that a class may hold which begins there.

The next class holds a record of the lowest place that is left, or the classes could be reordered.

Shapes: places (records,), ascending within a domain; start (domains + 1,); strides, taken, held and
room (domains,).
"""

from typing import TypeAlias

import numpy as np

from incrowd.arrays import Counts
from incrowd.kernels.compile import jit

Line: TypeAlias = tuple[Counts, Counts, Counts]


@jit
def decode_boundary(state: np.int64, strides: Counts, taken: Counts) -> None:
    """Fill `taken` with the number of records taken of each domain at the boundary `state`."""
    for q in range(len(strides) - 1, -1, -1):
        taken[q] = state // strides[q]
        state -= taken[q] * strides[q]


@jit
def fill_class_room(line: Line, taken: Counts, most: int, room: Counts) -> int:
    """Fill `room` with the most records of each domain that the next class may hold, up to `most`.

    Return the lowest place that is left. The class holds no place that it cannot reach from there.
    """
    places, start, reach = line
    lowest = len(reach)
    for q in range(len(taken)):
        at = start[q] + taken[q]
        if at < start[q + 1]:
            lowest = min(lowest, places[at])
    for q in range(len(taken)):
        at = start[q] + taken[q]
        room[q] = 0
        while at < start[q + 1] and places[at] <= reach[lowest] and room[q] < most:
            room[q] += 1
            at += 1
    return int(lowest)


@jit
def is_class(line: Line, taken: Counts, held: Counts, lowest: int, rule: Counts) -> bool:
    """Whether the next class may hold so many records of each domain, `held`, and leave the rest.

    `rule` is (p, q, k, most records of a domain, limit of steps): a class is p/q-diverse and has k
    records or more, of which one is at the place `lowest`; the rest must be p/q-diverse, too.
    """
    places, start, _ = line
    size, largest, left, most_left = 0, 0, 0, 0
    begins = False
    for q in range(len(held)):
        size += held[q]
        largest = max(largest, held[q])
        rest = start[q + 1] - start[q] - taken[q] - held[q]
        left += rest
        most_left = max(most_left, rest)
        begins |= held[q] > 0 and places[start[q] + taken[q]] == lowest
    here = begins and size >= rule[2] and rule[1] * size >= rule[0] * largest
    return bool(here and rule[1] * left >= rule[0] * most_left)


@jit
def find_division(line: Line, strides: Counts, rule: Counts) -> tuple[int, Counts]:
    """Look for a division into classes as in `is_class`; return 1, 0 or -1, and the classes.

    1 if there is one, with a line per class: its records of each domain. 0 if there is none, -1 if
    the search took more steps than the rule's limit; then there are no lines.
    """
    _, start, _ = line
    m = len(strides)
    sizes = np.diff(start)
    goal = (sizes * strides).sum()
    before = {np.int64(0): np.int64(-1)}
    todo = [np.int64(0)]
    taken, room, held = np.empty(m, np.int64), np.empty(m, np.int64), np.empty(m, np.int64)
    steps = 0
    while len(todo) > 0:
        state = todo.pop()
        if state == goal:
            return 1, classes_on_path(before, goal, strides)
        decode_boundary(state, strides, taken)
        lowest = fill_class_room(line, taken, rule[3], room)
        held[:] = 0
        while True:
            q = 0
            while q < m and held[q] == room[q]:
                held[q] = 0
                q += 1
            if q == m:
                break
            held[q] += 1
            steps += 1
            if steps > rule[4]:
                return -1, np.empty((0, m), np.int64)
            after = state + (held * strides).sum()
            if after not in before and is_class(line, taken, held, lowest, rule):
                before[after] = state
                todo.append(after)
    return 0, np.empty((0, m), np.int64)


@jit
def classes_on_path(before: dict[np.int64, np.int64], goal: np.int64, strides: Counts) -> Counts:
    """Return the records by domain of each class on the way to the goal; `before` leads back."""
    number = 0
    state = goal
    while state > 0:
        state = before[state]
        number += 1
    found = np.empty((number, len(strides)), np.int64)
    state = goal
    for c in range(number - 1, -1, -1):
        decode_boundary(state - before[state], strides, found[c])
        state = before[state]
    return found
