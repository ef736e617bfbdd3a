"""Exact quasi-identifiers beside sensitive values by class."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from incrowd.arrays import Codes
from incrowd.recoding.column import QuasiColumn
from incrowd.recoding.recoding import Pieces, Recoding, first_rows
from incrowd.table.tally import Tally


@dataclass(frozen=True, eq=False)
class Anatomized(Recoding):
    """Exact quasi-identifiers, sensitive values by class (Xiao and Tao, VLDB 2006).

    Nothing is generalized: what a class hides is which of its records holds which of its sensitive
    values. Classes are told by their number, so several may span the same.
    """

    pieces: Pieces
    kind: ClassVar[str] = "anatomy"
    exact: ClassVar[bool] = True

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """The first record of each class stands for its exact cells, which cost nothing."""
        first = first_rows(self.pieces.class_of)
        codes = np.ascontiguousarray(tally.quasi[: len(columns), first])
        return codes, codes.copy(), np.zeros_like(codes)
