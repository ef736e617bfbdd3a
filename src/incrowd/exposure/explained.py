"""What would lower the risk most: every column left out, and shown one level coarser."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from incrowd.arrays import Codes
from incrowd.exposure.contributions import (
    MOST_SWEPT,
    Change,
    Contribution,
    Explained,
    bands,
    exposed,
    knowledge,
    parts,
    share_of,
    sweep,
)
from incrowd.exposure.measure import measure_as_it_is
from incrowd.exposure.risk import Risk
from incrowd.table.tally import Tally
from incrowd.watch import Watch

_FIGURES = ("above_threshold", "unique_share", "uniqueness", "individual")


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a table, and what would lower it most."""

    figure: str
    """The figure of `Change` that tells: `above_threshold`, `unique_share`, `uniqueness` or
    `individual`."""
    now: float
    drop: Change | None
    """The column that lowers the figure most when it is left out; None if none does."""
    coarsen: Change | None
    """The column that lowers the figure most when it is one level coarser; None if none does."""


def explained(
    names: Sequence[str],
    tally: Tally,
    risk: Risk,
    coarser: Mapping[str, Codes],
    watch: Watch | None = None,
) -> Explained:
    """What each column does; `coarser` maps the codes of columns to those one level higher.

    All sets of columns are looked at, whatever time there is: the watch is told how far it is.
    """
    telling = Watch(tell=None if watch is None else watch.tell)
    above = exposed(tally, tally.quasi, risk.threshold)
    width = len(names)
    sets = sweep(names, tally, telling) if width <= MOST_SWEPT and tally.rows else None
    shapley = None if sets is None else parts(width, sets, float(risk.people == 1))
    return Explained(
        contributions=tuple(
            Contribution(
                column=name,
                values=len(np.unique(tally.quasi[j])),
                alone=share_of(tally, exposed(tally, tally.quasi[[j]], risk.threshold)),
                without=share_of(tally, exposed(tally, _without(tally, j), risk.threshold)),
                unique=None if shapley is None else shapley[j],
                bands=bands(tally, j, above),
            )
            for j, name in enumerate(names)
        ),
        knowledge=() if sets is None else knowledge(names, sets),
        changes=tuple(_changes(names, tally, risk, (coarser, telling))),
    )


def findings(risk: Risk) -> tuple[Finding, ...]:
    """What is above 0, each with the changes that lower it most; nothing if not explained."""
    if risk.explained is None:
        return ()
    now = {
        "above_threshold": risk.prosecutor.above_threshold,
        "unique_share": risk.unique_share,
        "uniqueness": None if risk.uniqueness is None else risk.uniqueness.estimate,
        "individual": None if risk.individual is None else risk.individual.average,
    }
    found = []
    for figure in _FIGURES:
        value = now[figure]
        if value:
            drop, coarsen = (
                _best(risk.explained.changes, figure, value, change)
                for change in ("drop", "coarsen")
            )
            found.append(Finding(figure, value, drop, coarsen))
    return tuple(found)


def _best(changes: Sequence[Change], figure: str, now: float, change: str) -> Change | None:
    """The first of those that lower the figure most."""
    lower = [
        one
        for one in changes
        if one.change == change and getattr(one, figure) is not None and getattr(one, figure) < now
    ]
    return min(lower, key=lambda one: float(getattr(one, figure)), default=None)


def _changes(
    names: Sequence[str], tally: Tally, risk: Risk, request: tuple[Mapping[str, Codes], Watch]
) -> list[Change]:
    coarser, watch = request
    found = []
    for j, name in enumerate(names):
        watch.tell("columns left out or coarser", j / len(names))
        if len(names) > 1:
            found.append(_change(name, "drop", 0, replace(tally, quasi=_without(tally, j)), risk))
        if name in coarser:
            quasi = tally.quasi.copy()
            quasi[j] = coarser[name][quasi[j]]
            values = len(np.unique(quasi[j]))
            found.append(_change(name, "coarsen", values, replace(tally, quasi=quasi), risk))
    return found


def _change(name: str, change: str, values: int, tally: Tally, risk: Risk) -> Change:
    population = None if risk.uniqueness is None else risk.uniqueness.population
    then = measure_as_it_is(tally, risk.threshold, population)
    unique = individual = None
    if risk.uniqueness is not None and then.uniqueness is not None:
        now, after = risk.uniqueness, then.uniqueness
        unique = _lowered((now.estimate, *now.interval), (after.estimate, *after.interval))
    if risk.individual is not None and then.individual is not None:
        was, left = risk.individual, then.individual
        before = (was.average, *was.average_interval)
        individual = _lowered(before, (left.average, *left.average_interval))
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


def _lowered(
    now: tuple[float, float, float], then: tuple[float, float, float]
) -> tuple[float, float, float]:
    """An estimate and its interval after a change: coarser values never make anybody rarer."""
    value, low, high = (min(after, before) for before, after in zip(now, then, strict=True))
    return value, low, high


def _without(tally: Tally, column: int) -> Codes:
    return np.ascontiguousarray(np.delete(tally.quasi, column, axis=0))
