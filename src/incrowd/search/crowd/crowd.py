"""Crowd: local recoding that begins with the best of several divisions and lets classes trade.

Ghinita Section 6 maps records to one line and divides it optimally; ARX covers a table with level
vectors; Mondrian cuts it. Each wins on other tables, and none looks at what a record would cost in
another class. Here the cheapest of the three is the start, and then records move, classes dissolve,
and near classes share their records anew as long as it lowers the loss (decision record 0009).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass as plain
from dataclasses import field, replace
from functools import partial
from math import ceil, inf
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, TypeAlias, get_args

import numpy as np
from pydantic import Field

from incrowd.arrays import SUPPRESSED, Codes
from incrowd.errors import InfeasibleError, LimitError, count_of
from incrowd.kernels.crowd import state
from incrowd.problem import Problem
from incrowd.recoding import Pieces, Spans
from incrowd.search.crowd.demands import demands_of, no_demands
from incrowd.search.crowd.starts import (
    CrowdPoints,
    Start,
    cover_pieces,
    make_starts,
    mondrian_pieces,
    points_of,
    strict_pieces,
    tree_pieces,
)
from incrowd.search.crowd.trades import KINDS, Offers, Trades, join_class_pieces
from incrowd.search.left_out import search_after_leaving_out
from incrowd.search.literature.diversify.diversify import MappingName, diverse_pieces
from incrowd.search.mondrian import least_size, sizes_decide
from incrowd.search.orders.division import least_people
from incrowd.search.parts import divide_rows, is_separable, part_problem
from incrowd.search.refusals import nothing_found, raise_if_infeasible, raise_if_out_of_time
from incrowd.search.repair import fold_pieces, join_pieces, merge_failing_classes
from incrowd.search.search import Found, Search
from incrowd.table.fold import in_threads, threads
from incrowd.values import STRICT, dataclass
from incrowd.watch import SilentWatch, Watch

if TYPE_CHECKING:
    from incrowd.kernels.crowd.state import ClassPieces

LARGE = 2**20
"""Rows of a table above which it is worked on in parts."""
PART = 2**18
"""About so many rows are in a part."""
_FILLED = 100
"""A part has at least so many times the records of the smallest class."""
_SEVERAL = 2**13
"""Points up to which classes trade from every start: the cheapest does not always end best."""
_GENEROUS = 1.5
"""How much more than its share of the time a part may take: parts are not alike."""
_BY_FAR = 0.9
"""Diverse classes that cost less than this share of what others do are cheaper by far."""


@dataclass(frozen=True, config=STRICT)
class Crowd(Search):
    """Local recoding with little loss: classes trade records until little is gained.

    `effort` multiplies how often all classes are gone through: 1 takes about two seconds for a
    table of 30,000 records and nine columns, 0 only makes the classes to begin with.

    >>> Crowd(effort=2).name
    'crowd'
    """

    effort: Annotated[float, Field(ge=0, le=1000)] = 1.0
    name: Literal["crowd"] = field(default="crowd", kw_only=True)
    offered: ClassVar[str] = "local recoding"
    separable: ClassVar[bool] = True
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Begin with the cheapest classes and let them trade; every class satisfies every model."""
        raise_if_infeasible(problem)
        return search_after_leaving_out(problem, lambda stay: self._trade(stay, watch))

    def run_part(self, problem: Problem, watch: Watch, whole: int) -> Found:
        """Search a part of a table of `whole` records, as hard as a table of so many rows."""
        raise_if_infeasible(problem)
        return search_after_leaving_out(problem, lambda stay: self._trade_whole(stay, watch, whole))

    def _trade(self, problem: Problem, watch: Watch) -> Found:
        """Let classes trade, part by part in a large table whose models allow that."""
        if problem.tally.rows > LARGE and is_separable(problem):
            with suppress(InfeasibleError):
                return self._trade_in_parts(problem, watch)
        return self._trade_whole(problem, watch)

    def _trade_whole(self, problem: Problem, watch: Watch, whole: int = 0) -> Found:
        """Let classes trade in the table as a whole, or as a part of one of `whole` rows."""
        made = self.make_classes(problem, watch, whole)
        return self._as_found(Spans(made.pieces), [made], made.why)

    def _trade_in_parts(self, problem: Problem, watch: Watch) -> Found:
        """Divide the rows of a large table into parts, and let the classes of each part trade."""
        rows = divide_rows(problem, PART, _FILLED * _size_floor(problem))
        parts = PartsWatch(watch, len(rows))

        def trade_part(here: Codes) -> FoundClasses:
            """Return the classes of these rows of the table after trading."""
            made = self.make_classes(
                part_problem(problem, here), parts.begin_part(), problem.tally.rows
            )
            parts.finish_part()
            return replace(made, pieces=replace(made.pieces, row=here[made.pieces.row]))

        made = in_threads([partial(trade_part, here) for here in rows])
        pieces = fold_pieces(join_pieces([each.pieces for each in made]))
        spans = Spans(pieces).merge_alike(problem.tally, problem.columns)
        why = f"divided the rows into {count_of(len(rows), 'part')}, {made[0].why}"
        return self._as_found(spans, made, why)

    def _as_found(self, spans: Spans, made: "list[FoundClasses]", why: str) -> Found:
        """Return the classes of all parts as the result of the search."""
        number = int(spans.pieces.class_of.max()) + 1
        facts = _facts_of_parts(made, number)
        return Found(spans, self.name, why=f"{why}: {number:,} classes", facts=facts)

    def make_classes(self, problem: Problem, watch: Watch, whole: int = 0) -> "FoundClasses":
        """Make classes, let them trade, join those that fail; `whole`: as in `classes_by_size`.

        `LimitError` if the time is up before, `InfeasibleError` if no classes are found.
        """
        raise_if_out_of_time(watch)
        if sizes_decide(problem):
            made = classes_by_size(problem, self.effort, watch, whole=whole)
        else:
            made = classes_by_models(problem, self.effort, watch, whole)
        return replace(made, pieces=merge_failing_classes(problem, made.pieces).pieces)


