"""The columns of a table as codes: what the search for quasi-identifiers looks at."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts
from incrowd.errors import PolicyError
from incrowd.table.names import name_remedy

_ROOM = 2**12


@dataclass(frozen=True, eq=False)
class Records:
    """Columns as codes, each row with the number of records that it stands for.

    Unfolded tables have `counts` of 1. A missing value (code 0) is a value like any other. The
    order of rows and columns does not matter to any answer.
    """

    names: tuple[str, ...]
    codes: Codes
    """One line per column: shape (m, n)."""
    counts: Counts
    """Records per row: shape (n,)."""

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def rows(self) -> int:
        """Number of rows, which may be fewer than the records."""
        return len(self.counts)

    @cached_property
    def total(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @cached_property
    def domains(self) -> Counts:
        """Per column: one more than its largest code."""
        return np.array([int(line.max(initial=0)) + 1 for line in self.codes], dtype=np.int64)

    @cached_property
    def compact_codes(self) -> tuple[tuple[Codes, int], ...]:
        """Codes and domain size of each column; large codes of few rows are numbered anew."""
        room = 4 * self.rows + _ROOM
        given = zip(self.codes, self.domains.tolist(), strict=True)
        return tuple(_renumber(line) if domain > room else (line, domain) for line, domain in given)

    def places(self, names: Sequence[str]) -> tuple[int, ...]:
        """The places of these columns in the table; `PolicyError` if it lacks one."""
        unknown = [name for name in names if name not in self.names]
        if unknown:
            remedy = name_remedy(unknown[0], self.names)
            raise PolicyError(f"the table has no column {unknown[0]!r}", remedy=remedy)
        return tuple(self.names.index(name) for name in names)

    def select(self, names: Sequence[str]) -> "Records":
        """These columns only, in this order; rows that become equal are not folded."""
        places = list(self.places(names))
        return Records(tuple(names), np.ascontiguousarray(self.codes[places]), self.counts)

    def __repr__(self) -> str:
        """Without values."""
        return f"Records({self.width} columns, {self.rows} rows)"


def _renumber(codes: Codes) -> tuple[Codes, int]:
    """Number codes anew without gaps, in their order; return them and their number, at least 1."""
    values, place = np.unique(codes, return_inverse=True)
    return place.astype(np.int32), max(len(values), 1)


class Measure(StrEnum):
    """How well a set of columns tells records apart, 0..1; more columns never measure less."""

    DISTINCT = "distinct"
    """Distinct values over records (Motwani-Xu Section 1.1)."""
    SEPARATION = "separation"
    """Pairs of records that differ over all pairs (Motwani-Xu Section 1.1)."""
    UNIQUE = "unique"
    """Records with a value of their own over records (Lodha-Thomas' F1)."""


def measure_of(name: str) -> Measure:
    """The measure with this name; `PolicyError` if there is none."""
    if name not in set(Measure):
        raise PolicyError(
            f"there is no measure {name!r}", remedy=f"choose one of {', '.join(Measure)}"
        )
    return Measure(name)


@dataclass(frozen=True)
class Ratios:
    """How well a set tells records apart; ratios are 0 for no records, and 1 for one record."""

    records: int
    classes: int
    """Distinct values of the set."""
    apart: int
    """Pairs of records that the set tells apart."""
    unique: int
    """Records that are alone in their class."""
    smallest: int
    """Records of the smallest class."""

    @classmethod
    def of_sizes(cls, sizes: Counts, classes: Counts) -> "Ratios":
        """The ratios of a set with `classes[i]` classes of `sizes[i]` records, each size once."""
        held = dict(zip(sizes.tolist(), classes.tolist(), strict=True))
        records = sum(size * number for size, number in held.items())
        squares = sum(size * size * number for size, number in held.items())
        return cls(
            records=records,
            classes=sum(held.values()),
            apart=(records * records - squares) // 2,
            unique=held.get(1, 0),
            smallest=min(held, default=0),
        )

    @property
    def distinct_ratio(self) -> float:
        """Distinct values over records."""
        return self.classes / self.records if self.records else 0.0

    @property
    def separation_ratio(self) -> float:
        """Pairs told apart over all pairs."""
        pairs = self.records * (self.records - 1) // 2
        return self.apart / pairs if pairs else float(bool(self.records))

    @property
    def unique_ratio(self) -> float:
        """Records alone in their class over records."""
        return self.unique / self.records if self.records else 0.0

    @property
    def average(self) -> float:
        """Records per class."""
        return self.records / self.classes if self.classes else 0.0

    def ratio(self, measure: Measure) -> float:
        """The distinct, separation or unique ratio, as this measure says."""
        match measure:
            case Measure.DISTINCT:
                return self.distinct_ratio
            case Measure.SEPARATION:
                return self.separation_ratio
            case Measure.UNIQUE:
                return self.unique_ratio


KIND = {Measure.DISTINCT: 0, Measure.SEPARATION: 1, Measure.UNIQUE: 2}
"""The number by which kernels know a measure."""


@dataclass(frozen=True, eq=False)
class Budget:
    """How far a set of columns may fall short, beyond what equal rows cost every set.

    A class *costs* what its records lack to being told apart: rows beyond the first, pairs of
    records, or records that are not unique, by the measure (see `kernels.identify.stripped`).
    """

    kind: int
    """The number of the measure: see `KIND`."""
    weights: Counts
    """What each row weighs, empty where all weigh 1."""
    left: int
    """The most that the classes of a good enough set may cost; below 0 when no set is."""


def budget(records: Records, measure: Measure, ratio: float) -> Budget:
    """How far sets of at least this ratio may fall short, beyond what equal rows cost every set."""
    counts = records.counts
    kind = KIND[measure]
    weights = np.empty(0, dtype=np.int64)
    if counts.max(initial=1) > 1 and measure is not Measure.DISTINCT:
        weights = counts if measure is Measure.SEPARATION else (counts == 1).astype(np.int64)
    return Budget(
        kind,
        weights,
        _most_lacking(records.total, measure, ratio) - _least_shortfall(counts, measure),
    )


def _least_shortfall(counts: Counts, measure: Measure) -> int:
    """How much every set of columns lacks, because some rows stand for several records."""
    match measure:
        case Measure.DISTINCT:
            return int(counts.sum()) - len(counts)
        case Measure.SEPARATION:
            return int((counts * (counts - 1) // 2).sum())
        case Measure.UNIQUE:
            return int(counts[counts > 1].sum())


def _figure_of_key(total: int, measure: Measure) -> int:
    """What a key has: all records, or for the separation ratio all pairs of records."""
    return total * (total - 1) // 2 if measure is Measure.SEPARATION else total


def _ratio_lacking(total: int, measure: Measure, lacking: int) -> float:
    """The ratio of a set that lacks so many pairs or records, rounded exactly as in `Ratios`."""
    good = _figure_of_key(total, measure) - lacking
    return Ratios(total, good, good, good, 1).ratio(measure)


def _most_lacking(total: int, measure: Measure, ratio: float) -> int:
    """The most that a set of at least this ratio lacks, by bisection; -1 if even 0 is too much."""
    if _ratio_lacking(total, measure, 0) < ratio:
        return -1
    low, high = 0, _figure_of_key(total, measure) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if _ratio_lacking(total, measure, middle) >= ratio:
            low = middle
        else:
            high = middle
    return low
