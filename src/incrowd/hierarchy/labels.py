"""How bounds, intervals and spans are written, and read back.

A half-open interval is `[20, 30)`, one without a limit `< 20` or `≥ 90`; a span shows its first and
last value, `[17, 25]` or `[1965-03-01, 1965-04-17]`. A span of texts that could be read in two ways
is written as a JSON list of two strings, `["a, b", "c"]`. `(-inf, 20)` and `[90, inf)` are read.
"""

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.arrays import Values
from incrowd.table.column import Domain, Kind

Number = int | float

TOP = "*"
"""What a suppressed cell shows, unless a tree has its own word for it."""

_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DATE = re.compile(r"-?[0-9]{4,5}(-[0-9]{2}(-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9.]+)?)?)?)?")
_UNSAFE_IN_SET = re.compile(r'[{}"]|, |^$')
_UNSAFE = re.compile(r'[\[\]()"]|, ')


@dataclass(frozen=True, repr=False)
class Bounds:
    """The two ends of an interval as they are written; None where it has no end."""

    low: str | None
    high: str | None
    low_inside: bool = True
    high_inside: bool = False


_ONE_SIDED: dict[str, Callable[[str], Bounds]] = {
    "<": lambda end: Bounds(None, end),
    "≤": lambda end: Bounds(None, end, high_inside=True),
    "≥": lambda end: Bounds(end, None),
    ">": lambda end: Bounds(end, None, low_inside=False),
}


def number_text(value: Number) -> str:
    """A number as a label shows it: whole numbers without a fraction.

    >>> number_text(20.0), number_text(0.5), number_text(1e300)
    ('20', '0.5', '1e+300')
    """
    if isinstance(value, float) and not (value.is_integer() and abs(value) < 1e15):
        return repr(value)
    return str(int(value))


def parse_number(text: str) -> Number | None:
    """The number that a text stands for, None if it is none.

    >>> parse_number("20"), parse_number("0.5"), parse_number("twenty")
    (20, 0.5, None)
    """
    if _WHOLE.fullmatch(text) and len(text) < 400:
        return int(text)
    if _DECIMAL.fullmatch(text):
        value = float(text)
        return value if np.isfinite(value) else None
    return None


