"""l-diverse classes of a line of records: Ghinita's direct heuristic, and swaps after it.

Section 4.3 makes classes of l or more records with different sensitive values. What it leaves on
the table, near classes take: two records with the same sensitive value change places where that
lowers the cost, which changes no class's values. This is ours; on a census table with l = 10 it
lowers GCP by an eighth.

Classes that must be larger than l records are runs of l-diverse ones, divided best (Section 3).

Records are *l-eligible* if at most one in l of them holds the same value: then l-diverse classes of
all of them exist.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import SUPPRESSED, Codes, Counts, Flags
from incrowd.kernels import order_dp, repair
from incrowd.kernels.literature import diversify
from incrowd.partition.csr import offsets
from incrowd.problem import Problem
from incrowd.recoding import Pieces
from incrowd.search.repair import fold_pieces
from incrowd.table.fold import in_threads

if TYPE_CHECKING:
    from incrowd.kernels.boxes import BoxCosts

_REACH = 8
"""How many places apart two classes may be that swap records, at most."""
_PARTNERS = 2.8
"""How many classes in reach may have a record of the same value, on average."""
_SPAN = 2**12
"""Classes that one thread lets swap among themselves at a time."""


@dataclass(frozen=True, eq=False)
class OrderedRecords:
    """Single records of a table in a line."""

    row: Codes
    """The row of the tally that each record is of."""
    cells: Codes
    """The quasi-identifying codes of the tally, one line per row."""
    value: Codes
    """The number of each record's sensitive value, 0, 1, … without a gap."""

    @property
    def items(self) -> "diversify.Lined":
        """The records with their rows, as kernels take them."""
        return diversify.Lined(self.cells, self.row)

    @property
    def values(self) -> int:
        """How many sensitive values there are."""
        return int(self.value.max(initial=-1)) + 1

    def pieces(self, class_of: Codes) -> Pieces:
        """Which records of the tally are in which class."""
        ones = np.ones(len(self.row), dtype=np.int64)
        return fold_pieces(Pieces(self.row, ones, class_of))

    def take(self, kept: Flags) -> "OrderedRecords":
        """Only the records flagged as kept, in the same order."""
        return records_in(self.row[kept], self.cells, self.value[kept])


def records_in(row: Codes, cells: Codes, codes: Codes) -> OrderedRecords:
    """Records with these rows and sensitive codes, the codes numbered without a gap."""
    held = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.bool_)
    held[codes] = True
    number = (np.cumsum(held) - 1).astype(np.int32)
    return OrderedRecords(row, cells, number[codes])


def records_of(problem: Problem, order: Codes, column: int | None) -> OrderedRecords:
    """The records in an order of rows, with a sensitive column's values; all equal without one."""
    tally = problem.tally
    row = np.repeat(order, tally.counts[order]).astype(np.int32)
    codes = np.zeros(len(row), dtype=np.int32) if column is None else tally.sensitive[column][row]
    return records_in(row, np.ascontiguousarray(tally.quasi.T), codes)


def largest_l(counts: Counts) -> float:
    """The largest l for which records with so many of each value are eligible."""
    return float(counts.sum() / max(int(counts.max(initial=0)), 1))


def flag_eligible_together(columns: Sequence[tuple[Codes, Fraction]]) -> Flags:
    """Flags of the records that are eligible by each sensitive column with its own l.

    Columns leave out what they must in turn until none must: what others leave out can undo it.
    """
    kept: Flags = np.ones(len(columns[0][0]), dtype=np.bool_)
    before = -1
    while before != (before := int(kept.sum())):
        for value, l in columns:
            kept[np.flatnonzero(kept)] = flag_eligible_part(value[kept], l)
    return kept


def flag_eligible_part(value: Codes, l: int | Fraction) -> Flags:
    """The largest part of these records that is l-eligible, as flags; the last of a value go first.

    Every value keeps at most c records; c is the largest number that leaves c * l records or more.
    """
    counts = np.bincount(value)
    if int(counts.max(initial=0)) * l <= len(value):
        return np.ones(len(value), dtype=np.bool_)
    # the mean of what the values keep falls as c grows, so the last c that does is found by halving
    c = bisect_left(range(1, int(counts.max()) + 1), 1, key=lambda c: _leaves_too_few(counts, c, l))
    by_value = np.argsort(value, kind="stable")
    first = np.cumsum(counts) - counts
    rank = np.empty(len(value), dtype=np.int64)
    rank[by_value] = np.arange(len(value)) - first[value[by_value]]
    return rank < c


