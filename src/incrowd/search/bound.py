"""A lower bound of the loss of every recoding of a table whose classes hold at least s records.

*The bound.* Give every record r a worth u(r), 0 to 1, so that in every class C that could be, the s
largest u add up to at most s times what a record of C pays. Then no recoding loses less than the
mean u. Any u can be made to fit. A box around r is a run of codes in each column; its price is at
most what any class inside it that spans it pays (`bound_prices`). Let f(r) be at most s times the
price of b over the s largest u of b together, for every box b around r with s records. Then
f(r) · u(r) fits; that can be repeated, and lowers no u that fits already. Decision record 0021 has
the proofs.

Begin with u = c^0.7, c being what each record pays in a release that was found: who is dear to hide
in one release is in others. The kernel finds f(r), up to a cap, by branch and bound.

*What it covers.* Losses that are a mean of what cells cost (`Loss.per_cell`): each gives a price
that never falls as a class grows. Every class holds s records: the largest number that a model asks
for by itself, since people are no more than records and a class has no more different values than
people. Models may ask for more, limits of columns and `consistent` may rule out classes, and people
may have several records: that only takes recodings away. Weights of columns are in the prices, and
missing values are a code like any other. It does not cover recodings that show exact values
(anatomy), nor missing values that match anything: there a class of one record may be released.

*Rounding.* Bins of columns round prices down. Floating-point errors are far below the share
`MARGIN` that is taken off in the end.

*Estimate.* The mean f · u of records drawn at random estimates the bound in much less time; it
proves nothing.
"""

from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from typing import Literal, TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts, Flags, Floats
from incrowd.errors import PolicyError
from incrowd.kernels import lower_bound as kernel
from incrowd.loss.cells import cells_of
from incrowd.loss.loss import Loss
from incrowd.models.model import Model
from incrowd.partition.classes import Classes, number_columns
from incrowd.problem import Problem
from incrowd.recoding import Recoding
from incrowd.search.bound_prices import ColumnBins, flatten_prices, run_prices
from incrowd.table.column import Missing
from incrowd.table.fold import in_threads, threads
from incrowd.watch import Watch

Gap: TypeAlias = Literal["estimate", "prove"]
"""How the bound is asked for."""

MARGIN = 1e-9
"""The share of the bound that is taken off for rounding."""
SAMPLE = 1000
"""Records that an estimate draws."""
_PASSES = 2
"""How often the worth is made to fit: the first pass makes it fit, others make it larger."""
_CAP = 1.25
"""The most that a worth grows in a pass: to look for more takes longer."""
_POWER = 0.7
_START = 0.75
"""The mean worth to begin with over the loss of the release."""
_STEPS = 500_000
"""Steps of one try for one point."""
_CHUNK = 128
"""Points that one task looks at, one after the other."""


@dataclass(frozen=True)
class LossBound:
    """A loss that no recoding of a table goes below, proved or estimated."""

    loss: float
    """The bound, or its estimate, 0..1."""
    found: float
    """The loss of the recoding that was found."""
    size: int
    """The records that every class holds at least."""
    sampled: int | None = None
    """The records that were drawn for an estimate; None if the bound is proved."""
    margin: float = 0.0
    """How far the estimate may be off, with confidence 95 %."""

    @property
    def proved(self) -> bool:
        """Whether the bound holds for every recoding, and is no estimate."""
        return self.sampled is None

    @property
    def gap(self) -> float:
        """How much less than the recoding that was found another one could lose at most."""
        return max(self.found - self.loss, 0.0)


def lower_bound(
    problem: Problem, watch: Watch, recoding: Recoding, sample: int | None = None
) -> LossBound:
    """A lower bound of the problem's loss; the less the `recoding` loses, the closer the bound is.

    With a `sample` an estimate from so many records, drawn by the problem's seed. If time is up,
    the bound proved so far; 0 if a class may have one record, or nothing is lost. Errors are those
    of `raise_if_no_bound`.
    """
    raise_if_no_bound(problem.loss, exact=recoding.exact)
    size = least_records(problem)
    outcome = problem.outcome(recoding)
    lost = problem.loss.of(outcome)
    space = _PricedSpace.of(problem)
    paid = space.mean_costs(problem, recoding)
    if size == 1 or not paid.any():
        return LossBound(0.0, lost, size)
    worth = paid**_POWER
    worth *= _START * space.mean(paid) / space.mean(worth)
    worth = np.minimum(worth, 1.0)
    if sample is not None:
        mean, drawn, margin = _estimate(space, worth, size, (sample, problem.seed), watch)
        return LossBound(mean, lost, size, drawn, margin)
    for turn in range(_PASSES):
        every = np.flatnonzero(worth > 0).astype(np.int32)
        rule = kernel.BoxRule(size, _STEPS, 1.0 if turn else 0.0)
        ratios = _least_ratios(space, worth, every, rule, (watch, turn / _PASSES, 1 / _PASSES))
        ratios[np.isnan(ratios)] = rule.floor  # none was looked for
        worth[every] = np.minimum(worth[every] * ratios, 1.0)
    return LossBound(space.mean(worth) * (1 - MARGIN), lost, size)


