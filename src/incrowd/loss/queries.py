"""Query precision: how far counts that are estimated from a release are from those of the table."""

from collections.abc import Mapping
from dataclasses import dataclass as plain
from dataclasses import field
from functools import partial
from itertools import combinations
from math import prod
from typing import Annotated, ClassVar, Literal, NoReturn

import numpy as np
from pydantic import Field

from incrowd.arrays import MISSING, Codes, Counts, Flags, Floats
from incrowd.errors import InputError, PolicyError
from incrowd.loss.loss import Loss
from incrowd.loss.queries_cubes import (
    CountedColumn,
    CubeAnswer,
    Cubes,
    count_values,
    even_share,
    rows_of,
)
from incrowd.loss.queries_workload import Condition, Query, Workload
from incrowd.partition.classes import number_columns
from incrowd.recoding import Outcome
from incrowd.table.column import Domain, Kind
from incrowd.table.fold import in_threads
from incrowd.values import STRICT, dataclass

_COMPARISONS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
FLOOR = 0.001
"""The share of the records that a relative error is measured against at the least."""


@plain(frozen=True)
class QueryPrecision:
    """The error of what a release answers to one query; no count of the table is in it."""

    line: int
    """The line of the workload that holds the query."""
    kl: float
    """Divergence of the estimated from the true answer, in nats; 0 without GROUP BY."""
    relative: float
    """Mean relative error of the cells in which the table holds somebody."""


def query_precision(
    outcome: Outcome, workload: Workload, domains: Mapping[str, Domain], *, floor: float = FLOOR
) -> tuple[QueryPrecision, ...]:
    """The error of every query of a workload, the table's own answer against the release's.

    Queries name quasi-identifying columns and sensitive ones; `domains` says what the codes of the
    sensitive columns stand for. Estimates are those of the loss `queries`. `InputError` names the
    line of a query that does not fit the columns, `LimitError` the columns of too large a cube.
    """
    asked = _AskedOutcome(outcome, workload.source, domains)
    return tuple(_query_precision(asked, query, floor) for query in workload.queries)


def _query_precision(asked: "_AskedOutcome", query: Query, floor: float) -> QueryPrecision:
    """The error of what the outcome answers to one query; `floor` is a share of the records."""
    group = [asked.quasi[name] for name in query.group_by if name in asked.quasi]
    answer = Cubes(asked.outcome, asked.counted_column(query)).answer(group)
    least = floor * max(asked.outcome.records, 1)
    kl = cube_error(answer, "kl", least) if query.group_by else 0.0
    return QueryPrecision(query.line, kl, cube_error(answer, "relative", least))