def _leaves_too_few(counts: Counts, c: int, l: int | Fraction) -> bool:
    """Whether fewer than c * l records are left if each value keeps at most c."""
    return int(np.minimum(counts, c).sum()) < c * l


def diverse_classes(records: OrderedRecords, l: int, boxes: "BoxCosts") -> tuple[Codes, int]:
    """The class of each l-eligible record, l values at least; how often the heuristic fell back."""
    return diversify.divide_by_frontier(records.items, records.value, records.values, l, boxes)


def merge_runs(records: OrderedRecords, class_of: Codes, k: int, boxes: "BoxCosts") -> Codes:
    """The class of each record after runs of classes have merged into ones of k records or more."""
    number = int(class_of.max()) + 1
    sizes = np.bincount(class_of, minlength=number)
    if sizes.min() >= k or number == 1:
        return class_of
    quasi = np.ascontiguousarray(records.cells.T)
    low, high = repair.class_boxes(quasi, records.row, class_of, number)
    before = offsets(sizes)
    items = order_dp.LineItems(low, high, np.arange(number, dtype=np.int32), before, before)
    _, last = order_dp.least_prefix_costs(items, k, boxes, np.inf, largest=False)
    starts = np.zeros(number, dtype=np.int32)
    starts[order_dp.class_ends(last, number)[:-1]] = 1
    joined: Codes = np.cumsum(starts, dtype=np.int32)[class_of]
    return joined


def swap_records(records: OrderedRecords, class_of: Codes, rounds: int, boxes: "BoxCosts") -> Codes:
    """The class of each record after swaps: two records of the same value change places.

    They do where the records of both classes then pay less together, in `rounds` rounds at most.
    """
    number = int(class_of.max()) + 1
    members = np.argsort(class_of, kind="stable")
    sizes = np.bincount(class_of, minlength=number)
    start = offsets(sizes)
    shape = (number, records.cells.shape[1], 2)
    swaps = diversify.Swaps(
        members,
        start,
        np.empty(shape, dtype=np.int32),
        np.empty(shape, dtype=np.int32),
        np.zeros(number),
        np.full(number, -1, dtype=np.int64),
    )
    items, reach = records.items, _swap_reach(records, number)
    begin = partial(diversify.fill_edges_and_costs, items, boxes, swaps)
    swap = partial(diversify.swap_within, items, records.value, boxes, swaps)
    in_threads([partial(begin, *span) for span in _alternating_runs(number, 0)])
    for turn in range(rounds):
        rule = np.array([records.values, reach, turn])
        tasks = [partial(swap, span, rule) for span in _alternating_runs(number, turn)]
        if not sum(in_threads(tasks)):
            break
    new_class = np.empty_like(class_of)
    new_class[members] = np.repeat(np.arange(number, dtype=np.int32), sizes)
    return new_class


def _swap_reach(records: OrderedRecords, number: int) -> int:
    """How many places apart two classes that swap may be: fewer if classes share many values."""
    held = np.bincount(records.value).astype(np.float64)
    shared = float((held**2).sum()) / (len(records.value) * number)
    return min(max(int(_PARTNERS / shared), 2), _REACH)


def _alternating_runs(number: int, turn: int) -> list[tuple[int, int]]:
    """Runs of classes that are swapped within; every second turn their ends lie elsewhere."""
    first = _SPAN // 2 if turn % 2 else _SPAN
    return list(pairwise([0, *range(first, number, _SPAN), number]))


def spread_classes(kept: Flags, class_of: Codes) -> Codes:
    """The class of every record, -1 for those not flagged, given the classes of those flagged."""
    everyone = np.full(len(kept), SUPPRESSED, dtype=np.int32)
    everyone[kept] = class_of
    return everyone