def _estimate(
    space: "_PricedSpace", worth: Floats, size: int, draw: tuple[int, int], watch: Watch
) -> tuple[float, int, float]:
    """The mean worth, made to fit, of drawn records; how many had time; the margin (95 %).

    `size` is that of `LossBound`, `draw` how many records to draw and the seed. The mean is 0 and
    the margin 1 if there are fewer than two records, or time for fewer.
    """
    shares = space.counts / space.counts.sum()
    drawn = np.random.default_rng(draw).choice(len(shares), draw[0], p=shares)
    points, times = np.unique(drawn, return_counts=True)
    rule = kernel.BoxRule(size, _STEPS, 0.0)
    ratios = _least_ratios(space, worth, points.astype(np.int32), rule, (watch, 0.0, 1.0))
    kept = ~np.isnan(ratios)
    fitting = np.repeat(np.minimum(worth[points] * ratios, 1.0)[kept], times[kept])
    if len(fitting) < 2:
        return 0.0, len(fitting), 1.0
    error = float(fitting.std(ddof=1)) / sqrt(len(fitting))
    return float(fitting.mean()), len(fitting), 1.96 * error


def raise_if_no_bound(loss: Loss, *, exact: bool) -> None:
    """Raise `PolicyError` for a loss that is no mean of cell costs, or if cells are exact."""
    if not loss.per_cell:
        raise PolicyError(
            f"there is no bound of the loss {loss.name}: it is not a mean of what cells cost",
            remedy="leave out gap, or use the loss gcp, granularity or precision",
        )
    if exact:
        raise PolicyError(
            "there is no gap: the release shows exact quasi-identifiers, which lose nothing",
            remedy="leave out gap",
        )


def least_records(problem: Problem) -> int:
    """The records that any class holds at least, by the models; 1 if missing matches anything."""
    if problem.missing is Missing.MATCHES_ANYTHING:
        return 1
    return max([1, *(_least_for_model(model, problem.tally.records) for model in problem.models)])


def _least_for_model(model: Model, records: int) -> int:
    """The least records that a class must hold to satisfy this model, as far as is known."""
    shares = [model.share_limits(column).most for column in model.columns]
    asked = max([model.smallest_class(), model.distinct_values(), *(ceil(1 / s) for s in shares)])
    if model.columns or "world" in model.requires:
        return asked
    sizes = np.arange(1, records + 1, dtype=np.int64)
    fine: Flags = model.satisfied_by(Classes(sizes, sizes, {}))
    return max(asked, int(np.argmax(fine)) + 1) if fine.any() else asked


@dataclass(frozen=True, eq=False)
class _PricedSpace:
    """The distinct points of a table and what boxes around them cost."""

    codes: Codes
    """Bins, one line per point; dear columns first, so that sums of prices grow fast."""
    counts: Counts
    """Records at each point."""
    point_of: Codes
    """The point of each row of the tally."""
    prices: kernel.Prices

    @classmethod
    def of(cls, problem: Problem) -> "_PricedSpace":
        """The points of a problem; weights of columns sum to 1."""
        columns, tally = problem.columns, problem.tally
        weights = np.array([column.weight for column in columns], dtype=np.float64)
        weights /= weights.sum()
        bins = [ColumnBins.of(column.frequency) for column in columns]
        parts = zip(columns, bins, weights.tolist(), strict=True)
        tables = [weight * run_prices(column, cut, problem.loss) for column, cut, weight in parts]
        dear = np.argsort([-float(table.mean()) for table in tables], kind="stable").tolist()
        codes = np.array([bins[j].bin_of(tally.quasi[j]) for j in dear], dtype=np.int32)
        point_of, number = number_columns(codes)
        points = np.empty((number, len(dear)), dtype=np.int32)
        points[point_of] = codes.T
        counts = np.bincount(point_of, weights=tally.counts, minlength=number).astype(np.int64)
        ordered = [columns[j].hierarchy.ordered for j in dear]
        return cls(points, counts, point_of, flatten_prices([tables[j] for j in dear], ordered))

    def mean(self, worth: Floats) -> float:
        """The mean over all records of `worth`, which is given per point."""
        return float(worth @ self.counts) / float(self.counts.sum())

    def mean_costs(self, problem: Problem, recoding: Recoding) -> Floats:
        """The mean cost of a record of each point in this recoding; 1 for one left out."""
        outcome, pieces = problem.outcome(recoding), recoding.pieces
        price = np.ones(len(outcome.classes) + 1, dtype=np.float64)
        price[:-1] = sum(
            weight * problem.loss.cost(cells)
            for weight, cells in zip(outcome.weights.tolist(), cells_of(outcome), strict=True)
        )
        total = pieces.count * price[pieces.class_of]
        paid: Floats = np.bincount(self.point_of[pieces.row], total, len(self.counts)) / self.counts
        return paid


def _least_ratios(
    space: _PricedSpace,
    worth: Floats,
    chosen: Codes,
    rule: kernel.BoxRule,
    progress: tuple[Watch, float, float],
) -> Floats:
    """Factors (f in the module's text) that make chosen points' worth fit; NaN where time was up.

    `progress` is the watch, the share of all work that was done before, and that of this call.
    """
    order = np.argsort(-worth, kind="stable").astype(np.int32)
    points = kernel.PricedPoints(space.codes, space.counts, worth, order)
    found = np.full(len(chosen), np.nan)
    watch, begun, share = progress
    turn = _CHUNK * threads()
    for start in range(0, len(chosen), turn):
        if watch.expired:
            break
        watch.tell("bounding the loss", begun + share * start / len(chosen))
        end = min(start + turn, len(chosen))
        lots = [chosen[at : min(at + _CHUNK, end)] for at in range(start, end, _CHUNK)]
        tasks = [
            partial(kernel.least_ratios, points, space.prices, lot, _CAP, rule) for lot in lots
        ]
        found[start:end] = np.concatenate([ratios for ratios, _ in in_threads(tasks)])
    return found
