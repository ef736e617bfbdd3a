"""What spans cost, fast: a look-up where a column has a table, `kernels.boxes` elsewhere.

To unpack a tuple of arrays costs more than to look a price up, so whoever asks for many prices
unpacks `boxes` once and looks into the table of a column itself: `tabled` where `width[j] > 0`,
`cell_cost` where it is not.
"""

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.boxes import Boxes, cell_cost
from incrowd.kernels.compile import jit


@jit
def tabled(costs: Floats, start: Counts, width: Counts, j: int, low: int, high: int) -> float:
    """The cost of a span of a column that has a table."""
    return float(costs[start[j] + low * width[j] + high])


@jit
def price(boxes: Boxes, low: Codes, high: Codes) -> float:
    """The cost of a span of all columns."""
    costs, start, width, _, _ = boxes
    total = 0.0
    for j in range(len(low)):
        if width[j] > 0:
            total += tabled(costs, start, width, j, low[j], high[j])
        else:
            total += cell_cost(boxes, j, low[j], high[j])
    return total
