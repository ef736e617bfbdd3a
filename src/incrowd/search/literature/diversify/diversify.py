"""Direct l-diversity: classes of near records with different sensitive values (Ghinita 4, 6.2)."""

from dataclasses import field, replace
from fractions import Fraction
from typing import Annotated, ClassVar, Literal, assert_never

import numpy as np
from pydantic import Field

from incrowd.arrays import Codes
from incrowd.errors import InfeasibleError, PolicyError, count_of
from incrowd.problem import Problem
from incrowd.recoding import Pieces, Spans
from incrowd.search.layout import boxes_of
from incrowd.search.left_out import search_after_leaving_out
from incrowd.search.literature.diversify import exact, groups
from incrowd.search.literature.hilbert import hilbert_line
from incrowd.search.literature.idistance import IDistance, idistance_line
from incrowd.search.orders.division import divide_line, least_people, partition_in_order
from incrowd.search.orders.tree import kd_order
from incrowd.search.refusals import nothing_found, raise_if_infeasible, raise_if_out_of_time
from incrowd.search.repair import fold_pieces, merge_failing_classes
from incrowd.search.search import Found, Search
from incrowd.values import STRICT, dataclass
from incrowd.watch import Watch

MappingName = Literal["kd-tree", "hilbert", "idistance"]


@dataclass(frozen=True, config=STRICT)
class Diversify(Search):
    """Local recoding for l-diversity: classes of near records with different sensitive values.

    The rows are put in one line by a `mapping`, and the heuristic of Ghinita Section 4.3 makes
    classes of l or more records. Then, up to `rounds` times, records with the same sensitive value
    change places where that lowers the loss; 0 is the paper's heuristic alone. Where k is larger
    than l, runs of classes are joined with the least loss; other models are seen to by joining
    more. Without a model that asks for l values, or if people have several records or equal records
    must show the same, the line is divided by size and failing classes join others.

    `optimal` gives the least largest extent for one quasi-identifying column (Section 4.2), for
    small tables only.

    >>> Diversify(mapping="hilbert").name
    'diversify'
    """

    mapping: MappingName = "kd-tree"
    rounds: Annotated[int, Field(ge=0, le=1000)] = 2
    optimal: bool = False
    name: Literal["diversify"] = field(default="diversify", kw_only=True)
    separable: ClassVar[bool] = True
    losses: ClassVar[Literal["any", "per-cell"]] = "per-cell"

    def run(self, problem: Problem, watch: Watch) -> Found:
        """Order the rows, make diverse classes, repair what other models ask for."""
        raise_if_infeasible(problem)
        return search_after_leaving_out(problem, lambda stay: self._diversify(stay, watch))

    def _diversify(self, problem: Problem, watch: Watch) -> Found:
        """Search among the records that stay, as `run` says."""
        raise_if_out_of_time(watch)
        if self.optimal:
            return _optimal_division(problem, self.name)
        watch.tell("ordering the rows", 0.0)
        order = order_of(problem, self.mapping)
        wanted = _column_and_l(problem)
        if wanted is None or problem.tally.has_units or problem.consistent:
            return divide_line(problem, watch, self.name, (order, None))
        watch.tell("making diverse classes", 0.3)
        pieces, fallen = _diverse_classes(problem, order, wanted, self.rounds)
        watch.tell("repairing classes", 0.8)
        spans = _better_of_two(problem, order, merge_failing_classes(problem, pieces), wanted[1])
        return _found_of(self.name, spans, wanted[1], fallen)


def order_of(problem: Problem, mapping: MappingName) -> Codes:
    """The rows of the tally in the order of a mapping (Ghinita Section 6)."""
    match mapping:
        case "kd-tree":
            return kd_order(problem)
        case "hilbert":
            return hilbert_line(problem)[0]
        case "idistance":
            return idistance_line(problem, IDistance().centres, IDistance().sample)[0]
        case _:
            assert_never(mapping)


def diverse_pieces(problem: Problem, mapping: MappingName) -> Pieces:
    """The classes along one mapping that `Diversify` begins with: diverse, or else by size."""
    wanted = _column_and_l(problem)
    if wanted is None or problem.tally.has_units or problem.consistent:
        return partition_in_order(problem, order_of(problem, mapping))
    return _diverse_classes(problem, order_of(problem, mapping), wanted, Diversify().rounds)[0]


def _column_and_l(problem: Problem) -> tuple[int, int] | None:
    """The place of the sensitive column whose model asks for most values, and l as a whole number.

    If no record may be left out, l is at most what the table as one class reaches.
    None if no model asks for two values or more, or none can be had.
    """
    names = [column.name for column in problem.sensitive]
    asked = [
        (names.index(model.columns[0]), model.enough_values())
        for model in problem.models
        if model.columns
    ]
    column, l = max(asked, key=lambda pair: pair[1], default=(0, 1))
    if l < 2:
        return None
    codes = problem.tally.sensitive[column]
    counts = np.bincount(codes, weights=problem.tally.counts).astype(np.int64)
    if not problem.suppressible:
        l = min(l, int(groups.largest_l(counts)))
    return (column, l) if l > 1 else None


