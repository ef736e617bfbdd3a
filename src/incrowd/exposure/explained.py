"""What each column does to the risk, and what would lower it most.

Each column is left out once and shown coarser once; Shapley's value shares out unique records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import TypeAlias

import numpy as np

from incrowd.arrays import Codes, Flags
from incrowd.exposure.measure import classes_by, measure_as_it_is
from incrowd.exposure.pairs import unique_and_mean_risk
from incrowd.exposure.risk import Band, Change, Contribution, Explained, Finding, Knowledge, Risk
from incrowd.identify.measures import all_ratios
from incrowd.identify.records import Records
from incrowd.models.model import fraction
from incrowd.table.tally import Tally
from incrowd.watch import Watch

MOST_SWEPT = 12
"""With more columns than this there are too many sets to look at all of them."""
_BANDS = ((1, 1), (2, 4), (5, 19), (20, 99), (100, None))
_KINDS = ("drop", "coarsen")

SetFigures: TypeAlias = Mapping[tuple[int, ...], tuple[float, float]]
"""By columns: the share of unique records and the average risk."""


def explain_columns(
    names: Sequence[str],
    tally: Tally,
    risk: Risk,
    coarser: Mapping[str, Codes],
    watch: Watch | None = None,
) -> Explained:
    """Measure what each column contributes to the risk, and what changes would lower it.

    `coarser` maps a column's codes to codes one level up. With at most `MOST_SWEPT` columns all
    their sets are counted, whatever the time limit of `watch`; with more columns none.
    """
    telling = Watch(tell=None if watch is None else watch.tell)
    above = rows_at_risk(tally, tally.quasi, risk.threshold)

    def share_by(quasi: Codes) -> float:
        return share_of(tally, rows_at_risk(tally, quasi, risk.threshold))

    width = len(names)
    sets = measure_all_sets(names, tally, telling) if width <= MOST_SWEPT and tally.rows else None
    shapley = None if sets is None else shapley_parts(width, sets, float(risk.people == 1))
    return Explained(
        contributions=tuple(
            Contribution(
                column=name,
                values=len(np.unique(tally.quasi[j])),
                alone=share_by(tally.quasi[[j]]),
                without=share_by(_drop_column(tally, j)),
                unique=None if shapley is None else shapley[j],
                bands=bands_of_values(tally, j, above),
            )
            for j, name in enumerate(names)
        ),
        knowledge=() if sets is None else knowledge_by_size(names, sets),
        changes=tuple(_all_changes(names, tally, risk, (coarser, telling))),
    )


def findings(risk: Risk) -> tuple[Finding, ...]:
    """The figures above 0, each with the changes that lower it most; none without `explain`."""
    if risk.explained is None:
        return ()
    now = {
        "above_threshold": risk.prosecutor.above_threshold,
        "unique_share": risk.unique_share,
        "uniqueness": None if risk.uniqueness is None else risk.uniqueness.estimate,
        "individual": None if risk.individual is None else risk.individual.average,
    }
    changes = risk.explained.changes
    return tuple(
        Finding(figure, value, *(_best_change(changes, figure, value, c) for c in _KINDS))
        for figure, value in now.items()
        if value
    )


def _best_change(changes: Sequence[Change], figure: str, now: float, change: str) -> Change | None:
    """The change of this kind that lowers the figure most (the first of them), or None."""
    lower = [
        one
        for one in changes
        if one.change == change and getattr(one, figure) is not None and getattr(one, figure) < now
    ]
    return min(lower, key=lambda one: float(getattr(one, figure)), default=None)


def _all_changes(
    names: Sequence[str], tally: Tally, risk: Risk, request: tuple[Mapping[str, Codes], Watch]
) -> list[Change]:
    """The risk with each column left out (if there are others) and shown coarser (if it can be)."""
    coarser, watch = request
    changes = []
    for j, name in enumerate(names):
        watch.tell("columns left out or coarser", j / len(names))
        if len(names) > 1:
            changes.append(
                _change_of(name, "drop", 0, replace(tally, quasi=_drop_column(tally, j)), risk)
            )
        if name in coarser:
            quasi = tally.quasi.copy()
            quasi[j] = coarser[name][quasi[j]]
            values = len(np.unique(quasi[j]))
            changes.append(_change_of(name, "coarsen", values, replace(tally, quasi=quasi), risk))
    return changes


def _change_of(name: str, change: str, values: int, tally: Tally, risk: Risk) -> Change:
    """The change of one column, left with so many `values`, measured on the changed `tally`."""
    population = None if risk.uniqueness is None else risk.uniqueness.population
    then = measure_as_it_is(tally, risk.threshold, population)
    unique = individual = None
    if risk.uniqueness is not None and then.uniqueness is not None:
        now, after = risk.uniqueness, then.uniqueness
        unique = _lower_estimate((now.estimate, *now.interval), (after.estimate, *after.interval))
    if risk.individual is not None and then.individual is not None:
        was, left = risk.individual, then.individual
        before = (was.average, *was.average_interval)
        individual = _lower_estimate(before, (left.average, *left.average_interval))
    return Change(
        column=name,
        change=change,
        values=values,
        above_threshold=then.prosecutor.above_threshold,
        unique_share=then.unique_share,
        average=then.prosecutor.average,
        uniqueness=None if unique is None else unique[0],
        individual=None if individual is None else individual[0],
        uniqueness_interval=None if unique is None else unique[1:],
        individual_interval=None if individual is None else individual[1:],
    )


def _lower_estimate(
    now: tuple[float, float, float], then: tuple[float, float, float]
) -> tuple[float, float, float]:
    """The estimate `then`, nowhere above that of `now`: coarser values make nobody rarer."""
    value, low, high = (min(after, before) for before, after in zip(now, then, strict=True))
    return value, low, high


def _drop_column(tally: Tally, column: int) -> Codes:
    """The quasi-identifying codes without this column."""
    return np.ascontiguousarray(np.delete(tally.quasi, column, axis=0))


def rows_at_risk(tally: Tally, quasi: Codes, threshold: float) -> Flags:
    """Which rows of a tally have a risk above the threshold, by these codes of each row."""
    class_of, classes = classes_by(tally, quasi)
    limit, size = fraction(threshold), classes.people
    return (size * limit.numerator < limit.denominator)[class_of]


def share_of(tally: Tally, rows: Flags) -> float:
    """The share of the records that these rows hold."""
    return int(tally.counts[rows].sum()) / max(tally.records, 1)


def measure_all_sets(
    names: Sequence[str], tally: Tally, watch: Watch | None = None
) -> dict[tuple[int, ...], tuple[float, float]]:
    """Measure the unique share and average risk by every set of columns; fewer if out of time."""
    if not tally.has_units:
        records = Records(tuple(names), tally.quasi, tally.counts)
        found = all_ratios(records, watch=watch)
        return {columns: (r.unique_ratio, r.distinct_ratio) for columns, r in found}
    every = range(1, len(names) + 1)
    sets = [one for size in every for one in combinations(range(len(names)), size)]
    return {columns: unique_and_mean_risk(tally, list(columns)) for columns in sets}


def knowledge_by_size(names: Sequence[str], sets: SetFigures) -> tuple[Knowledge, ...]:
    """The risk from attackers who know 1, 2, … of the columns: the worst set and the mean."""
    by_size = []
    for size in range(1, len(names) + 1):
        of_size = {columns: figures for columns, figures in sets.items() if len(columns) == size}
        worst = max(sorted(of_size), key=lambda columns: of_size[columns])
        uniques = [unique for unique, _ in of_size.values()]
        by_size.append(
            Knowledge(
                known=size,
                sets=len(of_size),
                worst=tuple(names[j] for j in worst),
                unique_share=of_size[worst][0],
                mean_unique_share=sum(uniques) / len(uniques),
                average=max(average for _, average in of_size.values()),
            )
        )
    return tuple(by_size)


def shapley_parts(width: int, sets: SetFigures, nothing: float = 0.0) -> list[float]:
    """Each column's mean addition to the unique share, which is `nothing` without any column."""
    parts = [0.0] * width
    for columns, (unique, _) in sets.items():
        weight = 1 / (len(columns) * comb(width, len(columns)))
        for j in columns:
            rest = tuple(i for i in columns if i != j)
            parts[j] += weight * (unique - (sets[rest][0] if rest else nothing))
    return parts


def bands_of_values(tally: Tally, column: int, above: Flags) -> tuple[Band, ...]:
    """The values of a column by how common they are; `above` flags the rows that are exposed."""
    codes = tally.quasi[column]
    holders = np.bincount(codes, weights=tally.counts)
    risky = np.bincount(codes, weights=tally.counts * above, minlength=len(holders))
    everyone, everybody = max(holders.sum(), 1.0), max(risky.sum(), 1.0)
    bands = []
    for low, high in _BANDS:
        here = (holders >= low) & (holders <= (np.inf if high is None else high))
        shares = float(holders[here].sum() / everyone), float(risky[here].sum() / everybody)
        bands.append(Band(low, high, int(here.sum()), *shares))
    return tuple(bands)
