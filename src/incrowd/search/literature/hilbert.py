"""Rows in the order of the Hilbert curve (Ghinita Section 6, Figure 19a).

A place on the curve has as many bits as the cell has in all columns. They are kept in *words*:
whole numbers of `mappings.WORD` bits each, the highest bits first.
"""

from dataclasses import field
from functools import partial
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from incrowd.arrays import Codes, Floats
from incrowd.kernels.literature import mappings
from incrowd.problem import Problem
from incrowd.search.layout import order_by_codes
from incrowd.search.orders.division import divide_along, grid_cells, keyed_order
from incrowd.search.search import Found, Search
from incrowd.table.fold import in_threads
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

_SHARE = 2**15
"""Rows that one thread places at a time."""


@dataclass(frozen=True, config=STRICT)
class Hilbert(Search):
    """Local recoding along the Hilbert curve: Ghinita's Hilb, and HilbFast with `fast`.

    Fast takes the extent on the curve as the cost of a class instead of what it shows. Every column
    has 2^bits cells; without bits, as many as the largest column needs.

    >>> Hilbert(fast=True).name
    'hilbert'
    """

    fast: bool = False
    bits: Annotated[int, Field(ge=1, le=31)] | None = None
    name: Literal["hilbert"] = field(default="hilbert", kw_only=True)
    separable: ClassVar[bool] = True
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Order the rows, divide the order best, repair what fails."""
        return divide_along(
            problem,
            watch,
            self.name,
            lambda stay: keyed_order(hilbert_line(stay, self.bits), fast=self.fast),
        )


def hilbert_line(problem: Problem, bits: int | None = None) -> tuple[Codes, Floats]:
    """The rows in the order of the curve, and their places on it, from 0 to 1 and ascending.

    Rows in the same cell stand in the order of their codes. Only places are rounded, to doubles.
    """
    cells, bits = grid_cells(problem, bits)
    words = curve_words(cells, bits)
    canonical = order_by_codes(problem)
    words = words[:, canonical]
    sort = np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])
    return canonical[sort], _fractions(words[:, sort])


def curve_words(cells: Codes, bits: int) -> NDArray[np.uint64]:
    """The place on the curve of each cell, a line of `cells`, in words: shape (words, cells)."""
    number = -(-cells.shape[1] * bits // mappings.WORD)
    words = np.zeros((number, len(cells)), dtype=np.uint64)
    bounds = [*range(0, len(cells), _SHARE), len(cells)]
    cells = cells.copy()
    tasks = [
        partial(mappings.fill_curve_keys, cells[lo:hi], bits, words[:, lo:hi])
        for lo, hi in pairwise(bounds)
    ]
    in_threads(tasks)
    return words


def _fractions(words: NDArray[np.uint64]) -> Floats:
    """Places in words as doubles from 0 to 1, ascending."""
    scale = 2.0 ** (-mappings.WORD * np.arange(1, len(words) + 1, dtype=np.float64))
    total: Floats = scale @ words.astype(np.float64)
    return np.maximum.accumulate(total)
