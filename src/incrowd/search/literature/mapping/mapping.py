"""What every mapping is: rows of many columns put in one line (Ghinita Section 6)."""

from typing import Protocol

import numpy as np

from incrowd.arrays import Codes
from incrowd.kernels import histogram
from incrowd.problem import Problem


class Mapping(Protocol):
    """Puts the rows of a tally in one order, near rows near each other.

    Rows with the same quasi-identifying codes stand side by side, and the order in which the tally
    lists its rows does not matter. Frozen values, like searches.
    """

    def order(self, problem: Problem) -> Codes:
        """The rows of the tally in their order, each once."""


def by_codes(problem: Problem) -> Codes:
    """The rows in the order of their codes, first column first, sensitive columns last."""
    tally = problem.tally
    codes = np.concatenate([tally.quasi, tally.sensitive])
    in_order, _ = histogram.runs(np.ascontiguousarray(codes))
    if in_order:
        return np.arange(tally.rows, dtype=np.int32)
    return np.lexsort(codes[::-1]).astype(np.int32)


def lowest_codes(problem: Problem, spare: int = 0) -> Codes:
    """The quasi-identifying codes, one line per row, each as the first of its lowest node.

    Codes that no class may tell apart become equal. There is room for some `spare` lines more.
    """
    tally = problem.tally
    lines = np.empty((tally.rows + spare, len(problem.columns)), dtype=np.int32)
    for j, (column, codes) in enumerate(zip(problem.columns, tally.quasi, strict=True)):
        lines[: tally.rows, j] = column.widened(codes, codes)[0]
    return lines
