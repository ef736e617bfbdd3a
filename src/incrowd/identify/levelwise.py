"""Bottom-up searches for minimal sets, from small sets to large ones (Motwani-Xu Section 3).

`Levelwise` is the paper's search (Section 3.1): simple and slow.

`DepthFirst` goes size by size too, each size depth-first with a partition per branch. It looks at a
set only if every set with one column less has failed, and only as far as needed: it splits the most
expensive classes first, until the rest cannot change the verdict. The pairs that a column tells
apart and a set does not become fewer as the set grows, so for the separation ratio the gain of a
column over any part of a set bounds its gain over the set: most failing sets need no look at all.

`sample_border` starts from small samples. A key of the table is a key of each part of it. A set
with at least the ratio beta in the table has, with high probability, at least alpha beta in a
sample: of pairs for the separation ratio (Lemma 9), of records for the distinct ratio (Lemma 10)
and, as a unique record stays unique in every part, for the share of unique records. The minimal
sets that reach this in the sample are the border from which the next larger sample, and in the end
the table, is searched.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby

import numpy as np

from incrowd.identify.branch import CostBranch, Splitter
from incrowd.identify.labelled import Set
from incrowd.identify.oracles import MinimalSetQuery, SearchState
from incrowd.identify.records import KIND, Budget, Measure, Records, budget
from incrowd.identify.sampling import pruning_ratio, pruning_size, sample_pairs, sample_rows
from incrowd.watch import Watch

Good = Callable[[Sequence[int]], bool]
"""Whether a set of columns is good enough."""


class Levelwise:
    """A search upwards in the lattice of sets; `found` has what was found whenever it stops."""

    def __init__(self, width: int, good: Good, found: SearchState, watch: Watch) -> None:
        self._width = width
        self._good = good
        self._found = found
        self._watch = watch

    def run(self, border: Iterable[Set], most: int) -> None:
        """Search from the border upwards, up to sets of `most` columns.

        Each minimal set must contain a set of the border. A set that is good enough is minimal, as
        smaller ones came before; one that is not is tried with each other column added.
        """
        waiting: dict[int, set[Set]] = {}
        for columns in border:
            waiting.setdefault(len(columns), set()).add(columns)
        for size in range(min(waiting, default=1), most + 1):
            failed = self._find_failing(waiting.pop(size, set()))
            if self._watch.expired:
                return
            self._found.upto = size
            further = {
                more for columns in failed for more in sets_with_one_more(columns, self._width)
            }
            waiting[size + 1] = waiting.get(size + 1, set()) | further
        rest = (columns for sets in waiting.values() for columns in sets)
        self._found.complete = all(contains_any(columns, self._found.sets) for columns in rest)

    def _find_failing(self, sets: set[Set]) -> list[Set]:
        """Judge sets that contain no found one: note the good ones, return the others, sorted."""
        failed = []
        for columns in sorted(sets):
            if self._watch.expired:
                break
            if contains_any(columns, self._found.sets):
                continue
            self._found.looked += 1
            if self._good(columns):
                self._found.add(columns)
            else:
                failed.append(columns)
        return failed


def sets_with_one_more(columns: Set, width: int) -> Iterable[Set]:
    """The sets of this one and one further column of a table of so many columns."""
    return (tuple(sorted((*columns, column))) for column in range(width) if column not in columns)


def contains_any(columns: Set, sets: Iterable[Set]) -> bool:
    """Whether one of the sets is part of these columns."""
    here = frozenset(columns)
    return any(here.issuperset(inside) for inside in sets)


class DepthFirst:
    """A search by size; `found` has what was found whenever it stops."""

    def __init__(
        self, branch: CostBranch, budget: Budget, found: SearchState, watch: Watch
    ) -> None:
        self._branch = branch
        self._budget = budget
        self._found = found
        self._watch = watch
        self._submodular = budget.kind == KIND[Measure.SEPARATION]
        self._cost: dict[Set, int] = {}
        """By one column or two: what their classes cost."""
        self._gain: dict[Set, int] = {}
        """By two columns: what the second adds to the first, and at most to any set with it."""

    def run(self, columns: Sequence[int], most: int) -> None:
        """Search all sets of at most `most` of these columns, by size."""
        least: dict[Set, int] = {(): 0}
        candidates: Iterator[Set] = ((column,) for column in columns)
        first = next(candidates, None)
        while first is not None and len(first) <= most:
            least = self._judge_size(chain([first], candidates), least)
            if self._watch.expired:
                return
            self._found.upto = len(first)
            candidates = join_failing(least, self._watch)
            first = next(candidates, None)
        self._found.complete = first is None and not self._watch.expired

    def _judge_size(self, candidates: Iterable[Set], least: dict[Set, int]) -> dict[Set, int]:
        """Judge the sets of one size: note the good ones, return lower bounds of failing costs.

        `least` has such bounds for the failing sets of one column less.
        """
        failing: dict[Set, int] = {}
        for start, group in groupby(candidates, key=lambda columns: columns[:-1]):
            if self._watch.expired:
                break
            bounds = {columns: self._least_cost(columns, least) for columns in group}
            beyond = {c: bound for c, bound in bounds.items() if bound > self._budget.left}
            open_ = [columns for columns in bounds if columns not in beyond]
            beyond.update(self._failing_sets(start, open_))
            failing.update((columns, beyond[columns]) for columns in bounds if columns in beyond)
        return failing

    def _failing_sets(self, start: Set, sets: Sequence[Set]) -> Iterator[tuple[Set, int]]:
        """Look at sets that extend `start`: note the good, yield the failing with a least cost."""
        if not sets:
            return
        exact = self._submodular and len(start) < 2
        look = self._branch.exact_costs if exact else self._branch.cost_bounds
        costs = look(start, [columns[-1] for columns in sets])
        self._found.looked += len(sets)
        for columns, (least, most) in zip(sets, costs, strict=True):
            if exact:
                self._note_gains(columns, least)
            if most <= self._budget.left:
                self._found.add(columns)
            else:
                yield columns, least

    def _note_gains(self, columns: Set, cost: int) -> None:
        """Keep the cost of a set of one or two columns, and what its columns add to each other."""
        self._cost[columns] = cost
        if len(columns) == 2:
            one, other = columns
            self._gain[one, other] = self._cost[one,] - cost
            self._gain[other, one] = self._cost[other,] - cost

    def _least_cost(self, columns: Set, least: dict[Set, int]) -> int:
        """A lower bound of a set's cost by what its columns add to each other; 0 if unknown."""
        if not self._submodular or len(columns) < 3:
            return 0
        return max(
            least[rest] - min(self._gain[column, last] for column in rest)
            for last, rest in leave_one_out(columns)
        )


