"""Whether the first line of a delimited text names its columns, judged by evidence.

Each column adds a logarithm of odds: how much likelier its first cell is a name than one more cell.
Where the sum is near 0, nobody can know: a first line of texts above texts may be a person. Then
incrowd refuses the file and shows none of its names.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from enum import Enum
from itertools import groupby, pairwise

import numpy as np

from incrowd.errors import InputError
from incrowd.pii.words import TOPICS
from incrowd.table.column import Kind
from incrowd.table.names import words_of
from incrowd.table.parse import kind_of


class Header(Enum):
    """What the first line of a text holds."""

    NAMES = "names"
    DATA = "data"
    UNCLEAR = "unclear"


_NAMES, _DATA = 3.0, -2.0
"""The odds that decide: 20 to 1 for names, which are shown, 7 to 1 for data."""
_COLUMNS = 100
"""In a wider table only some of the columns count."""
_MOST = 4.0
"""No column counts more than this: one odd cell does not settle the table."""
_NEW_NAME = 0.98
"""How often the name of a column is none of its values."""
_WORDS = 0.9
"""How often a name is letters alone: `age`, `Age`, `AGE`, `Birth date`, `birth_date`."""
_FORM = 0.3
"""How often a name is written in one certain way of these."""
_CODED = 0.03
"""How often a name is written with digits or marks in the same way as a given cell."""
_MEMBERS = (
    "aids allergy alcohol appointment arrival cancer case civil client college company condition "
    "credit crime criminal customer dead death deceased degree department device disability "
    "discharge discharged disorder divorced doctor donor drug employee faith family fax handy "
    "hair hispanic hiv injury insured kids land language loan login mail major married mental "
    "mobile native number operation parity party patient pay person pregnancy pregnant price "
    "procedure religious respondent school sexual smoker smoking spouse station stay student "
    "surgery symptom telephone test title tumor union university user vaccine visit vote voted "
    "ward website work"
)
"""Words that are names of columns and common cells too: they say nothing."""
_MORE = (
    "date time year month day type status category class group code value total count rate unit "
    "kind level color colour description note notes comment source target label location site "
    "item product brand model version quantity size first last start end from to team role "
    "species score rank flag datum jahr monat tag typ wert anzahl art gruppe farbe bemerkung "
    "annee mois jour fecha ano mes dia tipo valor weight"
)
_KNOWN = {word for topic in TOPICS for word in topic.words | topic.hints} | {*_MORE.split()}
_TELLING = frozenset(_KNOWN - {*_MEMBERS.split()})
"""Words that tables use for columns and hardly for cells."""
_SNAKE = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+")
_NUMBERED = re.compile(r"([A-Za-z_.]+ ?)(\d{1,6})")


def judge(records: Sequence[Sequence[str]], expected: Collection[str] = ()) -> Header:
    """Judge whether the first record holds column names; `expected` are names that may be there.

    The line of a one-line file is taken for names: it has no records either way.
    """
    if len(records) < 2:
        return Header.NAMES
    names = [cell.strip() for cell in records[0]]
    score = _evidence_of_names(names)
    told = frozenset(expected)
    for j in _judged_places(names, told):
        below = [record[j].strip() for record in records[1:] if len(record) > j]
        score += _evidence_of_column(names[j], [cell for cell in below if cell], told)
    if _DATA < score < _NAMES:
        return Header.UNCLEAR
    return Header.NAMES if score > 0 else Header.DATA


def is_headed(records: Sequence[Sequence[str]], expected: Collection[str] = ()) -> bool:
    """Whether the first record names the columns; `InputError` if that is unclear."""
    found = judge(records, expected)
    if found is Header.UNCLEAR:
        raise InputError(
            "the first line may be column names or data, and incrowd cannot tell which",
            remedy="use --header if it names the columns, --no-header if it is data; tables other "
            "than FILE need a header",
        )
    return found is Header.NAMES


def _judged_places(names: Sequence[str], expected: frozenset[str]) -> list[int]:
    """The places of the columns to judge: about `_COLUMNS` of a wide table, and expected names."""
    step = max(1, len(names) // _COLUMNS)
    return [j for j, name in enumerate(names) if j % step == 0 or name in expected]


def _evidence_of_names(names: Sequence[str]) -> float:
    """The evidence of all names together: more if they are numbered, less for each repeated one."""
    there = [name for name in names if name]
    repeated = len(there) - len(set(there))
    return 3.5 * _is_numbered(there) - 0.5 * repeated


def _is_numbered(names: Sequence[str]) -> bool:
    """Whether names go on like a, b, c or q1, q2, q3, as numbered columns do."""
    if len(names) < 2:
        return False
    letters = [name.lower() for name in names]
    if all(len(letter) == 1 and letter.isalpha() for letter in letters):
        return all(ord(b) - ord(a) == 1 for a, b in pairwise(letters))
    parts = [_NUMBERED.fullmatch(name) for name in names]
    found = [(part[1], int(part[2])) for part in parts if part]
    steps = pairwise(found)
    return len(found) == len(names) and all(
        one[0] == other[0] and other[1] - one[1] == 1 for one, other in steps
    )


def _evidence_of_column(name: str, below: Sequence[str], expected: Collection[str]) -> float:
    """The log odds, by the cells `below` it, that a first cell is a name; 0 if it is empty."""
    if not name:
        return 0.0
    if not below:
        return _evidence_of_words(name, below, expected)
    kind = _kind_of_texts(below)
    if kind is not Kind.TEXT:
        return _MOST if _kind_of_texts([name]) is Kind.TEXT else -_MOST
    said = _evidence_of_form(name, below) + _evidence_of_words(name, below, expected)
    return max(-_MOST, min(_MOST, said))


def _evidence_of_form(name: str, below: Sequence[str]) -> float:
    """The log odds that `name` is a name, by how it is written and whether a cell below equals it.

    Among the cells that are written in the same way, the share that occurs once estimates how often
    one more cell is a new one (Good and Turing).
    """
    form = _form_of(name)
    forms = [_form_of(cell) for cell in below]
    alike = [cell for cell, other in zip(below, forms, strict=True) if other == form]
    if not alike:
        wordy = sum(map(_is_wordy, forms)) if _is_wordy(form) else len(below)
        return max(0.0, _log_odds(_WORDS, wordy, len(below)), _log_odds(_FORM, 0, len(below)))
    written = 0.0 if _is_wordy(form) else _log_odds(_CODED, len(alike), len(below))
    once = sum(times == 1 for times in Counter(alike).values())
    new = (once + 1) / (len(alike) + 1)
    if name in alike:
        return written + math.log((1 - _NEW_NAME) / max(1 - new, 0.2))
    return written + math.log(_NEW_NAME / new)


def _log_odds(usual: float, seen: int, cells: int) -> float:
    """The log of a feature's share of names (`usual`) over that of cells (`seen` of `cells`)."""
    return math.log(usual / ((seen + 0.5) / (cells + 1)))


