"""What spans cost, fast.

In a loop, handing a tuple of arrays to a kernel costs ten times what looking a price up does. So
whoever asks for many prices unpacks `boxes` (see `kernels.boxes`) once and asks for each column
what its kind needs: `tabled` where `width[j]` is above 0, `scaled` where it is 0, else `cell_cost`.
"""

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.shapes import FORBIDDEN, Boxes


@jit
def tabled(costs: Floats, start: Counts, width: Counts, j: int, low: int, high: int) -> float:
    """The cost of a span of a column of few values."""
    return float(costs[start[j] + low * width[j] + high])


@jit
def scaled(costs: Floats, start: Counts, limits: Floats, j: int, low: int, high: int) -> float:
    """The cost of a span of an ordered column of many values."""
    if high == 0:
        return 0.0
    if low == 0:
        return float(limits[j, 0] if limits[j, 4] else FORBIDDEN)
    begin, end = start[j] + 3 * low, start[j] + 3 * high
    extent = costs[end + 1] - costs[begin]
    allowed = extent <= limits[j, 3] and costs[begin + 2] == costs[end + 2]
    return float(extent if allowed else FORBIDDEN)


@jit
def price(boxes: Boxes, low: Codes, high: Codes) -> float:
    """The cost of a span of all columns, as `box_cost` has it."""
    costs, start, width, _, limits = boxes
    total = 0.0
    for j in range(len(low)):
        if width[j] > 0:
            total += tabled(costs, start, width, j, low[j], high[j])
        elif width[j] == 0:
            total += scaled(costs, start, limits, j, low[j], high[j])
        else:
            total += cell_cost(boxes, j, low[j], high[j])
    return total