class _AskedOutcome:
    """An outcome whose columns are asked by name."""

    def __init__(self, outcome: Outcome, source: str, domains: Mapping[str, Domain]) -> None:
        self.outcome = outcome
        self.source = source
        self.tally, _ = rows_of(outcome)
        self.quasi = {column.name: j for j, column in enumerate(outcome.columns)}
        held = enumerate(outcome.classes.histograms)
        self.sensitive = {name: i for i, name in held if name not in self.quasi}
        self.domains = domains

    def counted_column(self, query: Query) -> CountedColumn:
        """The records that a query counts, with their values in sensitive columns it groups by.

        `InputError` if the query does not fit the columns.
        """
        masks = self._masks(query)
        group_by = [self._require_column(name, query, 1) for name in query.group_by]
        grouped = [name for name in group_by if name not in self.quasi]
        inside: Flags = np.ones(self.tally.rows, dtype=np.bool_)
        chance = even = 1.0
        for name, mask in masks.items():
            if name in self.sensitive:
                inside &= mask[self._codes(name)]
                chance *= even_share(self._whole(name), mask)
                even *= 1.0 if name in grouped else even_share(self._whole(name), mask)
        even /= prod(count_values(self._whole(name)) for name in grouped)
        held, number = self._joint_values(grouped)
        quasi = {self.quasi[name]: mask for name, mask in masks.items() if name in self.quasi}
        held = np.where(inside, held, -1).astype(np.int32)
        return CountedColumn(held, number, even, quasi, chance)

    def _joint_values(self, names: list[str]) -> tuple[Codes, int]:
        """Number the combinations of these sensitive columns: one number a row, and how many."""
        if not names:
            return np.zeros(self.tally.rows, dtype=np.int32), 1
        return number_columns(np.stack([self._codes(name) for name in names]))

    def _masks(self, query: Query) -> dict[str, Flags]:
        """By column of a condition: flags of the codes that all conditions of a query allow."""
        masks: dict[str, Flags] = {}
        for condition in query.where:
            mask = self._mask_of(condition, query)
            name = condition.column
            masks[name] = masks[name] & mask if name in masks else mask
        return masks

    def _mask_of(self, condition: Condition, query: Query) -> Flags:
        """Flags of the codes of its column that a condition allows; `InputError` if it is unfit."""
        name = self._require_column(condition.column, query, condition.place)
        domain, ordered = self._domain_of(name, query, condition.place)
        mask: Flags = np.zeros(len(domain) + 1, dtype=np.bool_)
        if condition.relation == "missing":
            mask[MISSING] = True
            return mask
        problem = ""
        try:
            mask[1:] = _fulfilling_values(domain, condition, ordered=ordered)
        except _UnfitError as unfit:
            problem = unfit.problem
        if problem:
            self._fail(query, condition.place, f"{problem} of '{name}'")
        return mask

    def _domain_of(self, name: str, query: Query, place: int) -> tuple[Domain, bool]:
        """The domain of a column, and whether its texts have an order; `InputError` if unknown."""
        if name in self.quasi:
            hierarchy = self.outcome.columns[self.quasi[name]].hierarchy
            return hierarchy.leaves, hierarchy.ordered
        if name not in self.domains:
            self._fail(query, place, f"it is not known what the values of '{name}' are")
        return self.domains[name], False

    def _require_column(self, name: str, query: Query, place: int) -> str:
        """The name of a column; `InputError` if it is neither quasi-identifying nor sensitive."""
        if name not in self.quasi and name not in self.sensitive:
            self._fail(query, place, f"'{name}' is neither quasi-identifying nor sensitive")
        return name

    def _codes(self, name: str) -> Codes:
        """The codes of a sensitive column, by row of the tally."""
        codes: Codes = self.tally.sensitive[self.sensitive[name]]
        return codes

    def _whole(self, name: str) -> Counts:
        """The people of the table per code of a sensitive column."""
        return self.outcome.classes.histograms[name].column.whole

    def _fail(self, query: Query, place: int, message: str) -> NoReturn:
        """Raise `InputError` at a place of a line of the workload."""
        raise InputError(
            f"{self.source}, line {query.line}, column {place}: {message}",
            remedy="take a column and values that the table has",
        )


class _UnfitError(Exception):
    """A condition does not fit the values of its column; `problem` says how, in words."""

    def __init__(self, problem: str) -> None:
        self.problem = problem


def _fulfilling_values(domain: Domain, condition: Condition, *, ordered: bool) -> Flags:
    """Flags of the values that fulfil a condition; `_UnfitError` if it does not fit them."""
    if domain.kind is Kind.TEXT:
        values, scale = condition.values, np.arange(len(domain), dtype=np.float64)
        if not all(isinstance(value, str) for value in values):
            raise _UnfitError("a number is compared with the texts")
        place = {label: i for i, label in enumerate(domain.values.tolist())}
        if condition.relation not in {"=", "in"} and not ordered:
            raise _UnfitError("there is no order between the values")
        if condition.relation not in {"=", "in"} and not all(value in place for value in values):
            raise _UnfitError("a limit is none of the values")
        ends = [float(place.get(str(value), -1)) for value in values]
    else:
        scale = domain.positions
        ends = [_position(domain, value) for value in condition.values]
    return _compare(scale, condition.relation, ends)


def _position(domain: Domain, value: float | str) -> float:
    """The place of a value on the scale of numbers or dates; `_UnfitError` if it is neither."""
    if domain.kind is Kind.NUMBER:
        if isinstance(value, str):
            raise _UnfitError("a text is compared with the numbers")
        return value
    if not isinstance(value, str):
        raise _UnfitError("a number is compared with the dates")
    try:
        moment = np.datetime64(value, "us")
    except ValueError:
        moment = None
    if moment is None or np.isnat(moment):
        raise _UnfitError("what is not written like '2024-12-31' is compared with the dates")
    return float(moment.astype(np.int64))


