"""Recodings: how rows become classes, and what each class shows."""

from incrowd.recoding.column import QuasiColumn
from incrowd.recoding.levels import Anatomized, CellLevels, ColumnBuckets, Levels
from incrowd.recoding.outcome import Outcome, outcome_of
from incrowd.recoding.recoding import Pieces, Recoding
from incrowd.recoding.spans import GivenCells, Spans, ValueSets, value_sets

__all__ = [
    "Anatomized",
    "CellLevels",
    "ColumnBuckets",
    "GivenCells",
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
