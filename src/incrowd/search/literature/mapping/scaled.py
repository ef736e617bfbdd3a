"""Quasi-identifying values as numbers on one scale (Ghinita Section 6, Figure 20)."""

import numpy as np

from incrowd.arrays import MISSING, Codes, Floats
from incrowd.loss.ncp import places
from incrowd.problem import Problem
from incrowd.recoding import QuasiColumn


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
