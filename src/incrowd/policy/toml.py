"""TOML text: plain values written in linear time, and the line of each key."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Item

from incrowd.values import Path

DEEPEST = 64
"""Brackets within brackets, and parts of one key, that a policy may have."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TOKEN = re.compile(
    r'''"""(?:\\.|[^\\])*?"""|\'{3}.*?\'{3}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|\#[^\n]*|[][{}.=,\n]''',
    re.DOTALL,
)
_HEAD = re.compile(r"^\s*(\[\[?)(.+?)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*((?:[\w.\-]|"(?:[^"\\]|\\.)*"|'[^']*'|[ \t])+?)\s*=""")
_STEERING = re.compile(r"[\x00-\x1f\x7f]")


def key_text(name: str) -> str:
    """The TOML text of a key, in quotes if it needs them.

    >>> key_text("age"), key_text("date of birth")
    ('age', '"date of birth"')
    """
    return name if _BARE.fullmatch(name) else _quote_text(name)


def value_text(plain: Any) -> str:
    """The TOML text of a plain value, on one line.

    >>> value_text({"name": "prefix", "steps": [4, 3], "strict": True})
    '{ name = "prefix", steps = [4, 3], strict = true }'
    """
    match plain:
        case bool():
            return "true" if plain else "false"
        case int() | float():
            return repr(plain)
        case str():
            return _quote_text(plain)
        case Mapping():
            return "{ " + ", ".join(table_lines(plain)) + " }"
        case _:
            return "[" + ", ".join(value_text(one) for one in plain) + "]"


def table_lines(table: Mapping[str, Any]) -> Iterable[str]:
    """Yield the TOML lines of a table, a key and its value on each."""
    return (f"{key_text(name)} = {value_text(plain)}" for name, plain in table.items())


def comment_text(text: str) -> str:
    r"""The TOML text of a comment on one line; characters that steer a terminal are escaped.

    >>> comment_text("with age\x1b[2J\nit tells much")
    '# with age\\x1b[2J it tells much'
    """
    plain = " ".join(text.split())
    return "# " + _STEERING.sub(lambda found: repr(found[0])[1:-1], plain)


def shorten(text: str, most: int = 72) -> str:
    """Cut a sentence at its first semicolon and to `most` characters, for a remark beside a line.

    >>> shorten("where people live is easy to find out; with age and sex it singles out 87 %")
    'where people live is easy to find out'
    """
    first = text.split(";", 1)[0]
    return first if len(first) <= most else first[:most].rsplit(" ", 1)[0] + " …"


def line_too_deep(text: str) -> int | None:
    r"""The line on which brackets or the parts of a key become too many; None if none does.

    Checked before anything else reads the text: parsers recurse for each of them.

    >>> texts = "a = [[1], [2]]", "\n" + "[" * 100, "a." * 99 + "a = 1"
    >>> [line_too_deep(text) for text in texts]
    [None, 2, 1]
    """
    line, depth, dots = 1, 0, 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        depth += (sign in "[{") - (sign in "]}")
        dots = dots + 1 if sign == "." else 0 if sign in "=,\n" else dots
        if max(depth, dots) > DEEPEST:
            return line
        line += sign.count("\n")
    return None


def lines_of(text: str) -> dict[Path, int]:
    r"""Find the line (1, 2, …) of each key and table; keys inside a value have none of their own.

    >>> lines_of('version = 1\n[[models]]\nk = 5')
    {('version',): 1, ('models', 0): 2, ('models', 0, 'k'): 3}
    """
    lines: dict[Path, int] = {}
    table: Path = ()
    seen: Counter[Path] = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        if (head := _HEAD.match(line)) and "=" not in line.split("]")[0]:
            table = _parts_of_key(head[2])
            if head[1] == "[[":
                seen[table] += 1
                table = (*table, seen[table] - 1)
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_parts_of_key(key[1])), number)
    return lines


def edit_text(text: str, changes: Mapping[str | Path, Any]) -> str:
    r"""Change some keys of TOML text; everything else stays, comments too.

    A key is a name or a path; None takes it away. Nobody checks what the outcome means.

    >>> edit_text("a = 1 # one\nb = 2", {"a": 3, "b": None})
    'a = 3 # one\n'
    """
    document = tomlkit.parse(text)
    for key, value in changes.items():
        _set_key(document, (key,) if isinstance(key, str) else key, value)
    return tomlkit.dumps(document)


def _set_key(container: Any, path: Path, value: Any) -> None:
    """Set or, if the value is None, delete what is at this path, in place; makes missing tables."""
    *way, last = path
    for part in way:
        if not isinstance(container, list) and part not in container:
            container[part] = tomlkit.table()
        container = container[part]
    if value is not None:
        _set_beside_comment(container, last, value)
    elif not isinstance(last, str) or last in container:
        del container[last]


def _set_beside_comment(container: Any, key: str | int, value: Any) -> None:
    """Set a value and keep the comment on its line."""
    old = container.get(key) if isinstance(key, str) else None
    container[key] = value
    if isinstance(old, Item) and old.trivia.comment:
        new = container[key]
        new.trivia.comment_ws, new.trivia.comment = old.trivia.comment_ws, old.trivia.comment


def _parts_of_key(dotted: str) -> Path:
    """The parts of a dotted key; the whole as one part if it cannot be read."""
    try:
        here = tomlkit.parse(f"{dotted} = 0").unwrap()
    except (TOMLKitError, ValueError):
        return (dotted,)
    parts: Path = ()
    while isinstance(here, dict):
        part = next(iter(here))
        here, parts = here[part], (*parts, part)
    return parts


def _quote_text(text: str) -> str:
    """Put a text in quotes; JSON escapes as TOML does, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
