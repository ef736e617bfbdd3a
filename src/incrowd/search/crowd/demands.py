"""What models ask of classes, in numbers, and what each point brings (`kernels.crowd.demands`).

A class has counters: how many people it has, and how many of them hold each sensitive value. A
point adds to them (its marks), and models ask for conditions on them. Where no model reads values
there are neither.
"""

from typing import TYPE_CHECKING

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.kernels.crowd import demands
from incrowd.kernels.rules import PEOPLE
from incrowd.models.model import ClassRule
from incrowd.partition.classes import number_columns
from incrowd.partition.csr import offsets
from incrowd.problem import Problem
from incrowd.search.crowd.starts import CrowdPoints
from incrowd.search.orders.division import least_people

if TYPE_CHECKING:
    from incrowd.kernels.crowd.demands import Demands, Marks

_MOST_VALUES = 2**13
"""Sensitive values beyond which classes are judged many at a time: to look at all takes long."""


def no_demands() -> "Demands":
    """Return demands without marks and rules: the size of a class is all that counts."""
    none, nobody = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    marks = demands.Marks(none, nobody, none, none, nobody, nobody)
    asks = demands.Asks(np.zeros((0, 7), dtype=np.int64), np.zeros(0), np.zeros(0))
    return demands.Demands(marks, asks)


def demands_of(problem: Problem, points: CrowdPoints) -> "Demands | None":
    """Return what models ask; None if one has no rules in numbers, or there are too many values."""
    columns = {column.name: column for column in problem.sensitive}
    conditions = [ClassRule(PEOPLE, a=least_people(problem))]
    for model in problem.models:
        more = model.in_numbers(columns) if model.columns else ()
        if more is None:
            return None
        conditions += more
    widths = [len(column.whole) for column in problem.sensitive]
    if sum(widths) > _MOST_VALUES:
        return None
    first = dict(zip(columns, (1 + offsets(widths)).tolist(), strict=False))
    places = offsets([len(rule.table) for rule in conditions])
    rules = [
        (
            rule.kind,
            first.get(rule.column, 0),
            len(columns[rule.column].whole) if rule.column else 0,
            rule.a,
            rule.b,
            rule.c,
            place,
        )
        for rule, place in zip(conditions, places.tolist(), strict=False)
    ]
    limits = np.array([rule.limit for rule in conditions])
    tables = np.array([number for rule in conditions for number in rule.table], dtype=np.float64)
    asks = demands.Asks(np.array(rules, dtype=np.int64), limits, tables)
    return demands.Demands(_marks_of_points(problem, points, list(first.values())), asks)


def _marks_of_points(problem: Problem, points: CrowdPoints, first: list[int]) -> "Marks":
    """Return what each point brings to the counters; values of column j begin at `first[j]`."""
    tally = problem.tally
    counters = [np.zeros(tally.rows, dtype=np.int64)]
    counters += [at + codes for at, codes in zip(first, tally.sensitive, strict=True)]
    amount = np.ones(tally.rows, dtype=np.int64) if points.divisible else tally.people
    start, counter, amounts = _sum_by_point(points, np.stack(counters), amount)
    person_start, who, at = _people_in_several_rows(problem, points, np.stack(counters))
    return demands.Marks(start, counter, amounts, person_start, who, at)


def _sum_by_point(
    points: CrowdPoints, counters: Counts, amount: Counts
) -> tuple[Counts, Codes, Counts]:
    """Return what points add to counters, in compressed rows: start, counter, amount.

    `counters` is (marks, rows): each row adds its `amount` to all of its counters.
    """
    point = np.tile(points.point_of, len(counters))
    key = point.astype(np.int64) * (int(counters.max(initial=0)) + 1) + counters.ravel()
    keys, place = np.unique(key, return_inverse=True)
    sums = np.bincount(place, weights=np.tile(amount, len(counters))).astype(np.int64)
    owner, counter = np.divmod(keys, int(counters.max(initial=0)) + 1)
    start = offsets(np.bincount(owner, minlength=len(points.weights)))
    return start, counter.astype(np.int32), sums


def _people_in_several_rows(
    problem: Problem, points: CrowdPoints, counters: Counts
) -> tuple[Counts, Codes, Codes]:
    """Return people with records in several rows, point by point: start, person, and counter.

    A person has one number as a person and one for each value held: each counter counts them once.
    """
    tally = problem.tally
    rows, units = tally.shared_row, tally.shared_unit
    pairs = [np.stack([line[rows].astype(np.int32), units]) for line in counters]
    whos = [number_columns(pair)[0] + i * len(rows) for i, pair in enumerate(pairs)]
    places = [line[rows] for line in counters]
    point = np.tile(points.point_of[rows], len(counters))
    order = np.argsort(point, kind="stable")
    start = offsets(np.bincount(point, minlength=len(points.weights)))
    who, at = np.concatenate(whos)[order], np.concatenate(places)[order]
    return start, who.astype(np.int32), at.astype(np.int32)
