"""Mondrian: cut the table in two, each part again, while every part satisfies the models.

LeFevre, DeWitt and Ramakrishnan, "Mondrian Multidimensional K-Anonymity" (ICDE 2006), as Ghinita
Section 6 compares with it. Departures: the cut is the most balanced allowed one rather than the
median, so that skewed columns are cut too; columns that are not ordered are cut between branches
of their hierarchy; a missing value is a branch of its own. With `cut = "median"` only the last of
these is left.
"""

from dataclasses import dataclass as plain
from dataclasses import field, replace
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.errors import count_of
from incrowd.kernels import mondrian
from incrowd.loss.ncp import Gcp
from incrowd.models.model import Model
from incrowd.partition.classes import Classes, classes_of
from incrowd.problem import Problem
from incrowd.recoding import Pieces
from incrowd.search.layout import boxes_of, lowest_codes
from incrowd.search.left_out import search_after_leaving_out
from incrowd.search.refusals import (
    as_one_class,
    each_counts_once,
    nothing_found,
    raise_if_infeasible,
    raise_if_out_of_time,
)
from incrowd.search.repair import fold_pieces, merge_failing_classes
from incrowd.search.search import Found, Search
from incrowd.table.fold import in_threads, threads
from incrowd.table.tally import Tally
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

Cut: TypeAlias = Literal["balanced", "median"]
CUTS = 8
"""How many cuts of one column are tried, most balanced first."""
_SMALL = 2**15
"""Fewer items are not worth another thread."""
_PART = 2**13
"""Items of a part that one thread cuts to the end."""


