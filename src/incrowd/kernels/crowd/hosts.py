"""Who lives nearby: the classes that could take records, and those to share records with."""

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.crowd.cut import Rule
from incrowd.kernels.crowd.state import Space, State, price, scaled, tabled


@jit
def host_of(
    space: Space, state: State, rule: Rule, guest: tuple[int, int], home: int, most: float
) -> tuple[float, int]:
    """The class that pays least more if it takes the records of a point, and how much more.

    `guest` is (point, records). -1 if none pays less than `most`. A class of equal records that is
    large enough takes the guests with as many of its own as make a new class.
    """
    points, boxes = space
    costs, start, width, _, limits = boxes
    k, divisible = rule
    held, _, pieces, size, cost, low, high, _ = state
    point, records = guest
    guest_codes = points[point]
    best, found = most, -1
    for c in range(len(size)):
        if size[c] == 0 or c == home:
            continue
        number, paid = size[c] + records, cost[c]
        large = pieces[c] == 1 and records < k and number >= 2 * k
        if divisible and large and held[c, 0] != point:
            number, paid = k, (k - records) * paid / size[c]
        limit = best + paid
        each = 0.0
        for j in range(points.shape[1]):
            least, last = min(guest_codes[j], low[c, j]), max(guest_codes[j], high[c, j])
            if width[j] > 0:
                each += tabled(costs, start, width, j, least, last)
            elif width[j] == 0:
                each += scaled(costs, start, limits, j, least, last)
            else:
                each += cell_cost(boxes, j, least, last)
            if number * each >= limit:
                break
        if number * each < limit:
            best = number * each - paid
            found = c
    return best, found


@jit
def near(space: Space, state: State, k: int, c: int, found: Codes, more: Floats) -> int:
    """The classes that pay least more if they are one with class c, nearest first; how many.

    Of a class with more than 2k records only so many count.
    """
    boxes = space[1]
    costs, start, width, _, limits = boxes
    _, _, _, size, cost, low, high, _ = state
    number = 0
    for other in range(len(size)):
        if size[other] == 0 or other == c:
            continue
        paid = cost[c] + cost[other]
        both = min(size[c], 2 * k) + min(size[other], 2 * k)
        most = more[number - 1] if number == len(found) else np.inf
        limit = most + paid
        each = 0.0
        for j in range(low.shape[1]):
            least, last = min(low[c, j], low[other, j]), max(high[c, j], high[other, j])
            if width[j] > 0:
                each += tabled(costs, start, width, j, least, last)
            elif width[j] == 0:
                each += scaled(costs, start, limits, j, least, last)
            else:
                each += cell_cost(boxes, j, least, last)
            if both * each >= limit:
                break
        if both * each >= limit:
            continue
        number = min(number + 1, len(found))
        at = number - 1
        while at > 0 and more[at - 1] > both * each - paid:
            found[at] = found[at - 1]
            more[at] = more[at - 1]
            at -= 1
        found[at] = other
        more[at] = both * each - paid
    return number


@jit
def edges(space: Space, state: State, c: int, found: Counts) -> None:
    """Per column of a class: lowest code, pieces that have it, next code; the highest likewise."""
    points = space[0]
    held, _, pieces, _, _, low, high, _ = state
    for j in range(points.shape[1]):
        found[0, j], found[1, j], found[2, j] = low[c, j], 0, high[c, j]
        found[3, j], found[4, j], found[5, j] = high[c, j], 0, low[c, j]
    for i in range(pieces[c]):
        for j in range(points.shape[1]):
            code = points[held[c, i], j]
            if code == low[c, j]:
                found[1, j] += 1
            else:
                found[2, j] = min(found[2, j], code)
            if code == high[c, j]:
                found[4, j] += 1
            else:
                found[5, j] = max(found[5, j], code)


@jit
def cost_without(space: Space, point: int, found: Counts) -> float:
    """What the span of a class costs without one of its points; `found` are its edges."""
    points, boxes = space
    low, high = np.empty(points.shape[1], np.int32), np.empty(points.shape[1], np.int32)
    for j in range(points.shape[1]):
        code = points[point, j]
        low[j], high[j] = found[0, j], found[3, j]
        if code == found[0, j] and found[1, j] == 1:
            low[j] = found[2, j]
        if code == found[3, j] and found[4, j] == 1:
            high[j] = found[5, j]
    return price(boxes, low, high)
