"""Records that fit in with few others: who is left out first, and what no release can exceed.

A record's *company* are the records that can be in one class with it within the bound. Both look
at the line of a mapping: the longest run within the bound that holds a record says how much company
it has there, and the records with the shortest runs are the *loners*. How much company the loners
have in the whole table is counted, and limits the privacy of every release.
"""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from incrowd.arrays import Codes, Counts, Flags
from incrowd.kernels.boxes import BoxCosts
from incrowd.kernels.literature import accuracy, accuracy_limits, diversify
from incrowd.partition.classes import number_columns
from incrowd.partition.csr import offsets
from incrowd.problem import Problem
from incrowd.search.literature.accuracy.answers import BoundedProblem
from incrowd.search.literature.diversify.groups import OrderedRecords
from incrowd.search.refusals import each_counts_once

_PEELS = 4
"""In how many steps loners are left out: who was near one that is gone is one more easily."""
_SPARE = 32
"""Rows whose company is counted beyond those that could all be left out."""
_LARGEST_WORK = 2**25
"""Pairs of rows that are worth comparing to know what no release can exceed."""


@dataclass(frozen=True, eq=False)
class RecordLine:
    """The records in the order of a mapping, and what their classes cost."""

    boxes: BoxCosts
    records: OrderedRecords


def code_starts(problem: Problem) -> Counts:
    """The place where each column's codes begin if columns stand one after the other."""
    return offsets([len(column.hierarchy.leaves) + 1 for column in problem.columns])


def staying_flags(quest: BoundedProblem, line: RecordLine) -> list[Flags]:
    """Flags of the records that stay, for each of one or three tries.

    The first try keeps all. If s records may be left out, and the table has more, a second one
    leaves out about s / 2 loners, and a third one s.
    """
    number, spare = len(line.records.row), quest.problem.suppressible
    stay = [np.ones(number, dtype=np.bool_)]
    if not spare or spare >= number:
        return stay
    kept = stay[0]
    for step in range(1, _PEELS + 1):
        kept = kept.copy()
        there = np.flatnonzero(kept)
        runs = _longest_runs(quest, line, there)
        go = spare * step // _PEELS - (number - len(there))
        kept[there[np.argsort(runs, kind="stable")[:go]]] = False
        if step in {_PEELS // 2, _PEELS}:
            stay.append(kept)
    return stay


def _longest_runs(quest: BoundedProblem, line: RecordLine, there: Counts) -> Counts:
    """The length of the longest run within the bound that holds each of these records of a line."""
    items = diversify.Lined(line.records.cells, line.records.row[there])
    first = accuracy.longest_run_starts(items, line.boxes, code_starts(quest.problem), quest.most)
    return accuracy_limits.longest_run_lengths(first)


def privacy_ceiling(quest: BoundedProblem, line: RecordLine) -> float:
    """A privacy that no release within the bound exceeds, as far as loners and the table tell.

    Of the records with the least company one more is taken than may be left out: one of them stays
    in any release, and has no more company than the last of them.
    """
    limit = float(most_possible_privacy(quest))
    if any(column.sets for column in quest.problem.columns):
        return limit  # sets cost less than the spans around them
    tally = quest.problem.tally
    box = number_columns(tally.quasi)[0]
    rows = _loneliest_rows(quest, line, box)
    if not len(rows):
        return limit
    values = tally.sensitive[quest.sensitive] if quest.sensitive is not None else tally.quasi[0]
    both = accuracy_limits.count_possible_company(
        line.records.cells, tally.counts, values, line.boxes, rows, quest.most
    )
    company = both[0] if quest.sensitive is None else both[1]
    order = np.argsort(company, kind="stable")
    held = np.bincount(box, weights=tally.counts)[box[rows[order]]]
    enough = np.cumsum(held) > quest.problem.suppressible
    return min(limit, float(company[order][enough].min(initial=np.iinfo(np.int64).max)))


def _loneliest_rows(quest: BoundedProblem, line: RecordLine, box: Codes) -> Codes:
    """Rows with the least company in the line, one of several equal ones.

    They stand for more records than may be left out. No rows if there are too many to compare. Rows
    of the same number in `box` are equal.
    """
    runs = _longest_runs(quest, line, np.arange(len(line.records.row)))
    rows = line.records.row[np.argsort(runs, kind="stable")]
    rows = rows[np.sort(np.unique(box[rows], return_index=True)[1])]
    upto = np.cumsum(np.bincount(box, weights=quest.problem.tally.counts)[box[rows]])
    need = int(np.searchsorted(upto, quest.problem.suppressible, side="right")) + 1
    number = min(need + _SPARE, len(rows))
    if need > len(rows) or number * len(line.records.cells) > _LARGEST_WORK:
        return rows[:0]
    return rows[:number]


def most_possible_privacy(quest: BoundedProblem) -> Fraction:
    """A privacy that no release exceeds, by the counts of the table alone.

    If sizes count, that is all records; else l of the table as one class after leaving out what may
    be, or the number of values if people count in several classes.
    """
    tally = quest.problem.tally
    if quest.sensitive is None:
        return Fraction(tally.records)
    counts = np.bincount(tally.sensitive[quest.sensitive], weights=tally.counts)
    counts = counts[counts > 0].astype(np.int64)
    if not each_counts_once(quest.problem):
        return Fraction(len(counts))
    least, caps = tally.records - quest.problem.suppressible, range(1, int(counts.max()))
    cap = 1 + bisect_left(caps, least, key=lambda cap: int(np.minimum(counts, cap).sum()))
    return Fraction(int(np.minimum(counts, cap).sum()), cap)
