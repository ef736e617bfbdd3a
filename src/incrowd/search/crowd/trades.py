"""Classes trade records: in regions, side by side, round after round.

In a round the classes are put into regions of near ones, which change from round to round. In each
of them records move, classes dissolve, share their records anew with others and become narrower
(`kernels.crowd`), as long as every class stays large enough and holds what models ask for. How many
rounds there are depends on the effort and the size of the table, never on a clock.

A model that has no rules in numbers is asked about many classes at once instead: each class is
paired with one near to it, the cheapest cut of both together is offered, and offers that save
something and satisfy the models are taken.
"""

from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from math import ceil, sqrt
from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.kernels import histogram
from incrowd.kernels.crowd import cut, state
from incrowd.kernels.crowd import regions as regions_kernels
from incrowd.kernels.crowd import sweep as sweep_kernels
from incrowd.kernels.crowd import trade as trade_kernels
from incrowd.partition.classes import classes_of
from incrowd.partition.csr import offsets
from incrowd.problem import Problem
from incrowd.search.crowd.starts import CrowdPoints
from incrowd.table.fold import in_threads
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.kernels.crowd.demands import Demands
    from incrowd.kernels.crowd.regions import PairCuts as CutPairs
    from incrowd.kernels.crowd.state import ClassPieces


REGION = 128
"""The most classes of a region: each looks at all others of its own."""
_LARGEST = 2**26
"""A region stays as it is if its classes times the pieces of its largest need more room."""
_FAVOUR = 1.0
"""Columns count more or less by a factor between exp(-this) and exp(this)."""
_PIECES = 1_300_000
"""A table of so many pieces gets one round at effort 1, one of a quarter as many two."""
_LIGHT = 2**19
"""Pieces above which classes judged by size skip trades that take longer than they are worth."""
_IN_PARTS = 2.0
"""Rounds of each part of a larger table, at least: what is lost at the borders is made up for."""
_MOST_ROUNDS = 24
"""Rounds of a small table at effort 1."""
_STOPPED: Flags = np.ones(1, dtype=np.bool_)
"""The flag of a region that stays as it is."""
_QUIET = 3
"""Rounds in a row that save next to nothing, after which no more are made."""
_LITTLE = 2e-5
"""A round saves next to nothing if it saves less than this share of the cost."""
_SHARED = (3, 1)
"""Near classes that share records anew with each class one by one, and two at a time."""
_PLAN = np.array([0, 1, 1], dtype=np.int64)
"""How often a class is cut anew with none, one and two others if its size is all that counts."""
_ASKED_PLAN = np.array([1, 2, 1], dtype=np.int64)
"""The same where models read values; alone it is cut in two."""
_LONG = 3.0
"""From this effort on rounds begin with trades that cost more than they save."""
_SLACK = 0.06
"""How much more at first, as a share of what the classes pay; it falls to nothing."""
_FALLEN = 0.8
"""The share of the rounds after which `_SLACK` has fallen to nothing."""
KINDS = ("moved", "dissolved", "pairs", "triples", "traded", "narrowed", "cut anew")
"""How savings are told apart."""