class PartsWatch(SilentWatch):
    """A watch of work on parts, which tells how many are done and not what each of them does."""

    def __init__(self, outer: Watch, parts: int) -> None:
        super().__init__(outer, None)
        self._parts, self._begun, self._done = parts, 0, 0

    def begin_part(self) -> Watch:
        """Return the watch of the next part, limited so that first parts leave time to others."""
        left, open_ = self.remaining, self._parts - self._begun
        self._begun += 1
        share = None if left is None else _GENEROUS * threads() * max(left, 0.0) / open_
        return SilentWatch(self, share, answer_first=True)

    def finish_part(self) -> None:
        """Tell that a part is done."""
        self._done += 1
        self._outer.tell(f"part {self._done:,} of {self._parts:,}", self._done / self._parts)


@plain(frozen=True, eq=False)
class FoundClasses:
    """Classes, and what can be said of them."""

    pieces: Pieces
    why: str
    facts: dict[str, float]


def _facts_of_parts(parts: list[FoundClasses], classes: int) -> dict[str, float]:
    """Return the figures of all parts: the sum of work, and the mean of any other."""
    facts: dict[str, float] = {"classes": float(classes), "parts": float(len(parts))}
    for part in parts:
        for name, figure in part.facts.items():
            share = 1.0 if name == "work" else 1 / len(parts)
            facts[name] = facts.get(name, 0.0) + share * figure
    return facts


