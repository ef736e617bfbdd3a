"""How well a set of columns tells records apart."""

from dataclasses import dataclass
from enum import StrEnum


class Measure(StrEnum):
    """How well a set of columns tells records apart, 0..1; more columns never measure less."""

    DISTINCT = "distinct"
    """Distinct values over records (Motwani-Xu Section 1.1)."""
    SEPARATION = "separation"
    """Pairs of records that differ over all pairs (Motwani-Xu Section 1.1)."""
    UNIQUE = "unique"
    """Records with a value of their own over records (Lodha-Thomas' F1)."""


@dataclass(frozen=True)
class Ratios:
    """What a set of columns does to a table: its classes in figures.

    A table of no records has ratios of 0; one record is told apart by anything (ratios of 1).
    """

    records: int
    classes: int
    """Distinct values of the set."""
    apart: int
    """Pairs of records that the set tells apart."""
    unique: int
    """Records that are alone in their class."""
    smallest: int
    """Records of the smallest class."""

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
        """The ratio of this measure."""
        match measure:
            case Measure.DISTINCT:
                return self.distinct_ratio
            case Measure.SEPARATION:
                return self.separation_ratio
            case Measure.UNIQUE:
                return self.unique_ratio
