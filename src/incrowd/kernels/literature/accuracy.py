"""Loops of the accuracy-constrained heuristic (Ghinita Section 5.3, Figure 17, and Section 6.3).

Two groups are at hand at a time, 0 and 1. The *source* is the group that a record may leave, for
the other. The *privacy* of a group is its records over those of its commonest value, or, without
`by_value`, its records.

The paper moves a record if the lesser privacy of both groups does not fall. Here it must rise, or
stay while the other rises: moves that help nobody are not made.

Shapes: values and class_of (records,).
"""

from typing import NamedTuple

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.boxes import BoxCosts, cell_cost
from incrowd.kernels.compile import jit
from incrowd.kernels.literature.diversify import Lined


class Pair(NamedTuple):
    """Two groups of records; a record is in one of them at most."""

    sizes: Counts
    """(2,): the records of a group."""
    counts: Counts
    """(2, values): its records of each value."""
    with_count: Counts
    """(2, most + 2): how many values have so many records."""
    top: Counts
    """(2,): the most records of one value."""
    head: Counts
    """(2, values): the first record of each value, -1 if there is none."""
    follow: Counts
    """(records,): the next record of the same value in the same group, -1 after the last."""
    prior: Counts
    """(records,): the one before, -1 before the first."""
    held: Codes
    """(2, codes of all columns): the records of each code; column j begins at `start[j]`."""
    low: Codes
    """(2, d): the lowest code of each column."""
    high: Codes
    """(2, d): the highest, below `low` if the group is empty."""
    start: Counts
    """(d + 1,)"""
    changes: Counts
    """(2,): grows whenever `low` or `high` changes, but for a group that becomes empty."""


class Ways(NamedTuple):
    """Which records may move, and what is known of those that cannot."""

    direction: Codes
    """(values,): the group from which records of a value may go, -1 for either."""
    moved: Codes
    """(records,): 1 for records that have moved."""
    marks: Counts
    """(2, values, 3): what is known of each source and value, see `FAILED_AT`."""


class GroupRule(NamedTuple):
    """What groups may be."""

    most: float
    """What a record of a group may cost."""
    by_value: bool
    """Whether privacy is records over those of the commonest value, or records alone."""


FAILED_AT, SCANNED_AT, SCANNED_TO = range(3)
"""Places in `Ways.marks`: the `changes` of the other group when no record could go there; its
`changes` when no record of the chain before a certain one was within its span; and that record."""
_NONE = np.int32(2**31 - 1)


@jit
def enter_group(items: Lined, values: Codes, pair: Pair, group: int, record: int) -> None:
    """Add a record, which is in neither group, to a group, as the first of its value."""
    sizes, counts, with_count, top, head, follow, prior, held, low, high, start, changes = pair
    cells, of = items
    value = values[record]
    sizes[group] += 1
    with_count[group, counts[group, value]] -= 1
    counts[group, value] += 1
    with_count[group, counts[group, value]] += 1
    top[group] = max(top[group], counts[group, value])
    after = head[group, value]
    follow[record], prior[record] = after, -1
    if after >= 0:
        prior[after] = record
    head[group, value] = record
    for j in range(cells.shape[1]):
        code = cells[of[record], j]
        held[group, start[j] + code] += 1
        if code < low[group, j] or code > high[group, j]:
            low[group, j] = min(low[group, j], code)
            high[group, j] = max(high[group, j], code)
            changes[group] += 1


@jit
def leave_group(items: Lined, values: Codes, pair: Pair, group: int, record: int) -> None:
    """Take a record out of the group in which it is."""
    sizes, counts, with_count, top, head, follow, prior, held, low, high, start, changes = pair
    cells, of = items
    value = values[record]
    sizes[group] -= 1
    with_count[group, counts[group, value]] -= 1
    if counts[group, value] == top[group] and with_count[group, top[group]] == 0:
        top[group] -= 1
    counts[group, value] -= 1
    with_count[group, counts[group, value]] += 1
    before, after = prior[record], follow[record]
    if before < 0:
        head[group, value] = after
    else:
        follow[before] = after
    if after >= 0:
        prior[after] = before
    for j in range(cells.shape[1]):
        held[group, start[j] + cells[of[record], j]] -= 1
        if sizes[group] == 0:
            low[group, j], high[group, j] = _NONE, -1
            continue
        while held[group, start[j] + low[group, j]] == 0:
            low[group, j] += 1
            changes[group] += 1
        while held[group, start[j] + high[group, j]] == 0:
            high[group, j] -= 1
            changes[group] += 1


@jit
def cost_with(items: Lined, boxes: BoxCosts, pair: Pair, group: int, record: int) -> float:
    """Return what a record of a group pays once `record` has joined it."""
    cells, of = items
    low, high = pair.low, pair.high
    total = 0.0
    for j in range(cells.shape[1]):
        code = cells[of[record], j]
        total += cell_cost(boxes, j, min(low[group, j], code), max(high[group, j], code))
    return total