@dataclass(frozen=True, config=STRICT)
class Mondrian(Search):
    """Local recoding by cutting the table along its widest columns.

    Strict: records with the same value stay together in every cut. Relaxed: equal values may be
    divided where no other cut of the column is allowed, unless people have several records or the
    policy asks that equal records show the same. A column whose span is beyond its limits is the
    widest; classes that stay beyond them are left out, as far as the policy lets records go.

    A column is cut where the halves are most balanced among all cuts that the models allow
    (`cut = "balanced"`), or at its median alone (`cut = "median"`) as in the literature. Categories
    then stand in the order of their hierarchy's leaves, and a column whose median holds too many
    records is not cut unless equal values may be divided.

    >>> Mondrian(relaxed=True).name
    'mondrian'
    """

    relaxed: bool = False
    cut: Cut = "balanced"
    name: Literal["mondrian"] = field(default="mondrian", kw_only=True)
    separable: ClassVar[bool] = True
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Cut until no part can be cut; parts that show the same are one class."""
        raise_if_infeasible(problem)
        return search_after_leaving_out(problem, lambda stay: self._cut_and_repair(stay, watch))

    def _cut_and_repair(self, problem: Problem, watch: Watch) -> Found:
        """Search among the records that stay, as `run` says."""
        pieces, finished = cut_into_parts(problem, watch, relaxed=self.relaxed, cut=self.cut)
        spans = merge_failing_classes(problem, pieces)
        number = int(spans.pieces.class_of.max()) + 1
        why = _explain(number, finished)
        return Found(spans, self.name, why=why, facts={"classes": float(number)})


def cut_into_parts(
    problem: Problem, watch: Watch, *, relaxed: bool, cut: Cut = "balanced"
) -> tuple[Pieces, bool]:
    """Cut the table until no part can be cut; return the parts, and whether time allowed all cuts.

    `relaxed` and `cut` are as in `Mondrian`. `InfeasibleError` if the table as one class fails a
    model, unless people count in several classes; `LimitError` if the time is up before the first
    cut.
    """
    relaxed = relaxed and not problem.tally.has_units and not problem.consistent
    if not problem.satisfied_by(as_one_class(problem)).all() and each_counts_once(problem):
        raise nothing_found(problem)
    raise_if_out_of_time(watch)
    watch.tell("cutting the table", 0.0)
    least = least_size(problem)
    rule = mondrian.CutRule(least or 1, relaxed, CUTS, cut == "median")
    if least is not None and all(not model.columns for model in problem.models):
        counts, origin, lines, finished = _cut_by_size(problem, rule, watch)
        return _gather_pieces(counts, origin, lines), finished
    tally, row = _items_to_cut(problem.tally, relaxed=relaxed)
    items = mondrian.CutItems(lowest_codes(replace(problem, tally=tally)), tally.counts)
    kernel = (items, rule, _kernel_scales(problem))
    class_of, finished = _Rounds(problem, tally, kernel).run(watch)
    return fold_pieces(Pieces(row, tally.counts, class_of)), finished


def _kernel_scales(problem: Problem) -> "mondrian.Scales":
    """What spans cost, by NCP whatever the loss, and which columns may be cut at any code."""
    divisible = np.array([column.divisible for column in problem.columns])
    return mondrian.Scales(boxes_of(replace(problem, loss=Gcp())), divisible)


def _explain(number: int, finished: bool) -> str:
    """A sentence on how many classes there are, and whether time allowed all cuts."""
    classes = count_of(number, "class", "classes")
    if finished:
        return f"cut the table along its widest columns into {classes}"
    return f"cut the table into {classes}, then stopped at the time limit"


def _items_to_cut(tally: Tally, *, relaxed: bool) -> tuple[Tally, Codes]:
    """The items to cut, rows or (if relaxed) single records, and the row of the tally of each."""
    row = np.arange(tally.rows, dtype=np.int32)
    if not relaxed or (tally.counts == 1).all():
        return tally, row
    row = np.repeat(row, tally.counts)
    return tally.split(row, np.ones(len(row), dtype=np.int64)), row


def _cut_by_size(
    problem: Problem, rule: mondrian.CutRule, watch: Watch
) -> tuple[Counts, Codes, list[tuple[Codes, Codes]], bool]:
    """Cut the rows depth first, large parts in threads, where size alone decides.

    Items are rows, or pieces of rows that a cut goes through. Returned are the records of each
    item, its row, lines of items, each with the places where its classes begin, and whether there
    was time for all cuts.
    """
    tally, scales, k = problem.tally, _kernel_scales(problem), rule.k
    most = tally.records // k if rule.relaxed else 0
    origin = np.append(np.arange(tally.rows), np.zeros(2 * most)).astype(np.int32)
    counts = tally.counts[origin]
    items = mondrian.CutItems(lowest_codes(problem, 2 * most), counts)
    cut = partial(mondrian.cut_down, items, origin)
    everyone = np.arange(tally.rows, dtype=np.int32)
    line, begins, fresh = cut(everyone, rule, scales, (tally.rows, tally.rows + most, _PART))
    if watch.must_stop:
        return counts, origin, [(line, begins)], False
    tasks = []
    for block in np.split(line, begins[1:]):
        room = int(counts[block].sum()) // k if rule.relaxed else 0
        tasks.append(partial(cut, block, rule, scales, (fresh, fresh + room, 0)))
        fresh += room
    lines = [(order, starts) for order, starts, _ in in_threads(tasks)]
    return counts, origin, lines, True


def _gather_pieces(counts: Counts, origin: Codes, done: list[tuple[Codes, Codes]]) -> Pieces:
    """The pieces made of lines of items (`done`), each with the places where its classes begin."""
    line = np.concatenate([items for items, _ in done])
    lengths = np.array([len(items) for items, _ in done])
    starts = np.zeros(len(line), dtype=np.int32)
    for begins, offset in zip((b for _, b in done), np.cumsum(lengths) - lengths, strict=True):
        starts[begins + offset] = 1
    class_of = np.cumsum(starts, dtype=np.int32) - 1
    return fold_pieces(Pieces(origin[line], counts[line], class_of))


def least_size(problem: Problem) -> int | None:
    """The size from which every class satisfies the models that read no values.

    None if the whole table does not, if a class may fail that is larger than one that does not, or
    if people may have several records.
    """
    if problem.tally.has_units:
        return None
    sizes = np.arange(1, problem.tally.records + 1, dtype=np.int64)
    fine: Flags = np.ones(len(sizes), dtype=np.bool_)
    for model in problem.models:
        if not model.columns:
            fine &= model.satisfied_by(Classes(sizes, sizes, {}))
    least = int(np.argmax(fine)) + 1
    return least if fine[least - 1 :].all() else None


def sizes_decide(problem: Problem) -> bool:
    """Whether a class satisfies the models if and only if it is large enough."""
    return all(not model.columns for model in problem.models) and least_size(problem) is not None


@plain
class _Rounds:
    """Cuts all parts once a round while models allow it; a refused one tries another cut next.

    `parts` are where parts begin and end in the line of items `order`: shape (parts, 2).
    """

    problem: Problem
    tally: Tally
    kernel: Any
    """`CutItems`, `CutRule` and `Scales` of `kernels.mondrian`."""

    def run(self, watch: Watch) -> tuple[Codes, bool]:
        """The class of each item, and whether all cuts could be tried."""
        rows = self.tally.rows
        order: Codes = np.arange(rows, dtype=np.int32)
        parts: Counts = np.array([[0, rows]], dtype=np.int64)
        attempts: Counts = np.zeros(1, dtype=np.int64)
        done: list[Counts] = []
        while len(parts) and not watch.must_stop:
            middle, half_of = self._propose_cuts(order, parts, attempts)
            allowed = (middle >= 0) & self._flag_allowed_cuts(half_of, len(parts))
            done.append(parts[middle < 0])
            mondrian.move_left_halves_first(order, parts[allowed], half_of)
            parts, attempts = _next_parts(parts, attempts, middle, allowed)
            watch.tell("cutting the table", 1 - float((parts[:, 1] - parts[:, 0]).sum()) / rows)
        return _class_of_items(order, np.vstack([*done, parts])), not len(parts)

    def _propose_cuts(self, order: Codes, parts: Counts, attempts: Counts) -> tuple[Counts, Codes]:
        """Where the left half of part p would end, or -1; and each item's half: 2p, 2p + 1, -1."""
        items, rule, scales = self.kernel
        middle = np.empty(len(parts), dtype=np.int64)
        half_of = np.full(len(order), -1, dtype=np.int32)
        propose = partial(mondrian.propose_cuts, items, order)
        tasks = [
            partial(propose, parts[s], attempts[s], rule, scales, s.start, middle[s], half_of)
            for s in _thread_slices(parts)
        ]
        in_threads(tasks)
        return middle, half_of

    def _flag_allowed_cuts(self, half_of: Codes, number: int) -> Flags:
        """Flags of the `number` parts that may be cut into these halves.

        If models are not monotone (people have several records), a part may fail one: it is cut as
        long as its halves are large enough; what fails in the end is repaired.
        """
        fine = self._which_satisfy(half_of, 2 * number, self.problem.models)
        allowed = fine[::2] & fine[1::2]
        if not self.problem.monotone:
            part_of = np.where(half_of < 0, -1, half_of // 2).astype(np.int32)
            sizes = tuple(model for model in self.problem.models if not model.columns)
            sized = self._which_satisfy(half_of, 2 * number, sizes)
            fails = ~self._which_satisfy(part_of, number, self.problem.models)
            allowed |= fails & sized[::2] & sized[1::2]
        return allowed

    def _which_satisfy(self, class_of: Codes, number: int, models: tuple[Model, ...]) -> Flags:
        """Which classes hold records and satisfy these models."""
        classes = classes_of(self.tally, class_of, number, self.problem.sensitive)
        held = np.flatnonzero(classes.records).astype(np.int32)
        fine: Flags = np.zeros(number, dtype=np.bool_)
        fine[held] = replace(self.problem, models=models).satisfied_by(classes.take(held))
        return fine


def _thread_slices(parts: Counts) -> list[slice]:
    """Runs of parts with about as many items each, one per thread; one in all if items are few."""
    upto = np.cumsum(parts[:, 1] - parts[:, 0])
    number = threads() if upto[-1] >= _SMALL else 1
    cuts = np.searchsorted(upto, upto[-1] * np.arange(1, number) / number).tolist()
    return [slice(lo, hi) for lo, hi in pairwise([0, *cuts, len(parts)]) if lo < hi]


def _next_parts(
    parts: Counts, attempts: Counts, middle: Counts, allowed: Flags
) -> tuple[Counts, Counts]:
    """Halves of parts cut and refused parts, for the next round, and how often each was refused."""
    refused = ~allowed & (middle >= 0)
    left = np.stack([parts[allowed, 0], middle[allowed]], axis=1)
    right = np.stack([middle[allowed], parts[allowed, 1]], axis=1)
    fresh = np.zeros(2 * int(allowed.sum()), dtype=np.int64)
    return np.vstack([left, right, parts[refused]]), np.append(fresh, attempts[refused] + 1)


def _class_of_items(order: Codes, parts: Counts) -> Codes:
    """The class of each item if parts are numbered in their order from left to right."""
    class_of = np.empty(len(order), dtype=np.int32)
    starts = np.zeros(len(order), dtype=np.int32)
    starts[parts[:, 0]] = 1
    class_of[order] = np.cumsum(starts) - 1
    return class_of
