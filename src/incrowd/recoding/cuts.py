"""Buckets of values, the same in every class."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from incrowd.arrays import Codes
from incrowd.recoding.column import QuasiColumn
from incrowd.recoding.recoding import Pieces, Recoding, first_rows
from incrowd.recoding.spans import ValueSets, covering, stacked, value_sets
from incrowd.table.tally import Tally


@dataclass(frozen=True, eq=False)
class ColumnBuckets(Recoding):
    """Global recoding by buckets: equal values of a column show the same in every class.

    A bucket is a run of neighbouring codes, in a column without an order the leaves of a node. It
    shows what its records that leave span, whatever else their class shows.
    """

    buckets: tuple[Codes, ...]
    """Per column the bucket of each code: missing values have one of their own, or share the only
    one with all others."""
    pieces: Pieces
    kind: ClassVar[str] = "cuts"
    spans: ClassVar[bool] = True

    def cells(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> tuple[Codes, Codes, Codes]:
        """Each class shows its buckets."""
        kept = self.pieces.class_of >= 0
        shown = []
        for j, (column, bucket) in enumerate(zip(columns, self.class_buckets(tally), strict=True)):
            rows = bucket[self.pieces.class_of[kept]]
            ends = covering(column, rows, tally.quasi[j, kept])
            shown.append(tuple(end[bucket] for end in ends))
        return stacked(shown, len(first_rows(self.pieces.class_of)))

    def class_buckets(self, tally: Tally) -> Codes:
        """The bucket of each class in each column, numbered 0, 1, … among those that leave."""
        first = first_rows(self.pieces.class_of)
        found = [of[tally.quasi[j, first]] for j, of in enumerate(self.buckets)]
        places = [np.unique(bucket, return_inverse=True)[1] for bucket in found]
        return np.array(places, dtype=np.int32).reshape(len(found), len(first))

    def value_sets(self, tally: Tally, columns: tuple[QuasiColumn, ...]) -> Mapping[int, ValueSets]:
        """The values of the bucket of each class."""
        return value_sets(tally, self.pieces.class_of, columns, self.class_buckets(tally))
