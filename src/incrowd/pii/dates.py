"""Identifier C: dates finer than a year, ages over 89, and birth years that tell such an age."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from math import floor, inf

import numpy as np

from incrowd.hierarchy.foreign_labels import read_any_bounds
from incrowd.hierarchy.labels import parse_number, read_bounds, read_set
from incrowd.pii.column_names import AGE, BIRTH, DATE, DATE_ELEMENTS, EVENT, NOT_WHEN
from incrowd.pii.profile import MOST, ColumnFinding, ColumnProfile, SafeHarborRules, looks_like
from incrowd.table.column import Kind

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
class NumberRange:
    """What a cell shows, from the lowest to the highest whole number that it may stand for."""

    low: float
    high: float


def shows_old_ages(labels: Iterable[str], per_year: float = 1) -> bool:
    """Whether an age over 89 can be told from one of these: 93, 90-94 or 95+, but not 90+.

    Ages are in units of which `per_year` make a year.

    >>> shows_old_ages(["85-89", "90+"]), shows_old_ages(["90-94"]), shows_old_ages(["[85, inf)"])
    (False, True, False)
    """
    oldest = (OLDEST + 1) * per_year - 1
    return any(_tells_old_age(shown, oldest) for label in labels for shown in ranges(label))


def shows_old_births(labels: Iterable[str], today: int) -> bool:
    """Whether a birth year tells an age over 89 in year `today`: 1930, 1930-1939, not before 1937.

    >>> shows_old_births(["(-inf, 1937)", "1937"], 2026), shows_old_births(["[1930, 1940)"], 2026)
    (False, True)
    """
    years = (shown for label in labels for shown in ranges(label) if is_years(shown))
    ages = (NumberRange(today - shown.high, today - shown.low) for shown in years)
    return any(_tells_old_age(age, OLDEST) for age in ages)


def _tells_old_age(age: NumberRange, oldest: float) -> bool:
    """Whether this shows an age over `oldest` that is not pooled with all older ones."""
    if age.high == inf:
        return age.low > oldest + 1
    return age.high > oldest


def is_years(shown: NumberRange) -> bool:
    """Whether the ends of a range are calendar years, 1800 to 2100; birth orders are not."""
    ends = [end for end in (shown.low, shown.high) if abs(end) != inf]
    return bool(ends) and all(1800 <= end <= 2100 for end in ends)


def ranges(label: str) -> list[NumberRange]:
    """The ranges of numbers that a cell may stand for; none if it holds no number.

    >>> ranges("[85, 90)"), ranges("> 89"), ranges("elderly")
    ([NumberRange(low=85, high=89)], [NumberRange(low=90, high=inf)], [])
    >>> ranges("before 1937")
    [NumberRange(low=-inf, high=1936)]
    """
    members = read_set(label)
    if members is not None:
        return [shown for one in members for shown in _ranges_of_label(one)]
    return _ranges_of_label(label)


def _ranges_of_label(label: str) -> list[NumberRange]:
    """The ranges of a label that is no set; see `ranges`."""
    bounds = read_any_bounds(label)
    if bounds is not None:
        low = _end_of_interval(bounds.low, inside=bounds.low_inside, side=1)
        high = _end_of_interval(bounds.high, inside=bounds.high_inside, side=-1)
        return [] if low is None or high is None else [NumberRange(low, high)]
    if found := _RANGE.fullmatch(label):
        return [NumberRange(int(found[1]), int(found[2]))]
    if found := _DECADE.fullmatch(label):
        return [NumberRange(int(found[1]), int(found[1]) + 9)]
    if found := _OPEN.fullmatch(label):
        return [_open_range(found)]
    if (unit := _UNIT.search(label)) and unit.end() == len(label):
        return _ranges_of_label(label[: unit.start()])
    number = parse_number(label)
    return [] if number is None else [NumberRange(floor(number), floor(number))]


def is_age_in_words(text: str) -> bool:
    """Whether a text says that it is an age, whatever its column is called.

    >>> is_age_in_words("93 years old"), is_age_in_words("5 years")
    (True, False)
    """
    return _IN_WORDS.fullmatch(text) is not None


def _end_of_interval(text: str | None, *, inside: bool, side: int) -> float | None:
    """The lowest (`side` 1) or highest (-1) whole number that an interval with this end stands for.

    Fractions count as the number below them. Infinite without an end (`text` None); None if the end
    is no number. An end may itself be an interval.
    """
    if text is None:
        return -side * inf
    inner = read_bounds(text)
    if inner is not None:
        if side > 0:
            return _end_of_interval(inner.low, inside=inner.low_inside, side=side)
        return _end_of_interval(inner.high, inside=inner.high_inside, side=side)
    number = parse_number(text[:4] if _YEAR.fullmatch(text) else text)
    if number is None:
        return None
    return floor(number) if inside or number != floor(number) else floor(number) + side


def _open_range(found: re.Match[str]) -> NumberRange:
    """The range of a label such as `90+` or `before 1937`, which `_OPEN` has matched."""
    (word, text), *_ = [(word, text) for word, text in found.groupdict().items() if text]
    number = int(text)
    if word in {"from", "least", "over"}:
        return NumberRange(number + (word == "over"), inf)
    return NumberRange(-inf, number - (word == "under"))


_FIRST, _LAST = 1800, 2100
_ENOUGH = 10
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*\.?"
_MONTHS = re.compile(
    "jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?"
    "|nov(ember)?|dec(ember)?",
    re.IGNORECASE,
)
_ISO = re.compile(r"(?<![\d.-])(?:18|19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)")
_THREE = re.compile(r"([-/.])\d{1,2}\1\d").search
_NUMERIC = re.compile(r"(?<![\d./-])(\d{1,4})([/.-])(\d{1,2})\2(\d{4}|\d{1,2})(?![\d/-])(?!\.\d)")
_NAMED = re.compile(
    rf"\d{{1,2}}(?:st|nd|rd|th)?[ -]{_MONTH},?(?:[ -]'?\d{{2,4}})?"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|{_MONTH}[ -]'?\d{{2,4}}",
    re.IGNORECASE,
)
_YEAR_MONTH = re.compile(
    r"(?:18|19|20)\d\d-(?:0[1-9]|1[0-2]|w[0-5]\d)|(?:18|19|20)\d\d[- ]?q[1-4]"
    r"|q[1-4][- ]?(?:18|19|20)\d\d|(?:0?[1-9]|1[0-2])[/.-](?:18|19|20)\d\d",
    re.IGNORECASE,
)
_SPOKEN_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|march|april|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_SPOKEN = re.compile(
    rf"\b{_SPOKEN_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}}(?:st|nd|rd|th)? {_SPOKEN_MONTH}"
    rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? (?:18|19|20)\d\d\b"
    rf"|\b\d{{1,2}}[ -]?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[ -]?(?:18|19|20)\d\d\b",
    re.IGNORECASE,
)
_DAY_OF_YEAR = re.compile(r"(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])")
_MANY = 60
"""So many different months with days are no fractions."""
_MOMENTS = (946_684_800, 4_102_444_800)
"""The first seconds of 2000 and of 2100, counted as computers do."""
_COMPACT = re.compile(
    r"(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])?(?:[0-5]\d){0,2}"
)


def dates_and_ages(profile: ColumnProfile, rules: SafeHarborRules) -> ColumnFinding | None:
    """The finding that a column tells more of dates than years, or ages over 89; None if not."""
    if profile.is_flag or profile.is_empty:
        return None
    clauses = [_finer_reason(profile), _age_reason(profile), _birth_reason(profile, rules.today)]
    reasons = [reason for reason in clauses if reason]
    return profile.finding("; ".join(reasons)) if reasons else None


def names_dates(profile: ColumnProfile) -> bool:
    """Whether the name of a column says that it holds dates."""
    return bool(profile.words_and_compounds & DATE) and not profile.is_about


def names_birth(profile: ColumnProfile) -> bool:
    """Whether the name of a column says that it tells when people were born."""
    return bool(profile.words_and_compounds & BIRTH) and not (
        profile.is_about or profile.words & NOT_WHEN
    )


def _finer_reason(profile: ColumnProfile) -> str | None:
    """Why a column tells more of dates than years, in words; None if it does not."""
    if profile.kind is Kind.DATE:
        return None if _are_years(profile) else "holds dates finer than a year"
    if element := _element_of_name(profile):
        return f"its name suggests the {element} of an event"
    if profile.kind is Kind.NUMBER:
        return _finer_reason_of_numbers(profile)
    return _finer_reason_of_texts(profile)


def _are_years(profile: ColumnProfile) -> bool:
    """Whether all of three or more dates are the first of January, as years are often stored."""
    values = profile.domain.values
    years = values.astype("datetime64[Y]")
    return len(years) >= 3 and bool((years.astype(values.dtype) == values).all())


def _element_of_name(profile: ColumnProfile) -> str | None:
    """The element of a date that a column's name says and its values can be; or None."""
    for element, largest in DATE_ELEMENTS.items():
        if element not in profile.words_and_compounds or profile.is_about:
            continue
        alone = profile.words <= {element, "of", "the", "year"} and element != "day"
        if (alone or profile.words_and_compounds & EVENT) and _are_values_within(
            profile, 1, largest
        ):
            return element
    return None


