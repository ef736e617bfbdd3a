"""Oracles: do sets of columns stay within a budget? They judge many sets at once.

Sets are judged in an order in which neighbours share a prefix, and the classes of that prefix are
kept. Cheap classes are left out, because most rows are in such classes. A set is judged again with
all classes only if the cheap ones could change the verdict.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from incrowd.errors import PolicyError
from incrowd.identify.branch import count_shared
from incrowd.identify.labelled import Cutter, LabelledRows, Set
from incrowd.identify.measures import fold_records
from incrowd.identify.records import KIND, Budget, Measure, Records, budget
from incrowd.identify.sampling import check_ratio, check_shares, sample_rows
from incrowd.table.fold import in_threads, threads
from incrowd.watch import Watch

Method: TypeAlias = Literal[
    "auto", "levelwise", "subtable", "iterative", "hitting-sets", "depth-first"
]


@dataclass(frozen=True)
class MinimalSetQuery:
    """The question which sets have at least this ratio, while no set within them does."""

    measure: Measure
    ratio: float
    max_size: int | None = None
    """The most columns of a set; None for any number."""
    method: Method = "auto"
    delta: float = 0.01
    """For sub-tables at ratios below 1: the risk that a set is missing."""
    sample: int | None = None
    """For sub-tables: the size of the only one; None for sizes that will do."""
    otherwise: int | None = None
    """For keys of any size: the most columns of a set if there is too much to search."""

    def __post_init__(self) -> None:
        check_ratio(self.ratio)
        if self.max_size is not None and self.max_size < 1:
            raise PolicyError(f"a set has at least one column, not {self.max_size}")
        if self.sample is not None and self.sample < 1:
            raise PolicyError(f"a sample has at least one record, not {self.sample}")
        check_shares(delta=self.delta)

    @property
    def is_for_keys(self) -> bool:
        """Whether all records must be told apart."""
        return self.ratio == 1


@dataclass
class SearchState:
    """Minimal sets found so far, and how far the search has come.

    Every set in it is good enough, and no smaller set within it is: this holds at any time, so
    that a search that ran out of time or was interrupted still has something to tell.
    """

    sets: set[tuple[int, ...]] = field(default_factory=set)
    """Columns in ascending order."""
    looked: int = 0
    """How many sets of columns were looked at in the table."""
    upto: int = 0
    """All minimal sets of at most so many columns are among them."""
    complete: bool = False
    """All minimal sets are among them."""

    def add(self, columns: tuple[int, ...]) -> None:
        """Note a minimal set that was found; its columns are sorted."""
        self.sets.add(tuple(sorted(columns)))

    @property
    def sorted(self) -> tuple[tuple[int, ...], ...]:
        """The sets, small ones first, then by their columns."""
        return tuple(sorted(self.sets, key=lambda columns: (len(columns), columns)))


_SPARE = 64
"""Classes may be left out while they cost at most 1 / `_SPARE` of the budget together."""
_SMALL = 2**12
"""Tables of fewer rows are looked at by one thread."""
_RUN = 8
_RUNS = 4
"""How many neighbours a thread takes at a time, at least; and how often it comes for more."""
_AFTER = (7, 1)
"""A beginning is worth its classes if so many sets more share it."""
_FEW = 2**12
_PAIRS = 16_000
_MANY = 2**16
"""A sampled oracle draws at least `_FEW` and at most `_MANY` records: as many as it takes to see
about `_PAIRS` of the pairs that may stay together."""
Reply = TypeVar("Reply")
Growth = tuple[int, Set]
"""What a set costs, and columns with which it still costs too much."""


class PrefixJudge:
    """Judges one set after the other, quickly where neighbours share a beginning.

    `left` is the most that a set may cost, `spare` what classes left out may cost together.
    """

    def __init__(self, cutter: Cutter, left: int, spare: int) -> None:
        self._cutter = cutter
        self._left = left
        self._spare = spare
        self._stack: list[tuple[Set, LabelledRows]] = [((), cutter.whole)]

    def keeps_to_budget(self, columns: Set, following: Sequence[Set]) -> bool:
        """Whether a set keeps to the budget; beginnings shared with the `following` are kept."""
        while self._stack[-1][0] != columns[: len(self._stack[-1][0])]:
            self._stack.pop()
        for many in self._lengths_to_keep(columns, following):
            self._split(columns[:many])
        start, here = self._stack[-1]
        cost = self._cutter.cost(here, columns[len(start) :], self._left)
        if cost <= self._left < cost + here.lost:
            cost = self._cutter.cost(self._cutter.whole, columns, self._left)
        return cost <= self._left

    def _lengths_to_keep(self, columns: Set, following: Sequence[Set]) -> list[int]:
        """The lengths of the beginnings of a set whose classes are worth keeping for later sets.

        Empty if all combinations of codes have room for a cell each; else the longest beginning
        with such room, one column at least, and those that later sets (`_AFTER`) share.
        """
        dense, whole = self._cutter.has_room_for, self._cutter.whole
        if dense(whole, columns):
            return []
        few = 1
        while few < len(columns) - 1 and dense(whole, columns[: few + 1]):
            few += 1
        after = [count_shared(columns, following[gap]) for gap in _AFTER if gap < len(following)]
        return [min(many, len(columns) - 1) for many in (few, *after)]

    def _split(self, columns: Set) -> None:
        """Push the classes by these columns: those on top, split by the columns they lack."""
        start, here = self._stack[-1]
        if len(columns) > len(start):
            spare = self._spare - here.lost
            self._stack.append((columns, self._cutter.split(here, columns[len(start) :], spare)))


class ExactOracle:
    """Judges sets by the table; `order` has its columns, those that tell most apart first."""

    def __init__(self, records: Records, budget: Budget, order: Sequence[int]) -> None:
        self._rank = {column: rank for rank, column in enumerate(order)}
        spare = max(budget.left, 0) // _SPARE
        self._judges = [
            PrefixJudge(Cutter(records, budget), budget.left, spare)
            for _ in range(_worker_count(records))
        ]

    def judge(self, sets: Iterable[Set], watch: Watch) -> dict[Set, bool]:
        """Whether each of these sets keeps to the budget; those out of time are missing."""
        ranked = [tuple(sorted(columns, key=self._rank.__getitem__)) for columns in set(sets)]
        ranked.sort(key=lambda columns: [self._rank[column] for column in columns])
        asked = [(columns, ranked[at + 1 : at + 33]) for at, columns in enumerate(ranked)]
        told = answer_in_threads([one.keeps_to_budget for one in self._judges], asked, watch)
        return {tuple(sorted(ranked[at])): keeps for at, keeps in told.items()}


class SampledOracle:
    """Grows sets that cost too much, judged by some records of the table.

    Only the separation ratio is about the same in a sample. For other measures, and for few
    records, all records are looked at: `certain`.
    """

    def __init__(self, records: Records, asked: Budget, order: Sequence[int]) -> None:
        self.certain = asked.kind != KIND[Measure.SEPARATION] or records.total <= 2 * _FEW
        if not self.certain:
            records, asked = _sample_records(records, asked)
        self._left = asked.left
        self._order = order
        self._cutters = [Cutter(records, asked) for _ in range(_worker_count(records))]

    def grow(self, sets: Iterable[Set], watch: Watch) -> dict[Set, Growth]:
        """Grow each set while it seems to cost too much, if it does; fewer sets if time is up."""
        return self._grow_all(dict.fromkeys(sets, self._left), watch)

    def grow_again(self, costs: dict[Set, int], watch: Watch) -> dict[Set, Growth]:
        """Grow sets that failed in the table after all, while they cost over 98 % of `costs`."""
        return self._grow_all({columns: int(0.98 * cost) for columns, cost in costs.items()}, watch)

    def _grow_all(self, limits: dict[Set, int], watch: Watch) -> dict[Set, Growth]:
        """Grow each set with a limit of its own; those out of time are missing."""
        asked = [(columns, self._order, limit) for columns, limit in limits.items()]
        told = answer_in_threads([cutter.grow for cutter in self._cutters], asked, watch)
        return {asked[at][0]: growth for at, growth in told.items()}


def _sample_records(records: Records, asked: Budget) -> tuple[Records, Budget]:
    """Draw a sample of the records with a fixed seed, and scale the budget `asked` to its pairs.

    About as many records as it takes to see `_PAIRS` of the pairs that may stay together. Pairs of
    records of one row cost nothing, neither in the table nor in the sample.
    """
    pairs = records.total * (records.total - 1) / 2
    size = max(_FEW, math.isqrt(int(2 * _PAIRS * pairs / max(asked.left, 1))))
    size = min(size, _MANY, records.total // 2)
    few = fold_records(sample_rows(records, size, np.random.default_rng(0)))
    share = few.total * (few.total - 1) / (records.total * (records.total - 1))
    return few, replace(budget(few, Measure.SEPARATION, 1.0), left=int(asked.left * share))


def _worker_count(records: Records) -> int:
    """How many threads are worth using for these records: one if there are few rows."""
    return threads() if records.rows >= _SMALL else 1


def answer_in_threads(
    tasks: Sequence[Callable[..., Reply]], asked: Sequence[tuple[Any, ...]], watch: Watch
) -> dict[int, Reply]:
    """Answer questions with these tasks, each in a thread of its own, until time is up.

    `asked` has the arguments of each question; answers come by the place of the question.
    Neighbours go to one thread, as they have something in common.
    """
    size = max(len(asked) // (_RUNS * len(tasks)), _RUN)
    runs = deque(range(at, min(at + size, len(asked))) for at in range(0, len(asked), size))
    work = [partial(_answer_runs, task, asked, runs, watch) for task in tasks[: max(len(runs), 1)]]
    return {at: told for part in in_threads(work) for at, told in part.items()}


def _answer_runs(
    task: Callable[..., Reply], asked: Sequence[tuple[Any, ...]], runs: deque[range], watch: Watch
) -> dict[int, Reply]:
    """Answer runs of questions by one task until there are no more of them or time is up."""
    told: dict[int, Reply] = {}
    with suppress(IndexError):
        while True:
            for at in runs.popleft():
                if watch.expired:
                    return told
                told[at] = task(*asked[at])
    return told