def _diverse_classes(
    problem: Problem, order: Codes, wanted: tuple[int, int], rounds: int
) -> tuple[Pieces, int]:
    """Classes for the column and l `wanted`; how often the heuristic fell back.

    With a lower l, and nobody left out, if more records would have to be left out than may be.
    """
    column, l = wanted
    boxes = boxes_of(problem)
    everyone = groups.records_of(problem, order, column)
    kept = groups.flag_eligible_together(
        [(everyone.value, Fraction(l)), *_limited_values(problem, everyone)]
    )
    if len(kept) - int(kept.sum()) > problem.suppressible or not kept.any():
        l = int(groups.largest_l(np.bincount(everyone.value)))
        kept[:] = True
    records = everyone if kept.all() else everyone.take(kept)
    class_of, fallen = groups.diverse_classes(records, l, boxes)
    class_of = groups.merge_runs(records, class_of, least_people(problem), boxes)
    class_of = groups.swap_records(records, class_of, rounds, boxes)
    return everyone.pieces(groups.spread_classes(kept, class_of)), fallen


def _limited_values(
    problem: Problem, records: groups.OrderedRecords
) -> list[tuple[Codes, Fraction]]:
    """For each model that limits the share of a value: the values of the records, and its l."""
    codes = dict(zip((c.name for c in problem.sensitive), problem.tally.sensitive, strict=True))
    limits = [
        (name, model.share_limits(name).most) for model in problem.models for name in model.columns
    ]
    return [(codes[name][records.row], 1 / most) for name, most in limits if most < 1]


def _better_of_two(problem: Problem, order: Codes, spans: Spans, l: int) -> Spans:
    """The better of these classes and the line divided by size alone and repaired, if k binds."""
    if least_people(problem) <= l:
        return spans
    try:
        other = merge_failing_classes(problem, partition_in_order(problem, order))
    except InfeasibleError:  # it leaves nobody out
        return spans
    first, second = (problem.loss.of(problem.outcome(found)) for found in (spans, other))
    return other if second < first else spans


def _found_of(name: str, spans: Spans, l: int, fallen: int) -> Found:
    """The classes as a result; the greedy step fell back `fallen` times."""
    number = int(spans.pieces.class_of.max()) + 1
    classes = count_of(number, "class", "classes")
    why = (
        f"made {classes} of similar records with at least {l} different sensitive values at a time"
    )
    facts = {"classes": float(number), "l": float(l), "fallen_back": float(fallen)}
    return Found(spans, name, why=why, facts=facts)


def _optimal_division(problem: Problem, name: str) -> Found:
    """The division of one column with the least largest extent (Section 4.2).

    `PolicyError` unless there is one column and one l-diversity model, `LimitError` if it is too
    much work, `InfeasibleError` if the models are not satisfied.
    """
    sensitive, l = only_share_limit(problem, name)
    column = exact.column_of(problem, sensitive)
    best = exact.least_extent(column, l, least_people(problem))
    if best is None:
        raise nothing_found(problem)
    spans = spans_of_division(problem, column, best[1])
    if not problem.satisfied_by(problem.outcome(spans).classes).all():
        raise nothing_found(problem)
    number = int(spans.pieces.class_of.max()) + 1
    why = f"made {number:,} classes; no division has a smaller largest extent than {best[0]:.4f}"
    facts = {"classes": float(number), "largest_extent": best[0]}
    return Found(spans, name, optimal=problem.loss.worst_class, why=why, facts=facts)


def only_share_limit(problem: Problem, name: str) -> tuple[int, Fraction]:
    """The sensitive column's place, and l, of the only l-diversity model; else `PolicyError`."""
    reading = [model for model in problem.models if model.columns]
    names = [column.name for column in problem.sensitive]
    if len(reading) == 1 and reading[0].shares_decide:
        (name,) = reading[0].columns
        return names.index(name), 1 / reading[0].share_limits(name).most
    raise PolicyError(
        f"{name} can be optimal only for one l-diversity model of kind 'frequency'",
        remedy="remove 'optimal', or use only that model and k-anonymity",
    )


def spans_of_division(problem: Problem, column: exact.OneColumn, class_of: Codes) -> Spans:
    """The recoding of a division of one column, given by the class of each of its records."""
    ones = np.ones(len(column.row), dtype=np.int64)
    spans = Spans(fold_pieces(Pieces(column.row, ones, class_of)))
    told = spans.merge_alike(problem.tally, problem.columns)
    return replace(told, pieces=fold_pieces(told.pieces))