def _are_values_within(profile: ColumnProfile, first: int, last: int) -> bool:
    """Whether values can be numbers `first` to `last` of a date's element; of texts, most."""
    if profile.kind is Kind.TEXT:
        return profile.share(lambda text: _is_element(text, first, last)) >= MOST
    numbers = profile.domain.positions
    return profile.is_whole and bool(((numbers >= first) & (numbers <= last)).all())


def _is_element(text: str, first: int, last: int) -> bool:
    """Whether a text names a month or weekday, or is a number `first` to `last`, as 03 and Q3."""
    number = text[1:] if text[:1] in {"q", "Q"} else text
    if number.isdecimal() and len(number) <= len(str(last)):
        return first <= int(number) <= last
    return _MONTHS.fullmatch(text) is not None or text[:3].casefold() in _WEEKDAYS


_WEEKDAYS = frozenset(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))


def _finer_reason_of_numbers(profile: ColumnProfile) -> str | None:
    """Why numbers tell more than a year: whole as 20240131 or seconds, or by name; or None."""
    if not profile.is_whole:
        return _NAMED_SO if _names_dates_not_years(profile) else None
    compact = profile.share(_is_compact_day)
    if compact >= MOST and (len(profile.texts) >= _ENOUGH or names_dates(profile)):
        return looks_like(compact, "dates")
    if _are_moments(profile):
        return "the values look like times, counted in seconds"
    return _NAMED_SO if _names_dates_not_years(profile) else None


