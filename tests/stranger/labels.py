"""What a label of a release may stand for, read as text.

`37`, `[20, 30)`, `[17, 25]`, `(-inf, 20)`, `[90, inf)`, `≥ 100000`, `< 1930`, `1965-03`, `1965-Q1`,
`1965-H2`, `1965`, `[1965, 1970]`, `0213*`, `{A, B}`, `{A, *others*}`, `["a, b", "c"]`, `*`. An
empty cell is missing.
"""

import calendar
import datetime as dt
import json
import re
from fractions import Fraction

MISSING = ""
TOP = "*"
OTHERS = "*others*"
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_DAY = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
_PART = re.compile(r"(\d{4})-?(Q[1-4]|H[12])")
_COMPARED = re.compile(r"(<=|>=|<|>|≤|≥) ?(.+)")


def number(text):
    """The number that a text is, None if it is none."""
    return Fraction(text) if _NUMBER.fullmatch(text) else None


def period(text):
    """The first day of a day, month, quarter, half-year or year, and the day after its last."""
    part = _PART.fullmatch(text)
    if part:
        year, months = int(part[1]), 3 if part[2][0] == "Q" else 6
        first = (int(part[2][1]) - 1) * months + 1
        return dt.date(year, first, 1), _after(year, first + months - 1)
    found = _DAY.fullmatch(text)
    if not found:
        return None
    year, month, day = (int(piece) if piece else None for piece in found.groups())
    if day:
        here = dt.date(year, month, day)
        return here, here + dt.timedelta(days=1)
    return dt.date(year, month or 1, 1), _after(year, month or 12)


def _after(year, month):
    last = dt.date(year, month, calendar.monthrange(year, month)[1])
    return last + dt.timedelta(days=1)


def place(text, kind):
    """A bound on its scale: where it begins, and where what comes after it begins."""
    if kind == "number":
        here = number(text)
        return None if here is None else (here, here)
    return period(text)


def ends(label):
    """(low, low inside, high, high inside) of an interval as texts, None if the label is none."""
    compared = _COMPARED.fullmatch(label)
    if compared:
        inside = compared[1] in {"<=", ">=", "≤", "≥"}
        below = compared[1][0] in "<≤"
        return (None, True, compared[2], inside) if below else (compared[2], inside, None, True)
    if label[:1] not in {"[", "("} or label[-1:] not in {"]", ")"}:
        return None
    if label.startswith('["'):
        low, high = json.loads(label)
        return low, True, high, True
    pieces = label[1:-1].split(", ")
    if len(pieces) != 2:
        return None
    low = None if pieces[0] == "-inf" else pieces[0]
    high = None if pieces[1] == "inf" else pieces[1]
    return low, label[0] == "[", high, label[-1] == "]"


def members(label):
    """The values that a set names, None if the label is no set."""
    if not (len(label) > 2 and label[0] == "{" and label[-1] == "}"):
        return None
    inside = label[1:-1].removesuffix(OTHERS).removesuffix(", ")
    if not inside:
        return []
    return json.loads(f"[{inside}]") if inside.startswith('"') else inside.split(", ")


def names(labels):
    """All that the labels of a column name."""
    every = ([label] if members(label) is None else members(label) for label in labels)
    return {name for found in every for name in found if name not in {TOP, MISSING}}


def same(one, other, kind):
    """Whether two texts are one value."""
    if kind == "number" and number(one) is not None and number(other) is not None:
        return number(one) == number(other)
    return one == other


def may_be(label, value, kind, named=()):
    """Whether a cell of the release may stand for a value; both as text, "" where missing.

    `named` is all that the labels of the column name.
    """
    if MISSING in (label, value):
        return label in (value, TOP)
    if label == TOP or same(label, value, kind):
        return True
    values = members(label)
    if values is not None:
        rest = label.endswith(f"{OTHERS}}}") and not any(may_be(n, value, kind) for n in named)
        return rest or any(may_be(one, value, kind) for one in values)
    if kind == "text":
        return label.endswith("*") and value.startswith(label.rstrip("*"))
    bounds = ends(label)
    if bounds is not None:
        return _between(bounds, value, kind)
    span = period(label) if kind == "date" else None
    return span is not None and span[0] <= period(value)[0] < span[1]


def _between(bounds, value, kind):
    low, low_inside, high, high_inside = bounds
    here = place(value, kind)[0]
    if low is not None:
        first, after = place(low, kind)
        if (here < first) if low_inside else (here <= first if kind == "number" else here < after):
            return False
    if high is None:
        return True
    first, after = place(high, kind)
    if kind == "number":
        return here <= first if high_inside else here < first
    return here < after if high_inside else here < first