@dataclass(eq=False)
class Trades:
    """Classes on their way to a lower cost."""

    points: CrowdPoints
    k: int
    """Fewer records are never a class."""
    demands: "Demands"
    parts: "ClassPieces"
    seed: int
    whole: int = 0
    """Rows of the table that these are a part of; 0 if they are all of it."""
    made: int = 0
    """Rounds that were made."""
    saved: Floats = field(default_factory=lambda: np.zeros(len(KINDS)))
    """What each of `KINDS` has saved."""
    work: float = 0.0
    """Pieces that were looked at."""
    converged: bool = False
    """Whether it ended because hardly anything was saved any more, or nothing can be."""
    in_time: bool = True
    """Whether no time limit ended it."""

    def run(self, effort: float, watch: Watch) -> None:
        """Trade as often as the effort allows, while it pays and there is time."""
        with watch.alarm() as stop:
            self._run_rounds(effort, watch, stop)

    def _run_rounds(self, effort: float, watch: Watch, stop: Flags) -> None:
        """Make rounds until stopped, out of effort or savings; keep the cheapest classes met."""
        rounds = max(rounds_for(self._table_pieces), _IN_PARTS if self.whole else 1.0) * effort
        records = max(int(self.points.weights.sum()), 1)
        now, quiet = self.cost, 0
        best = now, self.parts
        while self.made < rounds and len(self.parts.start) > 2 and not watch.expired:
            loss = f"loss {best[0] / records:.3f} after {watch.elapsed:.0f} s"
            watch.tell(f"searching: {loss}", self.made / rounds)
            before = now
            slack = self._slack_now(effort, rounds)
            self._run_round(slack, rounds - self.made, stop)
            self.made += 1
            now = self.cost
            best = min(best, (now, self.parts), key=lambda result: result[0])
            if stop[0]:  # in the middle of a round, which says nothing of the next
                break
            quiet = quiet + 1 if before - now <= _LITTLE * now and slack == 0 else 0
            if quiet == _QUIET:
                self.converged = True
                break
        self.converged |= len(self.parts.start) <= 2
        self.in_time = self.converged or (self.made >= rounds and not stop[0])
        self.parts = best[1]

    @property
    def _table_pieces(self) -> int:
        """How many pieces there are or, if more, rows of the table that these are a part of."""
        return max(len(self.parts.point), self.whole)

    @property
    def cost(self) -> float:
        """What all records pay together."""
        return float(state.class_costs(self.points.space, self.parts).sum())

    def _slack_now(self, effort: float, rounds: float) -> float:
        """Return how much dearer trades may be in this round, as a share; 0 in the last ones."""
        if effort < _LONG or rounds < _MOST_ROUNDS:
            return 0.0
        return _SLACK * max(0.0, 1 - self.made / (_FALLEN * rounds))

    def _run_round(self, slack: float, share: float, stop: Flags) -> None:
        """Let classes trade, in the dearest regions if `share` < 1, ending up to `slack` dearer."""
        ends = self._arrange_regions()
        start = self.parts.start
        dear = self._dearest_regions(ends, share)
        tasks = [
            partial(self._trade_region, start[lo : hi + 1], i, slack, stop if dear[i] else _STOPPED)
            for i, (lo, hi) in enumerate(pairwise([0, *ends.tolist()]))
        ]
        regions = in_threads(tasks)
        self.parts = join_class_pieces([parts for parts, _ in regions])
        total: Floats = np.sum([saving for _, saving in regions], axis=0)
        self.saved += total[:-1]
        self.work += float(total[-1])

    def _arrange_regions(self) -> Counts:
        """Put the classes in the order of new regions; return where these end."""
        order, ends = order_by_region(self.points, self.parts, (self.seed, self.made), REGION)
        self.parts = select_classes(self.parts, order)
        return ends

    def _dearest_regions(self, ends: Counts, share: float) -> Flags:
        """Return flags for the share of all regions whose records pay most."""
        dear = np.ones(len(ends), dtype=np.bool_)
        if share < 1:
            costs = state.class_costs(self.points.space, self.parts)
            paid = np.add.reduceat(costs, np.append(0, ends[:-1]))
            dear[np.argsort(-paid, kind="stable")[ceil(share * len(ends)) :]] = False
        return dear

    def _trade_region(
        self, start: Counts, number: int, slack: float, stop: Flags
    ) -> tuple["ClassPieces", Floats]:
        """Return a region's classes after a round, and what each of `KINDS` saved, the work last.

        `start` is where the pieces of its classes begin, and where the last end; `number` tells its
        draw. If `stop` is set or it is too large, it stays as it is, and all figures are 0.
        """
        here = slice(start[0], start[-1])
        parts = state.ClassPieces(
            self.parts.point[here], self.parts.records[here], start - start[0]
        )
        saved = np.zeros(len(KINDS) + 1)
        large = len(parts.start) * int(np.diff(parts.start).max(initial=0)) > _LARGEST
        if stop[0] or large:
            return parts, saved
        rule, space = cut.Rule(self.k, self.points.divisible), self.points.space
        seed = 1000 * self.made + number
        plain = len(self.demands.asks.rules) == 0
        if plain:
            parts, saved[:4] = sweep_kernels.run_sweep(space, parts, rule, _SHARED, seed, stop)
            if self._table_pieces > _LIGHT:
                return parts, saved
        plan = _PLAN if plain else _ASKED_PLAN
        parts, more = trade_kernels.run_trades(
            space, parts, rule, self.demands, plan, slack, seed, stop
        )
        saved[4:] = more[0], more[1], more[2:-1].sum(), more[-1]
        return parts, saved


def rounds_for(pieces: int) -> float:
    """How many rounds a table of so many pieces gets at effort 1: fewer, the larger it is.

    >>> [round(rounds_for(pieces), 1) for pieces in (1_000, 20_000, 80_000, 325_000, 5_000_000)]
    [24.0, 8.1, 4.0, 2.0, 1.0]
    """
    return max(1.0, min(float(_MOST_ROUNDS), sqrt(_PIECES / pieces)))


