"""What is asked of the dual problem, and what counts as an answer to it.

An answer keeps the bound and satisfies the models. Whatever a method finds is judged here before
anything is said about it. Where records may be left out, classes that fail or lose too much are,
and what is left of that is spent on the least private classes.
"""

from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import SUPPRESSED, Codes, Counts, Flags, Floats
from incrowd.kernels import repair
from incrowd.kernels.boxes import FORBIDDEN
from incrowd.loss.ncp import Gcp, ncp_of_classes
from incrowd.models.k_anonymity import KAnonymity
from incrowd.models.l_diversity import LDiversity
from incrowd.models.model import Model
from incrowd.partition.classes import Classes, Histogram
from incrowd.problem import Problem
from incrowd.recoding import Outcome, Pieces, Spans
from incrowd.search.lattice.full_domain import number_kept
from incrowd.search.layout import boxes_of
from incrowd.search.literature.diversify.diversify import MappingName
from incrowd.search.repair import crowds_are_safe, fold_pieces, join_pieces

SLACK = 1e-9
"""Costs and privacies are sums of fractions."""
_HALVINGS = 24
"""How often the way to the l that leaving records out allows is halved."""


@dataclass(frozen=True, eq=False)
class BoundedProblem:
    """What is asked: a problem, the most that a class may cost, and what privacy means."""

    problem: Problem
    most: float
    sensitive: int | None
    """The sensitive column whose values must differ; None if only sizes count."""
    mapping: MappingName

    @property
    def whole_rows(self) -> bool:
        """Whether equal records must stay together, which the heuristic AC cannot do."""
        return self.problem.tally.has_units or self.problem.consistent

    def model(self, privacy: float) -> Model:
        """The model that asks for so much privacy: a whole k, at least 2, or l, at least 1."""
        if self.sensitive is None:
            return KAnonymity(max(int(privacy + SLACK), 2))
        return LDiversity(self.problem.sensitive[self.sensitive].name, max(privacy, 1.0))

    def privacy_of(self, classes: Classes) -> float:
        """The privacy of the least private class."""
        if self.sensitive is None:
            return KAnonymity(2).achieved_by(classes)
        return LDiversity(self.problem.sensitive[self.sensitive].name, 1).achieved_by(classes)


@dataclass(frozen=True, eq=False)
class BoundedAnswer:
    """A recoding within the bound that satisfies the models."""

    recoding: Spans
    outcome: Outcome
    privacy: float
    loss: float
    """By the loss of the problem."""

    def beats(self, other: "BoundedAnswer | None") -> bool:
        """Whether this answer is more private than the other, or as private with less loss."""
        if other is None or self.privacy > other.privacy + SLACK:
            return True
        return self.privacy >= other.privacy - SLACK and self.loss < other.loss - SLACK


def better_of(one: BoundedAnswer | None, other: BoundedAnswer | None) -> BoundedAnswer | None:
    """The better of two answers, the first if they are as good; None only if both are None."""
    return other if other is not None and other.beats(one) else one


def judge_answer(quest: BoundedProblem, found: Spans | Pieces) -> BoundedAnswer | None:
    """The answer that a recoding gives; None if it breaks the bound or fails a model.

    Classes that fail, or lose too much, are left out if the policy lets so many records go. If it
    lets more go, they are those that make the least private classes more private.
    """
    problem = quest.problem
    pieces = found.pieces if isinstance(found, Spans) else found
    spans = Spans(fold_pieces(pieces)).merge_alike(problem.tally, problem.columns)
    outcome = problem.outcome(spans)
    fine = problem.satisfied_by(outcome.classes) & (
        losses_of(problem, spans, outcome) <= quest.most
    )
    if not fine.all():
        left_out = outcome.suppressed + int(outcome.classes.records[~fine].sum())
        if left_out > problem.suppressible or not fine.any():
            return None
        spans = _keep_classes(problem, spans.pieces, fine)
        outcome = problem.outcome(spans)
    if outcome.suppressed > problem.suppressible or not crowds_are_safe(problem, outcome):
        return None
    answer = _answer_from(quest, spans, outcome)
    if outcome.suppressed == problem.suppressible:
        return answer
    return better_of(answer, _drop_weak_classes(quest, answer))


def _answer_from(quest: BoundedProblem, spans: Spans, outcome: Outcome) -> BoundedAnswer:
    """The answer that is this recoding, which must keep the bound and satisfy the models."""
    loss = quest.problem.loss.of(outcome)
    return BoundedAnswer(spans, outcome, quest.privacy_of(outcome.classes), loss)


def losses_of(problem: Problem, spans: Spans, outcome: Outcome) -> Floats:
    """The NCP of each class; the larger `FORBIDDEN` where a limit of a column is not kept."""
    losses = ncp_of_classes(outcome)
    pieces = spans.pieces
    low, high = repair.class_boxes(problem.tally.quasi, pieces.row, pieces.class_of, len(losses))
    costs = repair.box_costs(boxes_of(replace(problem, loss=Gcp())), low, high)
    kept: Floats = np.where(costs >= FORBIDDEN, FORBIDDEN, losses)
    return kept


