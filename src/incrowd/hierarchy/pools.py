"""What sets may name: values that many people hold, nodes over rare values, and the rest as one.

A set that names a value which one person holds tells that this person is in the table. So a set
names a value only if at least k people hold it. Rare values are pooled under the lowest node under
which k people hold such, and shown as that node, which lists nothing that anybody has; what is left
is shown as `*others*`: every value that no label of the column names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Texts
from incrowd.hierarchy.decoding import runs_of
from incrowd.hierarchy.hierarchy import Hierarchy
from incrowd.hierarchy.labels import write_set

_APART = -1
"""The level of a pool that is no node: `*others*`."""


@dataclass(frozen=True, eq=False, repr=False)
class Pools:
    """The members that sets may have: values, nodes, and `*others*`; member 0 is missing.

    A node stands for all its leaves, also for those that are members of their own.
    """

    of: Codes
    """The member that each code is shown as."""
    level: Codes
    """By member: the level of the node that it is, 0 for a value, -1 for `*others*`."""
    hierarchy: Hierarchy

    @cached_property
    def others(self) -> int | None:
        """The member `*others*`; None if there is none."""
        apart = np.flatnonzero(self.level == _APART)
        return int(apart[0]) if len(apart) else None

    @cached_property
    def first(self) -> Codes:
        """The first code of each member."""
        return self._bounds[0]

    @cached_property
    def last(self) -> Codes:
        """The last code of each member."""
        return self._bounds[1]

    @cached_property
    def leaves(self) -> Counts:
        """How many leaves each member stands for; missing counts as one."""
        leaves: Counts = (self.last - self.first + 1).astype(np.int64)
        leaves[self.level == _APART] = np.bincount(self.of)[self.level == _APART]
        return leaves

    @cached_property
    def _bounds(self) -> tuple[Codes, Codes]:
        """The first and the last code of each member; a node reaches to its outermost leaves."""
        low = np.full(len(self.level), len(self.of), dtype=np.int32)
        high = np.zeros(len(self.level), dtype=np.int32)
        codes = np.arange(len(self.of), dtype=np.int32)
        np.minimum.at(low, self.of, codes)
        np.maximum.at(high, self.of, codes)
        named = self.level > 0
        low[named], high[named] = self.hierarchy.cover(self.level[named], low[named])
        return low, high

    @cached_property
    def labels(self) -> Texts:
        """The label of each member; None for missing and `*others*`."""
        labels = np.full(len(self.level), None, dtype=object)
        for member in range(1, len(labels)):
            if (level := int(self.level[member])) != _APART:
                node = self.hierarchy.maps[level, self.first[member]]
                labels[member] = self.hierarchy.labels[level][node - 1]
        return labels

    @property
    def names(self) -> frozenset[str]:
        """All names that sets may have among their members."""
        return frozenset(label for label in self.labels.tolist() if label is not None)

    @cached_property
    def above(self) -> Codes:
        """For each member the smallest other member, a node, that it lies in, or 0."""
        above = np.zeros(len(self.level), dtype=np.int32)
        for member in np.argsort(-self.leaves, kind="stable").tolist():
            if self.level[member] > 0:
                inside = (self.first >= self.first[member]) & (self.last <= self.last[member])
                inside &= (self.level != _APART) & (self.leaves < self.leaves[member])
                above[inside] = member
        return above

    @cached_property
    def neighbours(self) -> tuple[Codes, Codes]:
        """The codes that are shown as the same member before and after each code.

        First, per code, the last one before it, or -1. Second, by member and code, the first one
        from that code on that is shown as this member; the number of codes if there is none.
        """
        size = len(self.of)
        before = np.full(size, -1, dtype=np.int32)
        after = np.full((len(self.level), size + 1), size, dtype=np.int32)
        for code in range(size - 1, -1, -1):
            after[:, code] = after[:, code + 1]
            later = after[self.of[code], code + 1]
            if later < size:
                before[later] = code
            after[self.of[code], code] = code
        return before, after

    def flag_topmost(self, group: Counts, member: Codes) -> Flags:
        """Flags of the pairs (group, member) whose member lies in no other of its group."""
        size = len(self.level)
        held = np.unique(group * size + member)
        stays: Flags = np.ones(len(member), dtype=np.bool_)
        node = self.above[member]
        while (node > MISSING).any():
            keys = group * size + node
            place = np.minimum(np.searchsorted(held, keys), len(held) - 1)
            stays &= (node == MISSING) | (held[place] != keys)
            node = self.above[node]
        return stays

    def sum_leaves(self, amount: Counts) -> Counts:
        """The sum over the leaves of each member of an amount that is given per code."""
        total = np.append(0, np.cumsum(amount))
        sums: Counts = total[self.last + 1] - total[self.first]
        apart = self.level == _APART
        sums[apart] = np.bincount(self.of, amount)[apart]
        return sums

    @cached_property
    def all_runs(self) -> tuple[Counts, Codes, Codes]:
        """The codes of members as runs: where a member's runs start, their first and last codes."""
        runs = [
            [(int(first), int(last))]
            if member != self.others
            else runs_of(np.flatnonzero(self.of == member).tolist())
            for member, (first, last) in enumerate(zip(self.first, self.last, strict=True))
        ]
        start = np.cumsum([0, *map(len, runs)])
        ends = np.array([run for found in runs for run in found], dtype=np.int32).reshape(-1, 2)
        return start, ends[:, 0], ends[:, 1]

    def show_set(self, members: Sequence[int]) -> str | None:
        """The label of a set of ascending members: None for missing alone, the top if mixed."""
        if members[0] == MISSING:
            return str(self.hierarchy.labels[-1][0]) if len(members) > 1 else None
        names = [self.labels[m] for m in sorted(members, key=self.first.__getitem__)]
        named = [name for name in names if name is not None]
        if len(named) == len(members) == 1:
            return str(named[0])
        return write_set(named, others=len(named) < len(members))

    def keep_shown(self, shown: Flags) -> "tuple[Pools, Codes]":
        """The pools of the members that are `shown`, and the new index by old one, 0 if not shown.

        Leaves of the others go to the nearest shown node over them, or else to `*others*`, which
        must then be shown: a reader takes it for all that no label of the column names.
        """
        rest = 0 if self.others is None else self.others
        place = np.arange(len(self.level), dtype=np.int32)
        for member in np.flatnonzero(~shown[1:]) + 1:
            node = self.above[member]
            while node != MISSING and not shown[node]:
                node = self.above[node]
            place[member] = node if node != MISSING else rest
        members, of = np.unique(place[self.of], return_inverse=True)
        number = np.zeros(len(place), dtype=np.int32)
        number[members] = np.arange(len(members))
        return Pools(of.astype(np.int32), self.level[members], self.hierarchy), number

    def __repr__(self) -> str:
        """Without values."""
        return f"Pools({len(self.level) - 1} members)"


