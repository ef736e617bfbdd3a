"""Less loss for the same privacy: loss that buys no privacy is taken back.

One class alone decides how private a release is. The others are often larger than they need be:
each is divided again, as long as its parts are as private as the release. No part costs more than
the class that it is of, so the bound holds.
"""

from dataclasses import replace

import numpy as np

from incrowd.arrays import Codes
from incrowd.errors import InfeasibleError, LimitError
from incrowd.loss.ncp import ncp_of_classes
from incrowd.problem import Problem
from incrowd.recoding import Pieces
from incrowd.search.literature.accuracy.answers import (
    SLACK,
    BoundedAnswer,
    BoundedProblem,
    judge_answer,
)
from incrowd.search.mondrian import Mondrian
from incrowd.search.repair import fold_pieces, join_pieces
from incrowd.watch import Watch

_MOST = 256
"""How many classes are divided again if nothing else is said."""


def recut_dearest_classes(
    quest: BoundedProblem, answer: BoundedAnswer, watch: Watch, most: int = _MOST
) -> BoundedAnswer:
    """The answer with its `most` dearest classes cut again if that is as private and loses less."""
    other = judge_answer(quest, _cut_dearest(quest, answer, watch, most))
    if other is None or other.privacy < answer.privacy - SLACK:
        return answer
    return other if other.loss < answer.loss - SLACK else answer


def _cut_dearest(quest: BoundedProblem, answer: BoundedAnswer, watch: Watch, most: int) -> Pieces:
    """The pieces of an answer after its `most` dearest classes are cut, as far as they can be."""
    pieces = answer.recoding.pieces
    model = quest.model(answer.privacy - SLACK)
    asked = replace(quest.problem, models=(*quest.problem.models, model), suppression=0.0)
    classes = answer.outcome.classes
    lost = ncp_of_classes(answer.outcome) * classes.records
    order = np.argsort(pieces.class_of, kind="stable").astype(np.int32)
    start = np.searchsorted(pieces.class_of[order], np.arange(len(classes) + 1))
    small = classes.people < 2 * answer.privacy - SLACK  # each part is that private, so as large
    lost[small] = 0.0
    taken = [c for c in np.argsort(-lost, kind="stable")[:most] if lost[c] > 0]
    cut = [_cut_class(asked, pieces, order[start[c] : start[c + 1]], watch) for c in taken]
    return _replace_pieces(pieces, [one for one in cut if one is not None])


def _cut_class(
    problem: Problem, pieces: Pieces, which: Codes, watch: Watch
) -> tuple[Codes, Pieces] | None:
    """The pieces of one class cut into several, and which they were; None if they cannot be."""
    if len(which) < 2 or watch.expired:
        return None
    rows = pieces.row[which]
    alone = replace(problem, tally=problem.tally.split(rows, pieces.count[which]))
    try:
        found = Mondrian(relaxed=True).run(alone, watch).recoding.pieces
    except (InfeasibleError, LimitError):
        return None
    if found.class_of.max() < 1 or found.class_of.min() < 0:
        return None
    return which, replace(found, row=rows[found.row])


def _replace_pieces(pieces: Pieces, cut: list[tuple[Codes, Pieces]]) -> Pieces:
    """The pieces after each cut class is replaced by its parts, which get numbers of their own."""
    stay = np.ones(len(pieces.row), dtype=np.bool_)
    for which, _ in cut:
        stay[which] = False
    rest = Pieces(pieces.row[stay], pieces.count[stay], pieces.class_of[stay])
    joined = join_pieces([rest, *(part for _, part in cut)])
    shown = joined.class_of >= 0
    joined.class_of[shown] = np.unique(joined.class_of[shown], return_inverse=True)[1]
    return fold_pieces(joined)
