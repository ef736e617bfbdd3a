"""What an analysis is about: `income ~ age + education`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from incrowd.errors import PolicyError
from incrowd.table.names import name_remedy

_TOKEN = re.compile(r"\s*(?:`(?P<quoted>[^`]+)`|(?P<sign>[~+])|(?P<name>[^\s~+`]+))")
_REMEDY = "write it as income~age+education; put names with blanks or signs between backticks"


@dataclass(frozen=True)
class Formula:
    """A column to be explained, and the columns that explain it."""

    target: str
    terms: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """All of its columns."""
        return (self.target, *self.terms)

    def __str__(self) -> str:
        """As it is written."""
        return f"{_quote(self.target)} ~ {' + '.join(map(_quote, self.terms))}"


def _quote(name: str) -> str:
    """A name as a formula writes it: in backticks unless it is a plain word."""
    plain = _TOKEN.fullmatch(name)
    return name if plain is not None and plain["name"] == name else f"`{name}`"


def parse_formula(text: str) -> Formula:
    """Read a formula; `PolicyError` says what is wrong.

    >>> str(parse_formula("income~age + `years of school`"))
    'income ~ age + `years of school`'
    """
    words = _split_words(text)
    if len(words) < 3 or words[1] != ("sign", "~") or len(words) % 2 == 0:
        raise PolicyError("the formula of an analysis has no target and terms", remedy=_REMEDY)
    signs = [word for word in words[3::2] if word != ("sign", "+")]
    names = [name for kind, name in words[::2] if kind == "name"]
    if signs or len(names) != len(words[::2]):
        raise PolicyError("the terms of a formula are joined by +", remedy=_REMEDY)
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise PolicyError(f"the formula names {twice[0]!r} twice", remedy="name each column once")
    return Formula(names[0], tuple(names[1:]))


def _split_words(text: str) -> list[tuple[str, str]]:
    """Split a formula into (sign or name, word) pairs; `PolicyError` if a backtick does not end."""
    words, at = [], 0
    text = text.rstrip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise PolicyError("the formula has a backtick that does not end", remedy=_REMEDY)
        kind = "sign" if found.lastgroup == "sign" else "name"
        words.append((kind, found[found.lastgroup or 0]))
        at = found.end()
    return words


def require_columns(formula: Formula, names: Iterable[str]) -> None:
    """Refuse a formula (`PolicyError`) that names a column the table lacks."""
    known = tuple(names)
    for name in formula.columns:
        if name not in known:
            raise PolicyError(
                f"the formula names {name!r}, which is not a column of the table",
                remedy=name_remedy(name, known) or "name columns of the table",
            )
