"""The rows and columns of a problem, laid out flat for kernels.

Classes cost what their cells cost by the problem's loss if it is a mean of cell costs, else by GCP:
local recoding makes small what it can add up. Columns with many values always cost their NCP. Where
a column shows sets of values, a span is priced as if it held every value between its ends.
"""

import numpy as np

from incrowd.arrays import Codes, Flags, Floats
from incrowd.hierarchy.pools import Pools
from incrowd.kernels import histogram
from incrowd.kernels.boxes import FORBIDDEN, BoxCosts
from incrowd.loss.cells import ShownCells
from incrowd.loss.loss import Loss
from incrowd.loss.ncp import Gcp, code_places, has_finite_scale
from incrowd.partition.csr import offsets
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn, ValueSets

_LARGEST_TABLE = 2**18
"""Columns with more pairs of codes have no table of all costs."""


def boxes_of(problem: Problem) -> BoxCosts:
    """What runs of codes of a problem's columns cost, laid out flat; column weights sum to 1."""
    loss = cell_loss(problem)
    weights = np.array([column.weight for column in problem.columns], dtype=np.float64)
    weights /= weights.sum()
    parts = [_flat_column(column, loss) for column in problem.columns]
    weighted = zip(parts, weights.tolist(), strict=True)
    sizes = np.array([len(costs) for costs, _, _ in parts], dtype=np.int64)
    limits = [
        [weight, column.lowest, column.top, weight * _widest_share(column), may_show_whole(column)]
        for column, weight in zip(problem.columns, weights.tolist(), strict=True)
    ]
    return BoxCosts(
        np.concatenate([_weigh(costs, width, w) for (costs, _, width), w in weighted]),
        (np.cumsum(sizes) - sizes).astype(np.int64),
        np.array([width for _, _, width in parts], dtype=np.int64),
        np.concatenate([nodes for _, nodes, _ in parts]),
        np.array(limits, dtype=np.float64),
    )


def cell_loss(problem: Problem) -> Loss:
    """The problem's loss if it is a mean of cell costs, else GCP."""
    return problem.loss if problem.loss.per_cell else Gcp()


def _weigh(costs: Floats, width: int, weight: float) -> Floats:
    """The costs times the column's weight, in place for width 0; forbidden ones and nodes stay."""
    if width == 0:
        costs.reshape(-1, 3)[:, :2] *= weight
        return costs
    weighted: Floats = np.where(costs >= FORBIDDEN, FORBIDDEN, costs * weight)
    return weighted


def _flat_column(column: QuasiColumn, loss: Loss) -> tuple[Floats, Codes, int]:
    """Costs and nodes of a column, and its width (see `kernels.boxes`)."""
    codes = len(column.hierarchy.leaves) + 1
    if codes * codes <= _LARGEST_TABLE:
        costs = _run_costs(column, loss)
        return costs, np.zeros(len(costs), dtype=np.int32), codes
    if column.hierarchy.ordered:
        costs = _nodes_on_scale(column)
        return costs, np.zeros(len(costs), dtype=np.int32), 0
    costs = np.array(Gcp().cell_costs(column))
    return costs.ravel(), np.ascontiguousarray(column.hierarchy.maps).ravel(), -codes


def _run_costs(column: QuasiColumn, loss: Loss) -> Floats:
    """Costs of runs of codes at `low * codes + high`: 0 if backwards, `FORBIDDEN` beyond limits."""
    codes = len(column.hierarchy.leaves) + 1
    low, high = (side.ravel().astype(np.int32) for side in np.indices((codes, codes)))
    backwards = low > high
    high = np.maximum(low, high)
    low, high = column.widen(low, high)
    level = np.maximum(column.hierarchy.join_level(low, high), column.lowest).astype(np.int32)
    wide = _flag_forbidden_cells(column, low, high, level)
    sets = _run_sets(low, high, column.pools) if column.sets else None
    if not column.hierarchy.ordered:
        low, high = column.hierarchy.cover(level, low)
    costs = np.asarray(
        loss.cost(ShownCells(column, low, high, level, True, sets)), dtype=np.float64
    )
    costs[wide] = FORBIDDEN
    costs[backwards] = 0.0
    return costs


