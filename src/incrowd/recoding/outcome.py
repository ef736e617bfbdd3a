"""What a recoding shows of a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from incrowd.arrays import Codes, Floats
from incrowd.partition.classes import Classes, SensitiveColumn, classes_of
from incrowd.recoding.column import QuasiColumn
from incrowd.recoding.recoding import Recoding
from incrowd.recoding.spans import ValueSets
from incrowd.table.tally import Tally


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a release shows: per class and column a run of leaves, and who is in the class.

    The matrices have shape (d, classes). A cell with `low == high` is exact. A cell whose
    `level` is the hierarchy's height is suppressed, whatever its bounds, unless it is a span of an
    ordered column: that one shows its ends.
    """

    columns: tuple[QuasiColumn, ...]
    low: Codes
    high: Codes
    level: Codes
    """The level of the shown node; for spans of ordered columns the lowest that covers them."""
    classes: Classes
    suppressed: int
    """Records left out."""
    spans: bool
    """Ordered columns are shown by their true span rather than by their node's label."""
    tally: Tally | None = None
    """The rows behind the classes; None where only what the release shows is at hand."""
    class_of: Codes | None = None
    """The class of each row of `tally`."""
    sets: Mapping[int, ValueSets] = field(default_factory=dict)
    """By index of the column: the values that its cells show, where they show a set; one that
    mixes missing with values is shown as suppressed."""
    exact: bool = False
    """Quasi-identifying cells leave as they are and the sensitive ones by class; the matrices then
    hold the first record of each class, at level 0."""
    buckets: Codes | None = None
    """What `Recoding.class_buckets` returns: shape (d, classes), None without buckets."""

    @property
    def records(self) -> int:
        """Records of the table, those left out included."""
        return int(self.classes.records.sum()) + self.suppressed

    @property
    def weights(self) -> Floats:
        """The columns' weights, normalized to sum 1."""
        weights: Floats = np.array([column.weight for column in self.columns], dtype=np.float64)
        weights /= weights.sum()
        return weights


def outcome_of(
    recoding: Recoding,
    tally: Tally,
    columns: tuple[QuasiColumn, ...],
    sensitive: Sequence[SensitiveColumn],
) -> Outcome:
    """What a recoding shows of a table."""
    pieces = recoding.pieces
    cut = tally.split(pieces.row, pieces.count)
    low, high, level = recoding.cells(cut, columns)
    classes = classes_of(cut, pieces.class_of, low.shape[1], sensitive)
    suppressed = int(pieces.count[pieces.class_of < 0].sum())
    return Outcome(
        columns,
        low,
        high,
        level,
        classes,
        suppressed,
        recoding.spans,
        tally=cut,
        class_of=pieces.class_of,
        sets={j: sets.as_read() for j, sets in recoding.value_sets(cut, columns).items()},
        exact=recoding.exact,
        buckets=recoding.class_buckets(cut),
    )
