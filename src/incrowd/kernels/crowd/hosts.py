"""Which classes could take records of a class or a point, and which lie near to share some."""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.cut import Rule
from incrowd.kernels.crowd.state import Space, State, price_span, scale_cost, table_cost

LOWEST, AT_LOWEST, ABOVE, HIGHEST, AT_HIGHEST, BELOW = range(6)
"""Lines of the edges of a class, which has one column per column of the table: its lowest code, the
pieces that have it, the next code above it; its highest code, the pieces that have it, the next
below it. Where there is no other code above or below, it is that code itself."""


class Guest(NamedTuple):
    """Records of a point that are to move to another class, a host."""

    point: int
    records: int


@jit
def find_host(
    space: Space, state: State, rule: Rule, guest: Guest, home: int, most: float
) -> tuple[float, int]:
    """Return how much more is paid if the cheapest class takes the guest's records, and its slot.

    (`most`, -1) if none pays less than `most` more; class `home` is left out. A class of one point
    that is large enough for two (see `receive_guest`) takes them with as many of its own records as
    make a new class.
    """
    points, boxes = space
    costs, start, width, _, limits = boxes
    k, divisible = rule
    points_in, pieces, size = state.point, state.pieces, state.size
    cost, low, high = state.cost, state.low, state.high
    point, records = guest
    guest_codes = points[point]
    best, host = most, -1
    for c in range(len(size)):
        if size[c] == 0 or c == home:
            continue
        number, paid = size[c] + records, cost[c]
        large = pieces[c] == 1 and records < k and number >= 2 * k
        if divisible and large and points_in[c, 0] != point:
            number, paid = k, (k - records) * paid / size[c]
        limit = best + paid
        each = 0.0
        for j in range(points.shape[1]):
            least, last = min(guest_codes[j], low[c, j]), max(guest_codes[j], high[c, j])
            if width[j] > 0:
                each += table_cost(costs, start, width, j, least, last)
            elif width[j] == 0:
                each += scale_cost(costs, start, limits, j, least, last)
            else:
                each += cell_cost(boxes, j, least, last)
            if number * each >= limit:  # later columns can only add to it
                break
        if number * each < limit:
            best = number * each - paid
            host = c
    return best, host


@jit
def find_near(space: Space, state: State, k: int, c: int, classes: Codes, more: Floats) -> int:
    """Find the classes that pay least more if joined to class c; return how many there are.

    `classes`, not empty, gets as many as fit, nearest first, and `more` what each union costs
    beyond what its two classes pay now. In the cost of the union a class counts 2k records at most.
    """
    boxes = space.boxes
    costs, start, width, _, limits = boxes
    size, cost, low, high = state.size, state.cost, state.low, state.high
    number = 0
    for other in range(len(size)):
        if size[other] == 0 or other == c:
            continue
        paid = cost[c] + cost[other]
        both = min(size[c], 2 * k) + min(size[other], 2 * k)
        most = more[number - 1] if number == len(classes) else np.inf
        limit = most + paid
        each = 0.0
        for j in range(low.shape[1]):
            least, last = min(low[c, j], low[other, j]), max(high[c, j], high[other, j])
            if width[j] > 0:
                each += table_cost(costs, start, width, j, least, last)
            elif width[j] == 0:
                each += scale_cost(costs, start, limits, j, least, last)
            else:
                each += cell_cost(boxes, j, least, last)
            if both * each >= limit:
                break
        if both * each >= limit:
            continue
        number = min(number + 1, len(classes))
        at = number - 1
        while at > 0 and more[at - 1] > both * each - paid:
            classes[at] = classes[at - 1]
            more[at] = more[at - 1]
            at -= 1
        classes[at] = other
        more[at] = both * each - paid
    return number


@jit
def find_edges(space: Space, state: State, c: int, edges: Counts) -> None:
    """Fill `edges`, shape (6, d), with lines `LOWEST` to `BELOW` for each column of class c."""
    points = space.points
    points_in, pieces, low, high = state.point, state.pieces, state.low, state.high
    for j in range(points.shape[1]):
        edges[LOWEST, j], edges[AT_LOWEST, j], edges[ABOVE, j] = low[c, j], 0, high[c, j]
        edges[HIGHEST, j], edges[AT_HIGHEST, j], edges[BELOW, j] = high[c, j], 0, low[c, j]
    for i in range(pieces[c]):
        for j in range(points.shape[1]):
            code = points[points_in[c, i], j]
            if code == low[c, j]:
                edges[AT_LOWEST, j] += 1
            else:
                edges[ABOVE, j] = min(edges[ABOVE, j], code)
            if code == high[c, j]:
                edges[AT_HIGHEST, j] += 1
            else:
                edges[BELOW, j] = max(edges[BELOW, j], code)


@jit
def narrow_box(points: Codes, point: int, edges: Counts, box: Codes) -> bool:
    """Write to `box` the span of a class of several points without one; whether it is narrower."""
    narrower = False
    for j in range(points.shape[1]):
        code = points[point, j]
        box[0, j], box[1, j] = edges[LOWEST, j], edges[HIGHEST, j]
        if code == edges[LOWEST, j] and edges[AT_LOWEST, j] == 1:
            box[0, j] = edges[ABOVE, j]
            narrower = True
        if code == edges[HIGHEST, j] and edges[AT_HIGHEST, j] == 1:
            box[1, j] = edges[BELOW, j]
            narrower = True
    return narrower


@jit
def cost_without(space: Space, point: int, edges: Counts) -> float:
    """Return what a record of a class with these edges pays once the class is without the point."""
    box = np.empty((2, space.points.shape[1]), np.int32)
    narrow_box(space.points, point, edges, box)
    return price_span(space.boxes, box[0], box[1])