def classes_by_size(
    problem: Problem, effort: float, watch: Watch, k: int | None = None, whole: int = 0
) -> FoundClasses:
    """Return classes of at least k records, by default as many as the models ask for.

    Only sizes are looked at. `whole`: rows of the table that this is a part of, 0 if it is all.
    """
    k = k or least_size(problem) or 1
    points = points_of(problem, by_size=True)
    begun = make_starts(problem, points, k, watch, whole)

    def trade(start: Start) -> tuple[str, Trades]:
        """Return the title of a start, and its classes after trading."""
        trades = Trades(points, k, no_demands(), start.parts, problem.seed, whole)
        trades.run(effort, watch)
        return start.title, trades

    several = max(len(points.weights), whole) <= _SEVERAL
    ended = in_threads([partial(trade, start) for start in (begun if several else begun[:1])])
    title, trades = min(ended, key=lambda one: one[1].cost)
    records = problem.tally.records
    facts = {f"start by {start.title}": start.cost / records for start in begun}
    return FoundClasses(
        points.pieces(trades.parts),
        _trades_in_words(title, trades),
        facts | _facts_of_trades(trades),
    )


def classes_by_models(
    problem: Problem, effort: float, watch: Watch, whole: int = 0
) -> FoundClasses:
    """Return classes that satisfy models beyond sizes; `whole` is as in `classes_by_size`."""
    points = points_of(problem, by_size=False)
    title, spans = _best_start(problem, effort, watch)
    inside, outside = _split_left_out(points, spans.pieces)
    demands = demands_of(problem, points)
    if demands is None:
        offers = Offers(problem, points, _size_floor(problem), inside)
        offers.run(effort, watch)
        facts = {"rounds": float(offers.made), "trades": float(offers.taken)}
        why = f"started from {title} and moved records {offers.taken:,} times within the models"
        return FoundClasses(_add_left_out(points, offers.parts, outside), why, facts)
    trades = Trades(points, _size_floor(problem), demands, inside, problem.seed, whole)
    trades.run(effort, watch)
    return FoundClasses(
        _add_left_out(points, trades.parts, outside),
        _trades_in_words(title, trades),
        _facts_of_trades(trades),
    )


def _split_left_out(
    points: CrowdPoints, pieces: Pieces
) -> tuple["ClassPieces", "ClassPieces | None"]:
    """Return the classes of pieces, and those left out as one class (None if none is left out)."""
    out = pieces.class_of < 0
    stay = Pieces(pieces.row[~out], pieces.count[~out], pieces.class_of[~out])
    if not out.any():
        return points.parts(stay), None
    nowhere = np.zeros(int(out.sum()), dtype=np.int32)
    return points.parts(stay), points.parts(Pieces(pieces.row[out], pieces.count[out], nowhere))


def _add_left_out(
    points: CrowdPoints, inside: "ClassPieces", outside: "ClassPieces | None"
) -> Pieces:
    """Return classes as pieces of rows, with the pieces that are left out, if there are any."""
    if outside is None:
        return points.pieces(inside)
    pieces = points.pieces(join_class_pieces([inside, outside]))
    out = pieces.class_of == len(inside.start) - 1
    return replace(pieces, class_of=np.where(out, SUPPRESSED, pieces.class_of).astype(np.int32))


def _trades_in_words(title: str, trades: Trades) -> str:
    """Say from which start classes traded, for how many rounds, and why that ended."""
    rounds = count_of(trades.made, "round")
    if not trades.in_time:
        ended = "until the time limit"
    else:
        ended = "until hardly anything was saved" if trades.converged else "a higher effort goes on"
    return f"started from {title} and traded records between classes in {rounds}, {ended}"


def _facts_of_trades(trades: Trades) -> dict[str, float]:
    """Return what trades saved a record, by kind, rounds, work, and whether effort ended them."""
    records = max(int(trades.points.weights.sum()), 1)
    savings = zip(KINDS, trades.saved.tolist(), strict=True)
    facts = {f"saved by {kind}": saving / records for kind, saving in savings}
    ended = {"rounds": float(trades.made), "work": trades.work}
    more = trades.in_time and not trades.converged
    return facts | ended | {"ended by effort": float(more)}