def _run_sets(low: Codes, high: Codes, pools: Pools | None) -> ValueSets:
    """The sets of all values from each low to its high code: the most that a class there can show.

    With pools a set names members, each once, and none below another that it names.
    """
    sizes = high - low + 1
    start = offsets(sizes)
    code = (np.arange(start[-1]) - np.repeat(start[:-1] - low, sizes)).astype(np.int32)
    if pools is None:
        return ValueSets(start, code)
    before, after = pools.neighbours
    named: Flags = before[code] < np.repeat(low, sizes)
    member = pools.of[code]
    node = pools.above[member]
    while (node > 0).any():
        named &= (node == 0) | (after[node, np.repeat(low, sizes)] > np.repeat(high, sizes))
        node = pools.above[node]
    begin = np.append(0, np.cumsum(named))[start]
    return ValueSets(begin.astype(np.int64), member[named], pools)


def _flag_forbidden_cells(column: QuasiColumn, low: Codes, high: Codes, level: Codes) -> Flags:
    """Flags of cells that limits forbid; one of missing and known values shows the whole column."""
    above: Flags = level > column.top
    if not np.isfinite(column.widest):
        return above
    begin, end = _clip_ends(column, low, high)
    mixed: Flags = (low == 0) & (high > 0)
    wide: Flags = (end - begin > column.widest) & (low > 0)
    return above | wide | (mixed & (not may_show_whole(column)))


def _clip_ends(column: QuasiColumn, low: Codes, high: Codes) -> tuple[Floats, Floats]:
    """The begins and ends of spans as numbers, clipped to the values that the table holds."""
    place = code_places(column)
    first, last = column.range
    ends = column.reach(low, high) if has_finite_scale(column) else (place[low], place[high])
    begin, end = (np.clip(side, place[first], place[last]) for side in ends)
    return begin, end


def may_show_whole(column: QuasiColumn) -> bool:
    """Whether a cell may show the whole column, as one that mixes missing with values does."""
    place = column.hierarchy.leaves.positions
    wide = np.isfinite(column.widest) and len(place) > 0 and place[-1] - place[0] > column.widest
    return column.top >= column.hierarchy.height and not wide


def _nodes_on_scale(column: QuasiColumn) -> Floats:
    """Three per code, flat: begin and end (0 to 1) of its finest node or cell, its `top` node."""
    place = code_places(column)
    first, last = column.range
    codes = np.arange(len(place), dtype=np.int32)
    ends = _clip_ends(column, *column.widen(codes, codes))
    whole = place[last] - place[first]
    share = [(end - place[first]) / whole if whole > 0 else 0.0 * place for end in ends]
    return np.stack([*share, column.hierarchy.maps[column.top]], axis=1).ravel()


def _widest_share(column: QuasiColumn) -> float:
    """`widest` as a share of the column's range; infinite without a limit, an order or a range."""
    if not column.hierarchy.ordered or not np.isfinite(column.widest):
        return float("inf")
    place = np.concatenate([[0.0], column.hierarchy.leaves.positions])
    first, last = column.range
    whole = float(place[last] - place[first])
    return column.widest / whole if whole > 0 else float("inf")


def order_by_codes(problem: Problem) -> Codes:
    """The indices of the tally's rows in the order of their codes, sensitive columns last."""
    tally = problem.tally
    codes = np.concatenate([tally.quasi, tally.sensitive])
    in_order, _ = histogram.equal_runs(np.ascontiguousarray(codes))
    if in_order:
        return np.arange(tally.rows, dtype=np.int32)
    return np.lexsort(codes[::-1]).astype(np.int32)


def lowest_codes(problem: Problem, spare: int = 0) -> Codes:
    """A line per row: the first code of each code's finest node or cell; `spare` unfilled lines."""
    tally = problem.tally
    lines = np.empty((tally.rows + spare, len(problem.columns)), dtype=np.int32)
    for j, (column, codes) in enumerate(zip(problem.columns, tally.quasi, strict=True)):
        lines[: tally.rows, j] = column.widen(codes, codes)[0]
    return lines
