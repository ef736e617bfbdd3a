"""What to do with each column so that it keeps no more values than allowed.

A number of values is made a level of the column's hierarchy, said in words: month of birth, the
first three digits (Lodha-Thomas Examples 6 and 7). Levels are the rungs of a ladder.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.hierarchy import (
    AnyHierarchy,
    Dates,
    Hierarchy,
    Intervals,
    Prefix,
    Regions,
    Suggested,
    suggest,
)
from incrowd.hierarchy.rounding import NumberGrid
from incrowd.population.bounds import check_whole_number
from incrowd.table.column import CodedColumn
from incrowd.table.encode import align

Look: TypeAlias = Literal["date", "code", "number", "group"]
"""What the values of a column are like of which only their number is known."""

AS_IT_IS = "as it is"
LEFT_OUT = "leave it out"

_STEPS = {"day": r"\d+-\d\d-\d\d", "month": r"\d+-\d\d", "quarter": r"\d+-Q\d", "year": r"\d+"}
_PERIOD = re.compile(r"\[(-?[\d.e+]+), (-?[\d.e+]+)\)")
_YEAR = 365
_PERIODS = {"month": 12, "quarter": 4, "year": 1, "5 years": 1 / 5, "10 years": 1 / 10}
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ALL_NUMBERS = 50
"""So many groups are counted down one by one, more of them in round steps."""


@dataclass(frozen=True)
class Rung:
    """One way to show a column."""

    values: int
    """Distinct values that are left; missing is one of them, if there is any."""
    says: str
    """What is shown, in words without a value."""
    hierarchy: AnyHierarchy | None = None
    """What builds it; None where only the number of values is known."""
    level: int = 0
    """The level of that hierarchy."""


@dataclass(frozen=True)
class Ladder:
    """All ways to show a column, the finest first; the last leaves it out."""

    column: str
    rungs: tuple[Rung, ...]

    @property
    def distinct(self) -> int:
        """The number of distinct values of the column as it is."""
        return self.rungs[0].values

    @property
    def rigid(self) -> bool:
        """Whether nothing lies between showing the column and leaving it out."""
        return len(self.rungs) <= 2

    @property
    def coarsest(self) -> int:
        """The number of values of the coarsest rung that shows anything."""
        return self.rungs[max(len(self.rungs) - 2, 0)].values

    def finest_place(self, allowed: int) -> int:
        """The place in `rungs` of the finest rung with at most so many values."""
        return next(i for i, rung in enumerate(self.rungs) if rung.values <= allowed)


def ladder_of(
    column: CodedColumn, spec: AnyHierarchy | None = None, records: Counts | None = None
) -> Ladder:
    """Make the ladder of a column of a table: the levels of its hierarchy, or of one that fits it.

    Numbers without a hierarchy have intervals of all round widths, or of equally many records where
    most lie close together (see `suggest`). `records` are those of each code, missing first; None
    if the column has a code for each record.
    """
    if spec is None or isinstance(spec, Suggested):
        spec = suggest(column.domain, column.name).spec
        if isinstance(spec, Intervals):
            inner = _quantile_rungs(column, records) if spec.quantiles else _width_rungs(column)
            distinct = max(len(np.unique(column.codes)), 1)
            first, last = Rung(distinct, AS_IT_IS, spec), Rung(1, LEFT_OUT, spec)
            return _make_ladder(column.name, [first, *inner, last])
    return _make_ladder(column.name, _level_rungs(column, spec, records))


def ladder_of_size(column: str, size: float, look: Look) -> Ladder:
    """Make the ladder of a column of which only the number of values and their look are known.

    `PolicyError` if that number is not whole or below 1.

    >>> [rung.values for rung in ladder_of_size("birth", 21_900, "date").rungs]
    [21900, 720, 240, 60, 12, 6, 1]
    >>> [rung.values for rung in ladder_of_size("zip", 100_000, "code").rungs]
    [100000, 10000, 1000, 100, 10, 1]
    """
    n = check_whole_number(size, f"the number of values of '{column}'")
    inner: Iterator[tuple[int, str]]
    match look:
        case "date":
            inner = (
                (math.ceil(n / _YEAR * times), _step_phrase(step))
                for step, times in _PERIODS.items()
            )
        case "code":
            digits = len(str(n - 1))
            inner = ((10**d, _first_phrase(d, "digit")) for d in range(digits - 1, 0, -1))
        case "number":
            inner = ((math.ceil(n / w), _width_phrase(w)) for w in _round_numbers(n))
        case _:
            inner = ((m, f"put together into {m:,} groups") for m in _group_counts(n))
    rungs = [Rung(values, says, None, level) for level, (values, says) in enumerate(inner, 1)]
    return _make_ladder(column, [Rung(n, AS_IT_IS), *rungs, Rung(1, LEFT_OUT)])


def describe_level(hierarchy: Hierarchy, level: int, spec: AnyHierarchy | None) -> str:
    """Describe what a level of a hierarchy shows, in words without a value."""
    if level == 0:
        return AS_IT_IS
    if level == hierarchy.height:
        return LEFT_OUT
    return (
        _describe_labels(hierarchy.labels[level].tolist(), spec)
        or f"level {level} of its hierarchy"
    )


def build_hierarchy(
    column: CodedColumn, spec: AnyHierarchy, records: Counts | None = None
) -> tuple[Hierarchy, Codes]:
    """Build a column's hierarchy, and code it by the leaves; `records` are as in `ladder_of`."""
    if records is None:
        records = np.bincount(column.codes, minlength=len(column.domain) + 1).astype(np.int64)
    hierarchy = spec.build(column.domain, column.name, records[1:])
    return hierarchy, align(column, hierarchy.leaves).codes


