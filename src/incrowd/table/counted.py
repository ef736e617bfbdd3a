"""Distinct rows with the number of records that hold each: all that an engine says of its rows.

Counts cross the seam to an engine, rows do not. Verification is given such counts and nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from incrowd.arrays import Codes, Counts, Floats
from incrowd.table.cells import as_enum, enum_texts, text_of


@dataclass(frozen=True, eq=False)
class CountedRows:
    """Distinct rows of a table or release, and the records of each; equal texts may recur."""

    cells: pl.DataFrame
    """The cells as they are stored, one line per distinct row."""
    records: Counts
    """Records per line: shape (lines,)."""
    codes: Mapping[str, Codes] = field(default_factory=dict)
    """By column: the code of what the record held before it was recoded, 0 for missing."""
    unit: Codes | None = None
    """Whose records they are, 0 for records that are a person each; None if not asked."""
    classes: Codes | None = None
    """The class that the records were put into; None if not asked."""
    weights: Floats | None = None
    """The sum of the records' sampling weights; None if not asked."""

    def __repr__(self) -> str:
        """The numbers of distinct rows and of records, without any value."""
        return f"CountedRows({len(self.records)} distinct rows, {int(self.records.sum())} records)"

    def with_cells(self, cells: pl.DataFrame) -> "CountedRows":
        """These counts with other cells, line by line."""
        return replace(self, cells=cells)

    def take_lines(self, lines: Counts) -> "CountedRows":
        """The lines with these numbers, in this order; numbers may repeat."""
        return CountedRows(
            self.cells[lines] if self.cells.columns else self.cells,
            self.records[lines],
            {name: codes[lines] for name, codes in self.codes.items()},
            None if self.unit is None else self.unit[lines],
            None if self.classes is None else self.classes[lines],
            None if self.weights is None else self.weights[lines],
        )

    def split_records(self) -> "CountedRows":
        """These rows with a line for each record without a unit, as each of these is a person."""
        if self.unit is None:
            return self
        times = np.where(self.unit == 0, self.records, 1)
        if (times == 1).all():
            return self
        each = replace(
            self,
            records=np.where(self.unit == 0, 1, self.records),
            weights=None if self.weights is None else self.weights / times,
        )
        return each.take_lines(np.repeat(np.arange(len(times)), times))


def counted_codes(name: str, codes: Codes, records: Counts) -> CountedRows:
    """Rows of one column of codes that were counted already, without cells."""
    return CountedRows(pl.DataFrame(), records, {name: codes})


def count_rows(
    cells: pl.DataFrame,
    codes: Mapping[str, Codes] | None = None,
    unit: Codes | None = None,
    classes: Codes | None = None,
    weights: Floats | None = None,
) -> CountedRows:
    """Count the distinct rows of a frame, told apart by cells and by all arrays given beside.

    With a unit they come in the order of their first records. Weights do not tell rows apart; they
    are summed.
    """
    beside = {f"code {name}": column for name, column in (codes or {}).items()}
    beside |= {} if unit is None else {"unit": unit}
    beside |= {} if classes is None else {"classes": classes}
    plain = [groupable_column(column) for column in cells.iter_columns()]
    keys = [column.alias(f"cell {j}") for j, column in enumerate(plain)]
    keys += [column for j, cell in enumerate(plain) for column in _signs_of_zeros(cell, j)]
    keys += [pl.Series(name, column) for name, column in beside.items()]
    if not keys:
        return CountedRows(cells[:1], np.array([cells.height], dtype=np.int64))
    groups = _count_distinct(keys, weights, ordered=unit is not None)
    shown = [groups[f"cell {j}"].alias(name) for j, name in enumerate(cells.columns)]
    return CountedRows(
        pl.DataFrame(shown),
        groups["records"].to_numpy().astype(np.int64),
        {name: groups[f"code {name}"].to_numpy() for name in codes or {}},
        None if unit is None else groups["unit"].to_numpy(),
        None if classes is None else groups["classes"].to_numpy(),
        None if weights is None else _sum_lists(groups["weights"]),
    )


def _count_distinct(
    keys: list[pl.Series], weights: Floats | None, *, ordered: bool
) -> pl.DataFrame:
    """The distinct rows, `records` and lists of `weights`; as they first occur if `ordered`."""
    digits = _key_digits(keys)
    if digits is None:
        return _group_rows(pl.DataFrame(keys), weights, ordered=ordered)
    packed = _pack(digits)
    if ordered or weights is not None:
        found = _group_rows(pl.DataFrame({"key": packed}), weights, ordered=ordered)
        rest = found.drop("key")
    else:
        key, records = _count_keys(packed, prod(digit.size for digit in digits))
        found, rest = pl.DataFrame({"key": key}), pl.DataFrame({"records": records})
    del packed
    return rest.with_columns(_unpack(found["key"].to_numpy(), digits))


def _group_rows(rows: pl.DataFrame, weights: Floats | None, *, ordered: bool) -> pl.DataFrame:
    """As `_count_distinct`, by Polars: the distinct rows, `records` and lists of `weights`."""
    sums = [] if weights is None else [pl.col("weights")]
    if weights is not None:
        rows = rows.with_columns(pl.Series("weights", weights))
    groups = rows.group_by(pl.exclude("weights"), maintain_order=ordered)
    return groups.agg(pl.len().alias("records"), *sums)


