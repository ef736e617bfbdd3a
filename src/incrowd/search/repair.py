"""Repair: classes that fail a model join others until none does.

Local recoding first makes classes that are large enough; what else the models ask for, and people
who stand in several classes, is seen to here. A class that fails joins the near one with which the
cost grows least, or the second best if only that one mends it. What the limits of columns forbid is
never done: a class that they forbid is taken apart first, and records that then find no class are
left out, as many as the policy lets go.

Also here: whether what was found may be released, by the search's own look before verification.

If people have several records, two classes that satisfy a model may fail it as one crowd, which a
missing value that matches anything makes of them. Who judges classes one by one does not see it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import SUPPRESSED, Codes, Counts, Flags, Floats
from incrowd.errors import InfeasibleError, count_of
from incrowd.kernels import histogram
from incrowd.kernels import repair as kernels
from incrowd.kernels.boxes import FORBIDDEN
from incrowd.loss.cells import ShownCells as Shown
from incrowd.loss.cells import cells_of
from incrowd.models.model import counts_world_people
from incrowd.partition.classes import Classes, classes_of, join_crowds, number_columns
from incrowd.partition.csr import offsets
from incrowd.problem import Problem
from incrowd.recoding import Outcome, Pieces, Spans
from incrowd.search.lattice.full_domain import number_kept
from incrowd.search.layout import boxes_of
from incrowd.search.refusals import nothing_found
from incrowd.table.column import Missing
from incrowd.table.tally import Tally

if TYPE_CHECKING:
    from incrowd.kernels.boxes import BoxCosts


_REACH = 4
"""How many places away a failing class first looks for a partner."""


def merge_failing_classes(problem: Problem, pieces: Pieces) -> Spans:
    """The recoding of these pieces, with every class satisfying every model.

    Classes that show the same are one. If people have several records, that can make a class fail
    whose parts did not, and so can records that its missing values match; it is then repaired too.
    `InfeasibleError` if classes cannot be repaired (see `repair`).
    """
    failing: Flags | None = None
    while True:
        pieces = repair(problem, pieces, failing)
        spans = Spans(pieces).merge_alike(problem.tally, problem.columns)
        spans = Spans(fold_pieces(spans.pieces))
        if problem.monotone:
            return spans
        failing = ~flag_safe_classes(problem, problem.outcome(spans))
        if not failing.any():
            return spans
        pieces = spans.pieces


def fold_pieces(pieces: Pieces) -> Pieces:
    """The pieces with those of one row and class added up, in the order of rows, then classes."""
    number = int(pieces.class_of.max(initial=-1)) + 2
    keys = pieces.row.astype(np.int64) * number + pieces.class_of + 1
    if (keys[1:] > keys[:-1]).all():
        return pieces
    order = np.argsort(keys, kind="stable").astype(np.int32)
    keys = keys[order]
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])).astype(np.int32)
    counts = np.add.reduceat(pieces.count[order], first)
    return Pieces(pieces.row[order[first]], counts, pieces.class_of[order[first]])


def join_pieces(parts: Sequence[Pieces]) -> Pieces:
    """The pieces of all parts, their classes numbered one part after the other."""
    first = offsets([int(part.class_of.max(initial=-1)) + 1 for part in parts]).tolist()
    numbers = [
        np.where(part.class_of < 0, SUPPRESSED, part.class_of + start)
        for part, start in zip(parts, first, strict=False)
    ]
    return Pieces(
        np.concatenate([part.row for part in parts]),
        np.concatenate([part.count for part in parts]),
        np.concatenate(numbers).astype(np.int32),
    )


def repair(problem: Problem, pieces: Pieces, failing: Flags | None = None) -> Pieces:
    """Join classes until each satisfies every model and every limit; return the pieces.

    Near classes must have near numbers; they keep their order. Those flagged as `failing` count
    as such even if they satisfy the models, unless limits take classes apart. If joining comes to
    nothing and there is no world, failing ones are left out, as far as the policy lets records go;
    else `InfeasibleError`.
    """
    try:
        return _Repair.of(problem, pieces, failing).run()
    except InfeasibleError:
        if not problem.suppressible or problem.world is not None:
            raise
        return _Repair.of(problem, pieces, failing, drops=True).run()


def flag_satisfying_classes(problem: Problem, pieces: Pieces) -> Flags:
    """Which classes of these pieces satisfy every model."""
    if problem.world is not None:
        return problem.satisfied_by(problem.outcome(Spans(pieces)).classes)
    cut = problem.tally.split(pieces.row, pieces.count)
    number = int(pieces.class_of.max(initial=-1)) + 1
    return problem.satisfied_by(classes_of(cut, pieces.class_of, number, problem.sensitive))


@dataclass
class _Repair:
    """Classes under repair: `low` and `high` are (classes, d), `fine` flags satisfying ones."""

    problem: Problem
    pieces: Pieces
    cut: Tally
    """One row per piece."""
    boxes: "BoxCosts"
    class_of: Codes
    low: Codes
    high: Codes
    records: Counts
    fine: Flags
    left_out: int
    """Records that are left out so far."""
    drops: bool = False
    """Whether failing classes are left out rather than joined, once so many records may be."""

    @classmethod
    def of(
        cls, problem: Problem, pieces: Pieces, failing: Flags | None = None, *, drops: bool = False
    ) -> "_Repair":
        """The classes, forbidden ones taken apart or left out; `InfeasibleError` if too many."""
        cut = problem.tally.split(pieces.row, pieces.count)
        quasi, class_of, boxes = problem.tally.quasi, pieces.class_of, boxes_of(problem)
        number = int(class_of.max(initial=-1)) + 1
        low, high = kernels.class_boxes(quasi, pieces.row, class_of, number)
        forbidden = kernels.box_costs(boxes, low, high) >= FORBIDDEN
        if forbidden.any():
            class_of = _split_forbidden(quasi[:, pieces.row], class_of, forbidden)
            number = int(class_of.max(initial=-1)) + 1
            low, high = kernels.class_boxes(quasi, pieces.row, class_of, number)
        classes = classes_of(cut, class_of, number, problem.sensitive)
        there = replace(pieces, class_of=class_of)
        fine = (
            flag_satisfying_classes(problem, there)
            if problem.world
            else problem.satisfied_by(classes)
        )
        if failing is not None and len(failing) == number:
            fine &= ~failing
        records = classes.records
        left_out = int(pieces.count[class_of < 0].sum())
        state = cls(
            problem, pieces, cut, boxes, class_of, low, high, records, fine, left_out, drops
        )
        state._leave_out(kernels.box_costs(boxes, low, high) >= FORBIDDEN)
        return state

    def run(self) -> Pieces:
        """The pieces, failing classes joined or left out; `InfeasibleError` if one cannot be."""
        while not self.fine.all():
            if self.drops and self.fine.any() and self._may_leave_out(~self.fine):
                self._drop(~self.fine)
                break
            failing = np.flatnonzero(~self.fine).astype(np.int32)
            partner, more = self._partners(failing)
            alone = np.zeros(len(self.fine), dtype=np.bool_)
            alone[failing[partner < 0]] = True
            if alone.any():
                self._leave_out(alone)
            else:
                self._join(failing, partner, np.argsort(more, kind="stable"))
        return replace(self.pieces, class_of=self.class_of)

    def _partners(self, failing: Codes) -> tuple[Codes, Floats]:
        """The best partner of each failing class, -1 for none, and the extra cost of joining it."""
        reach = _REACH
        partners = partial(
            kernels.best_partners, self.boxes, self.low, self.high, self.records, failing
        )
        both, more = partners(reach)
        while (both[:, 0] < 0).any() and reach < len(self.fine):
            reach *= 8
            both, more = partners(reach)
        second = self._flag_better_second(failing, both)
        chosen = np.where(second, both[:, 1], both[:, 0])
        return chosen, np.where(second, more[:, 1], more[:, 0])

    def _flag_better_second(self, failing: Codes, both: Codes) -> Flags:
        """Flags of the failing classes that the second partner in `both` repairs, not the first.

        No flag is set if no model reads values, people have several rows, or there is a world.
        """
        none = np.zeros(len(failing), dtype=np.bool_)
        reads = any(model.columns for model in self.problem.models)
        if not reads or len(self.cut.shared_row) or self.problem.world is not None:
            return none
        pairs = np.flatnonzero(both[:, 1] >= 0)
        first, second = (
            self._flag_satisfying_unions(failing[pairs], both[pairs, i]) for i in range(2)
        )
        none[pairs] = second & ~first
        return none

    def _flag_satisfying_unions(self, ones: Codes, others: Codes) -> Flags:
        """Flags of the pairs of classes (`ones`, `others`) that as one satisfy every model."""
        asked = np.zeros(len(self.fine) + 1, dtype=np.bool_)
        asked[ones] = asked[others] = True
        rows = np.flatnonzero(asked[self.class_of])
        by_class = rows[np.argsort(self.class_of[rows], kind="stable")].astype(np.int32)
        upto = np.arange(len(self.fine) + 1)
        start = np.searchsorted(self.class_of[by_class], upto).astype(np.int64)
        entry, place = histogram.expand_rows(start, np.stack([ones, others], axis=1).ravel())
        part = self.cut.take(by_class[entry])
        pair = (place // 2).astype(np.int32)
        return self.problem.satisfied_by(classes_of(part, pair, len(ones), self.problem.sensitive))

    def _join(self, failing: Codes, partner: Codes, turn: Counts) -> None:
        """Merge failing classes with their partners in order of `turn`; judge merged ones anew."""
        place, joined = kernels.pair_up(failing, partner, turn, len(self.fine))
        self._renumber(place, len(joined))
        if self.problem.world is not None:
            pieces = replace(self.pieces, class_of=self.class_of)
            self.fine = flag_satisfying_classes(self.problem, pieces)
            return
        self.fine[joined] = False
        rows = np.flatnonzero(np.append(joined, False)[self.class_of]).astype(np.int32)
        inside = number_kept(joined)[self.class_of[rows]]
        part = self.cut.take(rows)
        classes = classes_of(part, inside, int(joined.sum()), self.problem.sensitive)
        self.fine[joined] = self.problem.satisfied_by(classes)

    def _renumber(self, place: Codes, number: int) -> None:
        """Give class c the number `place[c]`: classes of equal numbers merge, -1 leaves one out."""
        kept = place >= 0
        low, high = kernels.join_boxes(self.low, self.high, place, number)
        fine = np.zeros(number, dtype=np.bool_)
        fine[place[kept]] = self.fine[kept]
        records = np.bincount(place[kept], weights=self.records[kept], minlength=number)
        self.low, self.high, self.fine, self.records = low, high, fine, records.astype(np.int64)
        self.class_of = np.append(place, SUPPRESSED).astype(np.int32)[self.class_of]

    def _leave_out(self, which: Flags) -> None:
        """Leave these classes out; `InfeasibleError` if too many, all, or no column has limits."""
        if not which.any():
            return
        if not _limited_columns(self.problem) or (len(which) == 1 and not self.left_out):
            raise nothing_found(self.problem)
        if not self._may_leave_out(which) or which.all():
            raise _limits_error(self.problem, self.left_out + int(self.records[which].sum()))
        self._drop(which)

    def _may_leave_out(self, which: Flags) -> bool:
        """Whether suppression allows to leave these classes out as well."""
        return self.left_out + int(self.records[which].sum()) <= self.problem.suppressible

    def _drop(self, which: Flags) -> None:
        """Leave these classes out, whatever suppression allows."""
        self.left_out += int(self.records[which].sum())
        self._renumber(number_kept(~which), int((~which).sum()))


def _split_forbidden(quasi: Codes, class_of: Codes, forbidden: Flags) -> Codes:
    """The class of each piece once forbidden ones are taken apart by codes (`quasi`), in order."""
    torn = np.append(forbidden, False)[class_of]
    equal = np.zeros(len(class_of), dtype=np.int64)
    equal[torn] = np.unique(quasi[:, torn], axis=1, return_inverse=True)[1].ravel()
    there = class_of >= 0
    keys = class_of[there].astype(np.int64) * (int(equal.max(initial=0)) + 1) + equal[there]
    apart = np.full(len(class_of), SUPPRESSED, dtype=np.int32)
    apart[there] = np.unique(keys, return_inverse=True)[1]
    return apart


def _limited_columns(problem: Problem) -> list[str]:
    """The names of the columns in which not every cell may be shown."""
    return [
        column.name
        for column in problem.columns
        if column.top < column.hierarchy.height or np.isfinite(column.widest)
    ]


def _limits_error(problem: Problem, left_out: int) -> InfeasibleError:
    """The error that limits of columns leave so many records without a class."""
    names = ", ".join(repr(name) for name in _limited_columns(problem))
    return InfeasibleError(
        f"within the limits of {names} this search found no class that satisfies the models for "
        f"{count_of(left_out, 'record')}, but only {problem.suppressible:,} may be left out",
        remedy=(
            'raise the limits of these columns, raise suppression, or use search = "auto", '
            "which tries several"
        ),
        proved=False,
    )


def is_safe(problem: Problem, outcome: Outcome) -> bool:
    """Whether all classes satisfy the models, and their crowds if missing matches anything."""
    return bool(flag_safe_classes(problem, outcome).all())


def flag_safe_classes(problem: Problem, outcome: Outcome) -> Flags:
    """Which classes satisfy the models, alone and with whoever they match."""
    fine = problem.satisfied_by(outcome.classes)
    if problem.missing is not Missing.MATCHES_ANYTHING or problem.monotone:
        return fine
    for flags in flags_by_model(problem, outcome):
        fine &= flags
    return fine


def crowds_are_safe(problem: Problem, outcome: Outcome) -> bool:
    """Whether the crowd of every class satisfies the models, as verification judges them."""
    return all(bool(flags.all()) for flags in flags_by_model(problem, outcome))


def flags_by_model(problem: Problem, outcome: Outcome) -> list[Flags]:
    """Per model, which classes satisfy it, as verification judges them.

    Models that count the people of a world judge what each class shows, the others its crowd.
    """
    crowds = judged_classes(problem, outcome)
    return [
        model.satisfied_by(outcome.classes if counts_world_people(model) else crowds)
        for model in problem.models
    ]


def judged_classes(problem: Problem, outcome: Outcome) -> Classes:
    """The classes as verification judges them: their crowds if missing matches anything.

    Crowds have no `world`: whom a class may be about is told by its own cells (`flags_by_model`).
    """
    if problem.missing is not Missing.MATCHES_ANYTHING:
        return outcome.classes
    return _crowds_of(outcome)


def _crowds_of(outcome: Outcome) -> Classes:
    """The crowd of each class: all classes that it could be if missing values match anything."""
    each = cells_of(outcome)
    missing = np.array([cells.missing for cells in each])
    nodes = np.array([_cell_numbers(cells) for cells in each], dtype=np.int32)
    return join_crowds(nodes, missing, outcome.classes, outcome.tally, outcome.class_of)


def _cell_numbers(cells: Shown) -> Codes:
    """A number for what each class shows in a column, equal for equal cells."""
    hidden = cells.suppressed
    if cells.sets is None:
        ends = [np.where(hidden, 0, end + 1) for end in (cells.low, cells.high)]
        return number_columns(np.array(ends, dtype=np.int32))[0]
    values = np.split(cells.sets.code, cells.sets.start[1:-1])
    number: dict[bytes, int] = {}
    texts = (b"" if h else held.tobytes() for h, held in zip(hidden, values, strict=True))
    return np.array([number.setdefault(text, len(number)) for text in texts], dtype=np.int32)