def order_by_region(
    points: CrowdPoints, parts: "ClassPieces", seed: tuple[int, int], most: int
) -> tuple[Codes, Counts]:
    """Return classes so that near ones are neighbours, and where regions of up to `most` end."""
    point, _, start = parts
    codes, boxes = points.space
    rng = np.random.default_rng(seed)
    favour = np.exp(rng.uniform(-_FAVOUR, _FAVOUR, codes.shape[1]))
    pieces = start[:-1] + rng.integers(0, 2**31, len(start) - 1) % np.diff(start)
    order: Codes = np.arange(len(pieces), dtype=np.int32)
    ends = regions_kernels.cut_into_regions(boxes, codes[point[pieces]], favour, most, order)
    return order, ends


def select_classes(parts: "ClassPieces", classes: Codes) -> "ClassPieces":
    """Return these classes, in this order."""
    point, count, start = parts
    entry, _ = histogram.expand_rows(start, classes)
    sizes = np.diff(start)[classes]
    return state.ClassPieces(point[entry], count[entry], offsets(sizes))


def join_class_pieces(several: list["ClassPieces"]) -> "ClassPieces":
    """Return the classes of all parts, one part after the other."""
    return state.ClassPieces(
        np.concatenate([parts.point for parts in several]),
        np.concatenate([parts.records for parts in several]),
        offsets(np.concatenate([np.diff(parts.start) for parts in several])),
    )


_TINY = 1e-9


@dataclass(eq=False)
class Offers:
    """Classes that satisfy every model; the models judge the offers of a round all at once."""

    problem: Problem
    points: CrowdPoints
    least: int
    """Fewer records are never a class."""
    parts: "ClassPieces"
    made: int = 0
    """Rounds that were made."""
    taken: int = 0
    """Offers that were taken."""

    def run(self, effort: float, watch: Watch) -> None:
        """Trade as often as the effort allows, while there is time."""
        rounds = max(1, round(_MOST_ROUNDS * effort))
        while self.made < rounds and len(self.parts.start) > 2 and not watch.expired:
            watch.tell("trading records between classes", self.made / rounds)
            self._run_round()
            self.made += 1

    def _run_round(self) -> None:
        """Offer each class a cut with its neighbour, and take the offers that are good."""
        order = self._order_classes()
        pairs = select_classes(self.parts, order[: len(order) // 2 * 2])
        rest = select_classes(self.parts, order[len(order) // 2 * 2 :])
        sizes = np.add.reduceat(pairs.records, pairs.start[:-1]).reshape(-1, 2)
        least = np.maximum(self.least, sizes.min(axis=1) // 2)
        offers = regions_kernels.cut_pairs_anew(
            self.points.space, pairs, least, self.points.divisible, self.made
        )
        good = self._flag_good_offers(offers)
        self.taken += int(good.sum())
        kept = _classes_of_pairs(np.flatnonzero(~good))
        new = select_classes(offers.parts, _classes_of_pairs(np.flatnonzero(good)))
        self.parts = join_class_pieces([select_classes(pairs, kept), new, rest])

    def _order_classes(self) -> Codes:
        """Return near classes in a row, shifted by one every second round so that pairs change."""
        order, _ = order_by_region(self.points, self.parts, (self.problem.seed, self.made), 1)
        return np.roll(order, self.made % 2)

    def _flag_good_offers(self, offers: "CutPairs") -> Flags:
        """Return flags for the offers that save something and whose classes satisfy every model."""
        saves = offers.saving > _TINY
        which = np.flatnonzero(saves)
        trial = select_classes(offers.parts, _classes_of_pairs(which))
        saves[which] = flag_satisfying(self.problem, self.points, trial).reshape(-1, 2).all(axis=1)
        return saves


def _classes_of_pairs(pairs: Counts) -> Codes:
    """Return the two classes of each of these pairs: 2p and 2p + 1 for pair p."""
    classes: Codes = (2 * pairs[:, np.newaxis] + np.array([0, 1])).ravel().astype(np.int32)
    return classes


def flag_satisfying(problem: Problem, points: CrowdPoints, parts: "ClassPieces") -> Flags:
    """Return flags for the classes that satisfy every model; `parts` may be a few of all."""
    point, count, start = parts
    number = len(start) - 1
    class_of = np.repeat(np.arange(number, dtype=np.int32), np.diff(start))
    rows, of_piece = points.rows(point)
    counts = count[of_piece] if points.divisible else problem.tally.counts[rows]
    cut = problem.tally.split(rows, counts)
    return problem.satisfied_by(classes_of(cut, class_of[of_piece], number, problem.sensitive))
