"""Regions: classes that lie near each other, to be worked on apart from the others.

Classes stand for one of their points each, `codes[c]`. The column in which the points differ most,
by what it costs to show them together, is cut in the middle, and each half again.
"""

import numpy as np

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.shapes import Boxes

_LOOKED_AT = 64
"""Points of a part that tell how much a column differs."""


@jit
def spread(boxes: Boxes, codes: Codes, part: Codes, j: int) -> float:
    """About what it costs to show two points of a part together."""
    step = max(1, len(part) // _LOOKED_AT)
    middle = codes[part[len(part) // 2], j]
    total, number = 0.0, 0
    for i in range(0, len(part), step):
        code = codes[part[i], j]
        total += min(cell_cost(boxes, j, min(code, middle), max(code, middle)), 1.0)
        number += 1
    return total / number


@jit
def halved(codes: Codes, part: Codes, j: int) -> int:
    """Order a part by a column; where the code changes nearest to the middle, 0 if nowhere."""
    keys = np.empty(len(part), np.int32)
    for i in range(len(part)):
        keys[i] = codes[part[i], j]
    order = np.argsort(keys, kind="mergesort")
    part[:] = part[order]
    middle = len(part) // 2
    for away in range(middle + 1):
        for at in (middle - away, middle + away):
            if 0 < at < len(part) and keys[order[at - 1]] != keys[order[at]]:
                return at
    return 0


@jit
def regions(boxes: Boxes, codes: Codes, favour: Floats, most: int, order: Codes) -> Counts:
    """Cut an order of classes until no part has more than `most`; where parts end.

    `favour` multiplies how much each column counts. Parts that are all equal are cut anywhere.
    """
    ends = np.empty(len(order) + 1, np.int64)
    begins = np.empty(len(order) + 1, np.int64)
    begins[0], waiting, end, made = 0, 1, len(order), 0
    while waiting > 0:
        part = order[begins[waiting - 1] : end]
        if len(part) <= most:
            ends[made] = end
            made += 1
            waiting -= 1
            end = begins[waiting]
            continue
        at = cut_widest(boxes, codes, favour, part)
        begins[waiting] = begins[waiting - 1] + at
        waiting += 1
    return ends[:made][::-1].copy()


@jit
def cut_widest(boxes: Boxes, codes: Codes, favour: Floats, part: Codes) -> int:
    """Cut a part along the column that differs most; where its second half begins."""
    width = codes.shape[1]
    best, found = -1.0, -1
    for j in range(width):
        differs = favour[j] * spread(boxes, codes, part, j)
        if differs > best:
            best, found = differs, j
    at = halved(codes, part, found)
    j = 0
    while at == 0 and j < width:
        at = halved(codes, part, j)
        j += 1
    return at if at > 0 else len(part) // 2


@jit
def apart(boxes: Boxes, points: Codes, pairs: Codes) -> Floats:
    """What it costs on average to show two points together, per column."""
    total = np.zeros(points.shape[1])
    for j in range(points.shape[1]):
        for i in range(pairs.shape[1]):
            one, two = points[pairs[0, i], j], points[pairs[1, i], j]
            total[j] += min(cell_cost(boxes, j, min(one, two), max(one, two)), 1.0)
    return total
