"""All levels of one column, with decoding (Sweeney Section 3.1; Bettini's Dec)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats, Texts, Values
from incrowd.errors import InputError, count_of
from incrowd.hierarchy.cells import CellGrid
from incrowd.hierarchy.decoding import Decoded, Decoder
from incrowd.hierarchy.labels import TOP, join_labels, node_reach, write_set, write_span
from incrowd.table.column import Domain


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The levels of one column: 0 shows values as they are, the highest suppresses them.

    Leaves are numbered so that every node of every level is a run of consecutive codes; the lowest
    common ancestor of a set of leaves is that of its smallest and largest code. A missing value is
    a leaf apart (code 0): it stays missing on every level but the highest, where it is suppressed
    like all others.
    """

    leaves: Domain
    """The values that can be generalized, in leaf order; they may be more than the table holds."""
    maps: Codes
    """`maps[level, code]` is the node (1, 2, … in leaf order) of that code: shape (levels, n + 1).
    Level 0 is the identity; the last maps every code, 0 too, to node 1; the others keep 0 at 0.
    """
    labels: tuple[Texts, ...]
    """`labels[level][node - 1]` is what the release shows."""
    ordered: bool = False
    """Whether distance between leaves means something (numbers, dates, ordered lists)."""

    @property
    def height(self) -> int:
        """Number of generalization steps; Sweeney's |DGH|."""
        return len(self.maps) - 1

    @property
    def levels(self) -> int:
        """Number of levels, the original values included."""
        return len(self.maps)

    @cached_property
    def bounds(self) -> tuple[tuple[Codes, Codes], ...]:
        """Per level: the first and the last leaf code of each node, indexed by node.

        Node 0 (missing) is bounded by 0 and 0. On the highest level node 1 spans 1..n.
        """
        return tuple(_node_bounds(nodes) for nodes in self.maps)

    @cached_property
    def reach(self) -> tuple[tuple[Floats, Floats], ...]:
        """Per level: the smallest and the largest place that each node's label covers, by node.

        On the scale of `Domain.positions`; a label without bounds reaches as far as its leaves,
        node 0 (missing) from 0 to 0.
        """
        return tuple(_level_reach(self, level) for level in range(self.levels))

    def join_level(self, low: Codes, high: Codes) -> Codes:
        """The lowest level at which codes `low` and `high` share a node, elementwise."""
        level = np.full(len(low), self.height, dtype=np.int32)
        for h in range(self.height - 1, -1, -1):
            level[self.maps[h][low] == self.maps[h][high]] = h
        return level

    def cover(self, level: Codes, code: Codes) -> tuple[Codes, Codes]:
        """First and last leaf of the node of `code` at `level`, elementwise."""
        low, high = np.empty((2, len(code)), dtype=np.int32)
        for h in range(self.levels):
            here = level == h
            node = self.maps[h][code[here]]
            low[here], high[here] = self.bounds[h][0][node], self.bounds[h][1][node]
        return low, high

    def show(  # noqa: PLR0913  cells have three numbers, and there are three ways to show them
        self,
        low: Codes,
        high: Codes,
        level: Codes,
        spans: bool,
        *,
        lowest: int = 0,
        grid: CellGrid | None = None,
    ) -> Texts:
        """What a release shows for the leaves `low` to `high` at `level`, elementwise.

        None stands for missing. With `spans` an ordered column shows where the cells of its `grid`
        begin and end; without a grid its first and last leaf, or where the first and last node of
        the `lowest` level that may be shown begin and end. All other cells, and those at the lowest
        level, show the label of their node, exact ones their value. Cells that mix missing with
        values, and exact ones at the highest level, show the label of the top.
        """
        mixed: Flags = (low == MISSING) & (high > MISSING)
        if grid is not None and spans and self.ordered:
            return self._show_on_grid(low, high, mixed, grid)
        spanned: Flags = (low < high) & (level > lowest) & ~mixed & (spans and self.ordered)
        shown = np.full(len(low), None, dtype=object)
        level = np.where(mixed, self.height, level).astype(np.int32)
        for h, labels in enumerate(self.labels):
            here = (level == h) & ~spanned
            with_missing = np.concatenate([np.array([None], dtype=object), labels])
            shown[here] = with_missing[self.maps[h][low[here]]]
        shown[spanned] = self._span_labels(low[spanned], high[spanned], lowest)
        return shown

    def _show_on_grid(self, low: Codes, high: Codes, mixed: Flags, grid: CellGrid) -> Texts:
        """The labels of spans on the cells of a grid, None for missing, the top for mixed cells."""
        shown = np.full(len(low), None, dtype=object)
        known: Flags = (low > MISSING) & ~mixed
        shown[known] = grid.show(low[known], high[known], self.labels[-1][0])
        shown[mixed] = self.labels[-1][0]
        return shown

    def show_set(self, codes: Sequence[int]) -> str | None:
        """What a release shows for a set of leaves, ascending.

        One leaf shows its value, missing alone None, missing with others the label of the top.
        """
        if codes[0] == MISSING:
            return str(self.labels[-1][0]) if len(codes) > 1 else None
        values = [str(self.labels[0][code - 1]) for code in codes]
        return values[0] if len(values) == 1 else write_set(values)

    def _span_labels(self, low: Codes, high: Codes, lowest: int) -> Texts:
        """The labels of spans from each low code's node at `lowest` to its high code's."""
        size = len(self.leaves) + 1
        pairs, place = np.unique(low.astype(np.int64) * size + high, return_inverse=True)
        ends = np.divmod(pairs, size)
        names = [self.labels[lowest][self.maps[lowest][end] - 1].tolist() for end in ends]
        texts = np.empty(len(pairs), dtype=object)
        runs = zip(*(end.tolist() for end in ends), strict=True)
        for i, (run, *labels) in enumerate(zip(runs, *names, strict=True)):
            texts[i] = self._span_label(run, labels[0], labels[1], lowest)
        return texts[place]

    def _span_label(self, run: tuple[int, int], first: str, last: str, lowest: int) -> str:
        """The label of a run of leaves from the node of label `first` to that of `last`.

        Above level 0 the two are joined, as in `[20, 40)`, if that stands for just this run.
        """
        if lowest:
            label = join_labels(first, last)
            if self._decoder.stands_for(label, run):
                return label
        return write_span(first, last)

    @cached_property
    def _decoder(self) -> Decoder:
        """Reads the labels of this hierarchy."""
        return Decoder(self.leaves, self.labels, self.bounds, self.ordered)

    def decode(self, label: str | None) -> Codes:
        """The leaf codes that a shown label may stand for (Bettini's Dec), ascending.

        None is a missing value, code 0. The label of the top stands for every leaf and for missing.
        A label that several nodes share stands for the leaves of all of them. `InputError` if the
        hierarchy cannot have shown it.
        """
        return self.decode_all([label])[0]

    def decode_all(
        self, labels: Sequence[str | None] | Texts, named: frozenset[str] | None = None
    ) -> Decoded:
        """The leaf codes of many labels; each distinct label is decoded once.

        In a set, `*others*` stands for every leaf that no label of its column names: `named` is
        what these labels name (`labels.names_in_labels`), if the ones given are not all of them.
        `InputError` if the hierarchy cannot have shown one of them.
        """
        return self._decoder.decode(labels, named)

    @classmethod
    def create(
        cls,
        leaves: Domain,
        maps: Codes,
        labels: tuple[Texts, ...],
        *,
        ordered: bool = False,
        column: str,
    ) -> "Hierarchy":
        """Make a hierarchy and check it; `InputError` if it breaks a promise (see `check`)."""
        hierarchy = cls(leaves, maps, labels, ordered)
        check(hierarchy, column)
        return hierarchy

    def __repr__(self) -> str:
        """Without values."""
        return f"Hierarchy({self.levels} levels, {len(self.leaves)} leaves)"


