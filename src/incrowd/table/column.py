"""A column as codes and what they stand for."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from incrowd.arrays import Codes, Texts, Values


class Role(StrEnum):
    """What a column is for; every column of a table must have one."""

    QUASI = "quasi"
    """Others may know it and use it to find a person: it is generalized."""
    SENSITIVE = "sensitive"
    """What nobody should learn about a person: it leaves as it is, diverse within each class."""
    IDENTIFIER = "identifier"
    """Names the person: it is dropped or replaced by a pseudonym."""
    KEEP = "keep"
    """Leaves as it is."""
    DROP = "drop"
    """Does not leave."""
    UNIT = "unit"
    """Says which records belong to one person: classes count people, the column does not leave."""
    WEIGHT = "weight"
    """Sampling weight: leaves as it is."""


class Missing(StrEnum):
    """How an attacker reads a missing quasi-identifying value."""

    OWN_VALUE = "own-value"
    """A value like any other: a missing value is equal to a missing value only."""
    MATCHES_ANYTHING = "matches-anything"
    """It could be any value: a missing value is equal to every value."""
    SUPPRESS = "suppress"
    """Records with a missing quasi-identifying value are left out."""


class Kind(StrEnum):
    """What the values of a column are, and so how they are ordered."""

    NUMBER = "number"
    DATE = "date"
    TEXT = "text"


@dataclass(frozen=True, eq=False)
class Domain:
    """The distinct values of a column in order: code c stands for `values[c - 1]`.

    `values` is int64 or float64 for numbers, datetime64[D] or datetime64[us] for dates, and an
    object array of `str` for text. Numbers and dates are sorted by value, text by code point until
    a hierarchy gives its leaf order.
    """

    kind: Kind
    values: Values

    def __len__(self) -> int:
        """Number of distinct values; missing is not one of them."""
        return len(self.values)

    @property
    def labels(self) -> Texts:
        """The values as the text that a CSV file would hold."""
        if self.kind is Kind.TEXT:
            return self.values.astype(object)
        if self.values.dtype.kind == "f":
            return np.array([_number_text(value) for value in self.values.tolist()], dtype=object)
        if self.values.dtype.kind == "M":
            texts = (text.removesuffix(".000000") for text in self.values.astype(str).tolist())
            return np.array([text.replace("T", " ") for text in texts], dtype=object)
        return np.array([str(value) for value in self.values.tolist()], dtype=object)

    @property
    def positions(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        """Where each value lies: the number, a date in microseconds from 1970, a text by rank."""
        if self.kind is Kind.TEXT:
            return np.arange(len(self), dtype=np.float64)
        if self.values.dtype.kind == "M":
            return self.values.astype("datetime64[us]").astype(np.int64).astype(np.float64)
        return self.values.astype(np.float64)

    def __repr__(self) -> str:
        """The kind and number of values, not the values: a traceback may print a domain."""
        return f"Domain({self.kind.value}, {len(self)} values)"


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column of the table: a code per record, and what the codes stand for."""

    name: str
    codes: Codes
    domain: Domain

    def __repr__(self) -> str:
        """The name and the numbers of records and values, without any value."""
        return f"CodedColumn({self.name!r}, {len(self.codes)} records, {self.domain!r})"


def count_below(values: Values, bound: float, *, after: bool = False) -> int:
    """How many of the ascending values lie below the (finite) bound, or up to it with `after`."""
    if values.dtype.kind == "f":
        return int(np.searchsorted(values, as_float(bound), side="right" if after else "left"))
    whole = int(np.floor(bound)) + 1 if after else int(np.ceil(bound))
    if isinstance(bound, int):
        whole = bound + after
    limits = np.iinfo(np.int64)
    if whole > limits.max:
        return len(values)
    return int(np.searchsorted(values, np.int64(max(whole, limits.min))))


def as_float(bound: float) -> float:
    """A number as a float; infinite, with its sign, if it is too large for one."""
    try:
        return float(bound)
    except OverflowError:
        return float("inf") if bound > 0 else float("-inf")


def _number_text(value: float) -> str:
    """A float as text, without a point if it is whole and below 10^15."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