def labels_of_sets(
    hierarchy: Hierarchy, start: Counts, member: Codes, pools: Pools | None
) -> Texts:
    """The label of each class c: the set `member[start[c]:start[c + 1]]`, of pools or leaves."""
    show = hierarchy.show_set if pools is None else pools.show_set
    shown = np.full(len(start) - 1, None, dtype=object)
    for c, (first, last) in enumerate(pairwise(start.tolist())):
        shown[c] = show(member[first:last].tolist())
    return shown


def pools_of(
    hierarchy: Hierarchy, people: Counts, k: int, present: Counts, highest: int | None = None
) -> Pools | None:
    """The members that sets may have, each held by k people where that can be.

    None if k people hold every value that is present, or if no value is: sets then name values.
    `people` counts the people of each code, 0 for missing values, which stay apart. `present` is
    above 0 for every value of the table, also if nobody counts for it. Pools stay inside the nodes
    of the `highest` level, if there is one.
    """
    held = np.flatnonzero(present[1:]) + 1
    if not len(held) or people[held].min() >= k:
        return None
    top = hierarchy.height if highest is None else highest
    pool = np.arange(len(people), dtype=np.int32)
    level = np.zeros(len(people), dtype=np.int32)
    for h in range(1, top + 1):
        rare = _codes_of_few(pool, people, k)
        _, place = np.unique(hierarchy.maps[h][rare], return_inverse=True)
        first = np.full(len(rare), len(people), dtype=np.int32)
        np.minimum.at(first, place, pool[rare])
        pool[rare] = first[place]
        level[pool[rare]] = h if h < hierarchy.height else _APART
    members, of = np.unique(pool, return_inverse=True)
    found = Pools(of.astype(np.int32), level[members], hierarchy)
    return _merge_small_pools(found, people, k, (present, hierarchy.maps[top]))


def _codes_of_few(pool: Codes, people: Counts, k: int) -> Codes:
    """The codes of pools that fewer than k people hold, without missing."""
    few: Flags = np.bincount(pool, people, minlength=len(people))[pool] < k
    few[MISSING] = False
    return np.flatnonzero(few).astype(np.int32)


def _merge_small_pools(pools: Pools, people: Counts, k: int, within: tuple[Counts, Codes]) -> Pools:
    """Merge each pool that fewer than k people hold with the smallest of k or more in its node.

    `within` says which codes are present (a pool without any stays), and the node of each code that
    pools stay inside. What lies in a node that is shown cannot become part of `*others*`.
    """
    present, node = within
    of = pools.of
    for small in np.unique(of[_codes_of_few(of, people, k)]).tolist():
        if not present[of == small].any():
            continue
        sizes = np.bincount(of, people, minlength=len(pools.level))
        near = np.unique(of[node == node[pools.first[small]]])
        larger = [m for m in near.tolist() if m != small and sizes[m] >= k and m != MISSING]
        larger = [m for m in larger if pools.above[m] in {MISSING, small}]
        if larger:
            of = np.where(of == min(larger, key=sizes.__getitem__), small, of)
    members, place = np.unique(of, return_inverse=True)
    return Pools(place.astype(np.int32), pools.level[members], pools.hierarchy)
