"""All minimal sets as minimal hitting sets of what failing sets leave out.

A set of columns is a key exactly if it has a column of each *difference set*, the columns in which
two rows differ: minimal keys are the minimal hitting sets of all difference sets. As few of them
matter, they are not listed beforehand. The search knows some, from pairs of rows that agree in a
column; a set that hits all of those is looked at in the table; if it is not a key, pairs of rows
that it leaves together give new difference sets, and the search goes on where it was (the idea of
HPIValid: Birnick et al., Hitting Set Enumeration with Partial Information for Unique Column
Combination Discovery, 2020). For ratios below 1 the same holds of the columns outside a set that
is not good enough: every set that is has one of them (Motwani-Xu Section 3; monotonicity). The
larger the failing set, the more it tells, so it first grows as long as it fails.

A set of columns may be an integer: its bit j stands for column j (`bits_of`, `columns_of`). Kernels
take `Masks`, arrays of sets with two words of 64 bits each.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from incrowd.identify.branch import Branch, Stripped
from incrowd.identify.oracles import SearchState
from incrowd.identify.records import Records
from incrowd.kernels.identify import cover, difference_sets
from incrowd.kernels.identify import hitting_sets as kernels
from incrowd.watch import NestedWatch, Watch

MOST_COLUMNS = 128
"""How many columns fit into the words of a search."""
_STEPS = 200_000


def lightest_hitting_set(
    sets: Sequence[int], weights: Sequence[float], watch: Watch
) -> tuple[int, float] | None:
    """Find the lightest set of columns (bits) that hits each of these sets, and its weight.

    None if out of time. Bits are below 64. The same arguments always give the same set.
    """
    words = np.array(without_supersets(sets), dtype=np.uint64)
    costs = np.array(weights, dtype=np.float64)
    found, allowed = greedy_hitting_set(sets, weights), _STEPS
    while not watch.expired:
        steps = np.array([allowed], dtype=np.int64)
        best, most = cover.lightest_hitting_set(
            words, costs, np.uint64(found), weight_of(found, weights), steps
        )
        if steps[0] >= 0:
            return int(best), float(most)
        found, allowed = int(best), 4 * allowed
    return None


@dataclass(frozen=True)
class Hit:
    """A set of columns (bits) found by `find_lightest`."""

    columns: int
    weight: float
    """Its weight; without proof, a lower bound of what any set weighs."""
    proved: bool


def find_lightest(
    missed: Callable[[int], Sequence[int]], weights: Sequence[float], known: int, watch: Watch
) -> Hit:
    """Find the lightest set of columns (bits) for which `missed` returns nothing.

    For another set `missed` returns sets (bits) that it does not hit, but each set to be found
    does. `known` is one of these: the answer if none is lighter, unproved if time is up.
    """
    sets: list[int] = []
    weight_known, low = weight_of(known, weights), 0.0
    while (hit := lightest_hitting_set(sets, weights, watch)) is not None:
        low = max(low, hit[1])
        if low >= weight_known - 1e-12:
            return Hit(known, weight_known, proved=True)
        new = missed(hit[0])
        if not new:
            return Hit(*hit, proved=True)
        sets = without_supersets([*sets, *new])
        watch.tell("smallest set", low / weight_known)
    return Hit(known, low, proved=False)


def greedy_hitting_set(sets: Sequence[int], weights: Sequence[float]) -> int:
    """A light set of columns (bits) that hits each of these: most sets per weight first.

    No set may be empty and no weight 0: the search might not end.
    """
    chosen, left = 0, list(sets)
    while left:
        worth = [
            sum(one >> j & 1 for one in left) / cost if cost else np.inf
            for j, cost in enumerate(weights)
        ]
        chosen |= 1 << int(np.argmax(worth))
        left = [one for one in left if not one & chosen]
    return chosen


def without_supersets(sets: Iterable[int]) -> list[int]:
    """The sets (bits) that contain no other one, each once, small ones first."""
    kept: list[int] = []
    for one in sorted(set(sets), key=lambda bits: (bits.bit_count(), bits)):
        if not any(other & one == other for other in kept):
            kept.append(one)
    return kept


def weight_of(columns: int, weights: Sequence[float]) -> float:
    """The sum of the weights of a set of columns (bits)."""
    return sum(weights[j] for j in columns_of(columns))


def columns_of(columns: int) -> tuple[int, ...]:
    """The columns of a set of bits, ascending."""
    return tuple(j for j in range(columns.bit_length()) if columns >> j & 1)


def bits_of(columns: Iterable[int]) -> int:
    """A set of columns as bits: bit j for column j."""
    return sum(1 << j for j in set(columns))


Masks = NDArray[np.uint64]
"""Sets of columns, each two words of bits, the low one first: shape (sets, 2)."""
_PAIRS = 256
_FIRST_PAIRS = 128
_PATIENCE = 2**14
_WORK, _LEAST_STEPS, _MOST_STEPS = 2**27, 2**9, 2**12
"""Steps times rows until keys of any size are too many to search; the least and the most steps."""


class SetOracle(Protocol):
    """Judges sets by the table; if one fails, lists difference sets that all good ones hit."""

    def first_masks(self) -> Masks:
        """Difference sets to begin with; there may be none."""

    def missed_masks(self, columns: Sequence[int]) -> Masks:
        """No masks if the set is good enough; otherwise difference sets without its columns."""


class KeyOracle:
    """Difference sets of pairs of rows; `order` is the column of each bit."""

    def __init__(self, records: Records, branch: Branch, order: Sequence[int]) -> None:
        self._codes = records.codes
        self._branch = branch
        self._order = np.array(order, dtype=np.int32)

    def first_masks(self) -> Masks:
        """Difference sets of some pairs of rows that agree in one column, for each column."""
        found = [self._sample_masks(self._branch.classes([j]), _FIRST_PAIRS) for j in self._order]
        return minimal_masks(np.concatenate(found)) if found else np.empty((0, 2), dtype=np.uint64)

    def missed_masks(self, columns: Sequence[int]) -> Masks:
        """Difference sets of some pairs of rows that agree in all these columns; none for a key."""
        return minimal_masks(self._sample_masks(self._branch.classes(columns), _PAIRS))

    def _sample_masks(self, classes: Stripped, most: int) -> Masks:
        """Difference sets of the first two rows of at most `most` classes, spread over all."""
        number = min(most, classes.number)
        start = classes.starts[np.arange(number) * classes.number // max(number, 1)]
        masks = np.empty((number, 2), dtype=np.uint64)
        left, right = classes.rows[start], classes.rows[start + 1]
        difference_sets.fill_differences(left, right, self._codes, self._order, masks)
        return masks


def mask_of(columns: Sequence[int], order: Sequence[int]) -> Masks:
    """A set of columns as one mask of two words; `order` is the column of each bit."""
    bits = sum(1 << order.index(column) for column in columns)
    return np.array([[bits & (2**64 - 1), bits >> 64]], dtype=np.uint64)


def minimal_masks(masks: Masks) -> Masks:
    """The masks that contain no other one, each once, small ones first."""
    size = np.bitwise_count(masks).sum(axis=1, dtype=np.int64)
    ordered = np.ascontiguousarray(masks[np.lexsort((masks[:, 0], masks[:, 1], size))])
    return ordered[: difference_sets.keep_minimal(ordered)]


class HittingSetTree:
    """The search tree over masks of `width` bits: branches of at most `most`, room for more masks.

    Its arrays are as in `kernels.identify.hitting_sets`; `where` is depth, next step, branches cut.
    """

    def __init__(self, width: int, masks: Masks, most: int) -> None:
        self.most = min(most, width)
        depth = self.most + 2
        self.where = np.zeros(3, dtype=np.int64)
        self.branch, self.may, self.untried = np.zeros((3, depth, 2), dtype=np.uint64)
        self.numbers = np.zeros((2, depth), dtype=np.int64)
        self.path = np.zeros(depth, dtype=np.int32)
        self.stacks = np.empty((2, depth, 2 * len(masks) + 1024, 2), dtype=np.uint64)
        every = (1 << width) - 1
        self.may[0] = every & (2**64 - 1), every >> 64
        self.add(masks)

    @property
    def chosen(self) -> list[int]:
        """The bits of the present branch, in the order in which they were added."""
        return [int(bit) for bit in self.path[: self.where[0]]]

    @property
    def known(self) -> Masks:
        """All masks that were added, as the root of the tree has them."""
        return self.stacks[0, 0, : self.numbers[0, 0]].copy()

    @property
    def cut(self) -> bool:
        """Whether branches were cut because they were too large."""
        return bool(self.where[2])

    def advance(self) -> int:
        """Search on; return `DONE`, `LOOK` (all masks are hit) or `PAUSE` (`_PATIENCE` steps)."""
        return int(
            kernels.advance_search(
                self.where,
                self.branch,
                self.may,
                self.untried,
                self.stacks[0],
                self.stacks[1],
                self.numbers,
                self.path,
                self.most,
                _PATIENCE,
            )
        )

    def add(self, masks: Masks) -> None:
        """Add masks that the present branch does not hit, so that it is searched further."""
        depth = self.make_room(len(masks))
        kernels.add_open_sets(masks, self.stacks[0], self.numbers, depth)
        self.where[1] = kernels.ENTER

    def make_room(self, masks: int) -> int:
        """Make room for so many more masks; return the depth of the present branch."""
        depth = int(self.where[0])
        needed = int(self.numbers[:, : depth + 1].sum(axis=0).max()) + masks
        if needed > self.stacks.shape[2]:
            larger = np.empty((*self.stacks.shape[:2], 2 * needed, 2), dtype=np.uint64)
            larger[:, :, : self.stacks.shape[2]] = self.stacks
            self.stacks = larger
        return depth


def _steps_allowed(rows: int) -> int:
    """How many calls of `advance` a search for keys of any size may take, by the table's rows."""
    return min(max(_WORK // max(rows, 1), _LEAST_STEPS), _MOST_STEPS)


class HittingSets:
    """A search for minimal hitting sets, kept in `found`; `order` is the column of each bit."""

    def __init__(self, judge: SetOracle, order: Sequence[int], found: SearchState) -> None:
        self._judge = judge
        self._order = order
        self._found = found

    def run(self, most: int, watch: Watch, otherwise: int | None = None, rows: int = 1) -> None:
        """Search sets of at most `most` columns.

        All sizes are searched at once: with a time limit for half of it, with `otherwise` as long
        as so many `rows` allow. If that is too short, sizes follow each other, so that all sets up
        to some size are known; a smaller `otherwise` replaces `most`, and larger sets are dropped.
        """
        masks = self._judge.first_masks()
        half = watch if watch.remaining is None else NestedWatch(watch, watch.remaining / 2)
        tree = HittingSetTree(len(self._order), masks, most)
        steps = None if otherwise is None else _steps_allowed(rows)
        if self._walk_tree(tree, half, steps):
            self._found.upto, self._found.complete = most, not tree.cut
            return
        if otherwise is not None and otherwise < most:
            most = otherwise
            large = [one for one in self._found.sets if len(one) > most]
            self._found.sets.difference_update(large)
        for size in range(1, most + 1):
            tree = HittingSetTree(len(self._order), tree.known, size)
            if not self._walk_tree(tree, watch):
                return
            self._found.upto, self._found.complete = size, not tree.cut

    def _walk_tree(self, tree: HittingSetTree, watch: Watch, steps: int | None = None) -> bool:
        """Search a tree to its end; False if time or `steps` (calls of `advance`) run out."""
        while not watch.expired and steps != 0:
            steps = None if steps is None else steps - 1
            state = tree.advance()
            if state == kernels.DONE:
                return True
            if state == kernels.LOOK:
                self._judge_branch(tree)
        return False

    def _judge_branch(self, tree: HittingSetTree) -> None:
        """Look at the branch's set: note it if it is good enough, else add masks to the tree."""
        columns = tuple(self._order[bit] for bit in tree.chosen)
        if tuple(sorted(columns)) in self._found.sets:
            return
        masks = self._judge.missed_masks(columns)
        self._found.looked += 1
        if len(masks):
            tree.add(masks)
        else:
            self._found.add(columns)
