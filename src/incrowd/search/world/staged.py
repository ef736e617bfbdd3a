"""Classes of as few records as the world allows, stage by stage.

Records whose exact values fit enough individuals of the world leave as they are. The others form
classes of at least two, and those that fit enough individuals stay; then of three, of five and so
on. Whoever knows this can tell that a record which does not leave as it is belongs to none of the
people whose records would: they do not count for later stages. Records that are left over join the
class with which the loss grows least, but none of those that leave as they are; if too few people
are left for that, all records form one class. These classes show what their own records span: the
world that they are held against counts each by the part of it that fits fewest (`world.guarded`),
unless ends may be exact. Where a value may be another, as missing ones that match anything, nothing
can be told so and everybody counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.errors import InfeasibleError, LimitError
from incrowd.linkage.candidates import CandidateCounter
from incrowd.models.k_anonymity import KAnonymity
from incrowd.models.model import Model
from incrowd.partition.classes import number_columns
from incrowd.problem import Problem
from incrowd.recoding import Pieces, Spans
from incrowd.search.crowd.crowd import Crowd
from incrowd.search.layout import lowest_codes
from incrowd.search.orders.tree import kd_order
from incrowd.search.repair import fold_pieces, join_pieces, merge_failing_classes
from incrowd.watch import Watch

_LADDER = (2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200)
"""People per class, stage by stage."""


def divide_by_stages(problem: Problem, watch: Watch) -> Spans:
    """Make classes as small as the world allows; `InfeasibleError` if all as one class fail."""
    if problem.world is None:
        raise ValueError("a world is needed")
    exact, rest = _release_exact(problem, problem.world)
    if not len(rest.row):
        return Spans(exact)
    part = replace(problem, tally=problem.tally.take(rest.row), world=rest.world)
    try:
        others = _run_stages(part, rest.world, watch).pieces
    except InfeasibleError:
        every = np.arange(problem.tally.rows, dtype=np.int32)
        return merge_failing_classes(
            problem, Pieces(every, problem.tally.counts, np.zeros_like(every))
        )
    others = replace(others, row=rest.row[others.row])
    return Spans(fold_pieces(join_pieces([exact, others])))


@dataclass(frozen=True, eq=False)
class _Rest:
    """Rows that do not leave as they are, and the people whose rows they may be."""

    row: Codes
    world: CandidateCounter


def _release_exact(problem: Problem, world: CandidateCounter) -> tuple[Pieces, _Rest]:
    """The records that leave as they are, as enough people are like them, and the rest.

    All are the rest where cells overlap, so that it is not clear who is like whom.
    """
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    spans = Spans(Pieces(rows, problem.tally.counts, _classes_of_equal(problem)))
    shown = problem.outcome(spans)
    fine = problem.satisfied_by(shown.classes)
    cells = (matrix[:, fine] for matrix in (shown.low, shown.high, shown.level))
    told = world.flag_rows_within(*cells)
    if told is None:
        return Pieces(rows[:0], problem.tally.counts[:0], rows[:0]), _Rest(rows, world)
    asked = _world_models(problem)
    sizes = [model.smallest_candidate_set() for model in asked]
    like = world.flag_crowded_rows(max(sizes)) if all(sizes) else told
    stay = fine[spans.pieces.class_of]
    class_of = np.unique(spans.pieces.class_of[stay], return_inverse=True)[1].astype(np.int32)
    exact = Pieces(rows[stay], problem.tally.counts[stay], class_of)
    return exact, _Rest(rows[~stay], world.without_rows(told | like))


def _run_stages(problem: Problem, world: CandidateCounter, watch: Watch) -> Spans:
    """Classes of two people or more, then three and so on; `InfeasibleError` if some find none."""
    every = np.arange(problem.tally.rows, dtype=np.int32)
    stages = _Stages(problem, world, every, problem.tally.counts)
    for k in _stage_sizes(problem):
        if not len(stages.row):
            break
        stages.add_classes(k, watch)
    return merge_failing_classes(problem, stages.gather())


def _world_models(problem: Problem) -> list[Model]:
    """The models that ask about the world."""
    return [model for model in problem.models if "world" in model.requires]


def _stage_sizes(problem: Problem) -> Iterator[int]:
    """Yield the people per class of each stage, up to what models ask of the world, if known."""
    asked = [model.smallest_candidate_set() for model in _world_models(problem)]
    most = max(asked) if all(asked) else _LADDER[-1]
    yield from (k for k in _LADDER if k < most)
    yield most


@dataclass
class _Stages:
    """Classes that stay, and the rows that are in none yet."""

    problem: Problem
    world: CandidateCounter
    row: Codes
    count: Counts
    """The rest: so many records of these rows are in no class yet."""
    done: list[Pieces] = field(default_factory=list)
    """Of rows of the problem's tally; classes are numbered from 0 in each."""

    @property
    def others(self) -> tuple[Model, ...]:
        """The models that do not ask about the world."""
        return tuple(model for model in self.problem.models if "world" not in model.requires)

    def add_classes(self, k: int, watch: Watch) -> None:
        """Let classes of at least k people stay that fit enough individuals of the world."""
        models = (*self.others, KAnonymity(k))
        part = replace(self._rest_problem(), models=models, world=None)
        try:
            spans = Crowd().run(part, watch).recoding
        except (InfeasibleError, LimitError):
            return
        self._keep(spans.pieces, self._which_satisfy(part, Spans(spans.pieces)))

    def gather(self) -> Pieces:
        """All classes as pieces, those of the rest as they are; near classes get near numbers."""
        alone = Pieces(self.row, self.count, _classes_of_equal(self._rest_problem()))
        every = join_pieces([*self.done, alone])
        return replace(every, class_of=_renumber_near(self.problem, every.row, every.class_of))

    def _rest_problem(self) -> Problem:
        """The problem of the records that are in no class yet."""
        return replace(self.problem, tally=self.problem.tally.split(self.row, self.count))

    def _which_satisfy(self, part: Problem, spans: Spans) -> Flags:
        """Which classes satisfy every model, those of the world by the people that still count."""
        part = replace(part, models=self.problem.models, world=self.world)
        return part.satisfied_by(part.outcome(spans).classes)

    def _keep(self, pieces: Pieces, fine: Flags) -> None:
        """Keep the classes flagged as fine; the records of all others are the rest."""
        stay = np.append(fine, False)[pieces.class_of]
        self.done.append(self._take_pieces(pieces, stay))
        rest = self._take_pieces(pieces, ~stay)
        self.row, self.count = rest.row, rest.count

    def _take_pieces(self, pieces: Pieces, which: Flags) -> Pieces:
        """Some pieces of the rest as pieces of the whole table, their classes without a gap."""
        class_of = np.unique(pieces.class_of[which], return_inverse=True)[1]
        row = self.row[pieces.row[which]]
        return Pieces(row, pieces.count[which], class_of.astype(np.int32))


def _classes_of_equal(problem: Problem) -> Codes:
    """The class of each row: one class for rows whose finest nodes or cells agree everywhere."""
    return number_columns(np.ascontiguousarray(lowest_codes(problem).T))[0]


def _renumber_near(problem: Problem, row: Codes, class_of: Codes) -> Codes:
    """The classes renumbered in the order of a tree of cuts, so that near ones are neighbours."""
    rank: Counts = np.empty(problem.tally.rows, dtype=np.int64)
    rank[kd_order(problem)] = np.arange(problem.tally.rows)
    first = np.full(int(class_of.max(initial=-1)) + 1, problem.tally.rows, dtype=np.int64)
    np.minimum.at(first, class_of, rank[row])
    number = np.empty(len(first), dtype=np.int32)
    number[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
    return number[class_of]
