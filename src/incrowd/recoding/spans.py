"""Local recoding: what the records of a class span, or what is given for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from incrowd.arrays import MISSING, Codes
from incrowd.partition.classes import numbered
from incrowd.recoding.column import QuasiColumn
from incrowd.recoding.pieces import Pieces, placed
from incrowd.recoding.sets import ValueSets, value_sets
from incrowd.table.tally import Tally


@dataclass(frozen=True, eq=False)
class Spans:
    """Local recoding: each class shows the span of its own records.

    A search gives no two classes that show the same (see `told_apart`): to whoever sees the release
    they are one.
    """

    pieces: Pieces
    kind: str = "spans"

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """Each class shows the span of its codes; unordered columns the node that covers it."""
        kept = self.pieces.class_of >= 0
        class_of = self.pieces.class_of[kept]
        codes = zip(columns, tally.quasi, strict=False)
        shown = [covering(column, class_of, of[kept]) for column, of in codes]
        return stacked(shown, int(class_of.max(initial=-1)) + 1)

    def told_apart(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> "Spans":
        """The same recoding with classes that show the same in every column made one.

        Missing mixed with values is shown as suppressed, whatever the values, and so are spans
        without an end.
        """
        cut = tally.split(self.pieces.row, self.pieces.count)
        sets = value_sets(cut, self.pieces.class_of, columns).values()
        low, high, level = self.cells(cut, columns)
        for j, column in enumerate(columns):
            endless = column.endless(low[j], high[j])
            low[j, endless], level[j, endless] = MISSING, column.hierarchy.height
        hidden = (low == MISSING) & (high > MISSING)
        ends = np.where(hidden, 0, high + 1).astype(np.int32)
        place, _ = numbered(np.vstack([low, ends, level, *(found.numbers for found in sets)]))
        return Spans(replace(self.pieces, class_of=placed(place, self.pieces.class_of)))


@dataclass(frozen=True, eq=False)
class Boxes:
    """Local recoding by cells that are given: a class may show more than its own records span.

    A class shows all that is said, whoever of the table is in it: cells that were made for the
    people of a world stand for all of them. No two classes show the same.
    """

    shown: tuple[Codes, Codes, Codes]
    """Low, high and level, each of shape (d, classes)."""
    pieces: Pieces
    sets: Mapping[int, ValueSets] = field(default_factory=dict)
    """By number of the column: the values that cells show, where they show a set."""
    kind: str = "boxes"

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:  # noqa: ARG002  as other recodings
        """Each class shows what is given."""
        return self.shown


def covering(column: QuasiColumn, group_of: Codes, codes: Codes) -> tuple[Codes, Codes, Codes]:
    """Low, high and level of what covers the codes of each group."""
    low = np.full(int(group_of.max(initial=-1)) + 1, np.iinfo(np.int32).max, dtype=np.int32)
    high = np.zeros_like(low)
    np.minimum.at(low, group_of, codes)
    np.maximum.at(high, group_of, codes)
    low, high = column.widened(low, high)
    level = np.maximum(column.hierarchy.join_level(low, high), column.lowest).astype(np.int32)
    if not column.hierarchy.ordered:
        low, high = column.hierarchy.cover(level, low)
    return low, high, level


def stacked(shown: Sequence[tuple[Codes, ...]], classes: int) -> tuple[Codes, Codes, Codes]:
    """What the columns show, one after the other, as one matrix each of low, high and level."""
    low, high, level = (
        np.array([cells[i] for cells in shown], dtype=np.int32).reshape(len(shown), classes)
        for i in range(3)
    )
    return low, high, level