@jit
def is_outside(items: Lined, pair: Pair, group: int, record: int) -> bool:
    """Whether a record is outside the span of a group, which it would make wider."""
    cells, of = items
    low, high = pair.low, pair.high
    for j in range(cells.shape[1]):
        code = cells[of[record], j]
        if code < low[group, j] or code > high[group, j]:
            return True
    return False


@jit
def is_less(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether the fraction a, as numerator and denominator, is less than b."""
    return a[0] * b[1] < b[0] * a[1]


@jit
def would_raise_privacy(pair: Pair, source: int, value: int, by_value: bool) -> bool:
    """Whether the lesser privacy, or at a tie the other, rises if a record of `value` moves."""
    sizes, counts, with_count, top = pair.sizes, pair.counts, pair.with_count, pair.top
    target = 1 - source
    least, most = top[source], max(top[target], counts[target, value] + 1)
    if counts[source, value] == least and with_count[source, least] == 1:
        least -= 1
    here, there = (sizes[source], top[source]), (sizes[target], top[target])
    then_here, then_there = (sizes[source] - 1, least), (sizes[target] + 1, most)
    if not by_value:
        here, there = (sizes[source], 1), (sizes[target], 1)
        then_here, then_there = (sizes[source] - 1, 1), (sizes[target] + 1, 1)
    if is_less(there, here):
        here, there = there, here
    if is_less(then_there, then_here):
        then_here, then_there = then_there, then_here
    equal = not is_less(then_here, here) and is_less(there, then_there)
    return is_less(here, then_here) or equal


@jit
def cheapest_movable_record(
    items: Lined,
    boxes: BoxCosts,
    pair: Pair,
    source: int,
    value: int,
    moved: Codes,
    mark: Counts,
    most: float,
) -> int:
    """Return the source's record of a value that costs the other group least; -1 if none may go.

    Records that have moved, or with which a record of the other group would pay over `most`, may
    not. A record within the span of the other group widens nothing and is returned at once; `mark`,
    a line of `Ways.marks`, changes to say how far the chain was searched for one.
    """
    head, follow, changes = pair.head, pair.follow, pair.changes
    scanned = mark[SCANNED_AT] == changes[1 - source]
    record = mark[SCANNED_TO] if scanned else head[source, value]
    while record >= 0:
        if moved[record] == 0 and not is_outside(items, pair, 1 - source, record):
            mark[SCANNED_AT], mark[SCANNED_TO] = changes[1 - source], follow[record]
            return int(record)
        record = follow[record]
    best, least = -1, most
    record = head[source, value]
    while record >= 0:
        if moved[record] == 0:
            cost = cost_with(items, boxes, pair, 1 - source, record)
            if cost < least or (cost == least and best < 0):
                best, least = record, cost
        record = follow[record]
    return int(best)


@jit
def move_record(
    items: Lined,
    values: Codes,
    boxes: BoxCosts,
    pair: Pair,
    source: int,
    ways: Ways,
    rule: GroupRule,
) -> bool:
    """Move a record of the commonest value that can go to the other group; False if none can.

    The source keeps a record at least. A value of which no record may go is marked (`FAILED_AT`),
    and tried again only once the other group's span has changed.
    """
    moved, marks = ways.moved, ways.marks
    most, by_value = rule
    if pair.sizes[source] < 2:
        return False
    while True:
        value = commonest_movable_value(pair, source, ways, by_value)
        if value < 0:
            return False
        record = cheapest_movable_record(
            items, boxes, pair, source, value, moved, marks[source, value], most
        )
        if record >= 0:
            leave_group(items, values, pair, source, record)
            enter_group(items, values, pair, 1 - source, record)
            ways.direction[value] = source
            moved[record] = 1
            return True
        marks[source, value, FAILED_AT] = pair.changes[1 - source]


@jit
def commonest_movable_value(pair: Pair, source: int, ways: Ways, by_value: bool) -> int:
    """Return the source's commonest value that can go and so raise privacy (`Ways`), or -1."""
    direction, marks = ways.direction, ways.marks
    changes = pair.changes[1 - source]
    best, most = -1, 0
    for value, count in enumerate(pair.counts[source]):
        failed = marks[source, value, FAILED_AT] == changes
        if count <= most or direction[value] == 1 - source or failed:
            continue
        if would_raise_privacy(pair, source, value, by_value):
            best, most = value, count
    return int(best)


@jit
def empty_pair(items: Lined, values: Codes, number: int, start: Counts) -> Pair:
    """Return two empty groups for `number` values; `start` is where each column's codes begin."""
    n, columns = len(values), items.cells.shape[1]
    most = np.bincount(values, minlength=number).max()
    with_count = np.zeros((2, most + 2), np.int64)
    with_count[:, 0] = number
    return Pair(
        np.zeros(2, np.int64),
        np.zeros((2, number), np.int64),
        with_count,
        np.zeros(2, np.int64),
        np.full((2, number), -1),
        np.full(n, -1),
        np.full(n, -1),
        np.zeros((2, start[-1]), np.int32),
        np.full((2, columns), _NONE, np.int32),
        np.full((2, columns), -1, np.int32),
        start,
        np.zeros(2, np.int64),
    )


@jit
def new_ways(number: int, records: int) -> Ways:
    """Return ways for so many values and records, none of which has moved."""
    direction, moved = np.full(number, -1, np.int32), np.zeros(records, np.int32)
    return Ways(direction, moved, np.full((2, number, 3), -1, np.int64))


@jit
def adjust_groups(
    items: Lined, values: Codes, boxes: BoxCosts, pair: Pair, ways: Ways, rule: GroupRule
) -> None:
    """Move records between the groups, one from each in turn, until none can go (Figure 17).

    Directions and marks are forgotten first, but not which records have moved.
    """
    ways.direction[:] = -1
    ways.marks[:] = -1
    going = True
    while going:
        going = False
        for source in range(2):
            going |= move_record(items, values, boxes, pair, source, ways, rule)


@jit
def clear_group(items: Lined, pair: Pair, group: int) -> None:
    """Empty a group of a pair, in place."""
    sizes, counts, with_count, top = pair.sizes, pair.counts, pair.with_count, pair.top
    head, follow, held = pair.head, pair.follow, pair.held
    low, high, start = pair.low, pair.high, pair.start
    cells, of = items
    if sizes[group] * cells.shape[1] > held.shape[1]:
        held[group] = 0
    for value, count in enumerate(counts[group]):
        with_count[group, count] = 0
        i = head[group, value] if sizes[group] * cells.shape[1] <= held.shape[1] else -1
        while i >= 0:
            for j in range(cells.shape[1]):
                held[group, start[j] + cells[of[i], j]] = 0
            i = follow[i]
    with_count[group, 0] = counts.shape[1]
    counts[group] = 0
    head[group] = -1
    sizes[group], top[group] = 0, 0
    low[group], high[group] = _NONE, -1


@jit
def assign_group(items: Lined, pair: Pair, group: int, class_of: Codes, number: int) -> None:
    """Set the class of a group's records to `number`, and empty the group."""
    head, follow = pair.head, pair.follow
    for i in head[group]:
        record = i
        while record >= 0:
            class_of[record] = number
            record = follow[record]
    clear_group(items, pair, group)


@jit
def grow_and_adjust_groups(
    items: Lined, values: Codes, number: int, boxes: BoxCosts, start: Counts, rule: GroupRule
) -> Codes:
    """Return the class of each record of a line (Figure 17).

    Each group takes the records in turn while they pay `rule.most` or less. Then it gives records
    to, and takes them from, its neighbour in the line as long as that makes the less private of
    both more private (`would_raise_privacy`). `number` is how many values there are, `start` as in
    `empty_pair`. Every record alone must pay `rule.most` or less.
    """
    pair = empty_pair(items, values, number, start)
    class_of = np.full(len(values), -1, np.int32)
    ways = new_ways(number, len(values))
    sizes = pair.sizes
    current, classes = 0, 0
    for record in range(len(values)):
        alone = sizes[current] == 0
        if alone or cost_with(items, boxes, pair, current, record) <= rule.most:
            enter_group(items, values, pair, current, record)
            continue
        if sizes[1 - current] > 0:
            adjust_groups(items, values, boxes, pair, ways, rule)
            assign_group(items, pair, 1 - current, class_of, classes)
            classes += 1
        current = 1 - current
        enter_group(items, values, pair, current, record)
    if sizes[1 - current] > 0:
        adjust_groups(items, values, boxes, pair, ways, rule)
        assign_group(items, pair, 1 - current, class_of, classes)
        classes += 1
    assign_group(items, pair, current, class_of, classes)
    return class_of


@jit
def longest_run_starts(items: Lined, boxes: BoxCosts, start: Counts, most: float) -> Counts:
    """Return where the longest run up to each record (all pay `most` at most, or alone) begins."""
    n = len(items.of)
    values = np.zeros(n, np.int32)
    pair = empty_pair(items, values, 1, start)
    first = np.empty(n, np.int64)
    begin = 0
    for record in range(n):
        while begin < record and cost_with(items, boxes, pair, 0, record) > most:
            leave_group(items, values, pair, 0, begin)
            begin += 1
        enter_group(items, values, pair, 0, record)
        first[record] = begin
    return first


@jit
def divide_into_runs(first: Counts, k: int) -> Codes:
    """Return the class of each record in a division into allowed runs of k or more records.

    It is empty if there is no such division. `first` is what `longest_run_starts` returns. A run
    that ends with record i begins between first[i] and i + 1 - k, where another one may have ended;
    the last such place does as well as any.
    """
    n = len(first)
    before = np.full(n + 1, -1)
    latest = -1
    possible = np.zeros(n + 1, np.bool_)
    possible[0] = True
    for end in range(k, n + 1):
        if possible[end - k]:
            latest = end - k
        if latest >= first[end - 1]:
            possible[end] = True
            before[end] = latest
    if not possible[n]:
        return np.empty(0, np.int32)
    class_of = np.zeros(n, np.int32)
    end = n
    while before[end] > 0:
        end = before[end]
        class_of[end] = 1
    return np.cumsum(class_of).astype(np.int32)