def _keep_classes(problem: Problem, pieces: Pieces, fine: Flags) -> Spans:
    """The recoding with only the classes flagged as fine, all others left out."""
    numbers = np.append(number_kept(fine), SUPPRESSED).astype(np.int32)[pieces.class_of]
    spans = Spans(fold_pieces(replace(pieces, class_of=numbers)))
    return spans.merge_alike(problem.tally, problem.columns)


def _drop_weak_classes(quest: BoundedProblem, answer: BoundedAnswer) -> BoundedAnswer | None:
    """The best answer without the weakest classes, or some records of classes; None if none is."""
    problem, classes = quest.problem, answer.outcome.classes
    spare = problem.suppressible - answer.outcome.suppressed
    tries = [_keep_classes(problem, answer.recoding.pieces, _strong_classes(quest, classes, spare))]
    if quest.sensitive is not None and not quest.whole_rows:
        tries.append(_cap_commonest_values(quest, answer, spare))
    best: BoundedAnswer | None = None
    for spans in tries:
        outcome = problem.outcome(spans)
        fine = problem.satisfied_by(outcome.classes) & (
            losses_of(problem, spans, outcome) <= quest.most
        )
        within = outcome.suppressed <= problem.suppressible
        if within and fine.all() and len(fine) and crowds_are_safe(problem, outcome):
            best = better_of(best, _answer_from(quest, spans, outcome))
    return best


def _strong_classes(quest: BoundedProblem, classes: Classes, spare: int) -> Flags:
    """Flags of the classes that stay if the least private go, `spare` records of them at most."""
    each = _privacies(quest, classes)
    order = np.argsort(each, kind="stable")
    gone = np.cumsum(classes.records[order])
    first = min(int(np.searchsorted(gone, spare, side="right")), len(order) - 1)
    kept: Flags = each >= each[order[first]]
    return kept


def _privacies(quest: BoundedProblem, classes: Classes) -> Floats:
    """The privacy of each class."""
    if quest.sensitive is None:
        return classes.people.astype(np.float64)
    held = _histogram(quest, classes)
    tops = np.maximum.reduceat(held.count, held.start[:-1])
    each: Floats = classes.people / tops
    return each


def _cap_commonest_values(quest: BoundedProblem, answer: BoundedAnswer, spare: int) -> Spans:
    """The recoding after up to `spare` records of commonest values have left their classes.

    In each class a value keeps what l allows: the largest l for which at most `spare` must go.
    """
    classes = answer.outcome.classes
    low, high = answer.privacy, float(np.diff(_histogram(quest, classes).start).max())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        gone = int(classes.people.sum() - quest.model(middle).most_kept(classes).sum())
        low, high = (middle, high) if gone <= spare else (low, middle)
    caps = np.floor(quest.model(low).most_kept(classes) / low + SLACK).astype(np.int64)
    pieces = _cap_values(quest, answer.recoding.pieces, caps)
    return Spans(pieces).merge_alike(quest.problem.tally, quest.problem.columns)


def _histogram(quest: BoundedProblem, classes: Classes) -> Histogram:
    """Values per class of the sensitive column whose values count."""
    return classes.histograms[quest.problem.sensitive[quest.sensitive or 0].name]


def _cap_values(quest: BoundedProblem, pieces: Pieces, caps: Counts) -> Pieces:
    """The pieces with at most `caps[c]` records of one value in class c, the rest left out."""
    value = quest.problem.tally.sensitive[quest.sensitive or 0][pieces.row]
    order = np.lexsort((pieces.row, value, pieces.class_of))
    keys = pieces.class_of[order].astype(np.int64) * (int(value.max(initial=0)) + 1) + value[order]
    count, where = pieces.count[order], pieces.class_of[order]
    upto = np.cumsum(count)
    fresh: Flags = np.append(True, keys[1:] != keys[:-1])
    before = upto - count - np.maximum.accumulate(np.where(fresh, upto - count, 0))
    limit = np.where(where < 0, 0, caps[where])
    kept = np.clip(limit - before, 0, count)
    return _pieces_with_left_out(pieces.row[order], where, kept, count - kept)


def _pieces_with_left_out(row: Codes, class_of: Codes, kept: Counts, gone: Counts) -> Pieces:
    """The pieces of rows, `kept` of their records in classes and `gone` of them left out."""
    there, out = kept > 0, gone > 0
    nowhere = np.full(int(out.sum()), SUPPRESSED, dtype=np.int32)
    numbers = np.unique(class_of[there], return_inverse=True)[1].astype(np.int32)
    inside = Pieces(row[there], kept[there], numbers)
    return fold_pieces(join_pieces([inside, Pieces(row[out], gone[out], nowhere)]))
