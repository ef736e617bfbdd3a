"""Codes of several columns packed into whole numbers: what databases group, join and send fast."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.arrays import Codes, Counts

_LARGEST = 2**62
"""Keys stay below this."""


@dataclass(frozen=True)
class PackedKeys:
    """Codes of columns as digits, the highest first, of as few numbers (keys) as hold them."""

    sizes: tuple[int, ...]
    """How many codes each column has: its codes are 0 to below this number."""
    prefix: str = "key"
    """How the names of keys begin in statements."""

    @cached_property
    def groups(self) -> tuple[range, ...]:
        """For each key the places of the columns whose codes it holds."""
        found, begin, product = [], 0, 1
        for place, size in enumerate(self.sizes):
            if product * size > _LARGEST:
                found.append(range(begin, place))
                begin, product = place, 1
            product *= size
        return (*found, range(begin, len(self.sizes)))

    @property
    def names(self) -> tuple[str, ...]:
        """What statements call the keys: the prefix and a number."""
        return tuple(f"{self.prefix}{g}" for g in range(len(self.groups)))

    def expressions(self, codes: Sequence[str]) -> tuple[str, ...]:
        """The expression of each key, made of the expressions of the columns' codes."""
        return tuple(self._expression(codes, group) for group in self.groups)

    def _expression(self, codes: Sequence[str], group: range) -> str:
        """The expression of the key that holds the codes of a group's columns."""
        said = "CAST(0 AS BIGINT)"
        for place in group:
            said = f"({said} * {self.sizes[place]} + {codes[place]})"
        return said

    def pack(self, codes: Codes) -> Iterator[Counts]:
        """Yield each key as an array over the rows; `codes` has a line for each column."""
        for group in self.groups:
            key = np.zeros(codes.shape[1], dtype=np.int64)
            for place in group:
                key *= self.sizes[place]
                key += codes[place]
            yield key

    def unpack(self, keys: Sequence[Counts], codes: Codes) -> None:
        """Fill `codes`, which has a line for each column, with the codes that these keys hold."""
        for group, key in zip(self.groups, keys, strict=True):
            for place in reversed(group):
                key, codes[place] = np.divmod(key, self.sizes[place])  # noqa: PLW2901  what is left