def leave_one_out(columns: Set) -> Iterator[tuple[int, Set]]:
    """Yield each column of a set with the set of its other columns."""
    for place, column in enumerate(columns):
        yield column, columns[:place] + columns[place + 1 :]


def join_failing(failing: dict[Set, int], watch: Watch) -> Iterator[Set]:
    """Yield the sets of one column more all of whose parts with one column less have failed.

    The failing sets come in order, neighbours with the same start next to each other, and so do
    the sets made of them. They may be millions: none are made once the time is up.
    """
    for start, group in groupby(failing, key=lambda columns: columns[:-1]):
        if watch.expired:
            return
        last = [columns[-1] for columns in group]
        for place, column in enumerate(last):
            for other in last[place + 1 :]:
                columns = (*start, column, other)
                if all(rest in failing for _, rest in leave_one_out(columns)):
                    yield columns


_LEAST = 1000
_TIMES = 16
"""A sample is so many times as large as it must be."""
_STEP = 8
"""Each sample of a series is so many times as large as the one before."""


def sample_sizes(records: Records, question: MinimalSetQuery) -> tuple[int, ...]:
    """The size of a sample that was asked for, one that will do, or a series of growing ones.

    Sizes that are not asked for are below half the table: there may be none. Nor is there one if
    the size asked for is at least the table's: the table is then searched at once.
    """
    if question.sample is not None:
        whole = question.sample >= _count_drawable(records, question)
        return () if whole else (question.sample,)
    first = _LEAST
    if not question.is_for_keys:
        first = max(first, _TIMES * pruning_size(records.width, question.ratio, question.delta))
    sizes = [first]
    while question.method == "iterative" and sizes[-1] * _STEP < records.total // 2:
        sizes.append(sizes[-1] * _STEP)
    return tuple(size for size in sizes if size < records.total // 2)


def _count_drawable(records: Records, question: MinimalSetQuery) -> int:
    """How many records there are to draw; for a separation ratio below 1, how many pairs."""
    if question.measure is Measure.SEPARATION and not question.is_for_keys:
        return records.total * (records.total - 1) // 2
    return records.total


def sample_border(
    records: Records,
    question: MinimalSetQuery,
    sizes: tuple[int, ...],
    rng: np.random.Generator,
    watch: Watch,
) -> list[Set]:
    """Search samples for the sets from which to search the table, small ones first.

    Each sample has an equal share of the risk to lose a set. Single columns if there are no
    samples. If time is up while a sample is searched, the border is the last complete one.
    `PolicyError` if a sample is too small for the ratio.
    """
    border: list[Set] = [(column,) for column in range(records.width)]
    share = replace(question, delta=question.delta / max(len(sizes), 1))
    for size in sizes:
        found = SearchState()
        good = _sample_test(records, share, size, rng)
        Levelwise(records.width, good, found, watch).run(border, records.width)
        if not found.complete:
            break
        border = list(found.sorted)
    return border


def _ratio_test(records: Records, measure: Measure, ratio: float) -> Good:
    """A test of whether a set of columns reaches the ratio in these records."""
    return CostBranch(Splitter(records), budget(records, measure, ratio)).keeps_to_budget


def _sample_test(
    records: Records, question: MinimalSetQuery, size: int, rng: np.random.Generator
) -> Good:
    """A test, by one sample, of whether a set may reach the ratio; `PolicyError` if too small."""
    measure = question.measure
    if question.is_for_keys:
        return _ratio_test(sample_rows(records, size, rng), measure, 1.0)
    least = pruning_ratio(records.width, question.ratio, size, question.delta)
    if measure is Measure.SEPARATION:
        pairs = sample_pairs(records, size, rng)
        return lambda columns: pairs.count_apart(columns) >= least * pairs.total
    return _ratio_test(sample_rows(records, size, rng), measure, least)
