"""Local recoding along an order of the rows: map to one dimension, divide it best (Ghinita).

Section 6.1: the rows are put in one line by a mapping, and the dynamic program of Section 3 divides
the line into classes. What it finds is the best division of that line into runs. With one
quasi-identifying column and the largest extent (IL-infinity) as the loss it is the best of all
releases; see the papers' notes for the other losses, where runs are not always best.

Also here: quasi-identifying values as numbers on one scale (Ghinita Section 6, Figure 20).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, inf, sqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.errors import count_of
from incrowd.kernels import order_dp
from incrowd.loss.ncp import code_places
from incrowd.partition.classes import Classes
from incrowd.partition.csr import offsets
from incrowd.problem import Problem
from incrowd.recoding import Pieces, QuasiColumn
from incrowd.search.layout import boxes_of
from incrowd.search.left_out import search_after_leaving_out
from incrowd.search.refusals import raise_if_infeasible, raise_if_out_of_time
from incrowd.search.repair import merge_failing_classes
from incrowd.search.search import Found
from incrowd.table.fold import in_threads
from incrowd.table.tally import Tally
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.kernels.boxes import BoxCosts


_LARGEST_WORK = 2**29
"""Steps that are worth taking one by one; above, several items are taken together."""
_LONG = 2**14
"""Longer lines are divided from both ends at once."""
_SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class ItemLine:
    """What is divided: items in their order (see `kernels.order_dp`)."""

    order: Codes
    """The rows of the tally in their order."""
    first: Codes
    """The first item of each of these rows, or the one that it is part of."""
    boxes: Codes
    """Distinct quasi-identifying codes, one line each."""
    of: Codes
    """The box of each item."""
    people: Counts
    records: Counts
    """People and records before each item, and of all."""
    whole: bool
    """Whether items are whole rows or several; else they are single records."""

    @property
    def items(self) -> "order_dp.LineItems":
        """The items as kernels want them."""
        return order_dp.LineItems(self.boxes, self.boxes, self.of, self.people, self.records)


def partition_in_order(problem: Problem, order: Codes, keys: Floats | None = None) -> Pieces:
    """Divide the rows, in this order, at the least cost into classes that are large enough.

    `order` is a permutation of the tally's rows that keeps rows with the same quasi-identifying
    codes together. Classes are numbered in their order. Only sizes are looked at: models that read
    values, people with several records and the limits of columns are left to `repair`. Classes of
    very long lines end at every second, third, … item alone. With `keys`, ascending numbers of the
    rows in their order, a class costs its records times the extent of its keys (the Fast variants
    of Section 6.1) instead of its box.
    """
    line = line_of(problem, order)
    k = least_people(problem)
    if keys is None:
        ends = _ends_by_boxes(line, k, boxes_of(problem), largest=problem.loss.worst_class)
    else:
        ends = _ends_by_keys(line, k, keys)
    return _pieces_of_classes(problem.tally, replace(line, boxes=line.boxes[:0]), ends)


def least_people(problem: Problem) -> int:
    """Return the size from which classes satisfy the models that read no values.

    It is no less than the largest k that any model asks for, and that k if there is no such size.
    """
    sizes = np.arange(1, problem.tally.records + 1, dtype=np.int64)
    fine: Flags = np.ones(len(sizes), dtype=np.bool_)
    for model in problem.models:
        if not model.columns:
            fine &= model.satisfied_by(Classes(sizes, sizes, {}))
    failing = np.flatnonzero(~fine)
    least = int(failing[-1]) + 2 if len(failing) else 1
    asked = max((model.smallest_class() for model in problem.models), default=1)
    return max(least if least <= len(sizes) else 1, asked)


def line_of(problem: Problem, order: Codes) -> ItemLine:
    """Return the rows in this order as items: records, or whole rows if these must stay whole.

    Records that `_cut_out_midst` takes are no items. Rows that must show the same are one item.
    """
    tally = problem.tally
    codes = np.empty((len(order), len(tally.quasi)), dtype=np.int32)
    for j, column in enumerate(tally.quasi):
        codes[:, j] = column[order]
    fresh = np.append(True, (codes[1:] != codes[:-1]).any(axis=1))
    box = (np.cumsum(fresh) - 1).astype(np.int32)
    boxes = codes if fresh.all() else codes[fresh]
    counts, people = tally.counts[order], people_per_row(tally)[order]
    if not problem.consistent and not tally.has_units:
        taken = _cut_out_midst(counts, least_people(problem))
        before = np.arange(int(taken.sum()) + 1, dtype=np.int64)
        first = (np.cumsum(taken) - taken).astype(np.int32)
        return ItemLine(order, first, boxes, np.repeat(box, taken), before, before, whole=False)
    first = np.arange(len(order), dtype=np.int32)
    if problem.consistent:
        starts = np.flatnonzero(fresh)
        counts, people = np.add.reduceat(counts, starts), np.add.reduceat(people, starts)
        first, box = box, first[: len(boxes)]
    return ItemLine(order, first, boxes, box, offsets(people), offsets(counts), whole=True)


def people_per_row(tally: Tally) -> Counts:
    """Return the people of each row; who has several rows counts in each of them."""
    if not tally.has_units:
        return tally.counts
    shared: Counts = np.bincount(tally.shared_row, minlength=tally.rows).astype(np.int64)
    shared += tally.people
    return shared


def _cut_out_midst(counts: Counts, k: int) -> Counts:
    """Return the records of each row, less classes of k that a best division makes of it alone."""
    beyond: Counts = np.maximum(counts - (4 * k - 2), 0)
    taken: Counts = counts - beyond // k * k
    return taken


def _ends_by_boxes(line: ItemLine, k: int, boxes: "BoxCosts", *, largest: bool) -> Codes:
    """Return where the best classes end, by sum or `largest` of costs; coarsely in long lines."""
    items = line.items
    steps = len(line.of) * k * (len(line.of) / max(int(line.people[-1]), 1))
    every = ceil(sqrt(steps / _LARGEST_WORK)) if steps > _LARGEST_WORK else 1
    if every > 1:
        items = _join_items(line, every)
    if not largest:
        ends, _ = _class_ends(items, k, boxes, (inf, False))
    else:
        _, most = _class_ends(items, k, boxes, (inf, True))
        ends, _ = _class_ends(items, k, boxes, (most + _SLACK, False))
    return np.minimum(ends * every, len(line.of)).astype(np.int32)


def _join_items(line: ItemLine, every: int) -> "order_dp.LineItems":
    """Return the items of a line with each `every` consecutive ones made one."""
    low, high = order_dp.join_consecutive_boxes(line.boxes, line.boxes, line.of, every)
    at = np.append(np.arange(0, len(line.of), every), len(line.of))
    of = np.arange(len(low), dtype=np.int32)
    return order_dp.LineItems(low, high, of, line.people[at], line.records[at])


def _class_ends(
    items: "order_dp.LineItems", k: int, boxes: "BoxCosts", rule: tuple[float, bool]
) -> tuple[Codes, float]:
    """Return ends and cost of the best division; `rule`: `most` and `largest`, as in `order_dp`."""
    number = len(items.of)
    if number < _LONG:
        total, last = order_dp.least_prefix_costs(items, k, boxes, *rule)
        return order_dp.class_ends(last, number), float(total[-1])
    middle = number // 2
    halves = [_first_items(items, middle), _reverse_items_from(items, middle)]
    costs = in_threads(
        [partial(order_dp.least_prefix_costs, half, k, boxes, *rule) for half in halves]
    )
    (before, last), (behind, next_) = costs
    after = np.ascontiguousarray(behind[::-1])
    begin, end, cost = order_dp.best_class_over_middle(items, k, boxes, *rule, (before, after))
    left = order_dp.class_ends(last, begin)
    right = number - np.append(order_dp.class_ends(next_, number - end)[::-1], 0)
    ends = np.concatenate([left, right[right > begin]])
    return ends.astype(np.int32), float(cost)


def _first_items(items: "order_dp.LineItems", number: int) -> "order_dp.LineItems":
    """Return the first `number` items."""
    low, high, of, people, records = items
    return order_dp.LineItems(low, high, of[:number], people[: number + 1], records[: number + 1])


def _reverse_items_from(items: "order_dp.LineItems", middle: int) -> "order_dp.LineItems":
    """Return the items from the middle on, the last one first."""
    low, high, of, people, records = items
    before = [(counts[-1] - counts[middle:])[::-1].copy() for counts in (people, records)]
    return order_dp.LineItems(low, high, of[middle:][::-1].copy(), *before)


def _ends_by_keys(line: ItemLine, k: int, keys: Floats) -> Codes:
    """Return where classes end if they cost records times the extent of keys, one key per row."""
    first = np.zeros(len(line.of), dtype=np.bool_)
    first[line.first] = True
    each = keys[np.append(True, np.diff(line.first) > 0)]
    each = each[np.cumsum(first) - 1]
    _, last = order_dp.least_prefix_costs_by_key(each, line.people, line.records, k)
    return order_dp.class_ends(last, len(line.of))


def _pieces_of_classes(tally: Tally, line: ItemLine, ends: Codes) -> Pieces:
    """Return which records of which row are in the class that ends at each of the ends."""
    class_of = np.zeros(len(line.of), dtype=np.int32)
    class_of[ends[:-1]] = 1
    if line.whole:
        class_of = np.cumsum(class_of, dtype=np.int32)
        of_row = np.empty(tally.rows, dtype=np.int32)
        of_row[line.order] = class_of[line.first]
        return Pieces(np.arange(tally.rows, dtype=np.int32), tally.counts, of_row)
    row = np.zeros(len(line.of), dtype=np.int32)
    row[line.first] = 1
    starts = np.flatnonzero(row | class_of)
    counts = np.diff(starts, append=len(line.of))
    place = np.cumsum(row[starts], dtype=np.int32) - 1
    classes = np.cumsum(class_of[starts], dtype=np.int32)
    if len(line.of) < tally.records:
        counts += _counts_to_give_back(tally.counts[line.order], place, classes, counts)
    to = _places_by_row(line.order, place)
    pieces = Pieces(np.empty_like(place), np.empty_like(counts), np.empty_like(classes))
    pieces.row[to], pieces.count[to], pieces.class_of[to] = line.order[place], counts, classes
    return pieces


def _counts_to_give_back(whole: Counts, place: Codes, classes: Codes, counts: Counts) -> Counts:
    """Return how many records that `_cut_out_midst` cut out of its row each piece gets back.

    All of a row go to one piece, which is a class by itself. `whole` has the records of each row of
    the line; `place` is the row of the line that each piece is of, `counts` its records.
    """
    more = np.zeros(len(counts), dtype=np.int64)
    left = whole - np.bincount(place, weights=counts).astype(np.int64)
    sizes = np.bincount(classes, weights=counts)
    inside = np.flatnonzero((left[place] > 0) & (counts == sizes[classes]))
    rows, at = np.unique(place[inside], return_index=True)
    more[inside[at]] = left[rows]
    return more


def _places_by_row(order: Codes, place: Codes) -> Codes:
    """Return the new position of each piece if pieces are put into the order of the tally.

    Piece i is of row `order[place[i]]`; `place` must ascend. Pieces of a row keep their order.
    """
    number = np.bincount(place, minlength=len(order)).astype(np.int32)
    of_row = np.empty(len(order), dtype=np.int32)
    of_row[order] = number
    shift = (np.cumsum(of_row, dtype=np.int32) - of_row)[order]
    shift -= np.cumsum(number, dtype=np.int32) - number
    to: Codes = np.arange(len(place), dtype=np.int32)
    to += shift[place]
    return to


KeyedOrder: TypeAlias = tuple[Codes, Floats | None]
"""The rows in their order, and their ascending keys if classes are judged by them."""


def divide_along(
    problem: Problem, watch: Watch, name: str, line: Callable[[Problem], KeyedOrder]
) -> Found:
    """Order the rows by `line`; return their best division as the result of search `name`."""
    raise_if_infeasible(problem)
    raise_if_out_of_time(watch)
    watch.tell("ordering the rows", 0.0)
    return search_after_leaving_out(
        problem, lambda stay: divide_line(stay, watch, name, line(stay))
    )


def keyed_order(line: tuple[Codes, Floats], *, fast: bool) -> KeyedOrder:
    """Return the line with its keys if classes are judged by them (`fast`), else without."""
    return line if fast else (line[0], None)


def divide_line(problem: Problem, watch: Watch, name: str, line: KeyedOrder) -> Found:
    """Return the best division of a line of rows, repaired so that classes satisfy every model."""
    order, keys = line
    watch.tell("dividing the ordered rows into classes", 0.4)
    pieces = partition_in_order(problem, order, keys)
    watch.tell("repairing classes", 0.8)
    spans = merge_failing_classes(problem, pieces)
    number = int(spans.pieces.class_of.max()) + 1
    raw = int(pieces.class_of.max()) + 1
    why = f"divided the ordered rows into {count_of(number, 'class', 'classes')}"
    optimal = keys is None and _is_exact(problem) and number <= raw
    return Found(spans, name, optimal=optimal, why=why, facts={"classes": float(number)})


def _is_exact(problem: Problem) -> bool:
    """Whether the best runs of the order of one column are the best of all divisions."""
    sizes_only = all(not model.columns for model in problem.models)
    return (
        len(problem.columns) == 1
        and problem.loss.worst_class
        and sizes_only
        and not problem.tally.has_units
        and not np.any(problem.suppression)
    )


def code_positions(column: QuasiColumn) -> Floats:
    """Return where each code of a column lies, from 0 to 1; code 0, for missing values, at 0.

    A code lies where the finest cell or node that shows it begins: in ordered columns by the value
    there, in others by the number of the leaf, which puts the leaves of a node side by side. The
    table's values reach from 0 to 1; the last code lies below 1 if its cell or node begins earlier.
    Codes beyond these values are moved to the nearer end; all are at 0 if there is one value.
    """
    codes = np.arange(len(column.frequency), dtype=np.int32)
    first, last = column.range
    lows = np.clip(column.widen(codes, codes)[0], first, last)
    place = code_places(column) if column.hierarchy.ordered else codes.astype(np.float64)
    whole = place[last] - place[first]
    at: Floats = (place[lows] - place[first]) / whole if whole > 0 else np.zeros(len(codes))
    at[MISSING] = 0.0
    return at


def grid_cells(problem: Problem, bits: int | None) -> tuple[Codes, int]:
    """Return the cells of rows in a grid of 2^bits cells in every column, and the bits.

    Cells are (rows, columns). Without bits, as many as the column with the most values needs, but
    31 at most. Missing values are in cell 0, which others share only if there is one bit.
    """
    most = max(len(column.frequency) for column in problem.columns)
    bits = bits or min(max(int(most - 1).bit_length(), 1), 31)
    lines = np.empty((problem.tally.rows, len(problem.columns)), dtype=np.int32)
    for j, (column, codes) in enumerate(zip(problem.columns, problem.tally.quasi, strict=True)):
        lines[:, j] = _grid_places(column, bits)[codes]
    return lines, bits


def _grid_places(column: QuasiColumn, bits: int) -> Codes:
    """Return the cell of each code: 0 for missing values, if any, alone unless there is one bit."""
    first = 1 if column.frequency[MISSING] and bits > 1 else 0
    spread: Floats = code_positions(column) * (2**bits - 1 - first)
    cells = first + np.floor(spread + 0.5).astype(np.int32)
    cells[MISSING] = 0
    return cells
