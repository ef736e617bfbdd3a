"""What bars are called: round bounds and ranks, no values of the table."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from incrowd.utility.comparison import ColumnKind

_DIGITS = re.compile(r"\d[\d.]*")
_MOST_DIGITS = 3
_YEAR = re.compile(r"[<≥\[\]() ]*\d{4}(, \d{4})?[\[\]() ]*")


def bar_names(labels: Sequence[str], kind: "ColumnKind", *, values: bool) -> tuple[str, ...]:
    """The names of the bars of a histogram with these labels, of a column of this kind.

    With `values` they are the labels, which may show values of the table. Without, so are those of
    a number or date if all its bins end on round numbers, or on years; if not, all bins are called
    `step 1`, `step 2`, … Categories are called `value 1`, `value 2`, … in the order of the labels.
    The bars `other values` and `missing`, which come last in this order, keep their names; a
    category of the same text before them does not.

    >>> bar_names(["< 20", "[20, 30)"], "number", values=False)
    ('< 20', '[20, 30)')
    >>> bar_names(["< 1987.25", "≥ 1987.25", "missing"], "number", values=False)
    ('step 1', 'step 2', 'missing')
    >>> bar_names(["flu", "HIV", "other values", "missing"], "category", values=False)
    ('value 1', 'value 2', 'other values', 'missing')
    """
    if values or (kind != "category" and all(_has_round_ends(label, kind) for label in labels)):
        return tuple(labels)
    word = "value" if kind == "category" else "step"
    last = _last_bars(labels)
    ranks = range(1, len(labels) - len(last) + 1)
    return (*(f"{word} {rank}" for rank in ranks), *last)


def _last_bars(labels: Sequence[str]) -> tuple[str, ...]:
    """The bars at the end that are no value: `other values`, `missing`, or both in this order."""
    ends = (("other values", "missing"), ("missing",), ("other values",))
    return next((end for end in ends if tuple(labels[-len(end) :]) == end), ())


def _has_round_ends(label: str, kind: "ColumnKind") -> bool:
    """Whether a bin ends on round numbers, or on years if its kind is `date`; True if missing."""
    if label == "missing":
        return True
    if kind == "date":
        return _YEAR.fullmatch(label) is not None
    return all(_is_short(digits) for digits in _DIGITS.findall(label))


def _is_short(digits: str) -> bool:
    """Whether a number, as text, has at most `_MOST_DIGITS` digits besides zeros at its ends."""
    whole, _, rest = digits.partition(".")
    bare = f"{whole}{rest}".strip("0") if rest else whole.strip("0")
    return len(bare) <= _MOST_DIGITS
