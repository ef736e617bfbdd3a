"""Crowd: local recoding that begins with the best of several divisions and lets classes trade.

Ghinita Section 6 maps records to one line and divides it optimally; ARX covers a table with level
vectors; Mondrian cuts it. Each wins on other tables, and none looks at what a record would cost in
another class. Here the cheapest of the three is the start, and then records move, classes dissolve,
and near classes share their records anew as long as it lowers the loss (decision record 0009).
"""

from collections.abc import Callable
from dataclasses import dataclass as plain
from dataclasses import field
from math import ceil
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from incrowd.errors import InfeasibleError, LimitError
from incrowd.kernels.crowd import state
from incrowd.problem import Problem
from incrowd.recoding import Pieces, Spans
from incrowd.search.crowd.judged import Sweeps, Trades
from incrowd.search.crowd.starts import (
    CrowdPoints,
    cover_pieces,
    mondrian_pieces,
    points_of,
    starts,
    strict_pieces,
    tree_pieces,
)
from incrowd.search.left_out import leaving_out
from incrowd.search.literature.order import least_people
from incrowd.search.mondrian import least_size
from incrowd.search.refusals import nothing_found, raise_if_infeasible
from incrowd.search.repair import merge_failing_classes
from incrowd.search.search import Found, Search
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch


@dataclass(frozen=True, config=STRICT)
class Crowd(Search):
    """Local recoding with little loss: classes trade records until little is gained.

    `effort` multiplies how often all classes are gone through: 1 takes about a second for a table
    of 30,000 records and nine columns, 0 only makes the classes to begin with.

    >>> Crowd(effort=2).name
    'crowd'
    """

    effort: Annotated[float, Field(ge=0, le=1000)] = 1.0
    name: Literal["crowd"] = field(default="crowd", kw_only=True)
    separable: ClassVar[bool] = True
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Begin with the cheapest classes and let them trade; every class satisfies every model."""
        raise_if_infeasible(problem)
        return leaving_out(problem, lambda stay: self._traded(stay, watch))

    def _traded(self, problem: Problem, watch: Watch) -> Found:
        if watch.expired:
            raise LimitError(
                "the time limit ended before the search began", remedy="raise the time limit"
            )
        made = by_size(problem, self.effort, watch) if sizes_decide(problem) else None
        if made is None:
            made = by_models(problem, self.effort, watch)
        spans = merge_failing_classes(problem, made.pieces)
        number = int(spans.pieces.class_of.max()) + 1
        facts = {"classes": float(number), **made.facts}
        return Found(spans, self.name, why=f"{made.why}: {number:,} classes", facts=facts)


@plain(frozen=True, eq=False)
class Made:
    """Classes, and what can be said of them."""

    pieces: Pieces
    why: str
    facts: dict[str, float]


def sizes_decide(problem: Problem) -> bool:
    """Whether a class satisfies the models if and only if it is large enough."""
    return least_size(problem) is not None and all(not model.columns for model in problem.models)


def by_size(problem: Problem, effort: float, watch: Watch, k: int | None = None) -> Made:
    """Classes of at least k records, k being what the models ask for if not given."""
    k = k or least_size(problem) or 1
    points = points_of(problem, by_size=True)
    begun = starts(problem, points, k, watch)
    best = begun[0]
    sweeps = Sweeps(points, k, best.parts, problem.seed)
    sweeps.run(best.cost, effort, watch)
    records = problem.tally.records
    facts = {f"start by {start.title}": start.cost / records for start in begun}
    steps = ("moved", "dissolved", "pairs", "triples")
    facts |= {
        f"saved by {step}": float(saved) / records
        for step, saved in zip(steps, sweeps.saved, strict=True)
    }
    facts["sweeps"] = float(sweeps.made)
    why = f"started from {best.title} and moved records between classes in {sweeps.made} sweeps"
    return Made(points.pieces(sweeps.parts), why, facts)


def by_models(problem: Problem, effort: float, watch: Watch) -> Made:
    """Classes that satisfy models that read values, or count people with several records."""
    points = points_of(problem, by_size=False)
    title, spans = _begun(problem, effort, watch)
    pieces = spans.pieces
    if (pieces.class_of < 0).any():
        return Made(pieces, f"started from {title} and left some records out", {})
    trades = Trades(problem, points, _least(problem), points.parts(pieces))
    trades.run(effort, watch)
    facts = {"rounds": float(trades.made), "trades": float(trades.taken)}
    why = f"started from {title} and moved records {trades.taken:,} times within the models"
    return Made(points.pieces(trades.parts), why, facts)


def _begun(problem: Problem, effort: float, watch: Watch) -> tuple[str, Spans]:
    """The start with the least cost among those that satisfy the models once repaired."""
    ways: list[tuple[str, Callable[[], Pieces | None]]] = [
        ("tree", lambda: tree_pieces(problem, watch)),
        ("mondrian", lambda: mondrian_pieces(problem, watch)),
        ("strict mondrian", lambda: strict_pieces(problem, watch)),
        ("cover", lambda: cover_pieces(problem, watch)),
    ]
    if not problem.tally.has_units:
        k = _least(problem)
        ways.append(("crowd by size", lambda: by_size(problem, effort, watch, k).pieces))
    points = points_of(problem, by_size=False)
    tried: list[tuple[float, str, Spans]] = []
    for title, way in ways:
        if tried and watch.expired:
            break
        try:
            pieces = way()
            spans = None if pieces is None else merge_failing_classes(problem, pieces)
        except (InfeasibleError, LimitError):
            continue
        if spans is not None:
            tried.append((_cost(points, spans), title, spans))
    if not tried:
        raise nothing_found(problem)
    _, title, spans = min(tried, key=lambda one: one[0])
    return title, spans


def _cost(points: CrowdPoints, spans: Spans) -> float:
    """What all records pay together, those left out as much as they can."""
    pieces = spans.pieces
    shown = pieces.class_of >= 0
    parts = points.parts(Pieces(pieces.row[shown], pieces.count[shown], pieces.class_of[shown]))
    return float(state.class_costs(points.space, parts).sum()) + float(pieces.count[~shown].sum())


def _least(problem: Problem) -> int:
    """A size below which no class satisfies the models, as far as the models tell."""
    asked = [model.threshold for model in problem.models if model.columns and model.higher_is_safer]
    return max(least_people(problem), ceil(max(asked, default=1.0) - 1e-9))
