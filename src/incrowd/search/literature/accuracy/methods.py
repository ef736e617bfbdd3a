"""Ways to the most privacy for a given accuracy (Ghinita Section 5): line, pairs, halving.

Each gives classes that cost at most the bound, or None if it finds none. What their privacy is,
and whether the policy's models hold, is for `search.accuracy` to say.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, floor

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.errors import InfeasibleError
from incrowd.kernels import order_dp
from incrowd.kernels.boxes import Boxes
from incrowd.kernels.literature import accuracy, accuracy_weakest
from incrowd.kernels.literature import accuracy as kernels
from incrowd.models.k_anonymity import KAnonymity
from incrowd.models.l_diversity import LDiversity
from incrowd.models.model import Model
from incrowd.partition.csr import offsets
from incrowd.problem import Problem
from incrowd.recoding import Pieces, Spans
from incrowd.search.literature.diversify import exact
from incrowd.search.literature.diversify.diversify import Diversify, MappingName, order_of, shown
from incrowd.search.literature.diversify.groups import OrderedRecords, records_of
from incrowd.search.literature.order import least_people
from incrowd.search.search import Search
from incrowd.table.fold import in_threads
from incrowd.watch import Watch

_REACH = 128
"""How many places away a class may be that helps the least private one."""
_SHARES = (1.0, 0.35)
"""How much of the bound groups use before they are adjusted, one share per thread."""
_STEPS = 64
"""How often the least private class is helped before anybody looks at the time."""
_THRESHOLD = Fraction(1, 100)
"""How near halving comes to the largest l (Ghinita Figure 3)."""
_LARGEST_WORK = 2**27
"""Steps that are worth taking to lower the loss once the privacy is settled."""


@dataclass(frozen=True, eq=False)
class BoundedProblem:
    """What is asked: a problem, the most that a class may cost, and what privacy means."""

    problem: Problem
    most: float
    sensitive: int | None
    """The sensitive column whose values must differ; None if only sizes count."""
    mapping: MappingName

    def model(self, privacy: float) -> Model:
        """The model that asks for so much privacy."""
        if self.sensitive is None:
            return KAnonymity(max(int(privacy), 2))
        return LDiversity(self.problem.sensitive[self.sensitive].name, privacy)


def by_adjusting(
    quest: BoundedProblem, boxes: Boxes, watch: Watch, fits: Callable[[Spans], bool]
) -> list[Spans | Pieces]:
    """Ghinita's heuristic AC, after which the least private class gets help; most private first.

    Groups that are as wide as the bound lets them be have no room for others' records, so it is
    also tried with groups that begin smaller. If only sizes count, the line is divided best too; if
    not, the direct heuristic may still do better, whose classes are as small as can be.
    """
    records = records_of(quest.problem, order_of(quest.problem, quest.mapping), quest.sensitive)
    watch.tell("adjusting neighbours", 0.3)
    tries = [partial(_adjusted, quest, boxes, records, share, watch) for share in _SHARES]
    found = in_threads(tries)
    if quest.sensitive is None:
        found += by_runs(quest, boxes, records)
    ranked = sorted(
        ((_privacy(quest, records, one), i) for i, one in enumerate(found)), reverse=True
    )
    pieces = [records.pieces(found[i]) for _, i in ranked]
    if quest.sensitive is None:
        return [*pieces]
    return [*_directly(quest, ranked[0][0], watch, fits), *pieces]


def _directly(
    quest: BoundedProblem, reached: Fraction, watch: Watch, fits: Callable[[Spans], bool]
) -> list[Spans]:
    """What the direct heuristic makes of the next whole l, and so on while that fits."""
    found: list[Spans] = []
    l = floor(reached) + 1
    while l <= _most_possible(quest) and not watch.expired:
        asked = replace(quest.problem, models=(*quest.problem.models, quest.model(l)))
        spans = _tried(asked, Diversify(mapping=quest.mapping), watch)
        if spans is None or not fits(spans):
            break
        found, l = [spans], l + 1
    return found


def _privacy(quest: BoundedProblem, records: OrderedRecords, class_of: Codes) -> Fraction:
    """The privacy of the least private class."""
    by_value = quest.sensitive is not None
    classes = accuracy_weakest.chained(
        records.items, records.value, class_of, int(class_of.max()) + 1
    )
    return Fraction(
        *map(
            int,
            accuracy_weakest.privacy(
                classes, accuracy_weakest.weakest(classes, by_value), by_value
            ),
        )
    )


def _adjusted(
    quest: BoundedProblem, boxes: Boxes, records: OrderedRecords, share: float, watch: Watch
) -> Codes:
    """Groups that begin as wide as a share of the bound, after all help that there is."""
    start = _code_starts(quest.problem)
    line, by_value = (records.items, records.value), quest.sensitive is not None
    rule = (quest.most * share, by_value)
    class_of = accuracy.most_private(*line, records.values, boxes, start, rule)
    pair = accuracy.empty_pair(*line, records.values, start)
    left = 8 * int(class_of.max()) + 16
    for steps in [_STEPS] * (left // _STEPS) + [left % _STEPS]:
        bound, limits = (quest.most, by_value), np.array([_REACH, steps])
        class_of, over = accuracy_weakest.help_weakest(*line, boxes, pair, bound, class_of, limits)
        if over or watch.expired:
            break
    return class_of


def by_runs(quest: BoundedProblem, boxes: Boxes, records: OrderedRecords) -> list[Codes]:
    """The line divided so that the smallest class is as large as can be; empty if it cannot be.

    With one column in the order of its codes no other classes are larger: two classes that overlap
    can change records until they do not. What can be divided by k can be by k - 1, so the largest k
    is found by halving, with one look at every record each time.
    """
    least = least_people(quest.problem)
    first = kernels.beginnings(records.items, boxes, _code_starts(quest.problem), quest.most)
    low, high = least - 1, len(records.row)
    while low < high:
        middle = (low + high + 1) // 2
        if len(kernels.runs_of(first, middle)):
            low = middle
        else:
            high = middle - 1
    if low < least:
        return []
    return [_cheapest(quest, boxes, records, (low, kernels.runs_of(first, low)))]


def _cheapest(
    quest: BoundedProblem, boxes: Boxes, records: OrderedRecords, found: tuple[int, Codes]
) -> Codes:
    """The runs of k records with the least loss, if that is not too much work."""
    k, class_of = found
    number = len(records.row)
    if number * k > _LARGEST_WORK:
        return class_of
    before = np.arange(number + 1, dtype=np.int64)
    items = records.cells, records.cells, records.row, before, before
    _, last = order_dp.shortest(items, k, boxes, quest.most, largest=False)
    starts = np.zeros(number, dtype=np.int32)
    starts[order_dp.ends(last, number)[:-1]] = 1
    return np.cumsum(starts, dtype=np.int32)


def _code_starts(problem: Problem) -> Counts:
    """Where the codes of each column begin if they stand one column after the other."""
    sizes = [len(column.hierarchy.leaves) + 1 for column in problem.columns]
    return offsets(sizes)


def by_halving(
    quest: BoundedProblem,
    search: Search,
    watch: Watch,
    fits: Callable[[Spans], bool],
    *,
    whole: bool,
) -> list[Spans]:
    """Ghinita's IPCSD (Figure 3): a direct search with more or less privacy, until it just fits.

    Assumes that loss rises with privacy, which a heuristic does not promise. `whole` asks for whole
    numbers only.
    """
    best = _tried(quest.problem, search, watch)
    best = best if best is not None and fits(best) else None
    low, high = Fraction(1), _most_possible(quest)
    while high - low >= (1 if whole else _THRESHOLD) and not watch.expired:
        middle = (low + high) / 2
        middle = Fraction(ceil(middle)) if whole else middle
        asked = replace(quest.problem, models=(*quest.problem.models, quest.model(float(middle))))
        found = _tried(asked, search, watch)
        if found is not None and fits(found):
            low, best = middle, found
        else:
            high = middle - 1 if whole else middle
    return [] if best is None else [best]


def _most_possible(quest: BoundedProblem) -> Fraction:
    tally = quest.problem.tally
    if quest.sensitive is None:
        return Fraction(tally.records)
    counts = np.bincount(tally.sensitive[quest.sensitive], weights=tally.counts)
    return Fraction(tally.records, int(counts.max()))


def _tried(problem: Problem, search: Search, watch: Watch) -> Spans | None:
    try:
        found = search.run(problem, watch).recoding
    except InfeasibleError:
        return None
    return Spans(found.pieces)


def best_of_one_column(quest: BoundedProblem, boxes: Boxes) -> list[Spans | Pieces]:
    """The most privacy of all divisions of one column (Section 5.1); empty if there is none."""
    problem = quest.problem
    exact.refuse_many(problem)
    k, floor = least_people(problem), _floor(problem)
    if quest.sensitive is None and floor == 1:
        order = np.lexsort((*problem.tally.sensitive[::-1], problem.tally.quasi[0]))
        records = records_of(problem, order.astype(np.int32), None)
        return [records.pieces(class_of) for class_of in by_runs(quest, boxes, records)]
    column = exact.column_of(problem, quest.sensitive or 0)
    if quest.sensitive is not None:
        best = exact.most_private(column, quest.most, k)
        return [] if best is None else [shown(problem, column, best[1])]
    low, high, found = k - 1, len(column.row), None
    while low < high:
        middle = (low + high + 1) // 2
        class_of = exact.division(column, quest.most, floor, middle)
        if class_of is None:
            high = middle - 1
        else:
            low, found = middle, class_of
    return [] if found is None else [shown(problem, column, found)]


def _floor(problem: Problem) -> Fraction:
    """The l that the models ask for of the first sensitive column, 1 if they ask for none."""
    asked = [
        1 / model.share_limits(model.columns[0]).most
        for model in problem.models
        if model.shares_decide
    ]
    return max(asked, default=Fraction(1))
