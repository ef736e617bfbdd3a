"""A query for minimal sets of columns, and the state of a search that answers it."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from incrowd.errors import PolicyError
from incrowd.identify.ratios import Measure

Method: TypeAlias = Literal[
    "auto", "levelwise", "subtable", "iterative", "hitting-sets", "depth-first"
]


@dataclass(frozen=True)
class MinimalSetQuery:
    """Which sets have at least this ratio, while no set within them does."""

    measure: Measure
    ratio: float
    max_size: int | None = None
    """The most columns of a set; None for any number."""
    method: Method = "auto"
    delta: float = 0.01
    """For sub-tables at ratios below 1: the risk that a set is missing."""
    sample: int | None = None
    """For sub-tables: the size of the only one; None for sizes that will do."""

    def __post_init__(self) -> None:
        if not 0 < self.ratio <= 1:
            raise PolicyError(f"the ratio must be above 0 and at most 1, not {self.ratio:g}")
        if self.max_size is not None and self.max_size < 1:
            raise PolicyError(f"a set has at least one column, not {self.max_size}")
        if self.sample is not None and self.sample < 1:
            raise PolicyError(f"a sample has at least one record, not {self.sample}")
        if not 0 < self.delta < 1:
            raise PolicyError(f"delta must be between 0 and 1, not {self.delta:g}")

    @property
    def keys(self) -> bool:
        """Whether all records must be told apart."""
        return self.ratio == 1


@dataclass
class SearchState:
    """Minimal sets found so far, and how far the search has come.

    Every set in it is good enough, and no smaller set within it is: this holds at any time, so
    that a search that ran out of time or was interrupted still has something to tell.
    """

    sets: set[tuple[int, ...]] = field(default_factory=set)
    """Columns in ascending order."""
    looked: int = 0
    """How many sets of columns were looked at in the table."""
    upto: int = 0
    """All minimal sets of at most so many columns are among them."""
    complete: bool = False
    """All minimal sets are among them."""

    def add(self, columns: tuple[int, ...]) -> None:
        """Note a minimal set."""
        self.sets.add(tuple(sorted(columns)))

    @property
    def sorted(self) -> tuple[tuple[int, ...], ...]:
        """The sets, small ones first, then by their columns."""
        return tuple(sorted(self.sets, key=lambda columns: (len(columns), columns)))
