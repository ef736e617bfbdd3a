"""What every recoding is."""

from typing import Protocol

from incrowd.arrays import Codes
from incrowd.recoding.column import QuasiColumn
from incrowd.recoding.pieces import Pieces
from incrowd.table.tally import Tally


class Recoding(Protocol):
    """What a search decides: `Levels`, `Cells`, `Spans`, `Cuts`, `Boxes` or `Anatomy`."""

    @property
    def kind(self) -> str:
        """`levels`, `cells`, `spans`, `cuts`, `boxes` or `anatomy`."""

    @property
    def pieces(self) -> Pieces:
        """Which records are in which class; classes are numbered 0, 1, … without a gap."""

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """What each class shows: low, high and level, each of shape (d, classes).

        `tally` holds one row per piece.
        """
