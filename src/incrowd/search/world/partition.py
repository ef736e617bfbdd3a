"""Classes of the world's people, of which those in the table show theirs.

The world itself is divided into classes, on the cells that were made for its people, and every
record shows the cells of the class that a person like this is in. For k-map the classes depend on
the world alone: what a record shows tells nothing of who else is in the table, and everybody in the
class would show the same. For delta-presence a class is also one only if at most a share delta of
its people is in the table, so that the number of them decides where the world is divided; their
values do not.
"""

from collections.abc import Iterator
from dataclasses import dataclass as plain
from dataclasses import replace
from math import ceil
from typing import ClassVar

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.errors import InfeasibleError, LimitError
from incrowd.linkage.candidates import CandidateCounter
from incrowd.linkage.world import flag_known_rows, leaf_codes, people_by_leaf
from incrowd.models.k_anonymity import KAnonymity
from incrowd.models.model import Model, fraction, histogram_of, most_within_share
from incrowd.partition.classes import Classes, SensitiveColumn, number_columns
from incrowd.problem import Problem
from incrowd.recoding import GivenCells, Pieces, QuasiColumn, Spans
from incrowd.recoding.recoding import first_rows
from incrowd.recoding.spans import value_sets
from incrowd.search.crowd.crowd import Crowd
from incrowd.search.layout import cell_loss, lowest_codes
from incrowd.search.mondrian import Mondrian
from incrowd.search.orders.division import people_per_row
from incrowd.search.repair import merge_failing_classes
from incrowd.table.column import Missing
from incrowd.table.fold import fold
from incrowd.table.tally import Tally
from incrowd.watch import Watch

_MOST_ROWS = 2**19
"""Worlds with more different rows are not divided."""
_LADDER = (1, 2, 4, 8)
"""How many times as many people as needed classes have, where other models ask for more."""
_MOST_ROUNDS = 50
"""How often pairs of classes become one."""

_ABSENT, _PRESENT, _STRANGE = 1, 2, 3
_MARK = "in the table"


def divide_world(problem: Problem, watch: Watch) -> Iterator[GivenCells]:
    """Yield divisions of the world, each as the classes that hold records of the table.

    Yields nothing without a world, if it is too large, or if missing values match anything and a
    model counts the records of a class: those of other classes may then match.
    """
    world = problem.world
    counted = any(not m.smallest_candidate_set() for m in problem.models)
    if world is None or (problem.missing is Missing.MATCHES_ANYTHING and counted):
        return
    division = _WorldDivision.of(problem, world)
    if division.people.tally.rows > _MOST_ROWS:
        return
    for spans in division.divisions(watch):
        yield _protect_presence(problem, division.people, spans)


@plain(frozen=True)
class _ClassPresence(Model):
    """A class has k individuals of the world, of whom at most a share is in the table."""

    k: int
    share: float
    """1 if it does not matter who is in the table."""
    name: str = "presence"
    columns: tuple[str, ...] = (_MARK,)
    higher_is_safer: ClassVar[bool] = False
    monotone: ClassVar[bool] = True

    @property
    def threshold(self) -> float:
        return self.share

    def satisfied_by(self, classes: Classes) -> Flags:
        """Which classes have k people of the world, few enough in the table, strangers included."""
        inside, there = self._table_and_world_people(classes)
        many: Flags = there >= self.k
        if self.share >= 1:
            return many
        return many & (inside <= most_within_share(there, fraction(self.share)))

    def achieved_by(self, classes: Classes) -> float:
        """The largest share of a class's people of the world who are in the table, at most 1."""
        inside, there = self._table_and_world_people(classes)
        shares = inside / np.maximum(there, 1)
        return min(1.0, float(shares.max(initial=0.0)))

    def smallest_class(self) -> int:
        return self.k

    def _table_and_world_people(self, classes: Classes) -> tuple[Counts, Counts]:
        """The people of each class who are in the table, and those who are of the world."""
        strange = self._people_with_mark(classes, _STRANGE)
        return self._people_with_mark(classes, _PRESENT) + strange, classes.people - strange

    def _people_with_mark(self, classes: Classes, mark: int) -> Counts:
        """The people of each class who have this mark."""
        held = histogram_of(classes, self.name, _MARK)
        here = np.where(held.code == mark, held.count, 0)
        upto = np.concatenate([[0], np.cumsum(here)])
        found: Counts = upto[held.start[1:]] - upto[held.start[:-1]]
        return found


