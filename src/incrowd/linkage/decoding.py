"""Which labels of a released column may stand for which values of the people (Bettini's Dec)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.errors import LimitError
from incrowd.kernels.linkage import world_tree
from incrowd.linkage.matching import Matching
from incrowd.partition.csr import Rows, entries, offsets, owners, ranges

Members: TypeAlias = Rows | Iterable[Rows]
"""Compressed rows, all at once or in parts one after another."""

_PAIRS = 2**22
"""About as many pairs are in one part."""
_WORDS = 2**24
"""Words of 64 bits that the bit sets of rows take in memory at once, at most."""
_MOST = 2**27
"""Pairs of labels and people that are held in memory at once."""


@dataclass(frozen=True, eq=False)
class LabelDecoding:
    """The values that each label of a column stands for, as ascending runs that do not touch.

    Label i stands for the values from `low[r]` to `high[r]`, for each r from `start[i]` up to but
    not including `start[i + 1]`.
    """

    start: Counts
    low: Codes
    high: Codes
    values: int
    """How many values there are."""

    @classmethod
    def of_matching(cls, found: Matching, held: Flags) -> tuple["LabelDecoding", Codes]:
        """The decoding of a release's labels, and the value of each place of the matching.

        A place that nobody holds (`held` is false) is no value, so that `sizes` counts only values
        that occur.
        """
        before = np.concatenate([[0], np.cumsum(held)]).astype(np.int32)
        low, high = before[found.low], before[found.high + 1] - np.int32(1)
        some = low <= high
        start = offsets(some)[found.start]
        return cls(start, low[some], high[some], int(before[-1])), before[:-1]

    @classmethod
    def one_to_one(cls, values: int) -> "LabelDecoding":
        """A decoding in which each label stands for one value: that of the same number."""
        code = np.arange(values, dtype=np.int32)
        return cls(np.arange(values + 1, dtype=np.int64), code, code, values)

    @classmethod
    def open_to_missing(cls, values: int) -> "LabelDecoding":
        """The decoding if a missing value (number 0) matches everything, both ways.

        Label 0 stands for every value, label 1 for the run of 0 and 1, others for 0 and themselves.
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
        return np.diff(offsets(self.high - self.low + np.int64(1))[self.start])

    @cached_property
    def values_by_label(self) -> Rows:
        """The values of each label in compressed rows; `LimitError` if there are too many."""
        check_room(int(self.sizes.sum()))
        return offsets(self.sizes), ranges(self.low, self.high).astype(np.int32)

    @cached_property
    def _change(self) -> Counts:
        """Per value: how many labels begin to stand for it, less those that ended before it."""
        begun = np.bincount(self.low, minlength=self.values + 1)
        return begun - np.bincount(self.high + 1, minlength=self.values + 1)

    @cached_property
    def has_disjoint_labels(self) -> bool:
        """Whether no value has two labels that stand for it."""
        return int(np.cumsum(self._change).max(initial=0)) <= 1

    @cached_property
    def label_of(self) -> Codes:
        """The label of each value; where there is none, `labels`. Only if labels are disjoint."""
        label = np.full(self.values, self.labels, dtype=np.int32)
        start, value = self.values_by_label
        label[value] = owners(start)
        return label

    @cached_property
    def single_values(self) -> Codes | None:
        """The value of each label, -1 if it stands for none; None if a label stands for several."""
        if (self.sizes > 1).any():
            return None
        value = np.full(self.labels, -1, dtype=np.int32)
        value[self.sizes == 1] = self.low
        return value

    @property
    def merged(self) -> tuple["LabelDecoding", Codes]:
        """The decoding with neighboring values of equal labels merged; each old value's new one."""
        ends = np.zeros(self.values + 1, dtype=np.bool_)
        ends[self.low] = ends[self.high + 1] = ends[:1] = True
        one = (np.cumsum(ends) - 1).astype(np.int32)
        number = int(one[self.values - 1]) + 1 if self.values else 0
        return LabelDecoding(self.start, one[self.low], one[self.high], number), one[:-1]

    def covers(self, label: Codes, value: Codes) -> Flags:
        """Per pair of a label and a value: whether the label stands for the value."""
        keys = owners(self.start) * (self.values + 1) + self.low
        wanted = label.astype(np.int64) * (self.values + 1) + value
        place = np.searchsorted(keys, wanted, side="right") - 1
        there: Flags = place >= self.start[label]
        there[there] = self.high[place[there]] >= value[there]
        return there

    def values_of(self, labels: Codes) -> tuple[Codes, Counts]:
        """Values of these labels in turn, the place in `labels` of each; `LimitError` if many."""
        check_room(int(self.sizes[labels].sum()))
        start, value = self.values_by_label
        entry, place = entries(start, labels)
        return value[entry], place

    def __repr__(self) -> str:
        """Show no values."""
        return f"LabelDecoding({self.labels} labels, {self.values} values)"


