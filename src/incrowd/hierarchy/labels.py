"""Labels: the one place that writes what a cell of a release shows, and reads it back.

| label | stands for |
| --- | --- |
| `[20, 30)`, `(0, 5]`, `< 20`, `≥ 90` | an interval; `(-inf, 20)` and `[90, inf)` are read, too |
| `[17, 25]`, `[1965-03-01, 1965-04-17]` | a span: its first and its last value |
| `["a, b", "c"]` | a span of texts that could be read in two ways, as a JSON list |
| `{A, B}`, `{"a, b", "c"}` | a set of values, or of nodes |
| `{A, *others*}`, `{*others*}` | the same, and every value that no label of the column names |
| `1965`, `1965-03`, `1965-Q1` | a period of dates |
| `0213*` | all codes that begin with these characters |
| `*` | every value |

Other tools write intervals in other ways, which `hierarchy.foreign_labels` reads. Which values of a
column a label stands for is in `hierarchy.decoding`.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.table.column import Domain, Kind

Number = int | float
Reach = tuple[float, float]
"""The smallest and the largest value of a label, on the scale of `Domain.positions`."""

TOP = "*"
"""What a suppressed cell shows, unless a tree has its own word for it."""
MASK = "*"
"""What stands for each masked character of a code."""
OTHERS = "*others*"
"""In a set, last and without quotes: every value that no label of the column names."""
DAY = 86_400 * 1e6
"""Microseconds: dates lie on this scale."""
LASTING = frozenset("YMD")
"""Units of dates that stand for a period: year, month and day."""

_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DATE = re.compile(r"-?[0-9]{4,5}(-[0-9]{2}(-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9.]+)?)?)?)?")
_QUARTER = re.compile(r"(?P<year>[0-9]{4,5})(?P<dash>-?)Q(?P<quarter>[1-4])")
_UNSAFE_IN_SET = re.compile(r'[{}"]|, |^$|^\*others\*$')
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


# Numbers and dates


def number_text(value: Number) -> str:
    """A number as a label shows it: whole numbers without a fraction.

    >>> number_text(20.0), number_text(0.5), number_text(1e300)
    ('20', '0.5', '1e+300')
    """
    if isinstance(value, float) and not (value.is_integer() and abs(value) < 1e15):
        return repr(value)
    return str(int(value))


def parse_number(text: str) -> Number | None:
    """The number in a text; None if the text is no number, or one too large to be finite.

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
    """The date or moment in a text, in its own unit; None if the text is no date."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return np.datetime64(text.replace(" ", "T"))
    except (ValueError, OverflowError):
        return None


def write_quarter(year: int, quarter: int) -> str:
    """The label of a quarter: `1965-Q1`."""
    return f"{year:04d}-Q{quarter}"


def read_quarter(label: str, *, dash: bool = True) -> Bounds | None:
    """The first and last month of a quarter; None if it is none; `1965Q1` only without `dash`."""
    found = _QUARTER.fullmatch(label)
    if found is None or (dash and not found["dash"]):
        return None
    last = 3 * int(found["quarter"])
    year = found["year"]
    return Bounds(f"{year}-{last - 2:02d}", f"{year}-{last:02d}", high_inside=True)


# Intervals and spans


def write_interval(low: Number | None, high: Number | None) -> str:
    """The label of the numbers from `low` to below `high`.

    >>> write_interval(20, 30.0), write_interval(None, 20), write_interval(90, None)
    ('[20, 30)', '< 20', '≥ 90')
    """
    left = None if low is None or low == -math.inf else number_text(low)
    right = None if high is None or high == math.inf else number_text(high)
    return write_bounds(Bounds(left, right))


def write_bounds(bounds: Bounds) -> str:
    """The label of everything between these bounds, `*` if there are none.

    >>> write_bounds(Bounds("20", None)), write_bounds(Bounds("0", "5", low_inside=False))
    ('≥ 20', '(0, 5)')
    """
    low, high = bounds.low, bounds.high
    if low is None:
        return TOP if high is None else f"{'≤' if bounds.high_inside else '<'} {high}"
    if high is None:
        return f"{'≥' if bounds.low_inside else '>'} {low}"
    if bounds.low_inside and bounds.high_inside:
        return write_span(low, high)
    return f"{'[' if bounds.low_inside else '('}{low}, {high}{']' if bounds.high_inside else ')'}"


def write_dates(bounds: Bounds) -> str:
    """The label of dates: a day, a month or a year by its name, everything else by its bounds.

    >>> write_dates(Bounds("1965-12", "1966")), write_dates(Bounds("1965", "1966"))
    ('1965-12', '1965')
    """
    if bounds.low is None or bounds.high is None or bounds.high_inside:
        return write_bounds(bounds)
    begin, end = np.datetime64(bounds.low), np.datetime64(bounds.high)
    for unit in ("Y", "M", "D"):
        low, high = begin.astype(f"M8[{unit}]"), end.astype(f"M8[{unit}]")
        if low == begin and high == end and low + 1 == high:
            return str(low)
    return write_bounds(bounds)


def write_ends(low: str | None, high: str | None, nothing: str | None = TOP) -> str | None:
    """The label from one end to the other, None being open; `nothing` if both are open.

    >>> write_ends("20", "29"), write_ends("90", None), write_ends("7", "7"), write_ends(None, None)
    ('[20, 29]', '≥ 90', '7', '*')
    """
    if low is None and high is None:
        return nothing
    return low if low == high else write_bounds(Bounds(low, high, high_inside=True))


def write_span(low: str, high: str) -> str:
    """The label of all leaves from one to another.

    >>> write_span("17", "25"), write_span("a, b", "c")
    ('[17, 25]', '["a, b", "c"]')
    """
    if _UNSAFE.search(low) or _UNSAFE.search(high):
        return json.dumps([low, high], ensure_ascii=False)
    return f"[{low}, {high}]"


def join_labels(low: str, high: str) -> str:
    """The label of everything from the node of one label to that of another.

    >>> join_labels("[20, 25)", "[35, 40)"), join_labels("[85, 90)", "≥ 90")
    ('[20, 40)', '≥ 85')
    >>> join_labels("1965", "1970")
    '[1965, 1970]'
    """
    left, right = ends_of(low), ends_of(high)
    return write_bounds(Bounds(left.low, right.high, left.low_inside, right.high_inside))


def ends_of(label: str) -> Bounds:
    """The bounds of a label; a label without bounds begins and ends with itself."""
    return read_bounds(label) or Bounds(label, label, high_inside=True)


def read_bounds(label: str) -> Bounds | None:
    """The bounds of an interval or a span; None if it is another label."""
    if label[:1] in _ONE_SIDED and label[1:2] == " ":
        return _ONE_SIDED[label[0]](label[2:])
    if not label or label[0] not in "[(" or label[-1] not in "])":
        return None
    if label.startswith('["'):
        texts = _read_texts(label) or []
        return Bounds(texts[0], texts[1], high_inside=True) if len(texts) == 2 else None
    ends = label[1:-1].split(", ")
    if len(ends) != 2:
        return None
    low = None if label[0] == "(" and ends[0] == "-inf" else ends[0]
    high = None if label[-1] == ")" and ends[1] == "inf" else ends[1]
    return Bounds(low, high, label[0] == "[", label[-1] == "]")


def _read_texts(array: str) -> list[str] | None:
    """The texts of an array in JSON; None if it is none, or not of texts alone."""
    try:
        found = json.loads(array)
    except (ValueError, RecursionError):
        return None
    return found if all(isinstance(text, str) for text in found) else None


# Sets and masked codes


@dataclass(frozen=True, repr=False)
class SetMembers:
    """What the label of a set names, and whether it stands for all values not named, too."""

    values: tuple[str, ...]
    others: bool = False

    def __repr__(self) -> str:
        """Without values."""
        return f"SetMembers({len(self.values)} values{' and others' * self.others})"


def write_set(labels: Sequence[str], *, others: bool = False) -> str:
    """The label of a set of values; with `others` it also stands for all that no label names.

    >>> write_set(["A", "B"]), write_set(["a, b", "c"]), write_set(["A"], others=True)
    ('{A, B}', '{"a, b", "c"}', '{A, *others*}')
    """
    if any(_UNSAFE_IN_SET.search(label) or label != label.strip() for label in labels):
        members = [json.dumps(label, ensure_ascii=False) for label in labels]
    else:
        members = list(labels)
    return f"{{{', '.join([*members, *[OTHERS] * others])}}}"


def read_members(label: str) -> SetMembers | None:
    """What a set names; None if it is another label.

    >>> read_members('{"a, b", "c", *others*}')
    SetMembers(2 values and others)
    """
    if len(label) < 3 or label[0] != "{" or label[-1] != "}":
        return None
    inside = label[1:-1]
    if inside == OTHERS:
        return SetMembers((), others=True)
    others = inside.endswith(f", {OTHERS}")
    inside = inside.removesuffix(f", {OTHERS}")
    values = _read_texts(f"[{inside}]") if inside.startswith('"') else inside.split(", ")
    return None if values is None else SetMembers(tuple(values), others)


def read_set(label: str) -> list[str] | None:
    """The values that a set names; None if it is another label."""
    members = read_members(label)
    return None if members is None else list(members.values)


def has_others(label: str) -> bool:
    """Whether a label is a set with `*others*`: all values that no label of its column names."""
    members = read_members(label)
    return members is not None and members.others


def names_in_labels(labels: Iterable[str | None]) -> frozenset[str]:
    """The names in the labels of a column: members of sets, and all other labels as they are.

    `*others*` stands for every value under none of these names. What is suppressed names nothing.

    >>> sorted(names_in_labels(["{A, B, *others*}", "C", "*", None]))
    ['A', 'B', 'C']
    """
    found: set[str] = set()
    for label in labels:
        if label is None or not label.strip(TOP):
            continue
        members = read_members(label)
        found.update((label,) if members is None else members.values)
    return frozenset(found)


def mask_code(shown: str, width: int) -> str:
    """A code of this width that shows only its first characters: `021**`."""
    return shown.ljust(width, MASK)


def read_masked(label: str) -> tuple[str, int] | None:
    """The characters that a code shows before its masked end, and how many it hides; else None."""
    shown = label.rstrip(MASK)
    hidden = len(label) - len(shown)
    return (shown, hidden) if hidden and MASK not in shown else None


# How far a label reaches


def step_of(domain: Domain) -> float:
    """How far apart neighbouring values of a column are at least; 0 if there is no such step."""
    if domain.kind is Kind.DATE:
        return DAY if domain.values.dtype == np.dtype("datetime64[D]") else 0.0
    return 1.0 if domain.values.dtype.kind == "i" else 0.0


def reach_of(label: str, domain: Domain) -> Reach | None:
    """The smallest and the largest value of a label; None if its ends do not fit the column.

    Whole numbers and days end on the last one inside: `[20, 30)` reaches to 29 in a column of whole
    numbers, and to 30 in a column of fractions.

    >>> ages = Domain(Kind.NUMBER, np.arange(20, 40))
    >>> reach_of("[20, 30)", ages), reach_of("37", ages), reach_of("≥ 90", ages)
    ((20.0, 29.0), (37.0, 37.0), (90.0, inf))
    """
    return None if domain.kind is Kind.TEXT else bounds_reach(ends_of(label), domain)


def node_reach(label: str, domain: Domain) -> Reach | None:
    """As `reach_of`, for the label of a node, which may be a quarter or a span of nodes too.

    >>> births = Domain(Kind.DATE, np.array(["1965-03-01", "1967-12-24"], dtype="datetime64[D]"))
    >>> node_reach("1965-Q1", births) == reach_of("[1965-01, 1965-03]", births)
    True
    """
    quarter = read_quarter(label) if domain.kind is Kind.DATE else None
    if quarter is not None:
        return bounds_reach(quarter, domain)
    found = reach_of(label, domain)
    bounds = read_bounds(label) if found is None else None
    if bounds is None or bounds.low is None or bounds.high is None:
        return found
    low, high = node_reach(bounds.low, domain), node_reach(bounds.high, domain)
    return None if low is None or high is None else (low[0], high[1])


def bounds_reach(bounds: Bounds, domain: Domain) -> Reach | None:
    """The smallest and largest value between bounds; None if there is none, or they do not fit."""
    read = _date_place if domain.kind is Kind.DATE else _number_place
    low: float | None = -math.inf
    high: float | None = math.inf
    if bounds.low is not None:
        low = read(bounds.low, domain, bounds.low_inside, first=True)
    if bounds.high is not None:
        high = read(bounds.high, domain, bounds.high_inside, first=False)
    return None if low is None or high is None or low > high else (low, high)


def _number_place(text: str, domain: Domain, inside: bool, *, first: bool) -> float | None:
    """The least number (`first`) or else the largest within a bound; None if it is no number."""
    number = parse_number(text)
    if number is None:
        return None
    if not step_of(domain):
        return float(number)
    if first:
        return float(math.ceil(number) if inside else math.floor(number) + 1)
    return float(math.floor(number) if inside else math.ceil(number) - 1)


def _date_place(text: str, domain: Domain, inside: bool, *, first: bool) -> float | None:
    """The first moment (`first`) or else the last within a bound; None if it is no date."""
    date = parse_date(text)
    if date is None:
        return None
    if inside != first and np.datetime_data(date.dtype)[0] in LASTING:
        date = date + 1
    place = float(date.astype("datetime64[us]").astype(np.int64))
    return place if first else place - step_of(domain)
