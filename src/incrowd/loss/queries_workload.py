"""A workload of counting queries, as a text with one query per line.

    query     = "COUNT" [ "WHERE" condition { "AND" condition } ] [ "GROUP" "BY" name { "," name } ]
    condition = name "BETWEEN" value "AND" value
              | name ( "=" | "<" | "<=" | ">" | ">=" ) value
              | name "IN" "(" value { "," value } ")"
              | name "IS" "MISSING"
    name      = letter or "_", then letters, digits, "_", "." or "-"; or anything in double quotes
    value     = a number; or anything in single quotes
    comment   = "#" up to the end of the line

Words of the grammar may be in any case. Two quotes inside quotes stand for one. Errors say line and
place and never repeat a value.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias

from incrowd.errors import InputError

Relation: TypeAlias = Literal["between", "=", "<", "<=", ">", ">=", "in", "missing"]

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r]+|\#.*)
      | (?P<text>'(?:[^']|'')*')
      | (?P<quoted>"(?:[^"]|"")+")
      | (?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]))
      | (?P<word>[^\W\d][\w.-]*)
      | (?P<sign><=|>=|[=<>(),])""",
    re.VERBOSE,
)
_WORDS = ("COUNT", "WHERE", "AND", "GROUP", "BY", "BETWEEN", "IN", "IS", "MISSING")


@dataclass(frozen=True)
class Condition:
    """What a column of the counted records must hold."""

    column: str
    relation: Relation
    values: tuple[float | str, ...]
    """One, two for `between`, any number for `in`, none for `missing`."""
    place: int
    """Where in its line it stands, the first character being 1."""

    def __repr__(self) -> str:
        """Without values."""
        return f"Condition({self.column!r}, {self.relation!r}, {len(self.values)} values)"


@dataclass(frozen=True)
class Query:
    """A count of the records that hold something, by some columns."""

    where: tuple[Condition, ...]
    group_by: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class Workload:
    """The queries that somebody will ask of a release."""

    queries: tuple[Query, ...]
    source: str = "workload"
    """Its name in errors."""


def parse(text: str, source: str = "workload") -> Workload:
    """The queries of a text; `InputError` at the first line that is none, or if all are blank.

    >>> parse("COUNT WHERE age BETWEEN 20 AND 30 AND sex = 'F' GROUP BY zip").queries[0].group_by
    ('zip',)
    """
    lines = enumerate(text.removeprefix("\ufeff").split("\n"), start=1)
    readers = (_QueryLine(source, number, line) for number, line in lines)
    queries = tuple(reader.read_query() for reader in readers if reader.left)
    if not queries:
        raise InputError(
            f"{source} holds no query", remedy="write one per line, such as COUNT GROUP BY sex"
        )
    return Workload(queries, source)


@dataclass(frozen=True)
class _Token:
    """A word, name, number, text or sign of a line, and where it begins."""

    kind: str
    text: str
    place: int

    @property
    def word(self) -> str:
        """The keyword that the token is, in capitals; empty if it is none."""
        upper = self.text.upper()
        return upper if self.kind == "word" and upper in _WORDS else ""


class _QueryLine:
    """One line, read from left to right; whatever is out of place raises `InputError`."""

    def __init__(self, source: str, number: int, line: str) -> None:
        self.where = f"{source}, line {number}"
        self.number = number
        self.end = len(line) + 1
        self.left = list(self._tokens(line))[::-1]

    def _tokens(self, line: str) -> Iterator[_Token]:
        """Yield the tokens of a line without blanks; `InputError` at what is none."""
        at = 0
        while at < len(line):
            found = _TOKEN.match(line, at)
            if found is None:
                what = "a quote that does not end" if line[at] in "'\"" else "no part of a query"
                self._fail(f"here is {what}", at + 1)
            if found.lastgroup and found.lastgroup != "blank":
                yield _Token(found.lastgroup, found[0], at + 1)
            at = found.end()

    def read_query(self) -> Query:
        """Read the line as a query; `InputError` at the first token that is out of place."""
        self._take("COUNT")
        where: list[Condition] = []
        if self._take_if_next("WHERE"):
            where.append(self._read_condition())
            while self._take_if_next("AND"):
                where.append(self._read_condition())
        group: list[str] = []
        if self._take_if_next("GROUP"):
            self._take("BY")
            group = self._read_names()
        if self.left:
            wanted = "a comma or the end of the line" if group else "AND, GROUP BY or the end"
            self._fail(f"here should be {wanted if where or group else 'WHERE or GROUP BY'}")
        return Query(tuple(where), tuple(group), self.number)

    def _read_names(self) -> list[str]:
        """Read column names with commas between, each once."""
        names = [self._read_name()]
        while self._take_if_next(","):
            place = self._place
            names.append(self._read_name())
            if names[-1] in names[:-1]:
                self._fail("this column is grouped by already", place)
        return names

    def _read_condition(self) -> Condition:
        """Read a column and what it must hold."""
        place, name = self._place, self._read_name()
        if self._take_if_next("BETWEEN"):
            low = self._read_value()
            self._take("AND")
            return Condition(name, "between", (low, self._read_value()), place)
        if self._take_if_next("IN"):
            return Condition(name, "in", self._read_list(), place)
        if self._take_if_next("IS"):
            self._take("MISSING")
            return Condition(name, "missing", (), place)
        sign = next((sign for sign in _SIGNS if self._take_if_next(sign)), None)
        if sign is None:
            self._fail("here should be BETWEEN, IN, IS MISSING or one of = < <= > >=")
        return Condition(name, sign, (self._read_value(),), place)

    def _read_list(self) -> tuple[float | str, ...]:
        """Read values in brackets with commas between."""
        self._take("(")
        values = [self._read_value()]
        while self._take_if_next(","):
            values.append(self._read_value())
        self._take(")")
        return tuple(values)

    def _read_name(self) -> str:
        """Read the name of a column, plain or in double quotes."""
        token = self.left[-1] if self.left else None
        if token is None or token.word or token.kind not in {"word", "quoted"}:
            self._fail("here should be the name of a column")
        self.left.pop()
        return token.text if token.kind == "word" else token.text[1:-1].replace('""', '"')

    def _read_value(self) -> float | str:
        """Read a number, or a text in single quotes."""
        token = self.left[-1] if self.left else None
        if token is None or token.kind not in {"number", "text"}:
            self._fail("here should be a number, or a value in single quotes")
        self.left.pop()
        text = token.text
        return float(text) if token.kind == "number" else text[1:-1].replace("''", "'")

    def _take_if_next(self, wanted: str) -> bool:
        """Whether this word or sign comes next; if so, go past it."""
        if not self.left:
            return False
        token = self.left[-1]
        if token.word != wanted and (token.kind != "sign" or token.text != wanted):
            return False
        self.left.pop()
        return True

    def _take(self, wanted: str) -> None:
        """Go past this word or sign; `InputError` if something else comes next."""
        if not self._take_if_next(wanted):
            self._fail(f"here should be {wanted}")

    @property
    def _place(self) -> int:
        """The place of the next token in the line, counted from 1."""
        return self.left[-1].place if self.left else self.end

    def _fail(self, message: str, place: int | None = None) -> NoReturn:
        """Raise `InputError` at a place of the line, that of the next token unless one is given."""
        raise InputError(
            f"{self.where}, column {place or self._place}: {message}",
            remedy="a query is COUNT [WHERE …] [GROUP BY …], conditions joined by AND",
        )


_SIGNS: tuple[Relation, ...] = ("=", "<", "<=", ">", ">=")
