"""The paths of a tree from its leaves to its top, as columns of codes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, filterfalse, pairwise

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Texts
from incrowd.hierarchy.hierarchy import texts

Path = tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Paths:
    """The rows of a tree, all of one length."""

    names: Texts
    """The distinct entries."""
    codes: Codes
    """The index in `names` of the entry on each level of each path: shape (levels, paths)."""

    @classmethod
    def of_rows(cls, rows: Sequence[Path]) -> "Paths":
        """Number the entries of rows; shorter rows repeat their last entry."""
        height = max(map(len, rows))
        if min(map(len, rows)) < height:
            rows = [(*row, *[row[-1]] * (height - len(row))) for row in rows]
        names = dict.fromkeys(chain.from_iterable(rows))
        codes = _codes_of(list(chain.from_iterable(rows)), names)
        return cls(texts(list(names)), np.ascontiguousarray(codes.reshape(-1, height).T))

    @property
    def rows(self) -> tuple[Path, ...]:
        """The entries of each path."""
        return tuple(zip(*(self.names[level].tolist() for level in self.codes), strict=True))

    @property
    def has_one_top(self) -> bool:
        """Whether all paths end in one entry."""
        return bool((self.codes[-1] == self.codes[-1, 0]).all())

    def flag_first(self, level: int) -> Flags:
        """Flags of the paths that are the first with their entry on a level."""
        codes = self.codes[level]
        first: Flags = self._first_places(codes)[codes] == np.arange(len(codes))
        return first

    def flag_second_parents(self, level: int, upward: slice) -> Flags:
        """Flags of the paths whose entry on `level` has other parents here than in its first path.

        `upward` are the levels of the parents that are compared.
        """
        codes, above = self.codes[level], self.codes[upward]
        torn: Flags = (above != above[:, self._first_places(codes)[codes]]).any(axis=0)
        return torn

    def flag_reused_names(self) -> Flags:
        """Flags of the paths with a name that also stands on a higher level of some path.

        A name may be repeated right above itself, as its own parent; a common top does not count.
        """
        codes = self.codes[:-1] if self.has_one_top else self.codes
        highest = np.zeros(len(self.names), dtype=np.int32)
        for level, nodes in enumerate(codes):
            highest[nodes] = level
        reused = np.zeros(codes.shape[1], dtype=np.bool_)
        for level, (nodes, parents) in enumerate(pairwise(codes)):
            reused |= (nodes != parents) & (highest[nodes] > level)
        return reused

    def labels(self, level: int) -> Texts:
        """The entry of each path on this level."""
        return np.asarray(self.names[self.codes[level]])

    def ranks(self, level: int) -> Counts:
        """Per path the number of its entry on a level: 0, 1, … in the order of first appearance."""
        first = self.flag_first(level)
        rank = np.zeros(len(self.names), dtype=np.int64)
        rank[self.codes[level, first]] = np.arange(first.sum())
        ranks: Counts = rank[self.codes[level]]
        return ranks

    def with_top(self, top: str) -> "Paths":
        """The paths with one more entry on top."""
        names = dict.fromkeys([*self.names.tolist(), top])
        above = np.full((1, self.codes.shape[1]), _codes_of([top], names))
        return Paths(texts(list(names)), np.concatenate([self.codes, above], dtype=np.int32))

    def with_leaves(self, labels: Sequence[str], other: str) -> "Paths":
        """The paths with one more for each label that is no leaf, under `other`, below the top.

        A label that is the name of a node between leaves and top goes under that node.
        """
        there = set(self.labels(0).tolist())
        new = list(filterfalse(there.__contains__, labels))
        names = dict.fromkeys([*self.names.tolist(), *new, other])
        leaves, rest = _codes_of(new, names), _codes_of([other], names)
        inner = self.codes[1:-1]
        first = np.full(len(names), -1)
        first[inner.T.ravel()[::-1]] = np.arange(inner.size - 1, -1, -1)
        place, lowest = np.divmod(first[leaves], max(len(inner), 1))
        level = np.arange(len(inner))[:, np.newaxis]
        above = np.where(level < lowest, leaves, inner[:, place])
        above = np.where(first[leaves] < 0, rest, above)
        added = np.vstack([leaves, above, np.full(len(new), self.codes[-1, 0])]).astype(np.int32)
        return Paths(texts(list(names)), np.concatenate([self.codes, added], axis=1))

    def _first_places(self, codes: Codes) -> Counts:
        """Where each name stands first among codes; arbitrary for names that no code is of."""
        first = np.empty(len(self.names), dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # of equal codes the last one stays
        return first


def _codes_of(entries: Sequence[str], names: dict[str, None]) -> Codes:
    """The index of each entry among the names; each entry must be one of them."""
    place = dict(zip(names, range(len(names)), strict=True))
    return np.fromiter(map(place.__getitem__, entries), dtype=np.int32, count=len(entries))
