"""What is done to the rows, and what that shows."""

from incrowd.recoding.anatomy import Anatomy
from incrowd.recoding.column import QuasiColumn
from incrowd.recoding.cuts import Cuts
from incrowd.recoding.levels import Cells, Levels
from incrowd.recoding.outcome import Outcome, outcome_of
from incrowd.recoding.pieces import Pieces
from incrowd.recoding.recoding import Recoding
from incrowd.recoding.sets import ValueSets, value_sets
from incrowd.recoding.spans import Boxes, Spans

__all__ = [
    "Anatomy",
    "Boxes",
    "Cells",
    "Cuts",
    "Levels",
    "Outcome",
    "Pieces",
    "QuasiColumn",
    "Recoding",
    "Spans",
    "ValueSets",
    "outcome_of",
    "value_sets",
]
