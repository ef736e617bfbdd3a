"""Ages and birth years as tables show them: numbers, groups, and open groups such as 90+."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, inf

from incrowd.hierarchy.labels import parse_number, read_any_bounds, read_bounds, read_set

OLDEST = 89
"""Ages above it may only be shown as 90 or older."""

_OPEN = re.compile(
    r"(?P<from>\d{1,4}) ?(?:\+|plus|(?:or|and) (?:older|over|more|above|later|up))"
    r"|(?:at least|from) ?(?P<least>\d{1,4})"
    r"|(?:over|above|older than|after) ?(?P<over>\d{1,4})"
    r"|(?P<to>\d{1,4}) (?:or|and) (?:earlier|before|younger|under|less)"
    r"|(?:at most|until|up to) ?(?P<most>\d{1,4})"
    r"|(?:under|below|before|younger than) ?(?P<under>\d{1,4})",
    re.IGNORECASE,
)
"""What people write in words; `hierarchy.labels` reads signs."""
_RANGE = re.compile(r"(\d{1,4}) ?to ?(\d{1,4})")
_UNIT = re.compile(
    r"(?<=[\d+]) ?-?(?:years?|yrs?|y|yo|y/o)(?:[- ](?:old|of age))?\.?", re.IGNORECASE
)
_IN_WORDS = re.compile(
    r".*\d\+?(?: ?(?:yo|y/o)| ?-?(?:years?|yrs?)[- ](?:old|of age))\.?", re.IGNORECASE
)
_DECADE = re.compile(r"(\d{3}0)'?s")
_YEAR = re.compile(r"\d{4}(?:-.*)?")


@dataclass(frozen=True)
class Range:
    """What a cell shows, from the lowest to the highest whole number that it may stand for."""

    low: float
    high: float


def shows_old_ages(labels: Iterable[str], per_year: float = 1) -> bool:
    """Whether an age over 89 can be told from one of these: 93, 90-94 or 95+, but not 90+.

    >>> shows_old_ages(["85-89", "90+"]), shows_old_ages(["90-94"]), shows_old_ages(["[85, inf)"])
    (False, True, False)
    """
    oldest = (OLDEST + 1) * per_year - 1
    return any(_beyond(shown, oldest) for label in labels for shown in ranges(label))


def shows_old_births(labels: Iterable[str], today: int) -> bool:
    """Whether a year tells an age over 89: birth in 1930 or in 1930-1939, but not before 1937.

    >>> shows_old_births(["(-inf, 1937)", "1937"], 2026), shows_old_births(["[1930, 1940)"], 2026)
    (False, True)
    """
    years = (shown for label in labels for shown in ranges(label) if is_years(shown))
    ages = (Range(today - shown.high, today - shown.low) for shown in years)
    return any(_beyond(age, OLDEST) for age in ages)


def _beyond(age: Range, oldest: float) -> bool:
    """Whether an age is told that is larger and not pooled with all others that are."""
    if age.high == inf:
        return age.low > oldest + 1
    return age.high > oldest


def is_years(shown: Range) -> bool:
    """Whether a range is one of calendar years: birth weights and birth orders are not."""
    ends = [end for end in (shown.low, shown.high) if abs(end) != inf]
    return bool(ends) and all(1800 <= end <= 2100 for end in ends)


def ranges(label: str) -> list[Range]:
    """The numbers that a cell may stand for; nothing if it holds none.

    >>> ranges("[85, 90)"), ranges("> 89"), ranges("before 1937"), ranges("elderly")
    ([Range(low=85, high=89)], [Range(low=90, high=inf)], [Range(low=-inf, high=1936)], [])
    """
    members = read_set(label)
    if members is not None:
        return [shown for one in members for shown in _range(one)]
    return _range(label)


def _range(label: str) -> list[Range]:
    bounds = read_any_bounds(label)
    if bounds is not None:
        low = _end(bounds.low, inside=bounds.low_inside, side=1)
        high = _end(bounds.high, inside=bounds.high_inside, side=-1)
        return [] if low is None or high is None else [Range(low, high)]
    if found := _RANGE.fullmatch(label):
        return [Range(int(found[1]), int(found[2]))]
    if found := _DECADE.fullmatch(label):
        return [Range(int(found[1]), int(found[1]) + 9)]
    if found := _OPEN.fullmatch(label):
        return [_open(found)]
    if (unit := _UNIT.search(label)) and unit.end() == len(label):
        return _range(label[: unit.start()])
    number = parse_number(label)
    return [] if number is None else [Range(floor(number), floor(number))]


def is_age_in_words(text: str) -> bool:
    """Whether a text says that it is an age, whatever its column is called.

    >>> is_age_in_words("93 years old"), is_age_in_words("5 years")
    (True, False)
    """
    return _IN_WORDS.fullmatch(text) is not None


def _end(text: str | None, *, inside: bool, side: int) -> float | None:
    """The whole number at an end of an interval: `side` says in which direction inside lies."""
    if text is None:
        return -side * inf
    inner = read_bounds(text)
    if inner is not None:
        if side > 0:
            return _end(inner.low, inside=inner.low_inside, side=side)
        return _end(inner.high, inside=inner.high_inside, side=side)
    number = parse_number(text[:4] if _YEAR.fullmatch(text) else text)
    if number is None:
        return None
    return floor(number) if inside or number != floor(number) else floor(number) + side


def _open(found: re.Match[str]) -> Range:
    (word, text), *_ = [(word, text) for word, text in found.groupdict().items() if text]
    number = int(text)
    if word in {"from", "least", "over"}:
        return Range(number + (word == "over"), inf)
    return Range(-inf, number - (word == "under"))