@plain(frozen=True, eq=False)
class _WorldDivision:
    """The people of a world, and what is asked of their classes."""

    people: Problem
    k: int
    """People that a class needs at least."""
    share: float
    """The share of them that may be in the table; 1 if that does not matter."""

    @classmethod
    def of(cls, problem: Problem, world: CandidateCounter) -> "_WorldDivision":
        """The people of the world and those of the table that it lacks; the k and share asked."""
        models = problem.models
        sizes = [max(m.smallest_candidate_set(), 1 / m.largest_presence()) for m in models]
        shares = [limit for model in models if (limit := model.largest_presence()) < 1]
        k = max(2, *(ceil(size - 1e-9) for size in sizes), 2)
        tally = _mark_everybody(problem, world, marked=bool(shares))
        whole = np.bincount(tally.sensitive[0], tally.counts, minlength=_STRANGE + 1)
        people = replace(
            problem,
            tally=tally,
            columns=tuple(_column_of_people(problem.columns[j], world) for j in world.places),
            sensitive=(SensitiveColumn(_MARK, whole.astype(np.int64)),),
            suppression=0.0,
            models=(KAnonymity(k),),
            loss=cell_loss(problem),
            missing=Missing.OWN_VALUE,
            consistent=True,
            world=None,
        )
        return cls(people, k, min(shares, default=1.0))

    def divisions(self, watch: Watch) -> Iterator[Spans]:
        """Yield divisions into classes of more and more people; those that fail are left out."""
        for times in _LADDER:
            if watch.expired and times > 1:
                return
            try:
                yield self._divide(self.k * times, watch)
            except (InfeasibleError, LimitError):
                continue

    def _divide(self, k: int, watch: Watch) -> Spans:
        """Divide people into classes of k within the share; errors as of `Search.run`."""
        asked = replace(self.people, models=(_ClassPresence(k, self.share),))
        if self.share < 1:
            return Spans(Mondrian().run(asked, watch).recoding.pieces)
        sized = replace(self.people, models=(KAnonymity(k),))
        pieces = Crowd().run(sized, watch).recoding.pieces
        return Spans(pieces) if not self.has_strangers else merge_failing_classes(asked, pieces)

    @property
    def has_strangers(self) -> bool:
        """Whether the table holds people whom the world lacks."""
        return bool((self.people.tally.sensitive == _STRANGE).any())


def _column_of_people(column: QuasiColumn, world: CandidateCounter) -> QuasiColumn:
    """A column as the people of the world fill it, if any has a value that the hierarchy knows."""
    held = people_by_leaf(world.world, column.name, column.hierarchy.leaves)
    return replace(column, frequency=held if held[1:].any() else column.frequency)


def _mark_everybody(problem: Problem, world: CandidateCounter, *, marked: bool) -> Tally:
    """The people of the world, and those of the table whom it lacks, as rows of cells and a mark.

    Of people with the same cells as many are `_PRESENT` as the table has, the others `_ABSENT`;
    whom the table has beyond them is `_STRANGE`. Unless `marked`, all people of the world are
    `_ABSENT`, and those of the table are `_STRANGE` if nobody of the world has their cells.
    """
    theirs, rows = _world_cells(world)
    mine = np.ascontiguousarray(lowest_codes(problem).T[list(world.places)])
    place, number = number_columns(np.concatenate([theirs, mine], axis=1))
    there, here = place[: theirs.shape[1]], place[theirs.shape[1] :]
    present = np.bincount(here, people_per_row(problem.tally), minlength=number).astype(np.int64)
    known = np.bincount(there, minlength=number)
    present = present if marked else np.where(known > 0, 0, present)
    mark = np.where(_turn_in_group(there, number) < present[there], _PRESENT, _ABSENT)
    lacking = np.maximum(present - known, 0)
    first = np.zeros(number, dtype=np.int64)
    first[here[::-1]] = np.arange(len(here))[::-1]
    strange = np.repeat(first, lacking)
    lines = np.concatenate([theirs, mine[:, strange]], axis=1)
    marks = np.concatenate([mark, np.full(len(strange), _STRANGE)]).astype(np.int32)
    if world.world.everybody_once:
        return fold(list(lines), [marks])
    nobody = np.zeros(len(strange), dtype=np.int32)
    return fold(list(lines), [marks], np.concatenate([world.world.person[rows], nobody]))