@dataclass(frozen=True, eq=False)
class FittingClasses:
    """Per class of people, the classes of rows that they fit, where labels overlap.

    There may be too many pairs for memory: iterate over them in parts. If one part holds all of
    them, it is kept for the next iteration.
    """

    decodings: Sequence[LabelDecoding]
    """One for each known column."""
    label: Codes
    """What the classes of rows show: shape (columns, classes)."""
    value: Codes
    """What the classes of people hold; classes that agree in the first columns are neighbors."""
    _kept: list[Rows] = field(default_factory=list, repr=False)

    def __iter__(self) -> Iterator[Rows]:
        """Yield, per class of people, the classes of rows that they fit, in parts, compressed."""
        if self._kept:
            yield self._kept[0]
            return
        for part in self._parts():
            if len(part[0]) - 1 == self.value.shape[1]:
                self._kept.append(part)
            yield part

    def _parts(self) -> Iterator[Rows]:
        """Compute the members of classes of people, in parts of about `_PAIRS` pairs."""
        rows, people = self.label.shape[1], self.value.shape[1]
        step = self._classes_at_once
        if not people:
            yield np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
        for begin in range(0, people, step):
            sets, known = self._bit_sets(self.value[:, begin : begin + step])
            first = 0
            while first < known.shape[1]:
                part = world_tree.list_fitting_rows(sets, rows, known, first, _PAIRS)
                first += len(part[0]) - 1
                yield part

    @property
    def _classes_at_once(self) -> int:
        """How many classes of people there is room for at once."""
        step, width = max(int(self.value.shape[1]), 1), self._words_per_set
        while step > 1 and width * sum(min(one.values, step) for one in self.decodings) > _WORDS:
            step = (step + 1) // 2
        return step

    @property
    def _words_per_set(self) -> int:
        """Words of 64 bits that a set of classes of rows takes."""
        return (int(self.label.shape[1]) + 63) // 64

    def _bit_sets(self, value: Codes) -> tuple[Any, Codes]:
        """Bit sets: per column and value that occurs, the classes of rows whose label has it.

        Also return the index of the bit set of each class of people in each column.
        """
        known = np.empty(value.shape, dtype=np.int32)
        ranks = []
        for j, one in enumerate(self.decodings):
            held = np.zeros(one.values + 1, dtype=np.int32)
            held[value[j]] = 1
            ranks.append(np.concatenate([[0], np.cumsum(held[:-1])]).astype(np.int32))
            known[j] = ranks[j][value[j]]
        number = [int(rank[-1]) + 1 for rank in ranks]
        offset = offsets(number)
        sets = np.zeros((int(offset[-1]), self._words_per_set), dtype=np.uint64)
        for j, (one, rank) in enumerate(zip(self.decodings, ranks, strict=True)):
            runs = one.start, one.low, one.high
            world_tree.fill_row_sets(runs, self.label[j], rank, sets[offset[j] : offset[j + 1]])
        return sets, known + offset[:-1, None].astype(np.int32)


def iterate_parts(members: Members) -> Iterator[Rows]:
    """Yield compressed rows part by part; a single part if they are given all at once."""
    if isinstance(members, tuple):
        yield members
    else:
        yield from members


def join_members(members: Members) -> Rows:
    """Put parts of compressed rows together; `LimitError` if there is no room for them."""
    lengths, all_of, total = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int32)], 0
    for start, member in iterate_parts(members):
        total += len(member)
        check_room(total)
        lengths.append(np.diff(start))
        all_of.append(member)
    return offsets(np.concatenate(lengths)), np.concatenate(all_of)


def check_room(pairs: int) -> None:
    """Raise `LimitError` for more pairs than fit into memory: labels that overlap fit very many."""
    if pairs > _MOST:
        raise LimitError(
            f"the released labels overlap too much: {pairs:,} pairs of labels and people",
            remedy="name fewer columns that the attacker knows (--knows)",
        )