def _best_start(problem: Problem, effort: float, watch: Watch) -> tuple[str, Spans]:
    """Return the title and classes of the cheapest start, repaired to satisfy the models.

    Ways that see to sizes alone come first only if they are quick; if diverse classes are by far
    cheaper, the others are not tried: sizes are not what binds. Once the time is up, the quickest
    way that gives classes is enough. `InfeasibleError` if none does.
    """
    points = points_of(problem, by_size=False)
    first, *others = _quick_ways(problem, watch)
    if watch.expired:
        by_order = _repair_starts(problem, points, [first])
        by_order = by_order or _repair_starts(problem, points, others)
    else:
        by_order = _repair_starts(problem, points, [first, *others])
    late = watch.expired and bool(by_order)
    diverse = [] if late else _repair_starts(problem, points, _diverse_ways(problem))
    tried = by_order + diverse
    least = [min((one.cost for one in some), default=inf) for some in (by_order, diverse)]
    if not late and least[1] >= _BY_FAR * least[0]:
        tried += _repair_starts(problem, points, _slow_ways(problem, effort, watch))
    if not tried:
        raise nothing_found(problem)
    best = min(tried, key=lambda one: one.cost)
    return best.title, best.spans


@plain(frozen=True, eq=False)
class _RepairedStart:
    """A start that satisfies the models."""

    cost: float
    title: str
    spans: Spans


Way: TypeAlias = tuple[str, Callable[[], Pieces | None]]
"""A title, and a function that makes classes to begin with; None if it cannot."""


def _repair_starts(problem: Problem, points: CrowdPoints, ways: list[Way]) -> list[_RepairedStart]:
    """Return what each way to begin gives once repaired; ways that give nothing are dropped."""

    def attempt(title: str, way: Callable[[], Pieces | None]) -> _RepairedStart | None:
        """Return what a way gives once repaired, None if it cannot be used."""
        try:
            pieces = way()
            spans = None if pieces is None else merge_failing_classes(problem, pieces)
        except (InfeasibleError, LimitError):
            return None
        return None if spans is None else _RepairedStart(_total_cost(points, spans), title, spans)

    found = in_threads([partial(attempt, *way) for way in ways])
    return [one for one in found if one is not None]


def _quick_ways(problem: Problem, watch: Watch) -> list[Way]:
    """Return quick ways to make classes that models may still refuse."""
    return [
        ("tree", partial(tree_pieces, problem, watch)),
        ("mondrian", partial(mondrian_pieces, problem, watch)),
        ("strict mondrian", partial(strict_pieces, problem, watch)),
    ]


def _diverse_ways(problem: Problem) -> list[Way]:
    """Return ways to make classes of different values, one along every mapping."""
    mappings: tuple[MappingName, ...] = get_args(MappingName)
    return [(f"{mapping} order", partial(diverse_pieces, problem, mapping)) for mapping in mappings]


def _slow_ways(problem: Problem, effort: float, watch: Watch) -> list[Way]:
    """Return ways that take time, and pay where sizes bind more than values."""
    ways: list[Way] = [("cover", partial(cover_pieces, problem, watch))]
    if not problem.tally.has_units:
        k = _size_floor(problem)
        ways.append(("crowd by size", lambda: classes_by_size(problem, effort, watch, k).pieces))
    return ways


def _total_cost(points: CrowdPoints, spans: Spans) -> float:
    """Return what all records pay together; those left out pay 1 each."""
    pieces = spans.pieces
    shown = pieces.class_of >= 0
    parts = points.parts(Pieces(pieces.row[shown], pieces.count[shown], pieces.class_of[shown]))
    return float(state.class_costs(points.space, parts).sum()) + float(pieces.count[~shown].sum())


def _size_floor(problem: Problem) -> int:
    """Return a size below which no class satisfies the models, as far as the models tell."""
    asked = [model.threshold for model in problem.models if model.columns and model.higher_is_safer]
    return max(least_people(problem), ceil(max(asked, default=1.0) - 1e-9))
