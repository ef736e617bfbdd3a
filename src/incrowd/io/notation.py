"""How numbers and dates are written in a text: a decimal comma, thousands, the order of a date.

A column is rewritten as incrowd reads it everywhere, 1234.50 and 2024-12-31, if all its values are
written in one way and that way can be told from them. 1,234 may be 1234 or 1.234, and 03/04/2024
may be in March or in April: such a column stays text, and a note says how to decide. Columns that
are kept stay as they are written (docs/decisions/0024).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import polars as pl

from incrowd.errors import InputError, PolicyError, boundary, count_of
from incrowd.io.notes import Note
from incrowd.table.parse import MARKS

_GLANCE = 100
"""Values at the top of a column that are looked at before all of them."""
_DECIMALS = (",", ".")
_THOUSANDS = (".", ",", " ", "'", "_", "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}")
_SLASHED = r"^\d{1,2}([/-])\d{1,2}([/-])\d{4}$"
_DAY, _MONTH, _YEAR = "%d", "%m", "%Y"
_NAMED = 3
"""So many columns are named in a note."""


@dataclass(frozen=True)
class NumberNotation:
    """The marks of a number: 1.234,5 has a decimal comma, and points between thousands."""

    decimal: str
    thousands: str = ""

    @cached_property
    def pattern(self) -> str:
        """A pattern for numbers written this way; a leading zero makes a code, and no number."""
        whole = r"(0|[1-9]\d*)"
        if self.thousands:
            whole = rf"({whole}|[1-9]\d{{0,2}}({re.escape(self.thousands)}\d{{3}})+)"
        return rf"^[+-]?{whole}({re.escape(self.decimal)}\d+)?$"

    @cached_property
    def unmistakable(self) -> str:
        """A pattern for numbers, among those of `pattern`, that can be read in this way only."""
        mark, other = re.escape(self.decimal), re.escape(self.thousands or self.decimal)
        tails = rf"{mark}(\d{{1,2}}|\d{{4,}})$|^[+-]?0{mark}\d+$"
        return rf"{tails}|{other}\d{{3}}({mark}\d+|{other}\d{{3}})" if self.thousands else tails

    def flag_fitting(self, texts: pl.Series) -> pl.Series:
        """Flags for the texts that are numbers written this way."""
        return texts.str.contains(self.pattern)

    def to_plain_texts(self, texts: pl.Series) -> pl.Series:
        """The numbers as texts with a decimal point and no other mark."""
        if self.thousands:
            texts = texts.str.replace_all(self.thousands, "", literal=True)
        return texts.str.replace(self.decimal, ".", literal=True)

    def to_values(self, texts: pl.Series) -> pl.Series:
        """The numbers as floats; all texts must fit."""
        return self.to_plain_texts(texts).cast(pl.Float64)


@dataclass(frozen=True)
class DateNotation:
    """The format of a date, as `strftime` writes it."""

    format: str

    @property
    def dtype(self) -> pl.Date | pl.Datetime:
        """The type of the dates: days, or moments if the format has a time of day."""
        timed = any(part in self.format for part in ("%H", "%I", "%T", "%R", "%S"))
        return pl.Datetime("us") if timed else pl.Date()

    def flag_fitting(self, texts: pl.Series) -> pl.Series:
        """Flags for the texts that are dates written this way."""
        return self.to_values(texts).is_not_null()

    def to_plain_texts(self, texts: pl.Series) -> pl.Series:
        """The dates as texts such as 2024-12-31, with times 2024-12-31 23:59:59."""
        moments = isinstance(self.dtype, pl.Datetime)
        return self.to_values(texts).dt.strftime("%Y-%m-%d %H:%M:%S" if moments else "%Y-%m-%d")

    def to_values(self, texts: pl.Series) -> pl.Series:
        """The dates or moments, null where a text is none; `PolicyError` for a faulty format."""
        with boundary(
            PolicyError(f"{self.format!r} is not a date format", remedy="write it like %d/%m/%Y")
        ):
            return texts.str.strptime(self.dtype, self.format, strict=False)


Notation: TypeAlias = NumberNotation | DateNotation


@dataclass(frozen=True)
class NotationRequest:
    """How numbers and dates are written, if known; `PolicyError` for faulty marks and formats."""

    decimal: str | None = None
    thousands: str | None = None
    date_formats: str | Mapping[str, str] = field(default_factory=dict)
    """The format of all dates, or by column."""
    kept: tuple[str, ...] = ()
    """Columns that stay as they are written."""
    only: tuple[str, ...] | None = None
    """The columns to look at; None for all."""

    def __post_init__(self) -> None:
        if self.decimal is not None and self.decimal not in _DECIMALS:
            raise PolicyError("the decimal mark is a comma or a point", remedy="write --decimal ,")
        if self.thousands is not None and self.thousands not in _THOUSANDS:
            raise PolicyError(
                "numbers cannot have this mark between thousands",
                remedy="use a point, a comma, a space, an apostrophe or an underscore",
            )
        if self.thousands is not None and self.thousands == self.decimal:
            raise PolicyError(
                "the decimal mark and the mark between thousands are the same",
                remedy="give two different marks",
            )
        for form in self._formats.values():
            DateNotation(form).to_values(pl.Series(["2024-12-31"]))

    @property
    def _formats(self) -> Mapping[str, str]:
        """The date formats that are given, by column; that of all columns under an empty name."""
        given = self.date_formats
        return {"": given} if isinstance(given, str) else given

    @property
    def has_number_marks(self) -> bool:
        """Whether the decimal mark or the mark between thousands is given."""
        return self.decimal is not None or self.thousands is not None

    @property
    def explicit(self) -> bool:
        """Whether any mark or format is given."""
        return bool(self.decimal or self.thousands or self.date_formats)

    def looks_at(self, name: str) -> bool:
        """Whether the values of a column may be rewritten."""
        return name not in self.kept and (self.only is None or name in self.only)

    def refuse_unknown(self, names: Sequence[str]) -> None:
        """Raise `PolicyError` if a date format is for a column that is not among these names."""
        for name in self._formats:
            if name and name not in names:
                raise PolicyError(
                    f"there is no column {name!r} for a date format", remedy="name a column"
                )

    def format_of(self, name: str) -> str | None:
        """The date format given for this column alone, not for all; None if there is none."""
        return self._formats.get(name)

    def number_notations(self, delimiter: str) -> Iterator[NumberNotation]:
        """The ways in which numbers may be written in a text with this delimiter, in turn."""
        decimal, thousands = self.decimal, self.thousands
        if decimal is not None or thousands is not None:
            decimal = decimal or ("," if thousands == "." else ".")
            yield NumberNotation(decimal, thousands or ("," if decimal == "." else "."))
            return
        if delimiter != ",":
            yield NumberNotation(",", ".")
        yield NumberNotation(".", ",")

    def date_notations(self) -> Iterator[DateNotation]:
        """The format that is given for all dates, if any: one notation or none."""
        if "" in self._formats:
            yield DateNotation(self._formats[""])


@dataclass(frozen=True)
class FoundNotations:
    """How the columns of a table are written, as far as that is not as incrowd reads it."""

    columns: Mapping[str, Notation]
    undecided: Mapping[str, str]
    """By column that can be read in two ways: the option that decides."""

    def rewrite(self, frame: pl.DataFrame, *, text: bool = True) -> pl.DataFrame:
        """The table, these columns as plain `text` or as values; `InputError` for an unfit cell."""
        made = [_rewrite_column(frame[name], how, text=text) for name, how in self.columns.items()]
        return frame.with_columns(made) if made else frame

    def notes(self) -> Iterator[Note]:
        """Notes on columns that are rewritten, and on those that stay text as no option decides."""
        for title, words, names in (
            ("decimal_comma", "numbers with a decimal comma", self._columns_with_mark(",")),
            ("thousands", "numbers with marks between thousands", self._columns_with_mark(".")),
            ("dates", "dates", self._date_columns()),
        ):
            if names:
                yield Note(title, len(names), f"read as {words}: {_list_names(names)}")
        for option in dict.fromkeys(self.undecided.values()):
            names = [name for name, other in self.undecided.items() if other == option]
            what = "dates" if "date" in option else "numbers"
            words = (
                f"{what} that can be read in two ways stay text: {_list_names(names)}; "
                f"say how they are written, such as {option.replace('{}', names[0])}"
            )
            yield Note(f"undecided_{what}", len(names), words)

    def _columns_with_mark(self, decimal: str) -> list[str]:
        """The columns of numbers with this decimal mark."""
        found = self.columns.items()
        return [n for n, how in found if isinstance(how, NumberNotation) and how.decimal == decimal]

    def _date_columns(self) -> list[str]:
        """The columns of dates, each with its format in brackets."""
        found = self.columns.items()
        return [f"{n} ({how.format})" for n, how in found if isinstance(how, DateNotation)]


def _list_names(names: Sequence[str]) -> str:
    """The first of these names as a list, and how many more there are."""
    more = len(names) - _NAMED
    listed = ", ".join(names[:_NAMED])
    return f"{listed} and {more:,} more" if more > 0 else listed


def find_notations(
    frame: pl.DataFrame, request: NotationRequest, delimiter: str = "", *, text: bool = True
) -> FoundNotations:
    """Find how numbers and dates in columns of texts are written.

    Without `text` (no text file) only as the request says; `PolicyError` for an unknown column.
    """
    request.refuse_unknown(frame.columns)
    columns: dict[str, Notation] = {}
    undecided: dict[str, str] = {}
    for series in frame.iter_columns():
        if series.dtype != pl.String or not request.looks_at(series.name):
            continue
        if not text and not request.explicit:
            continue
        decided = _notation_of(series, request, delimiter, text=text)
        if isinstance(decided, str):
            undecided[series.name] = decided
        elif decided is not None:
            columns[series.name] = decided
    return FoundNotations(columns, undecided)


def may_be_rewritten(records: Sequence[Sequence[str]], request: NotationRequest | None) -> bool:
    """Whether cells below the first record may be in another notation; False without a request."""
    if request is None or len(records) < 2:
        return False
    if request.explicit:
        return True
    numbers = [re.compile(how.pattern) for how in (NumberNotation(",", "."),)]
    patterns = (*numbers, re.compile(_SLASHED), re.compile(NumberNotation(".", ",").pattern))
    cells = (cell.strip() for record in records[1:] for cell in record)
    return any(
        ("," in cell or "/" in cell or "-" in cell[1:]) and any(p.search(cell) for p in patterns)
        for cell in cells
    )


def _notation_of(
    series: pl.Series, request: NotationRequest, delimiter: str, *, text: bool
) -> Notation | str | None:
    """How a column is written, or (`str`) the option that would decide; None: it stays as it is."""
    form = request.format_of(series.name)
    if form:
        return DateNotation(form)
    series = series.alias("")  # Polars takes a name such as ^a$ for a pattern
    top = _present_texts(series.head(_GLANCE))
    ways = [*request.date_notations()] if _all_contain(top, r"\d") else []
    if text and not isinstance(request.date_formats, str) and _all_contain(top, _SLASHED):
        return _date_notation(_present_texts(series))
    numbers = [how for how in request.number_notations(delimiter) if how.flag_fitting(top).all()]
    marked = numbers and (request.has_number_marks or series.str.contains(",", literal=True).any())
    every = _present_texts(series) if ways or marked else top
    for way in ways:
        if len(every) and way.flag_fitting(every).all():
            return way
    found = (
        _number_notation(every, how, said=request.has_number_marks) for how in numbers if marked
    )
    return next((one for one in found if one is not None), None)


def _all_contain(top: pl.Series, pattern: str) -> bool:
    """Whether the pattern is found in each text; true if there are none."""
    return bool(top.str.contains(pattern).all())


def _present_texts(series: pl.Series) -> pl.Series:
    """Stripped texts, without empty ones and marks of missing; unique if more than `_GLANCE`."""
    texts = series.drop_nulls()
    if len(texts) > _GLANCE:
        texts = texts.unique()
    texts = texts.str.strip_chars()
    return texts.filter((texts != "") & ~texts.is_in(list(MARKS)))


def _number_notation(
    texts: pl.Series, how: NumberNotation, *, said: bool
) -> NumberNotation | str | None:
    """This way of writing numbers, if all texts fit it and one has its marks; None if not.

    If no text rules out another way, the option that would decide, as text. With `said` the user
    gave the marks, so that nothing is left to decide.
    """
    marks = [mark for mark in (how.decimal, how.thousands) if mark not in {"", "."}]
    if said and how.thousands == ".":
        marks.append(".")
    if not how.flag_fitting(texts).all():
        return None
    if not any(texts.str.contains(mark, literal=True).any() for mark in marks):
        return None
    if said or texts.str.contains(how.unmistakable).any():
        return how
    return "--decimal , or --thousands ,"


def _date_notation(texts: pl.Series) -> DateNotation | str | None:
    """How dates with slashes or dashes are written; a part above 12 tells which is the day.

    None if these are not such dates; if no part tells, the option that would decide, as text.
    """
    if not len(texts) or not texts.str.contains(_SLASHED).all():
        return None
    parts = texts.str.extract_groups(r"^(?P<a>\d+)(?P<s>[/-])(?P<b>\d+)(?P<t>[/-])").struct
    first, second = (parts.field(name).cast(pl.Int64) for name in ("a", "b"))
    marks = {*parts.field("s").unique(), *parts.field("t").unique()}
    day_first, month_first = bool((first > 12).any()), bool((second > 12).any())
    if len(marks) > 1 or (day_first and month_first):
        return None
    if not day_first and not month_first:
        return "--date-format {}=%d/%m/%Y or {}=%m/%d/%Y".replace("/", marks.pop())
    mark = marks.pop()
    order = (_DAY, _MONTH, _YEAR) if day_first else (_MONTH, _DAY, _YEAR)
    how = DateNotation(mark.join(order))
    return how if how.flag_fitting(texts).all() else None


def _rewrite_column(series: pl.Series, how: Notation, *, text: bool) -> pl.Series:
    """The column as plain `text` (blanks, missing marks stay) or values; `InputError` if unfit."""
    name, series = series.name, series.alias("")  # as above
    texts = series.str.strip_chars()
    beside = (texts.is_null() | (texts == "") | texts.is_in(list(MARKS))).fill_null(value=True)
    fits = how.flag_fitting(texts).fill_null(value=False)
    _refuse_unfit(~fits & ~beside, name, how)
    values = texts.set(~fits, None)
    if not text:
        return how.to_values(values).alias(name)
    return how.to_plain_texts(values).zip_with(fits, series).alias(name)


def _refuse_unfit(unfit: pl.Series, name: str, how: Notation) -> None:
    """Raise `InputError` if some values of the column are flagged as not written this way."""
    if not unfit.any():
        return
    place = int(unfit.arg_true()[0]) + 1
    if isinstance(how, DateNotation):
        what, remedy = f"not dates in the format {how.format}", "correct them, or the format"
    else:
        what, remedy = "not numbers as those above are", "say how numbers are written: --decimal ."
    values = count_of(int(unfit.sum()), "value that is", "values that are")
    raise InputError(
        f"the column {name!r} holds {values} {what} (first at row {place:,})",
        remedy=remedy,
    )


def parse_date_formats(texts: Iterable[str]) -> str | dict[str, str]:
    """Date formats from an option: one for all dates, or COLUMN=FORMAT for each column.

    If both are given, the one for all has an empty name. `PolicyError` for another form, or two
    formats for one column.

    >>> parse_date_formats(["%d/%m/%Y"]), parse_date_formats(["birth=%d/%m/%Y", "visit=%Y%m%d"])
    ('%d/%m/%Y', {'birth': '%d/%m/%Y', 'visit': '%Y%m%d'})
    """
    found: dict[str, str] = {}
    for text in texts:
        name, _, form = text.rpartition("=")
        if "%" not in form or found.setdefault(name, form) != form:
            raise PolicyError(
                "--date-format takes a format once for all dates, or COLUMN=FORMAT",
                remedy="write, for example, --date-format birth=%d/%m/%Y",
            )
    return found[""] if list(found) == [""] else found