def check(hierarchy: Hierarchy, column: str) -> None:
    """Raise `InputError` unless the hierarchy keeps its promises (Sweeney Section 3.1).

    Every leaf is covered, each level is a function of the level below, every node is a run of
    leaves, one value stands on top, no two nodes of a level share a label, and a label that comes
    back on a higher level is that of the node right above it.
    """
    maps, n = hierarchy.maps, len(hierarchy.leaves)
    if maps.ndim != 2 or maps.shape[1] != n + 1 or len(maps) != len(hierarchy.labels):
        raise InputError(
            f"the hierarchy of {column!r} does not cover its {n} values level by level"
        )
    if len(maps) < 2 or (maps[-1] != 1).any():
        raise InputError(f"the hierarchy of {column!r} does not end in one value on top")
    if (maps[0] != np.arange(n + 1)).any() or maps[:-1, MISSING].any():
        raise InputError(f"the hierarchy of {column!r} does not start from the values themselves")
    for level in range(len(maps)):
        _check_level(hierarchy, level, column)
    _check_names(hierarchy, column)


def _check_level(hierarchy: Hierarchy, level: int, column: str) -> None:
    """Raise `InputError` unless a level's nodes are runs, nest, and differ in their labels."""
    nodes, labels = hierarchy.maps[level, 1:], hierarchy.labels[level]
    steps = np.diff(nodes, prepend=0 if len(nodes) else 1)
    where = f"level {level} of the hierarchy of {column!r}"
    apart = int(((steps < 0) | (steps > 1)).sum())
    if apart or (len(nodes) and nodes[0] != 1):
        loose = count_of(max(apart, 1), "node")
        raise InputError(f"{where} has {loose} whose values are not side by side")
    torn = int(((np.diff(hierarchy.maps[level - 1, 1:]) == 0) & (steps[1:] != 0)).sum())
    if level and torn:
        raise InputError(f"{where} tears {count_of(torn, 'node')} of the level below apart")
    expected = int(hierarchy.maps[level].max(initial=0))
    distinct = len(set(labels.tolist()))
    if len(labels) != expected or distinct != expected:
        labelled = count_of(distinct, "distinct label")
        raise InputError(f"{where} has {count_of(expected, 'node')} but {labelled}")