def _compare(scale: Floats, relation: str, ends: list[float]) -> Flags:
    """Flags of the places that are in this relation to the ends (`=` and `in`: equal to one)."""
    if relation == "between":
        return (scale >= ends[0]) & (scale <= ends[1])
    if relation in _COMPARISONS:
        return np.asarray(_COMPARISONS[relation](scale, ends[0]))
    return np.isin(scale, ends)


Measure = Literal["kl", "relative"]


@dataclass(frozen=True, config=STRICT)
class Queries(Loss):
    """The error of all counts by `level` quasi-identifying columns and a sensitive value.

    The workload of Ghinita Section 7.4: at level i of the lattice of group-bys, every combination
    of i quasi-identifying columns, for each value of the sensitive column; fewer columns are taken
    all. `kl` is the Kullback-Leibler divergence of the estimated from the true cube, in nats, 0 at
    best; a cell in which the table holds nobody adds nothing. `relative` is the mean over the cells
    that hold somebody of |true - estimate| over what is true (Xiao and Tao), at least `floor` of
    the records, so that tiny cells do not drown the others. A group-by weighs the product of its
    columns' weights. How estimates are made, and what of records left out: `queries_cubes`.

    >>> Queries("diagnosis").measure
    'kl'
    """

    column: str
    """The sensitive column whose values are counted."""
    level: Annotated[int, Field(ge=1, le=8)] = 2
    """How many quasi-identifying columns are grouped by."""
    measure: Measure = "kl"
    floor: Annotated[float, Field(gt=0, le=1)] = 0.001
    """The share of the records that a relative error is measured against at the least."""
    name: Literal["queries"] = field(default="queries", kw_only=True)
    column_key: ClassVar[str] = "column"
    only_sensitive: ClassVar[bool] = True
    """By quasi-identifying columns the queries group."""
    needs_rows: ClassVar[bool] = True

    @property
    def columns(self) -> tuple[str, ...]:
        """The one sensitive column whose values are counted."""
        return (self.column,)

    def of(self, outcome: Outcome) -> float:
        """The mean error of the group-bys; `ValueError` without the rows behind the classes."""
        if outcome.records == 0:
            return 0.0
        cubes = Cubes(outcome, self._counted_column(outcome))
        level = min(self.level, len(outcome.columns))
        groups = list(combinations(range(len(outcome.columns)), level))
        weights = np.array([prod(outcome.weights[j] for j in group) for group in groups])
        answers = in_threads([partial(cubes.answer, group) for group in groups])
        least = self.floor * outcome.records
        errors = [cube_error(answer, self.measure, least) for answer in answers]
        return float(weights @ np.array(errors)) / float(weights.sum())

    def bound(self, outcome: Outcome, smallest: int = 1, spare: int | None = None) -> float:
        """The loss of the node itself for `kl`, minus infinity for `relative`.

        Of all cubes that are even within the nodes of a level the estimate is the one nearest to
        the table. What a higher node shows, whatever it leaves out, is even within these nodes too,
        so it is no nearer. Relative errors have no such limit.
        """
        del smallest, spare
        return self.of(outcome) if self.measure == "kl" else float("-inf")

    def _counted_column(self, outcome: Outcome) -> CountedColumn:
        """All records, counted by the sensitive column; `PolicyError` if it is not sensitive."""
        names = list(outcome.classes.histograms)
        if self.column not in names:
            raise PolicyError(
                f"the queries count '{self.column}', which is not a sensitive column",
                remedy=f"declare '{self.column}' sensitive, or name another column",
            )
        tally, _ = rows_of(outcome)
        whole = outcome.classes.histograms[self.column].column.whole
        held = tally.sensitive[names.index(self.column)]
        return CountedColumn(held, len(whole), 1.0 / count_values(whole))


def cube_error(answer: CubeAnswer, measure: Measure, floor: float) -> float:
    """How far the estimate of a cube is from the truth; `floor` is the least count to divide by.

    If the table holds nobody in any cell, the whole cube counts as one cell: its divergence is 0,
    its relative error that of the total.
    """
    true = answer.true.astype(np.float64)
    if not len(true):
        return 0.0 if measure == "kl" else answer.total / floor
    if measure == "relative":
        return float((np.abs(true - answer.estimate) / np.maximum(true, floor)).mean())
    whole = float(true.sum())
    logs = np.log(true / whole) - np.log(answer.estimate / answer.total)
    return max(0.0, float(true @ logs) / whole)
