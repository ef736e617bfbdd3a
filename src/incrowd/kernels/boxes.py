"""What it costs to show a run of codes of a column as one cell.

`BoxCosts` has the columns laid out flat. The column j is one of three kinds:

- `width[j] > 0`, few values: `costs[start[j] + low * width[j] + high]` is the cost.
- `width[j] == 0`, ordered: `costs[start[j] + 3 * code]` and the place after it are where the node
  of a code begins and ends on a scale from 0 to the column's weight; the third is the code's node
  at the highest level.
- `width[j] < 0`, a tree with `-width[j]` codes, level by level: `nodes[start[j] + level * -width[j]
  + code]` is the node of a code, `costs` at the same place what it costs.

A missing value is code 0; shown together with others it costs the column's whole weight. Ends of a
box, `low` and `high`, have shape (d,) for d columns, with 0 <= low <= high. A cell that the limits
forbid costs `FORBIDDEN`.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts, Floats
from incrowd.kernels.compile import jit

WEIGHT, LOWEST, TOP, WIDEST, WHOLE = range(5)
"""Columns of `BoxCosts.limits`."""


class BoxCosts(NamedTuple):
    """What spans of the columns cost, laid out flat as the module says."""

    costs: Floats
    """Costs of spans, nodes or ends of nodes, column after column."""
    start: Counts
    """(d,): where each column begins in `costs` and `nodes`."""
    width: Counts
    """(d,): the codes of a column and its kind, see above."""
    nodes: Codes
    """As long as `costs`: the nodes of trees."""
    limits: Floats
    """(d, 5): the weight of a column, its lowest and its highest level, how wide a cell may be,
    and whether the whole column may be shown as one cell."""


FORBIDDEN = 1e6
"""The cost of a cell that may not be shown: more than all others together."""


Keys: TypeAlias = NDArray[np.uint64]
"""What rows show, one 64-bit key a row: rows with equal keys look alike."""


class CostCache(NamedTuple):
    """A hash table of what rows show, and what each row would pay."""

    slots: Keys
    """(size,): the key of each slot; size is a power of two."""
    sizes: Counts
    """(size,): the records in each slot, 0 if it is free."""
    place: Counts
    """(rows,): the slot of each row."""
    paid: Floats
    """(rows,): what a record of each row pays."""


@jit
def cell_price(
    costs: Floats,
    start: Counts,
    width: Counts,
    nodes: Codes,
    limits: Floats,
    j: int,
    low: int,
    high: int,
) -> float:
    """Return the cost of one cell, as `cell_cost`, from unpacked fields: ten times as fast."""
    size = width[j]
    first = start[j]
    if size > 0:
        return float(costs[first + low * size + high])
    if high == 0:
        return 0.0
    if low == 0:
        return float(limits[j, WEIGHT] if limits[j, WHOLE] else FORBIDDEN)
    if size == 0:
        begin, end = first + 3 * low, first + 3 * high
        extent = costs[end + 1] - costs[begin]
        allowed = extent <= limits[j, WIDEST] and costs[begin + 2] == costs[end + 2]
        return float(extent if allowed else FORBIDDEN)
    level = np.int64(limits[j, LOWEST])
    at = first - level * size
    # `size` is negative here: a step takes both codes one level up, until their nodes meet.
    while nodes[at + low] != nodes[at + high]:
        at -= size
        level += 1
    return float(costs[at + low] if level <= np.int64(limits[j, TOP]) else FORBIDDEN)


@jit
def cell_cost(boxes: BoxCosts, j: int, low: int, high: int) -> float:
    """Return the weighted cost of codes `low` to `high` of column j as a cell, or `FORBIDDEN`."""
    costs, start, width, nodes, limits = boxes
    return cell_price(costs, start, width, nodes, limits, j, low, high)


@jit
def box_cost(boxes: BoxCosts, low: Codes, high: Codes) -> float:
    """Return what a record pays, over all columns, if its class spans these codes."""
    costs, start, width, nodes, limits = boxes
    total = 0.0
    for j in range(len(low)):
        total += cell_price(costs, start, width, nodes, limits, j, low[j], high[j])
    return total
