"""Every division of a tiny table: the last resort before a search says that it found nothing.

If people have several records, or missing values match anything, classes that fail by themselves
may do together with others, and searches that join or cut classes step by step go past them. A
table of a few rows has few enough divisions to look at all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.kernels import repair
from incrowd.kernels.boxes import FORBIDDEN
from incrowd.problem import Problem
from incrowd.recoding import Pieces, Spans
from incrowd.search.layout import boxes_of
from incrowd.search.refusals import gaps_match, nothing_found
from incrowd.search.repair import crowds_are_safe
from incrowd.search.search import Found
from incrowd.search.small_tables.partitions import PartClasses
from incrowd.search.small_tables.small_table import SmallTable
from incrowd.watch import Watch

LARGEST = 8
"""The most items of a tiny table: they have 21,146 divisions, some left out or none, never all."""
_OFTEN = 256
"""How many divisions are looked at between two looks at the watch."""


def is_tiny(problem: Problem) -> bool:
    """Whether there are at most `LARGEST` rows, and no world must be asked about each class."""
    return problem.tally.rows <= LARGEST and problem.world is None


def best_division(problem: Problem, watch: Watch) -> Found:
    """The cheapest allowed division of a tiny table met in time; `InfeasibleError` if none is."""
    table = _TinyTable.of(problem)
    best, least = None, inf
    for number, (classes, out) in enumerate(table.divisions()):
        if number % _OFTEN == 0 and watch.is_over(answered=best is not None):
            break
        cost = table.cost(classes, out)
        if cost < least and table.may_be_released(classes):
            spans = table.spans(problem, classes)
            if crowds_are_safe(problem, problem.outcome(spans)):
                best, least = spans, cost
    if best is None:
        raise nothing_found(problem)
    why = "compared all divisions of a small table into classes"
    return Found(best, "auto", why=f"{why} and used the one with the lowest loss")


@dataclass(frozen=True, eq=False)
class _TinyTable:
    """A table of a few items; part p, an integer, holds item i if bit i of p is set."""

    small: SmallTable
    item: Counts
    """The item of `small` that each item here is, or is one copy of."""
    records: Counts
    """Records of each part."""
    fine: Flags
    """Whether each part satisfies every model; the empty part does not."""
    costs: Floats
    """What all records of each part pay as one class; infinite if empty, or if limits forbid it."""
    shown: list[tuple[int, ...]]
    """What each part shows: a number per column, 0 where it is missing; `()` for the empty part."""
    most: int
    """Records that may be left out."""
    gaps: bool
    """Whether missing values match anything, so that a class may need others."""

    @classmethod
    def of(cls, problem: Problem) -> "_TinyTable":
        """The table with each copy of an item apart, or items whole if copies exceed `LARGEST`."""
        small = SmallTable.of(problem)
        item: Counts = np.arange(len(small.copies))
        if int(small.copies.sum()) <= LARGEST:
            item = np.repeat(item, small.copies)
            weight = small.weight[item]
        else:
            weight = small.weight * small.copies
        held = (np.arange(2 ** len(item))[:, np.newaxis] >> np.arange(len(item))) & 1 > 0
        digits = _copies_in_parts(small, item, held)
        fine = np.append(
            False, problem.satisfied_by(PartClasses(problem, small).classes(digits[1:]))
        )
        costs, shown = _part_costs(problem, small.first_row[item], held)
        records = held @ weight
        most, gaps = problem.suppressible, gaps_match(problem)
        return cls(small, item, records, fine, costs * np.maximum(records, 1), shown, most, gaps)

    def divisions(self) -> Iterator[tuple[list[int], int]]:
        """Yield every division into admissible classes, and the part left out (0 if none is).

        That part has at most `most` records, and is never the whole table. A class is admissible
        if no limit forbids it and it satisfies the models, or may with others that missing values
        match. A division is a list of part numbers.
        """
        everything = len(self.records) - 1
        for out in range(everything):
            if self.records[out] <= self.most:
                for classes in self._divisions_of(everything - out):
                    yield classes, out

    def _divisions_of(self, part: int) -> Iterator[list[int]]:
        """Yield the divisions of a part into admissible classes, as lists of part numbers."""
        if not part:
            yield []
            return
        first = part & -part
        rest = sub = part - first
        while True:
            mine = sub | first
            if (self.gaps or self.fine[mine]) and self.costs[mine] < inf:
                for others in self._divisions_of(part - mine):
                    yield [mine, *others]
            if not sub:
                return
            sub = (sub - 1) & rest

    def cost(self, classes: list[int], out: int) -> float:
        """The cost of these classes together; a record of `out`, the part left out, costs 1."""
        return float(self.costs[classes].sum()) + float(self.records[out])

    def may_be_released(self, classes: list[int]) -> bool:
        """Whether admissible classes may: no two show the same, each crowd satisfies the models."""
        cells = [self.shown[part] for part in classes]
        if len(set(cells)) < len(cells):
            return False
        if not self.gaps:
            return True
        pairs = list(zip(classes, cells, strict=True))
        return all(
            self.fine[sum(part for part, other in pairs if _may_match(mine, other))]
            for mine in cells
        )

    def spans(self, problem: Problem, classes: list[int]) -> Spans:
        """The recoding of these classes, which are given as part numbers."""
        held = (np.array(classes)[:, np.newaxis] >> np.arange(len(self.item))) & 1 > 0
        digits = _copies_in_parts(self.small, self.item, held)
        return Spans(self.small.pieces(problem.tally, digits))


def _may_match(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether two classes show the same, column by column, if a missing value matches anything."""
    return all(a in (b, MISSING) or b == MISSING for a, b in zip(one, other, strict=True))


def _copies_in_parts(small: SmallTable, item: Counts, held: Flags) -> Codes:
    """Copies of each item of the small table in each part: shape (parts, small-table items).

    `item` is as in `_TinyTable`; `held` flags the items of each part, one line per part.
    """
    digits = np.zeros((len(held), len(small.copies)), dtype=np.int32)
    copies = np.ones(len(item)) if len(item) > len(small.copies) else small.copies
    for place, (of, number) in enumerate(zip(item.tolist(), copies.tolist(), strict=True)):
        digits[:, of] += held[:, place] * int(number)
    return digits


def _part_costs(problem: Problem, row: Codes, held: Flags) -> tuple[Floats, list[tuple[int, ...]]]:
    """What a record pays in each part as a class, and numbers for what the part shows by column.

    `row` is a row of the tally for each item, `held` as in `_copies_in_parts`. A cost is infinite
    where a limit forbids the class, and for the empty part, which shows nothing.
    """
    part, place = np.nonzero(held[1:])
    class_of, rows = part.astype(np.int32), row[place]
    boxes = repair.class_boxes(problem.tally.quasi, rows, class_of, len(held) - 1)
    costs = np.append(inf, repair.box_costs(boxes_of(problem), *boxes))
    pieces = Pieces(rows, np.ones(len(rows), dtype=np.int64), class_of)
    copies = replace(problem.tally, quasi=problem.tally.quasi[:, rows])
    low, high, level = Spans(pieces).cells(copies, problem.columns)
    ends = np.where((low == MISSING) & (high > MISSING), 0, high + 1)
    numbers = [
        np.where(last == MISSING, MISSING, np.unique(cells, axis=1, return_inverse=True)[1] + 1)
        for last, *cells in zip(high, low, ends, level, strict=True)
    ]
    nothing: tuple[int, ...] = ()
    shown = [nothing, *map(tuple, np.stack(numbers, axis=1).tolist())]
    return np.where(costs >= FORBIDDEN, inf, costs), shown
