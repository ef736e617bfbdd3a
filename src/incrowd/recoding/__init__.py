"""Recodings: how rows become classes, and what each class shows."""

from typing import TYPE_CHECKING

from incrowd.lazy import names_of

if TYPE_CHECKING:
    from incrowd.recoding.column import QuasiColumn as QuasiColumn
    from incrowd.recoding.levels import Anatomized as Anatomized
    from incrowd.recoding.levels import CellLevels as CellLevels
    from incrowd.recoding.levels import ColumnBuckets as ColumnBuckets
    from incrowd.recoding.levels import Levels as Levels
    from incrowd.recoding.outcome import Outcome as Outcome
    from incrowd.recoding.outcome import outcome_of as outcome_of
    from incrowd.recoding.recoding import Pieces as Pieces
    from incrowd.recoding.recoding import Recoding as Recoding
    from incrowd.recoding.spans import GivenCells as GivenCells
    from incrowd.recoding.spans import Spans as Spans
    from incrowd.recoding.spans import ValueSets as ValueSets
    from incrowd.recoding.spans import value_sets as value_sets

__getattr__, __dir__ = names_of(__name__)
__all__ = __dir__()  # noqa: PLE0605  the imports above are the list
