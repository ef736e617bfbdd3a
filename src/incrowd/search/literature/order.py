"""Local recoding along an order of the rows: map to one dimension, divide it best (Ghinita).

Section 6.1: the rows are put in one line by a mapping, and the dynamic program of Section 3 divides
the line into classes. What it finds is the best division of that line into runs. With one
quasi-identifying column and the largest extent (IL-infinity) as the loss it is the best of all
releases; see the papers' notes for the other losses, where runs are not always best.

Quasi-identifying values as numbers on one scale (Ghinita Section 6, Figure 20).
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from incrowd.arrays import MISSING, Codes, Floats
from incrowd.errors import LimitError, counted
from incrowd.loss.ncp import places
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn
from incrowd.search.left_out import leaving_out
from incrowd.search.literature.order_division import partition_in_order
from incrowd.search.refusals import raise_if_infeasible
from incrowd.search.repair import merge_failing_classes
from incrowd.search.search import Found
from incrowd.watch import Watch

Line: TypeAlias = tuple[Codes, Floats | None]
"""The rows in their order, and their ascending keys if classes are judged by them."""


def along(problem: Problem, watch: Watch, name: str, line: Callable[[Problem], Line]) -> Found:
    """The best division of a line of the rows that stay."""
    raise_if_infeasible(problem)
    if watch.expired:
        raise LimitError("the time was up before the search began", remedy="give it more time")
    watch.tell("putting the rows in order", 0.0)
    return leaving_out(problem, lambda stay: divided(stay, watch, name, line(stay)))


def with_keys(line: tuple[Codes, Floats], *, fast: bool) -> Line:
    """The line with its keys if classes are judged by them (`fast`), else without."""
    return line if fast else (line[0], None)


def divided(problem: Problem, watch: Watch, name: str, line: Line) -> Found:
    """The best division of a line of rows, every class satisfying every model."""
    order, keys = line
    watch.tell("dividing the order", 0.4)
    pieces = partition_in_order(problem, order, keys)
    watch.tell("repairing classes", 0.8)
    spans = merge_failing_classes(problem, pieces)
    number = int(spans.pieces.class_of.max()) + 1
    raw = int(pieces.class_of.max()) + 1
    why = f"divided an order of the rows into {counted(number, 'class', 'classes')}"
    optimal = keys is None and _exact(problem) and number <= raw
    return Found(spans, name, optimal=optimal, why=why, facts={"classes": float(number)})


def _exact(problem: Problem) -> bool:
    """Whether runs of the order of one column are the best of all divisions."""
    sizes_only = all(not model.columns for model in problem.models)
    return (
        len(problem.columns) == 1
        and problem.loss.worst_class
        and sizes_only
        and not problem.tally.has_units
        and not np.any(problem.suppression)
    )


def scaled(column: QuasiColumn) -> Floats:
    """Where each code of a column lies, from 0 to 1; missing values, if there are any, at 0.

    Ordered columns by their values, others by the number of their leaf, which puts the leaves of a
    node side by side. All columns reach equally far, however many values they have.
    """
    codes = np.arange(len(column.frequency), dtype=np.int32)
    first, last = column.range
    lows = np.clip(column.widened(codes, codes)[0], first, last)
    place = places(column) if column.hierarchy.ordered else codes.astype(np.float64)
    whole = place[last] - place[first]
    at: Floats = (place[lows] - place[first]) / whole if whole > 0 else np.zeros(len(codes))
    at[MISSING] = 0.0
    return at


def grid(problem: Problem, bits: int | None) -> tuple[Codes, int]:
    """The cell of each row in a grid of 2^bits cells in every column, one line per row.

    Without bits, as many as the column with the most values needs. Missing values have the first
    cell for themselves.
    """
    most = max(len(column.frequency) for column in problem.columns)
    bits = bits or min(max(int(most - 1).bit_length(), 1), 31)
    lines = np.empty((problem.tally.rows, len(problem.columns)), dtype=np.int32)
    for j, (column, codes) in enumerate(zip(problem.columns, problem.tally.quasi, strict=True)):
        lines[:, j] = _cells(column, bits)[codes]
    return lines, bits


def _cells(column: QuasiColumn, bits: int) -> Codes:
    first = 1 if column.frequency[MISSING] and bits > 1 else 0
    spread: Floats = scaled(column) * (2**bits - 1 - first)
    cells = first + np.floor(spread + 0.5).astype(np.int32)
    cells[MISSING] = 0
    return cells
