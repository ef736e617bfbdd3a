"""What quasi-identifying columns do together: whom they single out, and what each one costs."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.arrays import Counts, Flags, Floats
from incrowd.errors import whole_percent
from incrowd.identify.measures import all_ratios
from incrowd.identify.records import Records
from incrowd.policy.draft import ColumnCost, Draft
from incrowd.policy.draft_models import K
from incrowd.table.column import CodedColumn
from incrowd.watch import Watch

if TYPE_CHECKING:
    from incrowd.engines.base import Engine

_COLUMNS = 20
_ROWS = 20_000
_SIZE = 3
_SECONDS = 1.0
_MANY = 0.5
_SOME = 0.05

Shares = Mapping[frozenset[str], float]
"""The share of records that are unique in each set of columns."""


def with_joint_uniqueness(
    first: Draft, engine: "Engine", coded: Mapping[str, CodedColumn]
) -> Draft:
    """Add to a draft's reasons with which others (two at most) columns single out records."""
    known = [coded[name] for name in coded if name in first.policy.quasi][:_COLUMNS]
    if not known or not engine.records:
        return first
    sample = engine.coded_sample(known, _ROWS)
    codes = np.stack([column.codes for column in sample.values()])
    drawn = Records(tuple(sample), codes, np.ones(codes.shape[1], dtype=np.int64))
    shares = {
        frozenset(drawn.names[j] for j in places): found.unique_ratio
        for places, found in all_ratios(drawn, _SIZE, Watch(_SECONDS))
    }
    of = f" in a sample of {drawn.total:,}" if drawn.total < engine.records else ""
    together = {name: joint_uniqueness(name, shares, of) for name in drawn.names}
    reasons = {
        name: f"{reason}; {together[name]}" if together.get(name) else reason
        for name, reason in first.reasons.items()
    }
    return replace(first, reasons=reasons)


def joint_uniqueness(name: str, shares: Shares, of: str = "") -> str:
    """Say with which fewest columns one singles out half of the records, else with which most.

    Empty if it adds less than 5 % to any others. `of` is appended, such as " in a sample of 50".

    >>> pair = frozenset({"age", "zip"})
    >>> joint_uniqueness("age", {frozenset({"age"}): 0.01, frozenset({"zip"}): 0.1, pair: 0.87})
    'with zip it singles out 87 % of the records'
    """
    adding = {
        one: share
        for one, share in shares.items()
        if name in one and share >= shares.get(one - {name}, 0.0) + _SOME
    }
    if not adding:
        return ""
    many = [one for one, share in adding.items() if share >= _MANY]
    fewest = min(map(len, many), default=0)
    able = [one for one in many if len(one) == fewest] or list(adding)
    chosen = max(able, key=lambda one: (adding[one], sorted(one)))
    others = " and ".join(sorted(chosen - {name}))
    company = f"with {others}" if others else "alone"
    return f"{company} it singles out {whole_percent(adding[chosen])} of the records{of}"


# What each column costs the others

_MANY_QUASI = 6
_COST_ROWS = 600


def with_costs(draft: Draft, engine: "Engine", coded: Mapping[str, CodedColumn]) -> Draft:
    """Add what each quasi-identifying column costs the others, by a sample, dearest first.

    With `_MANY_QUASI` such columns or fewer, or under 4 K records, the draft stays as it is.
    """
    known = [coded[name] for name in coded if name in draft.policy.quasi]
    if len(known) <= _MANY_QUASI or engine.records < 4 * K:
        return draft
    sample = engine.coded_sample(known, _COST_ROWS)
    places = np.stack([column_places(column) for column in sample.values()], axis=1)
    found = column_costs(places, list(sample))
    return replace(draft, costs=tuple(sorted(found, key=lambda cost: -cost.gain)))


def column_places(column: CodedColumn) -> Floats:
    """Where each record lies among the values of a column, 0..1; missing ones at 0."""
    return column.codes.astype(np.float64) / max(len(column.domain), 1)


def column_costs(places: Floats, names: list[str]) -> list[ColumnCost]:
    """Estimate the loss of the others with and without each column; `places` are 0..1 by record."""
    every = mean_spans(places)
    found = []
    for j, name in enumerate(names):
        rest = [i for i in range(len(names)) if i != j]
        without = mean_spans(places[:, rest]).mean()
        found.append(ColumnCost(name, float(every[rest].mean()), float(without)))
    return found


def mean_spans(places: Floats) -> Floats:
    """Compute the mean share of each column that a cell spans, in classes of 5 to 9 records.

    Classes are cut at the median of the column that spans most, as long as both sides hold five
    (Mondrian; LeFevre, DeWitt, Ramakrishnan 2006, Section 4): a quick estimate of what a release
    loses, and no release.
    """
    total = np.zeros(places.shape[1])
    for rows in small_classes(places):
        cells = places[rows]
        total += len(rows) * (cells.max(axis=0) - cells.min(axis=0))
    return total / max(len(places), 1)


def small_classes(places: Floats, people: Counts | None = None) -> Iterator[Counts]:
    """Yield the rows of each class of 5 to 9 people, or of more where the columns allow no less.

    `places` has a row per record and a column per quasi-identifier, 0..1; `people` says whose
    record each is, everybody's own if not given.
    """
    waiting = [np.arange(len(places), dtype=np.int64)] if len(places) else []
    while waiting:
        rows = waiting.pop()
        parts = _split_in_two(places[rows], None if people is None else people[rows])
        if parts is None:
            yield rows
        else:
            waiting += [rows[parts], rows[~parts]]


def _split_in_two(rows: Floats, people: Counts | None) -> Flags | None:
    """Flag the rows of the first of two parts of 5 people or more; None if no column can be cut."""
    if len(rows) < 2 * K:
        return None
    wide = rows.max(axis=0) - rows.min(axis=0)
    for j in np.argsort(-wide, kind="stable"):
        if wide[j] <= 0:
            return None
        middle = np.median(rows[:, j])
        for side in (rows[:, j] < middle, rows[:, j] <= middle):
            if min(_count_people(side, people), _count_people(~side, people)) >= K:
                return np.asarray(side, dtype=np.bool_)
    return None


def _count_people(rows: Any, people: Counts | None) -> int:
    """Count the people of the flagged rows; the rows if everybody has one."""
    return int(rows.sum()) if people is None else len(np.unique(people[rows]))