def parse_date(text: str) -> np.datetime64 | None:
    """The date or moment that a text stands for, in its own unit; None if it is none."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return np.datetime64(text.replace(" ", "T"))
    except (ValueError, OverflowError):
        return None


def interval(low: Number | None, high: Number | None) -> str:
    """The label of the numbers from `low` to below `high`.

    >>> interval(20, 30.0), interval(None, 20), interval(90, None)
    ('[20, 30)', '< 20', '≥ 90')
    """
    left = None if low is None or low == -math.inf else number_text(low)
    right = None if high is None or high == math.inf else number_text(high)
    return write_bounds(Bounds(left, right))


def write_bounds(bounds: Bounds) -> str:
    """The label of everything between these bounds.

    >>> write_bounds(Bounds("20", None)), write_bounds(Bounds("0", "5", low_inside=False))
    ('≥ 20', '(0, 5)')
    """
    low, high = bounds.low, bounds.high
    if low is None:
        return TOP if high is None else f"{'≤' if bounds.high_inside else '<'} {high}"
    if high is None:
        return f"{'≥' if bounds.low_inside else '>'} {low}"
    if bounds.low_inside and bounds.high_inside:
        return span(low, high)
    return f"{'[' if bounds.low_inside else '('}{low}, {high}{']' if bounds.high_inside else ')'}"


def span(low: str, high: str) -> str:
    """The label of all leaves from one to another.

    >>> span("17", "25"), span("a, b", "c")
    ('[17, 25]', '["a, b", "c"]')
    """
    if _UNSAFE.search(low) or _UNSAFE.search(high):
        return json.dumps([low, high], ensure_ascii=False)
    return f"[{low}, {high}]"


def value_set(labels: Sequence[str]) -> str:
    """The label of any of these values.

    >>> value_set(["A", "B"]), value_set(["a, b", "c"])
    ('{A, B}', '{"a, b", "c"}')
    """
    if any(_UNSAFE_IN_SET.search(label) or label != label.strip() for label in labels):
        return f"{{{json.dumps(list(labels), ensure_ascii=False)[1:-1]}}}"
    return f"{{{', '.join(labels)}}}"


def read_set(label: str) -> list[str] | None:
    """The values that the label of a set names, None if it is another label."""
    if len(label) < 3 or label[0] != "{" or label[-1] != "}":
        return None
    inside = label[1:-1]
    if not inside.startswith('"'):
        return inside.split(", ")
    try:
        values = json.loads(f"[{inside}]")
    except (ValueError, RecursionError):
        return None
    return values if all(isinstance(value, str) for value in values) else None


def joined(low: str, high: str) -> str:
    """The label of all that lies from the node of one label to that of another.

    >>> joined("[20, 25)", "[35, 40)"), joined("[85, 90)", "≥ 90"), joined("1965", "1970")
    ('[20, 40)', '≥ 85', '[1965, 1970]')
    """
    left = read_bounds(low) or Bounds(low, low)
    right = read_bounds(high) or Bounds(high, high, high_inside=True)
    return write_bounds(Bounds(left.low, right.high, left.low_inside, right.high_inside))


def read_bounds(label: str) -> Bounds | None:
    """What an interval or span label says, None if it is another label."""
    if label[:1] in _ONE_SIDED and label[1:2] == " ":
        return _ONE_SIDED[label[0]](label[2:])
    if not label or label[0] not in "[(" or label[-1] not in "])":
        return None
    if label.startswith('["'):
        return _read_quoted(label)
    ends = label[1:-1].split(", ")
    if len(ends) != 2:
        return None
    low = None if label[0] == "(" and ends[0] == "-inf" else ends[0]
    high = None if label[-1] == ")" and ends[1] == "inf" else ends[1]
    return Bounds(low, high, label[0] == "[", label[-1] == "]")


def _read_quoted(label: str) -> Bounds | None:
    try:
        ends = json.loads(label)
    except (ValueError, RecursionError):
        return None
    if len(ends) != 2 or not all(isinstance(end, str) for end in ends):
        return None
    return Bounds(ends[0], ends[1], low_inside=True, high_inside=True)


def locate(leaves: Domain, bounds: Bounds) -> tuple[int, int] | None:
    """First and last code of the leaves between these bounds, by arithmetic; None if no leaf is."""
    if leaves.kind is Kind.TEXT:
        return None
    low = 0 if bounds.low is None else _before(leaves, bounds.low, after=not bounds.low_inside)
    high = len(leaves)
    if bounds.high is not None:
        found = _before(leaves, bounds.high, after=bounds.high_inside)
        high = -1 if found is None else found
    return None if low is None or high <= low else (low + 1, high)


def _before(leaves: Domain, text: str, *, after: bool) -> int | None:
    """How many leaves lie below the bound, or up to it with `after`; None if it is no bound."""
    if leaves.kind is Kind.NUMBER:
        number = parse_number(text)
        return None if number is None else count_below(leaves.values, number, after=after)
    date = parse_date(text)
    if date is None:
        return None
    moments = leaves.values.astype("datetime64[us]")
    step = np.array(int(after), dtype=f"timedelta64[{np.datetime_data(date.dtype)[0]}]")
    return int(np.searchsorted(moments, (date + step).astype("datetime64[us]")))


def count_below(values: Values, bound: Number, *, after: bool = False) -> int:
    """How many of the sorted values lie below the bound, or up to it with `after`."""
    if values.dtype.kind == "f":
        return int(np.searchsorted(values, _as_float(bound), side="right" if after else "left"))
    whole = int(np.floor(bound)) + 1 if after else int(np.ceil(bound))
    if isinstance(bound, int):
        whole = bound + after
    limits = np.iinfo(np.int64)
    if whole > limits.max:
        return len(values)
    return int(np.searchsorted(values, np.int64(max(whole, limits.min))))


def _as_float(bound: Number) -> float:
    try:
        return float(bound)
    except OverflowError:
        return float("inf") if bound > 0 else float("-inf")


def as_values(labels: list[str], kind: Kind, *, strict: bool) -> Values | None:
    """Labels read as numbers or dates; None if one of them is none.

    With `strict` each must be written as a domain of numbers would write it: 0017 stays text.
    """
    parsed: list[Number | None] | list[np.datetime64 | None]
    if kind is Kind.DATE:
        parsed = [parse_date(label) for label in labels]
        found = [date for date in parsed if date is not None]
        dates = np.array(found, dtype="datetime64[us]") if len(found) == len(labels) else None
        whole = dates is not None and bool((dates == dates.astype("datetime64[D]")).all())
        return dates.astype("datetime64[D]") if dates is not None and whole else dates
    numbers = [number for number in map(parse_number, labels) if number is not None]
    if not labels or len(numbers) < len(labels):
        return None
    if strict and any(number_text(n) != text for n, text in zip(numbers, labels, strict=True)):
        return None
    if all(isinstance(number, int) and abs(number) < 2**63 for number in numbers):
        return np.array(numbers, dtype=np.int64)
    return np.array([_as_float(number) for number in numbers], dtype=np.float64)