def _evidence_of_words(name: str, below: Sequence[str], expected: Collection[str]) -> float:
    """The log odds of a name that is expected, of usual words, a_b or aB; 0 if a cell equals it."""
    if name in below:
        return 0.0
    if name in expected:
        return _MOST
    words = words_of(name)
    known = [word for word in words if word in _TELLING]
    joined = "".join(words) in _TELLING
    if words and len(words) <= 4 and (joined or len(known) * 2 >= len(words)):
        return 3.5
    if _SNAKE.fullmatch(name) and not any(map(_SNAKE.fullmatch, below)):
        return 2.0
    return 0.0


def _form_of(text: str) -> str:
    """How a text is written: each run of capitals, letters or digits as one.

    >>> _form_of("Zürich 8001"), _form_of("a.b@c.org"), _form_of("AGE"), _form_of("birth_date")
    ('Aa 9', 'a.a@a.a', 'A', 'a_a')
    """
    return "".join(kind for kind, _ in groupby(map(_kind_of_letter, text)))


def _kind_of_letter(letter: str) -> str:
    """The kind of a letter: 9 for digits, A or a for letters, else the letter itself."""
    if letter.isdigit():
        return "9"
    if letter.isalpha():
        return "A" if letter.isupper() else "a"
    return letter


def _is_wordy(form: str) -> bool:
    """Whether a form of `_form_of` has only letters, spaces, underscores and hyphens."""
    return not set(form) - set("Aa _-")


def _kind_of_texts(texts: Sequence[str]) -> Kind:
    """The kind of column that these texts would be."""
    return kind_of(np.array(texts, dtype=object))
