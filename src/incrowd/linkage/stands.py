"""Which labels of a released column may stand for which values of the people (Bettini's Dec)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.linkage.matching import Matching
from incrowd.partition.csr import Rows, owners, runs


@dataclass(frozen=True, eq=False)
class Stands:
    """What each label of a column stands for: runs of values, first to last, ascending and apart.

    Label i stands for the values from `low[r]` to `high[r]`, r from `start[i]` to below
    `start[i + 1]`.
    """

    start: Counts
    low: Codes
    high: Codes
    values: int
    """How many values there are."""

    @classmethod
    def of_matching(cls, found: Matching, held: Flags) -> tuple["Stands", Codes]:
        """Of the labels of a release, and the value of each place; `held` by somebody or not.

        Places that nobody holds are no values, so that it is known how many a label stands for.
        """
        before = np.concatenate([[0], np.cumsum(held)]).astype(np.int32)
        low, high = before[found.low], before[found.high + 1] - np.int32(1)
        some = low <= high
        start = np.concatenate([[0], np.cumsum(some)]).astype(np.int64)[found.start]
        return cls(start, low[some], high[some], int(before[-1])), before[:-1]

    @classmethod
    def alone(cls, values: int) -> "Stands":
        """Of labels that stand for one value each, that of the same number."""
        each = np.arange(values + 1)
        code = each[:-1].astype(np.int32)
        return cls(each.astype(np.int64), code, code, values)

    @classmethod
    def open_to_missing(cls, values: int) -> "Stands":
        """The same if a missing value, number 0, says nothing: it fits all, and all fit it.

        Label 0 stands for everything, label 1 for the run of 0 and 1, others for 0 and themselves.
        """
        code = np.arange(2, values, dtype=np.int32)
        pairs = np.stack([np.zeros_like(code), code], axis=1).ravel()
        first = np.zeros(min(values, 2), dtype=np.int32)
        last = np.array([values - 1, 1], dtype=np.int32)[: len(first)]
        start = np.concatenate([np.arange(len(first)), len(first) + 2 * np.arange(len(code) + 1)])
        low, high = np.concatenate([first, pairs]), np.concatenate([last, pairs])
        return cls(start.astype(np.int64), low, high, values)

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return len(self.start) - 1

    @cached_property
    def sizes(self) -> Counts:
        """How many values each label stands for."""
        before = np.concatenate([[0], np.cumsum(self.high - self.low + np.int64(1))])
        return np.diff(before[self.start])

    @cached_property
    def by_label(self) -> Rows:
        """The values of each label in compressed rows."""
        start = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        return start, runs(self.low, self.high).astype(np.int32)

    @cached_property
    def _change(self) -> Counts:
        """Per value: the labels that begin to stand there, less those that ended before it."""
        begun = np.bincount(self.low, minlength=self.values + 1)
        return begun - np.bincount(self.high + 1, minlength=self.values + 1)

    @cached_property
    def apart(self) -> bool:
        """Whether no value has two labels that stand for it."""
        return int(np.cumsum(self._change).max(initial=0)) <= 1

    @cached_property
    def label_of(self) -> Codes:
        """The label of each value, `labels` where there is none, if they are apart."""
        label = np.full(self.values, self.labels, dtype=np.int32)
        start, value = self.by_label
        label[value] = owners(start)
        return label

    @cached_property
    def exact(self) -> Codes | None:
        """The one value of each label, if every label stands for one (or none: -1)."""
        if (self.sizes > 1).any():
            return None
        value = np.full(self.labels, -1, dtype=np.int32)
        value[self.sizes == 1] = self.low
        return value

    @property
    def alike(self) -> tuple["Stands", Codes]:
        """The same with neighbours made one that the same labels stand for, and the one of each."""
        ends = np.zeros(self.values + 1, dtype=np.bool_)
        ends[self.low] = ends[self.high + 1] = ends[:1] = True
        one = (np.cumsum(ends) - 1).astype(np.int32)
        number = int(one[self.values - 1]) + 1 if self.values else 0
        return Stands(self.start, one[self.low], one[self.high], number), one[:-1]

    def covers(self, label: Codes, value: Codes) -> Flags:
        """Whether a label stands for a value, elementwise."""
        keys = owners(self.start) * (self.values + 1) + self.low
        wanted = label.astype(np.int64) * (self.values + 1) + value
        place = np.searchsorted(keys, wanted, side="right") - 1
        there: Flags = place >= self.start[label]
        there[there] = self.high[place[there]] >= value[there]
        return there

    def __repr__(self) -> str:
        """Without values."""
        return f"Stands({self.labels} labels, {self.values} values)"