_LARGEST_KEY = 2**62
"""Keys of rows stay below this."""

_DENSE = 2**22
"""Up to this many possible keys have a counter each."""


class _Digit(NamedTuple):
    """A column as numbers 0, 1, …, size - 1; missing cells have the last one."""

    name: str
    dtype: pl.DataType
    numbers: NDArray[Any]
    size: int
    low: int
    """The cell behind number 0, if cells are whole numbers."""
    texts: pl.Series | None
    """The cells behind all numbers but the last, if they are texts."""


def _key_digits(columns: Sequence[pl.Series]) -> list[_Digit] | None:
    """The columns as digits of one number per row; None for other columns or too large a number."""
    digits, bound = [], 1
    for column in columns:
        digit = _digit_of(column)
        bound *= _LARGEST_KEY if digit is None else digit.size
        if digit is None or bound >= _LARGEST_KEY:
            return None
        digits.append(digit)
    return digits


def _digit_of(column: pl.Series) -> _Digit | None:
    """A column of integers below 2^62 in size, or of few texts, as a digit; None for others."""
    if isinstance(column.dtype, pl.String | pl.Categorical | pl.Enum):
        return _digit_of_texts(column)
    if not column.dtype.is_integer():
        return None
    low, high = column.min(), column.max()
    if not isinstance(low, int) or not isinstance(high, int):
        low = high = 0
    if low <= -_LARGEST_KEY or high >= _LARGEST_KEY:
        return None
    size, numbers = high - low + 2, column
    if low or column.null_count():
        numbers = (column.cast(pl.Int64) - low).fill_null(size - 1)
    return _Digit(column.name, column.dtype, numbers.to_numpy(), size, low, None)


def _digit_of_texts(column: pl.Series) -> _Digit | None:
    """A column of texts as a digit; None if `as_enum` leaves it as text."""
    coded = column if isinstance(column.dtype, pl.Enum) else as_enum(column.cast(pl.String))
    if not isinstance(coded.dtype, pl.Enum):
        return None
    texts, numbers = enum_texts(coded), coded.to_physical()
    if numbers.null_count():
        numbers = numbers.cast(pl.UInt32).fill_null(len(texts))
    shown = texts.cast(column.dtype)
    return _Digit(column.name, column.dtype, numbers.to_numpy(), len(texts) + 1, 0, shown)


def _pack(digits: Sequence[_Digit]) -> Counts:
    """One number per row whose digits are the columns, the first column as the highest digit."""
    key = np.zeros(len(digits[0].numbers), dtype=np.int64)
    for digit in digits:
        key *= digit.size
        np.add(key, digit.numbers, out=key, casting="unsafe")
    return key


def _unpack(key: Counts, digits: Sequence[_Digit]) -> list[pl.Series]:
    """The columns of cells that these keys stand for, in the types that they had."""
    columns = []
    for digit in reversed(digits):
        key, number = np.divmod(key, digit.size)
        columns.append(_cells_of_numbers(digit, number))
    return columns[::-1]


def _cells_of_numbers(digit: _Digit, number: Counts) -> pl.Series:
    """The cells that these numbers of a digit stand for; null for the last number."""
    gone = number == digit.size - 1
    if digit.texts is not None:
        place = pl.Series(number).set(pl.Series(gone), None)
        return digit.texts.gather(place).alias(digit.name)
    cells = pl.Series(digit.name, number + digit.low).set(pl.Series(gone), None)
    return cells.cast(digit.dtype)


def _count_keys(key: Counts, bound: int) -> tuple[Counts, Counts]:
    """The distinct keys, ascending, and how often each occurs; all must be below `bound`."""
    if bound <= min(_DENSE, 4 * len(key)):
        number = np.bincount(key, minlength=bound)
        there = np.flatnonzero(number)
        return there, number[there]
    ascending = pl.Series(key).sort().to_numpy()
    start = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1])[: len(key)])
    return ascending[start], np.diff(start, append=len(key))


def _sum_lists(lists: pl.Series) -> Floats:
    """The sum of each list, its numbers added one after the other."""
    lengths = lists.list.len().to_numpy()
    place = np.repeat(np.arange(len(lengths)), lengths)
    numbers = lists.explode().to_numpy()
    return np.bincount(place, weights=numbers, minlength=len(lengths)).astype(np.float64)


def groupable_column(column: pl.Series) -> pl.Series:
    """The column; if its cells are lists, structures or objects, their texts, to be grouped."""
    plain = not column.dtype.is_nested() and not isinstance(column.dtype, pl.Object)
    return column if plain else text_of(column).alias(column.name)


def _signs_of_zeros(column: pl.Series, j: int) -> Sequence[pl.Series]:
    """A column of flags for -0.0, if any is: readers tell it from 0.0, a grouping does not."""
    if not column.dtype.is_float():
        return ()
    zeros = (column == 0).fill_null(value=False)
    if not zeros.any():
        return ()
    negative = np.signbit(column.fill_null(0.0).to_numpy()) & zeros.to_numpy()
    return (pl.Series(f"sign {j}", negative),) if negative.any() else ()