def _check_names(hierarchy: Hierarchy, column: str) -> None:
    """Raise `InputError` if a name stands for different nodes on two levels.

    A value or node may have the name of its own parent, which then covers it. Any other name that
    comes back would show somebody as what others are, as where x is shown as y and y as x.
    """
    for level, labels in enumerate(hierarchy.labels[:-2]):
        higher = set(chain.from_iterable(map(np.ndarray.tolist, hierarchy.labels[level + 1 : -1])))
        comes_back = np.fromiter(map(higher.__contains__, labels.tolist()), np.bool_, len(labels))
        above = hierarchy.maps[level + 1][hierarchy.bounds[level][0][1:]] - 1
        reused = int((comes_back & (labels != hierarchy.labels[level + 1][above])).sum())
        if reused:
            things = count_of(reused, "value" if level == 0 else "node")
            raise InputError(
                f"level {level} of the hierarchy of {column!r} has {things} with the name of a "
                "node that is not right above, so that this name stands for two things",
                remedy="give each node a name of its own; a parent may repeat the name of a child",
            )


def _level_reach(hierarchy: Hierarchy, level: int) -> tuple[Floats, Floats]:
    """Smallest and largest place that each node's label on a level covers, its leaves included."""
    place = np.concatenate([[0.0], hierarchy.leaves.positions])
    first, last = hierarchy.bounds[level]
    low, high = place[first], place[last]
    if level in {0, hierarchy.height}:
        return low, high
    for node, label in enumerate(hierarchy.labels[level].tolist(), start=1):
        if (reach := node_reach(label, hierarchy.leaves)) is not None:
            low[node], high[node] = min(reach[0], low[node]), max(reach[1], high[node])
    return low, high


def _node_bounds(nodes: Codes) -> tuple[Codes, Codes]:
    """First and last code of each node, 0 and 0 for node 0; `nodes[c]` is the node of code c."""
    n = int(nodes.max(initial=0))
    low, high = np.zeros((2, n + 1), dtype=np.int32)
    codes = np.arange(1, len(nodes), dtype=np.int32)
    high[nodes[1:]] = codes
    low[nodes[:0:-1]] = codes[::-1]
    return low, high


class Builder:
    """How a policy names a hierarchy: a frozen value that builds the levels of a column."""

    def build(self, domain: Domain, column: str, counts: Counts | None = None) -> Hierarchy:
        """The checked hierarchy of a column; `InputError` if its values do not fit.

        `counts` are the records per value, which few builders ask for.
        """
        del counts
        return self._build(domain, column)

    def _build(self, domain: Domain, column: str) -> Hierarchy:
        """The checked hierarchy of a column; builders override this or `build`."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False)
class Level:
    """One level between the values and the top: a node per leaf, a label per node."""

    nodes: Codes
    """The node (1, 2, … in leaf order) of each leaf: shape (n,)."""
    labels: Texts

    @classmethod
    def of(cls, keys: Values, write: Callable[[Any], str] | None = None) -> "Level":
        """The runs of equal keys as nodes, labelled by the key or what `write` makes of it."""
        nodes, first = number_runs(keys)
        found: Texts = keys[first].astype(object)
        return cls(nodes, found if write is None else texts(list(map(write, found.tolist()))))


def texts(labels: Sequence[str]) -> Texts:
    """The labels as an array of objects, whatever they look like."""
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def number_runs(keys: Values) -> tuple[Codes, Codes]:
    """Number the runs of equal neighbours: the run of each entry from 1, and where each starts."""
    if not len(keys):
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32)
    new = np.concatenate([[True], keys[1:] != keys[:-1]])
    return np.cumsum(new, dtype=np.int32), np.flatnonzero(new).astype(np.int32)


def stack(  # noqa: PLR0913  what a hierarchy is made of
    leaves: Domain,
    levels: Sequence[Level],
    *,
    column: str,
    ordered: bool,
    top: str = TOP,
    prune: bool = True,
) -> Hierarchy:
    """The checked hierarchy of values, levels and top; `prune` drops levels that merge nothing.

    Levels rise; without values there is only the top. `InputError` as in `check`.
    """
    n = len(leaves)
    kept, below = [], n
    for level in levels if n else ():
        if not prune or len(level.labels) < below:
            kept.append(level)
            below = len(level.labels)
    maps = np.zeros((len(kept) + 2, n + 1), dtype=np.int32)
    maps[0] = np.arange(n + 1)
    for h, level in enumerate(kept, start=1):
        maps[h, 1:] = level.nodes
    maps[-1] = 1
    labels = (leaves.labels, *(level.labels for level in kept), texts([top]))
    return Hierarchy.create(leaves, maps, labels, ordered=ordered, column=column)
