"""What bars are called: round bounds and ranks, no values of the table."""

import re
from collections.abc import Sequence

_DIGITS = re.compile(r"\d[\d.]*")
_MOST_DIGITS = 3
_YEAR = re.compile(r"[<≥\[\]() ]*\d{4}(, \d{4})?[\[\]() ]*")


def bar_names(labels: Sequence[str], kind: str, *, values: bool) -> tuple[str, ...]:
    """The names of the bars of a column; only with `values` they may show values of the table.

    Bins are named by their ends where these are round numbers or years; categories by their rank.

    >>> bar_names(["< 20", "[20, 30)"], "number", values=False)
    ('< 20', '[20, 30)')
    >>> bar_names(["flu", "HIV", "other values", "missing"], "category", values=False)
    ('value 1', 'value 2', 'other values', 'missing')
    """
    if values or (kind != "category" and all(_has_round_ends(label, kind) for label in labels)):
        return tuple(labels)
    word = "value" if kind == "category" else "step"
    kept = {"other values", "missing"}
    return tuple(
        label if label in kept and place >= len(labels) - 2 else f"{word} {place}"
        for place, label in enumerate(labels, start=1)
    )


def _has_round_ends(label: str, kind: str) -> bool:
    """Whether a bin of this kind ends on round numbers, or on years."""
    if label == "missing":
        return True
    if kind == "date":
        return _YEAR.fullmatch(label) is not None
    return all(_is_short(digits) for digits in _DIGITS.findall(label))


def _is_short(digits: str) -> bool:
    """Whether a number has at most `_MOST_DIGITS` digits besides zeros at its ends."""
    whole, _, rest = digits.partition(".")
    bare = f"{whole}{rest}".strip("0") if rest else whole.strip("0")
    return len(bare) <= _MOST_DIGITS