def _describe_labels(labels: Sequence[str], spec: AnyHierarchy | None) -> str:
    """Describe what the labels of a middle level show; empty if no short description fits."""
    match spec:
        case Dates():
            return _step_phrase(_step_of_dates(labels))
        case Prefix():
            stems = [label.rstrip("*") for label in labels]
            what = "digit" if all(stem.isdigit() for stem in stems) else "character"
            return _first_phrase(max(map(len, stems)), what)
        case Intervals() if spec.quantiles:
            return f"{len(labels):,} intervals of about equally many records"
        case Intervals() if width := _common_width(labels):
            return _width_phrase(width)
        case Regions():
            return "region of the world"
        case _:
            return ""


def _make_ladder(column: str, rungs: Sequence[Rung]) -> Ladder:
    """Make a ladder of the first rung, all that merge more, and the last if it merges any more."""
    kept = [rungs[0]]
    for rung in rungs[1:-1]:
        if 1 < rung.values < kept[-1].values:
            kept.append(rung)
    if kept[-1].values > 1:
        kept.append(rungs[-1])
    return Ladder(column, tuple(kept))


def _level_rungs(column: CodedColumn, spec: AnyHierarchy, records: Counts | None) -> list[Rung]:
    """A rung for each level of the hierarchy, the values as they are first."""
    hierarchy, codes = build_hierarchy(column, spec, records)
    there = np.unique(codes)
    return [
        Rung(len(np.unique(nodes[there])), describe_level(hierarchy, level, spec), spec, level)
        for level, nodes in enumerate(hierarchy.maps)
    ]


def _width_rungs(column: CodedColumn) -> Iterator[Rung]:
    """Yield a rung for each round width of intervals that merges values, the narrowest first."""
    values, missing = column.domain.values, int((column.codes == 0).any())
    reach = float(values[-1]) - float(values[0])
    whole_numbers = values.dtype.kind == "i"
    for width in _round_numbers(reach, 2.0 if whole_numbers else reach / len(values) / 10):
        cells = len(np.unique(NumberGrid(0.0, width).cells(values)))
        if 2 <= cells < len(values):
            yield Rung(cells + missing, _width_phrase(width), Intervals(width=width), 1)


def _quantile_rungs(column: CodedColumn, records: Counts | None) -> Iterator[Rung]:
    """Yield rungs of intervals that hold about equally many records, the most intervals first."""
    missing = int((column.codes == 0).any())
    for number in _group_counts(len(column.domain)):
        spec = Intervals(quantiles=number)
        hierarchy, _ = build_hierarchy(column, spec, records)
        if hierarchy.height > 1:
            values = len(hierarchy.labels[1]) + missing
            yield Rung(values, describe_level(hierarchy, 1, spec), spec, 1)


def _round_numbers(reach: float, least: float = 2.0) -> Iterator[float]:
    """Yield 1, 2, 5, 10, … from `least` up to `reach`; none if one is not above 0, or infinite."""
    if not (math.isfinite(reach) and reach > 0 and least > 0):
        return
    exponent = math.floor(math.log10(least))
    while float(f"1e{exponent}") <= reach:
        for digit in (1, 2, 5):
            width = float(f"{digit}e{exponent}")
            if least <= width <= reach:
                yield width
        exponent += 1


def _group_counts(size: int) -> Iterator[int]:
    """Yield numbers of groups below `size`, falling: round ones, then one by one."""
    rounds = [int(n) for n in _round_numbers(size - 1)]
    yield from (n for n in reversed(rounds) if n > _ALL_NUMBERS)
    yield from range(min(size - 1, _ALL_NUMBERS), 1, -1)


def _step_of_dates(labels: Sequence[str]) -> str:
    """The step of labels of dates: day, month, quarter, year, so many years, or period."""
    first = labels[0]
    for step, pattern in _STEPS.items():
        if re.fullmatch(pattern, first.lstrip("-")):
            return step
    width = _common_width(labels)
    return f"{width:g} years" if width else "period"


def _common_width(labels: Sequence[str]) -> float:
    """The width that most intervals have; 0 if the labels are no intervals."""
    matches = [_PERIOD.fullmatch(label) for label in labels]
    widths = Counter(round(float(m[2]) - float(m[1]), 9) for m in matches if m)
    return widths.most_common(1)[0][0] if widths else 0.0


def _step_phrase(step: str) -> str:
    return f"to the {step}" if step[0].isalpha() else f"to periods of {step}"


def _width_phrase(width: float) -> str:
    return f"intervals of width {width:g}"


def _first_phrase(number: int, what: str) -> str:
    """Say that only the first so many digits or characters are shown.

    >>> _first_phrase(1, "digit"), _first_phrase(3, "digit"), _first_phrase(12, "character")
    ('first digit', 'first three digits', 'first 12 characters')
    """
    if number == 1:
        return f"first {what}"
    return f"first {_WORDS[number] if number < len(_WORDS) else number} {what}s"
