"""The words of column names."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import pairwise

from incrowd.errors import PolicyError

_SOME = 8
_MADE = re.compile(r"column_\d+")


def unique_names(names: Iterable[str]) -> tuple[str, ...]:
    """The column names, each once, in order; a single text is one name. `PolicyError` if not texts.

    >>> unique_names("age"), unique_names(name for name in ["age", "zip", "age"])
    (('age',), ('age', 'zip'))
    """
    if isinstance(names, str):
        return (names,)
    unique = tuple(dict.fromkeys(names)) if isinstance(names, Iterable) else (names,)
    if not all(isinstance(name, str) for name in unique):
        raise PolicyError(
            "column names must be text", remedy='write "age" or ["age", "zip"], for example'
        )
    return unique


def name_remedy(name: str, names: Sequence[str], *, listed: bool = False) -> str:
    """A remedy for a column name that does not exist: the nearest name, those there are, or "".

    It lists names only with `listed`, or if incrowd made them because there is no header: what
    looks like a header may be the first record of a table without one.

    >>> name_remedy("Age", ["age", "zip"]), name_remedy("x", ["age", "zip"])
    ("did you mean 'age'?", '')
    >>> name_remedy("x", ["age", "zip"], listed=True), name_remedy("x", ["column_1", "column_2"])
    ("it has 'age', 'zip'", "it has 'column_1', 'column_2'")
    """
    lower = {str(one).lower(): one for one in reversed(names)}
    near = get_close_matches(name.lower(), lower, 1)
    if near:
        return f"did you mean {lower[near[0]]!r}?"
    if not listed and not all(map(_MADE.fullmatch, map(str, names))):
        return ""
    more = ", …" if len(names) > _SOME else ""
    return f"it has {', '.join(map(repr, names[:_SOME]))}{more}"


def choose_columns(names: Sequence[str], columns: Iterable[str] | None) -> tuple[str, ...]:
    """The columns to look at, each once, by default all; `PolicyError` if unknown or none."""
    wanted = unique_names(names if columns is None else columns)
    for name in wanted:
        if name not in names:
            raise PolicyError(f"the table has no column {name!r}", remedy=name_remedy(name, names))
    if not wanted:
        raise PolicyError("no column is named", remedy="name at least one")
    return wanted


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name, in lower case without accents.

    >>> words_of("BirthDate_2"), words_of("código-postal")
    (('birth', 'date'), ('codigo', 'postal'))
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", plain)
    parted = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", parted)
    return tuple(re.findall(r"[a-z]+(?:\d+(?=[a-z]))?[a-z]*", parted.lower()))


def words_and_compounds(name: str) -> frozenset[str]:
    """All words that a name holds: its words, each two neighbours joined, and all joined.

    >>> sorted(words_and_compounds("date of birth"))
    ['birth', 'date', 'dateof', 'dateofbirth', 'of', 'ofbirth']
    """
    words = words_of(name)
    return frozenset((*words, *(a + b for a, b in pairwise(words)), "".join(words)))
