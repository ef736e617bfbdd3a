"""Who a released row may be if every row is somebody else's (Bettini Definition 7).

By containment a row may be anybody whom its labels fit. Somebody who knows that the rows are about
different people can rule more of them out: a person is a candidate of a row only if all rows can be
given to different people so that this row is that person's. Tassa, Mazza and Gionis call a table in
which k people are left for every row k-concealed (*k-concealment*, 2012).

Rows that fit the same people are one line, and people whom the same lines fit are one group, so
that giving rows to people is a flow from lines to groups. An edge carries something in some flow of
all rows if it lies in a strongly connected component of what a flow leaves (Régin 1994, for
matchings).
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from incrowd.arrays import Counts, Flags
from incrowd.lazy import module
from incrowd.partition.csr import entries, offsets_of

sparse = module("scipy.sparse")
csgraph = module("scipy.sparse.csgraph")

MOST_PAIRS = 2**22
"""Pairs of a line and somebody whom it fits; more are not counted."""
MOST_EDGES = 2**20
"""Pairs of a line and a group of people; more are not counted."""


@dataclass(frozen=True, eq=False)
class FittingPairs:
    """Whom distinct released rows fit: pairs of a line and a person, each once."""

    line: Counts
    person: Counts
    rows: Counts
    """Released rows of each line."""

    def keep_people(self, people: Flags) -> "FittingPairs":
        """The pairs of these people alone; lines keep their numbers and rows."""
        there = people[self.person]
        return FittingPairs(self.line[there], self.person[there], self.rows)


@dataclass(frozen=True, eq=False)
class Concealed:
    """How many people are left for each line after matching."""

    candidates: Counts | None
    """None if the rows cannot all be different people: the world then contradicts the release."""

    @property
    def k(self) -> int | None:
        """The fewest people left for a row; None without rows, or if they contradict the world."""
        if self.candidates is None or not len(self.candidates):
            return None
        return int(self.candidates.min())


def count_after_matching(pairs: FittingPairs) -> Concealed | None:
    """Count whom each line may still be after matching; None if there is too much to count."""
    if len(pairs.line) > MOST_PAIRS:
        return None
    line, group, people = _pairs_by_group(pairs)
    if len(line) > MOST_EDGES:
        return None
    lines, groups = len(pairs.rows), len(people)
    flow = _route_rows((line, group), pairs.rows, people)
    if flow is None:
        return Concealed(None)
    used, spare = flow
    # What is left: along each edge, back where it carries rows, and through the sink where groups
    # have people to spare.
    sink = lines + groups
    to_group = (line, lines + group)
    back = (lines + group[used], line[used])
    taken = np.bincount(group[used], minlength=groups) > 0
    out = (lines + np.flatnonzero(spare), np.full(int(spare.sum()), sink))
    into = (np.full(int(taken.sum()), sink), lines + np.flatnonzero(taken))
    start, end = (np.concatenate(side) for side in zip(to_group, back, out, into, strict=True))
    graph = sparse.csr_array((np.ones(len(start), np.int8), (start, end)), (sink + 1, sink + 1))
    _, part = csgraph.connected_components(graph, connection="strong")
    kept = part[line] == part[lines + group]
    left = np.bincount(line[kept], weights=people[group[kept]], minlength=lines)
    return Concealed(left.astype(np.int64))


def _pairs_by_group(pairs: FittingPairs) -> tuple[Counts, Counts, Counts]:
    """Group people who fit the same lines: return pairs of line and group, and people per group."""
    order = np.lexsort((pairs.line, pairs.person))
    line = pairs.line[order]
    _, place = np.unique(pairs.person[order], return_inverse=True)
    start = offsets_of(place, int(place.max(initial=-1)) + 1)
    number: dict[bytes, int] = {}  # people with the same lines have the same number
    lists = (line[a:b].tobytes() for a, b in pairwise(start.tolist()))
    group_of = np.array([number.setdefault(one, len(number)) for one in lists], dtype=np.int64)
    _, first, people = np.unique(group_of, return_index=True, return_counts=True)
    entry, group = entries(start, first)
    return line[entry], group, people.astype(np.int64)


def _route_rows(
    edges: tuple[Counts, Counts], rows: Counts, people: Counts
) -> tuple[Flags, Flags] | None:
    """Which edges (line, group) carry rows, which groups can spare people; None if not all flow."""
    line, group = edges
    lines, groups = len(rows), len(people)
    sink = lines + groups + 1
    start = np.concatenate([np.zeros(lines, np.int64), line + 1, lines + 1 + np.arange(groups)])
    end = np.concatenate([1 + np.arange(lines), lines + 1 + group, np.full(groups, sink)])
    most = np.concatenate([rows, np.minimum(rows[line], people[group]), people])
    shape = (sink + 1, sink + 1)
    graph = sparse.csr_array((most.astype(np.int32), (start, end)), shape)
    found = csgraph.maximum_flow(graph, 0, sink)
    if found.flow_value < rows.sum():
        return None
    carried = found.flow.tocsr()
    used: Flags = np.asarray(carried[line + 1, lines + 1 + group]).ravel() > 0
    out = np.asarray(carried[lines + 1 + np.arange(groups), np.full(groups, sink)]).ravel()
    return used, out < people
