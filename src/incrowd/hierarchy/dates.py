"""Dates to months, quarters, years and longer."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Literal, TypeAlias, get_args

import numpy as np
from pydantic import Field

from incrowd.arrays import Values
from incrowd.errors import InputError
from incrowd.hierarchy.hierarchy import Builder, Hierarchy, Level, number_runs, stack, texts
from incrowd.hierarchy.labels import Bounds, read_bounds, write_bounds, write_quarter
from incrowd.table.column import Domain, Kind
from incrowd.values import STRICT, dataclass

Period: TypeAlias = Literal["day", "month", "quarter", "year", "5 years", "10 years"]

_ALL: tuple[Period, ...] = get_args(Period)


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Dates(Builder):
    """Dates and moments to days, months, quarters, years, 5 and 10 years.

    Labels are `1965-03-01`, `1965-03`, `1965-Q1`, `1965`, `[1965, 1970)` and `[1960, 1970)`.

    >>> births = Domain(Kind.DATE, np.array(["1965-03-01", "1967-12-24"], dtype="datetime64[D]"))
    >>> Dates(steps=("month", "5 years")).build(births, "birth").labels[1].tolist()
    ['1965-03', '1967-12']
    """

    steps: Annotated[tuple[Period, ...], Field(min_length=1)] | None = None
    """What each level shows, rising; by default all steps that merge anything."""
    bottom: Annotated[int, Field(ge=1, le=9999)] | None = None
    """Dates before this year are pooled from level 1 on: `< 1937`."""
    name: Literal["dates"] = "dates"

    def __post_init__(self) -> None:
        """Refuse steps that do not rise."""
        places = [_ALL.index(step) for step in self.steps or ()]
        if places != sorted(set(places)):
            raise ValueError(f"steps must rise; list them in this order: {', '.join(_ALL)}")

    def _build(self, domain: Domain, column: str) -> Hierarchy:
        """The hierarchy of a column of dates; `InputError` if it holds anything else."""
        if len(domain) and domain.kind is not Kind.DATE:
            raise InputError(
                f"column {column!r} holds {domain.kind.value}s, not dates",
                remedy="give it another hierarchy, or list the texts that mean missing",
            )
        steps = self.steps or _ALL
        levels = [self._level_with_bottom(domain.values, step) for step in steps if len(domain)]
        prune = self.steps is None and self.bottom is None
        return stack(domain, levels, column=column, ordered=True, prune=prune)

    def _level_with_bottom(self, values: Values, step: Period) -> Level:
        """The level of one step, dates before the year `bottom` being one node."""
        if self.bottom is None:
            return _period_level(values, step)
        before = write_bounds(Bounds(None, f"{self.bottom:04d}"))
        years = values.astype("datetime64[Y]").astype(np.int64) + 1970
        pooled = int(np.searchsorted(years, self.bottom))
        if pooled == len(values):
            return Level(np.ones(pooled, dtype=np.int32), texts([before]))
        rest = _period_level(values[pooled:], step)
        labels = [_clip_years(label, self.bottom) for label in rest.labels.tolist()]
        if not pooled:
            return Level(rest.nodes, texts(labels))
        nodes = np.concatenate([np.ones(pooled, dtype=np.int32), rest.nodes + 1])
        return Level(nodes.astype(np.int32), texts([before, *labels]))


def _clip_years(label: str, bottom: int) -> str:
    """The label, its first year raised to `bottom` if it is an interval that begins earlier."""
    bounds = read_bounds(label)
    if bounds is None or bounds.low is None or int(bounds.low) >= bottom:
        return label
    return write_bounds(replace(bounds, low=f"{bottom:04d}"))


def _period_level(values: Values, step: Period) -> Level:
    """One level with a node for each period of this length that holds values."""
    if step == "day":
        days = values.astype("datetime64[D]")
        nodes, first = number_runs(days)
        return Level(nodes, texts(days[first].astype(str).tolist()))
    months = values.astype("datetime64[M]").astype(np.int64) + 12 * 1970
    length = {"month": 1, "quarter": 3, "year": 12, "5 years": 60, "10 years": 120}[step]
    return Level.of(months // length, partial(_period_label, step=step))


def _period_label(period: int, step: Period) -> str:
    """The label of a period, which counts steps from the year 0."""
    if step == "month":
        return f"{period // 12:04d}-{period % 12 + 1:02d}"
    if step == "quarter":
        return write_quarter(period // 4, period % 4 + 1)
    if step == "year":
        return f"{period:04d}"
    years = 5 if step == "5 years" else 10
    return write_bounds(Bounds(f"{period * years:04d}", f"{(period + 1) * years:04d}"))
