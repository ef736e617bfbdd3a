"""Who is left out where a sensitive value is too common for the models.

Where the table as one class fails a model, so does every division of it in which nobody counts
twice: some records must be left out before any search can find classes. Which values they hold the
models decide; of the records that hold them those go first whose other values are rarest, since
they cost most to hide.

What stays then just satisfies the models, and hardly any division of it does. So half as many
records again are left out in a second try, if they may be, and the release that loses less is
taken.
"""

from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import SUPPRESSED, Codes, Counts, Flags, Floats
from incrowd.errors import InfeasibleError, LimitError, count_of
from incrowd.kernels import subsets
from incrowd.models.model import Model
from incrowd.partition.classes import Histogram, classes_of, number_columns
from incrowd.problem import Problem
from incrowd.recoding import Pieces
from incrowd.search.refusals import as_one_class, each_counts_once, nothing_found
from incrowd.search.repair import fold_pieces, join_pieces
from incrowd.search.search import Found
from incrowd.search.small_tables.partitions import PartClasses
from incrowd.search.small_tables.small_table import SmallTable

_FEW = 2**12
"""Of a table with at most so many parts every part is tried."""
_TURNS = 50
"""How often models take turns in leaving out what they must."""


def search_after_leaving_out(
    problem: Problem, run: Callable[[Problem], Found], *, by_itself: bool = False
) -> Found:
    """Leave out the records that the models rule out, then run a search on the rest.

    The whole table is searched if it satisfies the models as one class, no model reads values, or
    nothing may be left out. It is tried first if people have several records, or missing values
    match anything: the table as one class says little then; or if the search leaves out failing
    classes `by_itself`. `InfeasibleError` if too many records would have to be left out.
    """
    reads = any(model.columns for model in problem.models)
    if not reads or not problem.suppressible or _satisfied_as_one_class(problem):
        return run(problem)
    if by_itself or not each_counts_once(problem):
        with suppress(InfeasibleError):
            return run(problem)
    stay = staying_part(problem)
    if stay is None:
        raise nothing_found(problem)
    founds = [_search_rest(stay, run)]
    more = min(stay.left_out // 2, problem.suppressible - stay.left_out)
    fewer = staying_part(problem, more) if more else None
    if fewer is not None and fewer.left_out > stay.left_out:
        with suppress(InfeasibleError, LimitError):
            founds.append(_search_rest(fewer, run))
    return min(founds, key=lambda found: problem.loss.of(problem.outcome(found.recoding)))


def _search_rest(stay: "StayingPart", run: Callable[[Problem], Found]) -> Found:
    """Search among the records that stay; return the result for the whole table."""
    found = run(stay.problem)
    out = count_of(stay.left_out, "record")
    why = f"{found.why}; {out} with too common sensitive values left out first"
    recoding = found.recoding.with_divisible_classes()
    pieces = stay.pieces_of_whole(recoding.pieces)
    recoding = replace(recoding, pieces=pieces)  # type: ignore[type-var]
    return replace(found, recoding=recoding, optimal=False, why=why)


@dataclass(frozen=True, eq=False)
class StayingPart:
    """The part of a table that satisfies every model as one class."""

    whole: Problem
    rows: Codes
    """The rows of the table of which anything stays."""
    counts: Counts
    """Records of each of these rows that stay."""

    @property
    def left_out(self) -> int:
        """Records that do not stay."""
        return self.whole.tally.records - int(self.counts.sum())

    @property
    def problem(self) -> Problem:
        """The problem of these records alone, with what is left of the policy's suppression."""
        tally = self.whole.tally.split(self.rows, self.counts)
        left = self.whole.suppressible - self.left_out
        return replace(self.whole, tally=tally, suppression=left / max(tally.records, 1))

    def pieces_of_whole(self, pieces: Pieces) -> Pieces:
        """The pieces of what stays as pieces of the whole table, all others being left out."""
        counts = self.whole.tally.counts.copy()
        counts[self.rows] -= self.counts
        out = np.flatnonzero(counts).astype(np.int32)
        nowhere = np.full(len(out), SUPPRESSED, dtype=np.int32)
        mine = replace(pieces, row=self.rows[pieces.row])
        return fold_pieces(join_pieces([mine, Pieces(out, counts[out], nowhere)]))


def staying_part(problem: Problem, more: int = 0) -> StayingPart | None:
    """A part of the table that satisfies every model as one class, few records being left out.

    None if none was found; for small tables without a world there is none then. For others it is
    as large as can be if one model of one column must leave out records; several take turns, and
    the first leaves out `more` records beyond those that must be. Small tables ignore `more`.
    """
    small = _largest_satisfying_part(problem)
    stay = _leave_out_in_turns(problem, more) if small is None else small
    if not stay.any():
        return None
    rows = np.flatnonzero(stay).astype(np.int32)
    found = StayingPart(problem, rows, stay[rows])
    may_be = found.left_out <= problem.suppressible
    return found if may_be and _satisfied_as_one_class(found.problem) else None


def _satisfied_as_one_class(problem: Problem) -> bool:
    """Whether the table as one class satisfies every model."""
    return bool(problem.satisfied_by(as_one_class(problem)).all())


def _largest_satisfying_part(problem: Problem) -> Counts | None:
    """Records by row of the largest part that satisfies every model as one class, or all 0.

    None if parts are not tried: the table is large, or there is a world.
    """
    if 2**problem.tally.rows > _FEW or problem.world is not None:
        return None
    table = SmallTable.of(problem)
    if table.parts > _FEW:
        return None
    digits = subsets.part_digits(table.copies)
    records = digits @ table.weight
    some = np.flatnonzero((records >= records[-1] - problem.suppressible) & (records > 0))
    fine = some[problem.satisfied_by(PartClasses(problem, table).classes(digits[some]))]
    stay = np.zeros(problem.tally.rows, dtype=np.int64)
    if len(fine):
        best = fine[np.argmax(records[fine])]
        pieces = table.pieces(problem.tally, digits[[best]])
        inside = pieces.class_of == 0
        np.add.at(stay, pieces.row[inside], pieces.count[inside])
    return stay


def _leave_out_in_turns(problem: Problem, more: int) -> Counts:
    """Records by row that stay as models in turn leave out what they must, the first `more` too."""
    tally = problem.tally
    stay = tally.counts.copy()
    whole_rows = tally.has_units or problem.consistent
    group = number_columns(tally.quasi)[0]
    frequency = np.bincount(group, weights=tally.counts)[group]
    codes = dict(zip((c.name for c in problem.sensitive), tally.sensitive, strict=True))
    for _ in range(_TURNS):
        before = int(stay.sum())
        for model in problem.models:
            excess = _excess_holders(problem, model, stay, more)
            if excess is not None:
                more = 0
                code = codes[model.columns[0]]
                _remove_excess(stay, code, excess[code], frequency, whole=whole_rows)
        if int(stay.sum()) == before or not stay.any():
            break
    return stay


def _excess_holders(problem: Problem, model: Model, stay: Counts, more: int) -> Counts | None:
    """How many holders of each sensitive code must go: what a model asks for, and `more` in all.

    `stay`: records left by row. None if the model reads no values or is satisfied, or none is left.
    """
    rows = np.flatnonzero(stay).astype(np.int32)
    if not model.columns or not len(rows):
        return None
    here = problem.tally.split(rows, stay[rows])
    whole = classes_of(here, np.zeros(len(rows), dtype=np.int32), 1, problem.sensitive)
    if model.satisfied_by(whole).all():
        return None
    held = whole.histograms[model.columns[0]]
    counts = np.zeros(len(held.column.whole), dtype=np.int64)
    counts[held.code] = held.count
    most = max(int(model.most_kept(whole)[0]) - more, 0)
    return counts - _share_out(model, held, counts, most)


def _share_out(model: Model, held: Histogram, counts: Counts, most: int) -> Counts:
    """Holders of each code that stay if `most` do: as even as can be, or as in the whole table."""
    if "reference" in model.requires:
        return _nearest_counts(counts, held.column.shares * most, most)
    return even_counts(counts, most)


def _nearest_counts(counts: Counts, wanted: Floats, total: int) -> Counts:
    """Counts near `wanted` that sum to `total`, none above `counts`: largest fractions round up."""
    kept = np.minimum(counts, np.floor(wanted).astype(np.int64))
    part = np.where(counts > kept, wanted - kept, 0.0)
    order = np.argsort(-part, kind="stable")[: max(total - int(kept.sum()), 0)]
    kept[order] += counts[order] > kept[order]
    room = counts - kept
    before = np.cumsum(room) - room
    more: Counts = np.clip(total - int(kept.sum()) - before, 0, room)
    return kept + more


def even_counts(counts: Counts, total: int) -> Counts:
    """The most even counts with this total of which none is above those given.

    >>> even_counts(np.array([5, 1, 4]), 7).tolist()
    [3, 1, 3]
    >>> even_counts(np.array([5, 1, 4]), 6).tolist()
    [3, 1, 2]
    """
    caps = range(1, int(counts.max(initial=0)) + 1)
    cap = bisect_right(caps, total, key=lambda cap: int(np.minimum(counts, cap).sum()))
    kept = np.minimum(counts, cap)
    more = np.flatnonzero(counts > cap)[: total - int(kept.sum())]
    kept[more] += 1
    return kept


def _remove_excess(
    stay: Counts, code: Codes, excess: Counts, frequency: Counts, *, whole: bool
) -> None:
    """Take each code's excess from `stay`, in place, rows of low `frequency` first.

    All but `excess`, which is by code, are by row of the tally. If rows go `whole`, more may go.
    """
    order = np.lexsort((frequency, code))
    there = stay[order]
    upto = np.cumsum(there)
    fresh: Flags = np.append(True, np.diff(code[order]) > 0)
    first = np.maximum.accumulate(np.where(fresh, upto - there, 0))
    before = upto - there - first
    if whole:
        gone = np.where(before < excess[order], there, 0)
    else:
        gone = np.clip(excess[order] - before, 0, there)
    stay[order] -= gone