def _world_cells(world: CandidateCounter) -> tuple[Codes, Flags]:
    """The first codes of the cells of rows of the world, by column, and flags of these rows.

    They are the rows with a value that the hierarchy has, or none, in every column of the world.
    """
    lines = []
    rows: Flags = np.ones(world.world.rows, dtype=np.bool_)
    for one in world.columns:
        leaves = one.column.hierarchy.leaves
        codes = leaf_codes(world.world, one.column.name, leaves)
        rows &= flag_known_rows(world.world, one.column.name, leaves)
        lines.append(one.column.widen(codes, codes)[0])
    return np.ascontiguousarray(np.stack(lines)[:, rows]), rows


def _turn_in_group(group: Codes, number: int) -> Counts:
    """How many entries of the same group come before each entry."""
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group, minlength=number)
    turn: Counts = np.empty(len(group), dtype=np.int64)
    turn[order] = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return turn


def _protect_presence(problem: Problem, people: Problem, spans: Spans) -> GivenCells:
    """Cells of the table's records after joining classes of `people` that together tell too much.

    Cells can overlap where a column shows nodes, and then make presence surer than a model
    allows. Pairs of such classes are joined, until none is left or after `_MOST_ROUNDS`.
    """
    world = problem.world
    bounds = [limit for m in problem.models if (limit := m.largest_presence()) < 1]
    boxes, class_of = _given_cells(problem, people, spans)
    if world is None or not bounds:
        return boxes
    for _ in range(_MOST_ROUNDS):
        pairs = world.pairs_above_bound(problem.outcome(boxes), min(bounds) * (1 + 1e-9))
        if not len(pairs):
            break
        spans = _join_pairs(people, spans, class_of[pairs])
        boxes, class_of = _given_cells(problem, people, spans)
    return boxes


def _join_pairs(people: Problem, spans: Spans, pairs: Codes) -> Spans:
    """The classes with each of these pairs made one, but for pairs of a class just joined."""
    number = int(spans.pieces.class_of.max(initial=-1)) + 1
    place = np.arange(number, dtype=np.int32)
    taken = np.zeros(number, dtype=np.bool_)
    for one, other in pairs.tolist():
        if not taken[one] and not taken[other]:
            place[other] = one
            taken[one] = taken[other] = True
    class_of = np.unique(place[spans.pieces.class_of], return_inverse=True)[1].astype(np.int32)
    joined = Spans(replace(spans.pieces, class_of=class_of))
    return joined.merge_alike(people.tally, people.columns)


def _given_cells(problem: Problem, people: Problem, spans: Spans) -> tuple[GivenCells, Codes]:
    """The table's records in cells of the world's classes, and the world's class of each class.

    In columns that the world lacks records show their own cells. `spans` are classes of `people`.
    """
    places = () if problem.world is None else problem.world.places
    of_row = np.empty(people.tally.rows, dtype=np.int32)
    of_row[spans.pieces.row] = spans.pieces.class_of
    cells = np.ascontiguousarray(lowest_codes(problem).T)
    class_of = of_row[_find_columns(people.tally.quasi, cells[list(places)])]
    private = [j for j in range(len(problem.columns)) if j not in places]
    own = [_pool_codes(problem.columns[j], cells[j]) for j in private]
    place, number = number_columns(np.stack([class_of, *own]))
    first = first_rows(place)
    outcome = people.outcome(spans)
    shown = tuple(np.empty((len(problem.columns), number), dtype=np.int32) for _ in range(3))
    for i, j in enumerate(places):
        for matrix, of in zip(shown, (outcome.low, outcome.high, outcome.level), strict=True):
            matrix[j] = of[i, class_of[first]]
    for j in private:
        column, codes = problem.columns[j], problem.tally.quasi[j, first]
        shown[0][j], shown[1][j] = column.widen(codes, codes)
        shown[2][j] = column.lowest
    sets = value_sets(problem.tally, place, problem.columns)
    sets |= {places[i]: held.take(class_of[first]) for i, held in outcome.sets.items()}
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    pieces = Pieces(rows, problem.tally.counts, place)
    return GivenCells((shown[0], shown[1], shown[2]), pieces, sets), class_of[first]


def _pool_codes(column: QuasiColumn, codes: Codes) -> Codes:
    """The pool of each code, as values of a pool are shown together; without pools the codes."""
    return codes if column.pools is None else column.pools.of[codes]


def _find_columns(known: Codes, asked: Codes) -> Codes:
    """The place in the matrix `known` of each column of `asked`; it must hold them all."""
    place, number = number_columns(np.concatenate([known, asked], axis=1))
    at = np.empty(number, dtype=np.int32)
    at[place[: known.shape[1]]] = np.arange(known.shape[1], dtype=np.int32)
    return at[place[known.shape[1] :]]
