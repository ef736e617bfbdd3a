"""Categories that have an order: education, stages, income classes."""

from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from incrowd.hierarchy.hierarchy import Builder, Hierarchy, Level, number_runs, stack, texts
from incrowd.hierarchy.labels import write_span
from incrowd.hierarchy.leaf_values import as_values
from incrowd.table.column import Domain, Kind
from incrowd.values import STRICT, dataclass


@dataclass(frozen=True, config=STRICT, repr=False)
class Ordered(Builder):
    """An ordered list of categories, and how neighbours are put together.

    Give `sizes` (so many neighbours per group and level) or `groups` (per level the name of each
    value's group, in the order of the values); without them there are only the values and `*`.

    >>> stages = Ordered(("I", "II", "III", "IV"), sizes=(2,))
    >>> [labels.tolist() for labels in stages.build(Domain(Kind.TEXT, texts([])), "stage").labels]
    [['I', 'II', 'III', 'IV'], ['[I, II]', '[III, IV]'], ['*']]
    """

    values: Annotated[tuple[str, ...], Field(min_length=1)]
    sizes: tuple[Annotated[int, Field(ge=2)], ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    name: Literal["ordered"] = "ordered"

    def __post_init__(self) -> None:
        """Refuse lists that contradict themselves."""
        if len(set(self.values)) < len(self.values):
            raise ValueError("a value is listed twice; list each value once")
        if self.sizes and self.groups:
            raise ValueError("sizes and groups do not go together; give one of them")
        if any(b % a or b <= a for a, b in pairwise(self.sizes)):
            raise ValueError("each size must be a multiple of the one before; as in 2, 4, 8")
        if any(len(groups) != len(self.values) for groups in self.groups):
            raise ValueError("a level has not one group per value; give as many groups as values")
        if any(len(number_runs(texts(groups))[1]) != len(set(groups)) for groups in self.groups):
            raise ValueError("a group is torn apart; list its values side by side")
        pairs = pairwise(self.groups)
        if any(len(set(zip(a, b, strict=True))) != len(set(a)) for a, b in pairs):
            raise ValueError("a group lies in two groups of the next level; give it one")

    def __repr__(self) -> str:
        """Without values."""
        return f"Ordered({len(self.values)} values)"

    def _build(self, domain: Domain, column: str) -> Hierarchy:
        """The hierarchy of a column; values that the list lacks are found when it is encoded."""
        levels = [Level.of(texts(groups)) for groups in self.groups]
        levels += [self._level_by_size(size) for size in self.sizes]
        leaves = self._leaf_domain(domain.kind)
        return stack(leaves, levels, column=column, ordered=True, prune=False)

    def _leaf_domain(self, kind: Kind) -> Domain:
        """The list as numbers or dates if the column holds such and the list rises, else texts."""
        labels = list(self.values)
        values = None if kind is Kind.TEXT else as_values(labels, kind, strict=True)
        if values is not None and bool(np.array_equal(values, np.unique(values))):
            return Domain(kind, values)
        return Domain(Kind.TEXT, texts(labels))

    def _level_by_size(self, size: int) -> Level:
        """One level with groups of `size` neighbours, the last one smaller if need be."""
        labels = []
        for start in range(0, len(self.values), size):
            group = self.values[start : start + size]
            labels.append(group[0] if len(group) == 1 else write_span(group[0], group[-1]))
        return Level((np.arange(len(self.values)) // size + 1).astype(np.int32), texts(labels))
