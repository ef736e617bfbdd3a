"""Classes of the world's people, of which those in the table show theirs.

The world itself is divided into classes of k people, whoever of them is in the table, and every
record shows the cells of the class that a person like this is in. What a record shows then depends
on its values and the world alone: it tells nothing of who else is in the table, and everybody in
the class would show the same.
"""

from dataclasses import dataclass as plain
from dataclasses import replace
from math import ceil

import numpy as np

from incrowd.arrays import MISSING, Codes, Flags
from incrowd.classes import numbered
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.loss.cells import CellLoss
from incrowd.loss.ncp import Gcp
from incrowd.models.k_anonymity import KAnonymity
from incrowd.models.k_map import KMap
from incrowd.problem import Problem
from incrowd.recoding import Boxes, Pieces, Spans
from incrowd.search.mapping.mapping import lowest_codes
from incrowd.search.repair import mended
from incrowd.table.column import Domain, Kind
from incrowd.table.fold import fold
from incrowd.table.roles import Missing
from incrowd.table.tally import Tally
from incrowd.watch import Watch
from incrowd.world.counted import Counted
from incrowd.world.matching import leaves_of

_MOST_ROWS = 2**19
"""Worlds with more rows are not divided."""
_EDGES = 2
"""Who was put beside the first or last leaf of a class may not fit it: that many are spared."""


def by_partition(problem: Problem, watch: Watch) -> Boxes | None:
    """The classes of the world that hold records of the table; None where that is no way."""
    asked = [model.k for model in problem.models if isinstance(model, KMap)]
    world = problem.world
    if not asked or world is None or problem.missing is Missing.MATCHES_ANYTHING:
        return None
    if world.world.rows > _MOST_ROWS:
        return None
    return _shown(problem, world, *_divided(problem, world, max(asked), watch))


@plain(frozen=True, eq=False)
class _Leaves:
    """The rows of a world that can be divided, as leaves of the table's hierarchies."""

    lines: Codes
    rows: Flags
    """Which rows of the world they are: those with a leaf in every column."""
    beside: float
    """The values of a row that were put beside a leaf, on average."""

    @classmethod
    def of(cls, world: Counted) -> "_Leaves":
        lines, beside = [], 0.0
        rows: Flags = np.ones(world.world.rows, dtype=np.bool_)
        for one in world.columns:
            codes = world.world.columns[one.column.name].codes
            leaf, near = _near(one.domain, one.column.hierarchy)
            lines.append(leaf[codes])
            rows &= (lines[-1] != MISSING) | (codes == MISSING)
            beside += float(near[codes].mean())
        return cls(np.ascontiguousarray(np.stack(lines)[:, rows]), rows, beside)


def _near(domain: Domain, hierarchy: Hierarchy) -> tuple[Codes, Flags]:
    """The leaf of each code of the world, the nearest one where distance has a meaning.

    And which codes were put beside their leaf: whether the cells of a class stand for them is
    counted afterwards.
    """
    leaves = hierarchy.leaves
    leaf = np.append(np.int32(MISSING), leaves_of(domain, leaves))
    nowhere: Flags = np.zeros(len(leaf), dtype=np.bool_)
    if not hierarchy.ordered or domain.kind is not leaves.kind or domain.kind is Kind.TEXT:
        return leaf, nowhere
    place, known = domain.positions, leaves.positions
    after = np.clip(np.searchsorted(known, place), 1, max(len(known) - 1, 1))
    lower = place - known[after - 1] <= known[np.minimum(after, len(known) - 1)] - place
    nearest = np.where(lower, after, np.minimum(after + 1, len(known)))
    nowhere[1:] = leaf[1:] == MISSING
    leaf[1:] = np.where(nowhere[1:], nearest, leaf[1:])
    return leaf, nowhere


def _divided(problem: Problem, world: Counted, k: int, watch: Watch) -> tuple[Problem, Spans]:
    """The people of the world, and whoever of the table is not among them, in classes."""
    from incrowd.search.crowd.crowd import Crowd  # noqa: PLC0415  numba loads only when it runs

    leaves = _Leaves.of(world)
    people = replace(
        problem,
        tally=_everybody(problem, world, leaves),
        columns=tuple(replace(problem.columns[j], sets=False) for j in world.places),
        sensitive=(),
        suppression=0.0,
        models=(KAnonymity(k + ceil(_EDGES * leaves.beside - 0.5)),),
        loss=problem.loss if isinstance(problem.loss, CellLoss) else Gcp(),
        consistent=True,
        world=None,
    )
    spans = Spans(Crowd().run(people, watch).recoding.pieces)
    held = replace(people, models=(KMap(k),), world=world.alone())
    if held.satisfied(held.outcome(spans).classes).all():
        return people, spans
    return people, mended(held, spans.pieces)


def _everybody(problem: Problem, world: Counted, known: _Leaves) -> Tally:
    """All rows of the world, and those of the table that it lacks."""
    leaves = known.lines
    mine = np.ascontiguousarray(problem.tally.quasi[list(world.places)])
    place, number = numbered(np.concatenate([leaves, mine], axis=1))
    there = np.zeros(number, dtype=np.bool_)
    there[place[: leaves.shape[1]]] = True
    strange = np.flatnonzero(~there[place[leaves.shape[1] :]])
    lines = np.concatenate([leaves, mine[:, strange]], axis=1)
    if world.world.everybody_once:
        return fold(list(lines), ())
    nobody = np.zeros(len(strange), dtype=np.int32)
    return fold(list(lines), (), np.concatenate([world.world.person[known.rows], nobody]))


def _shown(problem: Problem, world: Counted, people: Problem, spans: Spans) -> Boxes:
    """The records of the table in the classes of the world, by their exact values elsewhere."""
    of_row = np.empty(people.tally.rows, dtype=np.int32)
    of_row[spans.pieces.row] = spans.pieces.class_of
    class_of = of_row[_places(people.tally.quasi, problem.tally.quasi[list(world.places)])]
    private = [j for j in range(len(problem.columns)) if j not in world.places]
    lowest = np.ascontiguousarray(lowest_codes(problem).T)[private]
    place, number = numbered(np.concatenate([class_of[np.newaxis], lowest]))
    first = np.zeros(number, dtype=np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    shown = tuple(np.empty((len(problem.columns), number), dtype=np.int32) for _ in range(3))
    outcome = people.outcome(spans)
    for i, j in enumerate(world.places):
        for matrix, of in zip(shown, (outcome.low, outcome.high, outcome.level), strict=True):
            matrix[j] = of[i, class_of[first]]
    for j in private:
        column = problem.columns[j]
        shown[2][j] = column.lowest
        ends = column.hierarchy.cover(shown[2][j], problem.tally.quasi[j, first])
        shown[0][j], shown[1][j] = ends
    rows = np.arange(problem.tally.rows, dtype=np.int32)
    return Boxes((shown[0], shown[1], shown[2]), Pieces(rows, problem.tally.counts, place))


def _places(known: Codes, asked: Codes) -> Codes:
    """The place of each column of one matrix among those of another, which has it once."""
    place, number = numbered(np.concatenate([known, asked], axis=1))
    at = np.empty(number, dtype=np.int32)
    at[place[: known.shape[1]]] = np.arange(known.shape[1], dtype=np.int32)
    return at[place[known.shape[1] :]]
