"""Ways to the most privacy for a given accuracy (Ghinita Section 5): along a line, in one column.

Each gives classes that cost at most the bound, none if it finds none. What their privacy is, and
whether the policy's models hold, `answers` says.
"""

from bisect import bisect_left
from fractions import Fraction
from functools import partial

import numpy as np

from incrowd.arrays import Codes, Flags
from incrowd.kernels import order_dp
from incrowd.kernels.boxes import BoxCosts
from incrowd.kernels.literature import accuracy, accuracy_weakest
from incrowd.problem import Problem
from incrowd.recoding import Pieces, Spans
from incrowd.search.literature.accuracy.answers import BoundedProblem
from incrowd.search.literature.accuracy.loners import RecordLine, code_starts, staying_flags
from incrowd.search.literature.diversify import exact
from incrowd.search.literature.diversify.diversify import spans_of_division
from incrowd.search.literature.diversify.groups import OrderedRecords, records_of, spread_classes
from incrowd.search.orders.division import least_people
from incrowd.table.fold import in_threads
from incrowd.watch import Watch

_REACH = 128
"""How many places away a class may be that helps the least private one."""
_SHARES = (1.0, 0.35)
"""How much of the bound groups use before they are adjusted, one share per thread."""
_STEPS = 64
"""How often the least private class is helped before anybody looks at the time."""
_LARGEST_WORK = 2**27
"""Steps that are worth taking to lower the loss once the privacy is settled."""


def divide_by_adjusting(
    quest: BoundedProblem, line: RecordLine, watch: Watch
) -> list[tuple[Fraction, Pieces]]:
    """Divide by Ghinita's heuristic AC, then help the least private class.

    Groups that are as wide as the bound lets them be have no room for others' records, so it is
    also tried with groups that begin smaller. If only sizes count, the line is divided best too.
    Where records may be left out, all is also tried without the loners. Returned are all
    divisions, each with its privacy before it, the most private first.
    """
    watch.tell("adjusting neighbours", 0.3)
    tries = [
        partial(_divisions, quest, line, kept, share, watch)
        for kept in staying_flags(quest, line)
        for share in _SHARES
    ]
    found = [one for some in in_threads(tries) for one in some]
    return sorted(found, key=lambda pair: pair[0], reverse=True)


def _divisions(
    quest: BoundedProblem, line: RecordLine, kept: Flags, share: float, watch: Watch
) -> list[tuple[Fraction, Pieces]]:
    """The divisions of the records kept, each with its privacy; `share` as in `_adjust_groups`."""
    everyone = line.records
    records = everyone if kept.all() else everyone.take(kept)
    made = [_adjust_groups(quest, line.boxes, records, share, watch)]
    if quest.sensitive is None and share == _SHARES[0]:
        made += divide_by_runs(quest, line.boxes, records)
    return [
        (_least_privacy(quest, records, classes), everyone.pieces(spread_classes(kept, classes)))
        for classes in made
    ]


def _least_privacy(quest: BoundedProblem, records: OrderedRecords, class_of: Codes) -> Fraction:
    """The privacy of the least private class."""
    by_value = quest.sensitive is not None
    classes = accuracy_weakest.chain_classes(
        records.items, records.value, class_of, int(class_of.max()) + 1
    )
    weakest = accuracy_weakest.weakest_class(classes, by_value)
    return Fraction(*map(int, accuracy_weakest.class_privacy(classes, weakest, by_value)))


def _adjust_groups(
    quest: BoundedProblem, boxes: BoxCosts, records: OrderedRecords, share: float, watch: Watch
) -> Codes:
    """The class of each record by AC, with groups that cost up to `share` of the bound at first.

    Groups give records to their neighbours or take some; then the least private class is helped
    within the whole bound, until it cannot be or the time is up.
    """
    start = code_starts(quest.problem)
    line, by_value = (records.items, records.value), quest.sensitive is not None
    rule = accuracy.GroupRule(quest.most * share, by_value)
    class_of = accuracy.grow_and_adjust_groups(*line, records.values, boxes, start, rule)
    pair = accuracy.empty_pair(*line, records.values, start)
    left = 8 * int(class_of.max()) + 16
    for steps in [_STEPS] * (left // _STEPS) + [left % _STEPS]:
        bound, limits = accuracy.GroupRule(quest.most, by_value), np.array([_REACH, steps])
        class_of, over = accuracy_weakest.help_weakest(*line, boxes, pair, bound, class_of, limits)
        if over or watch.expired:
            break
    return class_of


def divide_by_runs(quest: BoundedProblem, boxes: BoxCosts, records: OrderedRecords) -> list[Codes]:
    """Divide the line so that the smallest class is as large as can be; empty if impossible.

    Returned is a list of one division, as the class of each record. With one column in the order of
    its codes no other classes are larger: two classes that overlap can change records until they do
    not. What can be divided by k can be by k - 1, so the largest k is found by halving, with one
    look at every record each time.
    """
    least = least_people(quest.problem)
    first = accuracy.longest_run_starts(
        records.items, boxes, code_starts(quest.problem), quest.most
    )
    sizes = range(least, len(records.row) + 1)
    k = least - 1
    k += bisect_left(sizes, True, key=lambda size: not len(accuracy.divide_into_runs(first, size)))
    if k < least:
        return []
    return [_cheapest_runs(quest, boxes, records, (k, accuracy.divide_into_runs(first, k)))]


def _cheapest_runs(
    quest: BoundedProblem, boxes: BoxCosts, records: OrderedRecords, found: tuple[int, Codes]
) -> Codes:
    """The classes of the cheapest runs of k records; those `found`, (k, classes), if too slow."""
    k, class_of = found
    number = len(records.row)
    if number * k > _LARGEST_WORK:
        return class_of
    before = np.arange(number + 1, dtype=np.int64)
    items = order_dp.LineItems(records.cells, records.cells, records.row, before, before)
    _, last = order_dp.least_prefix_costs(items, k, boxes, quest.most, largest=False)
    starts = np.zeros(number, dtype=np.int32)
    starts[order_dp.class_ends(last, number)[:-1]] = 1
    return np.cumsum(starts, dtype=np.int32)


def best_of_one_column(quest: BoundedProblem, boxes: BoxCosts) -> list[Spans | Pieces]:
    """The most private division of one column (Section 5.1), if any; errors are as of `exact`."""
    problem = quest.problem
    exact.refuse_several_columns(problem)
    k, floor = least_people(problem), _asked_l(problem)
    if quest.sensitive is None and floor == 1:
        order = np.lexsort((*problem.tally.sensitive[::-1], problem.tally.quasi[0]))
        records = records_of(problem, order.astype(np.int32), None)
        return [records.pieces(class_of) for class_of in divide_by_runs(quest, boxes, records)]
    column = exact.column_of(problem, quest.sensitive or 0)
    if quest.sensitive is not None:
        best = exact.most_private_division(column, quest.most, k)
        return [] if best is None else [spans_of_division(problem, column, best[1])]
    low, high, found = k - 1, len(column.row), None
    while low < high:
        middle = (low + high + 1) // 2
        class_of = exact.find_division(column, quest.most, floor, middle)
        if class_of is None:
            high = middle - 1
        else:
            low, found = middle, class_of
    return [] if found is None else [spans_of_division(problem, column, found)]


def _asked_l(problem: Problem) -> Fraction:
    """The largest l that a model decided by shares asks for, of whatever column; 1 if none does."""
    asked = [
        1 / model.share_limits(model.columns[0]).most
        for model in problem.models
        if model.shares_decide
    ]
    return max(asked, default=Fraction(1))