def _are_moments(profile: ColumnProfile) -> bool:
    """Whether ten or more numbers are (milli)seconds since 1970, of the years 2000 to 2034."""
    numbers = profile.domain.positions
    if len(numbers) < _ENOUGH:
        return False
    low, high = _MOMENTS
    return any(((numbers >= low * n) & (numbers < high // 2 * n)).all() for n in (1, 1000))


def _names_dates_not_years(profile: ColumnProfile) -> bool:
    """Whether the name says dates, and some of the numbers are no years."""
    numbers = profile.domain.positions
    years = (numbers >= _FIRST) & (numbers <= _LAST)
    return names_dates(profile) and not (profile.is_whole and years.all())


def _finer_reason_of_texts(profile: ColumnProfile) -> str | None:
    """Why texts tell more than a year: by what they look like or by name; None if not."""
    strong = profile.share(_holds_clear_date, _may_hold_clear_date)
    if strong:
        return looks_like(strong, "dates")
    if profile.share(_MONTHS.fullmatch) >= MOST:
        return "the values look like months"
    many = _ENOUGH if profile.words_and_compounds & EVENT else _MANY
    if len(profile.texts) >= many and profile.share(_DAY_OF_YEAR.fullmatch) >= MOST:
        return "the values look like days of a year"
    weak = profile.share(lambda text: _is_unclear_date(text, named=names_dates(profile)))
    if weak >= MOST:
        return looks_like(weak, "dates finer than a year")
    return _NAMED_SO if names_dates(profile) and profile.share(_is_no_year) >= _HALF else None


_NAMED_SO = "its name suggests dates, and not all values are years"
_HALF = 0.5


def _is_no_year(text: str) -> bool:
    """Whether a text has digits that stand neither for a year nor for a range of years."""
    if not any(letter.isdigit() for letter in text):
        return False
    shown = ranges(text)
    return not shown or not all(map(is_years, shown))


def _holds_clear_date(text: str) -> bool:
    """Whether a text holds a clear date, as 2024-01-31, 1/31/2024, 31.1.2024 or January 31."""
    if _ISO.search(text) is not None or _SPOKEN.search(text) is not None:
        return True
    return any(_is_day(found) for found in _NUMERIC.finditer(text))


def _may_hold_clear_date(joined: str) -> bool:
    """Whether some of many joined texts may hold a clear date: a quick look."""
    return _THREE(joined) is not None or _SPOKEN.search(joined) is not None


def _is_day(found: re.Match[str]) -> bool:
    """Whether three numbers are a day of the calendar with a year of four digits."""
    first, _, second, third = found.groups()
    if len(first) == 4 and len(third) <= 2:
        return _is_calendar_day(int(first), int(second), int(third))
    if len(first) > 2 or len(third) != 4:
        return False
    year = int(third)
    return _is_calendar_day(year, int(first), int(second)) or _is_calendar_day(
        year, int(second), int(first)
    )


def _is_calendar_day(year: int, month: int, day: int) -> bool:
    """Whether there is such a day, in a year from 1800 to 2100."""
    if not _FIRST <= year <= _LAST:
        return False
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _is_unclear_date(text: str, *, named: bool) -> bool:
    """Whether a text is a date that could be something else: 1/31/24, Jan 2024, 2024-01.

    Where the column's name says dates (`named`), 31.1.24 is one, too.
    """
    if any(pattern.fullmatch(text) for pattern in (_NAMED, _YEAR_MONTH)) or _is_compact_day(text):
        return True
    found = _NUMERIC.fullmatch(text)
    if found is None or max(len(found[1]), len(found[4])) > 2:
        return False
    if not (named or found[2] == "/" or (found[2] == "-" and len(text) == len("01-31-24"))):
        return False
    month, day = sorted((int(found[1]), int(found[3])))
    return _is_calendar_day(2000, month, day)


def _is_compact_day(text: str) -> bool:
    """Whether a text is a day written as 20240131, with a time or without."""
    if _COMPACT.fullmatch(text) is None:
        return False
    return _is_calendar_day(int(text[:4]), int(text[4:6]), int(text[6:8]))


def _age_reason(profile: ColumnProfile) -> str | None:
    """Why a column of ages tells ages over 89, in words; None if it does not."""
    if profile.kind is Kind.DATE or not (
        profile.words_and_compounds & AGE or profile.share(is_age_in_words) >= MOST
    ):
        return None
    shown = shows_old_ages(profile.texts, _units_per_year(profile))
    return "shows ages over 89 that are not pooled as 90 or older" if shown else None


def _units_per_year(profile: ColumnProfile) -> float:
    """The number of the column's units in a year of age: 12 for months; 1 for years."""
    long = profile.kind is Kind.NUMBER and profile.domain.positions.max() > _EVER
    for unit, number in _PER_YEAR.items():
        if f"{unit}s" in profile.words or (long and f"age{unit}" in profile.words_and_compounds):
            return number
    return 1


_PER_YEAR = {"month": 12, "week": 52.18, "day": 365.25}
_EVER = 130
"""Years that nobody reaches."""


def _birth_reason(profile: ColumnProfile, today: int) -> str | None:
    """Why a column of births tells ages over 89, in words; None if it does not."""
    if not names_birth(profile):
        return None
    labels = profile.texts
    if profile.kind is Kind.DATE:
        years = profile.domain.values.astype("datetime64[Y]").astype(np.int64) + 1970
        labels = [str(year) for year in np.unique(years).tolist()]
    shown = shows_old_births(labels, today)
    return "shows birth years that tell ages over 89" if shown else None
