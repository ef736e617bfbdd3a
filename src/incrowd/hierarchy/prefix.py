"""Codes shortened from the right: ZIP codes, diagnoses (Sweeney Section 3.1, Figure 2)."""

from functools import partial
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field

from incrowd.hierarchy.hierarchy import Builder, Hierarchy, Level, stack, texts
from incrowd.hierarchy.labels import mask_code
from incrowd.table.column import Domain, Kind
from incrowd.values import STRICT, dataclass

MOST_LEVELS = 8
"""Long codes are masked in at most this many steps, unless `steps` says otherwise."""


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Prefix(Builder):
    """Codes whose last characters are masked: 02138, 0213*, 021**, 02***, 0****, *.

    A code that is shorter than what a level shows stays as it is. With a `separator` the parts
    after it go first, then the characters of what is left: E11.9, E11, E1*, E**, *. Whole numbers
    get back the leading zeros that they lost: 501 beside 10001 is masked as 00501.

    >>> from incrowd.hierarchy.hierarchy import texts
    >>> zips = Domain(Kind.TEXT, texts(["02138", "02139", "02141"]))
    >>> [labels.tolist() for labels in Prefix(steps=(4, 3)).build(zips, "zip").labels[1:]]
    [['0213*', '0214*'], ['021**'], ['*']]
    """

    steps: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=1)] | None = None
    """How many characters each level shows, falling; by default one less on each level."""
    keep: Annotated[int, Field(ge=1)] = 1
    """How many characters are shown at least, below the top."""
    separator: Annotated[str, Field(min_length=1)] | None = None
    """Splits a code into parts, the most general first."""
    name: Literal["prefix"] = "prefix"

    def __post_init__(self) -> None:
        """Refuse steps that do not fall."""
        if any(a <= b for a, b in pairwise(self.steps or ())):
            raise ValueError("steps must fall; show fewer characters on each level, as in 4, 3, 2")

    def _build(self, domain: Domain, column: str) -> Hierarchy:
        """The hierarchy of a column of codes; leaves are in the order of their characters."""
        codes = domain.labels.tolist()
        if self.separator is None:
            whole = _are_whole(domain)
            if not whole:
                codes.sort()
            width = max(map(len, codes), default=0) if whole else 0
            levels = self._levels_by_mask([code.zfill(width) for code in codes])
        else:
            parts = sorted(code.split(self.separator) for code in codes)
            codes = [self.separator.join(code) for code in parts]
            levels = self._levels_by_parts(parts)
            levels += self._levels_by_mask([code[0] for code in parts])
        leaves = Domain(Kind.TEXT, texts(codes))
        return stack(leaves, levels, column=column, ordered=False, prune=self.steps is None)

    def _levels_by_parts(self, codes: list[list[str]]) -> list[Level]:
        """One level for each number of parts that codes keep, most first."""
        separator = self.separator or ""
        most = max((len(code) for code in codes), default=1)
        return [
            Level.of(texts([separator.join(code[:shown]) for code in codes]))
            for shown in range(most - 1, 0, -1)
        ]

    def _levels_by_mask(self, codes: list[str]) -> list[Level]:
        """One level for each number of characters that codes show, the others being masked."""
        width = max((len(code) for code in codes), default=0)
        return [
            Level.of(
                texts([code[:shown] for code in codes]),
                partial(_masked_label, shown=shown, width=width),
            )
            for shown in self._shown_lengths(width)
        ]

    def _shown_lengths(self, width: int) -> list[int]:
        """How many characters each level shows."""
        if self.steps is not None:
            return list(self.steps)
        shown = list(range(width - 1, self.keep - 1, -1))
        if len(shown) <= MOST_LEVELS:
            return shown
        last = len(shown) - 1
        return [shown[i * last // (MOST_LEVELS - 1)] for i in range(MOST_LEVELS)]


def _are_whole(domain: Domain) -> bool:
    """Whether the values, which ascend, are whole numbers from 0 on."""
    if domain.kind is not Kind.NUMBER or domain.values.dtype.kind != "i":
        return False
    return not len(domain) or bool(domain.values[0] >= 0)


def _masked_label(key: str, shown: int, width: int) -> str:
    """`key`, masked up to `width` characters; as it is if it is shorter than `shown`."""
    return key if len(key) < shown else mask_code(key, len(key) + max(width - shown, 0))
