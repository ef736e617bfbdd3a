"""All minimal sets for ratios below 1, between sets that are good enough and sets that are not.

Every set that is good enough has a column outside any set that is not (Motwani-Xu Section 3;
monotonicity), so minimal sets are minimal hitting sets of what failing sets leave out; the larger
the failing sets, the more they tell. Gunopulos et al., Discovering All Most Specific Sentences
(2003), call it *dualize and advance*: about as many sets are looked at in the table as there are
minimal ones and largest failing ones. How far a failing set grows is guessed from a few records,
and the guess is then looked at in the table; where it was wrong, the largest part of the way that
does fail is found by halving it.

Sets of one column come first, then of two, and so on. Each set that is found hits what failing
sets leave out without one column to spare: whenever the search stops, it is minimal.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.identify.hitting_sets import HittingSetTree, Masks, mask_of, minimal_masks
from incrowd.identify.labelled import Set
from incrowd.identify.oracles import ExactOracle, SampledOracle, SearchState
from incrowd.kernels.identify import hitting_sets as kernels
from incrowd.watch import NestedWatch, Watch

_FIRST = 8
_MOST = 1024
_SHORT, _LONG = 0.25, 1.0
"""Seconds: more sets are judged at once after less, fewer after more, so that it can be stopped."""
_TRY = 8
"""With a time limit, this part of it goes to sets of any size, in case small ones take too long."""


@dataclass
class GrowthPath:
    """A way from the set `start` to a larger one by adding `more`; sets fail up to some place."""

    start: Set
    more: Set
    fails: int
    """After so many steps the set certainly fails; -1 if not even the start is known to."""
    keeps: int
    """After so many steps the set is good enough; beyond the end if none is known to be."""

    def set_after(self, steps: int) -> Set:
        """The set after so many steps along the path, its columns ascending."""
        return tuple(sorted(self.start + self.more[:steps]))

    @property
    def next_steps(self) -> int:
        """After how many steps to look next: all of them first, then half of what is open."""
        end = len(self.more)
        return end if self.keeps > end else (self.fails + self.keeps) // 2

    @property
    def is_open(self) -> bool:
        """Whether it is still unknown after how many steps the set is good enough."""
        return self.keeps - self.fails > 1

    def note(self, *, keeps: bool) -> None:
        """Note whether the set after `next_steps` is good enough."""
        if keeps:
            self.keeps = self.next_steps
        else:
            self.fails = self.next_steps


class BorderSearch:
    """A search for minimal sets by size, kept in `found`; `order` is the column of each bit."""

    def __init__(
        self, judge: "RatioOracle", order: Sequence[int], found: SearchState, watch: Watch
    ) -> None:
        self._judge = judge
        self._order = order
        self._found = found
        self._watch = watch
        self._masks: Masks = np.empty((0, 2), dtype=np.uint64)
        self._batch = _FIRST

    def run(self, most: int) -> None:
        """Search sets of one column, then of two, up to `most`, until there are no larger ones.

        With a time limit, 1 / `_TRY` of it goes first to sets of all these sizes at once.
        """
        left = self._watch.remaining
        if left is not None:
            self._search(most, NestedWatch(self._watch, left / _TRY))
        for size in range(1, most + 1):
            cut = self._search(size, self._watch)
            if cut is None:
                return
            self._found.upto, self._found.complete = size, not cut
            if not cut:
                return

    def _search(self, most: int, watch: Watch) -> bool | None:
        """Find all minimal sets of at most `most` columns.

        Return whether there may be larger ones, None if out of time. A failing set may add sets in
        branches that were left already, so the search is done again until no set fails.
        """
        clean: bool | None = False
        while clean is False:
            tree = HittingSetTree(len(self._order), self._masks, most)
            clean = self._walk_tree(tree, watch)
        return None if clean is None else tree.cut

    def _walk_tree(self, tree: HittingSetTree, watch: Watch) -> bool | None:
        """Search a tree to its end; return whether no set failed, None if out of time."""
        clean, ended = True, False
        while not ended:
            ended, sets = self._next_candidates(tree, watch)
            masks = self._judge_and_grow(sets, watch)
            clean = clean and not len(masks)
            insert_masks(tree, masks)
            if watch.expired:
                return None
        return clean

    def _next_candidates(self, tree: HittingSetTree, watch: Watch) -> tuple[bool, list[Set]]:
        """Return whether the tree has ended, and a batch of sets to judge; fewer if time is up.

        Each hits all masks and is not among those found already.
        """
        sets: list[Set] = []
        while len(sets) < self._batch and not watch.expired:
            state = tree.advance()
            if state == kernels.DONE:
                return True, sets
            if state == kernels.LOOK:
                columns = tuple(sorted(self._order[bit] for bit in tree.chosen))
                if columns not in self._found.sets:
                    sets.append(columns)
        return False, sets

    def _judge_and_grow(self, sets: list[Set], watch: Watch) -> Masks:
        """Judge sets: note those that are good enough, grow the others as far as they fail.

        What grown sets leave out becomes masks: return the minimal ones, and add them to those
        known. The next batch is smaller if this was slow or half of it failed, larger if quick.
        """
        begin = watch.elapsed
        good, failing = self._judge.judge(sets, watch)
        self._found.looked = self._judge.looked
        for columns in good:
            self._found.add(columns)
        took = watch.elapsed - begin
        if took > _LONG or 2 * len(failing) > len(sets):
            self._batch = max(self._batch // 2, _FIRST)
        elif took < _SHORT:
            self._batch = min(2 * self._batch, _MOST)
        outside = [[j for j in self._order if j not in columns] for columns in failing]
        masks = [mask_of(columns, self._order) for columns in outside]
        if not masks:
            return self._masks[:0]
        self._masks = minimal_masks(np.concatenate([self._masks, *masks]))
        return minimal_masks(np.concatenate(masks))


def insert_masks(tree: HittingSetTree, masks: Masks) -> None:
    """Add masks to a tree in the midst of its search, at each depth that hits them at most once."""
    for at in range(tree.make_room(len(masks)) + 1):
        hits = np.bitwise_count(masks & tree.branch[at]).sum(axis=1)
        for times in (0, 1):
            number, new = tree.numbers[times, at], masks[hits == times]
            tree.stacks[times, at, number : number + len(new)] = new
            tree.numbers[times, at] += len(new)


class RatioOracle:
    """Tells sets that are good enough from sets that fail, and grows sets that fail."""

    def __init__(self, verdicts: ExactOracle, guesses: SampledOracle) -> None:
        self._verdicts = verdicts
        self._guesses = guesses
        self.looked = 0
        """How many sets were looked at in the table."""

    def judge(self, sets: Sequence[Set], watch: Watch) -> tuple[list[Set], list[Set]]:
        """Return the good sets, and the failing ones grown while they fail; fewer if time is up."""
        find_paths = self._certain_paths if self._guesses.certain else self._guessed_paths
        ways = find_paths(sets, watch)
        good = [way.start for way in ways if way.keeps == 0]
        return good, sorted({way.set_after(way.fails) for way in ways if way.fails >= 0})

    def _certain_paths(self, sets: Sequence[Set], watch: Watch) -> list[GrowthPath]:
        """Paths of sets whose growth is certain: the table judges each; those that fail grow."""
        told = self._judge_by_table([columns for columns in sets if columns], watch)
        good = [GrowthPath(columns, (), -1, 0) for columns, keeps in told.items() if keeps]
        failing = [columns for columns in sets if not told.get(columns, bool(columns))]
        grown = self._guesses.grow(failing, watch)
        return good + [
            GrowthPath(one, more, len(more), len(more) + 1) for one, (_, more) in grown.items()
        ]

    def _guessed_paths(self, sets: Sequence[Set], watch: Watch) -> list[GrowthPath]:
        """Paths of sets that grow by a guess from a sample; the table tells how far each fails.

        A set that fails in the table though the sample added no column to it is grown once more.
        """
        grown = self._guesses.grow(sets, watch)
        ways = [
            GrowthPath(columns, more, -1 if columns else 0, len(more) + 1)
            for columns, (_, more) in grown.items()
        ]
        self._settle_paths(ways, watch)
        short = [way for way in ways if way.fails == 0 and not way.more]
        again = self._guesses.grow_again({way.start: grown[way.start][0] for way in short}, watch)
        for way in short:
            way.more = again.get(way.start, (0, ()))[1]
            way.keeps = len(way.more) + 1
        self._settle_paths(short, watch)
        return ways

    def _settle_paths(self, ways: Iterable[GrowthPath], watch: Watch) -> None:
        """Look at sets in the table until it is known how far each path fails, or time is up."""
        while not watch.expired and (open_ := [way for way in ways if way.is_open]):
            told = self._judge_by_table([way.set_after(way.next_steps) for way in open_], watch)
            for way in open_:
                columns = way.set_after(way.next_steps)
                if columns in told:
                    way.note(keeps=told[columns])

    def _judge_by_table(self, sets: Iterable[Set], watch: Watch) -> dict[Set, bool]:
        """Whether each set keeps to the budget, by the table; those out of time are missing."""
        told = self._verdicts.judge(sets, watch)
        self.looked += len(told)
        return told
